/* Which URLs are acceptable, and what they are taken apart into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory.h"
#include "url.h"

static void usable_urls_are_accepted(void **state)
{
	static const char *const urls[] = {
		"https://github.com",
		"https://github.com/",
		"HTTPS://GitHub.com/a/b",
		"https://h/a%20b/c?sig=x%2By&z=/:@",
		"https://h?x",
		"http://localhost:8080",
		"http://127.0.0.1:1/x",
		"http://[::1]:65535/x",
		"https://[2001:db8::1]",
		"https://a_b.example-x.org./p@q",
		"file:///tmp/release",
		"file:/tmp/release",
		"file://localhost/tmp",
		"file:///tmp/jos%C3%A9%20x",
		"file:///C:/release",
		"file:///",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		if (url_refused(urls[i]))
			fail_msg("%s: %s", urls[i], url_refused(urls[i]));
	}
}

static void other_urls_are_refused(void **state)
{
	static const struct {
		const char *url, *why;
	} cases[] = {
		{"", "no scheme"},
		{"github.com/x", "no scheme"},
		{"/tmp/x", "no scheme"},
		{"ftp://h/x", "another scheme"},
		{"javascript:alert(1)", "another scheme"},
		{"C:\\x", "another scheme"},
		{"://h", "another scheme"},
		{"https:", "no //"},
		{"https:/h", "no //"},
		{"https://", "no host"},
		{"https:///x", "no host"},
		{"https://:80/", "no host"},
		{"https://?x", "no host"},
		{"https://user@h/", "user name"},
		{"https://user:pw@h/", "user name"},
		{"https://h:80@evil/", "user name"},
		{"https://h\\@evil/", "holds one of"},
		{"https://h/a b", "space"},
		{"https://h/a\r\nHost: x", "control"},
		{"https://h/a\tb", "control"},
		{"https://h/\x7F", "control"},
		{"https://h/\xC3\xA9", "ASCII"},
		{"https://h\xC3\xA9/", "ASCII"},
		{"https://h/x#y", "fragment"},
		{"https://h/\"x\"", "holds one of"},
		{"https://h/{a,b}", "holds one of"},
		{"https://a$b/", "host of other"},
		{"https://a%2Fb/", "host of other"},
		{"https://h:x/", "port"},
		{"https://h:/", "port"},
		{"https://h:0/", "port"},
		{"https://h:080/", "port"},
		{"https://h:65536/", "port"},
		{"https://h:4294967376/", "port"},
		{"https://h:18446744073709551617/", "port"},
		{"https://h:80:80/", "port"},
		{"https://[::1/", "IPv6"},
		{"https://[]/", "IPv6"},
		{"https://[::g]/", "IPv6"},
		{"https://[::1]x/", "IPv6"},
		{"https://[:01]:8/", "IPv6"},
		{"https://[1::2::3]/", "IPv6"},
		{"file:", "absolute"},
		{"file:x", "absolute"},
		{"file://", "absolute"},
		{"file://localhost", "absolute"},
		{"file://server/share", "another host"},
		{"file://localhost:80/x", "another host"},
		{"file://u@localhost/x", "user name"},
		{"file:///a?b", "query"},
		{"file:///a%", "without two"},
		{"file:///a%2", "without two"},
		{"file:///a%zz", "without two"},
		{"file:///a%00b", "null byte"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *why = url_refused(cases[i].url);

		if (!why)
			fail_msg("accepted: %s", cases[i].url);
		if (!strstr(why, cases[i].why))
			fail_msg("%s: %s", cases[i].url, why);
	}
}

static void length_is_limited(void **state)
{
	char url[70000];

	(void)state;
	memset(url, 'x', sizeof(url));
	memcpy(url, "https://h/", 10);
	url[URL_LENGTH_MAX] = '\0';
	assert_null(url_refused(url));
	url[URL_LENGTH_MAX] = 'x';
	url[URL_LENGTH_MAX + 1] = '\0';
	assert_non_null(url_refused(url));
	url[URL_LENGTH_MAX + 1] = 'x';
	url[sizeof(url) - 1] = '\0';
	assert_non_null(url_refused(url));
}

static void schemes_are_told_apart(void **state)
{
	(void)state;
	assert_true(url_is_file("file:///x") && url_is_file("FILE:/x"));
	assert_false(url_is_file("https://file/"));
	assert_true(url_is_http("http://x") && url_is_http("HTTP://x"));
	assert_false(url_is_http("https://x") || url_is_http("x"));
}

static void loopback_is_recognised(void **state)
{
	static const struct {
		const char *url;
		bool loopback;
	} cases[] = {
		{"http://localhost", true},
		{"http://LocalHost:8080/x", true},
		{"http://127.0.0.1/", true},
		{"http://127.9.8.7:1", true},
		{"http://[::1]:80/", true},
		{"http://[0:0:0:0:0:0:0:1]/", true},
		{"http://localhost.evil.org/", false},
		{"http://127.0.0.1.evil.org/", false},
		{"http://127.1/", false},
		{"http://128.0.0.1/", false},
		{"http://[::2]/", false},
		{"http://[::ffff:1.2.3.4]/", false},
		{"http://evil.org/localhost", false},
		{"http://evil.org?@localhost", false},
		{"http://localhost@evil.org/", false},
		{"http://localhost:80@evil.org/", false},
		{"http://[::1]@evil.org/", false},
		{"file:///x", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (url_is_loopback(cases[i].url) != cases[i].loopback)
			fail_msg("%s", cases[i].url);
	}
}

static void origins_are_compared_by_scheme_host_and_port(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{"https://h/x", "https://H:443/y?z", true},
		{"http://h", "http://h:80/", true},
		{"http://[::1]:8080/a", "http://[::1]:8080/b", true},
		{"https://h", "http://h", false},
		{"https://h", "https://h:8443", false},
		{"https://h", "https://h.evil.org", false},
		{"https://h.org", "https://sub.h.org", false},
		{"http://h:443", "https://h", false},
		{"file:///a", "file:///b", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (url_same_origin(cases[i].a, cases[i].b) != cases[i].same)
			fail_msg("%s %s", cases[i].a, cases[i].b);
	}
}

static void only_github_over_https_is_github(void **state)
{
	static const struct {
		const char *url;
		bool github;
	} cases[] = {
		{"https://github.com/a/b", true},
		{"https://GITHUB.com:443/a", true},
		{"https://api.github.com/", true},
		{"http://github.com/", false},
		{"https://github.com.evil.org/", false},
		{"https://github.com@evil.org/", false},
		{"https://github.com:443@evil.org/", false},
		{"https://evil-github.com/", false},
		{"https://raw.github.com/", false},
		{"https://github.com:8443/", false},
		{"https://evil.org/github.com", false},
		{"https://objects.githubusercontent.com/", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (url_is_github(cases[i].url) != cases[i].github)
			fail_msg("%s", cases[i].url);
	}
}

static void a_file_url_gives_its_path(void **state)
{
	static const struct {
		const char *url, *path;
	} cases[] = {
		{"file:///tmp/a%20b", "/tmp/a b"},
		{"file:/tmp", "/tmp"},
		{"file://LOCALHOST/x%25y", "/x%y"},
		{"file:///jos%c3%A9", "/jos\xC3\xA9"},
		{"file:///a%0Ab", "/a\nb"},
		{"file:///a%00", NULL},
		{"file://other/x", NULL},
		{"https://h/x", NULL},
		{"file:///a%2", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path CLEANUP(memory_release) =
			url_file_path(cases[i].url);

		if (!cases[i].path)
			assert_null(path);
		else
			assert_string_equal(path, cases[i].path);
	}
}

static void joining_encodes_the_name_and_keeps_the_query(void **state)
{
	static const struct {
		const char *base, *name, *url;
	} cases[] = {
		{"https://h/r", "a-1.tar.gz", "https://h/r/a-1.tar.gz"},
		{"https://h/r/", "a", "https://h/r/a"},
		{"https://h", "a", "https://h/a"},
		{"https://h/r", "a b+c/%?#",
		 "https://h/r/a%20b%2Bc%2F%25%3F"
		 "%23"},
		{"https://h/r", "\xC3\xA9", "https://h/r/%C3%A9"},
		{"https://h/r?sig=1", "a", "https://h/r/a?sig=1"},
		{"https://h/r/?sig=1", "a", "https://h/r/a?sig=1"},
		{"file:///tmp", "a", "file:///tmp/a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *url CLEANUP(memory_release) =
			url_join(cases[i].base, cases[i].name);

		assert_string_equal(url, cases[i].url);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usable_urls_are_accepted),
		cmocka_unit_test(other_urls_are_refused),
		cmocka_unit_test(length_is_limited),
		cmocka_unit_test(schemes_are_told_apart),
		cmocka_unit_test(loopback_is_recognised),
		cmocka_unit_test(origins_are_compared_by_scheme_host_and_port),
		cmocka_unit_test(only_github_over_https_is_github),
		cmocka_unit_test(a_file_url_gives_its_path),
		cmocka_unit_test(joining_encodes_the_name_and_keeps_the_query),
	};

	return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
