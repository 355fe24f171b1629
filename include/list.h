/*
 * list.h - a list of strings that it owns.
 */
#ifndef RNE_LIST_H
#define RNE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"

struct list {
	char **items;
	size_t count;
};

#define LIST_INIT       \
	{               \
		NULL, 0 \
	}

void list_add(struct list *list, const char *text);
void list_addf(struct list *list, const char *format, ...) PRINTF(2, 3);
bool list_add_once(struct list *list, const char *text); /* false: was there */
bool list_has(const struct list *list, const char *text);
void list_copy(struct list *into, const struct list *from);
void list_sort(struct list *list); /* by bytes */
/* The items of `text` between any of `separators`; empty ones are left out. */
void list_split(struct list *list, const char *text, const char *separators);
/* The caller frees the result. */
char *list_join(const struct list *list, const char *separator) NODISCARD;
void list_release(struct list *list);

/*
 * The item nearest to `word` by edit distance (adjacent swaps count as one),
 * NULL when none is near enough to be what was meant.
 */
const char *list_nearest(const struct list *list, const char *word);
/* The same as words for a message: ` (did you mean "all"?)`, or "". The caller
 * frees it. */
char *list_suggestion(const struct list *list, const char *word) NODISCARD;

#endif
