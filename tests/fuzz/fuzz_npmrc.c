/* Settings out of an .npmrc: the last one holds, comments never do. */
#include "buf.h"
#include "fuzz.h"
#include "npmrc.h"

static const char *const keys[] = {"proxy", "https-proxy", "cafile"};

static const char *lookup(const char *name)
{
	if (!strcmp(name, "HOME"))
		return "/home/me";
	return strcmp(name, "EMPTY") ? NULL : "";
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void check_later_line(const char *text, const char *key,
			     const char *value)
{
	char *longer CLEANUP(memory_release) =
		memory_printf("%s\n%s=later\n", text, key);
	char *found CLEANUP(memory_release) = npmrc_value(longer, key, lookup);

	/* Unless a [section] keeps the new line from counting. */
	FUZZ_ASSERT(same(found, "later") || same(found, value));
	FUZZ_ASSERT(same(found, "later") || strchr(text, '['));
}

static void check_earlier_line(const char *text, const char *key,
			       const char *value)
{
	char *longer CLEANUP(memory_release) =
		memory_printf("%s=earlier\n%s", key, text);
	char *found CLEANUP(memory_release) = npmrc_value(longer, key, lookup);

	if (!strncmp(text, "\xef\xbb\xbf", 3))
		return; /* a mark that is not in front is a part of a key */
	FUZZ_ASSERT(same(found, value) || (!value && same(found, "earlier")));
}

static void check_comment(const char *text, const char *key, const char *value)
{
	char *longer CLEANUP(memory_release) =
		memory_printf("%s\n;%s=later\n#%s=later", text, key, key);
	char *found CLEANUP(memory_release) = npmrc_value(longer, key, lookup);

	FUZZ_ASSERT(same(found, value));
}

static void check_all_commented(const char *text, const char *key)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	char *found CLEANUP(memory_release) = NULL;

	buf_byte(&out, ';');
	for (; *text; text++) {
		buf_byte(&out, *text);
		if (*text == '\n')
			buf_byte(&out, ';');
	}
	found = npmrc_value(out.data, key, lookup);
	FUZZ_ASSERT(!found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text CLEANUP(memory_release) = fuzz_string(data, size);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *value CLEANUP(memory_release) =
			npmrc_value(text, keys[i], lookup);

		FUZZ_ASSERT(!value || *value);
		/* "${HOME}" becomes 8 characters. */
		FUZZ_ASSERT(!value || strlen(value) <= 2 * NPMRC_VALUE_MAX);
		check_later_line(text, keys[i], value);
		check_earlier_line(text, keys[i], value);
		check_comment(text, keys[i], value);
		check_all_commented(text, keys[i]);
	}
	return 0;
}
