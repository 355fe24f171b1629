/*
 * supply.h - gets every archive that a plan needs, and its files unpacked.
 *
 * Sidecars first, all at once; then archives: from the cache when it has
 * them, else from the mirrors, one download per archive however many
 * processes want it. Each archive is unpacked by a worker as soon as it is
 * there, while others still download. No byte reaches an archive reader
 * before its digest matched.
 */
#ifndef RNE_SUPPLY_H
#define RNE_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "cache.h"
#include "error.h"
#include "plan.h"
#include "request.h"
#include "supplied.h"

struct supply_result {
	uint64_t downloaded; /* bytes */
	unsigned requests;
	unsigned from_cache; /* archives */
	unsigned fetched;    /* archives */
};

/*
 * `supplied` has an element for each item; with `third_party` -1 nothing is
 * unpacked (warm). What a sidecar says may turn an item's action into another:
 * that is the only change a plan sees after the survey, and only of items
 * that were marked with `ask`.
 */
bool supply_run(const struct request *request, struct plan *plan,
		struct cache *cache, int third_party, struct supplied *supplied,
		struct supply_result *result, struct error *err) NODISCARD;

#endif
