/*
 * unpack_job.h - what a worker does with an archive, and what its parent makes
 * of the answer.
 */
#ifndef RNE_UNPACK_JOB_H
#define RNE_UNPACK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "error.h"
#include "plan.h"
#include "tree.h"
#include "worker.h"

/* What the workers know when they are forked. */
struct unpack_context {
	const struct plan *plan;
	int third_party;
};

/* What reaches a worker with the archive. */
struct unpack_detail {
	struct digest digest;
	bool verify; /* it comes from the cache: hash it first */
};

/*
 * The files whose digests are taken from the manifest when the item is
 * unpacked; NULL: all are hashed. A manifest that pins an archive and lists its
 * files says the same thing twice, so a first install out of what was just
 * downloaded, which is waited for, does not compute it a third time. Whatever
 * others build on does: what the cache keeps, what is put in the place of other
 * files, what is repaired because it may not be what the list says.
 */
const struct tree *unpack_job_known(const struct plan_item *item,
				    bool from_cache);

/* Locks the worker in: it writes below the staging folder and nowhere else. */
bool unpack_job_enter(void *context, struct error *err) NODISCARD;

/*
 * Job number n unpacks the archive of the plan's item n into its staging
 * folder, which exists. The answer is the packed tree (tree.h). INTEGRITY:
 * the cached archive is not what its name says.
 */
bool unpack_job_run(void *context, uint32_t job, int file, const void *detail,
		    size_t detail_length, struct buf *answer,
		    struct error *err) NODISCARD;

/* Holds what an archive had against what the manifest promises. */
bool unpack_job_check(const struct plan_item *item, const struct tree *files,
		      struct error *err) NODISCARD;

/* Reads the answer and checks it. */
bool unpack_job_answer(const struct plan_item *item, const struct buf *answer,
		       struct tree *files, struct error *err) NODISCARD;

#endif
