/*
 * lock.h - advisory locks between processes, held on an open file (flock(2)),
 * so that the kernel frees them when the holder dies.
 *
 * The file says who holds it: "<pid> <host> <what>". A file system without
 * locks gives one notice and no lock: the rename protocol of the cache and
 * the journal keep results right, only the work may be done twice.
 */
#ifndef RNE_LOCK_H
#define RNE_LOCK_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"

struct lock {
	int fd; /* -1: not held */
	bool held;
	bool absent; /* the file system has none: it only looks held */
};

#define LOCK_INIT                \
	{                        \
		-1, false, false \
	}

enum lock_mode { LOCK_SHARED, LOCK_EXCLUSIVE };

/* How long an install waits for another one, in milliseconds. */
#define LOCK_WAIT_DEFAULT (10 * 60 * 1000)

/*
 * 1: held. 0: someone else holds it; `holder` (may be NULL, caller frees)
 * says who. -1: error set (FILESYSTEM).
 */
int lock_try(struct lock *lock, int at, const char *name, enum lock_mode mode,
	     const char *what, char **holder, struct error *err) NODISCARD;

/*
 * Waits up to `wait_ms`, saying once for whom after a second; then LOCKED.
 * A signal ends the wait with SIGNAL.
 */
bool lock_take(struct lock *lock, int at, const char *name, enum lock_mode mode,
	       const char *what, int wait_ms, struct error *err) NODISCARD;

void lock_release(struct lock *lock);
/* The same for an exclusive lock, and its file goes too: a package manager
 * that stores the folder finds nothing that belongs to a process. */
void lock_remove(struct lock *lock, int at, const char *name);

#endif
