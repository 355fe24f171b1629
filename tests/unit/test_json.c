/* Typed reading: values, places in messages, duplicates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "json.h"

static struct json_document parse(const char *text)
{
	struct json_document document = JSON_DOCUMENT_INIT;
	struct error err = ERROR_INIT;

	if (!json_parse(&document, "package.json", text, strlen(text), JSON_ANY,
			&err))
		fail_msg("%s: %s", text, err.text);
	return document;
}

static void a_member_twice_is_refused_at_any_depth(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{\"a\":1,\"a\":1}", "package.json: $: the member \"a\" is "
				      "there twice"},
		{"{\"a\":1,\"b\":2,\"\\u0061\":3}", "the member \"a\""},
		{"[0,{\"x\":{\"b\":1,\"c\":[],\"b\":2}}]",
		 "package.json: $[1].x: the member \"b\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_document document = JSON_DOCUMENT_INIT;
		struct error err = ERROR_INIT;

		assert_false(json_parse(&document, "package.json",
					cases[i].text, strlen(cases[i].text),
					JSON_ANY, &err));
		assert_int_equal(err.kind, ERROR_CONFIG);
		if (!strstr(err.text, cases[i].message))
			fail_msg("%s", err.text);
	}
}

static void names_that_differ_in_case_are_two(void **state)
{
	struct json_document document CLEANUP(json_document_release) =
		parse("{\"a\":1,\"A\":2}");
	struct json root = json_root(&document);
	struct json upper = json_member(&root, "A");
	int64_t number = 0;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(json_count(&root), 2);
	assert_true(json_integer(&upper, 0, 9, &number, &err));
	assert_int_equal(number, 2);
}

static void a_huge_object_is_read_in_reasonable_time(void **state)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct error err = ERROR_INIT;
	struct json root;
	clock_t start = clock();
	size_t seen = 0;

	(void)state;
	buf_byte(&text, '{');
	for (int i = 0; i < 260000; i++)
		buf_printf(&text, "%s\"k%d\":[]", i ? "," : "", i);
	buf_byte(&text, '}');
	assert_true(json_parse(&document, "doc", text.data, text.length,
			       JSON_ANY, &err));
	root = json_root(&document);
	json_for_each (member, &root)
		seen += json_is_array(&member);
	assert_int_equal(seen, 260000);
	/* A quadratic walk takes minutes; a sanitizer's build some seconds. */
	assert_true((clock() - start) / CLOCKS_PER_SEC < 20);
}

static void values_are_read_by_type(void **state)
{
	struct json_document document CLEANUP(json_document_release) =
		parse("{\"s\":\"\\u00e9\\ud834\\udd1e\",\"t\":true,\"f\":false,"
		      "\"n\":-7,\"l\":[\"a\",\"b\"],\"null\":null}");
	struct json root = json_root(&document);
	struct json at;
	struct error err = ERROR_INIT;
	struct list list CLEANUP(list_release) = LIST_INIT;
	const char *text;
	bool flag;
	int64_t number;

	(void)state;
	assert_true(json_require(&root, "s", &at, &err));
	assert_true(json_string(&at, &text, &err));
	assert_string_equal(text, "\xC3\xA9\xF0\x9D\x84\x9E");
	at = json_member(&root, "t");
	assert_true(json_boolean(&at, &flag, &err) && flag);
	at = json_member(&root, "f");
	assert_true(json_boolean(&at, &flag, &err) && !flag);
	at = json_member(&root, "n");
	assert_true(json_is_number(&at));
	assert_true(json_integer(&at, -7, -7, &number, &err));
	assert_int_equal(number, -7);
	at = json_member(&root, "l");
	assert_true(json_strings(&at, &list, &err));
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[1], "b");
	at = json_member(&root, "null");
	assert_true(json_is_null(&at));
	at = json_member(&root, "absent");
	assert_null(at.node);
	assert_false(json_is_null(&at));
	assert_false(json_is_string(&at));
}

static void a_wrong_type_is_named_with_its_place(void **state)
{
	struct json_document document CLEANUP(json_document_release) =
		parse("{\"react-native-executorch\":{\"extras\":[\"a\",3]},"
		      "\"o\":{\"a b\":null},\"big\":1.5e300,"
		      "\"long\":\"0123456789012345678901234567890123456789"
		      "01234567890123456789012345678901234567890123456789\"}");
	struct json root = json_root(&document), at, block;
	struct list list CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;
	const char *text;
	bool flag;

	(void)state;
	block = json_member(&root, "react-native-executorch");
	at = json_member(&block, "extras");
	assert_false(json_strings(&at, &list, &err));
	assert_string_equal(err.text,
			    "package.json: $[\"react-native-executorch\"]."
			    "extras[1]: expected a string, found the number 3");
	assert_false(json_object(&at, &err));
	assert_non_null(strstr(err.text, "expected an object, found an array"));
	assert_false(json_array(&block, &err));
	assert_non_null(strstr(err.text, "expected an array, found an object"));
	block = json_member(&root, "o");
	at = json_member(&block, "a b");
	assert_false(json_string(&at, &text, &err));
	assert_string_equal(err.text, "package.json: $.o[\"a b\"]: expected a "
				      "string, found null");
	at = json_member(&root, "long");
	assert_false(json_boolean(&at, &flag, &err));
	assert_non_null(strstr(err.text, "found the string \"0123"));
	assert_non_null(strstr(err.text, "...\""));
	at = json_member(&root, "none");
	assert_false(json_string(&at, &text, &err));
	assert_string_equal(err.text, "package.json: $.none: expected a "
				      "string, found nothing");
	assert_false(json_require(&root, "none", &at, &err));
	assert_string_equal(err.text, "package.json: $: the member \"none\" is "
				      "missing");
}

static void integers_are_held_against_their_limits(void **state)
{
	static const struct {
		const char *text;
		bool fine;
		int64_t value;
	} cases[] = {
		{"[0]", true, 0},
		{"[-0]", true, 0},
		{"[9007199254740991]", true, JSON_INTEGER_MAX},
		{"[9007199254740992]", false, 0},
		{"[9007199254740993]", false, 0},
		{"[-1]", false, 0},
		{"[1.5]", false, 0},
		{"[1e400]", false, 0},
		{"[\"12\"]", false, 0},
		{"[true]", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_document document CLEANUP(json_document_release) =
			parse(cases[i].text);
		struct json root = json_root(&document);
		struct json at = json_first(&root);
		struct error err = ERROR_INIT;
		int64_t number = -1;

		assert_int_equal(
			json_integer(&at, 0, JSON_INTEGER_MAX, &number, &err),
			cases[i].fine);
		assert_int_equal(number, cases[i].fine ? cases[i].value : -1);
		if (!cases[i].fine)
			assert_non_null(strstr(
				err.text, "$[0]: expected a whole number from "
					  "0 to 9007199254740991, found "));
	}
}

static void numbers_of_any_length_are_read(void **state)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct error err = ERROR_INIT;
	struct json root, at;

	(void)state;
	buf_text(&text, "[\"1\\\"");
	for (int i = 0; i < 100; i++)
		buf_byte(&text, '1');
	buf_text(&text, "\",-");
	for (int i = 0; i < 500; i++)
		buf_byte(&text, '9');
	buf_text(&text, ",0.");
	for (int i = 0; i < 500; i++)
		buf_byte(&text, '3');
	buf_text(&text, ",7]");
	assert_true(json_parse(&document, "doc", text.data, text.length,
			       JSON_ANY, &err));
	root = json_root(&document);
	assert_int_equal(json_count(&root), 4);
	at = json_first(&root);
	assert_true(json_is_string(&at));
	at = json_next(&at);
	assert_true(json_is_number(&at));
	at = json_next(&at);
	assert_true(json_is_number(&at));
}

static void a_stranger_among_the_keys_is_named_with_the_nearest(void **state)
{
	static const char *const known[] = {"extras", "opencvPod", NULL};
	struct json_document document CLEANUP(json_document_release) =
		parse("[{\"extras\":1},{\"extra\":1},{\"zzzzzzzz\":1}]");
	struct json root = json_root(&document);
	struct json at = json_first(&root);
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(json_known_keys(&at, known, &err));
	at = json_next(&at);
	assert_false(json_known_keys(&at, known, &err));
	assert_string_equal(err.text,
			    "package.json: $[1]: the member \"extra\" is not "
			    "known (did you mean \"extras\"?); known are: "
			    "extras, opencvPod");
	at = json_next(&at);
	assert_false(json_known_keys(&at, known, &err));
	assert_string_equal(err.text, "package.json: $[2]: the member "
				      "\"zzzzzzzz\" is not known; known are: "
				      "extras, opencvPod");
	assert_false(json_known_keys(&root, known, &err));
}

static void paths_quote_what_is_no_plain_name(void **state)
{
	static const struct {
		const char *key, *path;
	} cases[] = {
		{"a", "$.a"},          {"a1_$", "$.a1_$"},
		{"1a", "$[\"1a\"]"},   {"", "$[\"\"]"},
		{"a.b", "$[\"a.b\"]"}, {"a\"b\\", "$[\"a\\\"b\\\\\"]"},
	};
	struct json root = {.document = "doc"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json at = {.parent = &root, .key = cases[i].key};
		struct buf path CLEANUP(buf_release) = BUF_INIT;

		json_path(&at, &path);
		assert_string_equal(path.data, cases[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_twice_is_refused_at_any_depth),
		cmocka_unit_test(names_that_differ_in_case_are_two),
		cmocka_unit_test(a_huge_object_is_read_in_reasonable_time),
		cmocka_unit_test(values_are_read_by_type),
		cmocka_unit_test(a_wrong_type_is_named_with_its_place),
		cmocka_unit_test(integers_are_held_against_their_limits),
		cmocka_unit_test(numbers_of_any_length_are_read),
		cmocka_unit_test(
			a_stranger_among_the_keys_is_named_with_the_nearest),
		cmocka_unit_test(paths_quote_what_is_no_plain_name),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
