/*
 * tree_cache.h - archives of the cache, unpacked: restoring one is a copy (a
 * clone, where the file system shares extents) instead of an unpacking.
 *
 *	trees/<sha256 of the archive>/      its files
 *	trees/<sha256 of the archive>.json  their sizes, mtimes and digests
 *
 * The list is written last: without it a folder is litter. A tree is believed
 * when every file has the size and mtime of the list; where an mtime differs
 * (a cache that was moved), or the machine was started anew since the list was
 * written (a file may have lost its bytes with the power), the file is hashed.
 * A tree that is not what its list says is removed and made again from the
 * archive. Nothing here is ever linked into a project, only copied.
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
 * there was a sound one; `files` gets its list. An error is one of writing.
 */
bool tree_cache_take(struct cache *cache, const struct digest *archive,
		     int into, struct tree *files, bool *taken,
		     struct error *err) NODISCARD;

/*
 * Keeps a copy of `files` below the folder `from`. With `only_clone`, only
 * where that costs no copy. False is no error, since the archive remains.
 */
bool tree_cache_keep(struct cache *cache, const struct digest *archive,
		     int from, const struct tree *files, bool only_clone);

#endif
