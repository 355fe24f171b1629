/*
 * npmrc_files.h - the .npmrc files that hold here, in npm's order: the
 * project's, the user's, the global one. What cannot be read is not there.
 */
#ifndef RNE_NPMRC_FILES_H
#define RNE_NPMRC_FILES_H

#include "attributes.h"
#include "buf.h"
#include "env.h"

enum { NPMRC_PROJECT, NPMRC_USER, NPMRC_GLOBAL, NPMRC_COUNT };

struct npmrc_files {
	char *paths[NPMRC_COUNT]; /* NULL: there is no place for it */
	struct buf texts[NPMRC_COUNT];
};

/* `project` is the project's folder, or NULL. */
void npmrc_files_load(struct npmrc_files *files, const struct environment *env,
		      const char *project);
void npmrc_files_release(struct npmrc_files *files);

/*
 * The value of `key` (npmrc.h) in the first file that sets it, `*path` being
 * that file's; NULL: in none. The caller frees the value, not the path.
 */
char *npmrc_files_find(const struct npmrc_files *files, const char *key,
		       const char **path) NODISCARD;

#endif
