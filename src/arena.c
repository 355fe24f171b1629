#include "arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "memory.h"

/* Each chunk is twice the one before. The large ones leave the process when
 * they are freed, instead of staying as holes between others. */
#define CHUNK_MIN ((size_t)16 << 10)
#define CHUNK_MAX ((size_t)1 << 20)

struct arena_chunk {
	struct arena_chunk *before;
	size_t size; /* of `bytes` */
	alignas(max_align_t) unsigned char bytes[];
};

static void add_chunk(struct arena *arena, size_t least)
{
	size_t size = arena->last ? arena->last->size : CHUNK_MIN / 2;
	struct arena_chunk *chunk;

	size = size < CHUNK_MAX ? 2 * size : CHUNK_MAX;
	if (size < least)
		size = least;
	chunk = memory_resize(NULL, sizeof(*chunk) + size, 1);
	chunk->before = arena->last;
	chunk->size = size;
	arena->last = chunk;
	arena->left = size;
}

void *arena_allocate(struct arena *arena, size_t size)
{
	const size_t step = alignof(max_align_t);
	unsigned char *end;

	if (size > SIZE_MAX / 2) /* as no machine has it */
		size = SIZE_MAX / 2;
	size = (size + step - 1) / step * step;
	if (size > arena->left || !arena->last)
		add_chunk(arena, size);
	end = arena->last->bytes + arena->last->size;
	end -= arena->left;
	arena->left -= size;
	return end;
}

void arena_release(struct arena *arena)
{
	while (arena->last) {
		struct arena_chunk *chunk = arena->last;

		arena->last = chunk->before;
		free(chunk);
	}
	arena->left = 0;
}
