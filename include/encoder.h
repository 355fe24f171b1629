/*
 * encoder.h - plain bytes to an archive's compressed stream: gzip (zlib, level
 * 9) or zstd (level 19, a window of 4 MB, which is what unpacking then
 * takes). Equal bytes in give equal bytes out: no time, no name, one thread.
 */
#ifndef RNE_ENCODER_H
#define RNE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "manifest.h"

struct encoder;

/* Writes to `file` from where it is. `plain_size`: the bytes to come. */
bool encoder_open(struct encoder **out, int file, const char *name,
		  enum archive_format format, uint64_t plain_size,
		  struct error *err) NODISCARD;
bool encoder_write(struct encoder *encoder, const void *bytes, size_t length,
		   struct error *err) NODISCARD;
/* Writes what is left; the file stays open. */
bool encoder_finish(struct encoder *encoder, struct error *err) NODISCARD;
void encoder_close(struct encoder **encoder);

#endif
