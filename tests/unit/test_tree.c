/* Lists of files: order, JSON and the form between two processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory.h"
#include "tree.h"

#define HEX "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* One of each kind, out of order. */
static void fill(struct tree *tree)
{
	struct tree_entry *entry;

	entry = tree_add(tree, TREE_FILE, "lib/b.so");
	entry->size = 5;
	entry->executable = true;
	entry->mtime = INT64_C(1763693700123456789);
	assert_true(digest_from_hex(&entry->digest, HEX));
	tree_add(tree, TREE_FOLDER, "lib");
	tree_add(tree, TREE_LINK, "lib/a.so")->link = memory_string("b.so");
	tree_add(tree, TREE_FILE, "lib-x")->size = 7;
}

static void assert_same_tree(const struct tree *a, const struct tree *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_string_equal(a->entries[i].path, b->entries[i].path);
		assert_true(tree_entry_same(&a->entries[i], &b->entries[i]));
		assert_int_equal(a->entries[i].mtime, b->entries[i].mtime);
	}
}

static bool read(struct tree *tree, const char *text, struct error *err)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct json root;

	if (!json_parse(&document, "doc", text, strlen(text),
			JSON_WHOLE_NUMBERS, err))
		return false;
	root = json_root(&document);
	return tree_read_json(tree, &root, err);
}

static void entries_are_found_once_sorted(void **state)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;

	(void)state;
	assert_null(tree_find(&tree, "lib"));
	fill(&tree);
	tree_sort(&tree);
	assert_string_equal(tree.entries[0].path, "lib");
	assert_string_equal(tree.entries[1].path, "lib-x");
	assert_int_equal(tree_find(&tree, "lib/a.so")->kind, TREE_LINK);
	assert_null(tree_find(&tree, "lib/c.so"));
	assert_int_equal(tree_size(&tree), 12);
}

static void sameness_looks_at_kind_bytes_mode_and_target(void **state)
{
	struct tree_entry file = {.kind = TREE_FILE, .size = 1};
	struct tree_entry other = file;
	struct tree_entry link = {.kind = TREE_LINK, .link = (char[]){"a"}};
	struct tree_entry link_b = {.kind = TREE_LINK, .link = (char[]){"b"}};
	struct tree_entry folder = {.kind = TREE_FOLDER};

	(void)state;
	other.mtime = 9;
	assert_true(tree_entry_same(&file, &other));
	other.executable = true;
	assert_false(tree_entry_same(&file, &other));
	other = file;
	other.digest.bytes[31] = 1;
	assert_false(tree_entry_same(&file, &other));
	other = file;
	other.size = 2;
	assert_false(tree_entry_same(&file, &other));
	assert_false(tree_entry_same(&file, &folder));
	assert_false(tree_entry_same(&link, &link_b));
	assert_true(tree_entry_same(&link, &link));
	assert_true(tree_entry_same(&folder, &folder));
}

static void json_comes_back_as_it_was(void **state)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct tree again CLEANUP(tree_release) = TREE_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct json_writer writer;
	struct error err = ERROR_INIT;

	(void)state;
	fill(&tree);
	tree_sort(&tree);
	json_writer_start(&writer, &out);
	tree_write_json(&tree, &writer, NULL);
	json_writer_finish(&writer);
	assert_non_null(strstr(
		out.data, "{ \"path\": \"lib/b.so\", \"size\": 5, \"sha256\": "
			  "\"" HEX "\", \"mtime\": \"1763693700123456789\", "
			  "\"executable\": true }"));
	if (!read(&again, out.data, &err))
		fail_msg("%s", err.text);
	assert_same_tree(&tree, &again);
}

#define FILE_AT(path) \
	"{\"path\":\"" path "\",\"size\":1,\"sha256\":\"" HEX "\"}"

static void malformed_json_is_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{}", "expected an array"},
		{"[1]", "$[0]: expected an object"},
		{"[{}]", "\"path\" is missing"},
		{"[{\"path\":\"../a\",\"folder\":true}]",
		 "$[0].path: the path \"../a\" leaves its folder"},
		{"[{\"path\":\"a\"}]", "\"size\" is missing"},
		{"[{\"path\":\"a\",\"size\":1}]", "\"sha256\" is missing"},
		{"[{\"path\":\"a\",\"size\":-1,\"sha256\":\"" HEX "\"}]",
		 "$[0].size: expected a whole number"},
		{"[{\"path\":\"a\",\"size\":68719476737,\"sha256\":\"" HEX
		 "\"}]",
		 "$[0].size: expected a whole number"},
		{"[{\"path\":\"a\",\"size\":\"1\",\"sha256\":\"" HEX "\"}]",
		 "$[0].size: expected a whole number"},
		{"[{\"path\":\"a\",\"size\":1,\"sha256\":\"" HEX "0\"}]",
		 "$[0].sha256: expected 64 hexadecimal digits"},
		{"[{\"path\":\"a\",\"size\":1,\"sha256\":\"" HEX
		 "\",\"mode\":1}]",
		 "\"mode\" is not known"},
		{"[{\"path\":\"a\",\"size\":1,\"sha256\":\"" HEX
		 "\",\"mtime\":1}]",
		 "$[0].mtime: expected a string"},
		{"[{\"path\":\"a\",\"size\":1,\"sha256\":\"" HEX
		 "\",\"mtime\":\"\"}]",
		 "$[0].mtime: expected nanoseconds"},
		{"[{\"path\":\"a\",\"size\":1,\"sha256\":\"" HEX
		 "\",\"mtime\":\"99999999999999999999\"}]",
		 "$[0].mtime: expected nanoseconds"},
		{"[{\"path\":\"a\",\"size\":1,\"sha256\":\"" HEX
		 "\",\"executable\":1}]",
		 "$[0].executable: expected true or false"},
		{"[{\"path\":\"a\",\"link\":\"../b\"}]",
		 "$[0].link: the link to \"../b\" points out of its folder"},
		{"[{\"path\":\"a\",\"link\":\"b\",\"size\":1}]",
		 "\"size\" is not known"},
		{"[{\"path\":\"a\",\"link\":3}]", "expected a string"},
		{"[{\"path\":\"a\",\"folder\":false}]", "expected true"},
		{"[" FILE_AT("a") "," FILE_AT("a") "]",
		 "the path \"a\" is there twice"},
		{"[" FILE_AT("a") "," FILE_AT("a-b") "," FILE_AT("a/b") "]",
		 "the path \"a/b\" lies below what is not a folder"},
		{"[" FILE_AT("a/b/c/d") "," FILE_AT("a") "]",
		 "the path \"a/b/c/d\" lies below"},
		{"[" FILE_AT("a/c") ",{\"path\":\"a\",\"link\":\"b\"}]",
		 "the path \"a/c\" lies below"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree tree CLEANUP(tree_release) = TREE_INIT;
		struct error err = ERROR_INIT;

		if (read(&tree, cases[i].text, &err))
			fail_msg("accepted: %s", cases[i].text);
		assert_int_equal(tree.count, 0);
		assert_int_equal(err.kind, ERROR_CONFIG);
		if (!strstr(err.text, cases[i].message))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void files_beside_a_folder_are_fine(void **state)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct tree none CLEANUP(tree_release) = TREE_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(read(
		&tree,
		"[" FILE_AT("a/b") ",{\"path\":\"a\",\"folder\":"
				   "true}," FILE_AT("a-b") "," FILE_AT(
					   "a/c/d") "," FILE_AT("a/c/e") "]",
		&err));
	assert_int_equal(tree.count, 5);
	assert_true(read(&none, "[]", &err) && !none.count);
}

static void a_packed_tree_comes_back_as_it_was(void **state)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct tree again CLEANUP(tree_release) = TREE_INIT;
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(tree_unpack(&again, bytes.data, 0, &err));
	assert_int_equal(again.count, 0);
	fill(&tree);
	tree_pack(&tree, &bytes);
	assert_true(tree_unpack(&again, bytes.data, bytes.length, &err));
	assert_same_tree(&tree, &again);
}

/* Nothing that a broken worker sends may do more than be refused. */
static void a_damaged_packed_tree_does_no_harm(void **state)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	size_t refused = 0;

	(void)state;
	fill(&tree);
	tree_pack(&tree, &bytes);
	for (size_t cut = 1; cut < bytes.length; cut++) {
		struct tree again CLEANUP(tree_release) = TREE_INIT;
		char *copy CLEANUP(memory_release) =
			memory_string_n(bytes.data, cut);

		copy = memory_resize(copy, cut, 1); /* no byte behind it */
		refused += !tree_unpack(&again, copy, cut, &err);
	}
	/* Cut between two entries, what is there is a tree. */
	assert_int_equal(refused, bytes.length - 1 - (tree.count - 1));
	for (size_t i = 0; i < bytes.length; i++) {
		for (int bit = 0; bit < 8; bit++) {
			struct tree again CLEANUP(tree_release) = TREE_INIT;

			bytes.data[i] ^= (char)(1 << bit);
			if (!tree_unpack(&again, bytes.data, bytes.length,
					 &err))
				assert_int_equal(err.kind, ERROR_ARCHIVE);
			bytes.data[i] ^= (char)(1 << bit);
		}
	}
}

static void a_path_that_leaves_is_refused_when_unpacked(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tree tree CLEANUP(tree_release) = TREE_INIT;
		struct tree again CLEANUP(tree_release) = TREE_INIT;
		struct buf bytes CLEANUP(buf_release) = BUF_INIT;

		tree_add(&tree, i ? TREE_LINK : TREE_FILE, i ? "a" : "../a");
		tree.entries[0].link = i ? memory_string("/etc") : NULL;
		tree_pack(&tree, &bytes);
		assert_false(
			tree_unpack(&again, bytes.data, bytes.length, &err));
		assert_int_equal(again.count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_once_sorted),
		cmocka_unit_test(sameness_looks_at_kind_bytes_mode_and_target),
		cmocka_unit_test(json_comes_back_as_it_was),
		cmocka_unit_test(malformed_json_is_refused),
		cmocka_unit_test(files_beside_a_folder_are_fine),
		cmocka_unit_test(a_packed_tree_comes_back_as_it_was),
		cmocka_unit_test(a_damaged_packed_tree_does_no_harm),
		cmocka_unit_test(a_path_that_leaves_is_refused_when_unpacked),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
