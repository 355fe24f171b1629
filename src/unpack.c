#include "unpack.h"

#include <locale.h>
#include <time.h>

#include "archive_reader.h"
#include "library.h"
#include "links.h"
#include "memory.h"
#include "path.h"
#include "roster.h"
#include "tree_writer.h"

struct unpacking {
	struct archive_reader *reader;
	struct roster *roster;
	struct tree_writer writer;
	struct tree tree; /* in the archive's order */
	struct unpack_limits left;
	uint64_t links; /* bytes, of their targets */
};

static void release(struct unpacking *unpacking)
{
	archive_reader_close(&unpacking->reader);
	roster_free(&unpacking->roster);
	tree_writer_release(&unpacking->writer);
	tree_release(&unpacking->tree);
}

struct unpack_limits unpack_limits_default(uint64_t size)
{
	return (struct unpack_limits){
		.bytes = UNPACK_BYTES_FREE + UNPACK_RATIO_MAX * size,
		.entries = TREE_ENTRIES_MAX,
	};
}

static bool take_bytes(struct unpacking *unpacking, const struct member *member,
		       uint64_t size, struct error *err)
{
	if (size > unpacking->left.bytes)
		return member_refused(
			member->name, err,
			"has %llu bytes, and %llu are left of "
			"what the archive may unpack to",
			(unsigned long long)size,
			(unsigned long long)unpacking->left.bytes);
	unpacking->left.bytes -= size;
	return true;
}

static bool copy_data(struct unpacking *unpacking, const struct member *member,
		      struct error *err)
{
	const void *bytes;
	size_t length;

	for (;;) {
		if (!archive_reader_data(unpacking->reader, &bytes, &length,
					 err))
			return error_prefix(err, "the entry \"%.300s\"",
					    member->name);
		if (!length)
			return true;
		if (!tree_writer_add(&unpacking->writer, bytes, length, err))
			return false;
	}
}

/* The file as it is known to be, or NULL. */
static const struct tree_entry *find_known(const struct unpacking *unpacking,
					   const char *path)
{
	const struct tree *all = unpacking->left.known;
	const struct tree_entry *known = all ? tree_find(all, path) : NULL;

	return known && known->kind == TREE_FILE ? known : NULL;
}

static bool take_file(struct unpacking *unpacking, const struct member *member,
		      const char *path, struct error *err)
{
	const struct tree_entry *known = find_known(unpacking, path);
	struct tree_writer *writer = &unpacking->writer;
	struct tree_entry *entry;
	struct digest digest;

	if (!take_bytes(unpacking, member, member->size, err) ||
	    !roster_add(unpacking->roster, path, TREE_FILE,
			unpacking->tree.count, err) ||
	    !tree_writer_open(writer, path, member->executable, !known, err) ||
	    !copy_data(unpacking, member, err) ||
	    !tree_writer_close(writer, &digest, err))
		return false;
	entry = tree_add(&unpacking->tree, TREE_FILE, path);
	entry->executable = member->executable;
	entry->size = member->size;
	entry->digest = known ? known->digest : digest;
	return true;
}

static bool take_folder(struct unpacking *unpacking,
			const struct member *member, const char *path,
			struct error *err)
{
	(void)member;
	return roster_add(unpacking->roster, path, TREE_FOLDER, 0, err) &&
	       tree_writer_folder(&unpacking->writer, path, err);
}

/* Made at the end, so that nothing is ever written through one. */
static bool take_link(struct unpacking *unpacking, const struct member *member,
		      const char *path, struct error *err)
{
	struct tree_entry *entry;

	unpacking->links += strlen(member->link);
	if (unpacking->links > UNPACK_LINKS_MAX)
		return member_refused(member->name, err,
				      "makes the links' targets longer than "
				      "the %u MB that an archive may have",
				      UNPACK_LINKS_MAX >> 20);
	if (!roster_add(unpacking->roster, path, TREE_LINK,
			unpacking->tree.count, err))
		return false;
	entry = tree_add(&unpacking->tree, TREE_LINK, path);
	entry->link = memory_string(member->link);
	return true;
}

static bool take_hard_link(struct unpacking *unpacking,
			   const struct member *member, const char *path,
			   struct error *err)
{
	char *from CLEANUP(memory_release) = NULL;
	const struct roster_name *name;
	struct tree_entry original, *entry;

	if (!member_hard_link_path(member, &from, err))
		return false;
	name = roster_find(unpacking->roster, from);
	if (!name || name->kind != TREE_FILE || strcmp(name->path, from))
		return member_refused(member->name, err,
				      "is a hard link to \"%s\", which is no "
				      "file earlier in the archive",
				      from);
	original = unpacking->tree.entries[name->index];
	if (!take_bytes(unpacking, member, original.size, err) ||
	    !roster_add(unpacking->roster, path, TREE_FILE,
			unpacking->tree.count, err) ||
	    !tree_writer_copy(&unpacking->writer, from, path,
			      original.executable, err))
		return false;
	entry = tree_add(&unpacking->tree, TREE_FILE, path);
	entry->executable = original.executable;
	entry->size = original.size;
	entry->digest = original.digest;
	return true;
}

/* Once it is installed, receipt and journal name it by its longer path. */
static bool fits_below(const struct unpacking *unpacking,
		       const struct member *member, const char *path,
		       struct error *err)
{
	const char *below = unpacking->left.below;
	char *whole CLEANUP(memory_release) = NULL;
	const char *refused;

	if (!below || !*below)
		return true;
	whole = path_join(below, path);
	refused = path_refused(whole);
	if (!refused)
		return true;
	return member_refused(member->name, err, "would be %s, which %s", whole,
			      refused);
}

static bool take(struct unpacking *unpacking, const struct member *member,
		 struct error *err)
{
	static bool (*const takers[])(struct unpacking *, const struct member *,
				      const char *, struct error *) = {
		[MEMBER_FILE] = take_file,
		[MEMBER_FOLDER] = take_folder,
		[MEMBER_LINK] = take_link,
		[MEMBER_HARD_LINK] = take_hard_link,
	};
	char *path CLEANUP(memory_release) = NULL;

	if (!unpacking->left.entries)
		return member_refused(member->name, err,
				      "is one more than an archive may have");
	unpacking->left.entries--;
	if (!member_path(member, &path, err))
		return false;
	if (!*path)
		return true; /* the folder that it all goes into */
	if (!fits_below(unpacking, member, path, err))
		return false;
	return takers[member->kind](unpacking, member, path, err);
}

static bool take_all(struct unpacking *unpacking, struct error *err)
{
	for (;;) {
		struct member member CLEANUP(member_release) = MEMBER_INIT;
		bool found;

		if (!archive_reader_next(unpacking->reader, &member, &found,
					 err))
			return false;
		if (!found)
			return true;
		if (!take(unpacking, &member, err))
			return false;
	}
}

static bool make_links(struct unpacking *unpacking, struct error *err)
{
	if (!links_check(unpacking->roster, &unpacking->tree, err))
		return false;
	for (size_t i = 0; i < unpacking->tree.count; i++) {
		const struct tree_entry *entry = &unpacking->tree.entries[i];

		if (entry->kind == TREE_LINK &&
		    !tree_writer_link(&unpacking->writer, entry->path,
				      entry->link, err))
			return false;
	}
	return true;
}

/* Folders that hold something are known by what they hold. */
static void add_empty_folders(struct unpacking *unpacking)
{
	const struct roster_name *name;

	for (size_t i = 0; (name = roster_at(unpacking->roster, i)); i++) {
		if (name->kind == TREE_FOLDER && !name->parent)
			tree_add(&unpacking->tree, TREE_FOLDER, name->path);
	}
}

static bool run(struct unpacking *unpacking, struct error *err)
{
	if (!take_all(unpacking, err) || !make_links(unpacking, err))
		return false;
	add_empty_folders(unpacking);
	if (!unpacking->tree.count)
		return error_set(err, ERROR_ARCHIVE,
				 "there is nothing in the archive");
	return true;
}

bool unpack_archive(int file, const char *name, enum archive_format format,
		    const struct unpack_limits *limits, int into,
		    struct tree *found, struct error *err)
{
	struct unpacking unpacking CLEANUP(release) = {
		.tree = TREE_INIT,
		.left = *limits,
		.roster = roster_start(),
	};

	tree_writer_start(&unpacking.writer, into);
	if (!archive_reader_open(&unpacking.reader, file, format, limits,
				 err) ||
	    !run(&unpacking, err))
		return error_prefix(err, "%s", name);
	tree_sort(&unpacking.tree);
	*found = unpacking.tree;
	unpacking.tree = (struct tree)TREE_INIT;
	return true;
}

bool unpack_prepare(struct error *err)
{
	static const char *const locales[] = {"C.UTF-8", "en_US.UTF-8",
					      "UTF-8"};

	if (!library_load_archive(err))
		return false;
	/* Names beyond ASCII pass libarchive only in a UTF-8 locale; a later
	 * look for one (archive_reader.c) would find the door shut. */
	for (size_t i = 0; i < ARRAY_SIZE(locales); i++) {
		if (setlocale(LC_CTYPE, locales[i]))
			break;
	}
	tzset(); /* libarchive turns zip times to seconds */
	return true;
}
