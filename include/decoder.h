/*
 * decoder.h - an archive's compressed stream to plain bytes, block by block.
 *
 * The stream has to be one gzip member (RFC 1952) or one zstd frame
 * (RFC 8878) from the file's first byte to its last: header checksum, CRC,
 * length and content checksum are held against what came out, a second
 * member or frame, a skippable frame or other bytes behind it are refused.
 *
 *	decoder_open(&decoder, file, ARCHIVE_TAR_GZ, err)
 *	while (decoder_read(decoder, &bytes, &length, err) && length)
 *		use bytes[0 .. length - 1]
 *	decoder_close(&decoder)
 *
 * Only when a read says true with length 0 was the stream sound.
 *
 * Errors: ARCHIVE for what the bytes are, FILESYSTEM for reading them.
 */
#ifndef RNE_DECODER_H
#define RNE_DECODER_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "manifest.h"

/* A zstd frame may ask for this much memory: 2^25 bytes. */
#define DECODER_WINDOW_LOG_MAX 25

struct decoder;

/* Reads `file` from its beginning, with pread(2). Not for ARCHIVE_ZIP. */
bool decoder_open(struct decoder **out, int file, enum archive_format format,
		  struct error *err) NODISCARD;
/* The bytes are the decoder's, until the next call. */
bool decoder_read(struct decoder *decoder, const void **bytes, size_t *length,
		  struct error *err) NODISCARD;
void decoder_close(struct decoder **decoder);

#endif
