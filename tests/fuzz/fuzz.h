/*
 * fuzz.h - what the fuzz targets share.
 *
 * A target, fuzz_<subject>.c, gives bytes from outside to a part of the
 * program and asserts what has to be true of whatever that part accepts. It
 * is linked twice: with libFuzzer, which makes up bytes (`make fuzz`), and
 * with replay.c, which gives it the seeds of corpus/<subject>/ (`make check`).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A target may bring its own: to put checksums right that no chance finds. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed);
/* libFuzzer's own mutations, for a target's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#define FUZZ_ASSERT(condition)                                       \
	do {                                                         \
		if (!(condition))                                    \
			fuzz_failed(__FILE__, __LINE__, #condition); \
	} while (0)

static inline void fuzz_failed(const char *file, int line, const char *words)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, words);
	abort();
}

/* A string of its own size, so that the sanitizer sees a read behind it. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	return memory_string_n((const char *)data, size);
}

/* Cuts the next piece, up to a NUL or the end, off the front of `data`. */
static inline char *fuzz_piece(const uint8_t **data, size_t *size)
{
	const uint8_t *stop = *size ? memchr(*data, '\0', *size) : NULL;
	size_t length = stop ? (size_t)(stop - *data) : *size;
	char *piece = fuzz_string(*data, length);

	length += stop != NULL;
	*data += length;
	*size -= length;
	return piece;
}

#endif
