#define _GNU_SOURCE
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_SIZE (64u << 20)
#define LINE_SIZE (2 * PATH_MAX + 256)
#define CALL_SIZE 2048
#define RAW       inject_raw()

enum mode {
	MODE_COUNT,
	MODE_FAIL,
	MODE_FAIL_ON, /* from this call on, all that change something */
	MODE_HALF,
	MODE_KILL_ALL,
	MODE_KILL_ONE,
	MODE_SIGNAL,
	MODE_FAIL_NAMED, /* all of that name, wherever */
};

enum record { RECORD_NOTHING, RECORD_CALLS, RECORD_CHANGES };

/* tests/faults/injected.mjs knows the offsets. */
struct shared {
	int32_t mode;
	int32_t code; /* errno, or a signal */
	uint32_t process;
	uint32_t record;
	uint64_t target; /* which of the wanted ones */
	uint64_t count;  /* of them so far */
	uint32_t no_sync;
	uint32_t fired;
	uint32_t dead;      /* everyone should be */
	uint32_t busy;      /* a change is being recorded */
	uint32_t processes; /* forked so far */
	uint32_t unused;
	uint64_t text_used;
	char wanted[CALL_SIZE]; /* "name path" */
	char text[TEXT_SIZE];
};

static struct shared *shared;
static uint32_t me, next_child;
static bool is_leader;

long (*inject_raw(void))(long number, ...)
{
	static long (*found)(long, ...);

	if (!found)
		found = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return found;
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("RNE_FAULTS");
	int fd = path ? (int)RAW(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
	void *memory;

	if (fd < 0)
		return;
	memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	RAW(SYS_close, fd);
	if (memory == MAP_FAILED)
		return;
	is_leader = getpgrp() == getpid();
	shared = memory;
}

void inject_forking(void)
{
	if (shared)
		next_child = __atomic_add_fetch(&shared->processes, 1,
						__ATOMIC_SEQ_CST);
}

void inject_forked(void)
{
	me = next_child;
}

bool inject_believes_syncs(void)
{
	return shared && shared->no_sync;
}

static void full_path(char into[PATH_MAX], int at, const char *path)
{
	char link[64];
	ssize_t length;

	into[0] = '\0';
	if (at == INJECT_NO_PLACE)
		return;
	if (path && path[0] == '/') {
		snprintf(into, PATH_MAX, "%s", path);
		return;
	}
	if (at == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/self/cwd");
	else
		snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	length = RAW(SYS_readlinkat, AT_FDCWD, link, into, PATH_MAX - 1);
	if (length < 0)
		length = 0;
	into[length] = '\0';
	if (path && strcmp(path, ".") != 0 && length + 1 < PATH_MAX)
		snprintf(into + length, (size_t)(PATH_MAX - length), "/%s",
			 path);
}

static void add_text(const char *text, size_t length)
{
	uint64_t at = __atomic_fetch_add(&shared->text_used, length,
					 __ATOMIC_SEQ_CST);

	if (at + length <= TEXT_SIZE)
		memcpy(shared->text + at, text, length);
}

/* What is not the same in every run: temporary names, and those of sockets. */
static void make_plain(char *path)
{
	static const char temporary[] = ".rne-tmp-";
	char *random = strstr(path, temporary), *bracket = strchr(path, '[');
	size_t digits;

	if (bracket)
		*bracket = '\0';
	if (!random)
		return;
	random += sizeof(temporary) - 1;
	digits = strspn(random, "0123456789abcdef");
	memmove(random, random + digits, strlen(random + digits) + 1);
}

/* "name path" */
static void describe(char into[CALL_SIZE], const char *name, int at,
		     const char *path)
{
	char full[PATH_MAX];

	full_path(full, at, path);
	make_plain(full);
	snprintf(into, CALL_SIZE, "%s %.1900s", name, full);
}

static void record_call(enum inject_kind kind, const char *name, int at,
			const char *path)
{
	char call[CALL_SIZE], line[CALL_SIZE + 32];
	int length;

	describe(call, name, at, path);
	length = snprintf(line, sizeof(line), "%u\t%d\t%s\n", me, (int)kind,
			  call);
	add_text(line, (size_t)length);
}

static void die(bool all)
{
	if (all) {
		/* A sandbox may forbid the signal; the others then go at their
		 * next call, before it does anything. */
		__atomic_store_n(&shared->dead, 1, __ATOMIC_SEQ_CST);
		if (is_leader)
			RAW(SYS_kill, 0, SIGKILL);
	}
	RAW(SYS_kill, RAW(SYS_getpid), SIGKILL);
	__builtin_trap();
}

static int carry_out(void)
{
	__atomic_store_n(&shared->fired, 1, __ATOMIC_SEQ_CST);
	if (shared->mode == MODE_KILL_ALL || shared->mode == MODE_KILL_ONE)
		die(shared->mode == MODE_KILL_ALL);
	if (shared->mode == MODE_SIGNAL)
		raise(shared->code);
	if (shared->mode == MODE_HALF)
		return INJECT_HALF;
	return shared->mode == MODE_SIGNAL ? 0 : shared->code;
}

static bool is_wanted(const char *name, int at, const char *path)
{
	size_t length = strlen(name);
	char call[CALL_SIZE];

	if (strncmp(shared->wanted, name, length) != 0)
		return false;
	if (shared->mode == MODE_FAIL_NAMED)
		return !shared->wanted[length];
	if (shared->process != me || shared->wanted[length] != ' ')
		return false;
	describe(call, name, at, path);
	return !strcmp(shared->wanted, call) &&
	       __atomic_add_fetch(&shared->count, 1, __ATOMIC_SEQ_CST) ==
		       shared->target;
}

int inject(enum inject_kind kind, const char *name, int at, const char *path)
{
	int saved = errno, code = 0;

	if (!shared)
		return 0;
	if (__atomic_load_n(&shared->dead, __ATOMIC_SEQ_CST))
		die(false);
	if (shared->record == RECORD_CALLS)
		record_call(kind, name, at, path);
	if (shared->mode == MODE_FAIL_ON && shared->fired)
		code = kind == CHANGES ? shared->code : 0;
	else if (shared->mode != MODE_COUNT && is_wanted(name, at, path))
		code = carry_out();
	errno = saved;
	return code;
}

bool inject_change_begin(void)
{
	if (!shared || shared->record != RECORD_CHANGES)
		return false;
	while (__atomic_exchange_n(&shared->busy, 1, __ATOMIC_SEQ_CST))
		;
	return true;
}

void inject_change(const char *what, int at, const char *path, int to_at,
		   const char *to, uint64_t number, const void *bytes,
		   size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char one[PATH_MAX], two[PATH_MAX] = "", line[LINE_SIZE];
	const unsigned char *byte = bytes;
	int used, saved = errno;
	long long mtime = 0;
	struct stat st;

	full_path(one, at, path);
	if (to && to_at == INJECT_NO_PLACE)
		snprintf(two, sizeof(two), "%s", to); /* of a link */
	else if (to)
		full_path(two, to_at, to);
	if (!RAW(SYS_newfstatat, AT_FDCWD, one, &st, AT_SYMLINK_NOFOLLOW))
		mtime = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
	used = snprintf(line, sizeof(line), "%s\t%s\t%s\t%llu\t%lld\t", what,
			one, two, (unsigned long long)number, mtime);
	add_text(line, (size_t)used);
	for (size_t i = 0; i < length; i++) {
		char hex[2] = {digits[byte[i] >> 4], digits[byte[i] & 15]};

		add_text(hex, 2);
	}
	add_text("\n", 1);
	errno = saved;
}

void inject_change_end(bool begun)
{
	if (begun)
		__atomic_store_n(&shared->busy, 0, __ATOMIC_SEQ_CST);
}
