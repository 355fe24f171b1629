/* Names that only verified bytes get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "cache.h"
#include "folder.h"

static const char text[] = "an archive";

static struct cache *open_cache(const char *folder)
{
	struct error err = ERROR_INIT;
	struct cache *cache = NULL;

	if (!cache_open(&cache, folder, -1, 0, &err))
		fail_msg("%s", err.text);
	return cache;
}

static void add_archive(struct cache *cache, struct digest *digest)
{
	struct cache_partial partial = CACHE_PARTIAL_INIT;
	struct error err = ERROR_INIT;

	digest_bytes(digest, text, strlen(text));
	assert_int_equal(
		cache_partial_open(cache, digest, &partial, NULL, &err), 1);
	assert_false(cache_has(cache, digest, 0));
	assert_true(fs_write_all(partial.file, text, strlen(text), "x", &err));
	assert_true(cache_partial_accept(cache, &partial, &err));
	cache_partial_release(cache, &partial);
}

static void an_archive_is_there_once_it_was_accepted(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct cache *cache CLEANUP(cache_close) = open_cache(folder);
	struct digest digest, found;
	struct error err = ERROR_INIT;
	int fd CLEANUP(fs_close) = -1;

	(void)state;
	add_archive(cache, &digest);
	assert_true(cache_has(cache, &digest, strlen(text)));
	assert_false(cache_has(cache, &digest, strlen(text) + 1));
	fd = cache_read(cache, &digest);
	assert_true(digest_file(fd, &found, NULL, &err));
	assert_true(digest_equal(&digest, &found));
	cache_discard(cache, &digest);
	assert_false(cache_has(cache, &digest, 0));
}

static void a_partial_download_is_one_process_at_a_time(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct cache *cache CLEANUP(cache_close) = open_cache(folder);
	struct cache_partial first = CACHE_PARTIAL_INIT;
	struct cache_partial second = CACHE_PARTIAL_INIT;
	char *holder CLEANUP(memory_release) = NULL;
	struct error err = ERROR_INIT;
	struct digest digest;

	(void)state;
	digest_bytes(&digest, text, strlen(text));
	assert_int_equal(cache_partial_open(cache, &digest, &first, NULL, &err),
			 1);
	assert_int_equal(
		cache_partial_open(cache, &digest, &second, &holder, &err), 0);
	assert_non_null(holder);
	cache_partial_release(cache, &first);
	assert_int_equal(
		cache_partial_open(cache, &digest, &second, NULL, &err), 1);
	cache_partial_release(cache, &second);
}

static void what_arrived_is_kept_only_with_a_way_to_go_on(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct cache *cache CLEANUP(cache_close) = open_cache(folder);
	struct error err = ERROR_INIT;
	struct digest digest;

	(void)state;
	digest_bytes(&digest, text, strlen(text));
	for (int with_etag = 0; with_etag < 2; with_etag++) {
		struct cache_partial partial = CACHE_PARTIAL_INIT;
		struct cache_partial again = CACHE_PARTIAL_INIT;
		struct stat st;

		assert_int_equal(cache_partial_open(cache, &digest, &partial,
						    NULL, &err),
				 1);
		assert_true(fs_write_all(partial.file, "half", 4, "x", &err));
		if (with_etag) {
			snprintf(partial.etag, sizeof(partial.etag), "\"e\"");
			snprintf(partial.url, sizeof(partial.url),
				 "https://host/a");
		}
		cache_partial_release(cache, &partial);
		assert_int_equal(
			cache_partial_open(cache, &digest, &again, NULL, &err),
			1);
		assert_int_equal(fstat(again.file, &st), 0);
		assert_int_equal(st.st_size, with_etag ? 4 : 0);
		assert_string_equal(again.etag, with_etag ? "\"e\"" : "");
		cache_partial_release(cache, &again);
	}
}

static void the_index_remembers_and_a_damaged_one_is_no_index(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct cache *cache CLEANUP(cache_close) = open_cache(folder);
	struct cache_index index = {.size = 7, .url = NULL};
	struct cache_index read CLEANUP(cache_index_release) = {0};
	struct error err = ERROR_INIT;

	(void)state;
	digest_bytes(&index.digest, text, strlen(text));
	assert_false(cache_index_read(cache, "p", "1.0", "a.tar.gz", &read));
	assert_true(
		cache_index_write(cache, "p", "1.0", "a.tar.gz", &index, &err));
	assert_true(cache_index_read(cache, "p", "1.0", "a.tar.gz", &read));
	assert_true(digest_equal(&read.digest, &index.digest));
	assert_int_equal(read.size, 7);
	folder_write(folder, "index/p/1.0/a.tar.gz", "{\"sha256\":");
	assert_false(cache_index_read(cache, "p", "1.0", "a.tar.gz", &read));
}

static void
pruning_removes_what_was_not_used_and_what_is_half_made(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct cache *cache CLEANUP(cache_close) = open_cache(folder);
	struct cache_freed freed = {0, 0};
	struct error err = ERROR_INIT;
	struct digest digest;

	(void)state;
	add_archive(cache, &digest);
	folder_write(folder, "partial/abc", "half");
	folder_write(folder, "archives/stranger", "x");
	assert_true(cache_prune(cache, 1, &freed, &err));
	assert_true(cache_has(cache, &digest, 0));
	assert_int_equal(freed.files, 3); /* and one lock file */
	assert_true(cache_clear(cache, &freed, &err));
	assert_false(cache_has(cache, &digest, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_archive_is_there_once_it_was_accepted),
		cmocka_unit_test(a_partial_download_is_one_process_at_a_time),
		cmocka_unit_test(what_arrived_is_kept_only_with_a_way_to_go_on),
		cmocka_unit_test(
			the_index_remembers_and_a_damaged_one_is_no_index),
		cmocka_unit_test(
			pruning_removes_what_was_not_used_and_what_is_half_made),
	};

	return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
