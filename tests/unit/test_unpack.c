#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "archive_bytes.h"
#include "folder.h"
#include "sandbox.h"
#include "unpack.h"

/* The corpus of hostile archives goes through the whole program
 * (tests/system/archives.test.mjs); here is what only a caller sees. */

static const struct unpack_limits plenty = {.bytes = 1 << 20, .entries = 100};

static bool unpack_plain(const struct buf *tar,
			 const struct unpack_limits *limits, int into,
			 struct tree *found, struct error *err)
{
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	int file CLEANUP(fs_close) = -1;

	gzip_of(&bytes, tar);
	file = file_of(&bytes);
	return unpack_archive(file, "a.tar.gz", ARCHIVE_TAR_GZ, limits, into,
			      found, err);
}

static void make_sample(struct buf *tar)
{
	tar_entry(tar, TREE_FOLDER, "./", NULL);
	tar_entry(tar, TREE_FILE, "z", "last");
	tar_entry(tar, TREE_FOLDER, "full", NULL);
	tar_entry(tar, TREE_FILE,
		  "full/gr\xc3\xb6\xc3\x9f"
		  "e",
		  "inner");
	tar_entry(tar, TREE_FOLDER, "empty", NULL);
	tar_entry(tar, TREE_LINK, "a",
		  "full/gr\xc3\xb6\xc3\x9f"
		  "e");
	tar_end(tar);
}

static void check_sample(const struct tree *tree)
{
	const struct tree_entry *entry;
	struct digest digest;

	assert_int_equal(tree->count, 4);
	entry = tree_find(tree, "full/gr\xc3\xb6\xc3\x9f"
				"e");
	assert_non_null(entry);
	assert_int_equal(entry->kind, TREE_FILE);
	assert_int_equal(entry->size, 5);
	digest_bytes(&digest, "inner", 5);
	assert_true(digest_equal(&digest, &entry->digest));
	assert_int_equal(tree_find(tree, "empty")->kind, TREE_FOLDER);
	assert_int_equal(tree_find(tree, "a")->kind, TREE_LINK);
	assert_null(tree_find(tree, "full"));
}

static void the_tree_has_files_links_and_empty_folders(void **state)
{
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	make_sample(&tar);
	if (!unpack_plain(&tar, &plenty, -1, &tree, &err))
		fail_msg("%s", err.text);
	check_sample(&tree);
}

static void the_folder_gets_what_the_tree_says(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	int into CLEANUP(fs_close) = -1;
	struct stat st;

	(void)state;
	make_sample(&tar);
	assert_true(fs_open_folder(folder, &into, &err));
	assert_int_equal(fchmod(into, 0750), 0);
	if (!unpack_plain(&tar, &plenty, into, &tree, &err))
		fail_msg("%s", err.text);
	assert_true(fs_read_file(into, "a", 100, &bytes, NULL, &err));
	assert_string_equal(bytes.data, "inner");
	assert_int_equal(fstat(into, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750); /* not that of "./" */
}

/* A digest of other bytes shows where it comes from. */
static void a_known_file_is_not_hashed_again(void **state)
{
	struct tree known CLEANUP(tree_release) = TREE_INIT;
	struct unpack_limits limits = plenty;
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct error err = ERROR_INIT;
	struct digest digest;

	(void)state;
	digest_bytes(&digest, "other", 5);
	tree_add(&known, TREE_LINK,
		 "full/gr\xc3\xb6\xc3\x9f"
		 "e")
		->link = memory_string("elsewhere");
	tree_add(&known, TREE_FILE, "z")->digest = digest;
	limits.known = &known;
	make_sample(&tar);
	if (!unpack_plain(&tar, &limits, -1, &tree, &err))
		fail_msg("%s", err.text);
	assert_true(digest_equal(&tree_find(&tree, "z")->digest, &digest));
	assert_int_equal(tree_find(&tree, "z")->size, 4);
	check_sample(&tree); /* what is known as something else is hashed */
}

/* "C" has no name for most letters. */
static void names_do_not_depend_on_the_locale(void **state)
{
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_non_null(setlocale(LC_ALL, "C"));
	make_sample(&tar);
	if (!unpack_plain(&tar, &plenty, -1, &tree, &err))
		fail_msg("%s", err.text);
	check_sample(&tree);
	assert_string_equal(setlocale(LC_CTYPE, NULL), "C");
}

static void limits_hold_to_the_byte_and_entry(void **state)
{
	static const struct {
		struct unpack_limits limits;
		const char *text; /* NULL: fine */
	} cases[] = {
		{{.bytes = 9, .entries = 6}, NULL},
		{{.bytes = 8, .entries = 6}, "5 bytes, and 4 are left"},
		{{.bytes = 3, .entries = 6}, "\"z\" has 4 bytes"},
		{{.bytes = 9, .entries = 5}, "\"a\" is one more"},
		{{.bytes = 9, .entries = 0}, "\"./\" is one more"},
		{{.bytes = 9, .entries = 6, .below = "x/y"}, NULL},
		{{.bytes = 9, .entries = 6, .below = "a:b"}, "would be a:b/z"},
	};
	struct buf tar CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	make_sample(&tar);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree tree CLEANUP(tree_release) = TREE_INIT;
		struct error err = ERROR_INIT;

		if (unpack_plain(&tar, &cases[i].limits, -1, &tree, &err) !=
		    !cases[i].text)
			fail_msg("case %zu: \"%s\"", i, err.text);
		if (!cases[i].text)
			continue;
		assert_int_equal(err.kind, ERROR_ARCHIVE);
		assert_int_equal(strncmp(err.text, "a.tar.gz: ", 10), 0);
		if (!strstr(err.text, cases[i].text))
			fail_msg("case %zu: \"%s\"", i, err.text);
	}
}

/* Hard links take no bytes in the archive, but do on the disk. */
static void copies_count_against_the_limit(void **state)
{
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct unpack_limits limits = {.bytes = 11, .entries = 10};
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	tar_entry(&tar, TREE_FILE, "f", "four");
	for (size_t i = 0; i < 2; i++) {
		size_t at = tar.length;

		tar_entry(&tar, TREE_LINK, i ? "h" : "g", "f");
		tar.data[at + 156] = '1';
		tar_fix(&tar, at);
	}
	tar_end(&tar);
	assert_false(unpack_plain(&tar, &limits, -1, &tree, &err));
	assert_non_null(strstr(err.text, "\"h\" has 4 bytes, and 3 are left"));
	limits.bytes = 12;
	assert_true(unpack_plain(&tar, &limits, -1, &tree, &err));
	assert_int_equal(tree_size(&tree), 12);
}

static void add_comment(struct buf *tar, size_t length)
{
	size_t at = tar->length;

	tar_entry(tar, TREE_FILE, "g", "");
	snprintf(tar->data + at + 124, 12, "%011zo", length);
	tar->data[at + 156] = 'g';
	tar_fix(tar, at);
	at = tar->length;
	buf_printf(tar, "%zu comment=", length);
	while (tar->length < at + length - 1)
		buf_byte(tar, 'c');
	buf_byte(tar, '\n');
	tar_zeros(tar, tar_write_padding(length));
}

/* Headers take nothing of the limits above, but time. */
static void endless_headers_are_cut_off(void **state)
{
	static const struct {
		size_t count; /* in front of each of three entries */
		size_t length;
		const char *text;
	} cases[] = {
		{16, 100, NULL},
		{17, 100, "more than 16 headers"},
		{3, 200000, NULL},
		{4, 200000, "that are allowed"},
	};
	static const char *const names[] = {"a", "b", "c"};
	struct unpack_limits limits = {.bytes = 100, .entries = 3};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf tar CLEANUP(buf_release) = BUF_INIT;
		struct tree tree CLEANUP(tree_release) = TREE_INIT;
		struct error err = ERROR_INIT;

		for (size_t j = 0; j < ARRAY_SIZE(names); j++) {
			for (size_t k = 0; k < cases[i].count; k++)
				add_comment(&tar, cases[i].length);
			tar_entry(&tar, TREE_FILE, names[j], "");
		}
		tar_end(&tar);
		if (unpack_plain(&tar, &limits, -1, &tree, &err) !=
		    !cases[i].text)
			fail_msg("case %zu: \"%s\"", i, err.text);
		if (cases[i].text && !strstr(err.text, cases[i].text))
			fail_msg("case %zu: \"%s\"", i, err.text);
	}
}

static void default_limits_grow_with_the_archive(void **state)
{
	(void)state;
	assert_int_equal(unpack_limits_default(0).bytes, UNPACK_BYTES_FREE);
	assert_true(unpack_limits_default(1 << 20).bytes < 1000u << 20);
	assert_int_equal(unpack_limits_default(1).entries, TREE_ENTRIES_MAX);
}

static void reading_works_behind_the_sandbox(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	pid_t child;
	int status;

	(void)state;
	make_sample(&tar);
	child = fork();
	if (!child) {
		struct sandbox sandbox = {.memory_max = 512u << 20};
		struct buf bytes = BUF_INIT;
		struct tree tree = TREE_INIT;
		struct error err = ERROR_INIT;
		char applied[128];
		int file;

		setlocale(LC_ALL, "C");
		gzip_of(&bytes, &tar);
		file = file_of(&bytes);
		if (!unpack_prepare(&err) ||
		    !fs_open_folder(folder, &sandbox.folder, &err) ||
		    !sandbox_enter(&sandbox, applied, &err) ||
		    !unpack_archive(file, "a.tar.gz", ARCHIVE_TAR_GZ, &plenty,
				    sandbox.folder, &tree, &err))
			fprintf(stderr, "%s\n", err.text);
		_exit(tree.count == 4 ? 0 : 1);
	}
	assert_true(waitpid(child, &status, 0) == child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tree_has_files_links_and_empty_folders),
		cmocka_unit_test(the_folder_gets_what_the_tree_says),
		cmocka_unit_test(a_known_file_is_not_hashed_again),
		cmocka_unit_test(names_do_not_depend_on_the_locale),
		cmocka_unit_test(limits_hold_to_the_byte_and_entry),
		cmocka_unit_test(copies_count_against_the_limit),
		cmocka_unit_test(endless_headers_are_cut_off),
		cmocka_unit_test(default_limits_grow_with_the_archive),
		cmocka_unit_test(reading_works_behind_the_sandbox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
