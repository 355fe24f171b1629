#include "tree.h"

#include "memory.h"
#include "path.h"

struct tree_entry *tree_add(struct tree *tree, enum tree_kind kind,
			    const char *path)
{
	struct tree_entry *entry;

	tree->entries = memory_grow(tree->entries, tree->count, sizeof(*entry));
	entry = &tree->entries[tree->count++];
	*entry = (struct tree_entry){
		.kind = kind,
		.path = memory_string(path),
	};
	return entry;
}

struct tree_entry *tree_add_copy(struct tree *tree,
				 const struct tree_entry *entry,
				 const char *path)
{
	struct tree_entry *added = tree_add(tree, entry->kind, path);

	added->executable = entry->executable;
	added->size = entry->size;
	added->digest = entry->digest;
	added->mtime = entry->mtime;
	if (entry->link)
		added->link = memory_string(entry->link);
	return added;
}

void tree_copy(struct tree *into, const struct tree *from)
{
	for (size_t i = 0; i < from->count; i++)
		tree_add_copy(into, &from->entries[i], from->entries[i].path);
}

static int compare(const void *a, const void *b)
{
	const struct tree_entry *left = a, *right = b;

	return strcmp(left->path, right->path);
}

void tree_sort(struct tree *tree)
{
	for (size_t i = 1; i < tree->count; i++) {
		if (compare(&tree->entries[i - 1], &tree->entries[i]) <= 0)
			continue;
		qsort(tree->entries, tree->count, sizeof(*tree->entries),
		      compare);
		return;
	}
}

const struct tree_entry *tree_find(const struct tree *sorted, const char *path)
{
	struct tree_entry key = {.path = (char *)path};

	if (!sorted->count)
		return NULL;
	return bsearch(&key, sorted->entries, sorted->count, sizeof(key),
		       compare);
}

uint64_t tree_size(const struct tree *tree)
{
	uint64_t size = 0;

	for (size_t i = 0; i < tree->count; i++)
		size += tree->entries[i].size;
	return size;
}

size_t tree_names_size(const struct tree *tree)
{
	size_t size = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->entries[i];

		size += strlen(entry->path);
		size += entry->link ? strlen(entry->link) : 0;
	}
	return size;
}

void tree_release(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->entries[i].path);
		free(tree->entries[i].link);
	}
	free(tree->entries);
	*tree = (struct tree)TREE_INIT;
}

bool tree_entry_same(const struct tree_entry *a, const struct tree_entry *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TREE_FILE:
		return a->executable == b->executable && a->size == b->size &&
		       digest_equal(&a->digest, &b->digest);
	case TREE_LINK:
		return !strcmp(a->link, b->link);
	case TREE_FOLDER:
		break;
	}
	return true;
}

/* What goes before the path and the link's target, each ending in a NUL. */
struct packed_entry {
	uint64_t size;
	int64_t mtime;
	struct digest digest;
	uint32_t kind;
	uint32_t executable;
};

void tree_pack(const struct tree *tree, struct buf *out)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->entries[i];
		struct packed_entry packed = {
			.size = entry->size,
			.mtime = entry->mtime,
			.digest = entry->digest,
			.kind = entry->kind,
			.executable = entry->executable,
		};

		buf_append(out, &packed, sizeof(packed));
		buf_append(out, entry->path, strlen(entry->path) + 1);
		if (entry->kind == TREE_LINK)
			buf_append(out, entry->link, strlen(entry->link) + 1);
	}
}

/* The text at `*at`, which moves behind its NUL; NULL: there is no NUL. */
static const char *unpack_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *stop = memchr(text, '\0', (size_t)(end - text));

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

static bool unpack_entry(struct tree *tree, const char **at, const char *end)
{
	struct packed_entry packed;
	struct tree_entry *entry;
	const char *path, *link = NULL;

	if ((size_t)(end - *at) < sizeof(packed))
		return false;
	memcpy(&packed, *at, sizeof(packed));
	*at += sizeof(packed);
	path = unpack_text(at, end);
	if (!path || path_refused(path) || packed.kind > TREE_FOLDER ||
	    packed.executable > 1 || packed.size > TREE_FILE_SIZE_MAX)
		return false;
	if (packed.kind == TREE_LINK) {
		link = unpack_text(at, end);
		if (!link || path_link_refused(path, link))
			return false;
	}
	entry = tree_add(tree, packed.kind, path);
	entry->link = link ? memory_string(link) : NULL;
	entry->mtime = packed.mtime;
	if (packed.kind == TREE_FILE) {
		entry->size = packed.size;
		entry->digest = packed.digest;
		entry->executable = packed.executable;
	}
	return true;
}

bool tree_unpack(struct tree *tree, const char *bytes, size_t length,
		 struct error *err)
{
	struct tree unpacked CLEANUP(tree_release) = TREE_INIT;
	const char *at = bytes, *end = bytes + length;

	while (at < end) {
		if (unpacked.count == TREE_ENTRIES_MAX ||
		    !unpack_entry(&unpacked, &at, end))
			return error_set(err, ERROR_ARCHIVE,
					 "the list of unpacked files is "
					 "malformed at byte %zu of %zu",
					 (size_t)(at - bytes), length);
	}
	*tree = unpacked;
	unpacked = (struct tree)TREE_INIT;
	return true;
}
