/* A tree as JSON: what receipts and manifests say of files. */
#include "tree.h"

#include <inttypes.h>

#include "memory.h"
#include "path.h"

static void write_entry(const struct tree_entry *entry,
			struct json_writer *writer)
{
	char text[24];

	json_open_object(writer, NULL, JSON_INLINE);
	json_put_string(writer, "path", entry->path);
	switch (entry->kind) {
	case TREE_FOLDER:
		json_put_boolean(writer, "folder", true);
		break;
	case TREE_LINK:
		json_put_string(writer, "link", entry->link);
		break;
	case TREE_FILE:
		json_put_integer(writer, "size", (int64_t)entry->size);
		json_put_digest(writer, "sha256", &entry->digest);
		if (entry->mtime) {
			snprintf(text, sizeof(text), "%" PRId64, entry->mtime);
			json_put_string(writer, "mtime", text);
		}
		if (entry->executable)
			json_put_boolean(writer, "executable", true);
		break;
	}
	json_close(writer);
}

void tree_write_json(const struct tree *tree, struct json_writer *writer,
		     const char *key)
{
	json_open_array(writer, key, JSON_LINES);
	for (size_t i = 0; i < tree->count; i++)
		write_entry(&tree->entries[i], writer);
	json_close(writer);
}

static bool read_mtime(const struct json *at, int64_t *mtime, struct error *err)
{
	const char *text;
	int64_t number = 0;
	bool negative;

	if (!json_string(at, &text, err))
		return false;
	negative = *text == '-';
	text += negative;
	for (const char *c = text; *c || c == text; c++) {
		if (*c < '0' || *c > '9' ||
		    __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *c - '0', &number))
			return json_fail(at, err,
					 "expected nanoseconds as a string of "
					 "digits");
	}
	*mtime = negative ? -number : number;
	return true;
}

static bool read_file(struct tree_entry *entry, const struct json *object,
		      struct error *err)
{
	static const char *const known[] = {"path",  "size",       "sha256",
					    "mtime", "executable", NULL};
	struct json size, digest;
	struct json mtime = json_member(object, "mtime");
	struct json executable = json_member(object, "executable");
	const char *hex;
	int64_t number;

	if (!json_known_keys(object, known, err) ||
	    !json_require(object, "size", &size, err) ||
	    !json_integer(&size, 0, TREE_FILE_SIZE_MAX, &number, err) ||
	    !json_require(object, "sha256", &digest, err) ||
	    !json_string(&digest, &hex, err))
		return false;
	entry->size = (uint64_t)number;
	if (!digest_from_hex(&entry->digest, hex))
		return json_fail(&digest, err,
				 "expected 64 hexadecimal digits, found \"%s\"",
				 hex);
	if (mtime.node && !read_mtime(&mtime, &entry->mtime, err))
		return false;
	return !executable.node ||
	       json_boolean(&executable, &entry->executable, err);
}

static bool read_link(struct tree_entry *entry, const struct json *object,
		      struct error *err)
{
	static const char *const known[] = {"path", "link", NULL};
	struct json link = json_member(object, "link");
	const char *target, *refused;

	if (!json_known_keys(object, known, err) ||
	    !json_string(&link, &target, err))
		return false;
	refused = path_link_refused(entry->path, target);
	if (refused)
		return json_fail(&link, err, "the link to \"%s\" %s", target,
				 refused);
	entry->link = memory_string(target);
	return true;
}

static bool read_folder(const struct json *object, struct error *err)
{
	static const char *const known[] = {"path", "folder", NULL};
	struct json folder = json_member(object, "folder");
	bool yes;

	if (!json_known_keys(object, known, err) ||
	    !json_boolean(&folder, &yes, err))
		return false;
	return yes || json_fail(&folder, err,
				"expected true; leave it out for a file");
}

static bool read_entry(struct tree *tree, const struct json *object,
		       struct error *err)
{
	struct json path;
	const char *text, *refused;

	if (!json_require(object, "path", &path, err) ||
	    !json_string(&path, &text, err))
		return false;
	refused = path_refused(text);
	if (refused)
		return json_fail(&path, err, "the path \"%s\" %s", text,
				 refused);
	if (json_member(object, "link").node)
		return read_link(tree_add(tree, TREE_LINK, text), object, err);
	if (json_member(object, "folder").node) {
		tree_add(tree, TREE_FOLDER, text);
		return read_folder(object, err);
	}
	return read_file(tree_add(tree, TREE_FILE, text), object, err);
}

/* The first entry that cannot lie beside another one; NULL: all can. */
static const char *contradiction(const struct tree *sorted, const char **why)
{
	const char *checked = "";

	for (size_t i = 0; i < sorted->count; i++) {
		const char *path = sorted->entries[i].path;
		char *parent CLEANUP(memory_release) = path_parent(path);
		const struct tree_entry *above;

		*why = "is there twice";
		if (i && !strcmp(sorted->entries[i - 1].path, path))
			return path;
		/* Siblings share a parent, which needs one look. */
		if (!*parent || (!strncmp(checked, parent, strlen(parent)) &&
				 checked[strlen(parent)] == '/' &&
				 !strchr(checked + strlen(parent) + 1, '/')))
			continue;
		checked = path;
		*why = "lies below what is not a folder";
		for (char *up = parent; *up;) {
			char *slash = strrchr(up, '/');

			above = tree_find(sorted, up);
			if (above && above->kind != TREE_FOLDER)
				return path;
			*(slash ? slash : up) = '\0';
		}
	}
	return NULL;
}

bool tree_read_json(struct tree *tree, const struct json *array,
		    struct error *err)
{
	struct tree read CLEANUP(tree_release) = TREE_INIT;
	const char *path, *why;

	if (!json_array(array, err))
		return false;
	json_for_each (object, array) {
		if (read.count == TREE_ENTRIES_MAX)
			return json_fail(array, err, "more than %d entries",
					 TREE_ENTRIES_MAX);
		if (!read_entry(&read, &object, err))
			return false;
	}
	tree_sort(&read);
	path = contradiction(&read, &why);
	if (path)
		return json_fail(array, err, "the path \"%s\" %s", path, why);
	*tree = read;
	read = (struct tree)TREE_INIT;
	return true;
}
