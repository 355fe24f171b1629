#include "tree_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "json_fields.h"
#include "json_writer.h"
#include "log.h"
#include "memory.h"
#include "tempfile.h"
#include "tree_writer.h"

#define LIST_BYTES_MAX (64u << 20)
#define LIST_SCHEMA    1
#define BOOT_ID_FILE   "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_MAX    64

/* What the folder and the list of a tree are called. */
static char *tree_name(const struct digest *archive, const char *suffix)
{
	char hex[DIGEST_HEX_SIZE];

	digest_to_hex(archive, hex);
	return memory_printf(TREE_CACHE_FOLDER "/%s%s", hex, suffix);
}

/* Of this run of the kernel; "" where that cannot be known. */
static char *boot_id(void)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error ignored = ERROR_INIT;
	bool found;

	if (!fs_read_file(AT_FDCWD, BOOT_ID_FILE, BOOT_ID_MAX, &text, &found,
			  &ignored))
		return memory_string("");
	return memory_string_n(text.data, strcspn(text.data, "\n"));
}

bool tree_cache_has(const struct cache *cache, const struct digest *archive)
{
	char *name CLEANUP(memory_release) = tree_name(archive, ".json");
	struct error ignored = ERROR_INIT;
	struct stat st;

	return cache_folder(cache) >= 0 &&
	       fs_stat_at(cache_folder(cache), name, &st, &ignored) == 1;
}

void tree_cache_drop(struct cache *cache, const struct digest *archive)
{
	char *list CLEANUP(memory_release) = tree_name(archive, ".json");
	char *folder CLEANUP(memory_release) = tree_name(archive, "");
	struct error ignored = ERROR_INIT;

	/* The list first: it is what makes the folder a tree. */
	if (!fs_remove_tree(cache_folder(cache), list, &ignored) ||
	    !fs_remove_tree(cache_folder(cache), folder, &ignored))
		log_verbose("%s", ignored.text);
}

static bool write_list(struct cache *cache, const struct digest *archive,
		       const struct tree *files, struct error *err)
{
	char *name CLEANUP(memory_release) = tree_name(archive, ".json");
	char *boot CLEANUP(memory_release) = boot_id();
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct json_writer writer;
	char hex[DIGEST_HEX_SIZE];

	digest_to_hex(archive, hex);
	json_writer_start(&writer, &text);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_integer(&writer, "schema", LIST_SCHEMA);
	json_put_string(&writer, "archive", hex);
	json_put_string(&writer, "boot", boot);
	tree_write_json(files, &writer, "files");
	json_close(&writer);
	json_writer_finish(&writer);
	return tempfile_write(cache_folder(cache), name, 0644, text.data,
			      text.length, TEMPFILE_NO_SYNC, err);
}

struct tree_list {
	struct digest archive;
	char *boot;
	struct tree files;
};

static void tree_list_release(struct tree_list *list)
{
	memory_release(&list->boot);
	tree_release(&list->files);
}

static bool parse_list(const struct json *root, struct tree_list *list,
		       struct error *err)
{
	struct json files;

	return json_field_schema(root, LIST_SCHEMA, err) &&
	       json_field_digest(root, "archive", &list->archive, err) &&
	       json_field_string(root, "boot", &list->boot, err) &&
	       json_require(root, "files", &files, err) &&
	       tree_read_json(&list->files, &files, err);
}

static bool read_list(int file, struct tree_list *list, struct error *err)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct json root;

	if (!fs_read_open(file, "the list", LIST_BYTES_MAX, &text, err) ||
	    !json_parse(&document, "the list", text.data, text.length,
			JSON_WHOLE_NUMBERS, err))
		return false;
	root = json_root(&document);
	return parse_list(&root, list, err);
}

/* Of this user, and nobody else can change it. */
static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The file is what the list says, by its mtime or else by its digest. */
static bool is_sound(int file, struct tree_entry *entry, bool hash,
		     bool *refresh)
{
	struct error ignored = ERROR_INIT;
	struct digest found;
	struct stat st;

	if (fstat(file, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size != entry->size)
		return false;
	if (!hash && fs_mtime(&st) == entry->mtime)
		return true;
	*refresh = true;
	entry->mtime = fs_mtime(&st);
	return digest_file(file, &found, NULL, &ignored) &&
	       digest_equal(&found, &entry->digest);
}

/* A copying, from the cache or into it. */
struct copying {
	int from;
	struct tree_writer writer;
	enum fs_copy_way way;
	bool check;   /* hold every file against the list first */
	bool hash;    /* ... by its digest */
	bool sound;   /* nothing was found to differ */
	bool refresh; /* some mtime in the list is not right any more */
};

static bool copy_entry(struct copying *copying, struct tree_entry *entry,
		       struct error *err)
{
	struct tree_writer *writer = &copying->writer;
	int file CLEANUP(fs_close) = -1;

	if (entry->kind == TREE_FOLDER)
		return tree_writer_folder(writer, entry->path, err);
	if (entry->kind == TREE_LINK)
		return tree_writer_link(writer, entry->path, entry->link, err);
	file = fs_open_at(copying->from, entry->path, O_RDONLY | O_NONBLOCK, 0);
	if (file < 0 || (copying->check && !is_sound(file, entry, copying->hash,
						     &copying->refresh))) {
		copying->sound = false;
		return true;
	}
	return tree_writer_take(writer, file, entry->path, entry->executable,
				&copying->way, err);
}

static bool copy_all(struct copying *copying, int into, struct tree *files,
		     struct error *err)
{
	bool done = true;

	copying->sound = true;
	tree_writer_start(&copying->writer, into);
	for (size_t i = 0; done && copying->sound && i < files->count; i++)
		done = copy_entry(copying, &files->entries[i], err);
	tree_writer_release(&copying->writer);
	return done;
}

/* What can be said of a tree before its files are looked at. */
enum standing { STANDING_STRANGE, STANDING_BROKEN, STANDING_GOOD };

static enum standing look(const struct cache *cache,
			  const struct digest *archive, int *from,
			  struct tree_list *list)
{
	char *name CLEANUP(memory_release) = tree_name(archive, "");
	char *list_name CLEANUP(memory_release) = tree_name(archive, ".json");
	int file CLEANUP(fs_close) = fs_open_at(cache_folder(cache), list_name,
						O_RDONLY | O_NONBLOCK, 0);
	struct error why = ERROR_INIT;

	if (file < 0 ||
	    !fs_open_folder_at(cache_folder(cache), name, from, &why))
		return STANDING_BROKEN;
	if (!is_ours(file) || !is_ours(*from))
		return STANDING_STRANGE;
	if (!read_list(file, list, &why) ||
	    !digest_equal(&list->archive, archive))
		return STANDING_BROKEN;
	return STANDING_GOOD;
}

/* The list was written by a process of this run of the kernel. */
static bool is_of_this_boot(const struct tree_list *list)
{
	char *now CLEANUP(memory_release) = boot_id();

	return *now && !strcmp(list->boot, now);
}

bool tree_cache_take(struct cache *cache, const struct digest *archive,
		     bool promised, int into, struct tree *files, bool *taken,
		     struct error *err)
{
	struct tree_list list CLEANUP(tree_list_release) = {.files = TREE_INIT};
	struct error why = ERROR_INIT;
	int from CLEANUP(fs_close) = -1;
	enum standing standing = look(cache, archive, &from, &list);
	struct copying copying;

	*taken = false;
	if (standing == STANDING_STRANGE)
		return true;
	copying = (struct copying){.from = from, .check = true};
	if (standing == STANDING_GOOD) {
		copying.hash = !is_of_this_boot(&list);
		if ((promised || !copying.hash) &&
		    !copy_all(&copying, into, &list.files, err))
			return false;
	}
	if (!copying.sound) {
		log_verbose("an unpacked archive in the cache cannot be relied "
			    "on and is made again");
		tree_cache_drop(cache, archive);
		return true;
	}
	if ((copying.refresh || copying.hash) &&
	    !write_list(cache, archive, &list.files, &why))
		log_verbose("%s", why.text);
	*taken = true;
	*files = list.files;
	list.files = (struct tree)TREE_INIT;
	return true;
}

static bool fill(int from, int into, struct tree *list, bool only_clone,
		 struct error *err)
{
	struct copying copying = {
		.from = from,
		.way = only_clone ? FS_COPY_CLONE : FS_COPY_ANY,
	};

	if (!copy_all(&copying, into, list, err))
		return false;
	if (!copying.sound)
		return error_set(err, ERROR_FILESYSTEM,
				 "the unpacked files went away");
	for (size_t i = 0; i < list->count; i++) {
		struct tree_entry *entry = &list->entries[i];
		struct stat st;

		if (entry->kind != TREE_FILE)
			continue;
		if (fs_stat_at(into, entry->path, &st, err) != 1)
			return false;
		entry->mtime = fs_mtime(&st);
	}
	return true;
}

bool tree_cache_keep(struct cache *cache, const struct digest *archive,
		     int from, const struct tree *files, bool only_clone)
{
	char *name CLEANUP(memory_release) = tree_name(archive, "");
	char *made CLEANUP(memory_release) = tempfile_name(name);
	struct tree list CLEANUP(tree_release) = TREE_INIT;
	struct error why = ERROR_INIT;
	int into CLEANUP(fs_close) = -1;
	int at = cache_folder(cache);

	if (tree_cache_has(cache, archive))
		return true;
	tree_copy(&list, files);
	/* Without its list, what bears the name is litter. */
	if (fs_make_folders_at(at, made, &why) &&
	    fs_open_folder_at(at, made, &into, &why) &&
	    fill(from, into, &list, only_clone, &why) &&
	    fs_remove_tree(at, name, &why) &&
	    fs_rename(at, made, at, name, &why) &&
	    write_list(cache, archive, &list, &why))
		return true;
	log_verbose("no unpacked copy of %s is kept: %s", name, why.text);
	if (!fs_remove_tree(at, made, &why))
		log_verbose("%s", why.text);
	return false;
}
