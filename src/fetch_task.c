#include "fetch_task.h"

#include <curl/curl.h>

#include "fetch_outcome.h"
#include "fetch_parts.h"
#include "fetch_redirect.h"
#include "memory.h"
#include "retry.h"
#include "url.h"

#define HASH_STEP ((uint64_t)1 << 20)

struct fetch_task *fetch_task_new(struct fetch_engine *engine,
				  struct fetch_job *job)
{
	struct fetch_task *task = memory_allocate(sizeof(*task));

	task->engine = engine;
	task->job = job;
	task->copy = (struct fetch_copy)FETCH_COPY_INIT;
	job->task = task;
	job->memory = (struct buf)BUF_INIT;
	job->notes = (struct list)LIST_INIT;
	job->missing = false;
	job->received = 0;
	job->requests = 0;
	job->url = NULL;
	error_clear(&job->failure);
	return task;
}

void fetch_task_free(struct fetch_task *task)
{
	struct error ignored = ERROR_INIT;

	if (!fetch_parts_stop(task, &ignored))
		task->job->etag[0] = '\0';
	fetch_copy_close(&task->copy);
	fetch_body_release(&task->body);
	free(task->url);
	task->job->task = NULL;
	free(task);
}

const char *fetch_task_mirror(const struct fetch_task *task)
{
	return task->job->urls->items[task->mirror];
}

const char *fetch_task_url(const struct fetch_task *task)
{
	return task->url ? task->url : fetch_task_mirror(task);
}

void fetch_task_wait(struct fetch_task *task, int64_t when_ms)
{
	task->state = FETCH_WAITING;
	task->not_before_ms = when_ms;
}

/*
 * Starting
 */

/* The first byte of the file, or of the rest of it, is about to be written. */
static bool begin(struct fetch_transfer *transfer, struct error *err)
{
	struct fetch_task *task = transfer->owner;
	struct fetch_job *job = task->job;
	const char *url = fetch_task_mirror(task);

	task->total = transfer->total;
	if (transfer->at) {
		task->body.pieced = true;
		return true;
	}
	if (!fetch_body_restart(&task->body, err))
		return false;
	job->etag[0] = '\0';
	if (strlen(url) < sizeof(job->etag_url)) {
		snprintf(job->etag, sizeof(job->etag), "%s",
			 transfer->response.etag);
		snprintf(job->etag_url, sizeof(job->etag_url), "%s", url);
	}
	if (job->began)
		job->began(job);
	return true;
}

struct fetch_transfer *fetch_task_transfer(struct fetch_task *task)
{
	struct fetch_transfer *transfer = memory_allocate(sizeof(*transfer));

	transfer->url = fetch_task_url(task);
	transfer->body = &task->body;
	transfer->begin = begin;
	transfer->owner = task;
	transfer->fresh = task->fresh;
	transfer->want.size = task->job->size;
	transfer->want.limit = task->job->limit;
	return transfer;
}

/* The ETag may come from a file that anybody wrote. */
static bool can_resume(const struct fetch_task *task)
{
	const struct fetch_job *job = task->job;

	return job->file >= 0 && task->body.held && !task->no_ranges &&
	       fetch_parts_etag_is_strong(job->etag) &&
	       !strcmp(job->etag_url, fetch_task_mirror(task));
}

static enum fetch_verdict start_transfer(struct fetch_task *task,
					 int64_t now_ms, struct error *err)
{
	struct fetch_transfer *transfer = fetch_task_transfer(task);

	task->parts[0] = (struct fetch_part){.transfer = transfer};
	task->part_count = 1;
	task->job->requests++;
	if (can_resume(task)) {
		fetch_parts_ask(task, transfer, task->body.held, 0);
		task->parts[0].start = task->body.held;
		if (!fetch_body_hash(&task->body, UINT64_MAX, err))
			return FETCH_STOP;
	}
	if (!fetch_transfer_start(transfer, task->engine->multi,
				  &task->engine->reach, now_ms, err))
		return FETCH_ELSEWHERE;
	return FETCH_TAKEN;
}

static enum fetch_verdict start_copy(struct fetch_task *task, bool *missing,
				     struct error *err)
{
	enum fetch_verdict verdict = fetch_copy_open(
		&task->copy, fetch_task_mirror(task), task->job, missing, err);

	if (verdict == FETCH_TAKEN && !fetch_outcome_forget(task, err))
		return FETCH_STOP;
	return verdict;
}

static void start_mirror(struct fetch_task *task, int64_t now_ms)
{
	const char *url = fetch_task_url(task);
	struct fetch_outcome outcome = FETCH_OUTCOME_INIT;
	/* A redirect has its own rules (fetch_redirect.h). */
	const char *refused = task->url ? NULL : url_refused(url);

	if (!refused)
		refused = fetch_reach_refused(&task->engine->reach, url,
					      task->job->pinned);
	task->state = FETCH_RUNNING;
	if (refused) {
		error_set(&outcome.err, ERROR_USAGE, "%s", refused);
		outcome.verdict = FETCH_ELSEWHERE;
	} else if (url_is_file(url)) {
		outcome.verdict =
			start_copy(task, &outcome.missing, &outcome.err);
	} else {
		outcome.verdict = start_transfer(task, now_ms, &outcome.err);
	}
	if (outcome.verdict != FETCH_TAKEN)
		fetch_outcome_settle(task, url, &outcome, now_ms);
}

/* A run before this one may have been stopped behind its last byte. */
static bool is_complete(struct fetch_task *task, struct error *err)
{
	const struct fetch_job *job = task->job;
	uint64_t held = task->body.held;
	struct error wrong = ERROR_INIT;
	enum fetch_verdict verdict;

	if (held <= job->limit && (!job->size || held < job->size))
		return false;
	if (held != job->size || !job->digest) {
		if (!fetch_outcome_forget(task, err))
			error_prefix(err, "beginning anew");
		return false;
	}
	verdict = fetch_outcome_verify(task, true, &wrong);
	if (verdict == FETCH_STOP)
		*err = wrong;
	return verdict == FETCH_TAKEN;
}

static bool open_body(struct fetch_task *task, bool *complete,
		      struct error *err)
{
	struct fetch_job *job = task->job;

	*complete = false;
	if (task->opened)
		return true;
	if (!fetch_body_open(&task->body, job->file, &job->memory, err))
		return false;
	task->opened = true;
	*complete = is_complete(task, err);
	return err->kind == ERROR_NONE;
}

void fetch_task_start(struct fetch_task *task, int64_t now_ms)
{
	struct error err = ERROR_INIT;
	bool complete;

	if (!open_body(task, &complete, &err)) {
		error_prefix(&err, "%s", task->job->label);
		fetch_outcome_fail(task, &err);
	} else if (complete) {
		fetch_outcome_succeed(task);
	} else {
		start_mirror(task, now_ms);
	}
}

/*
 * A transfer ended
 */

static bool is_framed(const struct fetch_transfer *transfer)
{
	const struct fetch_response *response = &transfer->response;

	return response->has_length || response->chunked || response->http2 ||
	       transfer->want.size;
}

static void part_done(struct fetch_task *task, struct fetch_part *part,
		      int64_t now_ms)
{
	struct fetch_outcome outcome = FETCH_OUTCOME_INIT;
	bool framed = is_framed(part->transfer);
	char *url CLEANUP(memory_release) = memory_string(part->transfer->url);

	part->end = part->transfer->at;
	fetch_parts_drop(task, part);
	if (!fetch_parts_join(task))
		return;
	task->part_count = 0;
	if (task->total && task->body.held < task->total) {
		/* The last part ended before the file. */
		fetch_task_wait(task, now_ms);
		return;
	}
	outcome.verdict = fetch_outcome_verify(task, framed, &outcome.err);
	fetch_outcome_settle(task, url, &outcome, now_ms);
}

/* One of several connections failed: that is no failure of the task. */
static void part_failed(struct fetch_task *task, struct fetch_part *part,
			int64_t now_ms)
{
	bool first = part == task->parts;
	struct error err = ERROR_INIT;

	task->whole = true;
	if (first ? !fetch_parts_stop(task, &err)
		  : !fetch_parts_merge(task, &err))
		fetch_outcome_fail(task, &err);
	else if (first)
		fetch_task_wait(task, now_ms);
}

static void follow(struct fetch_task *task, struct fetch_transfer *transfer,
		   struct fetch_outcome *outcome)
{
	char *url CLEANUP(memory_release) = fetch_redirect(
		transfer->url, transfer->response.location, &outcome->err);
	const char *refused;

	outcome->verdict = FETCH_ELSEWHERE;
	if (!url)
		return;
	refused = fetch_reach_refused(&task->engine->reach, url,
				      task->job->pinned);
	if (!refused && task->redirects == REDIRECTS_MAX)
		refused = "more than 10 redirects";
	if (refused) {
		error_set(&outcome->err, ERROR_NETWORK, "%s", refused);
		return;
	}
	outcome->verdict = FETCH_REDIRECT;
	task->redirects++;
	/* The transfer borrows the old one, but has no more use for it. */
	free(task->url);
	task->url = url;
	url = NULL;
}

static void transfer_failed(struct fetch_task *task,
			    struct fetch_transfer *transfer,
			    struct fetch_outcome *outcome, int64_t now_ms)
{
	char *url CLEANUP(memory_release) = memory_string(transfer->url);
	long status = transfer->response.status;

	outcome->missing = status == 404 || status == 410;
	outcome->retry_after_ms = retry_after_ms(transfer->response.retry_after,
						 (int64_t)time(NULL));
	if (outcome->verdict == FETCH_REDIRECT)
		follow(task, transfer, outcome);
	/* Bytes of a file that is not the right one are no beginning. */
	if (outcome->err.kind == ERROR_INTEGRITY && transfer->began_ms &&
	    !fetch_outcome_forget(task, &outcome->err))
		outcome->verdict = FETCH_STOP;
	fetch_outcome_settle(task, url, outcome, now_ms);
}

void fetch_task_transfer_ended(struct fetch_task *task,
			       struct fetch_transfer *transfer, int code,
			       int64_t now_ms)
{
	struct fetch_part *part = fetch_parts_find(task, transfer);
	struct fetch_outcome outcome = FETCH_OUTCOME_INIT;

	outcome.verdict = fetch_transfer_result(transfer, code, &outcome.err);
	if (outcome.verdict == FETCH_TAKEN)
		part_done(task, part, now_ms);
	else if (transfer->part && outcome.verdict != FETCH_STOP)
		part_failed(task, part, now_ms);
	else
		transfer_failed(task, transfer, &outcome, now_ms);
}

/*
 * While it runs
 */

static void step_copy(struct fetch_task *task, int64_t now_ms)
{
	struct fetch_outcome outcome = FETCH_OUTCOME_INIT;
	bool done;

	outcome.verdict =
		fetch_copy_step(&task->copy, &task->body, &done, &outcome.err);
	if (outcome.verdict == FETCH_TAKEN && !done)
		return;
	if (done)
		outcome.verdict =
			fetch_outcome_verify(task, true, &outcome.err);
	fetch_outcome_settle(task, fetch_task_mirror(task), &outcome, now_ms);
}

static void look_at_part(struct fetch_task *task, struct fetch_part *part,
			 int64_t now_ms)
{
	struct fetch_transfer *transfer = part->transfer;
	struct fetch_outcome outcome = FETCH_OUTCOME_INIT;

	if (transfer->stop && transfer->at == transfer->stop)
		part_done(task, part, now_ms);
	else if (!fetch_transfer_stalled(transfer, now_ms, &outcome.err))
		return;
	else if (transfer->part)
		part_failed(task, part, now_ms);
	else
		transfer_failed(task, transfer, &outcome, now_ms);
}

/* Parts that joined were not hashed as they arrived: a bit at a time, so that
 * little is left for the end. What fails here fails again there. */
static void hash_some(struct fetch_task *task)
{
	struct error ignored = ERROR_INIT;

	if (!fetch_body_hash(&task->body, HASH_STEP, &ignored))
		task->whole = true;
}

void fetch_task_look(struct fetch_task *task, int64_t now_ms)
{
	if (task->copy.from >= 0)
		step_copy(task, now_ms);
	/* From the last on: a part that ends moves only those behind it. */
	for (size_t i = task->part_count; i-- > 0;) {
		if (i < task->part_count && task->parts[i].transfer)
			look_at_part(task, &task->parts[i], now_ms);
	}
	if (task->state == FETCH_ENDED)
		return;
	if (task->part_count)
		hash_some(task);
	task->job->received = fetch_parts_received(task);
}
