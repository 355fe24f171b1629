/*
 * inflate.h - raw deflate (RFC 1951) to bytes: with ISA-L's igzip where the
 * build has it (RNE_HAVE_ISAL), else with zlib. The only user of either for
 * reading.
 *
 * What surrounds the deflate stream, checksums included, is the caller's.
 */
#ifndef RNE_INFLATE_H
#define RNE_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

struct inflater;

struct inflater *inflater_start(void) NODISCARD;
void inflater_free(struct inflater **inflater); /* NULL is fine */

enum inflate_result {
	INFLATE_MORE, /* all input is used, or all room is */
	INFLATE_END,  /* the last block ended */
	INFLATE_BAD,  /* this is not deflate */
};

struct inflate_step {
	const unsigned char *in; /* moved on by what was used */
	size_t in_length;
	unsigned char *out;
	size_t out_length; /* room; then what was written */
	/* After INFLATE_END: what was taken in and lies behind the end, in
	 * front of what `in` still has. */
	unsigned char behind[8];
	size_t behind_length;
};

/*
 * Nothing written with INFLATE_MORE means that more input is needed; give
 * none only when there is none left.
 */
enum inflate_result inflater_run(struct inflater *inflater,
				 struct inflate_step *step);

/* CRC-32 of gzip and zip (RFC 1952), continued from `crc`; begins with 0. */
uint32_t inflate_crc32(uint32_t crc, const void *bytes, size_t length);

#endif
