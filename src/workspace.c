#include "workspace.h"

#include <fcntl.h>

#include "fs.h"
#include "log.h"
#include "memory.h"
#include "place.h"
#include "workspace_pattern.h"

struct walk {
	const char *root;
	struct list found; /* relative; "" is the root itself */
	size_t looked_at;
	struct error *err;
};

static void walk_release(struct walk *walk)
{
	list_release(&walk->found);
}

static bool is_never_entered(const char *name)
{
	return !strcmp(name, "node_modules") || !strcmp(name, ".git");
}

static bool count_one(struct walk *walk)
{
	if (++walk->looked_at <= WORKSPACE_FOLDERS_MAX)
		return true;
	error_set(walk->err, ERROR_CONFIG,
		  "the workspaces of %s: more than %d folders would have to "
		  "be looked at",
		  walk->root, WORKSPACE_FOLDERS_MAX);
	return error_hint(walk->err,
			  "Name the app with --app DIR or RNET_APP_ROOT.");
}

/* What cannot be opened is no workspace: a file, a link into nothing. */
static bool list_folder(const char *path, struct list *names)
{
	struct error ignored = ERROR_INIT;
	int folder CLEANUP(fs_close) = -1;

	if (fs_open_folder(path, &folder, &ignored) &&
	    fs_list(folder, ".", names, &ignored))
		return true;
	log_verbose("%s", ignored.text);
	return false;
}

/* `**` does not follow links, which may lead in circles. */
static bool is_real_folder(const char *path)
{
	struct error ignored = ERROR_INIT;
	struct stat st;

	return fs_stat_at(AT_FDCWD, path, &st, &ignored) == 1 &&
	       S_ISDIR(st.st_mode);
}

static bool take(struct walk *walk, const char *path, const char *relative)
{
	char *file CLEANUP(memory_release) = place_join(path, "package.json");
	struct error ignored = ERROR_INIT;
	struct stat st;

	if (!count_one(walk))
		return false;
	if (fs_stat_at(AT_FDCWD, file, &st, &ignored) == 1)
		list_add(&walk->found, relative);
	return true;
}

static bool descend(struct walk *walk, const char *relative,
		    const char *pattern, unsigned depth);

static bool descend_into(struct walk *walk, const char *relative,
			 const char *name, const char *pattern, unsigned depth)
{
	char *below CLEANUP(memory_release) =
		*relative ? memory_printf("%s/%s", relative, name)
			  : memory_string(name);

	return is_never_entered(name) ||
	       descend(walk, below, pattern, depth + 1);
}

static bool descend_star(struct walk *walk, const char *path,
			 const char *relative, const char *pattern,
			 unsigned depth)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	bool globstar = workspace_is_globstar(pattern);
	const char *rest = workspace_next(pattern);

	/* `**` may also stand for no folder at all. */
	if (globstar && !descend(walk, relative, rest, depth))
		return false;
	if (!count_one(walk))
		return false;
	if (!list_folder(path, &names))
		return true;
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];

		if (globstar) {
			char *below CLEANUP(memory_release) =
				place_join(path, name);

			if (*name == '.' || !is_real_folder(below))
				continue;
		} else if (!workspace_match_name(pattern,
						 workspace_segment(pattern),
						 name, strlen(name))) {
			continue;
		}
		if (!descend_into(walk, relative, name,
				  globstar ? pattern : rest, depth))
			return false;
	}
	return true;
}

/* The folders at or below `relative` that match what is left of a pattern. */
static bool descend(struct walk *walk, const char *relative,
		    const char *pattern, unsigned depth)
{
	char *path CLEANUP(memory_release) =
		*relative ? place_join(walk->root, relative)
			  : memory_string(walk->root);
	size_t length = workspace_segment(pattern);
	char *name CLEANUP(memory_release) = memory_string_n(pattern, length);

	if (!*pattern)
		return take(walk, path, relative);
	if (depth >= WORKSPACE_DEPTH_MAX)
		return true;
	if (strpbrk(name, "*?"))
		return descend_star(walk, path, relative, pattern, depth);
	return descend_into(walk, relative, name, workspace_next(pattern),
			    depth);
}

static bool is_taken_away(const char *relative, const struct list *negative)
{
	for (size_t i = 0; i < negative->count; i++) {
		if (workspace_match(negative->items[i], relative))
			return true;
	}
	return false;
}

bool workspace_folders(const char *root, const struct list *patterns,
		       struct list *folders, struct error *err)
{
	struct list positive CLEANUP(list_release) = LIST_INIT;
	struct list negative CLEANUP(list_release) = LIST_INIT;
	struct walk walk CLEANUP(walk_release) = {.root = root, .err = err};

	for (size_t i = 0; i < patterns->count; i++) {
		const char *pattern = patterns->items[i];
		bool negates = *pattern == '!';

		if (!workspace_expand(pattern + negates,
				      negates ? &negative : &positive, err))
			return false;
	}
	for (size_t i = 0; i < positive.count; i++) {
		if (!descend(&walk, "", positive.items[i], 0))
			return false;
	}
	list_sort(&walk.found);
	for (size_t i = 0; i < walk.found.count; i++) {
		const char *relative = walk.found.items[i];
		char *path CLEANUP(memory_release) = NULL;

		if ((i && !strcmp(relative, walk.found.items[i - 1])) ||
		    is_taken_away(relative, &negative))
			continue;
		path = *relative ? place_join(root, relative)
				 : memory_string(root);
		list_add(folders, path);
	}
	return true;
}
