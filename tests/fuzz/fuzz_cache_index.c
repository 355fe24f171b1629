/* An entry of the cache's index: damage counts as not there, the rest is the
 * same after a round trip. */
#include <errno.h>

#include "cache.h"
#include "json.h"
#include "scratch.h"

#define FOLDER "index/product/1.0"

static bool look(const struct cache *cache, const char *file,
		 struct cache_index *index)
{
	bool found = cache_index_read(cache, "product", "1.0", file, index);

	FUZZ_ASSERT(found || !index->url);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cache *cache;
	struct cache_index index CLEANUP(cache_index_release) = {{{0}}, 0, 0};
	struct cache_index again CLEANUP(cache_index_release) = {{{0}}, 0, 0};
	int folder CLEANUP(fs_close) = scratch_folder(FOLDER);
	struct error err = ERROR_INIT;

	if (!cache)
		FUZZ_ASSERT(cache_look(&cache, scratch(), &err));
	scratch_write(folder, "in", data, size);
	if (!look(cache, "in", &index))
		return 0;
	FUZZ_ASSERT(index.size <= JSON_INTEGER_MAX);
	FUZZ_ASSERT(!unlinkat(folder, "out", 0) || errno == ENOENT);
	FUZZ_ASSERT(cache_index_write(cache, "product", "1.0", "out", &index,
				      &err));
	FUZZ_ASSERT(look(cache, "out", &again));
	FUZZ_ASSERT(digest_equal(&index.digest, &again.digest));
	FUZZ_ASSERT(index.size == again.size && !index.url == !again.url);
	FUZZ_ASSERT(!index.url || !strcmp(index.url, again.url));
	return 0;
}
