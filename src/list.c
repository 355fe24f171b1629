#include "list.h"

#include <stdarg.h>
#include <stdint.h>

#include "buf.h"
#include "memory.h"

void list_add(struct list *list, const char *text)
{
	list->items = memory_grow(list->items, list->count, sizeof(char *));
	list->items[list->count++] = memory_string(text);
}

void list_addf(struct list *list, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = memory_vprintf(format, arguments);
	va_end(arguments);
	list->items = memory_grow(list->items, list->count, sizeof(char *));
	list->items[list->count++] = text;
}

bool list_has(const struct list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->items[i], text))
			return true;
	}
	return false;
}

bool list_add_once(struct list *list, const char *text)
{
	if (list_has(list, text))
		return false;
	list_add(list, text);
	return true;
}

void list_copy(struct list *into, const struct list *from)
{
	for (size_t i = 0; i < from->count; i++)
		list_add(into, from->items[i]);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void list_sort(struct list *list)
{
	if (list->count > 1)
		qsort(list->items, list->count, sizeof(char *), compare);
}

void list_split(struct list *list, const char *text, const char *separators)
{
	while (*text) {
		size_t length = strcspn(text, separators);

		if (length) {
			char *item = memory_string_n(text, length);

			list_add(list, item);
			free(item);
		}
		text += length;
		text += strspn(text, separators);
	}
}

char *list_join(const struct list *list, const char *separator)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < list->count; i++) {
		if (i)
			buf_text(&text, separator);
		buf_text(&text, list->items[i]);
	}
	return buf_detach(&text);
}

void list_release(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct list)LIST_INIT;
}

#define NEAREST_LENGTH_MAX 64

/* Damerau's distance with adjacent swaps ("optimal string alignment"). */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][NEAREST_LENGTH_MAX + 1];
	size_t *two_back = rows[0], *back = rows[1], *row = rows[2];

	for (size_t j = 0; j <= m; j++)
		back[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *oldest = two_back;

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = back[j - 1] + (a[i - 1] != b[j - 1]);

			if (back[j] + 1 < best)
				best = back[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && two_back[j - 2] + 1 < best)
				best = two_back[j - 2] + 1;
			row[j] = best;
		}
		two_back = back;
		back = row;
		row = oldest;
	}
	return back[m];
}

const char *list_nearest(const struct list *list, const char *word)
{
	size_t length = strlen(word), best_distance = SIZE_MAX;
	const char *best = NULL;

	if (!length || length > NEAREST_LENGTH_MAX)
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		size_t other = strlen(list->items[i]), found;

		if (other > NEAREST_LENGTH_MAX)
			continue;
		found = distance(word, length, list->items[i], other);
		if (found < best_distance) {
			best_distance = found;
			best = list->items[i];
		}
	}
	/* A third of the word wrong is a slip; more is another word. */
	if (best_distance > (length + 2) / 3)
		return NULL;
	return best;
}

char *list_suggestion(const struct list *list, const char *word)
{
	const char *nearest = list_nearest(list, word);

	return nearest ? memory_printf(" (did you mean \"%s\"?)", nearest)
		       : memory_string("");
}
