#include "present.h"

#include <errno.h>
#include <fcntl.h>

#include "fs.h"
#include "memory.h"
#include "path.h"

static bool same_file(const struct present *present,
		      const struct tree_entry *entry, const struct stat *st,
		      bool *same, struct error *err)
{
	struct digest found;
	int fd CLEANUP(fs_close) = -1;

	*same = false;
	if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size != entry->size)
		return true;
	fd = fs_open_at(present->third_party, entry->path, O_RDONLY, 0);
	if (fd < 0)
		return error_system(err, errno, "cannot open %s", entry->path);
	if (!digest_file(fd, &found, NULL, err))
		return error_prefix(err, "%s", entry->path);
	*same = digest_equal(&found, &entry->digest);
	return true;
}

static bool same_link(const struct present *present,
		      const struct tree_entry *entry, const struct stat *st,
		      bool *same, struct error *err)
{
	char *target CLEANUP(memory_release) = NULL;

	*same = false;
	if (!S_ISLNK(st->st_mode))
		return true;
	if (!fs_read_link(present->third_party, entry->path, &target, err))
		return false;
	*same = !strcmp(target, entry->link);
	return true;
}

bool present_same(const struct present *present, const struct tree_entry *entry,
		  const struct stat *st, bool *same, struct error *err)
{
	return entry->kind == TREE_LINK
		       ? same_link(present, entry, st, same, err)
		       : same_file(present, entry, st, same, err);
}

bool present_mode_fits(const struct present *present,
		       const struct tree_entry *entry, const struct stat *st)
{
	const struct tree_entry *ours =
		ownership_before(present->ownership, entry->path);

	return (!entry->executable || st->st_mode & 0100) &&
	       (!ours || ours->executable == entry->executable);
}

static bool is_untouched(const struct tree_entry *ours, const struct stat *st)
{
	return ours->kind == TREE_FILE && S_ISREG(st->st_mode) &&
	       (uint64_t)st->st_size == ours->size &&
	       ours->mtime == fs_mtime(st);
}

bool present_as_installed(const struct present *present, const char *path,
			  const struct stat *st, bool *is, struct error *err)
{
	const struct tree_entry *ours =
		ownership_before(present->ownership, path);

	*is = present->trust_times && ours && is_untouched(ours, st);
	return *is || !ours || ours->kind == TREE_FOLDER ||
	       present_same(present, ours, st, is, err);
}

static bool only_ours(const struct present *present, const char *folder,
		      unsigned depth, bool *only, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	*only = depth > 0;
	if (!*only)
		return true;
	if (!fs_list(present->third_party, folder, &names, err))
		return false;
	for (size_t i = 0; *only && i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			path_join(folder, names.items[i]);
		struct stat st;
		int there = fs_stat_at(present->third_party, path, &st, err);

		if (there < 0)
			return false;
		if (there && !S_ISDIR(st.st_mode))
			*only = ownership_before(present->ownership, path);
		else if (there &&
			 !only_ours(present, path, depth - 1, only, err))
			return false;
	}
	return true;
}

bool present_only_ours(const struct present *present, const char *folder,
		       bool *only, struct error *err)
{
	return only_ours(present, folder, PATH_DEPTH_MAX, only, err);
}
