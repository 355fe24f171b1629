/*
 * fetch_split.h - is it worth to fetch the rest of a file over one more
 * connection? Pure.
 *
 * A connection that is slower than the line (a server's limit, a long way)
 * brings a large file sooner when a second one fetches the second half of
 * what is left. It costs a request: what is left must take several times as
 * long as one took to begin. And it begins slowly (RFC 5681, 3.1): as long as
 * the first one still gathers speed, its rate says nothing of what is to come,
 * and a second one would only be behind it.
 */
#ifndef RNE_FETCH_SPLIT_H
#define RNE_FETCH_SPLIT_H

#include <stdint.h>

#include "attributes.h"

#define SPLIT_FILE_MIN  ((uint64_t)1 << 20) /* smaller files are one piece */
#define SPLIT_PART_MIN  ((uint64_t)256 << 10)
#define SPLIT_ALIGN     ((uint64_t)64 << 10)
#define SPLIT_LEFT_MS   400  /* less is not worth a request */
#define SPLIT_SETUP     2    /* times what a request took to begin */
#define SPLIT_SETTLE_MS 100  /* before that a rate says nothing */
#define SPLIT_GROWTH    1.25 /* times the rate before: it gathers speed */

/* How far a transfer was a while ago; ms 0: not known yet. */
struct fetch_mark {
	int64_t ms; /* since its first byte */
	uint64_t moved;
};

/*
 * To be called as bytes arrive: moves the mark on when the transfer has been
 * running for twice as long, so that there is always a rate of then and one of
 * now. Both cover some round trips, since bytes come in bursts.
 */
void fetch_mark_update(struct fetch_mark *mark, int64_t running_ms,
		       int64_t setup_ms, uint64_t moved);

/* A transfer at work on [at, end) of a file. */
struct fetch_split_facts {
	uint64_t size, at, end;
	uint64_t moved; /* bytes that it brought so far */
	struct fetch_mark mark;
	int64_t running_ms; /* since its first byte */
	int64_t setup_ms;   /* from its start to its first byte */
};

/* Milliseconds until it is done, as things go; -1: not to be told yet. */
int64_t fetch_split_left_ms(const struct fetch_split_facts *facts);

/*
 * Where the other connection is to begin, so that both end at one time when it
 * takes as long to set up as this one did; 0: it is not worth it.
 */
uint64_t fetch_split_at(const struct fetch_split_facts *facts);

#endif
