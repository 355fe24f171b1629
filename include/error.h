/*
 * error.h - errors are values.
 *
 * A fallible function returns bool and takes `struct error *err` last. The
 * innermost place sets kind and text; each level above may add one prefix.
 * Only main.c prints an error and turns its kind into the exit code.
 *
 *	if (!digest_file(fd, &found, err))
 *		return error_prefix(err, "%s", path);
 *
 * Every setter returns false, so that it can be returned.
 *
 * Texts may quote bytes from outside: they are escaped where they are printed
 * (log.h), not here.
 */
#ifndef RNE_ERROR_H
#define RNE_ERROR_H

#include <stdbool.h>

#include "attributes.h"

/* The values are the program's exit codes (rne-libs(1), EXIT STATUS). */
enum error_kind {
	ERROR_NONE = 0,
	ERROR_OTHER = 1,
	ERROR_USAGE = 2,
	ERROR_CONFIG = 3,
	ERROR_NETWORK = 4,
	ERROR_INTEGRITY = 5,
	ERROR_ARCHIVE = 6,
	ERROR_FILESYSTEM = 7,
	ERROR_DRIFT = 8,
	ERROR_LOCKED = 9,
	ERROR_SIGNAL = 128, /* the exit code is 128 + the signal's number */
};

struct error {
	enum error_kind kind;
	char text[4096]; /* what failed, what was expected, what was found */
	char hint[1024]; /* what to type next; empty: nothing to say */
	bool no_space;   /* the disk, or the user's part of it, is full */
};

#define ERROR_INIT \
	{          \
		0  \
	}

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
	PRINTF(3, 4);

/* The same with ": <strerror(code)>" behind it; the kind is FILESYSTEM. */
bool error_system(struct error *err, int code, const char *format, ...)
	PRINTF(3, 4);

/* Puts "<prefix>: " before the text. */
bool error_prefix(struct error *err, const char *format, ...) PRINTF(2, 3);

/* Says what to type next; the innermost hint stays. */
bool error_hint(struct error *err, const char *format, ...) PRINTF(2, 3);

void error_clear(struct error *err);

/* That every setter returns false, where an analyzer cannot see it. */
#if defined(__clang_analyzer__) && !defined(RNE_ERROR_C)
#define error_set(...)    (error_set(__VA_ARGS__), false)
#define error_system(...) (error_system(__VA_ARGS__), false)
#define error_prefix(...) (error_prefix(__VA_ARGS__), false)
#define error_hint(...)   (error_hint(__VA_ARGS__), false)
#endif

/* The word for a kind as --json and the man page use it: "network", ... */
const char *error_kind_name(enum error_kind kind);

#endif
