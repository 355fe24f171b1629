/*
 * inject.h - lets the calls by which a program touches the world fail.
 *
 * A library for LD_PRELOAD. calls.c stands in for the functions of the C
 * library; each asks inject.c, which counts it and says what is to become of
 * it: go on, fail once or from then on, do half of it, or die. Orders and
 * counts lie in a file that all processes of a run map (RNE_FAULTS names it).
 * Every call, or every change to the disk, can be written down there, too.
 *
 * A call is known by its process (those that are forked are numbered), its
 * name, its path, and how many of these there were before it: that is the same
 * in every run, though their order is not.
 */
#ifndef RNE_TESTS_INJECT_H
#define RNE_TESTS_INJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inject_kind { LOOKS, CHANGES };

#define INJECT_HALF     (-1)
#define INJECT_NO_PLACE INT_MIN /* for `at` of a call that names no file */

/*
 * 0: go on; INJECT_HALF: do half of it; else the errno to fail with. Leaves
 * errno alone. `at` and `path` as in openat(2); path NULL: `at` itself.
 */
int inject(enum inject_kind kind, const char *name, int at, const char *path);

/* fork(2): of the parent, and of the child. */
void inject_forking(void);
void inject_forked(void);

/* Syncing is to be believed, not done. */
bool inject_believes_syncs(void);

/* A change and its record are one: begin, make it, record it, end. False:
 * nothing is recorded. */
bool inject_change_begin(void);
void inject_change(const char *what, int at, const char *path, int to_at,
		   const char *to, uint64_t number, const void *bytes,
		   size_t length);
void inject_change_end(bool begun);

/* syscall(2) of the C library: its own name is one of the calls. */
long (*inject_raw(void))(long number, ...);

#endif
