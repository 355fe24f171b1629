/* Strings that are there once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "attributes.h"
#include "set.h"

static void what_was_added_is_found_and_nothing_else(void **state)
{
	struct set set CLEANUP(set_release) = SET_INIT;
	char text[32];

	(void)state;
	assert_false(set_has(&set, "a"));
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "folder/%d", i);
		assert_true(set_add(&set, text));
		assert_false(set_add(&set, text));
	}
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof(text), "folder/%d", i);
		assert_int_equal(set_has(&set, text), i < 5000);
	}
	assert_int_equal(set.count, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_found_and_nothing_else),
	};

	return cmocka_run_group_tests_name("set", tests, NULL, NULL);
}
