#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "archive_bytes.h"
#include "memory.h"
#include "tar_group.h"
#include "tar_scan.h"

/* What was found, a line an entry. */
static bool scan(const struct buf *tar, size_t step, struct buf *found,
		 struct error *err)
{
	struct tar_scan *scan CLEANUP(tar_scan_free) = tar_scan_start();
	struct member member;

	for (size_t at = 0; at < tar->length; at += step) {
		size_t left = tar->length - at;

		if (!tar_scan_feed(scan, tar->data + at,
				   step < left ? step : left, err))
			return false;
	}
	if (!tar_scan_finish(scan, err))
		return false;
	while (tar_scan_next(scan, &member)) {
		buf_printf(found, "%d %s %s %llu at %llu\n", (int)member.kind,
			   member.name, member.link ? member.link : "-",
			   (unsigned long long)member.size,
			   (unsigned long long)member.offset);
		member_release(&member);
	}
	return true;
}

static void make_sample(struct buf *tar)
{
	char *path CLEANUP(memory_release) = memory_allocate(301);

	memset(path, 'p', 300);
	tar_entry(tar, TREE_FILE, "first", "one");
	tar_entry(tar, TREE_FOLDER, "folder", NULL);
	tar_entry(tar, TREE_LINK, "folder/link", "../first");
	tar_entry(tar, TREE_FILE, "empty", "");
	tar_entry(tar, TREE_FILE, path, "long");
	tar_end(tar);
}

static void bytes_may_come_in_any_pieces(void **state)
{
	static const char beginning[] = "0 first - 3 at 0\n"
					"1 folder - 0 at 1024\n"
					"2 folder/link ../first 0 at 1536\n"
					"0 empty - 0 at 2048\n"
					"0 ppp";
	static const size_t steps[] = {1, 7, 511, 512, 513, 1024, 100000};
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct buf whole CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	make_sample(&tar);
	assert_true(scan(&tar, tar.length, &whole, &err));
	assert_int_equal(strncmp(whole.data, beginning, strlen(beginning)), 0);
	assert_non_null(strstr(whole.data, "p - 4 at 2560\n"));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct buf found CLEANUP(buf_release) = BUF_INIT;

		if (!scan(&tar, steps[i], &found, &err))
			fail_msg("%s", err.text);
		assert_string_equal(found.data, whole.data);
	}
}

static void an_archive_cut_anywhere_is_refused(void **state)
{
	struct buf tar CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	make_sample(&tar);
	while (tar.length--) {
		struct buf found CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;

		assert_false(scan(&tar, 512, &found, &err));
		assert_int_equal(err.kind, ERROR_ARCHIVE);
	}
}

static void only_known_types_pass(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		struct buf tar CLEANUP(buf_release) = BUF_INIT;
		struct buf found CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;
		bool known = !type || strchr("01257", (int)type);

		tar_entry(&tar, TREE_LINK, "entry", "target");
		tar.data[156] = (char)type;
		tar_fix(&tar, 0);
		tar_end(&tar);
		if (scan(&tar, 512, &found, &err) != known)
			fail_msg("type %u: %s", type, err.text);
	}
}

static void a_header_may_not_be_larger_than_the_limit(void **state)
{
	(void)state;
	for (uint64_t more = 0; more < 2; more++) {
		struct buf tar CLEANUP(buf_release) = BUF_INIT;
		struct buf found CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;
		size_t size = TAR_GROUP_BODY_MAX + more;

		tar_entry(&tar, TREE_FILE, "PaxHeader", "");
		snprintf(tar.data + 124, 12, "%011zo", size);
		tar.data[156] = 'x';
		tar_fix(&tar, 0);
		buf_printf(&tar, "%zu comment=", size);
		while (tar.length < 512 + size - 1)
			buf_byte(&tar, 'c');
		buf_byte(&tar, '\n');
		tar_zeros(&tar, (512 - size % 512) % 512);
		tar_entry(&tar, TREE_FILE, "file", "");
		tar_end(&tar);
		if (scan(&tar, 65536, &found, &err) != !more)
			fail_msg("%s", err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_may_come_in_any_pieces),
		cmocka_unit_test(an_archive_cut_anywhere_is_refused),
		cmocka_unit_test(only_known_types_pass),
		cmocka_unit_test(a_header_may_not_be_larger_than_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
