/* Who holds a lock, and what happens when it is taken away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/wait.h>

#include "folder.h"
#include "lock.h"

static int open_root(const char *path)
{
	struct error err = ERROR_INIT;
	int fd;

	assert_true(fs_open_folder(path, &fd, &err));
	return fd;
}

static int try_exclusive(struct lock *lock, int root, char **holder)
{
	struct error err = ERROR_INIT;

	return lock_try(lock, root, "lock", LOCK_EXCLUSIVE, "test", holder,
			&err);
}

static void a_second_holder_is_told_who_is_first(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct lock first CLEANUP(lock_release) = LOCK_INIT;
	struct lock second CLEANUP(lock_release) = LOCK_INIT;
	char *holder CLEANUP(memory_release) = NULL;
	char *pid CLEANUP(memory_release) =
		memory_printf("process %ld", (long)getpid());

	(void)state;
	assert_int_equal(try_exclusive(&first, root, NULL), 1);
	assert_int_equal(try_exclusive(&second, root, &holder), 0);
	assert_non_null(strstr(holder, pid));
	lock_release(&first);
	assert_int_equal(try_exclusive(&second, root, NULL), 1);
}

static void shared_holders_do_not_wait_for_each_other(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct lock locks[3] = {LOCK_INIT, LOCK_INIT, LOCK_INIT};
	struct error err = ERROR_INIT;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(lock_try(&locks[i], root, "lock", LOCK_SHARED,
					  "test", NULL, &err),
				 1);
	assert_int_equal(try_exclusive(&locks[2], root, NULL), 0);
	for (int i = 0; i < 3; i++)
		lock_release(&locks[i]);
}

static void waiting_ends_after_the_limit_with_the_holder_named(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct lock first CLEANUP(lock_release) = LOCK_INIT;
	struct lock second CLEANUP(lock_release) = LOCK_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(try_exclusive(&first, root, NULL), 1);
	assert_false(lock_take(&second, root, "lock", LOCK_EXCLUSIVE, "test",
			       100, &err));
	assert_int_equal(err.kind, ERROR_LOCKED);
	assert_non_null(strstr(err.text, "process "));
}

static void the_lock_of_a_process_that_died_is_free(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct lock lock CLEANUP(lock_release) = LOCK_INIT;
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		_exit(try_exclusive(&lock, root, NULL) == 1 ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(try_exclusive(&lock, root, NULL), 1);
}

static void a_lock_file_in_a_store_is_left_to_the_store(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct lock lock CLEANUP(lock_release) = LOCK_INIT;
	char *name CLEANUP(memory_release) = folder_path(folder, "lock");
	char *store CLEANUP(memory_release) = folder_path(folder, "store");
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	bool found;

	(void)state;
	folder_write(folder, "store", "the store's");
	assert_int_equal(link(store, name), 0);
	assert_int_equal(try_exclusive(&lock, root, NULL), 1);
	assert_true(fs_read_file(root, "store", 100, &text, &found, &err));
	assert_string_equal(text.data, "the store's");
}

static void a_removed_lock_leaves_no_file_and_can_be_taken_again(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	int root CLEANUP(fs_close) = open_root(folder);
	struct lock lock CLEANUP(lock_release) = LOCK_INIT;
	struct error err = ERROR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(try_exclusive(&lock, root, NULL), 1);
	lock_remove(&lock, root, "lock");
	assert_int_equal(fs_stat_at(root, "lock", &st, &err), 0);
	assert_int_equal(try_exclusive(&lock, root, NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_holder_is_told_who_is_first),
		cmocka_unit_test(shared_holders_do_not_wait_for_each_other),
		cmocka_unit_test(
			waiting_ends_after_the_limit_with_the_holder_named),
		cmocka_unit_test(the_lock_of_a_process_that_died_is_free),
		cmocka_unit_test(a_lock_file_in_a_store_is_left_to_the_store),
		cmocka_unit_test(
			a_removed_lock_leaves_no_file_and_can_be_taken_again),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
