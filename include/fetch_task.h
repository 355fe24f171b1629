/*
 * fetch_task.h - one job on its way through mirrors, redirects and tries.
 *
 * WAITING until `not_before_ms`; then fetch_task_start makes it RUNNING: a
 * file is copied, or one transfer (fetch_transfer.h) is under way, or several
 * of which each brings a part (fetch_parts.h). What they came to decides what
 * is next (fetch_outcome.h). ENDED: the job says how.
 */
#ifndef RNE_FETCH_TASK_H
#define RNE_FETCH_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "fetch.h"
#include "fetch_body.h"
#include "fetch_copy.h"
#include "fetch_reach.h"
#include "fetch_transfer.h"

#define FETCH_PARTS_MAX 8

/* What all tasks share. */
struct fetch_engine {
	const struct fetch_policy *policy;
	void *multi; /* CURLM * */
	struct fetch_reach reach;
};

enum fetch_task_state { FETCH_WAITING, FETCH_RUNNING, FETCH_ENDED };

struct fetch_part {
	uint64_t start, end;             /* end 0: the file's, not known yet */
	struct fetch_transfer *transfer; /* NULL: done */
};

struct fetch_task {
	struct fetch_engine *engine;
	struct fetch_job *job;
	struct fetch_task *next;
	enum fetch_task_state state;
	int64_t not_before_ms;

	struct fetch_body body;
	bool opened;    /* the body is */
	uint64_t total; /* of the file, from an answer; 0: not known */
	struct fetch_copy copy;
	struct fetch_part parts[FETCH_PARTS_MAX];
	size_t part_count;
	bool whole; /* a part failed: no more parts */

	size_t mirror;        /* in job->urls */
	char *url;            /* behind redirects; NULL: the mirror's own */
	unsigned redirects;   /* that led to it */
	unsigned failed;      /* tries on this mirror */
	bool fresh;           /* no trust in connections that are open */
	bool no_ranges;       /* no trust in this mirror's ranges */
	uint64_t held_before; /* when one failed last */
	size_t missing;       /* mirrors that do not have it */
	struct error worst;   /* what to say when all failed */
	size_t worst_mirror;
};

struct fetch_task *fetch_task_new(struct fetch_engine *engine,
				  struct fetch_job *job) NODISCARD;
void fetch_task_start(struct fetch_task *task, int64_t now_ms);
/* libcurl ended one of its transfers with `code` (a CURLcode). */
void fetch_task_transfer_ended(struct fetch_task *task,
			       struct fetch_transfer *transfer, int code,
			       int64_t now_ms);
/* Copies a step, looks for stalls, brings job->received up to date. */
void fetch_task_look(struct fetch_task *task, int64_t now_ms);
/* Leaves a beginning in the file that can be resumed. */
void fetch_task_free(struct fetch_task *task);

/* For the files beside fetch_task.c. */
const char *fetch_task_mirror(const struct fetch_task *task);
const char *fetch_task_url(const struct fetch_task *task);
struct fetch_transfer *fetch_task_transfer(struct fetch_task *task) NODISCARD;
void fetch_task_wait(struct fetch_task *task, int64_t when_ms);

#endif
