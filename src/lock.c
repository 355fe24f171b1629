#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include "fs.h"
#include "interrupt.h"
#include "log.h"
#include "memory.h"

#define POLL_MS    50
#define NOTICE_MS  1000
#define HOLDER_MAX 256

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

int lock_try(struct lock *lock, int at, const char *name, enum lock_mode mode,
	     const char *what, char **holder, struct error *err)
{
	int operation = mode == LOCK_SHARED ? LOCK_SH : LOCK_EX;
	int fd CLEANUP(fs_close) = fs_open_at(at, name, O_RDWR | O_CREAT, 0644);

	if (fd < 0) {
		error_system(err, errno, "cannot open the lock file %s", name);
		return -1;
	}
	while (flock(fd, operation | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno == EWOULDBLOCK) {
			if (holder)
				*holder = read_holder(fd);
			return 0;
		}
		if (errno != ENOLCK && errno != ENOSYS && errno != EOPNOTSUPP &&
		    errno != EINVAL) {
			error_system(err, errno, "cannot lock %s", name);
			return -1;
		}
		log_verbose("%s: this file system has no locks; going on "
			    "without one",
			    name);
		break;
	}
	/* A shared lock has many holders; naming the last is still a help. */
	write_holder(fd, what);
	lock->fd = fd;
	lock->held = true;
	fd = -1;
	return 1;
}

bool lock_take(struct lock *lock, int at, const char *name, enum lock_mode mode,
	       const char *what, int wait_ms, struct error *err)
{
	bool told = false;

	for (int waited = 0;; waited += POLL_MS) {
		char *holder CLEANUP(memory_release) = NULL;
		int taken = lock_try(lock, at, name, mode, what, &holder, err);

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

void lock_release(struct lock *lock)
{
	fs_close(&lock->fd); /* closing releases it */
	lock->held = false;
}
