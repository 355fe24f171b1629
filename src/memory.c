#include "memory.h"

#include <stdint.h>

static void out_of_memory(void)
{
	fputs("error: out of memory\n", stderr);
	exit(1);
}

void *memory_allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *memory_resize(void *memory, size_t count, size_t size)
{
	void *resized;

	if (size && count > SIZE_MAX / size)
		out_of_memory();
	resized = realloc(memory, count && size ? count * size : 1);
	if (!resized)
		out_of_memory();
	return resized;
}

char *memory_string(const char *text)
{
	return memory_string_n(text, strlen(text));
}

char *memory_string_n(const char *text, size_t length)
{
	char *copy = memory_allocate(length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *memory_vprintf(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		out_of_memory();
	return text;
}

char *memory_printf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = memory_vprintf(format, arguments);
	va_end(arguments);
	return text;
}

void *memory_grow(void *items, size_t count, size_t size)
{
	/* Full at 0 and at every power of two from 8 on. */
	if (count && (count < 8 || (count & (count - 1))))
		return items;
	return memory_resize(items, count ? count * 2 : 8, size);
}

void memory_release(void *pointer_to_pointer)
{
	void **pointer = pointer_to_pointer;

	free(*pointer);
	*pointer = NULL;
}
