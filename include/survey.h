/*
 * survey.h - the one look at the disk that marks a plan.
 *
 * One lstat per installed file; a file is hashed only when its size is right
 * and its mtime is not. Reads nothing else but the receipt, the build config
 * and, for what is not installed, the cache's names.
 */
#ifndef RNE_SURVEY_H
#define RNE_SURVEY_H

#include <stdbool.h>

#include "attributes.h"
#include "cache.h"
#include "error.h"
#include "plan.h"
#include "receipt.h"
#include "request.h"

struct survey {
	int third_party;         /* -1: there is none */
	struct receipt *receipt; /* NULL: none */
	struct buf config;       /* the bytes of the build config on disk */
	bool has_config;
};

#define SURVEY_INIT                       \
	{                                 \
		-1, NULL, BUF_INIT, false \
	}

/* `survey` is the caller's to release; the plan borrows from it. */
bool survey_make(struct survey *survey, struct plan *plan,
		 const struct request *request, const struct cache *cache,
		 struct error *err) NODISCARD;
void survey_release(struct survey *survey);

/* The same without a package: what the cache has of a plan (warm). */
void survey_cache(struct plan *plan, const struct request *request,
		  const struct cache *cache);

/*
 * Holds one installed artifact against the disk. `found` (may be NULL) gets a
 * sentence for every difference; `touched` (may be NULL) whether an mtime
 * alone differs. With `hash`, every file is hashed.
 */
bool survey_artifact(const struct receipt_artifact *artifact, int third_party,
		     bool hash, struct list *found, bool *whole, bool *touched,
		     struct error *err) NODISCARD;

#endif
