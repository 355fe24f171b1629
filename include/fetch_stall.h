/*
 * fetch_stall.h - is a transfer too slow for too long? Pure: the clock and the
 * count of bytes come from the caller.
 *
 * Two half windows are held against the rate, so a transfer that goes silent
 * is known after one window at least and one and a half at most.
 */
#ifndef RNE_FETCH_STALL_H
#define RNE_FETCH_STALL_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

struct fetch_stall {
	int64_t half_ms;   /* when the running half window began */
	int64_t looked_ms; /* when it was last asked */
	uint64_t base;     /* bytes at half_ms */
	uint64_t before;   /* bytes of the half window before; UINT64_MAX:
			      there was none */
};

/* Begins to count at `now_ms`, with `moved` bytes behind us. */
void fetch_stall_start(struct fetch_stall *stall, int64_t now_ms,
		       uint64_t moved);

/*
 * True: less than `rate` bytes a second in the last `window_ms`; `*recent`
 * becomes the bytes in it. To be asked often: a long silence of the caller
 * (a suspended machine) starts the count anew.
 */
bool fetch_stall_look(struct fetch_stall *stall, int64_t now_ms, uint64_t moved,
		      int window_ms, int rate, uint64_t *recent) NODISCARD;

#endif
