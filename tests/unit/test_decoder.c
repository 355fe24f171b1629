#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "archive_bytes.h"
#include "decoder.h"
#include "fs.h"
#include "gzip_frame.h"
#include "memory.h"
#include "source.h"

/* Everything that comes out, or the error. */
static bool decode(const struct buf *file_bytes, enum archive_format format,
		   struct buf *out, struct error *err)
{
	struct decoder *decoder CLEANUP(decoder_close) = NULL;
	int file CLEANUP(fs_close) = file_of(file_bytes);

	if (!decoder_open(&decoder, file, format, err))
		return false;
	for (;;) {
		const void *bytes;
		size_t length;

		if (!decoder_read(decoder, &bytes, &length, err))
			return false;
		if (!length)
			return true;
		if (out)
			buf_append(out, bytes, length);
	}
}

static void expect_refused(const struct buf *bytes, enum archive_format format,
			   const char *text)
{
	struct error err = ERROR_INIT;

	if (decode(bytes, format, NULL, &err))
		fail_msg("accepted, and \"%s\" was expected", text);
	assert_int_equal(err.kind, ERROR_ARCHIVE);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
}

static void expect_bytes(const struct buf *bytes, enum archive_format format,
			 const struct buf *plain)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	if (!decode(bytes, format, &out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(out.length, plain->length);
	assert_memory_equal(out.data, plain->data, plain->length);
}

/* Bytes that compress to about `percent` of their length. */
static void fill(struct buf *plain, size_t length, unsigned percent)
{
	uint32_t random = 12345;

	for (size_t i = 0; i < length; i++) {
		random = random * 1664525 + 1013904223;
		buf_byte(plain, random >> 8 & 0xff && random % 100 >= percent
					? 'x'
					: (char)(random >> 24));
	}
}

static void what_was_compressed_comes_out(void **state)
{
	static const size_t lengths[] = {0,      1,      511,    512,    65536,
					 262143, 262144, 262145, 3000000};
	static const unsigned percents[] = {0, 30, 100};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(percents); j++) {
			struct buf plain CLEANUP(buf_release) = BUF_INIT;
			struct buf gzip CLEANUP(buf_release) = BUF_INIT;
			struct buf zstd CLEANUP(buf_release) = BUF_INIT;

			fill(&plain, lengths[i], percents[j]);
			gzip_of(&gzip, &plain);
			zstd_of(&zstd, &plain, 3, 0);
			expect_bytes(&gzip, ARCHIVE_TAR_GZ, &plain);
			expect_bytes(&zstd, ARCHIVE_TAR_ZST, &plain);
		}
	}
}

/* A member whose last byte is number `length`, by a long name in its header. */
static void pad_gzip(struct buf *out, const struct buf *gzip, size_t length)
{
	size_t name = length - gzip->length - 1;

	assert_true(length > gzip->length && name < GZIP_HEADER_MAX / 2);
	buf_append(out, "\x1f\x8b\x08\x08\0\0\0\0\0\x03", 10);
	memset(buf_reserve(out, name), 'n', name);
	out->length += name;
	buf_byte(out, '\0');
	buf_append(out, gzip->data + 10, gzip->length - 10);
}

/* The inflater reads ahead, from what may be two blocks of input. */
static void a_trailer_may_lie_across_blocks_of_input(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf gzip CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	fill(&plain, 160000, 45);
	gzip_of(&gzip, &plain);
	for (size_t behind = 0; behind < 32; behind++) {
		struct buf padded CLEANUP(buf_release) = BUF_INIT;

		pad_gzip(&padded, &gzip, SOURCE_BLOCK + behind);
		expect_bytes(&padded, ARCHIVE_TAR_GZ, &plain);
		padded.data[padded.length - 8] ^= 1;
		expect_refused(&padded, ARCHIVE_TAR_GZ, "CRC");
	}
}

static void every_optional_gzip_field_is_skipped(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf gzip CLEANUP(buf_release) = BUF_INIT;
	struct buf full CLEANUP(buf_release) = BUF_INIT;
	uint32_t crc;

	(void)state;
	fill(&plain, 5000, 30);
	gzip_of(&gzip, &plain);
	buf_append(&full, "\x1f\x8b\x08\x1e\0\0\0\0\0\x03", 10);
	buf_append(&full, "\x05\0extra", 7);
	buf_append(&full, "name\0comment", 13);
	crc = (uint32_t)crc32(0, (unsigned char *)full.data,
			      (unsigned)full.length);
	buf_byte(&full, (char)(crc & 0xff));
	buf_byte(&full, (char)(crc >> 8 & 0xff));
	buf_append(&full, gzip.data + 10, gzip.length - 10);
	expect_bytes(&full, ARCHIVE_TAR_GZ, &plain);
	full.data[12] ^= 1;
	expect_refused(&full, ARCHIVE_TAR_GZ, "header does not fit");
}

static void a_wrong_crc_or_length_is_refused(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf gzip CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	fill(&plain, 5000, 30);
	gzip_of(&gzip, &plain);
	gzip.data[gzip.length - 5] ^= 1;
	expect_refused(&gzip, ARCHIVE_TAR_GZ, "CRC");
	gzip.data[gzip.length - 5] ^= 1;
	gzip.data[gzip.length - 4] ^= 1;
	expect_refused(&gzip, ARCHIVE_TAR_GZ, "length is");
}

static void nothing_may_follow_the_stream(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf gzip CLEANUP(buf_release) = BUF_INIT;
	struct buf zstd CLEANUP(buf_release) = BUF_INIT;
	size_t gzip_length, zstd_length;

	(void)state;
	fill(&plain, 5000, 30);
	gzip_of(&gzip, &plain);
	gzip_length = gzip.length;
	zstd_of(&zstd, &plain, 3, 0);
	zstd_length = zstd.length;

	buf_byte(&gzip, '\0');
	expect_refused(&gzip, ARCHIVE_TAR_GZ, "more bytes behind the gzip");
	gzip.length = gzip_length;
	gzip_of(&gzip, &plain);
	expect_refused(&gzip, ARCHIVE_TAR_GZ, "second gzip member");

	buf_byte(&zstd, '\0');
	expect_refused(&zstd, ARCHIVE_TAR_ZST, "more bytes behind the zstd");
	zstd.length = zstd_length;
	zstd_of(&zstd, &plain, 3, 0);
	expect_refused(&zstd, ARCHIVE_TAR_ZST, "more bytes behind the zstd");
	zstd.length = zstd_length;
	buf_append(&zstd, "\x50\x2a\x4d\x18\x04\0\0\0skip", 12);
	expect_refused(&zstd, ARCHIVE_TAR_ZST, "more bytes behind the zstd");
}

static void a_skippable_frame_in_front_is_refused(void **state)
{
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	struct buf plain CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	fill(&plain, 100, 30);
	buf_append(&bytes, "\x50\x2a\x4d\x18\x04\0\0\0skip", 12);
	zstd_of(&bytes, &plain, 3, 0);
	expect_refused(&bytes, ARCHIVE_TAR_ZST, "a zstd stream was expected");
}

static void a_stream_cut_anywhere_is_refused(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf gzip CLEANUP(buf_release) = BUF_INIT;
	struct buf zstd CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	fill(&plain, 2000, 20);
	gzip_of(&gzip, &plain);
	zstd_of(&zstd, &plain, 3, 0);
	while (gzip.length--)
		assert_false(decode(&gzip, ARCHIVE_TAR_GZ, NULL, &err));
	while (zstd.length--)
		assert_false(decode(&zstd, ARCHIVE_TAR_ZST, NULL, &err));
}

/* Flags, times and the system byte of a gzip header carry no content. */
static void a_flipped_bit_never_gives_other_bytes(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf gzip CLEANUP(buf_release) = BUF_INIT;
	struct buf zstd CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	fill(&plain, 2000, 20);
	gzip_of(&gzip, &plain);
	zstd_of(&zstd, &plain, 3, 0);
	for (size_t i = 0; i < 8 * gzip.length + 8 * zstd.length; i++) {
		bool is_gzip = i < 8 * gzip.length;
		struct buf *bytes = is_gzip ? &gzip : &zstd;
		size_t bit = is_gzip ? i : i - 8 * gzip.length;
		struct buf out CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;

		bytes->data[bit / 8] ^= (char)(1 << bit % 8);
		if (decode(bytes, is_gzip ? ARCHIVE_TAR_GZ : ARCHIVE_TAR_ZST,
			   &out, &err)) {
			assert_int_equal(out.length, plain.length);
			assert_memory_equal(out.data, plain.data, out.length);
		} else {
			assert_int_equal(err.kind, ERROR_ARCHIVE);
		}
		bytes->data[bit / 8] ^= (char)(1 << bit % 8);
	}
}

static void a_window_over_32_mb_is_refused(void **state)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	struct buf small CLEANUP(buf_release) = BUF_INIT;
	struct buf large CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	fill(&plain, 1000, 20);
	/* Magic, no flags, a window descriptor of 2^(10+n), one raw block. */
	buf_append(&small, "\x28\xb5\x2f\xfd\0\x78\x41\x1f\0", 9);
	buf_append(&small, plain.data, plain.length);
	small.data[6] = (char)(1 | (plain.length << 3 & 0xff));
	small.data[7] = (char)(plain.length >> 5);
	expect_bytes(&small, ARCHIVE_TAR_ZST, &plain);
	buf_append(&large, small.data, small.length);
	large.data[5] = (char)0x80;
	expect_refused(&large, ARCHIVE_TAR_ZST, "more than the 32 MB");
}

static void another_format_is_named(void **state)
{
	static const struct {
		enum archive_format format;
		const char *bytes;
		const char *text;
	} cases[] = {
		{ARCHIVE_TAR_GZ, "", "the file is empty"},
		{ARCHIVE_TAR_ZST, "", "the file is empty"},
		{ARCHIVE_TAR_GZ, "<!DOCTYPE html>\n<p>404",
		 "a page of HTML or XML (it begins with \"<!DOCTYPE html>."},
		{ARCHIVE_TAR_ZST, "{\"error\": 1}", "JSON"},
		{ARCHIVE_TAR_GZ, "Rar!\x1a\x07", "a rar file"},
		{ARCHIVE_TAR_GZ, "7z\xbc\xaf\x27\x1c", "a 7z file"},
		{ARCHIVE_TAR_GZ, "PK\x03\x04", "a zip file"},
		{ARCHIVE_TAR_ZST, "\x1f\x8b\x08", "a gzip file"},
		{ARCHIVE_TAR_GZ, "\x28\xb5\x2f\xfd", "a zstd file"},
		{ARCHIVE_TAR_GZ, "070701abc", "a cpio file"},
		{ARCHIVE_TAR_GZ, "\x1f", "something else"},
		{ARCHIVE_TAR_GZ, "\x1f\x8b", "cut short"},
		{ARCHIVE_TAR_GZ, "\x1f\x8b\x07", "cut short"},
		{ARCHIVE_TAR_GZ, "\x1f\x8b\x08\xff\x01\x01\x01\x01\x01\x01",
		 "not defined"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf bytes CLEANUP(buf_release) = BUF_INIT;

		buf_text(&bytes, cases[i].bytes);
		expect_refused(&bytes, cases[i].format, cases[i].text);
	}
}

static void an_endless_gzip_header_is_refused(void **state)
{
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	buf_append(&bytes, "\x1f\x8b\x08\x08\0\0\0\0\0\x03", 10);
	memset(buf_reserve(&bytes, 1 << 20), 'n', 1 << 20);
	bytes.length += 1 << 20;
	expect_refused(&bytes, ARCHIVE_TAR_GZ, "larger than 64 KB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_compressed_comes_out),
		cmocka_unit_test(a_trailer_may_lie_across_blocks_of_input),
		cmocka_unit_test(every_optional_gzip_field_is_skipped),
		cmocka_unit_test(a_wrong_crc_or_length_is_refused),
		cmocka_unit_test(nothing_may_follow_the_stream),
		cmocka_unit_test(a_skippable_frame_in_front_is_refused),
		cmocka_unit_test(a_stream_cut_anywhere_is_refused),
		cmocka_unit_test(a_flipped_bit_never_gives_other_bytes),
		cmocka_unit_test(a_window_over_32_mb_is_refused),
		cmocka_unit_test(another_format_is_named),
		cmocka_unit_test(an_endless_gzip_header_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
