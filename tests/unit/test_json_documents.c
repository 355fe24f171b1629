/* What is JSON is read, and what is not is refused: every class of document
 * that a parser has been seen to get wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "json.h"
#include "json_documents.h"
#include "memory.h"

/* Of its own size, so that a sanitizer sees a read behind it. */
static bool check(const char *bytes, size_t length, unsigned rules,
		  struct error *err)
{
	char *copy = malloc(length ? length : 1);
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	bool syntax, parsed;

	memcpy(copy, bytes, length);
	syntax = json_syntax("doc", copy, length, rules, err);
	parsed = json_parse(&document, "doc", copy, length,
			    rules | JSON_ALLOW_DUPLICATES, err);
	free(copy);
	assert_int_equal(syntax, parsed);
	return syntax;
}

static void expect_refused(const char *bytes, size_t length)
{
	struct error err = ERROR_INIT;

	if (check(bytes, length, JSON_ANY, &err))
		fail_msg("accepted: %.*s", (int)length, bytes);
	assert_int_equal(err.kind, ERROR_CONFIG);
	if (strncmp(err.text, "doc:", 4) ||
	    !strstr(err.text, ": not valid JSON: "))
		fail_msg("%s", err.text);
}

static void expect_accepted(const char *bytes, size_t length, unsigned rules)
{
	struct error err = ERROR_INIT;

	if (!check(bytes, length, rules, &err))
		fail_msg("%.*s: %s", (int)length, bytes, err.text);
}

static void what_is_json_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(json_valid); i++)
		expect_accepted(json_valid[i].bytes, json_valid[i].length,
				JSON_ANY);
}

static void what_is_not_json_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(json_invalid); i++)
		expect_refused(json_invalid[i].bytes, json_invalid[i].length);
}

/* A C string cannot hold NUL, nor UTF-8 half of a surrogate pair. */
static void what_no_string_of_ours_can_hold_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(json_not_ours); i++)
		expect_refused(json_not_ours[i].bytes, json_not_ours[i].length);
}

static void a_member_twice_is_refused_unless_allowed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(json_twice); i++) {
		const struct json_text *text = &json_twice[i];
		struct json_document document = JSON_DOCUMENT_INIT;
		struct error err = ERROR_INIT;

		expect_accepted(text->bytes, text->length, JSON_ANY);
		assert_false(json_parse(&document, "doc", text->bytes,
					text->length, JSON_ANY, &err));
		assert_non_null(strstr(err.text, "is there twice"));
	}
}

/* None of them is whole without its last byte but a number. */
static void a_document_cut_short_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(json_valid); i++) {
		const char *bytes = json_valid[i].bytes;
		size_t start = strspn(bytes, " \t\r\n");
		size_t length = json_valid[i].length;

		while (length && strchr(" \t\r\n", bytes[length - 1]))
			length--;
		if (!strchr("[{\"tfn", bytes[start]))
			continue;
		while (length--)
			expect_refused(bytes, length);
	}
}

static void one_byte_is_a_document_only_as_a_digit(void **state)
{
	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		char text = (char)byte;

		if (byte >= '0' && byte <= '9')
			expect_accepted(&text, 1, JSON_ANY);
		else
			expect_refused(&text, 1);
	}
}

static void control_characters_stand_in_no_string(void **state)
{
	char text[] = "[\"a?b\"]";

	(void)state;
	for (int byte = 0; byte < 0x20; byte++) {
		text[3] = (char)byte;
		expect_refused(text, sizeof(text) - 1);
	}
}

static void nine_letters_follow_a_backslash(void **state)
{
	char text[] = "[\"\\?0041\"]";

	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		text[3] = (char)byte;
		if (byte && strchr("\"\\/bfnrtu", byte))
			expect_accepted(text, sizeof(text) - 1, JSON_ANY);
		else
			expect_refused(text, sizeof(text) - 1);
	}
}

static void four_bytes_are_space(void **state)
{
	char text[] = "[?1]";

	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		bool more = byte == '-' || (byte > '0' && byte <= '9');

		text[1] = (char)byte;
		if (more || (byte && strchr(" \t\r\n", byte)))
			expect_accepted(text, sizeof(text) - 1, JSON_ANY);
		else
			expect_refused(text, sizeof(text) - 1);
	}
}

/* Open arrays or objects without end, and a hundred thousand of them. */
static void nesting_has_a_limit_and_needs_no_stack(void **state)
{
	static const struct {
		const char *open;
		unsigned rules;
	} cases[] = {
		{"[", JSON_ANY},
		{"[", JSON_DEEP},
		{"{\"a\":", JSON_ANY},
		{"[{\"\":", JSON_DEEP},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf text CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;

		for (int n = 0; n < 100000; n++)
			buf_text(&text, cases[i].open);
		assert_false(
			check(text.data, text.length, cases[i].rules, &err));
		assert_non_null(strstr(err.text, "nested deeper than"));
	}
}

static void bytes_beyond_the_length_are_not_read(void **state)
{
	(void)state;
	expect_accepted("[1]]", 3, JSON_ANY);
	expect_accepted("12x", 2, JSON_ANY);
	expect_refused("[1]", 2);
	expect_refused("true", 3);
	expect_refused("\"\\u0041\"", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_json_is_read),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(what_no_string_of_ours_can_hold_is_refused),
		cmocka_unit_test(a_member_twice_is_refused_unless_allowed),
		cmocka_unit_test(a_document_cut_short_is_refused),
		cmocka_unit_test(one_byte_is_a_document_only_as_a_digit),
		cmocka_unit_test(control_characters_stand_in_no_string),
		cmocka_unit_test(nine_letters_follow_a_backslash),
		cmocka_unit_test(four_bytes_are_space),
		cmocka_unit_test(nesting_has_a_limit_and_needs_no_stack),
		cmocka_unit_test(bytes_beyond_the_length_are_not_read),
	};

	return cmocka_run_group_tests_name("json documents", tests, NULL, NULL);
}
