/*
 * tar_header.h - one 512-byte header block of a tar archive: ustar
 * (POSIX.1-1988), GNU tar's and the older one without a magic.
 *
 * Strict: a checksum that fits, octal numbers (or GNU's base 256), and
 * nothing hidden behind the end of a name.
 */
#ifndef RNE_TAR_HEADER_H
#define RNE_TAR_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

#define TAR_BLOCK 512

struct tar_header {
	unsigned char type; /* as in the header; the oldest tars have NUL */
	char name[257];     /* prefix, slash and name */
	char link[101];
	uint64_t size;
	uint32_t mode;
};

/* Errors: ARCHIVE, without the entry's name when there is none to give. */
bool tar_header_parse(struct tar_header *header,
		      const unsigned char block[TAR_BLOCK],
		      struct error *err) NODISCARD;

bool tar_block_is_zero(const unsigned char *bytes, size_t length);

#endif
