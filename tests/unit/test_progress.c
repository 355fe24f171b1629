/* Sizes as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "attributes.h"
#include "progress.h"

static void bytes_are_shown_in_decimal_units(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *shown;
	} cases[] = {
		{0, "0 B"},
		{999, "999 B"},
		{1000, "1.0 KB"},
		{999499, "999 KB"},
		{999500, "1.0 MB"},
		{7408218, "7.4 MB"},
		{99949999, "99.9 MB"},
		{1234567890, "1.2 GB"},
		{UINT64_MAX, "18446744 TB"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[16];

		progress_bytes(text, cases[i].bytes);
		assert_string_equal(text, cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_shown_in_decimal_units),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
