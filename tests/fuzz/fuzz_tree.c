/*
 * Lists of files, as JSON ('j' in front) and between two processes: what is
 * accepted keeps the promises of tree.h, and is the same after a round trip.
 */
#include "fuzz.h"
#include "path.h"
#include "tree.h"

static void check_entry(const struct tree_entry *entry)
{
	FUZZ_ASSERT(!path_refused(entry->path));
	FUZZ_ASSERT((entry->kind == TREE_LINK) == (entry->link != NULL));
	if (entry->link)
		FUZZ_ASSERT(!path_link_refused(entry->path, entry->link));
	FUZZ_ASSERT(entry->size <= TREE_FILE_SIZE_MAX);
	FUZZ_ASSERT(entry->kind == TREE_FILE || !entry->size);
	FUZZ_ASSERT(entry->kind == TREE_FILE || !entry->executable);
}

static void check_same(const struct tree *a, const struct tree *b)
{
	FUZZ_ASSERT(a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		FUZZ_ASSERT(!strcmp(a->entries[i].path, b->entries[i].path));
		FUZZ_ASSERT(tree_entry_same(&a->entries[i], &b->entries[i]));
		FUZZ_ASSERT(a->entries[i].mtime == b->entries[i].mtime);
	}
}

/* Sorted, each once, and nothing but folders above anything. */
static void check_order(const struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const char *path = tree->entries[i].path;
		char *above CLEANUP(memory_release) = path_parent(path);
		const struct tree_entry *folder = tree_find(tree, above);

		FUZZ_ASSERT(!i || strcmp(tree->entries[i - 1].path, path) < 0);
		FUZZ_ASSERT(!folder || folder->kind == TREE_FOLDER);
	}
}

static bool read(struct tree *tree, const char *text, size_t size)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct error err = ERROR_INIT;
	struct json root;

	if (!json_parse(&document, "doc", text, size, JSON_WHOLE_NUMBERS, &err))
		return false;
	root = json_root(&document);
	if (tree_read_json(tree, &root, &err))
		return true;
	FUZZ_ASSERT(err.kind == ERROR_CONFIG && *err.text);
	FUZZ_ASSERT(!tree->count);
	return false;
}

static void try_json(const char *text, size_t size)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct tree again CLEANUP(tree_release) = TREE_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct json_writer writer;

	if (!read(&tree, text, size))
		return;
	for (size_t i = 0; i < tree.count; i++)
		check_entry(&tree.entries[i]);
	check_order(&tree);
	json_writer_start(&writer, &out);
	tree_write_json(&tree, &writer, NULL);
	json_writer_finish(&writer);
	FUZZ_ASSERT(read(&again, out.data, out.length));
	check_same(&tree, &again);
}

static void try_packed(const char *bytes, size_t size)
{
	struct tree tree CLEANUP(tree_release) = TREE_INIT;
	struct tree again CLEANUP(tree_release) = TREE_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	if (!tree_unpack(&tree, bytes, size, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_ARCHIVE && *err.text);
		return;
	}
	for (size_t i = 0; i < tree.count; i++)
		check_entry(&tree.entries[i]);
	tree_pack(&tree, &out);
	FUZZ_ASSERT(out.length == size);
	FUZZ_ASSERT(tree_unpack(&again, out.data, out.length, &err));
	check_same(&tree, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data == 'j')
		try_json((const char *)data + 1, size - 1);
	else
		try_packed((const char *)data + 1, size - 1);
	return 0;
}
