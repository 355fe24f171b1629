/* Downloads under way: by one process each, and begun where one left off. */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fs.h"
#include "log.h"
#include "memory.h"
#include "tempfile.h"

#define ETAG_BYTES_MAX 4096
#define NAME_SIZE      (DIGEST_HEX_SIZE + 16)

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
	if (!fs_read_file(cache_folder(cache), name, ETAG_BYTES_MAX, &text,
			  &found, &ignored) ||
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
	if (!cache_make_room(cache, name, err))
		return -1;
	locked = lock_try(&partial->lock, cache_folder(cache), name,
			  LOCK_EXCLUSIVE, "download", holder, err);
	if (locked <= 0)
		return locked;
	name_partial(partial);
	if (!cache_make_room(cache, partial->name, err)) {
		lock_release(&partial->lock);
		return -1;
	}
	partial->file = fs_open_at(cache_folder(cache), partial->name,
				   O_RDWR | O_CREAT, 0644);
	if (partial->file < 0) {
		error_system(err, errno, "cannot create %s/%s",
			     cache_path(cache), partial->name);
		fs_hint_space(err, cache_folder(cache), 0);
		lock_release(&partial->lock);
		return -1;
	}
	if ((partial->lock.absent || !read_etag(cache, partial)) &&
	    ftruncate(partial->file, 0)) {
		error_system(err, errno, "cannot empty %s/%s",
			     cache_path(cache), partial->name);
		cache_partial_release(cache, partial);
		return -1;
	}
	return 1;
}

static void remove_quietly(struct cache *cache, const char *name)
{
	struct error ignored = ERROR_INIT;

	if (!fs_remove_file(cache_folder(cache), name, &ignored))
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
	/* No fsync: whoever reads it hashes it again, and a file that lost
	 * its bytes with the power is then downloaded again. */
	if (!cache_admit(cache, partial->name, &partial->digest, err))
		return false;
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
	if (tempfile_write(cache_folder(cache), name, 0644, text.data,
			   text.length, TEMPFILE_NO_SYNC, &why))
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
