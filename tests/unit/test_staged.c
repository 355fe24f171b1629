/* What was unpacked, before it is put in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>

#include "folder.h"
#include "fs.h"
#include "memory.h"
#include "staged.h"

static void make_file(int at, const char *path, const char *text)
{
	char *parent CLEANUP(memory_release) = memory_string(path);
	struct error err = ERROR_INIT;
	int fd CLEANUP(fs_close) = -1;

	*strrchr(parent, '/') = '\0';
	assert_true(fs_make_folders_at(at, parent, &err));
	fd = fs_open_at(at, path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_true(fs_write_all(fd, text, strlen(text), path, &err));
}

static struct owner own(enum tree_kind kind, const char *staged)
{
	struct tree_entry *entry = memory_allocate(sizeof(*entry));

	entry->kind = kind;
	return (struct owner){.entry = entry, .staged = memory_string(staged)};
}

static void disown(struct owner *owner)
{
	free(owner->entry);
	free(owner->staged);
}

static void what_is_not_as_it_was_unpacked_is_refused(void **state)
{
	char *path = folder_make();
	struct owner file = own(TREE_FILE, "0/a");
	struct owner link = own(TREE_LINK, "0/a");
	struct error err = ERROR_INIT;
	int at CLEANUP(fs_close) = -1;

	(void)state;
	assert_true(fs_open_folder(path, &at, &err));
	file.entry->size = 3;
	assert_false(staged_check(at, &file, &err));
	make_file(at, "0/a", "abc");
	assert_true(staged_check(at, &file, &err));
	assert_true(file.entry->mtime > 0);
	assert_false(staged_check(at, &link, &err));
	file.entry->size = 4;
	assert_false(staged_check(at, &file, &err));
	assert_non_null(strstr(err.text, "0/a is not as it was written"));
	disown(&file);
	disown(&link);
	folder_remove(&path);
}

static void a_stray_is_seen_wherever_it_lies(void **state)
{
	static const char *const strays[] = {"0/x/stray", "0/x/b/stray",
					     "0/x/e/stray", "0/x/f/stray"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strays); i++) {
		char *path = folder_make();
		struct owner owners[] = {own(TREE_FILE, "0/x/a"),
					 own(TREE_FILE, "0/x/b/c"),
					 own(TREE_FOLDER, "0/x/e")};
		struct error err = ERROR_INIT;
		int at CLEANUP(fs_close) = -1;
		bool only;

		assert_true(fs_open_folder(path, &at, &err));
		make_file(at, "0/x/a", "");
		make_file(at, "0/x/b/c", "");
		assert_true(fs_make_folders_at(at, "0/x/e", &err));
		make_file(at, "0/beside", "");
		assert_true(staged_only(at, "0/x", owners, ARRAY_SIZE(owners),
					&only, &err));
		assert_true(only);
		make_file(at, strays[i], "");
		assert_true(staged_only(at, "0/x", owners, ARRAY_SIZE(owners),
					&only, &err));
		assert_false(only);
		for (size_t j = 0; j < ARRAY_SIZE(owners); j++)
			disown(&owners[j]);
		folder_remove(&path);
	}
}

static void a_folder_that_is_a_link_is_refused(void **state)
{
	static const char *const links[] = {"x", "x/y"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		char *path = folder_make();
		struct owner owner = own(TREE_FILE, "x/y/a");
		struct error err = ERROR_INIT;
		int at CLEANUP(fs_close) = -1;
		bool only;

		assert_true(fs_open_folder(path, &at, &err));
		make_file(at, "real/y/a", "");
		if (i)
			assert_true(fs_make_folders_at(at, "x", &err));
		assert_int_equal(
			symlinkat(i ? "../real/y" : "real", at, links[i]), 0);
		assert_false(staged_only(at, "x", &owner, 1, &only, &err));
		assert_non_null(strstr(err.text, links[i]));
		disown(&owner);
		folder_remove(&path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_as_it_was_unpacked_is_refused),
		cmocka_unit_test(a_stray_is_seen_wherever_it_lies),
		cmocka_unit_test(a_folder_that_is_a_link_is_refused),
	};

	return cmocka_run_group_tests_name("staged", tests, NULL, NULL);
}
