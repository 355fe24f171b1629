#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "interrupt.h"
#include "log.h"
#include "memory.h"

#define POLL_MS    50
#define NOTICE_MS  1000
#define HOLDER_MAX 256
#define TRIES      100
#define TRY_AGAIN  2

static char *read_holder(int fd)
{
	char text[HOLDER_MAX];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return memory_string("another process");
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return memory_string(text);
}

/* For people only: a failure to write it changes nothing. */
static void write_holder(int fd, const char *what)
{
	char host[128] = "";
	char text[HOLDER_MAX];
	int length;

	if (gethostname(host, sizeof(host) - 1))
		host[0] = '\0';
	length = snprintf(text, sizeof(text), "process %ld on %s (%s)\n",
			  (long)getpid(), host, what);
	if (length > 0 && ftruncate(fd, 0) == 0 &&
	    pwrite(fd, text, (size_t)length, 0) < 0)
		log_verbose("cannot write the lock's holder: %s",
			    strerror(errno));
}

static bool has_no_locks(int code)
{
	return code == ENOLCK || code == ENOSYS || code == EOPNOTSUPP ||
	       code == EINVAL;
}

/* 1: locked, or there are no locks here. 0: someone else has it. -1: error. */
static int lock_file(struct lock *lock, int fd, const char *name, int operation,
		     struct error *err)
{
	lock->absent = false;
	while (flock(fd, operation | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno == EWOULDBLOCK)
			return 0;
		lock->absent = has_no_locks(errno);
		if (lock->absent)
			return 1;
		error_system(err, errno, "cannot lock %s", name);
		return -1;
	}
	return 1;
}

/*
 * The file that was locked is the one of that name, and of no other: a holder
 * may have removed it meanwhile, and a package manager may have made it a
 * hard link into its store, where it belongs to many projects.
 */
static bool is_ours_alone(int fd, int at, const char *name)
{
	struct stat mine, named;
	struct error ignored = ERROR_INIT;

	if (fstat(fd, &mine) || fs_stat_at(at, name, &named, &ignored) != 1 ||
	    !fs_same_file(&mine, &named))
		return false;
	if (mine.st_nlink == 1)
		return true;
	if (!fs_remove_file(at, name, &ignored))
		log_verbose("%s", ignored.text);
	return false;
}

static int try_once(struct lock *lock, int at, const char *name, int operation,
		    const char *what, char **holder, struct error *err)
{
	int fd CLEANUP(fs_close) = fs_open_at(at, name, O_RDWR | O_CREAT, 0644);
	int locked;

	if (fd < 0) {
		fs_failed(err, errno, at, "open the lock file", name);
		return -1;
	}
	locked = lock_file(lock, fd, name, operation, err);
	if (!locked && holder)
		*holder = read_holder(fd);
	if (locked <= 0)
		return locked;
	if (!is_ours_alone(fd, at, name))
		return TRY_AGAIN;
	/* A shared lock has many holders; naming the last is still a help. */
	write_holder(fd, what);
	lock->fd = fd;
	lock->held = true;
	fd = -1;
	return 1;
}

int lock_try(struct lock *lock, int at, const char *name, enum lock_mode mode,
	     const char *what, char **holder, struct error *err)
{
	int operation = mode == LOCK_SHARED ? LOCK_SH : LOCK_EX;

	for (unsigned i = 0; i < TRIES; i++) {
		int taken =
			try_once(lock, at, name, operation, what, holder, err);

		if (taken != TRY_AGAIN)
			return taken;
	}
	error_set(err, ERROR_FILESYSTEM,
		  "the lock file %s is replaced again and again", name);
	return -1;
}

bool lock_take(struct lock *lock, int at, const char *name, enum lock_mode mode,
	       const char *what, int wait_ms, struct error *err)
{
	bool told = false;

	for (int waited = 0;; waited += POLL_MS) {
		char *holder CLEANUP(memory_release) = NULL;
		int taken = lock_try(lock, at, name, mode, what, &holder, err);

		if (taken > 0 && lock->absent)
			log_info("%s: this file system has no locks; going on "
				 "without one",
				 name);
		if (taken)
			return taken > 0;
		if (waited >= wait_ms) {
			error_set(err, ERROR_LOCKED,
				  "%s is locked by %s; waited %d s", name,
				  holder, waited / 1000);
			return error_hint(err, "If that process hangs, end it "
					       "and run the command again.");
		}
		if (waited >= NOTICE_MS && !told) {
			log_info("waiting for %s", holder);
			told = true;
		}
		poll(NULL, 0, POLL_MS);
		if (!interrupt_check(err))
			return false;
	}
}

void lock_remove(struct lock *lock, int at, const char *name)
{
	struct error ignored = ERROR_INIT;

	/* Whoever waits on this very file finds out by its name. */
	if (lock->held && !fs_remove_file(at, name, &ignored))
		log_verbose("%s", ignored.text);
	lock_release(lock);
}

void lock_release(struct lock *lock)
{
	fs_close(&lock->fd); /* closing releases it */
	lock->held = false;
}
