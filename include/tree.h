/*
 * tree.h - a list of files with their sizes and digests: what an archive
 * holds, what a receipt says was installed, what a manifest promises.
 */
#ifndef RNE_TREE_H
#define RNE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "error.h"
#include "json.h"
#include "json_writer.h"

enum tree_kind { TREE_FILE, TREE_LINK, TREE_FOLDER };

struct tree_entry {
	enum tree_kind kind;
	char *path;           /* acceptable by path.h; '/' between folders */
	bool executable;      /* 0755, else 0644 */
	uint64_t size;        /* bytes; files only */
	struct digest digest; /* files only */
	char *link;           /* what a TREE_LINK points to, else NULL */
	int64_t mtime;        /* ns; 0: not known (archives, manifests) */
};

struct tree {
	struct tree_entry *entries;
	size_t count;
};

#define TREE_INIT       \
	{               \
		NULL, 0 \
	}
/* Of one archive, and of all that is installed: its receipt is read whole. */
#define TREE_ENTRIES_MAX   25000
#define TREE_NAMES_MAX     (4u << 20) /* bytes, of all paths and targets */
#define TREE_FILE_SIZE_MAX (UINT64_C(64) << 30)

/* Appends a zeroed entry of this kind that owns a copy of `path`. */
struct tree_entry *tree_add(struct tree *tree, enum tree_kind kind,
			    const char *path);
/* The same for a copy of `entry` under another path. */
struct tree_entry *tree_add_copy(struct tree *tree,
				 const struct tree_entry *entry,
				 const char *path);
void tree_copy(struct tree *into, const struct tree *from); /* appends */
void tree_sort(struct tree *tree); /* by path, in bytes */
const struct tree_entry *tree_find(const struct tree *sorted, const char *path);
uint64_t tree_size(const struct tree *tree);     /* bytes of its files */
size_t tree_names_size(const struct tree *tree); /* of paths and targets */
void tree_release(struct tree *tree);

/* Same kind, bytes, mode and target; mtime does not count. */
bool tree_entry_same(const struct tree_entry *a, const struct tree_entry *b);

/*
 * As JSON: an array with an object an entry,
 * { "path", "size", "sha256", "mtime"?, "executable"? } or
 * { "path", "link" } or { "path", "folder": true }.
 * "mtime" is a string of digits: nanoseconds do not fit a JSON number.
 * Reading checks every path, digest and number, refuses a path twice and a
 * file with something below it, and leaves the tree sorted.
 */
void tree_write_json(const struct tree *tree, struct json_writer *writer,
		     const char *key);
bool tree_read_json(struct tree *tree, const struct json *array,
		    struct error *err) NODISCARD;

/*
 * Between a worker and its parent, in the byte order of the machine. The
 * reader trusts nothing: what is malformed is an ARCHIVE error.
 */
void tree_pack(const struct tree *tree, struct buf *out);
bool tree_unpack(struct tree *tree, const char *bytes, size_t length,
		 struct error *err) NODISCARD;

#endif
