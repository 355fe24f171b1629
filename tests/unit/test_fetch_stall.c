#include "fetch_stall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define WINDOW 1000
#define RATE   100

/* Moves `rate(t)` bytes a step of 10 ms; when does it count as stalled? */
static int64_t run(uint64_t (*at)(int64_t ms), int64_t until, uint64_t *recent)
{
	struct fetch_stall stall;

	fetch_stall_start(&stall, 0, 0);
	for (int64_t now = 10; now <= until; now += 10) {
		if (fetch_stall_look(&stall, now, at(now), WINDOW, RATE,
				     recent))
			return now;
	}
	return -1;
}

static uint64_t silent(int64_t ms)
{
	(void)ms;
	return 0;
}

static uint64_t slow_but_enough(int64_t ms)
{
	return (uint64_t)ms * RATE / 1000 + 2;
}

static uint64_t a_trickle(int64_t ms)
{
	return (uint64_t)ms / 1000;
}

static uint64_t fast_until_3_s(int64_t ms)
{
	return (uint64_t)(ms < 3000 ? ms : 3000) * 1000;
}

static uint64_t a_burst_every_900_ms(int64_t ms)
{
	return (uint64_t)(ms / 900) * 200;
}

static void silence_is_known_after_one_window(void **state)
{
	uint64_t recent = 7;

	(void)state;
	assert_int_equal(run(silent, 10000, &recent), WINDOW);
	assert_int_equal(recent, 0);
}

static void a_trickle_is_a_stall(void **state)
{
	uint64_t recent;

	(void)state;
	assert_in_range(run(a_trickle, 10000, &recent), WINDOW, WINDOW * 3 / 2);
}

static void what_stops_is_known_within_a_window_and_a_half(void **state)
{
	uint64_t recent;

	(void)state;
	assert_in_range(run(fast_until_3_s, 10000, &recent), 3000 + WINDOW,
			3000 + WINDOW * 3 / 2);
}

static void slow_and_bursting_transfers_go_on(void **state)
{
	uint64_t recent;

	(void)state;
	assert_int_equal(run(slow_but_enough, 60000, &recent), -1);
	assert_int_equal(run(a_burst_every_900_ms, 60000, &recent), -1);
}

static void a_program_that_slept_does_not_blame_the_server(void **state)
{
	struct fetch_stall stall;
	uint64_t recent;

	(void)state;
	fetch_stall_start(&stall, 0, 0);
	for (int64_t now = 0; now < 100000; now += WINDOW * 3 / 4)
		assert_false(fetch_stall_look(&stall, now, 0, WINDOW, RATE,
					      &recent));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_is_known_after_one_window),
		cmocka_unit_test(a_trickle_is_a_stall),
		cmocka_unit_test(
			what_stops_is_known_within_a_window_and_a_half),
		cmocka_unit_test(slow_and_bursting_transfers_go_on),
		cmocka_unit_test(
			a_program_that_slept_does_not_blame_the_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
