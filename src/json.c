#include "json.h"

#include <cjson/cJSON.h>
#include <stdarg.h>

#include "memory.h"

struct json json_root(const struct json_document *document)
{
	return (struct json){
		.node = document->root,
		.document = document->name,
	};
}

struct json json_member(const struct json *object, const char *key)
{
	return (struct json){
		.node = json_is_object(object)
				? cJSON_GetObjectItemCaseSensitive(object->node,
								   key)
				: NULL,
		.parent = object,
		.key = key,
		.document = object->document,
	};
}

bool json_require(const struct json *object, const char *key, struct json *out,
		  struct error *err)
{
	struct json member;

	if (!json_object(object, err))
		return false;
	member = json_member(object, key);
	if (!member.node)
		return json_fail(object, err, "the member \"%s\" is missing",
				 key);
	*out = member;
	return true;
}

struct json json_first(const struct json *container)
{
	const cJSON *node = container->node ? container->node->child : NULL;

	return (struct json){
		.node = node,
		.parent = container,
		.key = node ? node->string : NULL,
		.document = container->document,
	};
}

struct json json_next(const struct json *at)
{
	const cJSON *node = at->node->next;

	return (struct json){
		.node = node,
		.parent = at->parent,
		.key = node ? node->string : NULL,
		.index = at->index + 1,
		.document = at->document,
	};
}

size_t json_count(const struct json *container)
{
	return container->node ? (size_t)cJSON_GetArraySize(container->node)
			       : 0;
}

bool json_is_object(const struct json *at)
{
	return cJSON_IsObject(at->node);
}

bool json_is_array(const struct json *at)
{
	return cJSON_IsArray(at->node);
}

bool json_is_string(const struct json *at)
{
	return cJSON_IsString(at->node);
}

bool json_is_null(const struct json *at)
{
	return cJSON_IsNull(at->node);
}

bool json_is_number(const struct json *at)
{
	return cJSON_IsNumber(at->node);
}

/* Long strings are cut for messages, between characters. */
#define SHOWN_BYTES_MAX 80

static char *describe(const struct json *at)
{
	const char *text;
	size_t length;

	if (!at->node)
		return memory_string("nothing");
	if (json_is_object(at))
		return memory_string("an object");
	if (json_is_array(at))
		return memory_string("an array");
	if (json_is_null(at))
		return memory_string("null");
	if (cJSON_IsBool(at->node))
		return memory_string(cJSON_IsTrue(at->node) ? "true" : "false");
	if (json_is_number(at))
		return memory_printf("the number %.15g", at->node->valuedouble);
	text = at->node->valuestring;
	length = strlen(text);
	if (length <= SHOWN_BYTES_MAX)
		return memory_printf("the string \"%s\"", text);
	length = SHOWN_BYTES_MAX;
	while (length && (text[length] & 0xC0) == 0x80)
		length--;
	return memory_printf("the string \"%.*s...\"", (int)length, text);
}

static bool expected(const struct json *at, const char *what, struct error *err)
{
	char *description CLEANUP(memory_release) = describe(at);

	return json_fail(at, err, "expected %s, found %s", what, description);
}

bool json_object(const struct json *at, struct error *err)
{
	return json_is_object(at) || expected(at, "an object", err);
}

bool json_array(const struct json *at, struct error *err)
{
	return json_is_array(at) || expected(at, "an array", err);
}

bool json_string(const struct json *at, const char **out, struct error *err)
{
	if (!json_is_string(at))
		return expected(at, "a string", err);
	*out = at->node->valuestring;
	return true;
}

bool json_boolean(const struct json *at, bool *out, struct error *err)
{
	if (!cJSON_IsBool(at->node))
		return expected(at, "true or false", err);
	*out = cJSON_IsTrue(at->node);
	return true;
}

bool json_integer(const struct json *at, int64_t minimum, int64_t maximum,
		  int64_t *out, struct error *err)
{
	char what[96];
	double number;

	snprintf(what, sizeof(what), "a whole number from %lld to %lld",
		 (long long)minimum, (long long)maximum);
	if (!json_is_number(at))
		return expected(at, what, err);
	number = at->node->valuedouble;
	/* Above 2^53 a double no longer tells neighbours apart. */
	if (!(number >= (double)-JSON_INTEGER_MAX &&
	      number <= (double)JSON_INTEGER_MAX) ||
	    number != (double)(int64_t)number || (int64_t)number < minimum ||
	    (int64_t)number > maximum)
		return expected(at, what, err);
	*out = (int64_t)number;
	return true;
}

bool json_strings(const struct json *at, struct list *out, struct error *err)
{
	if (!json_array(at, err))
		return false;
	json_for_each (item, at) {
		const char *text = NULL;

		if (!json_string(&item, &text, err))
			return false;
		list_add(out, text);
	}
	return true;
}

static bool is_known(const char *const *known, const char *key)
{
	for (; *known; known++) {
		if (!strcmp(*known, key))
			return true;
	}
	return false;
}

static bool refuse_key(const struct json *object, const char *key,
		       const char *const *known, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	char *all CLEANUP(memory_release) = NULL;
	char *suggestion CLEANUP(memory_release) = NULL;

	for (; *known; known++)
		list_add(&names, *known);
	all = list_join(&names, ", ");
	suggestion = list_suggestion(&names, key);
	return json_fail(object, err,
			 "the member \"%s\" is not known%s; known are: %s", key,
			 suggestion, all);
}

bool json_known_keys(const struct json *object, const char *const *known,
		     struct error *err)
{
	if (!json_object(object, err))
		return false;
	json_for_each (member, object) {
		if (!is_known(known, member.key))
			return refuse_key(object, member.key, known, err);
	}
	return true;
}

bool json_fail(const struct json *at, struct error *err, const char *format,
	       ...)
{
	struct buf path CLEANUP(buf_release) = BUF_INIT;
	char *text CLEANUP(memory_release) = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = memory_vprintf(format, arguments);
	va_end(arguments);
	json_path(at, &path);
	return error_set(err, ERROR_CONFIG, "%s: %s: %s", at->document,
			 path.data, text);
}

static bool is_plain_key(const char *key)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$";

	return *key && strspn(key, letters) &&
	       key[strspn(key, "abcdefghijklmnopqrstuvwxyz"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$0123456789")] ==
		       '\0';
}

static void path_step(const struct json *at, struct buf *out)
{
	if (!at->key) {
		buf_printf(out, "[%zu]", at->index);
	} else if (is_plain_key(at->key)) {
		buf_printf(out, ".%s", at->key);
	} else {
		buf_text(out, "[\"");
		for (const char *c = at->key; *c; c++) {
			if (*c == '"' || *c == '\\')
				buf_byte(out, '\\');
			buf_byte(out, *c);
		}
		buf_text(out, "\"]");
	}
}

void json_path(const struct json *at, struct buf *out)
{
	const struct json *steps[JSON_DEPTH_DEEP_MAX + 1];
	size_t count = 0;

	for (; at->parent && count < ARRAY_SIZE(steps); at = at->parent)
		steps[count++] = at;
	buf_byte(out, '$');
	while (count)
		path_step(steps[--count], out);
}
