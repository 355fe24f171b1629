#include "noproxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

struct expectation {
	const char *list, *host;
	unsigned port;
};

static const struct expectation covered[] = {
	{"*", "example.com", 443},
	{"a, *", "example.com", 443},
	{"example.com", "example.com", 443},
	{"EXAMPLE.com", "example.COM", 443},
	{"example.com", "www.example.com", 443},
	{".example.com", "www.example.com", 443},
	{".example.com", "example.com", 443},
	{"*.example.com", "a.b.example.com", 443},
	{"com", "example.com", 443},
	{"a,example.com", "example.com", 443},
	{"a example.com b", "example.com", 443},
	{" ,, example.com ,", "example.com", 443},
	{"example.com.", "example.com", 443},
	{"example.com", "example.com.", 443},
	{"example.com:443", "example.com", 443},
	{".example.com:8443", "www.example.com", 8443},
	{"10.1.2.3", "10.1.2.3", 443},
	{"10.1.2.3:80", "10.1.2.3", 80},
	{"10.0.0.0/8", "10.255.2.3", 443},
	{"10.1.2.0/23", "10.1.3.255", 443},
	{"10.1.2.3/32", "10.1.2.3", 443},
	{"0.0.0.0/0", "10.1.2.3", 443},
	{"fd00::/8", "[fd12::1]", 443},
	{"[fd00::]/8", "[fd12::1]", 443},
	{"::1", "[::1]", 443},
	{"0:0:0:0:0:0:0:1", "[::1]", 443},
	{"[::1]", "::1", 443},
	{"[::1]:80", "[::1]", 80},
	{"[FD00::A]", "[fd00::a]", 443},
};

static const struct expectation proxied[] = {
	{NULL, "example.com", 443},
	{"", "example.com", 443},
	{",", "example.com", 443},
	{".", "example.com", 443},
	{"*.", "example.com", 443},
	{"example.co", "example.com", 443},
	{"ample.com", "example.com", 443},
	{"www.example.com", "example.com", 443},
	{"example.com", "example.com.evil.org", 443},
	{"example.com:80", "example.com", 443},
	{"example.com:", "example.com", 443},
	{"example.com:x", "example.com", 443},
	{"example.com:99999", "example.com", 443},
	{"*example.com", "example.com", 443},
	{"10.1.2.3", "10.1.2.33", 443},
	{"2.3", "10.1.2.3", 443},
	{"10.0.0.0/8", "11.0.0.0", 443},
	{"10.0.0.0/33", "10.0.0.0", 443},
	{"10.0.0.0/", "10.0.0.0", 443},
	{"10.0.0.0/x", "10.0.0.0", 443},
	{"10.1.2.0/23", "10.1.4.0", 443},
	{"10.0.0.0/8", "fd00::1", 443},
	{"fd00::/8", "10.0.0.1", 443},
	{"0.0.0.0/0", "example.com", 443},
	{"[::1]:80", "[::1]", 443},
	{"::2", "[::1]", 443},
	{"example.com", "", 443},
	{"example.com", ".", 443},
};

static void a_listed_host_is_reached_without_a_proxy(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(covered); i++) {
		if (!noproxy_covers(covered[i].list, covered[i].host,
				    covered[i].port))
			fail_msg("%s: %s:%u", covered[i].list, covered[i].host,
				 covered[i].port);
	}
}

static void another_host_is_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(proxied); i++) {
		if (noproxy_covers(proxied[i].list, proxied[i].host,
				   proxied[i].port))
			fail_msg("%s: %s:%u", proxied[i].list, proxied[i].host,
				 proxied[i].port);
	}
}

static void names_longer_than_any_host_match_nothing(void **state)
{
	char name[5000];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_false(noproxy_covers(name, name, 443));
	assert_false(noproxy_covers(name, "a", 443));
	assert_false(noproxy_covers("*", name, 443));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_listed_host_is_reached_without_a_proxy),
		cmocka_unit_test(another_host_is_not),
		cmocka_unit_test(names_longer_than_any_host_match_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
