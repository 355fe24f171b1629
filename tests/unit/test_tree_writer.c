#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "folder.h"
#include "tree_writer.h"

struct place {
	char *folder;
	int into;
};

static int make_place(void **state)
{
	struct place *place = memory_allocate(sizeof(*place));
	struct error err = ERROR_INIT;

	place->folder = folder_make();
	if (!fs_open_folder(place->folder, &place->into, &err))
		return -1;
	*state = place;
	return 0;
}

static int drop_place(void **state)
{
	struct place *place = *state;

	fs_close(&place->into);
	folder_remove(&place->folder);
	free(place);
	return 0;
}

static void write_file(struct tree_writer *writer, const char *path,
		       bool executable, const char *text)
{
	struct digest found, expected;
	struct error err = ERROR_INIT;

	digest_bytes(&expected, text, strlen(text));
	if (!tree_writer_open(writer, path, executable, true, &err) ||
	    !tree_writer_add(writer, text, strlen(text), &err) ||
	    !tree_writer_close(writer, &found, &err))
		fail_msg("%s", err.text);
	assert_true(digest_equal(&found, &expected));
}

static void expect_file(const struct place *place, const char *path,
			const char *text, mode_t mode)
{
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	struct stat st;

	assert_true(
		fs_read_file(place->into, path, 1 << 20, &bytes, NULL, &err));
	assert_string_equal(bytes.data, text);
	assert_int_equal(fs_stat_at(place->into, path, &st, &err), 1);
	assert_int_equal(st.st_mode & 07777, mode);
}

static void files_lie_where_they_should(void **state)
{
	struct place *place = *state;
	struct tree_writer writer CLEANUP(tree_writer_release);
	mode_t before = umask(077);
	struct stat st;

	tree_writer_start(&writer, place->into);
	write_file(&writer, "a", false, "one");
	write_file(&writer, "x/y/b", true, "two");
	write_file(&writer, "x/c", false, "");
	write_file(&writer, "x/y/d", false, "four");
	umask(before);
	expect_file(place, "a", "one", 0644);
	expect_file(place, "x/y/b", "two", 0755);
	expect_file(place, "x/c", "", 0644);
	expect_file(place, "x/y/d", "four", 0644);
	assert_int_equal(fstatat(place->into, "x", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(fstatat(place->into, "x/y", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
}

static void copies_folders_and_links_are_made(void **state)
{
	struct place *place = *state;
	struct tree_writer writer CLEANUP(tree_writer_release);
	struct error err = ERROR_INIT;
	char *target CLEANUP(memory_release) = NULL;
	struct stat original, copy;

	tree_writer_start(&writer, place->into);
	write_file(&writer, "a/b", true, "bytes");
	assert_true(tree_writer_copy(&writer, "a/b", "c/d", true, &err));
	assert_true(tree_writer_folder(&writer, "e/f", &err));
	assert_true(tree_writer_link(&writer, "g/h", "../a/b", &err));
	expect_file(place, "c/d", "bytes", 0755);
	assert_int_equal(fs_stat_at(place->into, "a/b", &original, &err), 1);
	assert_int_equal(fs_stat_at(place->into, "c/d", &copy, &err), 1);
	assert_int_not_equal(original.st_ino, copy.st_ino);
	assert_true(fs_read_link(place->into, "g/h", &target, &err));
	assert_string_equal(target, "../a/b");
}

static void nothing_is_written_over_or_through(void **state)
{
	struct place *place = *state;
	struct tree_writer writer CLEANUP(tree_writer_release);
	struct error err = ERROR_INIT;

	folder_write(place->folder, "there", "before");
	folder_write(place->folder, "outside/kept", "before");
	folder_link(place->folder, "link", "outside");
	folder_link(place->folder, "file-link", "outside/kept");
	tree_writer_start(&writer, place->into);
	assert_false(tree_writer_open(&writer, "there", false, true, &err));
	assert_int_equal(err.kind, ERROR_FILESYSTEM);
	assert_false(tree_writer_open(&writer, "file-link", false, true, &err));
	assert_false(tree_writer_open(&writer, "link/new", false, true, &err));
	assert_false(tree_writer_open(&writer, "there/new", false, true, &err));
	assert_false(tree_writer_folder(&writer, "link/new", &err));
	assert_false(tree_writer_link(&writer, "link/new", "x", &err));
	assert_false(tree_writer_link(&writer, "there", "x", &err));
	expect_file(place, "there", "before", 0644);
	expect_file(place, "outside/kept", "before", 0644);
	assert_int_equal(faccessat(place->into, "outside/new", F_OK, 0), -1);
}

static void without_a_folder_bytes_are_only_hashed(void **state)
{
	struct tree_writer writer CLEANUP(tree_writer_release);
	struct error err = ERROR_INIT;

	(void)state;
	tree_writer_start(&writer, -1);
	write_file(&writer, "a/b", true, "bytes");
	assert_true(tree_writer_copy(&writer, "a/b", "c", true, &err));
	assert_true(tree_writer_folder(&writer, "d", &err));
	assert_true(tree_writer_link(&writer, "e", "f", &err));
}

#define WITH_PLACE(test) \
	cmocka_unit_test_setup_teardown(test, make_place, drop_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PLACE(files_lie_where_they_should),
		WITH_PLACE(copies_folders_and_links_are_made),
		WITH_PLACE(nothing_is_written_over_or_through),
		cmocka_unit_test(without_a_folder_bytes_are_only_hashed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
