#include "fetch_outcome.h"

#include <stdarg.h>

#include "clock.h"
#include "fetch_parts.h"
#include "memory.h"
#include "random.h"
#include "retry.h"

/* A try that brought so much does not count as failed: a large file over a
 * bad line arrives in the end, and a server that cuts cannot do so for ever. */
#define PROGRESS_MIN ((uint64_t)1 << 20)

PRINTF(2, 3) static void append(struct error *err, const char *format, ...)
{
	size_t length = strlen(err->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(err->text + length, sizeof(err->text) - length, format,
		  arguments);
	va_end(arguments);
}

static bool stop(struct fetch_task *task, struct error *err)
{
	fetch_copy_close(&task->copy);
	return fetch_parts_stop(task, err);
}

static void end_task(struct fetch_task *task)
{
	task->job->received = task->body.held;
	task->state = FETCH_ENDED;
}

void fetch_outcome_succeed(struct fetch_task *task)
{
	task->job->url = fetch_task_mirror(task);
	end_task(task);
}

void fetch_outcome_fail(struct fetch_task *task, const struct error *err)
{
	struct error ignored = ERROR_INIT;

	/* A file that may have gaps is no beginning. */
	if (!stop(task, &ignored))
		task->job->etag[0] = '\0';
	task->job->failure = *err;
	end_task(task);
}

bool fetch_outcome_forget(struct fetch_task *task, struct error *err)
{
	struct fetch_job *job = task->job;

	job->etag[0] = '\0';
	if (job->began)
		job->began(job);
	task->held_before = 0;
	return fetch_body_restart(&task->body, err);
}

/* Which of two failures says more of what is wrong? */
static int rank(enum error_kind kind)
{
	switch (kind) {
	case ERROR_NONE:
		return 0;
	case ERROR_NETWORK:
		return 1;
	case ERROR_INTEGRITY:
		return 3;
	default:
		return 2;
	}
}

static void fail_everywhere(struct fetch_task *task)
{
	struct fetch_job *job = task->job;

	for (size_t i = 0; i < job->notes.count; i++) {
		if (i != task->worst_mirror)
			append(&task->worst, "\nanother mirror: %s",
			       job->notes.items[i]);
	}
	job->missing = task->missing == job->urls->count;
	fetch_outcome_fail(task, &task->worst);
}

static void forget_redirects(struct fetch_task *task)
{
	memory_release(&task->url);
	task->redirects = 0;
}

static void leave_mirror(struct fetch_task *task,
			 const struct fetch_outcome *outcome, int64_t now_ms)
{
	list_add(&task->job->notes, outcome->err.text);
	task->missing += outcome->missing;
	if (rank(outcome->err.kind) > rank(task->worst.kind)) {
		task->worst = outcome->err;
		task->worst_mirror = task->mirror;
	}
	forget_redirects(task);
	task->failed = 0;
	task->no_ranges = false;
	if (task->mirror + 1 == task->job->urls->count) {
		fail_everywhere(task);
		return;
	}
	task->mirror++;
	fetch_task_wait(task, now_ms);
}

/* Another try after a pause, unless there were enough. */
static void count_try(struct fetch_task *task, struct fetch_outcome *outcome,
		      int64_t now_ms)
{
	bool more_mirrors = task->mirror + 1 < task->job->urls->count;
	int64_t pause = 0;

	forget_redirects(task);
	task->fresh = true;
	if (task->body.held >= task->held_before + PROGRESS_MIN) {
		task->held_before = task->body.held;
		task->failed = 0;
	}
	task->failed++;
	if (outcome->verdict == FETCH_AGAIN)
		pause = retry_pause_ms(task->failed + 1,
				       (uint32_t)random_bits(),
				       outcome->retry_after_ms);
	/* Who asks for more patience than we have is not waited for when
	 * another one may have the file. */
	if (task->failed < task->engine->policy->tries &&
	    !(more_mirrors && outcome->retry_after_ms > RETRY_PAUSE_MAX_MS)) {
		fetch_task_wait(task, now_ms + pause);
		return;
	}
	if (task->failed > 1)
		append(&outcome->err, " (tried %u times)", task->failed);
	leave_mirror(task, outcome, now_ms);
}

static void restart(struct fetch_task *task, struct fetch_outcome *outcome,
		    int64_t now_ms)
{
	struct error err = ERROR_INIT;

	task->no_ranges = true;
	if (fetch_outcome_forget(task, &err))
		count_try(task, outcome, now_ms);
	else
		fetch_outcome_fail(task, &err);
}

void fetch_outcome_settle(struct fetch_task *task, const char *url,
			  struct fetch_outcome *outcome, int64_t now_ms)
{
	struct error err = ERROR_INIT;

	if (outcome->err.kind != ERROR_NONE)
		fetch_error_place(task->job->label, url, &outcome->err);
	if (!stop(task, &err)) {
		fetch_outcome_fail(task, &err);
		return;
	}
	switch (outcome->verdict) {
	case FETCH_TAKEN:
		fetch_outcome_succeed(task);
		break;
	case FETCH_REDIRECT:
		fetch_task_wait(task, now_ms);
		break;
	case FETCH_RESTART:
		restart(task, outcome, now_ms);
		break;
	case FETCH_AGAIN:
		count_try(task, outcome, now_ms);
		break;
	case FETCH_ELSEWHERE:
		leave_mirror(task, outcome, now_ms);
		break;
	case FETCH_STOP:
		fetch_outcome_fail(task, &outcome->err);
		break;
	}
}

static void wrong_digest(const struct digest *expected,
			 const struct digest *found, struct error *err)
{
	char expected_hex[DIGEST_HEX_SIZE], found_hex[DIGEST_HEX_SIZE];

	digest_to_hex(expected, expected_hex);
	digest_to_hex(found, found_hex);
	error_set(err, ERROR_INTEGRITY, "expected sha256 %s, found %s",
		  expected_hex, found_hex);
}

enum fetch_verdict fetch_outcome_verify(struct fetch_task *task, bool framed,
					struct error *err)
{
	const struct fetch_job *job = task->job;
	bool pieced = task->body.pieced;
	struct digest found;

	if (!job->digest)
		return FETCH_TAKEN;
	if (!fetch_body_digest(&task->body, &found, err))
		return FETCH_STOP;
	if (digest_equal(&found, job->digest))
		return FETCH_TAKEN;
	if (!fetch_outcome_forget(task, err))
		return FETCH_STOP;
	wrong_digest(job->digest, &found, err);
	if (pieced)
		return FETCH_RESTART;
	return framed ? FETCH_ELSEWHERE : FETCH_AGAIN;
}
