#include "pax.h"

#include "memory.h"

struct record {
	const char *key;
	size_t key_length;
	const char *value;
	size_t value_length;
};

static bool malformed(struct error *err)
{
	return error_set(err, ERROR_ARCHIVE, "a pax header is malformed");
}

/* Digits without a leading zero. False: none, or too many. */
static bool parse_decimal(const char *bytes, size_t length, uint64_t *number)
{
	uint64_t value = 0;

	if (!length || length > 18 || (length > 1 && bytes[0] == '0'))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(bytes[i] - '0');
	}
	*number = value;
	return true;
}

/* The record at `bytes`; `used` is its whole length. */
static bool split_record(const char *bytes, size_t length,
			 struct record *record, size_t *used)
{
	const char *space = memchr(bytes, ' ', length < 20 ? length : 20);
	const char *equals;
	uint64_t whole;

	if (!space || !parse_decimal(bytes, (size_t)(space - bytes), &whole) ||
	    whole > length || whole < (size_t)(space - bytes) + 2 ||
	    bytes[whole - 1] != '\n')
		return false;
	record->key = space + 1;
	equals = memchr(record->key, '=',
			(size_t)(bytes + whole - 1 - record->key));
	if (!equals || equals == record->key)
		return false;
	record->key_length = (size_t)(equals - record->key);
	record->value = equals + 1;
	record->value_length = (size_t)(bytes + whole - 1 - record->value);
	*used = whole;
	return !memchr(record->key, '\0', record->key_length);
}

static bool take_text(char **into, const struct record *record,
		      struct error *err)
{
	if (*into || !record->value_length)
		return malformed(err);
	*into = memory_string_n(record->value, record->value_length);
	if (strlen(*into) != record->value_length)
		return error_set(
			err, ERROR_ARCHIVE,
			"a pax header has a NUL in the name \"%.300s\"", *into);
	return true;
}

static bool take_path(struct pax *pax, const struct record *record,
		      struct error *err)
{
	return take_text(&pax->path, record, err);
}

static bool take_link(struct pax *pax, const struct record *record,
		      struct error *err)
{
	return take_text(&pax->link, record, err);
}

static bool take_size(struct pax *pax, const struct record *record,
		      struct error *err)
{
	if (pax->has_size ||
	    !parse_decimal(record->value, record->value_length, &pax->size))
		return malformed(err);
	pax->has_size = true;
	return true;
}

static bool take_sparse(struct pax *pax, const struct record *record,
			struct error *err)
{
	(void)record;
	(void)err;
	pax->sparse = true;
	return true;
}

/* Names are bytes to us either way; another character set is not. */
static bool take_charset(struct pax *pax, const struct record *record,
			 struct error *err)
{
	static const char utf8[] = "ISO-IR 10646 2000 UTF-8";
	size_t length = record->value_length;

	(void)pax;
	if ((length == strlen(utf8) && !memcmp(record->value, utf8, length)) ||
	    (length == 6 && !memcmp(record->value, "BINARY", 6)))
		return true;
	return error_set(err, ERROR_ARCHIVE,
			 "a pax header has names that are not UTF-8");
}

/* A key that ends in "." stands for all that begin so. */
static const struct {
	const char *key;
	bool (*take)(struct pax *pax, const struct record *record,
		     struct error *err);
} keys[] = {
	{"path", take_path},
	{"linkpath", take_link},
	{"size", take_size},
	{"hdrcharset", take_charset},
	{"GNU.sparse.", take_sparse},
	{"SCHILY.realsize", take_sparse},
	{"SUN.holesdata", take_sparse},
};

static bool is_key(const char *key, const struct record *record)
{
	size_t length = strlen(key);

	if (key[length - 1] == '.')
		return record->key_length >= length &&
		       !memcmp(record->key, key, length);
	return record->key_length == length &&
	       !memcmp(record->key, key, length);
}

bool pax_parse(struct pax *pax, const char *bytes, size_t length,
	       struct error *err)
{
	while (length) {
		struct record record;
		size_t used;

		if (!split_record(bytes, length, &record, &used))
			return malformed(err);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			if (is_key(keys[i].key, &record) &&
			    !keys[i].take(pax, &record, err))
				return false;
		}
		bytes += used;
		length -= used;
	}
	return true;
}

void pax_release(struct pax *pax)
{
	memory_release(&pax->path);
	memory_release(&pax->link);
	*pax = (struct pax)PAX_INIT;
}
