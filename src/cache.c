#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "json_fields.h"
#include "json_writer.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "tempfile.h"

#define INDEX_BYTES_MAX 65536
#define ETAG_BYTES_MAX  4096
#define LOCK_NAME       "lock"
#define NAME_SIZE       (DIGEST_HEX_SIZE + 16)

/* backup software knows this file: bford.info/cachedir */
#define TAG_NAME "CACHEDIR.TAG"
static const char tag_text[] =
	"Signature: 8a477f597d28d172789f06886806bc55\n"
	"# Archives of rne-libs; everything here can be downloaded again.\n";

static const char *const folders[] = {"archives", "partial", "index", "locks",
				      "trees"};

struct cache {
	char *path;
	int root;   /* -1: nothing there (cache_look) */
	int source; /* -1: none; a cache that cannot be written */
	int owner;  /* third-party/, when `root` is private to the install */
	struct lock lock;
	int wait_ms;              /* for other processes */
	struct digest *discarded; /* of `source`, where nothing is removed */
	size_t discarded_count;
};

static struct cache *cache_new(const char *path)
{
	struct cache *cache = memory_allocate(sizeof(*cache));

	cache->path = memory_string(path);
	cache->root = cache->source = cache->owner = -1;
	cache->lock = (struct lock)LOCK_INIT;
	cache->wait_ms = LOCK_WAIT_DEFAULT;
	return cache;
}

void cache_close(struct cache **cache)
{
	struct cache *old = *cache;
	struct error ignored = ERROR_INIT;

	if (!old)
		return;
	lock_release(&old->lock);
	fs_close(&old->root);
	fs_close(&old->source);
	if (old->owner >= 0 &&
	    !fs_remove_tree(old->owner, LAYOUT_CACHE, &ignored))
		log_verbose("%s", ignored.text);
	fs_close(&old->owner);
	free(old->discarded);
	free(old->path);
	free(old);
	*cache = NULL;
}

void cache_set_wait(struct cache *cache, int wait_ms)
{
	cache->wait_ms = wait_ms;
}

const char *cache_path(const struct cache *cache)
{
	return cache->path;
}

int cache_folder(const struct cache *cache)
{
	return cache->root;
}

bool cache_is_private(const struct cache *cache)
{
	return cache->owner >= 0;
}

bool cache_look(struct cache **out, const char *path, struct error *err)
{
	struct cache *cache CLEANUP(cache_close) = cache_new(path ? path : "");

	if (path) {
		cache->root =
			fs_open_named(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
		if (cache->root < 0 && errno != ENOENT && errno != ENOTDIR &&
		    errno != EACCES)
			return error_system(err, errno,
					    "cannot open the cache %s", path);
	}
	*out = cache;
	cache = NULL;
	return true;
}

static bool make_layout(struct cache *cache, struct error *err)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (!fs_make_folders_at(cache->root, folders[i], err))
			return false;
	}
	if (fs_stat_at(cache->root, TAG_NAME, &st, err) == 1)
		return true;
	return tempfile_write(cache->root, TAG_NAME, 0644, tag_text,
			      sizeof(tag_text) - 1, TEMPFILE_NO_SYNC, err);
}

static bool open_writable(struct cache *cache, const char *path,
			  struct error *err)
{
	if (!fs_make_folders(path, err) ||
	    !fs_open_folder(path, &cache->root, err))
		return false;
	if (lock_take(&cache->lock, cache->root, LOCK_NAME, LOCK_SHARED,
		      "install", cache->wait_ms, err) &&
	    make_layout(cache, err))
		return true;
	if (err->kind == ERROR_FILESYSTEM) {
		lock_release(&cache->lock);
		cache->source = cache->root;
		cache->root = -1;
	}
	return false;
}

/* In the package itself, for as long as the install takes. */
static bool open_private(struct cache *cache, int third_party,
			 struct error *err)
{
	cache->owner = fs_open_at(third_party, ".", O_RDONLY | O_DIRECTORY, 0);
	if (cache->owner < 0)
		return error_system(err, errno,
				    "cannot open " LAYOUT_THIRD_PARTY);
	return fs_make_folders_at(third_party, LAYOUT_CACHE, err) &&
	       fs_open_folder_at(third_party, LAYOUT_CACHE, &cache->root,
				 err) &&
	       make_layout(cache, err);
}

bool cache_open(struct cache **out, const char *path, int third_party,
		int wait_ms, struct error *err)
{
	struct cache *cache CLEANUP(cache_close) = cache_new(path ? path : "");

	cache->wait_ms = wait_ms;
	if (!path) {
		error_set(err, ERROR_USAGE,
			  "there is no place for the cache: HOME is not set");
		error_hint(err, "Name one with --cache-dir or "
				"RNET_LIBS_CACHE_DIR.");
	}
	if (!path || !open_writable(cache, path, err)) {
		if (third_party < 0 || (path && err->kind != ERROR_FILESYSTEM))
			return path ? error_prefix(err, "cache %s", path)
				    : false;
		log_warning("%s; going on without a lasting cache",
			    path ? err->text : "HOME is not set");
		error_clear(err);
		if (!open_private(cache, third_party, err))
			return false;
	}
	*out = cache;
	cache = NULL;
	return true;
}

static void archive_name(char name[NAME_SIZE], const struct digest *digest)
{
	memcpy(name, "archives/", 9);
	digest_to_hex(digest, name + 9);
}

static bool is_discarded(const struct cache *cache, const struct digest *digest)
{
	for (size_t i = 0; i < cache->discarded_count; i++) {
		if (digest_equal(&cache->discarded[i], digest))
			return true;
	}
	return false;
}

static bool has(int root, const char *name, uint64_t size)
{
	struct error ignored = ERROR_INIT;
	struct stat st;

	return root >= 0 && fs_stat_at(root, name, &st, &ignored) == 1 &&
	       S_ISREG(st.st_mode) && (!size || (uint64_t)st.st_size == size);
}

bool cache_has(const struct cache *cache, const struct digest *digest,
	       uint64_t size)
{
	char name[NAME_SIZE];

	archive_name(name, digest);
	return !is_discarded(cache, digest) &&
	       (has(cache->root, name, size) || has(cache->source, name, size));
}

int cache_read(const struct cache *cache, const struct digest *digest)
{
	char name[NAME_SIZE];

	if (!cache_has(cache, digest, 0))
		return -1;
	archive_name(name, digest);
	return fs_open_at(has(cache->root, name, 0) ? cache->root
						    : cache->source,
			  name, O_RDONLY, 0);
}

void cache_discard(struct cache *cache, const struct digest *digest)
{
	struct error ignored = ERROR_INIT;
	char name[NAME_SIZE];

	archive_name(name, digest);
	if (!fs_remove_tree(cache->root, name, &ignored))
		log_verbose("%s", ignored.text);
	else if (cache->source < 0)
		return;
	/* What cannot be removed is overlooked from now on. */
	cache->discarded = memory_grow(cache->discarded, cache->discarded_count,
				       sizeof(*cache->discarded));
	cache->discarded[cache->discarded_count++] = *digest;
}

static void undiscard(struct cache *cache, const struct digest *digest)
{
	for (size_t i = 0; i < cache->discarded_count; i++) {
		if (digest_equal(&cache->discarded[i], digest))
			cache->discarded[i--] =
				cache->discarded[--cache->discarded_count];
	}
}

/* A folder, a link or a FIFO where a file belongs is nobody's: it goes. */
static bool make_room(struct cache *cache, const char *name, struct error *err)
{
	struct stat st;
	int there = fs_stat_at(cache->root, name, &st, err);

	return there == 0 ||
	       (there > 0 && (S_ISREG(st.st_mode) ||
			      fs_remove_tree(cache->root, name, err)));
}

void cache_touch(struct cache *cache, const struct digest *digest)
{
	char name[NAME_SIZE];

	archive_name(name, digest);
	/* Only prune looks at it; a failure makes it look older. */
	if (utimensat(cache->root, name, NULL, AT_SYMLINK_NOFOLLOW))
		log_verbose("cannot touch %s: %s", name, strerror(errno));
}

static void partial_name(char name[NAME_SIZE], const struct digest *digest,
			 bool etag)
{
	memcpy(name, "partial/", 8);
	digest_to_hex(digest, name + 8);
	if (etag)
		memcpy(name + 8 + DIGEST_HEX_SIZE - 1, ".etag", 6);
}

/* "<etag>\n<url>\n"; anything else means to start again. */
static bool read_etag(const struct cache *cache, struct cache_partial *partial)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct list lines CLEANUP(list_release) = LIST_INIT;
	struct error ignored = ERROR_INIT;
	char name[NAME_SIZE];
	bool found;

	partial_name(name, &partial->digest, true);
	if (!fs_read_file(cache->root, name, ETAG_BYTES_MAX, &text, &found,
			  &ignored) ||
	    !found)
		return false;
	list_split(&lines, text.data, "\n");
	if (lines.count != 2 ||
	    strlen(lines.items[0]) >= sizeof(partial->etag) ||
	    strlen(lines.items[1]) >= sizeof(partial->url))
		return false;
	memcpy(partial->etag, lines.items[0], strlen(lines.items[0]) + 1);
	memcpy(partial->url, lines.items[1], strlen(lines.items[1]) + 1);
	return true;
}

/* Without a lock the usual name may be another process's, too. */
static void name_partial(struct cache_partial *partial)
{
	char usual[NAME_SIZE];
	char *name CLEANUP(memory_release) = NULL;

	partial_name(usual, &partial->digest, false);
	name = partial->lock.absent ? tempfile_name(usual)
				    : memory_string(usual);
	snprintf(partial->name, sizeof(partial->name), "%s", name);
}

int cache_partial_open(struct cache *cache, const struct digest *digest,
		       struct cache_partial *partial, char **holder,
		       struct error *err)
{
	char name[NAME_SIZE];
	char hex[DIGEST_HEX_SIZE];
	int locked;

	partial->digest = *digest;
	digest_to_hex(digest, hex);
	snprintf(name, sizeof(name), "locks/%s", hex);
	if (!make_room(cache, name, err))
		return -1;
	locked = lock_try(&partial->lock, cache->root, name, LOCK_EXCLUSIVE,
			  "download", holder, err);
	if (locked <= 0)
		return locked;
	name_partial(partial);
	if (!make_room(cache, partial->name, err)) {
		lock_release(&partial->lock);
		return -1;
	}
	partial->file =
		fs_open_at(cache->root, partial->name, O_RDWR | O_CREAT, 0644);
	if (partial->file < 0) {
		error_system(err, errno, "cannot create %s/%s", cache->path,
			     partial->name);
		fs_hint_space(err, cache->root, 0);
		lock_release(&partial->lock);
		return -1;
	}
	if ((partial->lock.absent || !read_etag(cache, partial)) &&
	    ftruncate(partial->file, 0)) {
		error_system(err, errno, "cannot empty %s/%s", cache->path,
			     partial->name);
		cache_partial_release(cache, partial);
		return -1;
	}
	return 1;
}

static void remove_quietly(struct cache *cache, const char *name)
{
	struct error ignored = ERROR_INIT;

	if (!fs_remove_file(cache->root, name, &ignored))
		log_verbose("%s", ignored.text);
}

static void forget_etag(struct cache *cache,
			const struct cache_partial *partial)
{
	char name[NAME_SIZE];

	partial_name(name, &partial->digest, true);
	remove_quietly(cache, name);
}

bool cache_partial_accept(struct cache *cache, struct cache_partial *partial,
			  struct error *err)
{
	char to[NAME_SIZE];

	/* No fsync: whoever reads it hashes it again, and a file that lost
	 * its bytes with the power is then downloaded again. */
	archive_name(to, &partial->digest);
	if (!make_room(cache, to, err) ||
	    !fs_rename(cache->root, partial->name, cache->root, to, err))
		return error_prefix(err, "cache %s", cache->path);
	undiscard(cache, &partial->digest);
	forget_etag(cache, partial);
	lock_release(&partial->lock);
	return true;
}

bool cache_partial_note(struct cache *cache,
			const struct cache_partial *partial)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error why = ERROR_INIT;
	char name[NAME_SIZE];

	if (!partial->etag[0] || partial->lock.absent) {
		forget_etag(cache, partial);
		return false;
	}
	partial_name(name, &partial->digest, true);
	buf_printf(&text, "%s\n%s\n", partial->etag, partial->url);
	if (tempfile_write(cache->root, name, 0644, text.data, text.length,
			   TEMPFILE_NO_SYNC, &why))
		return true;
	log_verbose("%s", why.text);
	return false;
}

void cache_partial_release(struct cache *cache, struct cache_partial *partial)
{
	if (partial->lock.held && !cache_partial_note(cache, partial))
		remove_quietly(cache, partial->name);
	fs_close(&partial->file);
	lock_release(&partial->lock);
}

static char *index_path(const char *product, const char *version,
			const char *file)
{
	return memory_printf("index/%s/%s/%s", product, version, file);
}

static bool parse_index(const struct json *root, struct cache_index *index,
			struct error *err)
{
	int64_t size;

	if (!json_object(root, err) ||
	    !json_field_digest(root, "sha256", &index->digest, err) ||
	    !json_field_integer(root, "size", 0, JSON_INTEGER_MAX, &size,
				err) ||
	    !json_maybe_string(root, "url", &index->url, err))
		return false;
	index->size = (uint64_t)size;
	return true;
}

bool cache_index_read(const struct cache *cache, const char *product,
		      const char *version, const char *file,
		      struct cache_index *index)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	char *path CLEANUP(memory_release) = index_path(product, version, file);
	int root = cache->root >= 0 ? cache->root : cache->source;
	struct error why = ERROR_INIT;
	struct json at;
	bool found = false;

	if (cache->owner >= 0 && cache->source >= 0)
		root = cache->source;
	if (root < 0)
		return false;
	if (fs_read_file(root, path, INDEX_BYTES_MAX, &text, &found, &why)) {
		if (!found)
			return false;
		if (json_parse(&document, path, text.data, text.length,
			       JSON_WHOLE_NUMBERS, &why)) {
			at = json_root(&document);
			if (parse_index(&at, index, &why))
				return true;
		}
	}
	/* As good as not there: the sidecar is asked again. */
	log_verbose("cache %s: %s", cache->path, why.text);
	cache_index_release(index);
	return false;
}

bool cache_index_write(struct cache *cache, const char *product,
		       const char *version, const char *file,
		       const struct cache_index *index, struct error *err)
{
	struct cache_index old CLEANUP(cache_index_release) = {0};
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	char *path CLEANUP(memory_release) = index_path(product, version, file);
	char *folder CLEANUP(memory_release) =
		memory_printf("index/%s/%s", product, version);
	struct json_writer writer;
	char hex[DIGEST_HEX_SIZE];

	if (cache_index_read(cache, product, version, file, &old) &&
	    digest_equal(&old.digest, &index->digest) &&
	    old.size == index->size)
		return true;
	digest_to_hex(&index->digest, hex);
	json_writer_start(&writer, &text);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_string(&writer, "sha256", hex);
	json_put_integer(&writer, "size", (int64_t)index->size);
	if (index->url)
		json_put_string(&writer, "url", index->url);
	json_close(&writer);
	json_writer_finish(&writer);
	return fs_make_folders_at(cache->root, folder, err) &&
	       make_room(cache, path, err) &&
	       tempfile_write(cache->root, path, 0644, text.data, text.length,
			      TEMPFILE_NO_SYNC, err);
}

void cache_index_release(struct cache_index *index)
{
	memory_release(&index->url);
}

bool cache_lock_alone(struct cache *cache, const char *what, struct error *err)
{
	if (cache->root < 0)
		return true;
	lock_release(&cache->lock);
	return lock_take(&cache->lock, cache->root, LOCK_NAME, LOCK_EXCLUSIVE,
			 what, cache->wait_ms, err);
}
