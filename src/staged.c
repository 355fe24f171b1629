#include "staged.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "fs.h"
#include "layout.h"
#include "memory.h"
#include "path.h"
#include "set.h"

bool staged_check(int third_party, struct owner *owner, struct error *err)
{
	struct stat st;
	int there = fs_stat_at(third_party, owner->staged, &st, err);

	if (there < 0)
		return false;
	if (!there ||
	    (owner->entry->kind == TREE_FILE
		     ? !S_ISREG(st.st_mode) ||
			       (uint64_t)st.st_size != owner->entry->size
		     : !S_ISLNK(st.st_mode)))
		return error_set(err, ERROR_FILESYSTEM,
				 LAYOUT_THIRD_PARTY "/%s is not as it was "
						    "written a moment ago",
				 owner->staged);
	owner->entry->mtime = fs_mtime(&st);
	return true;
}

bool staged_hash(int third_party, const struct owner *owner, struct error *err)
{
	int file CLEANUP(fs_close) = -1;
	struct digest found;

	if (!owner->staged || owner->entry->kind != TREE_FILE)
		return true;
	file = fs_open_at(third_party, owner->staged, O_RDONLY | O_NONBLOCK, 0);
	if (file < 0)
		return error_system(err, errno, "cannot open %s",
				    owner->staged);
	if (!digest_file(file, &found, NULL, err))
		return error_prefix(err, "%s", owner->staged);
	return digest_equal(&found, &owner->entry->digest) ||
	       error_set(err, ERROR_ARCHIVE,
			 "%s: %s is not what the manifest promises",
			 owner->artifact, owner->entry->path);
}

/* The owner's name and those of the folders down to `folder`. */
static void add_names(struct set *names, struct list *folders,
		      const struct owner *owner, const char *folder)
{
	char *path CLEANUP(memory_release) = memory_string(owner->staged);
	size_t length = strlen(folder);

	if (owner->entry->kind == TREE_FOLDER)
		list_add(folders, path);
	set_add(names, path);
	while (path[length]) {
		*strrchr(path, '/') = '\0';
		/* What is known is known with its folders. */
		if (!set_add(names, path))
			return;
		list_add(folders, path);
	}
}

static bool holds_only(int third_party, const char *folder,
		       const struct set *known, bool *only, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (!fs_list(third_party, folder, &names, err))
		return false;
	for (size_t i = 0; *only && i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			path_join(folder, names.items[i]);

		*only = set_has(known, path);
	}
	return true;
}

bool staged_only(int third_party, const char *folder,
		 const struct owner *owners, size_t count, bool *only,
		 struct error *err)
{
	struct list folders CLEANUP(list_release) = LIST_INIT;
	struct set names CLEANUP(set_release) = SET_INIT;

	*only = true;
	for (size_t i = 0; i < count; i++)
		add_names(&names, &folders, &owners[i], folder);
	for (size_t i = 0; *only && i < folders.count; i++) {
		if (!holds_only(third_party, folders.items[i], &names, only,
				err))
			return error_prefix(err, LAYOUT_THIRD_PARTY);
	}
	return true;
}
