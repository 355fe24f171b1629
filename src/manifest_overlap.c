/* Paths of all artifacts held against one another. */
#include "manifest_lint.h"
#include "member.h"
#include "memory.h"
#include "path.h"

/* A path below third-party/ that an artifact owns or needs as a folder. */
struct owned {
	char *path;
	char *key; /* equal where a disk takes two paths for one */
	const struct manifest_artifact *artifact;
	const struct tree_entry *entry; /* NULL: the folder of something */
};

struct owned_list {
	struct owned *items;
	size_t count;
};

static void owned_release(struct owned_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].path);
		free(list->items[i].key);
	}
	free(list->items);
}

static void add_owned(struct owned_list *list, const char *path,
		      const struct manifest_artifact *artifact,
		      const struct tree_entry *entry)
{
	list->items =
		memory_grow(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = (struct owned){
		.path = memory_string(path),
		.key = path_collision_key(path),
		.artifact = artifact,
		.entry = entry,
	};
}

/* The folders above `path` that are not above `previous`, its neighbour. */
static void add_folders(struct owned_list *list, const char *path,
			const char *previous,
			const struct manifest_artifact *artifact)
{
	size_t shared = 0;

	for (size_t i = 0; path[i] && path[i] == previous[i]; i++) {
		if (path[i] == '/')
			shared = i + 1;
	}
	for (const char *slash = path + shared; (slash = strchr(slash, '/'));
	     slash++) {
		char *folder CLEANUP(memory_release) =
			memory_string_n(path, (size_t)(slash - path));

		add_owned(list, folder, artifact, NULL);
	}
}

static void collect(struct owned_list *list,
		    const struct manifest_artifact *artifact)
{
	const char *destination = manifest_destination(artifact);
	char *previous CLEANUP(memory_release) = memory_string("");

	for (size_t i = 0; i < artifact->files.count; i++) {
		const struct tree_entry *entry = &artifact->files.entries[i];
		char *path = path_join(destination, entry->path);

		add_folders(list, path, previous, artifact);
		add_owned(list, path, artifact, entry);
		free(previous);
		previous = path;
	}
}

static int compare(const void *a, const void *b)
{
	const struct owned *left = a, *right = b;
	int order = strcmp(left->key, right->key);

	return order ? order : strcmp(left->path, right->path);
}

static bool is_folder(const struct owned *owned)
{
	return !owned->entry || owned->entry->kind == TREE_FOLDER;
}

static bool fits(const struct owned *a, const struct owned *b)
{
	if (is_folder(a) || is_folder(b))
		return is_folder(a) && is_folder(b);
	return tree_entry_same(a->entry, b->entry);
}

/* Says what is wrong between neighbours of one key; false: nothing is. */
static bool judge(const struct owned *a, const struct owned *b, char **text)
{
	if (strcmp(a->path, b->path)) {
		*text = memory_printf("%s (%s) and %s (%s) are one name where "
				      "case or accents do not count",
				      a->path, a->artifact->name, b->path,
				      b->artifact->name);
		return true;
	}
	if (fits(a, b))
		return false;
	*text = memory_printf("%s: %s and %s own it with different content",
			      a->path, a->artifact->name, b->artifact->name);
	return true;
}

static void compare_all(struct owned_list *list, struct manifest_lint *found)
{
	size_t count = 0;

	if (!list->count)
		return;
	qsort(list->items, list->count, sizeof(*list->items), compare);
	for (size_t i = 1; i < list->count; i++) {
		struct owned *before = &list->items[i - 1];
		char *text CLEANUP(memory_release) = NULL;

		if (strcmp(before->key, list->items[i].key) ||
		    !judge(before, &list->items[i], &text))
			continue;
		if (++count <= MANIFEST_LINT_SHOWN)
			list_add(&found->problems, text);
	}
	if (count > MANIFEST_LINT_SHOWN)
		list_addf(&found->problems, "and %zu more of this kind",
			  count - MANIFEST_LINT_SHOWN);
}

/* Names that no archive may have: unpacking would refuse the archive. */
static void check_names(const struct manifest_artifact *artifact,
			struct manifest_lint *found)
{
	size_t count = 0;

	for (size_t i = 0; i < artifact->files.count; i++) {
		const struct tree_entry *entry = &artifact->files.entries[i];
		struct member member = {.name = entry->path};
		char *path CLEANUP(memory_release) = NULL;
		struct error err = ERROR_INIT;

		if (!member_path(&member, &path, &err) &&
		    ++count <= MANIFEST_LINT_SHOWN)
			list_addf(&found->problems, "artifact %s: %s",
				  artifact->name, err.text);
	}
}

void manifest_lint_paths(const struct manifest *manifest,
			 struct manifest_lint *found)
{
	struct owned_list list CLEANUP(owned_release) = {NULL, 0};

	for (size_t i = 0; i < manifest->artifact_count; i++) {
		check_names(&manifest->artifacts[i], found);
		collect(&list, &manifest->artifacts[i]);
	}
	compare_all(&list, found);
}
