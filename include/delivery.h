/*
 * delivery.h - one archive on its way: sidecar, cache or download, worker.
 *
 * A delivery moves through its stages only by the functions below; supply.c
 * calls them as things happen.
 */
#ifndef RNE_DELIVERY_H
#define RNE_DELIVERY_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "cache.h"
#include "error.h"
#include "fetch.h"
#include "plan.h"
#include "request.h"
#include "supplied.h"
#include "supply.h"
#include "unpack_job.h"
#include "worker.h"

/* When neither the manifest nor anything else says how large an archive is. */
#define DELIVERY_SIZE_MAX (UINT64_C(4) << 30)

enum delivery_stage {
	DELIVERY_IDLE,
	DELIVERY_WAITING, /* another process downloads it */
	DELIVERY_FETCHING,
	DELIVERY_UNPACKING,
	DELIVERY_DONE,
};

/* What all deliveries share. */
struct delivery_desk {
	const struct request *request;
	struct cache *cache;
	int third_party;          /* -1: nothing is unpacked (warm) */
	struct fetch *fetch;      /* NULL: nothing was fetched yet */
	struct worker_pool *pool; /* NULL: nothing had to be unpacked yet */
	unsigned workers;         /* how many, when there are any */
	struct unpack_context context; /* what they know */
	bool cannot_clone; /* the cache's file system, as one try has shown */
	struct supply_result *result;
};

/*
 * Forks the workers, unless that was done. Before the first transfer: libcurl
 * starts threads.
 */
bool delivery_desk_workers(struct delivery_desk *desk,
			   struct error *err) NODISCARD;
/* Opens the network at first need: most runs need none. */
bool delivery_desk_fetch(struct delivery_desk *desk,
			 struct error *err) NODISCARD;

struct delivery {
	struct delivery_desk *desk;
	size_t index; /* in the plan */
	struct plan_item *item;
	struct supplied *supplied;
	enum delivery_stage stage;
	struct list urls;
	struct list sidecar_urls;
	struct fetch_job sidecar;
	struct fetch_job archive;
	struct cache_partial partial;
	int64_t waiting_since; /* milliseconds, of no particular day */
	bool told;             /* who is being waited for */
};

void delivery_start(struct delivery *delivery, struct delivery_desk *desk,
		    struct plan_item *item, size_t index,
		    struct supplied *supplied);
void delivery_release(struct delivery *delivery);

/* Bytes of the archive, and of its files; 0: nothing is known. */
uint64_t delivery_size(const struct delivery *delivery);
uint64_t delivery_unpacked_size(const struct delivery *delivery);

/* Adds the sidecar to the desk's fetch. */
bool delivery_ask(struct delivery *delivery, struct error *err) NODISCARD;
/* The sidecar ended, one way or the other: the item's action is certain. */
bool delivery_answered(struct delivery *delivery, struct error *err) NODISCARD;

/* From IDLE or WAITING: takes the archive from the cache, or fetches it. */
bool delivery_begin(struct delivery *delivery, struct error *err) NODISCARD;
/* The download ended. */
bool delivery_fetched(struct delivery *delivery, struct error *err) NODISCARD;
/* A worker answered. */
bool delivery_unpacked(struct delivery *delivery, const struct buf *answer,
		       const struct error *failure,
		       struct error *err) NODISCARD;

#endif
