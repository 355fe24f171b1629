/*
 * json.h - strict, typed reading of JSON (RFC 8259), over cJSON.
 *
 * cJSON accepts more than JSON. Here a document is first held against the
 * grammar (json_syntax.c), which gives line:column and the limits below, then
 * parsed by cJSON; members of one name twice are refused. "\u0000" in a string
 * is refused too: C strings cannot hold it.
 *
 * A `struct json` is a place in a document. It lives on the caller's stack and
 * points at the place above it, so that every message can say where it is:
 * `app/package.json: $["react-native-executorch"].extras[1]: expected a
 * string, found the number 3`. Keep the parent alive while a child is used.
 *
 * Errors are of kind CONFIG.
 */
#ifndef RNE_JSON_H
#define RNE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "list.h"

#define JSON_DEPTH_MAX      32
#define JSON_DEPTH_DEEP_MAX 512        /* with JSON_DEEP */
#define JSON_VALUES_MAX     (1u << 18) /* of a document, all levels */
#define JSON_VALUES_OWN_MAX (1u << 20) /* with JSON_OWN */

/* The largest whole number that a double holds exactly: 2^53 - 1. */
#define JSON_INTEGER_MAX INT64_C(9007199254740991)

enum json_rules {
	JSON_ANY = 0,
	/* Numbers are whole: no fraction, no exponent. Our own formats. */
	JSON_WHOLE_NUMBERS = 1,
	/* A UTF-8 byte order mark in front is skipped, as npm does. */
	JSON_ALLOW_BOM = 2,
	/* For trees that others own (package.json): deeper nesting is fine. */
	JSON_DEEP = 4,
	/* And so are members twice, such as "//", where it is not ours. */
	JSON_ALLOW_DUPLICATES = 8,
	/* What this program wrote itself may be long. */
	JSON_OWN = 16,
};

struct cJSON;

struct json_document {
	struct cJSON *root;
	char *name;        /* how messages call it */
	struct arena room; /* which all of its nodes and texts lie in */
};

#define JSON_DOCUMENT_INIT             \
	{                              \
		NULL, NULL, ARENA_INIT \
	}

struct json {
	const struct cJSON *node; /* NULL: not there */
	const struct json *parent;
	const char *key; /* in an object */
	size_t index;    /* in an array */
	const char *document;
};

/* Checks the grammar only. `name` is for the message. */
bool json_syntax(const char *name, const char *text, size_t length,
		 unsigned rules, struct error *err) NODISCARD;

bool json_parse(struct json_document *document, const char *name,
		const char *text, size_t length, unsigned rules,
		struct error *err) NODISCARD;
/* No object at or below `at` has two members of one name. */
bool json_refuse_duplicates(const struct json *at, struct error *err) NODISCARD;
void json_document_release(struct json_document *document);
struct json json_root(const struct json_document *document);

/* The member `key`; `node` is NULL when there is none. */
struct json json_member(const struct json *object, const char *key);
/* A member that must be there. */
bool json_require(const struct json *object, const char *key, struct json *out,
		  struct error *err) NODISCARD;

/* The first member or element, and the one after `at`; node NULL: no more. */
struct json json_first(const struct json *container);
struct json json_next(const struct json *at);
#define json_for_each(at, container)                          \
	for (struct json at = json_first(container); at.node; \
	     at = json_next(&at))

size_t json_count(const struct json *container);

bool json_is_object(const struct json *at);
bool json_is_array(const struct json *at);
bool json_is_string(const struct json *at);
bool json_is_null(const struct json *at);
bool json_is_number(const struct json *at);

/* Typed reading; the message says what was found instead. */
bool json_object(const struct json *at, struct error *err) NODISCARD;
bool json_array(const struct json *at, struct error *err) NODISCARD;
bool json_string(const struct json *at, const char **out,
		 struct error *err) NODISCARD; /* owned by the document */
bool json_boolean(const struct json *at, bool *out,
		  struct error *err) NODISCARD;
bool json_integer(const struct json *at, int64_t minimum, int64_t maximum,
		  int64_t *out, struct error *err) NODISCARD;
/* An array of strings, appended to `out`. */
bool json_strings(const struct json *at, struct list *out,
		  struct error *err) NODISCARD;

/*
 * Every member's name is one of `known` (NULL-terminated); otherwise the
 * message names the place, the stranger, the nearest name and all names.
 */
bool json_known_keys(const struct json *object, const char *const *known,
		     struct error *err) NODISCARD;

/* Sets CONFIG with "<document>: <path>: " before the text; returns false. */
bool json_fail(const struct json *at, struct error *err, const char *format,
	       ...) PRINTF(3, 4);

void json_path(const struct json *at, struct buf *out);

#endif
