#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "archive_bytes.h"
#include "folder.h"
#include "pack.h"
#include "stage.h"
#include "tar_scan.h"
#include "unpack.h"

static void stage_sample(const char *folder)
{
	char *path CLEANUP(memory_release) = folder_path(folder, "bin/tool");

	folder_write(folder, "z.txt", "last");
	folder_write(folder, "bin/tool", "#!/bin/sh\n");
	folder_write(folder, "F.framework/Versions/A/F", "code");
	folder_link(folder, "F.framework/Versions/Current", "A");
	folder_link(folder, "F.framework/F", "Versions/Current/F");
	folder_add(folder, "empty/inner");
	assert_int_equal(chmod(path, 0750), 0);
}

static int open_folder(const char *path)
{
	struct error err = ERROR_INIT;
	int fd;

	if (!fs_open_folder(path, &fd, &err))
		fail_msg("%s", err.text);
	return fd;
}

/* An artifact without a manifest around it. */
struct packed {
	char *folder;
	struct manifest_artifact artifact;
};

static void pack_folder(struct packed *packed, const char *staged)
{
	int from CLEANUP(fs_close) = open_folder(staged);
	int out CLEANUP(fs_close) = -1;
	struct error err = ERROR_INIT;

	packed->folder = folder_make();
	packed->artifact = (struct manifest_artifact){
		.name = memory_string("core-ios"),
		.files = TREE_INIT,
	};
	out = open_folder(packed->folder);
	if (!pack_artifact(&packed->artifact, from, out, &err))
		fail_msg("%s", err.text);
}

static void packed_release(struct packed *packed)
{
	for (size_t i = 0; i < packed->artifact.archive_count; i++)
		free(packed->artifact.archives[i].file);
	free(packed->artifact.archives);
	free(packed->artifact.name);
	tree_release(&packed->artifact.files);
	folder_remove(&packed->folder);
}

static void an_artifact_becomes_two_archives_with_sidecars(void **state)
{
	char *staged CLEANUP(folder_remove) = folder_make();
	struct packed packed CLEANUP(packed_release);
	const struct manifest_artifact *artifact = &packed.artifact;
	int out CLEANUP(fs_close) = -1;

	(void)state;
	stage_sample(staged);
	pack_folder(&packed, staged);
	out = open_folder(packed.folder);
	assert_int_equal(artifact->archive_count, 2);
	assert_true(artifact->archives[0].size <= artifact->archives[1].size);
	assert_int_equal(artifact->unpacked_size, 18);
	assert_int_equal(artifact->files.count, 6);
	assert_true(tree_find(&artifact->files, "bin/tool")->executable);
	assert_false(tree_find(&artifact->files, "z.txt")->executable);
	assert_non_null(tree_find(&artifact->files, "empty/inner"));
	for (size_t i = 0; i < 2; i++) {
		const struct manifest_archive *archive = &artifact->archives[i];
		char *sidecar CLEANUP(memory_release) =
			memory_printf("%s.sha256", archive->file);
		int file CLEANUP(fs_close) =
			fs_open_at(out, archive->file, O_RDONLY, 0);
		struct buf text CLEANUP(buf_release) = BUF_INIT;
		struct error err = ERROR_INIT;
		char hex[DIGEST_HEX_SIZE];
		struct digest digest;
		uint64_t size;

		assert_true(digest_file(file, &digest, &size, &err));
		assert_int_equal(size, archive->size);
		assert_true(digest_equal(&digest, &archive->digest));
		digest_to_hex(&digest, hex);
		assert_true(fs_read_file(out, sidecar, 100, &text, NULL, &err));
		assert_int_equal(text.length, 65);
		assert_int_equal(strncmp(text.data, hex, 64), 0);
	}
}

static void equal_trees_give_equal_bytes(void **state)
{
	char *first CLEANUP(folder_remove) = folder_make();
	char *second CLEANUP(folder_remove) = folder_make();
	struct packed one CLEANUP(packed_release);
	struct packed two CLEANUP(packed_release);
	mode_t before;

	(void)state;
	stage_sample(first);
	before = umask(077);
	stage_sample(second);
	umask(before);
	pack_folder(&one, first);
	pack_folder(&two, second);
	for (size_t i = 0; i < 2; i++)
		assert_true(digest_equal(&one.artifact.archives[i].digest,
					 &two.artifact.archives[i].digest));
}

static void what_an_installer_refuses_is_not_packed(void **state)
{
	static const char *const names[] = {
		".git/config", "a\\b",  "aux.txt", "a/.rne-libs/receipt.json",
		"a:b",         "a\x1b", "\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *staged CLEANUP(folder_remove) = folder_make();
		char *target CLEANUP(folder_remove) = folder_make();
		int from CLEANUP(fs_close) = open_folder(staged);
		int out CLEANUP(fs_close) = open_folder(target);
		struct list left CLEANUP(list_release) = LIST_INIT;
		struct manifest_artifact artifact = {.name = (char *)"x"};
		struct error err = ERROR_INIT;

		folder_write(staged, names[i], "");
		if (pack_artifact(&artifact, from, out, &err))
			fail_msg("packed: %s", names[i]);
		assert_true(fs_list(out, ".", &left, &err));
		assert_int_equal(left.count, 0);
		for (size_t j = 0; j < artifact.archive_count; j++)
			free(artifact.archives[j].file);
		free(artifact.archives);
	}
}

static void other_kinds_of_files_are_named(void **state)
{
	char *staged CLEANUP(folder_remove) = folder_make();
	char *fifo CLEANUP(memory_release) = folder_path(staged, "pipe");
	int from CLEANUP(fs_close) = open_folder(staged);
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_false(stage_read(from, &tree, &err));
	assert_int_equal(err.kind, ERROR_CONFIG);
	assert_non_null(strstr(err.text, "pipe is neither a file"));
	assert_int_equal(unlink(fifo), 0);
	folder_link(staged, "link", "/etc/passwd");
	assert_false(stage_read(from, &tree, &err));
	assert_non_null(strstr(err.text, "link points to an absolute path"));
}

/* Every length around the fields of a header, there and back. */
static void paths_and_targets_of_any_length_survive(void **state)
{
	(void)state;
	for (size_t length = 90; length < 1000; length += 9) {
		struct buf tar CLEANUP(buf_release) = BUF_INIT;
		struct tar_scan *scan CLEANUP(tar_scan_free) = tar_scan_start();
		struct member member CLEANUP(member_release) = MEMBER_INIT;
		struct error err = ERROR_INIT;
		char path[1001];

		for (size_t i = 0; i < length; i++)
			path[i] = i % 60 == 59 ? '/' : (char)('a' + i % 26);
		path[length] = '\0';
		tar_entry(&tar, TREE_LINK, path, path);
		tar_end(&tar);
		if (!tar_scan_feed(scan, tar.data, tar.length, &err) ||
		    !tar_scan_next(scan, &member))
			fail_msg("%zu: %s", length, err.text);
		assert_string_equal(member.name, path);
		assert_string_equal(member.link, path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_artifact_becomes_two_archives_with_sidecars),
		cmocka_unit_test(equal_trees_give_equal_bytes),
		cmocka_unit_test(what_an_installer_refuses_is_not_packed),
		cmocka_unit_test(other_kinds_of_files_are_named),
		cmocka_unit_test(paths_and_targets_of_any_length_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
