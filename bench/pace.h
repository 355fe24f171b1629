/*
 * pace.h - when the bytes of an answer may go out, as a slow line would have
 * it. Times are nanoseconds of the monotonic clock.
 *
 * rate     bytes a second on each connection, evenly; 0: no limit.
 * latency  one round trip; 0: none. A new connection pays one before its
 *          first request is seen, every request pays one, and the first bytes
 *          come as TCP's slow start lets them: ten segments in the first
 *          round trip (RFC 6928), twice as many in each that follows.
 */
#ifndef BENCH_PACE_H
#define BENCH_PACE_H

#include <stddef.h>
#include <stdint.h>

struct line {
	uint64_t rate;
	int64_t latency;
};

struct pace {
	int64_t accepted;  /* the connection */
	uint64_t window;   /* bytes a round trip */
	int64_t began;     /* the answer */
	uint64_t sent;     /* bytes of it */
	int64_t round;     /* when this round trip began */
	uint64_t in_round; /* bytes sent in it */
};

void pace_accept(struct pace *pace, int64_t now);
/* A request came: when its answer begins. */
int64_t pace_begin(struct pace *pace, const struct line *line, int64_t now);
/* Of `left` bytes, how many may go now; 0: none before `*wake`. */
size_t pace_allow(struct pace *pace, const struct line *line, uint64_t left,
		  int64_t now, int64_t *wake);
void pace_sent(struct pace *pace, uint64_t bytes);

#endif
