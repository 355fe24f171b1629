/* Names near others, and lists that grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "list.h"

static void the_nearest_name_forgives_one_slip(void **state)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	(void)state;
	list_split(&names, "opencv,phonemizer,xnnpack,coreml,vulkan", ",");
	assert_string_equal(list_nearest(&names, "opnecv"), "opencv");
	assert_string_equal(list_nearest(&names, "xnnpak"), "xnnpack");
	assert_string_equal(list_nearest(&names, "vulcan"), "vulkan");
	assert_string_equal(list_nearest(&names, "core-ml"), "coreml");
}

static void a_name_far_from_all_has_no_nearest(void **state)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	(void)state;
	list_split(&names, "opencv,xnnpack", ",");
	assert_null(list_nearest(&names, "tensorflow"));
	assert_null(list_nearest(&names, ""));
}

static void splitting_drops_what_is_empty(void **state)
{
	struct list parts CLEANUP(list_release) = LIST_INIT;

	(void)state;
	list_split(&parts, ",,a, b,,", ", ");
	assert_int_equal(parts.count, 2);
	assert_string_equal(parts.items[0], "a");
	assert_string_equal(parts.items[1], "b");
}

static void a_list_of_many_items_keeps_all_of_them(void **state)
{
	struct list many CLEANUP(list_release) = LIST_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++)
		list_addf(&many, "%03d", 999 - i);
	list_sort(&many);
	assert_int_equal(many.count, 1000);
	assert_string_equal(many.items[0], "000");
	assert_string_equal(many.items[999], "999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_name_forgives_one_slip),
		cmocka_unit_test(a_name_far_from_all_has_no_nearest),
		cmocka_unit_test(splitting_drops_what_is_empty),
		cmocka_unit_test(a_list_of_many_items_keeps_all_of_them),
	};

	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
