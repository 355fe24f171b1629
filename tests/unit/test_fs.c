/* Paths below a folder, and no way out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "folder.h"
#include "fs.h"
#include "fs_copy.h"

static int open_root(const char *path)
{
	struct error err = ERROR_INIT;
	int fd;

	assert_true(fs_open_folder(path, &fd, &err));
	return fd;
}

static void a_link_on_the_way_is_never_followed(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	char *outside CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct error err = ERROR_INIT;
	char *path CLEANUP(memory_release) = folder_path(outside, "made");
	int fd;

	(void)state;
	folder_link(folder, "link", outside);
	fd = fs_open_at(root, "link/file", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(fd, -1);
	assert_false(fs_make_folders_at(root, "link/made", &err));
	assert_int_equal(access(path, F_OK), -1);
	fd = fs_open_at(root, "link", O_RDONLY, 0);
	assert_int_equal(fd, -1);
	fd = fs_open_at(root, "../x", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(fd, -1);
	fd = fs_open_at(root, "/etc/passwd", O_RDONLY, 0);
	assert_int_equal(fd, -1);
}

static void removing_a_tree_leaves_what_its_links_point_to(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	char *outside CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	char *kept CLEANUP(memory_release) = folder_path(outside, "kept");
	struct error err = ERROR_INIT;
	struct stat st;

	(void)state;
	folder_write(outside, "kept", "x");
	folder_write(folder, "tree/a/b/c", "x");
	folder_link(folder, "tree/a/link", outside);
	assert_true(fs_remove_tree(root, "tree", &err));
	assert_int_equal(fs_stat_at(root, "tree", &st, &err), 0);
	assert_int_equal(access(kept, F_OK), 0);
	assert_true(fs_remove_tree(root, "tree", &err));
}

static void a_file_over_the_limit_a_folder_and_a_fifo_are_not_read(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	char *fifo CLEANUP(memory_release) = folder_path(folder, "fifo");
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	bool found = true;

	(void)state;
	folder_write(folder, "file", "12345678");
	assert_true(fs_read_file(root, "file", 8, &text, &found, &err));
	assert_true(found);
	assert_string_equal(text.data, "12345678");
	buf_clear(&text);
	assert_false(fs_read_file(root, "file", 7, &text, &found, &err));
	buf_clear(&text);
	assert_false(fs_read_file(root, ".", 100, &text, &found, &err));
	assert_int_equal(mkfifo(fifo, 0644), 0);
	assert_false(fs_read_file(root, "fifo", 100, &text, &found, &err));
	assert_true(fs_read_file(root, "nothing", 100, &text, &found, &err));
	assert_false(found);
	assert_false(fs_read_file(root, "nothing", 100, &text, NULL, &err));
}

static void a_copy_has_the_same_bytes_however_large(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	int from CLEANUP(fs_close) =
		fs_open_at(root, "from", O_RDWR | O_CREAT, 0644);
	int to CLEANUP(fs_close) =
		fs_open_at(root, "to", O_RDWR | O_CREAT, 0644);
	struct error err = ERROR_INIT;
	enum fs_copy_way way = FS_COPY_ANY;
	struct stat st;
	char byte = 0;

	(void)state;
	for (int i = 0; i < 300000; i += 1000) {
		char block[1000];

		memset(block, i / 1000, sizeof(block));
		assert_true(
			fs_write_all(from, block, sizeof(block), "from", &err));
	}
	assert_true(fs_copy_bytes(from, to, "to", &way, &err));
	assert_int_equal(fstat(to, &st), 0);
	assert_int_equal(st.st_size, 300000);
	assert_int_equal(pread(to, &byte, 1, 123456), 1);
	assert_int_equal(byte, 123);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_on_the_way_is_never_followed),
		cmocka_unit_test(
			removing_a_tree_leaves_what_its_links_point_to),
		cmocka_unit_test(
			a_file_over_the_limit_a_folder_and_a_fifo_are_not_read),
		cmocka_unit_test(a_copy_has_the_same_bytes_however_large),
	};

	return cmocka_run_group_tests_name("fs", tests, NULL, NULL);
}
