/*
 * unpacked.h - what has to be true of every archive that is given to unpack.h:
 * nothing is written outside the folder; what is refused is refused with a
 * reason, written or only read; of what is accepted the folder holds exactly
 * the files, links and folders of the list, with their sizes, digests, modes.
 */
#ifndef FUZZ_UNPACKED_H
#define FUZZ_UNPACKED_H

#include "digest.h"
#include "path.h"
#include "scratch.h"
#include "unpack.h"

#define UNPACKED_BYTES_MAX (UINT64_C(1) << 20)

struct unpacked_archive {
	const void *bytes;
	size_t length;
	enum archive_format format;
};

static inline bool unpacked_run(const struct unpacked_archive *archive,
				int into, struct tree *tree)
{
	struct unpack_limits limits = {.bytes = UNPACKED_BYTES_MAX,
				       .entries = 1000};
	int file CLEANUP(fs_close) =
		scratch_file(archive->bytes, archive->length);
	struct error err = ERROR_INIT;

	if (unpack_archive(file, "doc", archive->format, &limits, into, tree,
			   &err))
		return true;
	FUZZ_ASSERT(err.kind == ERROR_ARCHIVE);
	FUZZ_ASSERT(strlen(err.text) > strlen("doc: "));
	FUZZ_ASSERT(!tree->count);
	return false;
}

static inline void unpacked_check_file(int into, const struct tree_entry *entry,
				       const struct stat *st)
{
	int file CLEANUP(fs_close) = fs_open_at(into, entry->path, O_RDONLY, 0);
	struct error err = ERROR_INIT;
	struct digest digest;

	FUZZ_ASSERT(st->st_nlink == 1 && (uint64_t)st->st_size == entry->size);
	FUZZ_ASSERT((st->st_mode & 07777) == (entry->executable ? 0755 : 0644));
	FUZZ_ASSERT(file >= 0 && digest_file(file, &digest, NULL, &err));
	FUZZ_ASSERT(digest_equal(&digest, &entry->digest));
}

static inline void unpacked_check_link(int into, const struct tree_entry *entry)
{
	struct error err = ERROR_INIT;
	char *target CLEANUP(memory_release) = NULL;

	FUZZ_ASSERT(fs_read_link(into, entry->path, &target, &err));
	FUZZ_ASSERT(!strcmp(target, entry->link));
	FUZZ_ASSERT(!path_link_refused(entry->path, target));
}

/* Counts the entries of the list that lie in this folder or below. */
static inline size_t unpacked_walk(int into, const char *folder,
				   const struct tree *tree)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;
	size_t seen = 0;

	FUZZ_ASSERT(fs_list(into, *folder ? folder : ".", &names, &err));
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			path_join(folder, names.items[i]);
		const struct tree_entry *entry = tree_find(tree, path);
		struct stat st;

		FUZZ_ASSERT(!path_refused(path));
		FUZZ_ASSERT(fs_stat_at(into, path, &st, &err) == 1);
		if (S_ISDIR(st.st_mode)) {
			size_t below = unpacked_walk(into, path, tree);

			FUZZ_ASSERT((st.st_mode & 07777) == 0755);
			FUZZ_ASSERT(!entry || entry->kind == TREE_FOLDER);
			FUZZ_ASSERT(below || entry);
			seen += below + (entry != NULL);
			continue;
		}
		FUZZ_ASSERT(entry &&
			    (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)));
		FUZZ_ASSERT((entry->kind == TREE_LINK) ==
			    !!S_ISLNK(st.st_mode));
		if (entry->kind == TREE_LINK)
			unpacked_check_link(into, entry);
		else
			unpacked_check_file(into, entry, &st);
		seen++;
	}
	return seen;
}

static inline void unpacked_same(const struct tree *a, const struct tree *b)
{
	FUZZ_ASSERT(a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		FUZZ_ASSERT(!strcmp(a->entries[i].path, b->entries[i].path));
		FUZZ_ASSERT(tree_entry_same(&a->entries[i], &b->entries[i]));
	}
}

/* `written` is unpacked; `checked`, which holds the same, is only read. */
static inline void unpacked_check(const struct unpacked_archive *written,
				  const struct unpacked_archive *checked)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct tree again CLEANUP(tree_release) = TREE_INIT;
	struct list beside CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;
	int root CLEANUP(fs_close) = scratch_folder(".");
	int into CLEANUP(fs_close) = -1;
	bool accepted;

	FUZZ_ASSERT(fs_remove_tree(root, "a/into", &err));
	into = scratch_folder("a/into");
	accepted = unpacked_run(written, into, &tree);
	FUZZ_ASSERT(unpacked_run(checked, -1, &again) == accepted);
	FUZZ_ASSERT(fs_list(root, ".", &beside, &err));
	FUZZ_ASSERT(fs_list(root, "a", &beside, &err));
	FUZZ_ASSERT(beside.count == 2);
	if (!accepted)
		return;
	FUZZ_ASSERT(tree.count && tree_size(&tree) <= UNPACKED_BYTES_MAX);
	FUZZ_ASSERT(unpacked_walk(into, "", &tree) == tree.count);
	unpacked_same(&tree, &again);
}

#endif
