#include "fetch.h"

#include "clock.h"
#include "fetch_parts.h"
#include "fetch_task.h"
#include "interrupt.h"
#include "library.h"
#include "memory.h"

/* However long nothing happens: stalls and signals are looked for as often. */
#define LOOK_MS 100

struct fetch {
	struct fetch_engine engine;
	struct fetch_task *first; /* in the order of fetch_add */
	struct fetch_task **last;
};

bool fetch_open(struct fetch **out, const struct fetch_policy *policy,
		struct error *err)
{
	struct fetch *fetch;
	CURLM *multi;

	if (!library_load_curl(err))
		return false;
	if (libcurl.global_init(CURL_GLOBAL_DEFAULT))
		return error_set(err, ERROR_OTHER, "libcurl cannot start");
	multi = libcurl.multi_init();
	if (!multi) {
		libcurl.global_cleanup();
		return error_set(err, ERROR_OTHER, "libcurl has no memory");
	}
	libcurl.multi_setopt(multi, CURLMOPT_PIPELINING,
			     (long)CURLPIPE_MULTIPLEX);
	fetch = memory_allocate(sizeof(*fetch));
	fetch->engine.policy = policy;
	fetch->engine.multi = multi;
	fetch_reach_init(&fetch->engine.reach, policy);
	fetch->last = &fetch->first;
	*out = fetch;
	return true;
}

void fetch_add(struct fetch *fetch, struct fetch_job *job)
{
	struct fetch_task *task = fetch_task_new(&fetch->engine, job);

	*fetch->last = task;
	fetch->last = &task->next;
}

bool fetch_busy(const struct fetch *fetch)
{
	return fetch->first != NULL;
}

/* Connections in use, copies included. */
static unsigned count_running(const struct fetch *fetch)
{
	unsigned running = 0;

	for (const struct fetch_task *task = fetch->first; task;
	     task = task->next) {
		for (size_t i = 0; i < task->part_count; i++)
			running += task->parts[i].transfer != NULL;
		running += task->copy.from >= 0;
	}
	return running;
}

static bool is_due(const struct fetch_task *task, int64_t now_ms)
{
	return task->state == FETCH_WAITING && task->not_before_ms <= now_ms;
}

/* A redirect or a refusal makes a task due again at once: until none is. */
static void start_due(struct fetch *fetch, int64_t now_ms)
{
	unsigned running = count_running(fetch);
	struct fetch_task *task = fetch->first;

	while (task && running < fetch->engine.policy->parallel) {
		if (!is_due(task, now_ms)) {
			task = task->next;
			continue;
		}
		fetch_task_start(task, now_ms);
		running = count_running(fetch);
	}
}

static void collect(struct fetch *fetch, int64_t now_ms)
{
	CURLMsg *message;
	int left;

	while ((message =
			libcurl.multi_info_read(fetch->engine.multi, &left))) {
		CURLcode code = message->data.result;
		struct fetch_transfer *transfer;

		if (message->msg != CURLMSG_DONE)
			continue;
		transfer = fetch_transfer_of(message->easy_handle);
		fetch_task_transfer_ended(transfer->owner, transfer, (int)code,
					  now_ms);
	}
}

/* Takes ended tasks off the list; a chain of their jobs. */
static struct fetch_job *take_ended(struct fetch *fetch)
{
	struct fetch_task **link = &fetch->first;
	struct fetch_job *ended = NULL, **last = &ended;

	while (*link) {
		struct fetch_task *task = *link;

		if (task->state != FETCH_ENDED) {
			link = &task->next;
			continue;
		}
		*link = task->next;
		*last = task->job;
		last = &task->job->next;
		fetch_task_free(task);
	}
	*last = NULL;
	fetch->last = link;
	return ended;
}

/* The part that will take longest gets a connection that nobody uses. */
static bool split_slowest(struct fetch *fetch, int64_t now_ms)
{
	struct fetch_task *slowest = NULL;
	int64_t longest = 0;
	size_t index = 0;

	for (struct fetch_task *task = fetch->first; task; task = task->next) {
		for (size_t i = 0; i < task->part_count; i++) {
			int64_t left = fetch_parts_left_ms(task, i, now_ms);

			if (left <= longest)
				continue;
			longest = left;
			slowest = task;
			index = i;
		}
	}
	return slowest && fetch_parts_split(slowest, index, now_ms);
}

static void split(struct fetch *fetch, int64_t now_ms)
{
	for (const struct fetch_task *task = fetch->first; task;
	     task = task->next) {
		if (is_due(task, now_ms))
			return; /* there is work without it */
	}
	while (count_running(fetch) < fetch->engine.policy->parallel) {
		if (!split_slowest(fetch, now_ms))
			return;
	}
}

static bool advance(struct fetch *fetch, struct error *err)
{
	int64_t now_ms = clock_ms();
	int running;

	start_due(fetch, now_ms);
	if (libcurl.multi_perform(fetch->engine.multi, &running))
		return error_set(err, ERROR_OTHER, "libcurl cannot go on");
	now_ms = clock_ms();
	collect(fetch, now_ms);
	for (struct fetch_task *task = fetch->first; task; task = task->next)
		fetch_task_look(task, now_ms);
	split(fetch, now_ms);
	return true;
}

/* How long nothing can happen but bytes that arrive. */
static int quiet_ms(const struct fetch *fetch, int64_t now_ms, int64_t until_ms)
{
	int64_t quiet = until_ms - now_ms;
	unsigned running = count_running(fetch);

	if (running && quiet > LOOK_MS)
		quiet = LOOK_MS;
	for (const struct fetch_task *task = fetch->first; task;
	     task = task->next) {
		int64_t due = task->not_before_ms - now_ms;

		if (task->copy.from >= 0)
			return 0;
		if (task->state == FETCH_WAITING && due < quiet &&
		    running < fetch->engine.policy->parallel)
			quiet = due;
	}
	return quiet > 0 ? (int)quiet : 0;
}

/* True in `*ready`: one of `watch` can be read. */
static bool wait_for_bytes(struct fetch *fetch, struct curl_waitfd *watch,
			   size_t count, int timeout_ms, bool *ready,
			   struct error *err)
{
	for (size_t i = 0; i < count; i++)
		watch[i].revents = 0;
	if (libcurl.multi_poll(fetch->engine.multi, watch, (unsigned)count,
			       timeout_ms, NULL))
		return error_set(err, ERROR_OTHER, "libcurl cannot wait");
	*ready = false;
	for (size_t i = 0; i < count; i++)
		*ready |= watch[i].revents != 0;
	return true;
}

bool fetch_step(struct fetch *fetch, const int *watch, size_t watch_count,
		int timeout_ms, struct fetch_job **ended, struct error *err)
{
	struct curl_waitfd *descriptors CLEANUP(memory_release) =
		memory_allocate((watch_count + 1) * sizeof(*descriptors));
	int64_t until_ms = clock_ms() + timeout_ms;
	bool ready = false;

	for (size_t i = 0; i < watch_count; i++)
		descriptors[i] = (struct curl_waitfd){
			.fd = watch[i],
			.events = CURL_WAIT_POLLIN,
		};
	*ended = NULL;
	for (;;) {
		int64_t now_ms;

		if (!advance(fetch, err))
			return false;
		*ended = take_ended(fetch);
		now_ms = clock_ms();
		if (*ended || ready || now_ms >= until_ms || interrupt_signal())
			return true;
		if (!wait_for_bytes(fetch, descriptors, watch_count,
				    quiet_ms(fetch, now_ms, until_ms), &ready,
				    err))
			return false;
	}
}

void fetch_close(struct fetch **out)
{
	struct fetch *fetch = *out;

	if (!fetch)
		return;
	while (fetch->first) {
		struct fetch_task *task = fetch->first;

		fetch->first = task->next;
		fetch_task_free(task);
	}
	libcurl.multi_cleanup(fetch->engine.multi);
	fetch_reach_release(&fetch->engine.reach);
	libcurl.global_cleanup();
	free(fetch);
	*out = NULL;
}

void fetch_job_release(struct fetch_job *job)
{
	if (job->memory.data)
		buf_release(&job->memory);
	list_release(&job->notes);
}
