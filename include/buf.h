/*
 * buf.h - a growing string of bytes, always NUL-terminated.
 */
#ifndef RNE_BUF_H
#define RNE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"

struct buf {
	char *data; /* never NULL: "" when nothing was appended */
	size_t length;
	size_t capacity;
};

extern char buf_empty[1];
#define BUF_INIT                \
	{                       \
		buf_empty, 0, 0 \
	}

void buf_append(struct buf *buf, const void *bytes, size_t length);
void buf_text(struct buf *buf, const char *text);
void buf_byte(struct buf *buf, char byte);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF(2, 3);

/* Makes room for `length` more bytes and returns where they go. */
char *buf_reserve(struct buf *buf, size_t length);

bool buf_equal(const struct buf *a, const struct buf *b);

/* Keeps the memory, forgets the bytes. */
void buf_clear(struct buf *buf);

/* Hands the bytes to the caller, who frees them; the buf is empty again. */
char *buf_detach(struct buf *buf) NODISCARD;

void buf_release(struct buf *buf);

#endif
