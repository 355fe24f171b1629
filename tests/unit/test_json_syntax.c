/* The grammar check: what is JSON, what is not, and where it stumbles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "buf.h"
#include "json.h"

static bool check(const char *text, unsigned rules, struct error *err)
{
	return json_syntax("doc", text, strlen(text), rules, err);
}

static void json_is_accepted(void **state)
{
	static const char *const texts[] = {
		"null",
		"true",
		"false",
		"0",
		"-0",
		"-12",
		"1.5",
		"1e3",
		"1E+3",
		"0.1e-9",
		"\"\"",
		" \t\r\n[] \n",
		"{}",
		"[[],{},[1,2]]",
		"{\"a\":{\"b\":[null]}}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
		"\"\\ud834\\udd1e\"",
		"\"\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\x7F\"",
		"[0.00000000000000000000000000000000000000000000000000000000"
		"0000000000000000000000001]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct error err = ERROR_INIT;

		if (!check(texts[i], JSON_ANY, &err))
			fail_msg("%s: %s", texts[i], err.text);
	}
}

static void everything_else_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "doc:1:1: not valid JSON: expected a value, found the end "
		     "of the text"},
		{" \n ", "doc:2:2: "},
		{"nul", "doc:1:1: not valid JSON: expected a value, found 'n'"},
		{"True", "found 'T'"},
		{"NaN", "found 'N'"},
		{"01", "doc:1:1: not valid JSON: a number has a leading zero"},
		{"-", "expected a digit"},
		{"+1", "expected a value, found '+'"},
		{".5", "found '.'"},
		{"1.", "expected a digit behind the point"},
		{"1e", "expected the exponent's digits"},
		{"0x10", "expected the end of the text, found 'x'"},
		{"1 2",
		 "doc:1:3: not valid JSON: expected the end of the text"},
		{"[1,]", "doc:1:4: not valid JSON: a comma stands before ']'"},
		{"{\"a\":1,}", "doc:1:8: not valid JSON: a comma stands before "
			       "'}'"},
		{"[1", "expected a comma or ']', found the end of the text"},
		{"[1}", "expected a comma or ']', found '}'"},
		{"{\"a\":1]", "expected a comma or '}', found ']'"},
		{"[,]", "expected a value, found ','"},
		{"]", "expected a value, found ']'"},
		{"{a:1}", "expected a name in double quotes, found 'a'"},
		{"{'a':1}", "strings stand in double quotes"},
		{"{\"a\" 1}", "expected a colon behind the name, found '1'"},
		{"{\"a\":}", "expected a value, found '}'"},
		{"{\n  \"a\": 1 // one\n}",
		 "doc:2:10: not valid JSON: expected "
		 "a comma or '}', found '/' (JSON "
		 "has no comments)"},
		{"# x", "JSON has no comments"},
		{"\"a", "doc:1:1: not valid JSON: this string has no closing "
			"quote"},
		{"\"a\nb\"", "doc:1:3: not valid JSON: expected the string's "
			     "closing quote"},
		{"\"a\tb\"", "found the character U+0009"},
		{"\"\\x\"", "behind \\, found 'x'"},
		{"\"\\u12g4\"", "four hexadecimal digits behind \\u, found "
				"'g'"},
		{"\"\\u0000\"", "doc:1:2: not valid JSON: \\u0000 is not "
				"accepted"},
		{"{\"\\u0000\":1}", "\\u0000 is not accepted"},
		{"\"\\ud800\"", "half of a surrogate pair"},
		{"\"\\udc00\"", "half of a surrogate pair"},
		{"\"\\ud800\\u0041\"", "half of a surrogate pair"},
		{"\"\\ud800x\"", "half of a surrogate pair"},
		{"\"\xFF\"", "the byte 0xFF is not UTF-8"},
		{"\"\xC0\xAF\"", "the byte 0xC0 is not UTF-8"},
		{"\"\xED\xA0\x80\"", "the byte 0xED is not UTF-8"},
		{"\"\xF4\x90\x80\x80\"", "the byte 0xF4 is not UTF-8"},
		{"\"\xE2\x82\"", "the byte 0xE2 is not UTF-8"},
		{"\xC2\xA0{}", "doc:1:1: not valid JSON: expected a value, "
			       "found the character U+00A0"},
		{"\"\xC3\xA9\xC3\xA9\" x", "doc:1:6: "},
		{"\xEF\xBB\xBF{}", "byte order mark"},
		{"\xFF\xFE{", "save it as UTF-8"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;

		if (check(cases[i].text, JSON_ANY, &err))
			fail_msg("accepted: %s", cases[i].text);
		assert_int_equal(err.kind, ERROR_CONFIG);
		if (!strstr(err.text, cases[i].message))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void a_null_byte_is_refused(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(json_syntax("doc", "[\0]", 3, JSON_ANY, &err));
	assert_non_null(strstr(err.text, "U+0000"));
	assert_false(json_syntax("doc", "[1]\0", 4, JSON_ANY, &err));
	assert_false(json_syntax("doc", "\"\\\0\"", 4, JSON_ANY, &err));
}

static void own_formats_know_whole_numbers_only(void **state)
{
	static const char *const refused[] = {"1.0", "[1e3]", "0.5", "-1E0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct error err = ERROR_INIT;

		assert_true(check(refused[i], JSON_ANY, &err));
		assert_false(check(refused[i], JSON_WHOLE_NUMBERS, &err));
		assert_non_null(strstr(err.text, "expected a whole number"));
	}
}

static void a_byte_order_mark_is_skipped_where_allowed(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(check("\xEF\xBB\xBF{}", JSON_ALLOW_BOM, &err));
	assert_false(check("\xEF\xBB\xBF?", JSON_ALLOW_BOM, &err));
	assert_non_null(strstr(err.text, "doc:1:1: "));
	assert_false(check("\xEF\xBB\xBF\xEF\xBB\xBF{}", JSON_ALLOW_BOM, &err));
}

static void nesting_is_limited(void **state)
{
	static const struct {
		unsigned rules, limit;
	} cases[] = {
		{JSON_ANY, JSON_DEPTH_MAX},
		{JSON_DEEP, JSON_DEPTH_DEEP_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned more = 0; more < 2; more++) {
			unsigned depth = cases[i].limit + more;
			struct buf text CLEANUP(buf_release) = BUF_INIT;
			struct error err = ERROR_INIT;

			for (unsigned j = 0; j < depth; j++)
				buf_byte(&text, '[');
			for (unsigned j = 0; j < depth; j++)
				buf_byte(&text, ']');
			assert_int_equal(check(text.data, cases[i].rules, &err),
					 !more);
		}
	}
}

static void a_million_open_brackets_do_no_harm(void **state)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	memset(buf_reserve(&text, 1000000), '[', 1000000);
	text.length = 1000000;
	assert_false(
		json_syntax("doc", text.data, text.length, JSON_DEEP, &err));
	assert_non_null(strstr(err.text, "nested deeper than 512 levels"));
}

static void the_count_of_values_is_limited(void **state)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	buf_byte(&text, '[');
	for (unsigned i = 0; i < JSON_VALUES_MAX; i++)
		buf_text(&text, "1,");
	buf_text(&text, "1]");
	assert_false(check(text.data, JSON_ANY, &err));
	assert_non_null(strstr(err.text, "more than 262144 values"));
	assert_true(check(text.data, JSON_OWN, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_accepted),
		cmocka_unit_test(everything_else_is_refused_with_its_place),
		cmocka_unit_test(a_null_byte_is_refused),
		cmocka_unit_test(own_formats_know_whole_numbers_only),
		cmocka_unit_test(a_byte_order_mark_is_skipped_where_allowed),
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(a_million_open_brackets_do_no_harm),
		cmocka_unit_test(the_count_of_values_is_limited),
	};

	return cmocka_run_group_tests_name("json_syntax", tests, NULL, NULL);
}
