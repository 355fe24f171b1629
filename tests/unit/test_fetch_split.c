#include "fetch_split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define MB ((uint64_t)1 << 20)

/* 8 MB at 4 MB/s, one of them there, 20 ms until the first byte. */
static const struct fetch_split_facts slow = {
	.size = 8 * MB,
	.at = 1 * MB,
	.end = 8 * MB,
	.moved = 1 * MB,
	.mark = {125, MB / 2},
	.running_ms = 250,
	.setup_ms = 20,
};

static void the_time_left_follows_from_the_rate(void **state)
{
	struct fetch_split_facts facts = slow;

	(void)state;
	assert_int_equal(fetch_split_left_ms(&facts), 1750);
	facts.end = 2 * MB;
	assert_int_equal(fetch_split_left_ms(&facts), 250);
	facts.at = facts.end;
	assert_int_equal(fetch_split_left_ms(&facts), -1);
}

static void a_rate_of_a_moment_says_nothing(void **state)
{
	struct fetch_split_facts facts = slow;

	(void)state;
	facts.running_ms = facts.mark.ms + 1;
	assert_int_equal(fetch_split_left_ms(&facts), -1);
	assert_int_equal(fetch_split_at(&facts), 0);
	facts = slow;
	facts.mark = (struct fetch_mark){0, 0};
	assert_int_equal(fetch_split_left_ms(&facts), -1);
	assert_int_equal(fetch_split_at(&facts), 0);
}

static void a_slow_connection_gives_away_the_second_half(void **state)
{
	struct fetch_split_facts facts = slow;

	(void)state;
	facts.setup_ms = 0;
	assert_int_equal(fetch_split_at(&facts), 4 * MB + MB / 2);
}

static void a_connection_that_begins_late_gets_less(void **state)
{
	struct fetch_split_facts facts = slow;
	uint64_t middle;

	(void)state;
	facts.setup_ms = 500; /* meanwhile 2 of the 7 MB arrive */
	middle = fetch_split_at(&facts);
	assert_in_range(middle, 5 * MB + MB / 2 - SPLIT_ALIGN,
			5 * MB + MB / 2 + SPLIT_ALIGN);
	facts.setup_ms = 875;
	assert_true(fetch_split_at(&facts) > middle);
	facts.setup_ms = 876;
	assert_int_equal(fetch_split_at(&facts), 0);
}

static void halves_begin_at_even_places_within_the_part(void **state)
{
	struct fetch_split_facts facts = slow;

	(void)state;
	for (facts.at = 1; facts.at < 7 * MB; facts.at += 99991) {
		uint64_t middle = fetch_split_at(&facts);

		if (!middle)
			continue;
		assert_int_equal(middle % SPLIT_ALIGN, 0);
		assert_true(middle > facts.at);
		assert_true(middle < facts.end);
		assert_true(middle - facts.at >= SPLIT_PART_MIN);
		assert_true(facts.end - middle + SPLIT_ALIGN >= SPLIT_PART_MIN);
	}
}

static void what_is_not_worth_a_request_stays_whole(void **state)
{
	struct fetch_split_facts facts = slow;

	(void)state;
	facts.moved = 100 * MB; /* 400 MB/s */
	facts.mark.moved = 50 * MB;
	assert_int_equal(fetch_split_at(&facts), 0);
	facts = slow;
	facts.size = SPLIT_FILE_MIN - 1;
	assert_int_equal(fetch_split_at(&facts), 0);
	facts = slow;
	facts.at = facts.end - 2 * SPLIT_PART_MIN + 1;
	facts.moved = 1000; /* however slow it is */
	facts.mark.moved = 500;
	assert_int_equal(fetch_split_at(&facts), 0);
}

static void sizes_near_the_end_of_numbers_are_safe(void **state)
{
	struct fetch_split_facts facts = slow;
	uint64_t middle;

	(void)state;
	facts.size = facts.end = (uint64_t)1 << 62;
	facts.moved = 1000;
	facts.mark.moved = 500;
	middle = fetch_split_at(&facts);
	assert_true(middle > facts.at);
	assert_true(middle < facts.end);
}

/*
 * A file of `size` bytes in bursts, `round` ms apart, each twice the one before
 * until `window`: at which of them is another connection thought of? 0: never.
 */
static unsigned first_split(uint64_t size, int64_t round, int64_t setup,
			    uint64_t window)
{
	struct fetch_split_facts facts = {
		.size = size, .end = size, .setup_ms = setup};
	uint64_t burst = 14600;

	for (unsigned i = 0; facts.at < size; i++) {
		uint64_t left = size - facts.at;

		facts.running_ms = (int64_t)i * round;
		if (i && fetch_split_at(&facts))
			return i;
		facts.at += burst < left ? burst : left;
		facts.moved = facts.at;
		fetch_mark_update(&facts.mark, facts.running_ms, setup,
				  facts.moved);
		if (burst < window)
			burst *= 2;
	}
	return 0;
}

static void a_connection_that_gathers_speed_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(first_split(6 * MB, 80, 160, UINT64_MAX), 0);
	assert_int_equal(first_split(200 * MB, 80, 80, UINT64_MAX), 0);
	assert_int_equal(first_split(6 * MB, 20, 40, UINT64_MAX), 0);
	/* Full speed in the third round, 730 KB/s: after some more. */
	assert_in_range(first_split(20 * MB, 80, 160, 58400), 4, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_left_follows_from_the_rate),
		cmocka_unit_test(a_rate_of_a_moment_says_nothing),
		cmocka_unit_test(a_slow_connection_gives_away_the_second_half),
		cmocka_unit_test(a_connection_that_begins_late_gets_less),
		cmocka_unit_test(halves_begin_at_even_places_within_the_part),
		cmocka_unit_test(what_is_not_worth_a_request_stays_whole),
		cmocka_unit_test(a_connection_that_gathers_speed_is_left_alone),
		cmocka_unit_test(sizes_near_the_end_of_numbers_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
