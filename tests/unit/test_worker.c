#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs.h"
#include "worker.h"
#include "worker_frame.h"

enum task {
	TASK_ECHO,
	TASK_READ,
	TASK_FAIL,
	TASK_CRASH,
	TASK_EXIT,
	TASK_LARGE,
	TASK_FLOOD,
	TASK_PID,
};

#define LARGE_SIZE (3u << 20)

static bool work(void *context, uint32_t job, int file, const void *detail,
		 size_t detail_length, struct buf *answer, struct error *err)
{
	char bytes[64];
	ssize_t got;

	switch ((enum task)(job & 0xff)) {
	case TASK_ECHO:
		buf_printf(answer, "%s %u ", (const char *)context, job);
		buf_append(answer, detail, detail_length);
		return true;
	case TASK_READ:
		got = pread(file, bytes, sizeof(bytes), 0);
		buf_append(answer, bytes, got > 0 ? (size_t)got : 0);
		return true;
	case TASK_FAIL:
		error_set(err, ERROR_ARCHIVE, "the entry \"%s\" is bad", "x/y");
		return error_hint(err, "throw it away");
	case TASK_CRASH:
		signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
		raise(SIGSEGV);
		return true;
	case TASK_EXIT:
		_exit(3);
	case TASK_LARGE:
		memset(buf_reserve(answer, LARGE_SIZE), 'a', LARGE_SIZE);
		answer->length += LARGE_SIZE;
		return true;
	case TASK_FLOOD:
		/* As a worker would that was taken over: the socket is the
		 * only descriptor that sends. */
		for (int fd = 3; fd < 64; fd++) {
			while (send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) > 0)
				;
		}
		return true;
	case TASK_PID:
		buf_printf(answer, "%ld", (long)getpid());
		return true;
	}
	return false;
}

static bool refuse(void *context, struct error *err)
{
	(void)context;
	return error_set(err, ERROR_FILESYSTEM, "no lock for the door");
}

static struct worker_pool *start(unsigned count, worker_enter *enter)
{
	static char context[] = "hello";
	struct worker_pool *pool = NULL;
	struct error err = ERROR_INIT;

	if (!worker_pool_start(&pool, count, enter, work, context, &err))
		fail_msg("%s", err.text);
	return pool;
}

static void submit_heavy(struct worker_pool *pool, uint32_t job,
			 uint64_t weight, int file, const char *detail)
{
	struct error err = ERROR_INIT;

	assert_true(worker_pool_submit(pool, job, weight, file, detail,
				       detail ? strlen(detail) : 0, &err));
}

static void submit(struct worker_pool *pool, uint32_t job, int file,
		   const char *detail)
{
	submit_heavy(pool, job, 0, file, detail);
}

static uint32_t collect(struct worker_pool *pool, struct buf *answer,
			struct error *failure)
{
	uint32_t job = UINT32_MAX;

	for (int waited = 0; waited < 1000; waited++) {
		struct pollfd fds[8];
		int descriptors[8];
		size_t count;

		if (worker_pool_collect(pool, &job, answer, failure))
			return job;
		count = worker_pool_descriptors(pool, descriptors, 8);
		for (size_t i = 0; i < count; i++)
			fds[i] = (struct pollfd){descriptors[i], POLLIN, 0};
		poll(fds, count, 10);
	}
	fail_msg("no answer in ten seconds");
	return job;
}

static void expect_failure(struct worker_pool *pool, enum error_kind kind,
			   const char *text)
{
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;

	collect(pool, &answer, &failure);
	assert_int_equal(failure.kind, kind);
	if (!strstr(failure.text, text))
		fail_msg("\"%s\" lacks \"%s\"", failure.text, text);
}

static void expect_answer(struct worker_pool *pool, uint32_t job,
			  const char *text)
{
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;

	assert_int_equal(collect(pool, &answer, &failure), job);
	assert_string_equal(failure.text, "");
	assert_string_equal(answer.data, text);
}

static void a_job_gets_its_number_detail_and_context(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);

	(void)state;
	submit(pool, TASK_ECHO | 0x700, -1, "detail");
	assert_int_equal(worker_pool_pending(pool), 1);
	expect_answer(pool, TASK_ECHO | 0x700, "hello 1792 detail");
	assert_int_equal(worker_pool_pending(pool), 0);
}

static void a_job_reads_the_file_it_was_given(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(2, NULL);
	char path[] = "/tmp/rne-worker.XXXXXX";
	int file = mkstemp(path);

	(void)state;
	unlink(path);
	assert_int_equal(write(file, "content", 7), 7);
	submit(pool, TASK_READ, file, NULL);
	expect_answer(pool, TASK_READ, "content");
	assert_int_equal(fcntl(file, F_GETFD), -1); /* the pool closed it */
}

static void a_failure_keeps_its_kind_text_and_hint(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;

	(void)state;
	submit(pool, TASK_FAIL, -1, NULL);
	assert_int_equal(collect(pool, &answer, &failure), TASK_FAIL);
	assert_int_equal(failure.kind, ERROR_ARCHIVE);
	assert_string_equal(failure.text, "the entry \"x/y\" is bad");
	assert_string_equal(failure.hint, "throw it away");
}

/* Whatever a worker that was taken over writes there. */
static void a_failure_of_no_known_kind_is_one_all_the_same(void **state)
{
	static const uint32_t kinds[] = {1u << 16, 99, 99 | 1u << 16,
					 UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint32_t head[3] = {kinds[i], 0, 0};
		struct buf received CLEANUP(buf_release) = BUF_INIT;
		struct buf answer CLEANUP(buf_release) = BUF_INIT;
		struct error failure = ERROR_INIT;
		int sockets[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets),
				 0);
		assert_int_equal(write(sockets[0], head, sizeof(head)),
				 sizeof(head));
		assert_int_equal(worker_frame_receive_answer(sockets[1],
							     &received, &answer,
							     &failure),
				 WORKER_ANSWERED);
		assert_int_equal(failure.kind, ERROR_ARCHIVE);
		close(sockets[0]);
		close(sockets[1]);
	}
}

static void a_large_answer_arrives_whole(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;

	(void)state;
	submit(pool, TASK_LARGE, -1, NULL);
	collect(pool, &answer, &failure);
	assert_int_equal(failure.kind, ERROR_NONE);
	assert_int_equal(answer.length, LARGE_SIZE);
}

static void more_jobs_than_workers_are_all_done(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(3, NULL);
	bool seen[64] = {false};

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		submit(pool, TASK_ECHO | i << 8, -1, NULL);
	for (size_t i = 0; i < 64; i++) {
		struct buf answer CLEANUP(buf_release) = BUF_INIT;
		struct error failure = ERROR_INIT;
		uint32_t job = collect(pool, &answer, &failure) >> 8;

		assert_int_equal(failure.kind, ERROR_NONE);
		assert_true(job < 64 && !seen[job]);
		seen[job] = true;
	}
}

static void of_those_that_wait_the_heaviest_is_next(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);

	(void)state;
	submit_heavy(pool, TASK_ECHO | 0x100, 1, -1, "begins at once");
	submit_heavy(pool, TASK_ECHO | 0x200, 2, -1, "light");
	submit_heavy(pool, TASK_ECHO | 0x300, UINT64_MAX, -1, "heavy");
	submit_heavy(pool, TASK_ECHO | 0x400, 2, -1, "light, too");
	expect_answer(pool, TASK_ECHO | 0x100, "hello 256 begins at once");
	expect_answer(pool, TASK_ECHO | 0x300, "hello 768 heavy");
	expect_answer(pool, TASK_ECHO | 0x200, "hello 512 light");
	expect_answer(pool, TASK_ECHO | 0x400, "hello 1024 light, too");
}

static void a_crash_costs_its_job_and_nothing_else(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(2, NULL);

	(void)state;
	submit(pool, TASK_CRASH, -1, NULL);
	expect_failure(pool, ERROR_ARCHIVE, "SIGSEGV");
	for (uint32_t i = 0; i < 4; i++)
		submit(pool, TASK_ECHO, -1, "x");
	for (size_t i = 0; i < 4; i++)
		expect_answer(pool, TASK_ECHO, "hello 0 x");
}

static void without_a_worker_left_every_job_fails(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);

	(void)state;
	submit(pool, TASK_EXIT, -1, NULL);
	submit(pool, TASK_ECHO, -1, NULL);
	submit(pool, TASK_ECHO, -1, NULL);
	expect_failure(pool, ERROR_ARCHIVE, "exit code 3");
	expect_failure(pool, ERROR_ARCHIVE,
		       "no reader of archives is left: the reader ended");
	expect_failure(pool, ERROR_ARCHIVE,
		       "no reader of archives is left: the reader ended");
	assert_int_equal(worker_pool_pending(pool), 0);
}

static void a_worker_killed_while_idle_is_noticed_without_loss(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(2, NULL);
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;
	siginfo_t end;
	pid_t worker;

	(void)state;
	submit(pool, TASK_PID, -1, NULL);
	collect(pool, &answer, &failure);
	worker = (pid_t)strtol(answer.data, NULL, 10);
	kill(worker, SIGKILL);
	/* Until it is dead, and without taking its end from the pool. */
	assert_int_equal(waitid(P_PID, (id_t)worker, &end, WEXITED | WNOWAIT),
			 0);
	for (size_t i = 0; i < 4; i++)
		submit(pool, TASK_ECHO, -1, "x");
	for (size_t i = 0; i < 4; i++)
		expect_answer(pool, TASK_ECHO, "hello 0 x");
}

static void a_worker_that_is_not_locked_in_does_no_job(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, refuse);

	(void)state;
	submit(pool, TASK_ECHO, -1, NULL);
	expect_failure(pool, ERROR_FILESYSTEM, "no lock for the door");
}

static void a_worker_that_floods_its_parent_is_ended(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);

	(void)state;
	submit(pool, TASK_FLOOD, -1, NULL);
	expect_failure(pool, ERROR_ARCHIVE, "ended by SIGKILL");
}

static void ctrl_c_does_not_reach_the_workers(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	submit(pool, TASK_PID, -1, NULL);
	collect(pool, &answer, &failure);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		kill((pid_t)strtol(answer.data, NULL, 10), signals[i]);
	submit(pool, TASK_ECHO, -1, "x");
	expect_answer(pool, TASK_ECHO, "hello 0 x");
}

/* Is the process there, and not a mere zombie? */
static bool is_running(pid_t process)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)process);
	file = fopen(path, "r");
	if (!file)
		return false;
	state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return state && state[1] == ' ' && state[2] != 'Z';
}

static void workers_die_with_their_parent(void **state)
{
	int ends[2];
	pid_t parent, worker;
	char text[32] = "";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	parent = fork();
	if (!parent) {
		struct worker_pool *pool = start(1, NULL);
		struct buf answer = BUF_INIT;
		struct error failure = ERROR_INIT;

		submit(pool, TASK_PID, -1, NULL);
		collect(pool, &answer, &failure);
		if (write(ends[1], answer.data, answer.length) < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	close(ends[0]);
	waitpid(parent, NULL, 0);
	worker = (pid_t)strtol(text, NULL, 10);
	for (int i = 0; i < 100 && is_running(worker); i++)
		poll(NULL, 0, 20);
	assert_false(is_running(worker));
}

static void too_much_detail_is_an_error(void **state)
{
	struct worker_pool *pool CLEANUP(worker_pool_stop) = start(1, NULL);
	char detail[WORKER_DETAIL_MAX + 1] = "";
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(worker_pool_submit(pool, 1, 0, -1, detail, sizeof(detail),
					&err));
	assert_int_equal(worker_pool_pending(pool), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_gets_its_number_detail_and_context),
		cmocka_unit_test(a_job_reads_the_file_it_was_given),
		cmocka_unit_test(a_failure_keeps_its_kind_text_and_hint),
		cmocka_unit_test(
			a_failure_of_no_known_kind_is_one_all_the_same),
		cmocka_unit_test(a_large_answer_arrives_whole),
		cmocka_unit_test(more_jobs_than_workers_are_all_done),
		cmocka_unit_test(of_those_that_wait_the_heaviest_is_next),
		cmocka_unit_test(a_crash_costs_its_job_and_nothing_else),
		cmocka_unit_test(without_a_worker_left_every_job_fails),
		cmocka_unit_test(
			a_worker_killed_while_idle_is_noticed_without_loss),
		cmocka_unit_test(a_worker_that_is_not_locked_in_does_no_job),
		cmocka_unit_test(a_worker_that_floods_its_parent_is_ended),
		cmocka_unit_test(ctrl_c_does_not_reach_the_workers),
		cmocka_unit_test(workers_die_with_their_parent),
		cmocka_unit_test(too_much_detail_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
