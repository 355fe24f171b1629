/*
 * memory.h - allocation that does not fail.
 *
 * Every size that comes from outside is held against a named limit before it
 * gets here, so running out of memory is not an error of the input: the
 * program says so and exits with 1. Nothing on disk depends on the exit being
 * orderly (see commit.h), so that is safe.
 */
#ifndef RNE_MEMORY_H
#define RNE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

#include "attributes.h"

void *memory_allocate(size_t size) NODISCARD; /* zeroed */
void *memory_resize(void *memory, size_t count, size_t size) NODISCARD;
char *memory_string(const char *text) NODISCARD;
char *memory_string_n(const char *text, size_t length) NODISCARD;
char *memory_printf(const char *format, ...) NODISCARD PRINTF(1, 2);
char *memory_vprintf(const char *format, va_list arguments) NODISCARD;

/*
 * Makes room for one more element: `items` of `size` bytes, `count` in use.
 * Grows by doubling, so that appending n elements costs O(n).
 */
void *memory_grow(void *items, size_t count, size_t size) NODISCARD;

/* For CLEANUP on any pointer variable that malloc's family filled. */
void memory_release(void *pointer_to_pointer);

#endif
