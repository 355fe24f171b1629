#include "fetch_redirect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void a_location_is_read_as_a_url_relative_to_the_last(void **state)
{
	static const struct {
		const char *url, *location, *expected;
	} cases[] = {
		{"https://a/b/c", "https://d/e", "https://d/e"},
		{"https://a/b/c", "/e", "https://a/e"},
		{"https://a/b/c", "e", "https://a/b/e"},
		{"https://a/b/c", "../e", "https://a/e"},
		{"https://a/b/c", "../../../e", "https://a/e"},
		{"https://a/b/c", "?q", "https://a/b/c?q"},
		{"https://a/b/c?x", "d?y=1&z", "https://a/b/d?y=1&z"},
		{"https://a/b", "//d:8443/e", "https://d:8443/e"},
		{"https://a/b", "https://d/e#f", "https://d/e"},
		{"https://a/b", "HTTPS://d/e", "https://d/e"},
		{"http://a/b", "https://d/e", "https://d/e"},
		{"http://a/b", "http://d/e", "http://d/e"},
		{"https://[::1]:1/b", "c", "https://[::1]:1/c"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		char *url =
			fetch_redirect(cases[i].url, cases[i].location, &err);

		if (!url)
			fail_msg("%s: %s", cases[i].location, err.text);
		else
			assert_string_equal(url, cases[i].expected);
		free(url);
	}
}

static void a_location_that_leads_astray_is_refused(void **state)
{
	static const struct {
		const char *url, *location, *why;
	} cases[] = {
		{"https://a/b", NULL, "no Location"},
		{"https://a/b", "", "no Location"},
		{"https://a/b", "http://a/b", "from https to http"},
		{"https://a/b", "HTTP://d/b", "from https to http"},
		{"https://a/b", "file:///etc/passwd", "only https and http"},
		{"http://a/b", "file:///etc/passwd", "only https and http"},
		{"https://a/b", "ftp://d/b", "only https and http"},
		{"https://a/b", "data:text/plain,x", "is refused"},
		{"https://a/b", "javascript:alert(1)", "is refused"},
		{"https://a/b", "https://u@d/e", "user name"},
		{"https://a/b", "https://u:secret@d/e", "***@d"},
		{"https://a/b", "//u:secret@d/e", "user name"},
		{"https://a/b", "https://:secret@d/e", "password"},
		{"https://a/b", "https://d:99999/e", "is refused"},
		{"https://a/b", "https://[::1/e", "is refused"},
		{"https://a/b", "https://d e/f", "is refused"},
		{"https://a/b", "https://", "is refused"},
		{"https://a/b", "https://d/\x01", "is refused"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		char *url =
			fetch_redirect(cases[i].url, cases[i].location, &err);

		if (url)
			fail_msg("%s -> %s", cases[i].location, url);
		assert_int_equal(err.kind, ERROR_NETWORK);
		if (!strstr(err.text, cases[i].why))
			fail_msg("%s", err.text);
		assert_null(strstr(err.text, "secret"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_location_is_read_as_a_url_relative_to_the_last),
		cmocka_unit_test(a_location_that_leads_astray_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
