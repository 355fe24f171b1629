#include "retry.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define NOW INT64_C(1700000000) /* Tue, 14 Nov 2023 22:13:20 GMT */

static void only_what_may_pass_is_tried_again(void **state)
{
	static const long again[] = {408, 425, 429, 500, 502, 503, 504};
	static const long final[] = {0,   100, 200, 206, 301, 304, 400,
				     401, 403, 404, 407, 410, 416, 451,
				     501, 505, 511, 999, -1};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(again); i++)
		assert_true(retry_status(again[i]));
	for (size_t i = 0; i < ARRAY_SIZE(final); i++)
		assert_false(retry_status(final[i]));
}

static void pauses_double_and_half_of_each_is_random(void **state)
{
	static const struct {
		unsigned next;
		int shortest, longest;
	} cases[] = {
		{0, 250, 500},      {1, 250, 500},
		{2, 250, 500},      {3, 500, 1000},
		{4, 1000, 2000},    {5, 2000, 4000},
		{8, 15000, 30000},  {9, 15000, 30000},
		{64, 15000, 30000}, {UINT_MAX, 15000, 30000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned next = cases[i].next;
		int middle = retry_pause_ms(next, UINT32_MAX / 2, -1);

		assert_int_equal(retry_pause_ms(next, 0, -1),
				 cases[i].shortest);
		assert_int_equal(retry_pause_ms(next, UINT32_MAX, -1),
				 cases[i].longest);
		assert_true(middle > cases[i].shortest);
		assert_true(middle < cases[i].longest);
	}
}

static void the_server_s_wish_is_honoured_and_capped(void **state)
{
	static const struct {
		int64_t wish;
		int expected;
	} cases[] = {
		{-1, 250},         {0, 250},           {250, 250},
		{2000, 2000},      {30000, 30000},     {30001, 30000},
		{86400000, 30000}, {INT64_MAX, 30000}, {INT64_MIN, 250},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(retry_pause_ms(2, 0, cases[i].wish),
				 cases[i].expected);
}

static void retry_after_is_seconds_or_a_date(void **state)
{
	static const struct {
		const char *value;
		int64_t expected;
	} cases[] = {
		{"0", 0},
		{"7", 7000},
		{"007", 7000},
		{"86400", 86400000},
		{"99999999999999999999999999", INT64_C(999999999000)},
		{"Tue, 14 Nov 2023 22:13:20 GMT", 0},
		{"Tue, 14 Nov 2023 22:13:25 GMT", 5000},
		{"Wed, 15 Nov 2023 22:13:20 GMT", 86400000},
		{"Tuesday, 14-Nov-23 22:13:25 GMT", 5000},
		{"Tue Nov 14 22:13:25 2023", 5000},
		{"Fri Dec  1 00:00:00 2023", INT64_C(1388800000)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(retry_after_ms(cases[i].value, NOW),
				 cases[i].expected);
}

static void a_retry_after_of_another_form_or_in_the_past_is_none(void **state)
{
	static const char *const cases[] = {
		"",
		"-1",
		"+5",
		"1.5",
		"5 seconds",
		" 5",
		"soon",
		"Tue, 14 Nov 2023 22:13:19 GMT",
		"Tue, 14 Nov 2023 22:13:25",
		"Tue, 14 Nov 2023 22:13:25 GMT+1",
		"Tue, 14 Nov 2023 25:13:25 GMT",
		"Tue, 14 Nov 2023 22:73:25 GMT",
		"Tue, 32 Nov 2023 22:13:25 GMT",
		"Tue, 00 Nov 2023 22:13:25 GMT",
		"Tue, 14 Foo 2023 22:13:25 GMT",
		"Tue, 14 Nov",
		"Tue,",
		",",
		", ",
		"Sunday, 06-Nov-94 08:49:37 GMT", /* 1994 */
		"Sun Nov  6 08:49:37 1994",
		"Sun Nov",
		"Sun ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(retry_after_ms(cases[i], NOW), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_may_pass_is_tried_again),
		cmocka_unit_test(pauses_double_and_half_of_each_is_random),
		cmocka_unit_test(the_server_s_wish_is_honoured_and_capped),
		cmocka_unit_test(retry_after_is_seconds_or_a_date),
		cmocka_unit_test(
			a_retry_after_of_another_form_or_in_the_past_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
