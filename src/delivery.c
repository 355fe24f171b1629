#include "delivery.h"

#include <errno.h>
#include <sys/stat.h>

#include "clock.h"
#include "fs.h"
#include "log.h"
#include "memory.h"
#include "progress.h"
#include "tree_cache.h"
#include "unpack_job.h"
#include "url.h"

#define NOTICE_MS 1000
/* To create one takes as long as unpacking so many bytes. */
#define FILE_WEIGHT ((uint64_t)16 << 10)

bool delivery_desk_workers(struct delivery_desk *desk, struct error *err)
{
	return desk->pool ||
	       worker_pool_start(&desk->pool, desk->workers, unpack_job_enter,
				 unpack_job_run, &desk->context, err);
}

bool delivery_desk_fetch(struct delivery_desk *desk, struct error *err)
{
	return desk->fetch ||
	       fetch_open(&desk->fetch, &desk->request->policy, err);
}

static void add_urls(const struct request *request, const char *file,
		     const char *suffix, struct list *out)
{
	char *name CLEANUP(memory_release) =
		memory_printf("%s%s", file, suffix);

	for (size_t i = 0; i < request->base_urls.count; i++) {
		char *url CLEANUP(memory_release) =
			url_join(request->base_urls.items[i], name);

		list_add(out, url);
	}
}

void delivery_start(struct delivery *delivery, struct delivery_desk *desk,
		    struct plan_item *item, size_t index,
		    struct supplied *supplied)
{
	const char *file = item->archive->file;

	memset(delivery, 0, sizeof(*delivery));
	delivery->desk = desk;
	delivery->index = index;
	delivery->item = item;
	delivery->supplied = supplied;
	delivery->partial = (struct cache_partial)CACHE_PARTIAL_INIT;
	delivery->archive.memory = (struct buf)BUF_INIT;
	delivery->archive.file = -1;
	delivery->sidecar.memory = (struct buf)BUF_INIT;
	delivery->sidecar.file = -1;
	add_urls(desk->request, file, "", &delivery->urls);
	add_urls(desk->request, file, ".sha256", &delivery->sidecar_urls);
}

void delivery_release(struct delivery *delivery)
{
	struct fetch_job *archive = &delivery->archive;

	if (delivery->stage == DELIVERY_FETCHING) {
		/* What arrived may be resumed by the next run. */
		memcpy(delivery->partial.etag, archive->etag,
		       sizeof(archive->etag));
		memcpy(delivery->partial.url, archive->etag_url,
		       sizeof(archive->etag_url));
	}
	cache_partial_release(delivery->desk->cache, &delivery->partial);
	fetch_job_release(archive);
	fetch_job_release(&delivery->sidecar);
	list_release(&delivery->urls);
	list_release(&delivery->sidecar_urls);
}

uint64_t delivery_size(const struct delivery *delivery)
{
	uint64_t size = delivery->archive.size;

	return size ? size : delivery->item->archive->size;
}

/* Real releases unpack to three times their size. */
uint64_t delivery_unpacked_size(const struct delivery *delivery)
{
	uint64_t size = delivery->item->artifact->unpacked_size;

	return size ? size : 3 * delivery_size(delivery);
}

static bool remember(struct delivery *delivery, int file, struct error *err)
{
	const struct manifest *manifest = delivery->desk->request->manifest;
	struct cache_index index = {.digest = delivery->item->digest};
	struct stat st;

	if (fstat(file, &st))
		return error_system(err, errno, "cannot look at %s",
				    delivery->item->archive->file);
	index.size = (uint64_t)st.st_size;
	index.url = delivery->supplied->source;
	return cache_index_write(delivery->desk->cache, manifest->product,
				 manifest->version,
				 delivery->item->archive->file, &index, err);
}

static void finish(struct delivery *delivery)
{
	delivery->stage = DELIVERY_DONE;
	fs_close(&delivery->partial.file);
}

/* How long it takes to unpack, in bytes: a file costs more than its own. */
static uint64_t weight(const struct delivery *delivery)
{
	return delivery_unpacked_size(delivery) +
	       FILE_WEIGHT * delivery->item->artifact->files.count;
}

/* To a worker; `file` is taken over. */
static bool hand_over(struct delivery *delivery, int file, bool verify,
		      struct error *err)
{
	struct unpack_detail detail;

	if (!delivery_desk_workers(delivery->desk, err)) {
		fs_close(&file);
		return false;
	}
	memset(&detail, 0, sizeof(detail)); /* the padding travels too */
	detail.digest = delivery->item->digest;
	detail.verify = verify;
	delivery->stage = DELIVERY_UNPACKING;
	return worker_pool_submit(delivery->desk->pool,
				  (uint32_t)delivery->index, weight(delivery),
				  file, &detail, sizeof(detail), err);
}

/* Without a package nothing is unpacked: the archive is only looked through. */
static bool check_cached(struct delivery *delivery, int file, bool *sound,
			 struct error *err)
{
	struct digest found;

	*sound = false;
	if (!digest_file(file, &found, NULL, err))
		return false;
	*sound = digest_equal(&found, &delivery->item->digest);
	if (!*sound)
		return true;
	cache_touch(delivery->desk->cache, &found);
	if (!remember(delivery, file, err))
		return false;
	delivery->desk->result->from_cache++;
	log_info("%s is in the cache", delivery->item->archive->file);
	finish(delivery);
	return true;
}

/* From here on the bytes in the partial file have a name to resume by. */
static void download_began(struct fetch_job *job)
{
	struct delivery *delivery = job->owner;
	struct cache_partial *partial = &delivery->partial;

	memcpy(partial->etag, job->etag, sizeof(job->etag));
	memcpy(partial->url, job->etag_url, sizeof(job->etag_url));
	cache_partial_note(delivery->desk->cache, partial);
}

static bool start_download(struct delivery *delivery, struct error *err)
{
	const struct manifest_archive *archive = delivery->item->archive;
	struct fetch_job *job = &delivery->archive;

	if (!delivery_desk_fetch(delivery->desk, err))
		return false;
	job->label = archive->file;
	job->urls = &delivery->urls;
	job->size = archive->pinned ? archive->size : 0;
	job->limit = job->size ? job->size : DELIVERY_SIZE_MAX;
	job->digest = &delivery->item->digest;
	job->pinned = archive->pinned;
	job->file = delivery->partial.file;
	job->owner = delivery;
	job->began = download_began;
	memcpy(job->etag, delivery->partial.etag, sizeof(job->etag));
	memcpy(job->etag_url, delivery->partial.url, sizeof(job->etag_url));
	delivery->stage = DELIVERY_FETCHING;
	fetch_add(delivery->desk->fetch, job);
	return true;
}

static bool take_from_cache(struct delivery *delivery, bool *taken,
			    struct error *err)
{
	int file = cache_read(delivery->desk->cache, &delivery->item->digest);

	*taken = false;
	if (file < 0)
		return true;
	if (delivery->desk->third_party >= 0) {
		*taken = true;
		return hand_over(delivery, file, true, err);
	}
	if (!check_cached(delivery, file, taken, err)) {
		fs_close(&file);
		return false;
	}
	fs_close(&file);
	if (!*taken)
		cache_discard(delivery->desk->cache, &delivery->item->digest);
	return true;
}

/* The staging folder as the workers found it: empty. */
static bool empty_staging(struct delivery *delivery, const char *staging,
			  struct error *err)
{
	int third_party = delivery->desk->third_party;

	return fs_remove_tree(third_party, staging, err) &&
	       fs_make_folders_at(third_party, staging, err);
}

/* An archive that the cache has unpacked only needs to be copied. */
static bool take_tree(struct delivery *delivery, bool *taken, struct error *err)
{
	const struct digest *digest = &delivery->item->digest;
	struct delivery_desk *desk = delivery->desk;
	char *staging CLEANUP(memory_release) =
		supplied_staging(delivery->index);
	struct error why = ERROR_INIT;
	int into CLEANUP(fs_close) = -1;

	*taken = false;
	if (desk->third_party < 0 || !tree_cache_has(desk->cache, digest))
		return true;
	if (!fs_open_folder_at(desk->third_party, staging, &into, err) ||
	    !tree_cache_take(desk->cache, digest,
			     delivery->item->artifact->has_files, into,
			     &delivery->supplied->files, taken, err))
		return false;
	if (*taken && !unpack_job_check(delivery->item,
					&delivery->supplied->files, &why)) {
		/* The archive itself may well keep the promise. */
		log_verbose("%s", why.text);
		tree_release(&delivery->supplied->files);
		tree_cache_drop(desk->cache, digest);
		*taken = false;
	}
	if (!*taken)
		return empty_staging(delivery, staging, err);
	delivery->supplied->staged = true;
	cache_touch(desk->cache, digest);
	desk->result->from_cache++;
	log_info("restored %s from the cache", delivery->item->archive->file);
	finish(delivery);
	return true;
}

/*
 * What was just downloaded may never be restored: a copy of it is made at the
 * first restoring, unless it costs nothing.
 */
static void keep_tree(struct delivery *delivery)
{
	struct delivery_desk *desk = delivery->desk;
	char *staging CLEANUP(memory_release) =
		supplied_staging(delivery->index);
	bool only_clone = delivery->supplied->source != NULL;
	struct error ignored = ERROR_INIT;
	int from CLEANUP(fs_close) = -1;

	/* Digests that a manifest only claims stay with those who have it. */
	if (!desk->request->keep_trees || cache_is_private(desk->cache) ||
	    unpack_job_known(delivery->item, !delivery->supplied->source) ||
	    (only_clone && desk->cannot_clone) ||
	    !fs_open_folder_at(desk->third_party, staging, &from, &ignored))
		return;
	if (!tree_cache_keep(desk->cache, &delivery->item->digest, from,
			     &delivery->supplied->files, only_clone))
		desk->cannot_clone = true;
}

static bool must_be_online(struct delivery *delivery, struct error *err)
{
	char hex[DIGEST_HEX_SIZE];

	if (!delivery->desk->request->offline)
		return true;
	digest_to_hex(&delivery->item->digest, hex);
	return error_set(err, ERROR_NETWORK,
			 "%s (sha256 %s) has to be downloaded again, but "
			 "--offline forbids it",
			 delivery->item->archive->file, hex);
}

/* Another process downloads it, or is stopped in the middle of that. */
static bool wait_for(struct delivery *delivery, const char *holder,
		     struct error *err)
{
	const char *file = delivery->item->archive->file;
	int64_t now = clock_ms(), waited;

	if (delivery->stage != DELIVERY_WAITING)
		delivery->waiting_since = now;
	delivery->stage = DELIVERY_WAITING;
	waited = now - delivery->waiting_since;
	if (waited >= delivery->desk->request->lock_wait_ms) {
		error_set(err, ERROR_LOCKED,
			  "%s is being downloaded by %s; waited %d s", file,
			  holder, (int)(waited / 1000));
		return error_hint(err, "If that process hangs, end it and run "
				       "the command again.");
	}
	if (waited >= NOTICE_MS && !delivery->told) {
		log_info("waiting for %s, which downloads %s", holder, file);
		delivery->told = true;
	}
	return true;
}

bool delivery_begin(struct delivery *delivery, struct error *err)
{
	char *holder CLEANUP(memory_release) = NULL;
	bool taken;
	int opened;

	if (!take_tree(delivery, &taken, err) ||
	    (!taken && !take_from_cache(delivery, &taken, err)))
		return false;
	if (taken)
		return true;
	if (!must_be_online(delivery, err))
		return false;
	opened = cache_partial_open(delivery->desk->cache,
				    &delivery->item->digest, &delivery->partial,
				    &holder, err);
	if (opened < 0)
		return false;
	if (!opened)
		return wait_for(delivery, holder, err);
	/* Whoever held the lock may just have finished. */
	if (!take_from_cache(delivery, &taken, err))
		return false;
	if (!taken)
		return start_download(delivery, err);
	delivery->partial.etag[0] = '\0';
	cache_partial_release(delivery->desk->cache, &delivery->partial);
	return true;
}

static bool download_failed(struct delivery *delivery, struct error *err)
{
	const struct manifest *manifest = delivery->desk->request->manifest;
	struct fetch_job *job = &delivery->archive;

	*err = job->failure;
	/* Bytes that are wrong are no beginning of the right ones. */
	if (err->kind == ERROR_INTEGRITY)
		job->etag[0] = '\0';
	if (job->missing)
		error_set(err, ERROR_NETWORK, "release %s of %s has no %s (%s)",
			  manifest->version, manifest->product, job->label,
			  job->failure.text);
	if (job->missing || err->kind == ERROR_INTEGRITY)
		return error_hint(err, "Check --base-url and RNET_BASE_URL: "
				       "what lies there is not this release.");
	return error_hint(err, "Run the command again; what was downloaded so "
			       "far is kept.");
}

bool delivery_fetched(struct delivery *delivery, struct error *err)
{
	struct fetch_job *job = &delivery->archive;
	struct supply_result *result = delivery->desk->result;
	char size[16];
	int file;

	result->requests += job->requests;
	if (job->failure.kind != ERROR_NONE)
		return download_failed(delivery, err);
	for (size_t i = 0; i < job->notes.count; i++)
		log_warning("%s", job->notes.items[i]);
	result->downloaded += job->received;
	result->fetched++;
	delivery->stage = DELIVERY_IDLE;
	delivery->supplied->source = memory_string(job->url);
	if (!cache_partial_accept(delivery->desk->cache, &delivery->partial,
				  err) ||
	    !remember(delivery, delivery->partial.file, err))
		return false;
	progress_bytes(size, job->received);
	log_info("downloaded %s (%s)", job->label, size);
	if (delivery->desk->third_party < 0) {
		finish(delivery);
		return true;
	}
	/* The worker gets the very file that was hashed as it arrived. */
	file = delivery->partial.file;
	delivery->partial.file = -1;
	return hand_over(delivery, file, false, err);
}

bool delivery_unpacked(struct delivery *delivery, const struct buf *answer,
		       const struct error *failure, struct error *err)
{
	const char *file = delivery->item->archive->file;
	struct cache *cache = delivery->desk->cache;

	/* Once: what was just downloaded is no cached archive. */
	if (failure->kind == ERROR_INTEGRITY && !delivery->supplied->source) {
		log_warning("%s: %s; fetching it again", file, failure->text);
		cache_discard(cache, &delivery->item->digest);
		return delivery_begin(delivery, err);
	}
	if (failure->kind != ERROR_NONE) {
		*err = *failure;
		if (failure->kind != ERROR_ARCHIVE)
			return false;
		return error_hint(err, "The archive is what its publisher "
				       "made; report it to them.");
	}
	if (!unpack_job_answer(delivery->item, answer,
			       &delivery->supplied->files, err))
		return false;
	keep_tree(delivery);
	if (!delivery->supplied->source) {
		cache_touch(cache, &delivery->item->digest);
		delivery->desk->result->from_cache++;
		log_info("restored %s from the cache", file);
	}
	delivery->supplied->staged = true;
	finish(delivery);
	return true;
}
