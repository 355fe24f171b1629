#include "npmrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char *lookup(const char *name)
{
	if (!strcmp(name, "HOST"))
		return "proxy.example";
	if (!strcmp(name, "PASSWORD"))
		return "p#s;s";
	if (!strcmp(name, "EMPTY"))
		return "";
	return NULL;
}

static void expect(const char *text, const char *expected)
{
	char *found = npmrc_value(text, "proxy", lookup);

	if (expected && found)
		assert_string_equal(found, expected);
	else if (expected || found)
		fail_msg("%s: expected %s, found %s", text,
			 expected ? expected : "nothing",
			 found ? found : "nothing");
	free(found);
}

static void a_setting_is_found_however_it_is_written(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"proxy=http://a:1", "http://a:1"},
		{"proxy = http://a:1\n", "http://a:1"},
		{"\t proxy\t=\thttp://a:1 \r\n", "http://a:1"},
		{"\xef\xbb\xbfproxy=a", "a"},
		{"proxy=\"http://a:1\"", "http://a:1"},
		{"proxy='a b'", "a b"},
		{"\"proxy\"=a", "a"},
		{"x=1\n\nproxy=a\ny=2\n", "a"},
		{"proxy=a\nproxy=b\n", "b"},
		{"proxy=a=b", "a=b"},
		{"proxy=a ; b", "a"},
		{"proxy=a # b", "a"},
		{"proxy=a\\;b\\#c\\\\d", "a;b#c\\d"},
		{"proxy=\"a#b\"", "a#b"},
		{"proxy=C:\\dir\\file", "C:\\dir\\file"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(cases[i].text, cases[i].expected);
}

static void what_is_no_setting_is_not_found(void **state)
{
	static const char *const cases[] = {
		"",
		"\n\n",
		"proxy",
		"proxy=",
		"proxy=\"\"",
		"#proxy=a",
		";proxy=a",
		"  # proxy=a",
		"https-proxy=a",
		"proxy2=a",
		"Proxy=a",
		"[s]\nproxy=a",
		"x=proxy=a",
		"=a",
		"//host/:proxy=a",
		"proxy=#a",
		"proxy=a\nproxy=\n",
		"proxy[]=a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(cases[i], NULL);
}

static void variables_are_expanded(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"proxy=http://${HOST}:1", "http://proxy.example:1"},
		{"proxy=http://u:${PASSWORD}@${HOST}",
		 "http://u:p#s;s@proxy.example"},
		{"proxy=\"${HOST}\"", "proxy.example"},
		{"proxy=${NONE-a}", "a"},
		{"proxy=${NONE:-a:-b}", "a:-b"},
		{"proxy=${EMPTY-a}", "a"},
		{"proxy=${HOST-a}", "proxy.example"},
		{"proxy=x${NONE?}", "x"},
		{"proxy=$HOST", "$HOST"},
		{"proxy=a${", "a${"},
		{"proxy=a${HOST", "a${HOST"},
		{"proxy=a$", "a$"},
		{"proxy=\\${HOST}", "${HOST}"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(cases[i].text, cases[i].expected);
}

static void a_setting_that_needs_an_unset_variable_is_none(void **state)
{
	static const char *const cases[] = {
		"proxy=${NONE}",  "proxy=http://${NONE}:1", "proxy=${EMPTY}",
		"proxy=${}",      "proxy=${NONE-}",         "proxy=${HOST:x}",
		"proxy=${NONE?}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(cases[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_setting_is_found_however_it_is_written),
		cmocka_unit_test(what_is_no_setting_is_not_found),
		cmocka_unit_test(variables_are_expanded),
		cmocka_unit_test(
			a_setting_that_needs_an_unset_variable_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
