/* What a run that was killed leaves behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "folder.h"
#include "layout.h"
#include "litter.h"
#include "tempfile.h"

static int open_third_party(const char *path)
{
	struct error err = ERROR_INIT;
	int folder = -1;

	assert_true(fs_open_folder(path, &folder, &err));
	return folder;
}

static void check_kept(int third_party, const char *path)
{
	struct error err = ERROR_INIT;
	struct stat st;

	assert_int_equal(fs_stat_at(third_party, path, &st, &err), 1);
}

static void all_litter_is_found_and_removed(void **state)
{
	static const char *const litter[] = {
		LAYOUT_STAGING "/0/a",
		LAYOUT_CACHE "/archives",
		LAYOUT_RECEIPT_NEXT,
		LAYOUT_STATE "/" TEMPFILE_PREFIX "0123",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(litter); i++) {
		char *path CLEANUP(memory_release) = folder_make();
		int third_party CLEANUP(fs_close) = open_third_party(path);
		struct error err = ERROR_INIT;

		folder_add(path, litter[i]);
		assert_true(litter_found(third_party));
		assert_true(litter_remove(third_party, &err));
		assert_false(litter_found(third_party));
		folder_remove(&path);
	}
}

static void what_is_installed_and_what_others_own_stays(void **state)
{
	static const char *const kept[] = {
		LAYOUT_RECEIPT,       LAYOUT_JOURNAL, LAYOUT_LOCK,
		LAYOUT_REPLACED "/a", "staging/a",
	};
	char *path CLEANUP(memory_release) = folder_make();
	int third_party CLEANUP(fs_close) = open_third_party(path);
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		folder_add(path, kept[i]);
	assert_false(litter_found(third_party));
	assert_true(litter_remove(third_party, &err));
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		check_kept(third_party, kept[i]);
	folder_remove(&path);
}

static void where_nothing_is_there_is_no_litter(void **state)
{
	char *path CLEANUP(memory_release) = folder_make();
	int third_party CLEANUP(fs_close) = open_third_party(path);
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(litter_found(-1));
	assert_false(litter_found(third_party));
	assert_true(litter_remove(third_party, &err));
	folder_remove(&path);
}

static void temporary_files_are_swept_when_they_are_old(void **state)
{
	char *path CLEANUP(memory_release) = folder_make();
	int folder CLEANUP(fs_close) = open_third_party(path);
	struct error err = ERROR_INIT;
	struct stat st;

	(void)state;
	folder_add(path, TEMPFILE_PREFIX "0123");
	folder_add(path, "a");
	assert_true(tempfile_sweep(folder, ".", TEMPFILE_OLD, &err));
	check_kept(folder, TEMPFILE_PREFIX "0123");
	assert_true(tempfile_sweep(folder, ".", 0, &err));
	assert_int_equal(fs_stat_at(folder, TEMPFILE_PREFIX "0123", &st, &err),
			 0);
	check_kept(folder, "a");
	folder_remove(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_litter_is_found_and_removed),
		cmocka_unit_test(what_is_installed_and_what_others_own_stays),
		cmocka_unit_test(where_nothing_is_there_is_no_litter),
		cmocka_unit_test(temporary_files_are_swept_when_they_are_old),
	};

	return cmocka_run_group_tests_name("litter", tests, NULL, NULL);
}
