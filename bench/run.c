/*
 * run.c - runs a command and says what it cost.
 *
 *	run [-m] REPORT COMMAND [ARGUMENT]...
 *
 * Writes one JSON object to the file REPORT: wall, user and system time in
 * microseconds, the largest resident set of any of its processes in kB, and
 * the exit status. It is small, so that starting a process costs what a shell
 * pays for it and not what a large program pays for fork.
 *
 * -m also adds up, about a thousand times a second, what the command and all
 * its children hold in memory (Pss, so that shared pages count once), and
 * reports the largest sum. Looking costs time: the other figures of such a run
 * are not to be used.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS   1000000L
#define DEPTH_MAX 8

extern char **environ;

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t in_us(struct timeval time)
{
	return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

/* The first bytes of a file of /proc; empty when the process is gone. */
static void read_small(const char *path, char *out, size_t room)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, out, room - 1);

	out[got > 0 ? got : 0] = '\0';
	if (file >= 0)
		close(file);
}

/* What a process and its descendants hold, in kB. */
static long held_kb(pid_t pid, int depth)
{
	char path[96], text[4096];
	const char *pss, *at = text;
	long sum = 0;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	read_small(path, text, sizeof(text));
	pss = strstr(text, "\nPss:");
	if (pss)
		sum = strtol(pss + 5, NULL, 10);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	read_small(path, text, sizeof(text));
	while (depth < DEPTH_MAX && isdigit((unsigned char)*at)) {
		char *end;
		pid_t child = (pid_t)strtol(at, &end, 10);

		sum += held_kb(child, depth + 1);
		for (at = end; *at == ' '; at++)
			;
	}
	return sum;
}

static long watch_until_done(pid_t pid, int *status, struct rusage *usage)
{
	struct timespec pause = {0, LOOK_NS};
	long largest = 0;

	while (!wait4(pid, status, WNOHANG, usage)) {
		long held = held_kb(pid, 0);

		if (held > largest)
			largest = held;
		nanosleep(&pause, NULL);
	}
	return largest;
}

int main(int argc, char **argv)
{
	bool watch = argc > 1 && !strcmp(argv[1], "-m");
	char **command = argv + (watch ? 3 : 2);
	struct rusage usage;
	int64_t began, took;
	long held = 0;
	int status, failed;
	pid_t pid;
	FILE *report;

	if (argc < (watch ? 4 : 3)) {
		fputs("usage: run [-m] REPORT COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	began = now_us();
	failed = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
	if (failed) {
		fprintf(stderr, "run: %s: %s\n", command[0], strerror(failed));
		return 2;
	}
	if (watch)
		held = watch_until_done(pid, &status, &usage);
	else if (wait4(pid, &status, 0, &usage) < 0)
		return 2;
	took = now_us() - began;
	report = fopen(command[-1], "w");
	if (!report)
		return 2;
	fprintf(report,
		"{\"wall\": %lld, \"user\": %lld, \"system\": %lld, "
		"\"largestKb\": %ld, \"heldKb\": %ld, \"status\": %d}\n",
		(long long)took, (long long)in_us(usage.ru_utime),
		(long long)in_us(usage.ru_stime), usage.ru_maxrss, held,
		WIFEXITED(status) ? WEXITSTATUS(status)
				  : 128 + WTERMSIG(status));
	return fclose(report) ? 2 : 0;
}
