/*
 * unpack.h - an archive's entries into a folder: libarchive reads
 * (archive_reader.h), this code writes (tree_writer.h).
 *
 * The archive's digest has matched before it gets here. Still, nothing in it
 * is believed: names by path.h; only files, folders, links that stay inside
 * and hard links to earlier files (copied); no two entries of one name, in
 * any case or normal form; no name of our own (.rne-libs, the build config),
 * .git or node_modules. The compressed stream must be one gzip member or one
 * zstd frame to the last byte, checksums included, the tar must end with its
 * end blocks, a zip's directory and local headers must agree. Modes become
 * 0644 or 0755 (0755 for folders), owners, times and attributes are not taken
 * over; an entry for the folder itself ("./") is ignored, its mode too.
 *
 * Errors: ARCHIVE for what is refused, with the entry; FILESYSTEM for what
 * could not be written.
 */
#ifndef RNE_UNPACK_H
#define RNE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "manifest.h"
#include "tree.h"

struct unpack_limits {
	uint64_t bytes;   /* of all files together */
	uint64_t entries; /* of any kind */
	/* Where the folder will lie, NULL or "" when nowhere else: paths have
	 * to be acceptable from above it, too. */
	const char *below;
	/* What is known to be in the archive, sorted; NULL: nothing is. Files
	 * of it are not hashed again: their digests are taken from here. */
	const struct tree *known;
};

/*
 * For an archive of `size` bytes when the manifest does not say more. Real
 * releases unpack to three times their size, debug builds to twenty; deflate
 * cannot do more than 1,032.
 */
#define UNPACK_BYTES_FREE (UINT64_C(8) << 20)
#define UNPACK_RATIO_MAX  100
#define UNPACK_LINKS_MAX  (1u << 20) /* bytes, of all links' targets */

struct unpack_limits unpack_limits_default(uint64_t size);

/*
 * Reads the archive from `file` (from its beginning; `name` is for messages)
 * and writes below the folder `into`; -1: only reads and checks. `found` gets
 * files with their digests, links, and folders that hold nothing, sorted by
 * path; on failure what was written is the caller's to remove.
 */
bool unpack_archive(int file, const char *name, enum archive_format format,
		    const struct unpack_limits *limits, int into,
		    struct tree *found, struct error *err) NODISCARD;

/* Loads what reading needs, before a sandbox closes the door. */
bool unpack_prepare(struct error *err) NODISCARD;

#endif
