/*
 * arena.h - memory for many small things that end together.
 *
 *	struct arena arena = ARENA_INIT;
 *	thing = arena_allocate(&arena, sizeof(*thing)) ...
 *	arena_release(&arena);
 *
 * What is allocated is aligned for any type and not cleared. A process that
 * runs out of memory ends, as in memory.h.
 */
#ifndef RNE_ARENA_H
#define RNE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *last;
	size_t left; /* bytes of it */
};

#define ARENA_INIT      \
	{               \
		NULL, 0 \
	}

void *arena_allocate(struct arena *arena, size_t size);
/* Frees all of it; the arena can be used again. */
void arena_release(struct arena *arena);

#endif
