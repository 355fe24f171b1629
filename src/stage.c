#include "stage.h"

#include "fs.h"
#include "memory.h"
#include "path.h"

static bool read_folder(int root, const char *path, unsigned depth,
			struct tree *tree, struct error *err);

static bool refused(const char *path, const char *words, struct error *err)
{
	return error_set(err, ERROR_CONFIG, "%s %s, and cannot be packed", path,
			 words);
}

static bool add_link(int root, const char *path, struct tree *tree,
		     struct error *err)
{
	char *target CLEANUP(memory_release) = NULL;
	const char *words;

	if (!fs_read_link(root, path, &target, err))
		return false;
	words = path_link_refused(path, target);
	if (words)
		return refused(path, words, err);
	tree_add(tree, TREE_LINK, path)->link = target;
	target = NULL;
	return true;
}

static bool add(int root, const char *path, unsigned depth, struct tree *tree,
		struct error *err)
{
	const char *words = path_refused(path);
	struct tree_entry *entry;
	struct stat st;
	int found;

	if (words)
		return refused(path, words, err);
	found = fs_stat_at(root, path, &st, err);
	if (found < 0)
		return false;
	if (!found)
		return refused(path, "went away", err);
	if (S_ISDIR(st.st_mode))
		return read_folder(root, path, depth - 1, tree, err);
	if (S_ISLNK(st.st_mode))
		return add_link(root, path, tree, err);
	if (!S_ISREG(st.st_mode))
		return refused(path, "is neither a file, a folder nor a link",
			       err);
	entry = tree_add(tree, TREE_FILE, path);
	entry->size = (uint64_t)st.st_size;
	entry->executable = st.st_mode & 0100;
	return true;
}

/* `path` is "" for the root; deeper than a path may be is refused by it. */
static bool read_folder(int root, const char *path, unsigned depth,
			struct tree *tree, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (!depth)
		return refused(path, "lies too deep", err);
	if (!fs_list(root, *path ? path : ".", &names, err))
		return false;
	if (!names.count && *path)
		tree_add(tree, TREE_FOLDER, path);
	for (size_t i = 0; i < names.count; i++) {
		char *inner CLEANUP(memory_release) =
			path_join(path, names.items[i]);

		if (!add(root, inner, depth, tree, err))
			return false;
	}
	return true;
}

bool stage_read(int folder, struct tree *tree, struct error *err)
{
	struct tree found CLEANUP(tree_release) = TREE_INIT;

	if (!read_folder(folder, "", PATH_DEPTH_MAX + 1, &found, err))
		return false;
	tree_sort(&found);
	*tree = found;
	found = (struct tree)TREE_INIT;
	return true;
}
