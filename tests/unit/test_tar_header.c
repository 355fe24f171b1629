#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "archive_bytes.h"
#include "tar_header.h"

static void make_block(struct buf *out)
{
	tar_entry(out, TREE_FILE, "folder/name", "");
}

static bool parse(struct buf *block, struct tar_header *header,
		  struct error *err)
{
	tar_fix(block, 0);
	return tar_header_parse(header, (const unsigned char *)block->data,
				err);
}

static void a_header_says_what_was_written(void **state)
{
	struct buf block CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	struct tar_header header;

	(void)state;
	make_block(&block);
	assert_true(parse(&block, &header, &err));
	assert_string_equal(header.name, "folder/name");
	assert_string_equal(header.link, "");
	assert_int_equal(header.type, '0');
	assert_int_equal(header.size, 0);
	assert_int_equal(header.mode, 0644);
}

static void numbers_are_octal_or_of_base_256(void **state)
{
	static const struct {
		const char bytes[13];
		uint64_t value;
		bool fine;
	} cases[] = {
		{"00000000017\0", 15, true},
		{"        17 \0", 15, true},
		{"17\0\0\0\0\0\0\0\0\0\0", 15, true},
		{"777777777777", UINT64_C(0777777777777), true},
		{"\0\0\0\0\0\0\0\0\0\0\0\0", 0, true},
		{"\x80\0\0\0\0\0\0\x01\0\0\0\x02", (UINT64_C(1) << 32) + 2,
		 true},
		{"\x80\0\0\0\x10\0\0\0\0\0\0\0", UINT64_C(1) << 60, true},
		{"\x80\0\0\0\x40\0\0\0\0\0\0\0", 0, false},
		{"\x80\0\0\x01\0\0\0\0\0\0\0\0", 0, false},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 0, false},
		{"00000000018\0", 0, false},
		{"-0000000017\0", 0, false},
		{"1 7\0\0\0\0\0\0\0\0\0", 0, false},
		{"0x000000017\0", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf block CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;
		struct tar_header header;

		make_block(&block);
		memcpy(block.data + 124, cases[i].bytes, 12);
		if (parse(&block, &header, &err) != cases[i].fine)
			fail_msg("case %zu: %s", i, err.text);
		if (cases[i].fine)
			assert_int_equal(header.size, cases[i].value);
	}
}

static void a_name_of_all_256_bytes_is_whole(void **state)
{
	struct buf block CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	struct tar_header header;

	(void)state;
	make_block(&block);
	memset(block.data, 'n', 100);
	memset(block.data + 157, 'l', 100);
	memset(block.data + 345, 'p', 155);
	assert_true(parse(&block, &header, &err));
	assert_int_equal(strlen(header.name), 256);
	assert_int_equal(header.name[155], '/');
	assert_int_equal(strlen(header.link), 100);
}

static void only_ustar_has_a_prefix(void **state)
{
	static const struct {
		const char magic[9];
		const char *prefix;
		const char *name; /* NULL: refused */
	} cases[] = {
		{"ustar\0"
		 "00",
		 "prefix", "prefix/folder/name"},
		{"ustar  \0", "", "folder/name"},
		{"\0\0\0\0\0\0\0\0", "", "folder/name"},
		/* Readers differ in whether they look at the magic. */
		{"ustar  \0", "prefix", NULL},
		{"\0\0\0\0\0\0\0\0", "prefix", NULL},
		{"USTAR\0"
		 "00",
		 "", NULL},
		{"ustar 00", "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf block CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;
		struct tar_header header;
		bool fine;

		make_block(&block);
		memcpy(block.data + 257, cases[i].magic, 8);
		memcpy(block.data + 345, cases[i].prefix,
		       strlen(cases[i].prefix));
		fine = parse(&block, &header, &err);
		assert_int_equal(fine, cases[i].name != NULL);
		if (fine)
			assert_string_equal(header.name, cases[i].name);
	}
}

static void bytes_behind_a_nul_are_refused(void **state)
{
	static const size_t places[] = {50, 200};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct buf block CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;
		struct tar_header header;

		make_block(&block);
		block.data[places[i]] = 'x';
		assert_false(parse(&block, &header, &err));
		assert_non_null(strstr(err.text, "NUL"));
	}
}

static void a_flipped_bit_does_not_fit_the_checksum(void **state)
{
	struct buf block CLEANUP(buf_release) = BUF_INIT;
	struct tar_header header;

	(void)state;
	make_block(&block);
	for (size_t bit = 0; bit < 8 * 512; bit++) {
		struct error err = ERROR_INIT;
		unsigned char *byte = (unsigned char *)block.data + bit / 8;

		/* The checksum may have spaces for its zeros. */
		if (bit / 8 >= 148 && bit / 8 < 156)
			continue;
		*byte = (unsigned char)(*byte ^ 1u << bit % 8);
		assert_false(tar_header_parse(
			&header, (const unsigned char *)block.data, &err));
		*byte = (unsigned char)(*byte ^ 1u << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_says_what_was_written),
		cmocka_unit_test(numbers_are_octal_or_of_base_256),
		cmocka_unit_test(a_name_of_all_256_bytes_is_whole),
		cmocka_unit_test(only_ustar_has_a_prefix),
		cmocka_unit_test(bytes_behind_a_nul_are_refused),
		cmocka_unit_test(a_flipped_bit_does_not_fit_the_checksum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
