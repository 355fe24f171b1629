/*
 * tree_cache.h - archives of the cache, unpacked: restoring one is a copy (a
 * clone, where the file system shares extents) instead of an unpacking.
 *
 *	trees/<sha256 of the archive>/      its files
 *	trees/<sha256 of the archive>.json  their sizes, mtimes and digests
 *
 * The list is written last: without it a folder is litter. Unlike an archive a
 * tree cannot be held against the archive's digest, so it is believed only
 * where it was made: it belongs to this user, nobody else can write it, and
 * its list was written since the machine was started. Files with the size and
 * mtime of the list are then taken as they are, others are hashed. From an
 * earlier start, or from another machine, every file is hashed, and the list
 * counts only where the manifest promises the files' digests. What cannot be
 * relied on is removed and made again from the archive. Nothing here is ever
 * linked into a project, only copied.
 */
#ifndef RNE_TREE_CACHE_H
#define RNE_TREE_CACHE_H

#include <stdbool.h>

#include "attributes.h"
#include "cache.h"
#include "digest.h"
#include "error.h"
#include "tree.h"

#define TREE_CACHE_FOLDER "trees"

/* There is one, as far as names say. */
bool tree_cache_has(const struct cache *cache, const struct digest *archive);

/*
 * Copies a tree into the folder `into`, which is empty. `taken` says whether
 * there was a sound one; `files` gets its list. With `promised` the caller
 * holds the list against the manifest's. An error is one of writing.
 */
bool tree_cache_take(struct cache *cache, const struct digest *archive,
		     bool promised, int into, struct tree *files, bool *taken,
		     struct error *err) NODISCARD;

/* Removes one that is not what it should be. */
void tree_cache_drop(struct cache *cache, const struct digest *archive);

/*
 * Keeps a copy of `files` below the folder `from`. With `only_clone`, only
 * where that costs no copy. False is no error, since the archive remains.
 */
bool tree_cache_keep(struct cache *cache, const struct digest *archive,
		     int from, const struct tree *files, bool only_clone);

#endif
