#include "set.h"

#include "memory.h"
#include "random.h"

#define ROOM_FIRST 64

/* FNV-1a over the key and the text. */
static uint64_t hash(const struct set *set, const char *text)
{
	uint64_t value = UINT64_C(14695981039346656037) ^ set->key;

	for (; *text; text++) {
		value ^= (unsigned char)*text;
		value *= UINT64_C(1099511628211);
	}
	return value ^ value >> 32;
}

/* Where `text` is, or the free slot where it belongs. */
static size_t find(const struct set *set, const char *text)
{
	size_t at = hash(set, text) & (set->room - 1);

	while (set->slots[at] && strcmp(set->slots[at], text))
		at = (at + 1) & (set->room - 1);
	return at;
}

static void make_room(struct set *set)
{
	struct set bigger = {.room = set->room ? set->room * 2 : ROOM_FIRST,
			     .key = set->key};

	if (!set->room)
		bigger.key = random_bits();
	bigger.slots = memory_allocate(bigger.room * sizeof(char *));
	for (size_t i = 0; i < set->room; i++) {
		if (set->slots[i])
			bigger.slots[find(&bigger, set->slots[i])] =
				set->slots[i];
	}
	bigger.count = set->count;
	free(set->slots);
	*set = bigger;
}

bool set_has(const struct set *set, const char *text)
{
	return set->room && set->slots[find(set, text)];
}

bool set_add(struct set *set, const char *text)
{
	size_t at;

	/* Half full at most: a free slot is always near. */
	if (set->count * 2 >= set->room)
		make_room(set);
	at = find(set, text);
	if (set->slots[at])
		return false;
	set->slots[at] = memory_string(text);
	set->count++;
	return true;
}

void set_release(struct set *set)
{
	for (size_t i = 0; i < set->room; i++)
		free(set->slots[i]);
	free(set->slots);
	*set = (struct set)SET_INIT;
}
