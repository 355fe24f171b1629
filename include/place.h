/*
 * place.h - folders by their absolute paths: where a search starts and how it
 * climbs. Slashes separate; nothing here opens a file.
 */
#ifndef RNE_PLACE_H
#define RNE_PLACE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"

/* The current folder. The caller frees it, as all that follow. */
bool place_current(char **out, struct error *err) NODISCARD;

/* Absolute and without symbolic links; NULL and errno when there is none. */
char *place_real(const char *path) NODISCARD;

/* `path` seen from `base`, which is absolute and without links; any "." and
 * ".." in front are resolved. */
char *place_absolute(const char *base, const char *path) NODISCARD;

/* "/a/b" becomes "/a", "/a" becomes "/"; false: it was the root. */
bool place_up(char *path);

/*
 * The folder lies in a node_modules folder, whatever layout the manager made
 * of it (node_modules/x, node_modules/.pnpm/<id>/node_modules/x,
 * .yarn/unplugged/<id>/node_modules/x, node_modules/.bun/...): it belongs to
 * an installed package and is never an app's.
 */
bool place_is_installed(const char *path);

/* `folder`/`name`, also where `folder` is the root. */
char *place_join(const char *folder, const char *name) NODISCARD;

/* `path` seen from `base` for messages: relative where it lies beneath. */
const char *place_below(const char *base, const char *path);

#endif
