/*
 * source.h - an archive file's bytes, in blocks, from first to last.
 */
#ifndef RNE_SOURCE_H
#define RNE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

#define SOURCE_BLOCK (128 * 1024)

struct source {
	int file; /* borrowed; read with pread(2) */
	uint64_t offset;
	const unsigned char *at; /* what was read and not used */
	size_t left;
	unsigned char block[SOURCE_BLOCK];
};

void source_start(struct source *source, int file);
/* Nothing left afterwards means the end of the file. */
bool source_fill(struct source *source, struct error *err) NODISCARD;
void source_skip(struct source *source, size_t length); /* <= left */

/* The first bytes, zeros where the file has none; only before any skip. */
bool source_peek(struct source *source, unsigned char *into, size_t length,
		 struct error *err) NODISCARD;

/* "this is not a gzip stream: it begins with ..." (ARCHIVE). Only before any
 * skip. */
bool source_refused(const struct source *source, const char *expected,
		    struct error *err);

#endif
