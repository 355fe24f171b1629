#include "buf.h"

#include <stdarg.h>

#include "memory.h"

char buf_empty[1];

char *buf_reserve(struct buf *buf, size_t length)
{
	size_t needed = buf->length + length + 1;

	if (needed > buf->capacity) {
		size_t capacity = buf->capacity ? buf->capacity : 64;

		while (capacity < needed)
			capacity *= 2;
		buf->data = memory_resize(buf->capacity ? buf->data : NULL,
					  capacity, 1);
		buf->capacity = capacity;
		buf->data[buf->length] = '\0';
	}
	return buf->data + buf->length;
}

void buf_append(struct buf *buf, const void *bytes, size_t length)
{
	if (!length)
		return;
	memcpy(buf_reserve(buf, length), bytes, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void buf_text(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void buf_byte(struct buf *buf, char byte)
{
	buf_append(buf, &byte, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list arguments;
	char *text CLEANUP(memory_release) = NULL;

	va_start(arguments, format);
	text = memory_vprintf(format, arguments);
	va_end(arguments);
	buf_text(buf, text);
}

bool buf_equal(const struct buf *a, const struct buf *b)
{
	return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

void buf_clear(struct buf *buf)
{
	buf->length = 0;
	if (buf->capacity)
		buf->data[0] = '\0';
}

char *buf_detach(struct buf *buf)
{
	char *data = buf->capacity ? buf->data : memory_string("");

	*buf = (struct buf)BUF_INIT;
	return data;
}

void buf_release(struct buf *buf)
{
	if (buf->capacity)
		free(buf->data);
	*buf = (struct buf)BUF_INIT;
}
