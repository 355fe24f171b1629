/* What reaches a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "log.h"

static void everything_a_terminal_could_act_on_is_escaped(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"plain text", "plain text"},
		{"caf\xc3\xa9 \xe2\x9c\x93", "caf\xc3\xa9 \xe2\x9c\x93"},
		{"a\x1b[31mred", "a\\x1b[31mred"},
		{"a\rb\nc\td", "a\\x0db\\x0ac\\x09d"},
		{"\xff\xfe", "\\xff\\xfe"},
		{"\xc0\xaf", "\\xc0\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{"\xe2\x80\xae"
		 "evil",
		 "\\xe2\\x80\\xaeevil"},
		{"\xc2\x9b"
		 "31m",
		 "\\xc2\\x9b31m"},
		{"cut \xe2\x9c", "cut \\xe2\\x9c"},
		{"\x7f", "\\x7f"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out CLEANUP(buf_release) = BUF_INIT;

		log_escape(&out, cases[i].text);
		assert_string_equal(out.data, cases[i].shown);
	}
}

static void a_url_is_shown_without_what_may_be_secret(void **state)
{
	static const struct {
		const char *url, *shown;
	} cases[] = {
		{"https://host/a/b", "https://host/a/b"},
		{"https://me:pw@host/a", "https://***@host/a"},
		{"https://me:p@w@host:8/a", "https://***@host:8/a"},
		{"https://host/a?token=x#y", "https://host/a?***"},
		{"https://host/a@b", "https://host/a@b"},
		{"host:80", "host:80"},
		{"me:pw@host:3128", "***@host:3128"},
		/* A server's Location need not be a URL at all. */
		{"//me:pw@host/a", "//***@host/a"},
		{"https:/me:pw@host/", "https:/***@host/"},
		{"https:\\\\me:pw@host/", "https:\\\\***@host/"},
		{"ht/..?tps://me:pw@host/", "ht/..?***"},
		{"#://@", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out CLEANUP(buf_release) = BUF_INIT;

		log_url(&out, cases[i].url);
		assert_string_equal(out.data, cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_a_terminal_could_act_on_is_escaped),
		cmocka_unit_test(a_url_is_shown_without_what_may_be_secret),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
