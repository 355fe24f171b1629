/* Text to a document: what cJSON lacks around its parser. */
#include "json.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "arena.h"
#include "memory.h"

/* cJSON cuts numbers at 63 bytes; RFC 8259 knows no such limit. */
#define NUMBER_BYTES_MAX 60

/* Where the document that is being parsed lives: cJSON has one allocator for
 * all documents, and asks it for every node and text by itself. */
static struct arena *room;

static void *take(size_t size)
{
	return arena_allocate(room, size);
}

static void keep(void *memory)
{
	(void)memory; /* until the whole document goes */
}

/* The same number in few digits, as a double holds it. */
static void shorten_number(char *text, size_t length)
{
	char number[NUMBER_BYTES_MAX];
	double value = strtod(text, NULL);
	int digits;

	if (isinf(value))
		digits = snprintf(number, sizeof(number), "%s1e999",
				  *text == '-' ? "-" : "");
	else
		digits = snprintf(number, sizeof(number), "%.17g", value);
	memset(text, ' ', length);
	memcpy(text, number, (size_t)digits);
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
	       c == 'e' || c == 'E';
}

/*
 * The next number that cJSON would cut, with its length; NULL: none. `text` is
 * valid JSON, so a run of these bytes outside a string is a number or the e of
 * a word.
 */
static const char *long_number(const char *text, const char *end,
			       size_t *length)
{
	while (text < end) {
		const char *start = text;

		if (*text == '"') {
			text += 1 + strcspn(text + 1, "\"\\");
			while (*text == '\\')
				text += 2 + strcspn(text + 2, "\"\\");
			text++;
			continue;
		}
		while (text < end && is_of_number(*text))
			text++;
		*length = (size_t)(text - start);
		if (*length > NUMBER_BYTES_MAX)
			return start;
		text += text == start;
	}
	return NULL;
}

static cJSON *parse(const char *text, size_t length)
{
	char *copy CLEANUP(memory_release) = NULL;
	size_t number_length;
	const char *number;

	/* cJSON overlooks it in a text of less than five bytes. */
	if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) {
		text += 3;
		length -= 3;
	}
	number = long_number(text, text + length, &number_length);
	if (!number)
		return cJSON_ParseWithLength(text, length);
	copy = memory_string_n(text, length);
	while (number) {
		shorten_number(copy + (number - text), number_length);
		number = long_number(number + number_length, text + length,
				     &number_length);
	}
	return cJSON_ParseWithLength(copy, length + 1);
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, so that an object of many members costs n log n. */
static const char *duplicate_key(const cJSON *object)
{
	const char **keys CLEANUP(memory_release) = NULL;
	size_t count = 0;

	for (const cJSON *at = object->child; at; at = at->next) {
		keys = memory_grow(keys, count, sizeof(*keys));
		keys[count++] = at->string;
	}
	if (count)
		qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < count; i++) {
		if (!strcmp(keys[i - 1], keys[i]))
			return keys[i];
	}
	return NULL;
}

/* As deep as the grammar check allowed. */
bool json_refuse_duplicates(const struct json *at, struct error *err)
{
	const char *key;

	if (cJSON_IsObject(at->node)) {
		key = duplicate_key(at->node);
		if (key)
			return json_fail(at, err,
					 "the member \"%s\" is there twice",
					 key);
	}
	json_for_each (child, at) {
		if (child.node->child && !json_refuse_duplicates(&child, err))
			return false;
	}
	return true;
}

bool json_parse(struct json_document *document, const char *name,
		const char *text, size_t length, unsigned rules,
		struct error *err)
{
	struct json_document parsed CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	cJSON_Hooks hooks = {take, keep};
	struct json root;

	if (!json_syntax(name, text, length, rules, err))
		return false;
	parsed.name = memory_string(name);
	room = &parsed.room;
	cJSON_InitHooks(&hooks);
	parsed.root = parse(text, length);
	if (!parsed.root)
		return error_set(err, ERROR_CONFIG,
				 "%s: cannot be read as JSON", name);
	root = json_root(&parsed);
	if (!(rules & JSON_ALLOW_DUPLICATES) &&
	    !json_refuse_duplicates(&root, err))
		return false;
	*document = parsed;
	parsed = (struct json_document)JSON_DOCUMENT_INIT;
	return true;
}

void json_document_release(struct json_document *document)
{
	arena_release(&document->room);
	free(document->name);
	*document = (struct json_document)JSON_DOCUMENT_INIT;
}
