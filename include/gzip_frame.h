/*
 * gzip_frame.h - what surrounds a deflate stream in gzip (RFC 1952): its
 * header, its CRC and length, and that nothing follows. Part of decoder.c.
 */
#ifndef RNE_GZIP_FRAME_H
#define RNE_GZIP_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "source.h"

/* A file name and a comment in the header take no more than this. */
#define GZIP_HEADER_MAX (64u * 1024)

struct gzip_frame;

/* Reads the header; `source` is borrowed. */
bool gzip_frame_open(struct gzip_frame **out, struct source *source,
		     struct error *err) NODISCARD;
/* Fills up to `room` bytes; `ended`: the member was sound, and the last. */
bool gzip_frame_read(struct gzip_frame *frame, unsigned char *into, size_t room,
		     size_t *length, bool *ended, struct error *err) NODISCARD;
void gzip_frame_free(struct gzip_frame **frame); /* NULL is fine */

#endif
