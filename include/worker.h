/*
 * worker.h - a pool of processes that carry out jobs.
 *
 * Workers are forked before anything starts a thread (libcurl's resolver
 * does) and inherit all that the parent knew then; a job is therefore just a
 * number, an open file and at most WORKER_DETAIL_MAX bytes of what the parent
 * learnt since, which reach the worker over a socket pair (SCM_RIGHTS,
 * unix(7)). The answer is bytes or an error. A worker that dies
 * costs its job, as an ARCHIVE error, and nothing else.
 */
#ifndef RNE_WORKER_H
#define RNE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"

#define WORKER_DETAIL_MAX 256

/* Runs in the worker. `file` is -1 when the job came without one. */
typedef bool worker_function(void *context, uint32_t job, int file,
			     const void *detail, size_t detail_length,
			     struct buf *answer, struct error *err);
/* Runs once in each worker before its first job: locks it in. */
typedef bool worker_enter(void *context, struct error *err);

struct worker_pool;

bool worker_pool_start(struct worker_pool **out, unsigned count,
		       worker_enter *enter, worker_function *run, void *context,
		       struct error *err) NODISCARD;
/*
 * Queues a job; the pool takes over `file` and closes it. Of those that wait
 * the one with the greatest weight is next, so that the last to end is short.
 */
bool worker_pool_submit(struct worker_pool *pool, uint32_t job, uint64_t weight,
			int file, const void *detail, size_t detail_length,
			struct error *err) NODISCARD;
/* Jobs that were submitted and not collected. */
size_t worker_pool_pending(const struct worker_pool *pool);
/* The descriptors to watch for answers; at most `count` as started. */
size_t worker_pool_descriptors(const struct worker_pool *pool, int *into,
			       size_t room);
/*
 * Collects one finished job without waiting: true with `job`, its answer
 * (caller releases) or its failure (kind not NONE); false: none is ready.
 */
bool worker_pool_collect(struct worker_pool *pool, uint32_t *job,
			 struct buf *answer, struct error *failure) NODISCARD;
/* Ends all workers and waits for them. */
void worker_pool_stop(struct worker_pool **pool);

#endif
