/* Listing, verifying, pruning and clearing a cache. */
#include "cache.h"

#include <sys/stat.h>

#include "fs.h"
#include "json.h"
#include "memory.h"
#include "tree_cache.h"

#define INDEX_DEPTH     3 /* product, version, file */
#define SECONDS_PER_DAY 86400

static bool list_folder(const struct cache *cache, const char *folder,
			struct list *names, struct error *err)
{
	struct stat st;
	int there;

	if (cache_folder(cache) < 0)
		return true;
	there = fs_stat_at(cache_folder(cache), folder, &st, err);
	if (there < 0)
		return false;
	return !there || !S_ISDIR(st.st_mode) ||
	       fs_list(cache_folder(cache), folder, names, err);
}

/* Every "<product>/<version>/<file>" of the index. */
static bool list_index(const struct cache *cache, const char *below,
		       unsigned depth, struct list *out, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	char *folder CLEANUP(memory_release) =
		memory_printf("index%s%s", *below ? "/" : "", below);

	if (!list_folder(cache, folder, &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			*below ? memory_printf("%s/%s", below, names.items[i])
			       : memory_string(names.items[i]);

		if (depth == 1)
			list_add(out, path);
		else if (!list_index(cache, path, depth - 1, out, err))
			return false;
	}
	return true;
}

static struct cache_entry *find_entry(struct cache_entry *entries, size_t count,
				      const struct digest *digest)
{
	for (size_t i = 0; i < count; i++) {
		if (digest_equal(&entries[i].digest, digest))
			return &entries[i];
	}
	return NULL;
}

static bool name_entries(const struct cache *cache, struct cache_entry *entries,
			 size_t count, struct error *err)
{
	struct list paths CLEANUP(list_release) = LIST_INIT;

	if (!list_index(cache, "", INDEX_DEPTH, &paths, err))
		return false;
	for (size_t i = 0; i < paths.count; i++) {
		struct cache_index index CLEANUP(cache_index_release) = {0};
		struct list parts CLEANUP(list_release) = LIST_INIT;
		struct cache_entry *entry;

		list_split(&parts, paths.items[i], "/");
		if (!cache_index_read(cache, parts.items[0], parts.items[1],
				      parts.items[2], &index))
			continue;
		entry = find_entry(entries, count, &index.digest);
		if (entry)
			list_add(&entry->names, paths.items[i]);
	}
	return true;
}

bool cache_entries(const struct cache *cache, struct cache_entry **out,
		   size_t *count, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	struct cache_entry *entries;
	size_t used = 0;

	if (!list_folder(cache, "archives", &names, err))
		return false;
	entries = memory_allocate((names.count + 1) * sizeof(*entries));
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			memory_printf("archives/%s", names.items[i]);
		struct stat st;

		if (!digest_from_hex(&entries[used].digest, names.items[i]) ||
		    fs_stat_at(cache_folder(cache), path, &st, err) != 1)
			continue;
		entries[used].size = (uint64_t)st.st_size;
		entries[used].used_at = st.st_mtim.tv_sec;
		used++;
	}
	if (!name_entries(cache, entries, used, err)) {
		cache_entries_free(entries, used);
		return false;
	}
	*out = entries;
	*count = used;
	return true;
}

void cache_entries_free(struct cache_entry *entries, size_t count)
{
	for (size_t i = 0; entries && i < count; i++)
		list_release(&entries[i].names);
	free(entries);
}

static bool is_sound(const struct cache *cache, const struct digest *digest)
{
	struct error ignored = ERROR_INIT;
	struct digest found;
	int fd CLEANUP(fs_close) = cache_read(cache, digest);

	return fd >= 0 && digest_file(fd, &found, NULL, &ignored) &&
	       digest_equal(&found, digest);
}

bool cache_verify(struct cache *cache, struct list *damaged, size_t *checked,
		  struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (!cache_lock_alone(cache, "cache verify", err) ||
	    !list_folder(cache, "archives", &names, err))
		return false;
	*checked = names.count;
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			memory_printf("archives/%s", names.items[i]);
		struct digest digest;

		if (digest_from_hex(&digest, names.items[i]) &&
		    is_sound(cache, &digest))
			continue;
		list_add(damaged, path);
		if (!fs_remove_tree(cache_folder(cache), path, err))
			return false;
	}
	return true;
}

static bool remove_counted(struct cache *cache, const char *path,
			   struct cache_freed *freed, struct error *err)
{
	struct stat st;
	int there = fs_stat_at(cache_folder(cache), path, &st, err);

	if (there < 0 || !fs_remove_tree(cache_folder(cache), path, err))
		return false;
	if (there) {
		freed->files++;
		freed->bytes += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	}
	return true;
}

static bool empty_folder(struct cache *cache, const char *folder,
			 struct cache_freed *freed, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (!list_folder(cache, folder, &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			memory_printf("%s/%s", folder, names.items[i]);

		if (!remove_counted(cache, path, freed, err))
			return false;
	}
	return true;
}

/* Index entries whose archive is gone say nothing any more. */
static bool prune_index(struct cache *cache, struct cache_freed *freed,
			struct error *err)
{
	struct list paths CLEANUP(list_release) = LIST_INIT;

	if (!list_index(cache, "", INDEX_DEPTH, &paths, err))
		return false;
	for (size_t i = 0; i < paths.count; i++) {
		struct cache_index index CLEANUP(cache_index_release) = {0};
		struct list parts CLEANUP(list_release) = LIST_INIT;
		char *path CLEANUP(memory_release) =
			memory_printf("index/%s", paths.items[i]);

		list_split(&parts, paths.items[i], "/");
		if (cache_index_read(cache, parts.items[0], parts.items[1],
				     parts.items[2], &index) &&
		    cache_has(cache, &index.digest, 0))
			continue;
		if (!remove_counted(cache, path, freed, err))
			return false;
	}
	return true;
}

/* Trees go with their archives; what is half made has no name of theirs. */
static bool prune_trees(struct cache *cache, struct cache_freed *freed,
			struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (!list_folder(cache, TREE_CACHE_FOLDER, &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			memory_printf(TREE_CACHE_FOLDER "/%s", names.items[i]);
		char *hex CLEANUP(memory_release) = memory_string_n(
			names.items[i], strcspn(names.items[i], "."));
		struct digest digest;

		if (digest_from_hex(&digest, hex) &&
		    cache_has(cache, &digest, 0))
			continue;
		if (!remove_counted(cache, path, freed, err))
			return false;
	}
	return true;
}

bool cache_prune(struct cache *cache, unsigned days, struct cache_freed *freed,
		 struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	int64_t oldest = (int64_t)time(NULL) - (int64_t)days * SECONDS_PER_DAY;

	if (cache_folder(cache) < 0)
		return true;
	if (!cache_lock_alone(cache, "cache prune", err) ||
	    !list_folder(cache, "archives", &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			memory_printf("archives/%s", names.items[i]);
		struct digest digest;
		struct stat st;

		if (digest_from_hex(&digest, names.items[i]) &&
		    fs_stat_at(cache_folder(cache), path, &st, err) == 1 &&
		    st.st_mtim.tv_sec >= oldest)
			continue;
		if (!remove_counted(cache, path, freed, err))
			return false;
	}
	return empty_folder(cache, "partial", freed, err) &&
	       empty_folder(cache, "locks", freed, err) &&
	       prune_trees(cache, freed, err) && prune_index(cache, freed, err);
}

bool cache_clear(struct cache *cache, struct cache_freed *freed,
		 struct error *err)
{
	static const char *const folders[] = {"archives", "partial", "locks",
					      TREE_CACHE_FOLDER};

	if (cache_folder(cache) < 0)
		return true;
	if (!cache_lock_alone(cache, "cache clear", err))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (!empty_folder(cache, folders[i], freed, err))
			return false;
	}
	return fs_remove_tree(cache_folder(cache), "index", err);
}
