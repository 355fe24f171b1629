#include "json_fields.h"

#include "memory.h"

bool json_maybe_string(const struct json *object, const char *key, char **out,
		       struct error *err)
{
	struct json member = json_member(object, key);
	const char *text;

	if (!member.node)
		return true;
	if (!json_string(&member, &text, err))
		return false;
	*out = memory_string(text);
	return true;
}

bool json_field_string(const struct json *object, const char *key, char **out,
		       struct error *err)
{
	struct json member;

	return json_require(object, key, &member, err) &&
	       json_maybe_string(object, key, out, err);
}

bool json_field_integer(const struct json *object, const char *key,
			int64_t minimum, int64_t maximum, int64_t *out,
			struct error *err)
{
	struct json member;

	return json_require(object, key, &member, err) &&
	       json_integer(&member, minimum, maximum, out, err);
}

bool json_field_digest(const struct json *object, const char *key,
		       struct digest *out, struct error *err)
{
	struct json member;
	const char *text;

	if (!json_require(object, key, &member, err) ||
	    !json_string(&member, &text, err))
		return false;
	if (!digest_from_hex(out, text))
		return json_fail(&member, err,
				 "expected a sha256, 64 hexadecimal digits, "
				 "found \"%s\"",
				 text);
	return true;
}

bool json_field_strings(const struct json *object, const char *key,
			struct list *out, struct error *err)
{
	struct json member;

	return json_require(object, key, &member, err) &&
	       json_strings(&member, out, err);
}

bool json_field_schema(const struct json *object, int64_t schema,
		       struct error *err)
{
	int64_t found;

	return json_object(object, err) &&
	       json_field_integer(object, "schema", schema, schema, &found,
				  err);
}
