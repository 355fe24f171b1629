#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "archive_bytes.h"
#include "fs.h"
#include "unpack.h"
#include "zip_check.h"

/* A stored entry "a" with "hello", a folder "d/", and the end. */
static const unsigned char sample[] =
	"PK\3\4\x14\0\0\0\0\0\0\0\x21\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0\1\0\0\0"
	"ahello"
	"PK\3\4\x14\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0d/"
	"PK\1\2\x1e\3\x14\0\0\0\0\0\0\0\x21\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0"
	"\1\0\0\0\0\0\0\0\0\0\0\0\xed\x81\0\0\0\0a"
	"PK\1\2\x1e\3\x14\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\2\0\0\0\0\0\0\0\0\0\0\0\xed\x41\x24\0\0\0d/"
	"PK\5\6\0\0\0\0\2\0\2\0\x5f\0\0\0\x44\0\0\0\0\0";

#define SAMPLE_SIZE (sizeof(sample) - 1)

static bool check(const void *bytes, size_t length, uint64_t entries,
		  struct members *members, struct error *err)
{
	struct buf copy CLEANUP(buf_release) = BUF_INIT;
	int file CLEANUP(fs_close) = -1;

	buf_append(&copy, bytes, length);
	file = file_of(&copy);
	return zip_check(file, entries, members, err);
}

static void members_are_what_the_directory_says(void **state)
{
	struct members members CLEANUP(members_release) = MEMBERS_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	if (!check(sample, SAMPLE_SIZE, 10, &members, &err))
		fail_msg("%s", err.text);
	assert_int_equal(members.count, 2);
	assert_string_equal(members.items[0].name, "a");
	assert_int_equal(members.items[0].kind, MEMBER_FILE);
	assert_int_equal(members.items[0].size, 5);
	assert_true(members.items[0].executable);
	assert_string_equal(members.items[1].name, "d/");
	assert_int_equal(members.items[1].kind, MEMBER_FOLDER);
	assert_int_equal(members.items[1].offset, 36);
}

static void entries_are_counted_before_anything_is_read(void **state)
{
	struct members members CLEANUP(members_release) = MEMBERS_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(check(sample, SAMPLE_SIZE, 1, &members, &err));
	assert_non_null(strstr(err.text, "2 entries, and 1 are allowed"));
}

static void an_archive_cut_anywhere_is_refused(void **state)
{
	(void)state;
	for (size_t length = 0; length < SAMPLE_SIZE; length++) {
		struct members members CLEANUP(members_release) = MEMBERS_INIT;
		struct error err = ERROR_INIT;

		assert_false(check(sample, length, 10, &members, &err));
		assert_int_equal(err.kind, ERROR_ARCHIVE);
	}
}

/* The bytes that no reader goes by: versions and times. */
static bool is_idle(size_t at)
{
	static const struct {
		size_t header;
		size_t fields[4]; /* 0: none */
	} idle[] = {
		{0, {4, 10, 12}},
		{36, {4, 10, 12}},
		{68, {6, 12, 14}},
		{115, {6, 12, 14}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		for (size_t j = 0; idle[i].fields[j]; j++) {
			if (at - idle[i].header - idle[i].fields[j] < 2)
				return true;
		}
	}
	return false;
}

/* Whatever is flipped: the same entries come out, or none. */
static void a_flipped_bit_changes_no_more_than_attributes(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (size_t bit = 0; bit < 8 * SAMPLE_SIZE; bit++) {
		struct tree tree CLEANUP(tree_release) = TREE_INIT;
		struct buf copy CLEANUP(buf_release) = BUF_INIT;
		struct unpack_limits limits = {.bytes = 100, .entries = 10};
		struct error err = ERROR_INIT;
		int file CLEANUP(fs_close) = -1;

		buf_append(&copy, sample, SAMPLE_SIZE);
		copy.data[bit / 8] ^= (char)(1 << bit % 8);
		file = file_of(&copy);
		if (!unpack_archive(file, "a.zip", ARCHIVE_ZIP, &limits, -1,
				    &tree, &err)) {
			assert_int_equal(err.kind, ERROR_ARCHIVE);
			if (is_idle(bit / 8))
				fail_msg("byte %zu: %s", bit / 8, err.text);
			refused++;
			continue;
		}
		assert_int_equal(tree.count, 2);
		assert_string_equal(tree.entries[0].path, "a");
		/* One bit of its mode makes a link of a file. */
		if (tree.entries[0].kind == TREE_LINK)
			assert_string_equal(tree.entries[0].link, "hello");
		else
			assert_int_equal(tree.entries[0].size, 5);
		assert_string_equal(tree.entries[1].path, "d");
	}
	assert_true(refused > 4 * SAMPLE_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_what_the_directory_says),
		cmocka_unit_test(entries_are_counted_before_anything_is_read),
		cmocka_unit_test(an_archive_cut_anywhere_is_refused),
		cmocka_unit_test(a_flipped_bit_changes_no_more_than_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
