/*
 * path.h - which names from outside may become files.
 *
 * One rule for archive entries, for the manifest's destinations and file
 * lists, and for what the receipt says was installed: a relative path of
 * honest UTF-8 components that means the same on Linux, macOS and Windows.
 */
#ifndef RNE_PATH_H
#define RNE_PATH_H

#include "attributes.h"

#define PATH_COMPONENT_MAX 255
#define PATH_LENGTH_MAX    1024
#define PATH_DEPTH_MAX     64

/*
 * NULL when `path` is acceptable, else why not ("leaves its folder with ..").
 * Refused: empty, absolute, "." and "..", empty components, backslashes,
 * drive letters and colons, control characters, invalid UTF-8, bidirectional
 * overrides, trailing dots and spaces, names reserved by Windows (CON, NUL,
 * COM1 with any extension), components over 255 bytes, paths over 1,024
 * bytes or 64 levels.
 */
const char *path_refused(const char *path) NODISCARD;

/* path_refused for one component: no slash either. */
const char *path_name_refused(const char *name) NODISCARD;

/*
 * Why a symbolic link at `path` (acceptable by path_refused) may not point to
 * `target`; NULL: it is relative, acceptable, and stays inside the root.
 */
const char *path_link_refused(const char *path, const char *target) NODISCARD;

/*
 * Where a link leads when no other link lies on the way, as a path from the
 * root; NULL: out of the root. `rest` (may be NULL) becomes the target behind
 * its leading "../". The caller frees the path.
 */
char *path_link_destination(const char *path, const char *target,
			    const char **rest) NODISCARD;

/*
 * The key by which two names collide on a disk that ignores case or
 * normalises Unicode: NFC of the case folding. The caller frees it.
 */
char *path_collision_key(const char *path) NODISCARD;

/* "a/b/c" -> "a/b"; "" when there is no folder. The caller frees it. */
char *path_parent(const char *path) NODISCARD;
char *path_join(const char *folder, const char *name) NODISCARD;

#endif
