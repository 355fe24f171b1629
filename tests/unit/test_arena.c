#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>

#include "arena.h"
#include "attributes.h"

/* Each with bytes of its own, which are still there at the end. */
static void what_is_allocated_does_not_overlap(void **state)
{
	static unsigned char *given[5000];
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		given[i] = arena_allocate(&arena, i);
		assert_int_equal((uintptr_t)given[i] % alignof(max_align_t), 0);
		memset(given[i], (int)(i % 251), i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		for (size_t at = 0; at < i; at++)
			assert_int_equal(given[i][at], i % 251);
	}
	arena_release(&arena);
}

static void something_larger_than_a_chunk_fits(void **state)
{
	struct arena arena = ARENA_INIT;
	const size_t large = (size_t)5 << 20;
	char *before = arena_allocate(&arena, 1), *after;
	char *middle = arena_allocate(&arena, large);

	(void)state;
	after = arena_allocate(&arena, 1);
	*before = 'b';
	*after = 'a';
	memset(middle, 'm', large);
	assert_int_equal(*before, 'b');
	assert_int_equal(*after, 'a');
	arena_release(&arena);
}

static void it_can_be_used_again(void **state)
{
	struct arena arena = ARENA_INIT;

	(void)state;
	arena_release(&arena);
	memset(arena_allocate(&arena, 100), 1, 100);
	arena_release(&arena);
	memset(arena_allocate(&arena, 100), 2, 100);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_allocated_does_not_overlap),
		cmocka_unit_test(something_larger_than_a_chunk_fits),
		cmocka_unit_test(it_can_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
