#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "tempfile.h"

#define LOCK_NAME "lock"
#define NAME_SIZE (DIGEST_HEX_SIZE + 16)

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

bool cache_make_room(struct cache *cache, const char *name, struct error *err)
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

bool cache_admit(struct cache *cache, const char *from,
		 const struct digest *digest, struct error *err)
{
	char to[NAME_SIZE];

	archive_name(to, digest);
	if (!cache_make_room(cache, to, err) ||
	    !fs_rename(cache->root, from, cache->root, to, err))
		return error_prefix(err, "cache %s", cache->path);
	undiscard(cache, digest);
	return true;
}

int cache_source(const struct cache *cache)
{
	bool is_own = cache->root >= 0 && cache->owner < 0;

	return is_own || cache->source < 0 ? cache->root : cache->source;
}

bool cache_lock_alone(struct cache *cache, const char *what, struct error *err)
{
	if (cache->root < 0)
		return true;
	lock_release(&cache->lock);
	return lock_take(&cache->lock, cache->root, LOCK_NAME, LOCK_EXCLUSIVE,
			 what, cache->wait_ms, err);
}
