/*
 * A journal that an interrupted run left: whatever it says, what is carried
 * out stays below third-party/, but for the build config; and carrying out
 * what was carried out changes nothing.
 */
#include "journal.h"
#include "layout.h"
#include "scratch.h"

#define THIRD_PARTY "p/" LAYOUT_THIRD_PARTY

/* A small installation, with something staged, between two neighbours. */
static void set_up(const void *bytes, size_t size)
{
	struct error err = ERROR_INIT;
	int root CLEANUP(fs_close) = scratch_folder(".");
	int third_party CLEANUP(fs_close) = -1;
	int staging CLEANUP(fs_close) = -1;

	FUZZ_ASSERT(fs_remove_tree(root, "p", &err));
	third_party = scratch_folder(THIRD_PARTY);
	staging = scratch_folder(THIRD_PARTY "/" LAYOUT_STAGING);
	scratch_write(root, "p/package.json", "{}", 2);
	scratch_write(root, "beside", "x", 1);
	scratch_write(third_party, "a", "old", 3);
	scratch_write(staging, "1", "new", 3);
	scratch_write(third_party, LAYOUT_RECEIPT_NEXT, "{}", 2);
	FUZZ_ASSERT(!symlinkat("..", third_party, "up"));
	scratch_write(third_party, LAYOUT_JOURNAL, bytes, size);
}

static void expect_names(int at, const char *folder, const char *const *names,
			 size_t count)
{
	struct list found CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;

	FUZZ_ASSERT(fs_list(at, folder, &found, &err));
	for (size_t i = 0; i < found.count; i++) {
		bool known = false;

		for (size_t j = 0; j < count; j++)
			known |= !strcmp(found.items[i], names[j]);
		FUZZ_ASSERT(known);
	}
}

static void check_around(int root)
{
	static const char *const beside[] = {"beside", "p"};
	static const char *const package[] = {
		"package.json",
		LAYOUT_THIRD_PARTY,
		LAYOUT_CONFIG,
	};
	struct error err = ERROR_INIT;
	struct stat st;

	expect_names(root, ".", beside, ARRAY_SIZE(beside));
	expect_names(root, "p", package, ARRAY_SIZE(package));
	FUZZ_ASSERT(fs_stat_at(root, "beside", &st, &err) == 1);
	FUZZ_ASSERT(st.st_size == 1);
	FUZZ_ASSERT(fs_stat_at(root, "p/package.json", &st, &err) == 1);
	FUZZ_ASSERT(st.st_size == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int root CLEANUP(fs_close) = scratch_folder(".");
	int package CLEANUP(fs_close) = -1;
	int third_party CLEANUP(fs_close) = -1;
	struct error err = ERROR_INIT;
	bool did = false;

	set_up(data, size);
	package = scratch_folder("p");
	third_party = scratch_folder(THIRD_PARTY);
	if (journal_recover(package, third_party, &did, &err)) {
		FUZZ_ASSERT(!journal_exists(third_party));
		FUZZ_ASSERT(journal_recover(package, third_party, &did, &err));
		FUZZ_ASSERT(!did);
	} else {
		FUZZ_ASSERT(err.kind == ERROR_FILESYSTEM && *err.text);
	}
	check_around(root);
	return 0;
}
