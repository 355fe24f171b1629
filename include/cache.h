/*
 * cache.h - verified archives, kept between installs and shared by projects.
 *
 *	archives/<sha256>                  verified archives
 *	partial/<sha256>, <sha256>.etag    downloads that may be resumed
 *	index/<product>/<version>/<file>   which digest a release's file has
 *	trees/<sha256>/, <sha256>.json     archives unpacked (tree_cache.h)
 *	locks/<sha256>                     one download of an archive at a time
 *	lock                               installs share it, prune does not
 *
 * Nothing in it depends on the machine: it may be copied elsewhere whole. A
 * file under archives/ got its name only after its digest matched; it is
 * hashed again before it is used, so that what happened to it since then
 * cannot matter. Equal bytes of two versions are stored once.
 *
 * A cache that cannot be written serves as a source; what is missing then
 * goes to a private cache in the package, which lives as long as the install.
 */
#ifndef RNE_CACHE_H
#define RNE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "digest.h"
#include "error.h"
#include "list.h"
#include "lock.h"

struct cache;

/* To look only: nothing is created; a missing cache is an empty one. */
bool cache_look(struct cache **out, const char *path,
		struct error *err) NODISCARD;
/*
 * To use: folders are made and the shared lock is taken, for which it waits up
 * to `wait_ms`. `path` NULL or not writable: a private cache below
 * `third_party` (-1: then it is an error).
 */
bool cache_open(struct cache **out, const char *path, int third_party,
		int wait_ms, struct error *err) NODISCARD;
/* How long the maintenance of one that is looked at waits for installs. */
void cache_set_wait(struct cache *cache, int wait_ms);
/* Releases the lock; a private cache is removed. */
void cache_close(struct cache **cache);
const char *cache_path(const struct cache *cache);
/* It goes with this run: nothing is worth keeping in it. */
bool cache_is_private(const struct cache *cache);

/* By name and size only; `size` 0: any. */
bool cache_has(const struct cache *cache, const struct digest *digest,
	       uint64_t size);
/* An archive to read, -1 when there is none; its digest is yet to be held
 * against its name. */
int cache_read(const struct cache *cache, const struct digest *digest);
/* It was not what its name says, or it is not wanted any more. */
void cache_discard(struct cache *cache, const struct digest *digest);
/* It was used: prune goes by that. */
void cache_touch(struct cache *cache, const struct digest *digest);

/* A download on its way in. */
struct cache_partial {
	struct digest digest;
	int file;
	char name[96]; /* below the cache */
	char etag[256];
	char url[2048];
	struct lock lock;
};

#define CACHE_PARTIAL_INIT                       \
	{                                        \
		{{0}}, -1, "", "", "", LOCK_INIT \
	}

/*
 * 1: opened, and ours alone; where there are no locks it is so by a name of its
 * own, and cannot be resumed. 0: another process has it; `holder` (may be
 * NULL, caller frees) says who. -1: error.
 */
int cache_partial_open(struct cache *cache, const struct digest *digest,
		       struct cache_partial *partial, char **holder,
		       struct error *err) NODISCARD;
/* Its bytes are right: gives it its name. Leaves `file` open for reading. */
bool cache_partial_accept(struct cache *cache, struct cache_partial *partial,
			  struct error *err) NODISCARD;
/* Writes down the ETag that its bytes may be resumed with, so that even a kill
 * leaves a beginning; false: there is none. */
bool cache_partial_note(struct cache *cache,
			const struct cache_partial *partial);
/* Keeps what there is for a later resume when there is an ETag to resume
 * with, removes it otherwise; releases the lock. */
void cache_partial_release(struct cache *cache, struct cache_partial *partial);

/* Which digest a file of a release had when it was last verified; what cannot
 * be read is as good as not there. */
struct cache_index {
	struct digest digest;
	uint64_t size;
	char *url; /* where the sidecar or archive came from; may be NULL */
};
bool cache_index_read(const struct cache *cache, const char *product,
		      const char *version, const char *file,
		      struct cache_index *index) NODISCARD;
/* Writes only when it differs. */
bool cache_index_write(struct cache *cache, const char *product,
		       const char *version, const char *file,
		       const struct cache_index *index,
		       struct error *err) NODISCARD;
void cache_index_release(struct cache_index *index);

/*
 * Maintenance (cache_maintain.c). All take the exclusive lock, so that no
 * install is running meanwhile.
 */
struct cache_entry {
	struct digest digest;
	uint64_t size;
	int64_t used_at;   /* seconds since the epoch */
	struct list names; /* "<product>/<version>/<file>", sorted */
};
bool cache_entries(const struct cache *cache, struct cache_entry **out,
		   size_t *count, struct error *err) NODISCARD;
void cache_entries_free(struct cache_entry *entries, size_t count);

struct cache_freed {
	size_t files;
	uint64_t bytes;
};
/* Hashes every archive; those that are not what they say are removed and
 * named in `damaged`. */
bool cache_verify(struct cache *cache, struct list *damaged, size_t *checked,
		  struct error *err) NODISCARD;
/* Removes what was not used for `days`, partial downloads, and litter. */
bool cache_prune(struct cache *cache, unsigned days, struct cache_freed *freed,
		 struct error *err) NODISCARD;
bool cache_clear(struct cache *cache, struct cache_freed *freed,
		 struct error *err) NODISCARD;

/* For the cache's own files: its folder, the one to read in where it is not the
 * same (-1: none), and its exclusive lock. */
int cache_folder(const struct cache *cache);
int cache_source(const struct cache *cache);
bool cache_lock_alone(struct cache *cache, const char *what,
		      struct error *err) NODISCARD;
/* A folder, a link or a FIFO where the file `name` belongs is nobody's: it
 * goes. */
bool cache_make_room(struct cache *cache, const char *name,
		     struct error *err) NODISCARD;
/* Gives the file `from` below the cache the name of the archive that it is. */
bool cache_admit(struct cache *cache, const char *from,
		 const struct digest *digest, struct error *err) NODISCARD;

#endif
