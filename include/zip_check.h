/*
 * zip_check.h - holds the parts of a zip archive (PKWARE APPNOTE 6.3) against
 * each other before libarchive sees it.
 *
 * A zip says everything twice, and readers differ in what they believe. So:
 * one end record, as the last bytes of the file, without a comment; local
 * headers, data and descriptors from the first byte on, in the directory's
 * order and without a gap up to the directory; local and central headers
 * that agree in name, method, flags, sizes and CRC; methods stored and
 * deflate only; no encryption, no other disks; zip64 fields only where
 * they are needed, data descriptors that repeat what the directory says;
 * names in UTF-8 by flag, or ASCII.
 *
 * Errors: ARCHIVE, FILESYSTEM when `file` cannot be read.
 */
#ifndef RNE_ZIP_CHECK_H
#define RNE_ZIP_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "member.h"

/* The directory, which is read whole. */
#define ZIP_DIRECTORY_MAX (16u << 20)

/* `members` gets the entries in the order of the file; it is empty before. */
bool zip_check(int file, uint64_t entries_max, struct members *members,
	       struct error *err) NODISCARD;

#endif
