/*
 * plan.h - what has to happen, decided before anything happens.
 *
 * plan_make is a pure function of the request; survey.h then looks at the
 * disk once and marks every artifact. After that the plan is constant: `plan`
 * prints it, install carries it out.
 */
#ifndef RNE_PLAN_H
#define RNE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "digest.h"
#include "error.h"
#include "list.h"
#include "receipt.h"
#include "request.h"

enum plan_action {
	PLAN_KEEP,     /* installed and whole */
	PLAN_RESTORE,  /* the archive is in the cache */
	PLAN_DOWNLOAD, /* it is not */
};

struct plan_item {
	const struct manifest_artifact *artifact;
	const struct manifest_archive *archive; /* the form to use */
	enum plan_action action;
	char *reason; /* "not installed", "xnnpack.so was changed", ... */

	/* The digest of the archive is known: pinned, or from the last
	 * verified sidecar. */
	bool known;
	struct digest digest;
	/* The sidecar is to be asked before the action is certain: the action
	 * is what happens when it says nothing new. */
	bool ask;

	const struct receipt_artifact *installed; /* NULL: it is not */
	bool whole;   /* every file of `installed` is as the receipt says */
	bool touched; /* ... but some mtime is not: the receipt needs it */
};

struct plan {
	struct plan_item *items;
	size_t count;
	struct list removed; /* artifacts installed and no longer wanted */
	struct digest fingerprint; /* of all that decides the result */
	bool journal; /* an interrupted commit has to be finished first */
	bool litter;  /* ... or what a run left that was killed removed */
	bool config_differs; /* the build config or the receipt needs writing */
};

bool plan_make(struct plan **out, const struct request *request,
	       struct error *err) NODISCARD;
void plan_free(struct plan **plan);

/* Nothing to fetch, to move or to write. */
bool plan_is_done(const struct plan *plan);
const char *plan_action_name(enum plan_action action);

/* For people and for --json, on stdout and into `out`. */
void plan_print(const struct plan *plan, const struct request *request,
		struct buf *out);
void plan_write_json(const struct plan *plan, const struct request *request,
		     struct buf *out);

#endif
