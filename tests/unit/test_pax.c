#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pax.h"

#define BYTES(text) text, sizeof(text) - 1

static void names_and_sizes_are_taken(void **state)
{
	static const char bytes[] = "12 path=a/b\n17 linkpath=../c\n"
				    "20 mtime=1234.56789\n19 size=1234567890\n"
				    "21 hdrcharset=BINARY\n";
	struct pax pax CLEANUP(pax_release) = PAX_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	if (!pax_parse(&pax, bytes, sizeof(bytes) - 1, &err))
		fail_msg("%s", err.text);
	assert_string_equal(pax.path, "a/b");
	assert_string_equal(pax.link, "../c");
	assert_true(pax.has_size);
	assert_int_equal(pax.size, 1234567890);
	assert_false(pax.sparse);
}

static void values_may_hold_anything_but_names_no_nul(void **state)
{
	struct pax pax CLEANUP(pax_release) = PAX_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(pax_parse(&pax, BYTES("21 SCHILY.xattr.x=\0\n\n"), &err));
	assert_true(pax_parse(&pax, BYTES("12 comment=\n"), &err));
	assert_true(pax_parse(&pax, BYTES("15 path=a=b c\n\n"), &err));
	assert_string_equal(pax.path, "a=b c\n");
}

static void every_mark_of_a_sparse_file_is_seen(void **state)
{
	static const char *const records[] = {
		"22 GNU.sparse.major=1\n",
		"22 GNU.sparse.map=0,5\n",
		"21 SCHILY.realsize=5\n",
		"18 SUN.holesdata=\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		struct pax pax CLEANUP(pax_release) = PAX_INIT;
		struct error err = ERROR_INIT;

		if (!pax_parse(&pax, records[i], strlen(records[i]), &err))
			fail_msg("%s%s", records[i], err.text);
		assert_true(pax.sparse);
	}
}

static void what_is_malformed_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} cases[] = {
		{BYTES("x")},
		{BYTES("12")},
		{BYTES(" path=a\n")},
		{BYTES("11 path=a\n")},
		{BYTES("8 path=a\n")},
		{BYTES("09 path=a\n")},
		{BYTES("-9 path=a\n")},
		{BYTES("9 path=ab")},
		{BYTES("5 ab\n")},
		{BYTES("5 =b\n")},
		{BYTES("3 \n")},
		{BYTES("2 ")},
		{BYTES("0 path=a\n")},
		{BYTES("10 path=a\n\n9 path=")},
		{BYTES("9 path=a\n9 path=b\n")},
		{BYTES("8 path=\n")},
		{BYTES("11 path=a\0b\n")},
		{BYTES("11 p\0th=abc\n")},
		{BYTES("8 size=\n")},
		{BYTES("10 size=-1\n")},
		{BYTES("27 size=999999999999999999999\n")},
		{BYTES("99999999999999999999999 path=a\n")},
		{BYTES("23 hdrcharset=ISO-8859\n")},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pax pax CLEANUP(pax_release) = PAX_INIT;
		struct error err = ERROR_INIT;

		if (pax_parse(&pax, cases[i].bytes, cases[i].length, &err))
			fail_msg("accepted: %s", cases[i].bytes);
		assert_int_equal(err.kind, ERROR_ARCHIVE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_sizes_are_taken),
		cmocka_unit_test(values_may_hold_anything_but_names_no_nul),
		cmocka_unit_test(every_mark_of_a_sparse_file_is_seen),
		cmocka_unit_test(what_is_malformed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
