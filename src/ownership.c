#include "ownership.h"

#include "memory.h"
#include "path.h"
#include "set.h"

/* Every file of the old receipt, to look paths up in. */
static void collect_before(struct ownership *ownership,
			   const struct receipt *old)
{
	for (size_t i = 0; old && i < old->artifact_count; i++) {
		const struct tree *files = &old->artifacts[i].files;

		for (size_t j = 0; j < files->count; j++)
			tree_add_copy(&ownership->before, &files->entries[j],
				      files->entries[j].path);
	}
	tree_sort(&ownership->before);
}

static int compare_owners(const void *a, const void *b)
{
	const struct owner *first = a, *second = b;
	int order = strcmp(first->entry->path, second->entry->path);

	if (order)
		return order;
	/* What is in place already comes before what would be put there. */
	return (first->staged != NULL) - (second->staged != NULL);
}

static void set_staged(struct owner *owner, const char *staging,
		       const char *path)
{
	owner->staged = path_join(staging, path);
	owner->inner = strlen(owner->entry->path) - strlen(path);
}

static void collect_owners(struct ownership *ownership, struct receipt *receipt,
			   const struct supplied *supplied)
{
	size_t count = 0;

	for (size_t i = 0; i < receipt->artifact_count; i++)
		count += receipt->artifacts[i].files.count;
	ownership->owners = memory_allocate(count * sizeof(*ownership->owners));
	for (size_t i = 0; i < receipt->artifact_count; i++) {
		char *staging CLEANUP(memory_release) = supplied_staging(i);
		struct receipt_artifact *artifact = &receipt->artifacts[i];

		for (size_t j = 0; j < artifact->files.count; j++) {
			struct owner *owner =
				&ownership->owners[ownership->count++];

			owner->entry = &artifact->files.entries[j];
			owner->artifact = artifact->name;
			if (supplied[i].staged)
				set_staged(owner, staging,
					   supplied[i].files.entries[j].path);
		}
	}
	if (count)
		qsort(ownership->owners, count, sizeof(*ownership->owners),
		      compare_owners);
}

void ownership_collect(struct ownership *ownership, const struct receipt *old,
		       struct receipt *receipt, const struct supplied *supplied)
{
	collect_before(ownership, old);
	collect_owners(ownership, receipt, supplied);
}

void ownership_release(struct ownership *ownership)
{
	for (size_t i = 0; i < ownership->count; i++)
		free(ownership->owners[i].staged);
	free(ownership->owners);
	tree_release(&ownership->before);
}

static const struct owner *find(const struct ownership *ownership,
				const char *path)
{
	size_t low = 0, high = ownership->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(ownership->owners[middle].entry->path, path);

		if (!order)
			return &ownership->owners[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool ownership_has(const struct ownership *ownership, const char *path)
{
	return find(ownership, path) != NULL;
}

bool ownership_has_folder(const struct ownership *ownership, const char *path)
{
	const struct owner *owner = find(ownership, path);

	return owner && owner->entry->kind == TREE_FOLDER;
}

const struct tree_entry *ownership_before(const struct ownership *ownership,
					  const char *path)
{
	return tree_find(&ownership->before, path);
}

/* The owner above `path` that is no folder; NULL: none. `path` is cut. */
static const struct owner *in_the_way(const struct ownership *ownership,
				      struct set *seen, char *path)
{
	for (char *slash; (slash = strrchr(path, '/'));) {
		const struct owner *above;

		*slash = '\0';
		/* What was seen has been looked at to its root. */
		if (!set_add(seen, path))
			return NULL;
		above = find(ownership, path);
		if (above && above->entry->kind != TREE_FOLDER)
			return above;
	}
	return NULL;
}

bool ownership_check(const struct ownership *ownership, struct error *err)
{
	struct set seen CLEANUP(set_release) = SET_INIT;

	for (size_t i = 0; i < ownership->count; i++) {
		const struct owner *owner = &ownership->owners[i];
		char *path CLEANUP(memory_release) =
			memory_string(owner->entry->path);
		const struct owner *above = in_the_way(ownership, &seen, path);

		if (!above)
			continue;
		error_set(err, ERROR_ARCHIVE,
			  "%s of %s lies below %s, which is no folder in %s",
			  owner->entry->path, owner->artifact,
			  above->entry->path, above->artifact);
		return error_hint(err, "This release cannot be installed with "
				       "both; report it to its publisher.");
	}
	return true;
}
