/*
 * set.h - strings, each once, found in constant time.
 */
#ifndef RNE_SET_H
#define RNE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set {
	char **slots; /* open addressing; NULL: free */
	size_t room;  /* a power of two, or 0 */
	size_t count;
	uint64_t key; /* of this set's hash, so that nobody can steer it */
};

#define SET_INIT              \
	{                     \
		NULL, 0, 0, 0 \
	}

bool set_add(struct set *set, const char *text); /* false: was there */
bool set_has(const struct set *set, const char *text);
void set_release(struct set *set);

#endif
