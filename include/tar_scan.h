/*
 * tar_scan.h - follows the bytes of a tar archive on their way to libarchive.
 *
 * libarchive takes an unknown type for a file, cuts names at a NUL, rewrites
 * them to another normal form, makes sparse files, and calls an archive that
 * ends anywhere between two entries complete. So every header is read here
 * first, strictly; what this says about an entry counts, and libarchive has
 * to agree with it.
 *
 *	feed as bytes come; next until false; ...; finish at the end
 *
 * Refused (ARCHIVE): types other than files, folders and links; sparse
 * files; sizes where none belongs; two names for one entry; pax and GNU
 * headers that are large or many; anything but zeros behind the two end
 * blocks, and an archive that does not have them.
 */
#ifndef RNE_TAR_SCAN_H
#define RNE_TAR_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "member.h"

#define TAR_SCAN_PADDING_MAX (1024u * 1024) /* zeros behind the end */

struct tar_scan;

struct tar_scan *tar_scan_start(void) NODISCARD;
bool tar_scan_feed(struct tar_scan *scan, const void *bytes, size_t length,
		   struct error *err) NODISCARD;
/* The next entry whose header went by; the caller releases it. */
bool tar_scan_next(struct tar_scan *scan, struct member *member) NODISCARD;
bool tar_scan_finish(const struct tar_scan *scan, struct error *err) NODISCARD;
void tar_scan_free(struct tar_scan **scan);

#endif
