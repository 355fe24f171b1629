#include "fetch_body.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static int make_file(void **state)
{
	char path[] = "/tmp/fetch-body-XXXXXX";
	int *file = malloc(sizeof(*file));

	*file = mkstemp(path);
	unlink(path);
	*state = file;
	return *file < 0;
}

static int close_file(void **state)
{
	int *file = *state;

	close(*file);
	free(file);
	return 0;
}

static struct fetch_body open_body(int file)
{
	struct fetch_body body;
	struct error err = ERROR_INIT;

	assert_true(fetch_body_open(&body, file, NULL, &err));
	return body;
}

static void put(struct fetch_body *body, uint64_t offset, const char *text)
{
	struct error err = ERROR_INIT;

	if (!fetch_body_write(body, offset, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static void assert_digest_of(struct fetch_body *body, const char *text)
{
	struct digest found, expected;
	struct error err = ERROR_INIT;

	digest_bytes(&expected, text, strlen(text));
	assert_true(fetch_body_digest(body, &found, &err));
	assert_true(digest_equal(&found, &expected));
}

static off_t size_of(int file)
{
	struct stat st;

	assert_int_equal(fstat(file, &st), 0);
	return st.st_size;
}

static void bytes_are_hashed_as_they_arrive(void **state)
{
	struct fetch_body body CLEANUP(fetch_body_release) =
		open_body(*(int *)*state);

	put(&body, 0, "hello ");
	put(&body, 6, "world");
	assert_int_equal(body.held, 11);
	assert_int_equal(body.hashed, 11);
	assert_false(body.pieced);
	assert_digest_of(&body, "hello world");
}

static void a_beginning_is_read_back(void **state)
{
	int file = *(int *)*state;
	struct fetch_body body CLEANUP(fetch_body_release) = {.file = -1};
	struct error err = ERROR_INIT;

	assert_int_equal(write(file, "hello ", 6), 6);
	body = open_body(file);
	assert_int_equal(body.held, 6);
	assert_true(body.pieced);
	assert_true(fetch_body_hash(&body, 4, &err));
	assert_int_equal(body.hashed, 4);
	assert_true(fetch_body_hash(&body, UINT64_MAX, &err));
	put(&body, 6, "world");
	assert_digest_of(&body, "hello world");
}

static void parts_count_when_the_gap_before_them_closed(void **state)
{
	struct fetch_body body CLEANUP(fetch_body_release) =
		open_body(*(int *)*state);
	struct error err = ERROR_INIT;

	put(&body, 0, "he");
	assert_true(fetch_body_stretch(&body, 11, &err));
	put(&body, 6, "wor");
	assert_int_equal(body.held, 2);
	put(&body, 2, "llo ");
	assert_int_equal(body.held, 6);
	body.held = 9; /* the caller knows where the second part stands */
	put(&body, 9, "ld");
	assert_int_equal(body.held, 11);
	assert_digest_of(&body, "hello world");
}

static void a_cut_takes_away_what_is_not_held(void **state)
{
	int file = *(int *)*state;
	struct fetch_body body CLEANUP(fetch_body_release) = open_body(file);
	struct error err = ERROR_INIT;

	put(&body, 0, "he");
	assert_true(fetch_body_stretch(&body, 11, &err));
	put(&body, 6, "wor");
	assert_int_equal(size_of(file), 11);
	assert_true(fetch_body_cut(&body, &err));
	assert_int_equal(size_of(file), 2);
	put(&body, 2, "y");
	assert_digest_of(&body, "hey");
}

static void a_restart_forgets_everything(void **state)
{
	int file = *(int *)*state;
	struct fetch_body body CLEANUP(fetch_body_release) = {.file = -1};
	struct error err = ERROR_INIT;

	assert_int_equal(write(file, "garbage", 7), 7);
	body = open_body(file);
	assert_true(fetch_body_restart(&body, &err));
	assert_int_equal(size_of(file), 0);
	assert_int_equal(body.held, 0);
	assert_false(body.pieced);
	put(&body, 0, "new");
	assert_digest_of(&body, "new");
	assert_true(fetch_body_restart(&body, &err));
	put(&body, 0, "newer");
	assert_digest_of(&body, "newer");
}

static void without_a_file_bytes_go_to_memory(void **state)
{
	struct buf memory CLEANUP(buf_release) = BUF_INIT;
	struct fetch_body body CLEANUP(fetch_body_release) = {.file = -1};
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(fetch_body_open(&body, -1, &memory, &err));
	put(&body, 0, "junk");
	assert_true(fetch_body_restart(&body, &err));
	put(&body, 0, "hel");
	put(&body, 3, "lo");
	assert_string_equal(memory.data, "hello");
	assert_digest_of(&body, "hello");
}

static void a_full_disk_is_a_file_system_error_with_advice(void **state)
{
	int full = open("/dev/full", O_RDWR);
	struct fetch_body body CLEANUP(fetch_body_release) = {.file = -1};
	struct error err = ERROR_INIT;

	(void)state;
	if (full < 0)
		skip();
	body = open_body(full);
	assert_false(fetch_body_write(&body, 0, "x", 1, &err));
	assert_int_equal(err.kind, ERROR_FILESYSTEM);
	assert_non_null(strstr(err.hint, "Free some space"));
	assert_int_equal(body.held, 0);
	close(full);
}

static void a_file_that_shrank_is_not_hashed_as_if_whole(void **state)
{
	int file = *(int *)*state;
	struct fetch_body body CLEANUP(fetch_body_release) = {.file = -1};
	struct error err = ERROR_INIT;

	assert_int_equal(write(file, "hello", 5), 5);
	body = open_body(file);
	assert_int_equal(ftruncate(file, 2), 0);
	assert_false(fetch_body_hash(&body, UINT64_MAX, &err));
	assert_int_equal(err.kind, ERROR_FILESYSTEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_file, close_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_are_hashed_as_they_arrive),
		TEST(a_beginning_is_read_back),
		TEST(parts_count_when_the_gap_before_them_closed),
		TEST(a_cut_takes_away_what_is_not_held),
		TEST(a_restart_forgets_everything),
		TEST(without_a_file_bytes_go_to_memory),
		TEST(a_full_disk_is_a_file_system_error_with_advice),
		TEST(a_file_that_shrank_is_not_hashed_as_if_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
