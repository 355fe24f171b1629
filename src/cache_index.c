/* Which digest a file of a release had when it was last verified. */
#include "cache.h"

#include "fs.h"
#include "json_fields.h"
#include "json_writer.h"
#include "log.h"
#include "memory.h"
#include "tempfile.h"

#define INDEX_BYTES_MAX 65536

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
	int root = cache_source(cache);
	struct error why = ERROR_INIT;
	struct json at;
	bool found = false;

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
	log_verbose("cache %s: %s", cache_path(cache), why.text);
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

	if (cache_index_read(cache, product, version, file, &old) &&
	    digest_equal(&old.digest, &index->digest) &&
	    old.size == index->size)
		return true;
	json_writer_start(&writer, &text);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_digest(&writer, "sha256", &index->digest);
	json_put_integer(&writer, "size", (int64_t)index->size);
	if (index->url)
		json_put_string(&writer, "url", index->url);
	json_close(&writer);
	json_writer_finish(&writer);
	return fs_make_folders_at(cache_folder(cache), folder, err) &&
	       cache_make_room(cache, path, err) &&
	       tempfile_write(cache_folder(cache), path, 0644, text.data,
			      text.length, TEMPFILE_NO_SYNC, err);
}

void cache_index_release(struct cache_index *index)
{
	memory_release(&index->url);
}
