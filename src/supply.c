#include "supply.h"

#include <poll.h>
#include <sys/resource.h>

#include "delivery.h"
#include "fs.h"
#include "interrupt.h"
#include "log.h"
#include "memory.h"
#include "progress.h"
#include "tree_cache.h"

#define STEP_MS     250
#define WAITING_MS  50
#define WORKERS_MAX 64

#define AT_ONCE_MAX  64
#define FILES_EACH   4
#define FILES_OTHERS 4 /* times FILES_EACH: folders, locks, streams */

struct supply {
	struct delivery_desk desk;
	struct plan *plan;
	struct supplied *supplied;
	struct delivery *deliveries; /* of items that are not kept */
	struct delivery **order;     /* in which they begin */
	size_t count, begun;
	size_t at_once; /* that are under way */
	struct progress_item *progress;
};

static void supply_release(struct supply *supply)
{
	/* Transfers write into the deliveries' files: they end first. */
	fetch_close(&supply->desk.fetch);
	worker_pool_stop(&supply->desk.pool);
	for (size_t i = 0; i < supply->count; i++)
		delivery_release(&supply->deliveries[i]);
	free(supply->deliveries);
	free(supply->order);
	free(supply->progress);
	progress_end();
}

/* A download has a file, a lock and a connection open, or more of them. */
static size_t count_at_once(void)
{
	struct rlimit limit;
	rlim_t files = AT_ONCE_MAX;

	if (!getrlimit(RLIMIT_NOFILE, &limit) &&
	    limit.rlim_cur != RLIM_INFINITY)
		files = limit.rlim_cur / FILES_EACH;
	files = files > FILES_OTHERS ? files - FILES_OTHERS : 1;
	return files < AT_ONCE_MAX ? (size_t)files : AT_ONCE_MAX;
}

static bool is_moving(const struct plan_item *item)
{
	return item->action != PLAN_KEEP || item->ask;
}

static void make_deliveries(struct supply *supply)
{
	struct plan *plan = supply->plan;

	supply->deliveries =
		memory_allocate(plan->count * sizeof(*supply->deliveries));
	supply->progress =
		memory_allocate(plan->count * sizeof(*supply->progress));
	for (size_t i = 0; i < plan->count; i++) {
		if (is_moving(&plan->items[i]))
			delivery_start(&supply->deliveries[supply->count++],
				       &supply->desk, &plan->items[i], i,
				       &supply->supplied[i]);
	}
}

/* What --offline cannot have, all of it, so that it can be fetched at once. */
static bool check_offline(const struct supply *supply, struct error *err)
{
	const struct request *request = supply->desk.request;
	size_t missing = 0;

	for (size_t i = 0; request->offline && i < supply->count; i++) {
		const struct delivery *delivery = &supply->deliveries[i];
		char hex[DIGEST_HEX_SIZE] = "not known";

		if (delivery->item->action != PLAN_DOWNLOAD)
			continue;
		if (delivery->item->known)
			digest_to_hex(&delivery->item->digest, hex);
		log_warning("missing: %s\n  url %s\n  sha256 %s",
			    delivery->item->archive->file,
			    delivery->urls.count ? delivery->urls.items[0]
						 : "none",
			    hex);
		missing++;
	}
	if (!missing)
		return true;
	error_set(err, ERROR_NETWORK,
		  "the cache %s lacks %zu archive%s, and --offline forbids "
		  "downloading",
		  cache_path(supply->desk.cache), missing, PLURAL(missing));
	return error_hint(err,
			  "Fill the cache with `rne-libs warm` where there "
			  "is a network, or run without --offline.");
}

/*
 * A tree in the cache is only copied; everything else is unpacked. Where a
 * sidecar is asked the workers come first, whatever it will say.
 */
static bool needs_worker(const struct supply *supply)
{
	for (size_t i = 0; i < supply->count; i++) {
		const struct plan_item *item = supply->deliveries[i].item;

		if (item->ask || item->action != PLAN_RESTORE ||
		    !tree_cache_has(supply->desk.cache, &item->digest))
			return true;
	}
	return false;
}

/* Their folders first: a worker that is locked in cannot make its own. */
static bool start_workers(struct supply *supply, struct error *err)
{
	struct delivery_desk *desk = &supply->desk;

	if (desk->third_party < 0 || !supply->count)
		return true;
	for (size_t i = 0; i < supply->count; i++) {
		char *folder CLEANUP(memory_release) =
			supplied_staging(supply->deliveries[i].index);

		if (!fs_make_folders_at(desk->third_party, folder, err))
			return false;
	}
	desk->workers = desk->request->jobs;
	if (desk->workers > supply->count)
		desk->workers = (unsigned)supply->count;
	if (desk->workers > supply->at_once)
		desk->workers = (unsigned)supply->at_once;
	desk->context =
		(struct unpack_context){supply->plan, desk->third_party};
	return !needs_worker(supply) || delivery_desk_workers(desk, err);
}

static bool ask_sidecars(struct supply *supply, struct error *err)
{
	size_t asked = 0;

	for (size_t i = 0; i < supply->count; i++) {
		if (!supply->deliveries[i].item->ask)
			continue;
		if (!delivery_ask(&supply->deliveries[i], err))
			return false;
		asked++;
	}
	while (asked) {
		struct fetch_job *ended;

		if (!interrupt_check(err) ||
		    !fetch_step(supply->desk.fetch, NULL, 0, STEP_MS, &ended,
				err))
			return false;
		for (; ended; ended = ended->next, asked--) {
			if (!delivery_answered(ended->owner, err))
				return false;
		}
	}
	return true;
}

/* The largest first: whatever starts last should end soon. */
static int compare_sizes(const void *a, const void *b)
{
	const struct delivery *const *first = a, *const *second = b;
	uint64_t one = (*first)->item->archive->size;
	uint64_t two = (*second)->item->archive->size;

	return (one < two) - (one > two);
}

static size_t count_stage(const struct supply *supply,
			  enum delivery_stage stage)
{
	size_t count = 0;

	for (size_t i = 0; i < supply->count; i++)
		count += supply->deliveries[i].stage == stage;
	return count;
}

static void sort_deliveries(struct supply *supply)
{
	supply->order =
		memory_allocate((supply->count + 1) * sizeof(*supply->order));
	for (size_t i = 0; i < supply->count; i++)
		supply->order[i] = &supply->deliveries[i];
	qsort(supply->order, supply->count, sizeof(*supply->order),
	      compare_sizes);
}

static bool begin_more(struct supply *supply, struct error *err)
{
	while (supply->begun < supply->count &&
	       supply->begun - count_stage(supply, DELIVERY_DONE) <
		       supply->at_once) {
		struct delivery *next = supply->order[supply->begun++];

		if (next->item->action == PLAN_KEEP)
			next->stage = DELIVERY_DONE;
		else if (!delivery_begin(next, err))
			return false;
	}
	return true;
}

static struct delivery *find_delivery(struct supply *supply, uint32_t index)
{
	for (size_t i = 0; i < supply->count; i++) {
		if (supply->deliveries[i].index == index)
			return &supply->deliveries[i];
	}
	return NULL;
}

static bool collect_workers(struct supply *supply, struct error *err)
{
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;
	uint32_t job;

	while (supply->desk.pool && worker_pool_collect(supply->desk.pool, &job,
							&answer, &failure)) {
		struct delivery *delivery = find_delivery(supply, job);

		if (!delivery_unpacked(delivery, &answer, &failure, err))
			return false;
		buf_release(&answer);
		error_clear(&failure);
	}
	return true;
}

/* All that will be installed: kept, or unpacked so far. */
static bool check_total(const struct supply *supply, struct error *err)
{
	size_t entries = 0, names = 0;

	for (size_t i = 0; i < supply->plan->count; i++) {
		const struct plan_item *item = &supply->plan->items[i];
		const struct supplied *supplied = &supply->supplied[i];
		const struct tree *files = NULL;

		if (supplied->staged)
			files = &supplied->files;
		else if (item->action == PLAN_KEEP)
			files = &item->installed->files;
		if (!files)
			continue;
		entries += files->count;
		names += tree_names_size(files);
		if (entries > TREE_ENTRIES_MAX || names > TREE_NAMES_MAX)
			return error_set(
				err, ERROR_ARCHIVE,
				"%s and the other artifacts hold more than "
				"the %u files, or the %u MB of their names, "
				"that one installation may have",
				item->artifact->name, TREE_ENTRIES_MAX,
				TREE_NAMES_MAX >> 20);
	}
	return true;
}

static bool retry_waiting(struct supply *supply, struct error *err)
{
	for (size_t i = 0; i < supply->count; i++) {
		struct delivery *delivery = &supply->deliveries[i];

		if (delivery->stage == DELIVERY_WAITING &&
		    !delivery_begin(delivery, err))
			return false;
	}
	return true;
}

static void show_progress(struct supply *supply)
{
	for (size_t i = 0; i < supply->count; i++) {
		const struct delivery *delivery = &supply->deliveries[i];
		struct progress_item *item = &supply->progress[i];

		item->name = delivery->item->artifact->name;
		item->size = delivery->archive.size;
		item->received = delivery->archive.received;
		item->running = delivery->stage == DELIVERY_FETCHING;
		item->ended = delivery->archive.url != NULL &&
			      delivery->stage != DELIVERY_FETCHING;
	}
	progress_show(supply->progress, supply->count);
}

static void wait_for_workers(const int *watch, size_t count, int timeout)
{
	struct pollfd fds[WORKERS_MAX];

	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){.fd = watch[i], .events = POLLIN};
	poll(fds, count, timeout);
}

static bool step(struct supply *supply, struct error *err)
{
	int timeout =
		count_stage(supply, DELIVERY_WAITING) ? WAITING_MS : STEP_MS;
	size_t done = count_stage(supply, DELIVERY_DONE);
	struct fetch_job *ended = NULL;
	int watch[WORKERS_MAX];
	size_t count = 0;

	if (supply->desk.pool)
		count = worker_pool_descriptors(supply->desk.pool, watch,
						WORKERS_MAX);
	if (supply->desk.fetch && fetch_busy(supply->desk.fetch)) {
		if (!fetch_step(supply->desk.fetch, watch, count, timeout,
				&ended, err))
			return false;
	} else {
		wait_for_workers(watch, count, timeout);
	}
	for (; ended; ended = ended->next) {
		if (!delivery_fetched(ended->owner, err))
			return false;
	}
	show_progress(supply);
	if (!collect_workers(supply, err) || !retry_waiting(supply, err) ||
	    !begin_more(supply, err))
		return false;
	/* Only an end adds files; bytes arrive far more often. */
	return (count_stage(supply, DELIVERY_DONE) == done ||
		check_total(supply, err)) &&
	       interrupt_check(err);
}

static bool deliver(struct supply *supply, struct error *err)
{
	if (!ask_sidecars(supply, err))
		return false;
	sort_deliveries(supply);
	if (!begin_more(supply, err) || !check_total(supply, err))
		return false;
	while (count_stage(supply, DELIVERY_DONE) < supply->count) {
		if (!step(supply, err))
			return false;
	}
	return true;
}

/* In front of what is left. */
static void say_space_needed(const struct supply *supply, struct error *err)
{
	char hint[sizeof(err->hint)], archives[16], files[16];
	uint64_t download = 0, unpack = 0;

	for (size_t i = 0; i < supply->count; i++) {
		const struct delivery *delivery = &supply->deliveries[i];

		if (delivery->item->action == PLAN_DOWNLOAD)
			download += delivery_size(delivery);
		unpack += delivery_unpacked_size(delivery);
	}
	if (!unpack)
		return;
	progress_bytes(archives, download);
	progress_bytes(files, unpack);
	memcpy(hint, err->hint, sizeof(hint));
	err->hint[0] = '\0';
	error_hint(err,
		   "About %s are to be downloaded, which are %s unpacked. %s",
		   archives, files, hint);
}

bool supply_run(const struct request *request, struct plan *plan,
		struct cache *cache, int third_party, struct supplied *supplied,
		struct supply_result *result, struct error *err)
{
	struct supply supply CLEANUP(supply_release) = {
		.desk = {.request = request,
			 .cache = cache,
			 .third_party = third_party,
			 .result = result},
		.plan = plan,
		.supplied = supplied,
		.at_once = count_at_once(),
	};

	make_deliveries(&supply);
	if (check_offline(&supply, err) && start_workers(&supply, err) &&
	    deliver(&supply, err))
		return true;
	if (err->no_space)
		say_space_needed(&supply, err);
	return false;
}
