/*
 * json_fields.h - members of an object by their name, in one step each.
 *
 * Copies are the caller's to free. A `maybe_` member may be missing and leaves
 * `*out` as it was; the others must be there. Errors as in json.h.
 */
#ifndef RNE_JSON_FIELDS_H
#define RNE_JSON_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "digest.h"
#include "error.h"
#include "json.h"

bool json_field_string(const struct json *object, const char *key, char **out,
		       struct error *err) NODISCARD;
bool json_maybe_string(const struct json *object, const char *key, char **out,
		       struct error *err) NODISCARD;
bool json_field_integer(const struct json *object, const char *key,
			int64_t minimum, int64_t maximum, int64_t *out,
			struct error *err) NODISCARD;
bool json_field_digest(const struct json *object, const char *key,
		       struct digest *out, struct error *err) NODISCARD;
bool json_field_strings(const struct json *object, const char *key,
			struct list *out, struct error *err) NODISCARD;

/* `schema` says which form of a file of ours this is; another one cannot be
 * read. */
bool json_field_schema(const struct json *object, int64_t schema,
		       struct error *err) NODISCARD;

#endif
