#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "fs.h"
#include "memory.h"
#include "worker_frame.h"

enum job_state { JOB_QUEUED, JOB_RUNNING };

struct worker_job {
	uint32_t number;
	uint64_t weight;
	int file;
	enum job_state state;
	size_t detail_length;
	unsigned char detail[WORKER_DETAIL_MAX];
};

struct worker {
	pid_t process;
	int socket; /* -1: it is gone */
	bool busy;
	uint32_t job;
	struct buf received; /* the beginning of its answer */
};

struct worker_pool {
	struct worker *workers;
	size_t count;
	struct worker_job *jobs; /* submitted and not collected, in order */
	size_t job_count;
	struct error last_death;
};

/* The parent decides when to stop; a terminal's Ctrl-C reaches the group. */
static void ignore_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_IGN);
}

/* False: the parent is gone already. */
static bool die_with_parent(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	return getppid() == parent;
}

static bool serve_one(int socket, worker_function *run, void *context,
		      const struct error *locked_out)
{
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct worker_order order = WORKER_ORDER_INIT;
	struct error err = ERROR_INIT;
	bool ok = false;

	if (!worker_frame_receive_order(socket, &order))
		return false;
	if (locked_out->kind != ERROR_NONE)
		err = *locked_out;
	else
		ok = run(context, order.job, order.file, order.detail,
			 order.detail_length, &answer, &err);
	fs_close(&order.file);
	return worker_frame_send_answer(socket, ok ? &answer : NULL, &err);
}

static void serve(int socket, worker_enter *enter, worker_function *run,
		  void *context)
{
	struct error err = ERROR_INIT;

	/* A worker that could not be locked in runs nothing; it says so. */
	if (enter && !enter(context, &err) && err.kind == ERROR_NONE)
		error_set(&err, ERROR_OTHER, "the sandbox failed");
	while (serve_one(socket, run, context, &err))
		;
}

static bool start_worker(struct worker_pool *pool, worker_enter *enter,
			 worker_function *run, void *context, struct error *err)
{
	struct worker *worker = &pool->workers[pool->count];
	pid_t parent = getpid();
	int ends[2];

	if (!worker_frame_pair(ends, err))
		return false;
	fflush(NULL); /* or the child would have the same unwritten bytes */
	worker->process = fork();
	if (worker->process < 0) {
		error_system(err, errno, "cannot start a worker");
		fs_close(&ends[0]);
		fs_close(&ends[1]);
		return false;
	}
	if (!worker->process) {
		fs_close(&ends[0]);
		for (size_t i = 0; i < pool->count; i++)
			fs_close(&pool->workers[i].socket);
		ignore_signals();
		if (die_with_parent(parent))
			serve(ends[1], enter, run, context);
		_exit(0);
	}
	fs_close(&ends[1]);
	worker->socket = ends[0];
	worker->received = (struct buf)BUF_INIT;
	pool->count++;
	return true;
}

bool worker_pool_start(struct worker_pool **out, unsigned count,
		       worker_enter *enter, worker_function *run, void *context,
		       struct error *err)
{
	struct worker_pool *pool = memory_allocate(sizeof(*pool));

	pool->workers = memory_allocate(count * sizeof(*pool->workers));
	while (pool->count < count) {
		if (!start_worker(pool, enter, run, context, err)) {
			worker_pool_stop(&pool);
			return false;
		}
	}
	*out = pool;
	return true;
}

/* What became of a worker whose socket closed, into `last_death`. */
static void bury(struct worker_pool *pool, struct worker *worker)
{
	struct error *failure = &pool->last_death;
	int status = 0;

	fs_close(&worker->socket);
	buf_release(&worker->received);
	/* It may have closed its end and live on; once dying, its status
	 * stands and the signal changes nothing. */
	kill(worker->process, SIGKILL);
	while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFSIGNALED(status))
		error_set(failure, ERROR_ARCHIVE,
			  "the reader ended in the middle of its work, with "
			  "exit code %d",
			  WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGSYS)
		error_set(failure, ERROR_ARCHIVE,
			  "the reader was ended by SIGSYS: it did what its "
			  "sandbox forbids");
	else
		error_set(failure, ERROR_ARCHIVE,
			  "the reader was ended by SIG%s (%s)",
			  sigabbrev_np(WTERMSIG(status)),
			  strsignal(WTERMSIG(status)));
}

static bool is_alive(const struct worker_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++) {
		if (pool->workers[i].socket >= 0)
			return true;
	}
	return false;
}

static struct worker_job *next_queued(struct worker_pool *pool)
{
	struct worker_job *heaviest = NULL;

	for (size_t i = 0; i < pool->job_count; i++) {
		struct worker_job *job = &pool->jobs[i];

		if (job->state == JOB_QUEUED &&
		    (!heaviest || job->weight > heaviest->weight))
			heaviest = job;
	}
	return heaviest;
}

/* Each worker has one job at most, so its socket always has room for it. */
static void dispatch(struct worker_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++) {
		struct worker *worker = &pool->workers[i];
		struct worker_job *job;

		if (worker->socket < 0 || worker->busy)
			continue;
		job = next_queued(pool);
		if (!job)
			return;
		if (!worker_frame_send_order(worker->socket, job->number,
					     job->file, job->detail,
					     job->detail_length)) {
			bury(pool, worker); /* it died idle: the next one */
			continue;
		}
		fs_close(&job->file);
		job->state = JOB_RUNNING;
		worker->busy = true;
		worker->job = job->number;
	}
}

bool worker_pool_submit(struct worker_pool *pool, uint32_t job, uint64_t weight,
			int file, const void *detail, size_t detail_length,
			struct error *err)
{
	struct worker_job *queued;

	if (detail_length > WORKER_DETAIL_MAX) {
		fs_close(&file);
		return error_set(err, ERROR_OTHER, "job %u has too much detail",
				 job);
	}
	pool->jobs = memory_grow(pool->jobs, pool->job_count, sizeof(*queued));
	queued = &pool->jobs[pool->job_count++];
	*queued = (struct worker_job){
		.number = job,
		.weight = weight,
		.file = file,
		.detail_length = detail_length,
	};
	if (detail_length)
		memcpy(queued->detail, detail, detail_length);
	dispatch(pool);
	return true;
}

size_t worker_pool_pending(const struct worker_pool *pool)
{
	return pool->job_count;
}

size_t worker_pool_descriptors(const struct worker_pool *pool, int *into,
			       size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < pool->count && count < room; i++) {
		if (pool->workers[i].socket >= 0)
			into[count++] = pool->workers[i].socket;
	}
	return count;
}

static void forget_job(struct worker_pool *pool, struct worker_job *job)
{
	size_t behind = (size_t)(pool->jobs + pool->job_count - (job + 1));

	fs_close(&job->file);
	memmove(job, job + 1, behind * sizeof(*job));
	pool->job_count--;
}

static struct worker_job *running_job(struct worker_pool *pool, uint32_t number)
{
	for (size_t i = 0; i < pool->job_count; i++) {
		if (pool->jobs[i].state == JOB_RUNNING &&
		    pool->jobs[i].number == number)
			return &pool->jobs[i];
	}
	return NULL;
}

/* One look at one worker: did it finish, or die? */
static bool collect_from(struct worker_pool *pool, struct worker *worker,
			 uint32_t *job, struct buf *answer,
			 struct error *failure)
{
	enum worker_progress progress;

	progress = worker_frame_receive_answer(
		worker->socket, &worker->received, answer, failure);
	if (progress == WORKER_GOING_ON)
		return false;
	if (progress == WORKER_LOST || !worker->busy) {
		bury(pool, worker);
		if (!worker->busy)
			return false; /* idle, or it spoke unasked */
		*failure = pool->last_death;
	}
	worker->busy = false;
	*job = worker->job;
	forget_job(pool, running_job(pool, worker->job));
	return true;
}

bool worker_pool_collect(struct worker_pool *pool, uint32_t *job,
			 struct buf *answer, struct error *failure)
{
	struct worker_job *left;
	bool collected = false;

	error_clear(failure);
	for (size_t i = 0; i < pool->count && !collected; i++) {
		if (pool->workers[i].socket >= 0)
			collected = collect_from(pool, &pool->workers[i], job,
						 answer, failure);
	}
	dispatch(pool);
	if (collected)
		return true;
	left = next_queued(pool);
	if (!left || is_alive(pool))
		return false;
	*job = left->number;
	forget_job(pool, left);
	*failure = pool->last_death;
	error_prefix(failure, "no reader of archives is left");
	return true;
}

void worker_pool_stop(struct worker_pool **pool)
{
	if (!*pool)
		return;
	/* All of them die at once, instead of one after another. */
	for (size_t i = 0; i < (*pool)->count; i++) {
		if ((*pool)->workers[i].socket >= 0)
			kill((*pool)->workers[i].process, SIGKILL);
	}
	for (size_t i = 0; i < (*pool)->count; i++) {
		if ((*pool)->workers[i].socket >= 0)
			bury(*pool, &(*pool)->workers[i]);
	}
	while ((*pool)->job_count)
		forget_job(*pool, &(*pool)->jobs[(*pool)->job_count - 1]);
	free((*pool)->jobs);
	free((*pool)->workers);
	free(*pool);
	*pool = NULL;
}
