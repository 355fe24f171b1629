/* Text to a document: what cJSON lacks around its parser. */
#include "json.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "memory.h"

/* cJSON cuts numbers at 63 bytes; RFC 8259 knows no such limit. */
#define NUMBER_BYTES_MAX 60

/* The same number in few digits, as a double holds it. */
static void shorten_number(char *text, size_t length)
{
	char number[NUMBER_BYTES_MAX];
	double value = strtod(text, NULL);

	if (isinf(value))
		snprintf(number, sizeof(number), "%s1e999",
			 *text == '-' ? "-" : "");
	else
		snprintf(number, sizeof(number), "%.17g", value);
	memset(text, ' ', length);
	memcpy(text, number, strlen(number));
}

/* `text` is valid JSON, so a run of these bytes outside a string is a number
 * or the e of a word. */
static void shorten_numbers(char *text)
{
	while (*text) {
		size_t length = strspn(text, "-+.0123456789eE");

		if (*text == '"') {
			for (text++; *text != '"'; text++)
				text += *text == '\\';
			length = 1;
		} else if (length > NUMBER_BYTES_MAX) {
			shorten_number(text, length);
		}
		text += length ? length : 1;
	}
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp((*(cJSON *const *)a)->string,
		      (*(cJSON *const *)b)->string);
}

/* Sorted, so that an object of many members costs n log n. */
static const char *duplicate_key(const cJSON *object)
{
	const cJSON **members CLEANUP(memory_release) = NULL;
	size_t count = 0;

	if (!object->child || !object->child->next)
		return NULL;
	for (cJSON *member = object->child; member; member = member->next) {
		members = memory_grow(members, count, sizeof(*members));
		members[count++] = member;
	}
	qsort(members, count, sizeof(*members), compare_keys);
	for (size_t i = 1; i < count; i++) {
		if (!strcmp(members[i - 1]->string, members[i]->string))
			return members[i]->string;
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
	char *copy CLEANUP(memory_release) = NULL;
	struct json root;

	if (!json_syntax(name, text, length, rules, err))
		return false;
	copy = memory_string_n(text, length);
	shorten_numbers(copy);
	parsed.name = memory_string(name);
	parsed.root = cJSON_ParseWithLength(copy, length + 1);
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
	cJSON_Delete(document->root);
	free(document->name);
	*document = (struct json_document)JSON_DOCUMENT_INIT;
}
