#include "place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory.h"

static void a_path_is_seen_from_its_base(void **state)
{
	static const struct {
		const char *base, *path, *expected;
	} cases[] = {
		{"/a/b", "/x", "/x"},
		{"/a/b", "x", "/a/b/x"},
		{"/a/b", "", "/a/b"},
		{"/a/b", ".", "/a/b"},
		{"/a/b", "./", "/a/b"},
		{"/a/b", "././x", "/a/b/x"},
		{"/a/b", ".//x", "/a/b/x"},
		{"/a/b", "..", "/a"},
		{"/a/b", "../", "/a"},
		{"/a/b", "../x", "/a/x"},
		{"/a/b", "../../../x", "/x"},
		{"/a/b", "./../x/../y", "/a/x/../y"},
		{"/a/b", ".x", "/a/b/.x"},
		{"/a/b", "..x", "/a/b/..x"},
		{"/a/b", "...", "/a/b/..."},
		{"/", "x", "/x"},
		{"/", "..", "/"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *found CLEANUP(memory_release) =
			place_absolute(cases[i].base, cases[i].path);

		assert_string_equal(found, cases[i].expected);
	}
}

static void climbing_ends_at_the_root(void **state)
{
	char *path CLEANUP(memory_release) = memory_string("/a/b");

	(void)state;
	assert_true(place_up(path));
	assert_string_equal(path, "/a");
	assert_true(place_up(path));
	assert_string_equal(path, "/");
	assert_false(place_up(path));
	assert_string_equal(path, "/");
}

static void what_lies_in_node_modules_is_installed(void **state)
{
	(void)state;
	assert_true(place_is_installed("/app/node_modules/x"));
	assert_true(place_is_installed("/r/.yarn/unplugged/x/node_modules/x"));
	assert_true(place_is_installed("/app/node_modules"));
	assert_true(place_is_installed("node_modules/x"));
	assert_false(place_is_installed("/app/my_node_modules/x"));
	assert_false(place_is_installed("/app/node_modules2"));
	assert_false(place_is_installed("/"));
}

static void a_path_below_its_base_is_relative(void **state)
{
	(void)state;
	assert_string_equal(place_below("/a", "/a/b/c"), "b/c");
	assert_string_equal(place_below("/", "/a"), "a");
	assert_string_equal(place_below("/a", "/ab"), "/ab");
	assert_string_equal(place_below("/a", "/a"), "/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_seen_from_its_base),
		cmocka_unit_test(climbing_ends_at_the_root),
		cmocka_unit_test(what_lies_in_node_modules_is_installed),
		cmocka_unit_test(a_path_below_its_base_is_relative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
