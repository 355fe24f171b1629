/* A commit as steps that may be carried out more than once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "folder.h"
#include "fs.h"
#include "journal.h"
#include "layout.h"
#include "memory.h"

struct package {
	char *path;
	int folder, third_party;
};

static bool folders_stay; /* as on a file system that moves none */

/* In front of the C library's. */
int renameat(int from_at, const char *from, int to_at, const char *to)
{
	int (*next)(int, const char *, int, const char *);
	void *found = dlsym(RTLD_NEXT, "renameat");
	struct stat st;

	memcpy(&next, &found, sizeof(next));
	if (folders_stay && !fstatat(from_at, from, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISDIR(st.st_mode)) {
		errno = EXDEV;
		return -1;
	}
	return next(from_at, from, to_at, to);
}

static struct package make_package(void)
{
	struct package package = {folder_make(), -1, -1};
	struct error err = ERROR_INIT;

	assert_true(fs_open_folder(package.path, &package.folder, &err));
	assert_true(fs_make_folders_at(
		package.folder, LAYOUT_THIRD_PARTY "/" LAYOUT_STAGING, &err));
	assert_true(fs_open_folder_at(package.folder, LAYOUT_THIRD_PARTY,
				      &package.third_party, &err));
	return package;
}

static void drop_package(struct package *package)
{
	fs_close(&package->third_party);
	fs_close(&package->folder);
	folder_remove(&package->path);
}

static void put(const struct package *package, const char *path,
		const char *text)
{
	char *name CLEANUP(memory_release) =
		memory_printf("%s/third-party/%s", package->path, path);
	struct error err = ERROR_INIT;
	char *slash = strrchr(name, '/');
	int fd;

	*slash = '\0';
	assert_true(fs_make_folders(name, &err));
	*slash = '/';
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_true(fs_write_all(fd, text, strlen(text), name, &err));
	close(fd);
}

/* "" when there is no such file. */
static char *get(int at, const char *path)
{
	struct buf text = BUF_INIT;
	struct error err = ERROR_INIT;
	bool found;

	assert_true(fs_read_file(at, path, 1000, &text, &found, &err));
	return buf_detach(&text);
}

static void assert_text(int at, const char *path, const char *expected)
{
	char *text CLEANUP(memory_release) = get(at, path);

	assert_string_equal(text, expected);
}

/* Old: a and gone/b; strangers in the way of c and of the folder e. New: a, c,
 * all of d, e. */
static void fill(const struct package *package, struct journal *journal)
{
	put(package, "a", "old a");
	put(package, "gone/b", "old b");
	put(package, "c", "a stranger");
	put(package, "e", "another");
	put(package, LAYOUT_STAGING "/0/a", "new a");
	put(package, LAYOUT_STAGING "/0/c", "new c");
	put(package, LAYOUT_STAGING "/1/d/e/f", "new f");
	put(package, LAYOUT_STAGING "/1/d/g", "new g");
	put(package, LAYOUT_RECEIPT_NEXT, "new receipt");
	journal_add(journal, JOURNAL_REMOVE, "gone/b", NULL, NULL);
	journal_add(journal, JOURNAL_PRUNE, "gone", NULL, NULL);
	journal_add(journal, JOURNAL_ASIDE, "e", LAYOUT_REPLACED "/e", NULL);
	journal_add(journal, JOURNAL_PUT, "a", LAYOUT_STAGING "/0/a", NULL);
	journal_add(journal, JOURNAL_SWAP, "c", LAYOUT_STAGING "/0/c",
		    LAYOUT_REPLACED "/c");
	journal_add(journal, JOURNAL_PUT, "into/d", LAYOUT_STAGING "/1/d",
		    NULL);
	journal_add(journal, JOURNAL_FOLDER, "empty/folder", NULL, NULL);
	journal_add(journal, JOURNAL_FOLDER, "e", NULL, NULL);
	journal->config = memory_string("new config");
	journal->config_between = memory_string("config between");
}

static void assert_all_new(const struct package *package)
{
	struct stat st;
	struct error err = ERROR_INIT;
	int at = package->third_party;

	assert_text(at, "a", "new a");
	assert_text(at, "c", "new c");
	assert_text(at, "into/d/e/f", "new f");
	assert_text(at, "into/d/g", "new g");
	assert_text(at, LAYOUT_REPLACED "/c", "a stranger");
	assert_text(at, LAYOUT_REPLACED "/e", "another");
	assert_text(at, LAYOUT_RECEIPT, "new receipt");
	assert_text(package->folder, LAYOUT_CONFIG, "new config");
	assert_int_equal(fs_stat_at(at, "gone", &st, &err), 0);
	assert_int_equal(fs_stat_at(at, "empty/folder", &st, &err), 1);
	assert_int_equal(fs_stat_at(at, "e", &st, &err), 1);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(fs_stat_at(at, LAYOUT_STAGING, &st, &err), 0);
	assert_false(journal_exists(at));
}

/* What lies on the disk when the program dies right behind it. */
static void write_filled(const struct package *package, struct journal *journal)
{
	struct error err = ERROR_INIT;

	fill(package, journal);
	assert_true(journal_write(journal, package->third_party, &err));
}

/* Whether there was anything to be finished. */
static bool recover(const struct package *package)
{
	struct error err = ERROR_INIT;
	bool did;

	assert_true(journal_recover(package->folder, package->third_party, &did,
				    &err));
	return did;
}

static void a_journal_is_carried_out_once_written(void **state)
{
	struct package package = make_package();
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;

	(void)state;
	write_filled(&package, &journal);
	assert_true(journal_exists(package.third_party));
	assert_true(recover(&package));
	assert_all_new(&package);
	assert_false(recover(&package));
	assert_all_new(&package);
	drop_package(&package);
}

static void a_journal_half_done_is_finished(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	/* Stopped after any number of its steps: the rest follows. */
	for (size_t done = 0; done <= 8; done++) {
		struct package package = make_package();
		struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;
		struct journal part = JOURNAL_INIT;

		fill(&package, &journal);
		assert_true(journal_write(&journal, package.third_party, &err));
		/* The steps alone: journal_run would end by cleaning up. */
		part = journal;
		part.count = done;
		assert_true(
			journal_run_steps(&part, package.third_party, &err));
		assert_true(recover(&package));
		assert_all_new(&package);
		drop_package(&package);
	}
}

static void a_folder_that_has_come_to_be_there_is_filled(void **state)
{
	struct package package = make_package();
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;

	(void)state;
	write_filled(&package, &journal);
	put(&package, "into/d/e/stranger", "a stranger");
	assert_true(recover(&package));
	assert_all_new(&package);
	assert_text(package.third_party, "into/d/e/stranger", "a stranger");
	drop_package(&package);
}

static void a_folder_that_cannot_be_moved_is_put_file_by_file(void **state)
{
	struct package package = make_package();
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;

	(void)state;
	write_filled(&package, &journal);
	folders_stay = true;
	assert_true(recover(&package));
	folders_stay = false;
	assert_all_new(&package);
	drop_package(&package);
}

static void a_file_where_a_folder_is_to_be_put_stays(void **state)
{
	struct package package = make_package();
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;
	struct error err = ERROR_INIT;
	bool did;

	(void)state;
	write_filled(&package, &journal);
	put(&package, "into/d", "a stranger");
	assert_false(journal_recover(package.folder, package.third_party, &did,
				     &err));
	assert_non_null(strstr(err.text, "into/d"));
	assert_text(package.third_party, "into/d", "a stranger");
	assert_true(fs_remove_file(package.third_party, "into/d", &err));
	assert_true(recover(&package));
	assert_all_new(&package);
	drop_package(&package);
}

static void a_folder_in_the_way_of_a_file_is_named(void **state)
{
	struct package package = make_package();
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;
	struct error err = ERROR_INIT;
	bool did;

	(void)state;
	write_filled(&package, &journal);
	assert_true(fs_remove_tree(package.third_party, "a", &err));
	put(&package, "a/stranger", "a stranger");
	assert_false(journal_recover(package.folder, package.third_party, &did,
				     &err));
	assert_non_null(strstr(err.text, "the file a"));
	assert_non_null(strstr(err.hint, "move it away"));
	error_clear(&err);
	assert_true(fs_remove_tree(package.third_party, "a", &err));
	assert_true(recover(&package));
	assert_all_new(&package);
	drop_package(&package);
}

static void a_damaged_journal_is_dropped_with_its_staging(void **state)
{
	struct package package = make_package();
	struct error err = ERROR_INIT;
	struct stat st;

	(void)state;
	put(&package, LAYOUT_JOURNAL, "{\"schema\":1");
	put(&package, LAYOUT_STAGING "/0/a", "new a");
	assert_false(recover(&package));
	assert_false(journal_exists(package.third_party));
	assert_int_equal(
		fs_stat_at(package.third_party, LAYOUT_STAGING, &st, &err), 0);
	drop_package(&package);
}

static void a_journal_that_leaves_the_folder_is_not_carried_out(void **state)
{
	struct package package = make_package();

	(void)state;
	put(&package, "a", "old a");
	put(&package, LAYOUT_JOURNAL,
	    "{\"schema\":1,\"config\":\"x\",\"steps\":[{\"do\":\"put\","
	    "\"path\":\"../../b\",\"other\":\"a\"}]}");
	assert_false(recover(&package));
	assert_text(package.third_party, "a", "old a");
	drop_package(&package);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_journal_is_carried_out_once_written),
		cmocka_unit_test(a_journal_half_done_is_finished),
		cmocka_unit_test(a_folder_that_has_come_to_be_there_is_filled),
		cmocka_unit_test(
			a_folder_that_cannot_be_moved_is_put_file_by_file),
		cmocka_unit_test(a_file_where_a_folder_is_to_be_put_stays),
		cmocka_unit_test(a_folder_in_the_way_of_a_file_is_named),
		cmocka_unit_test(a_damaged_journal_is_dropped_with_its_staging),
		cmocka_unit_test(
			a_journal_that_leaves_the_folder_is_not_carried_out),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
