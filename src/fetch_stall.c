#include "fetch_stall.h"

void fetch_stall_start(struct fetch_stall *stall, int64_t now_ms,
		       uint64_t moved)
{
	*stall = (struct fetch_stall){
		.half_ms = now_ms,
		.looked_ms = now_ms,
		.base = moved,
		.before = UINT64_MAX,
	};
}

bool fetch_stall_look(struct fetch_stall *stall, int64_t now_ms, uint64_t moved,
		      int window_ms, int rate, uint64_t *recent)
{
	uint64_t least = (uint64_t)rate * (uint64_t)window_ms / 1000;
	int64_t half = window_ms / 2;
	uint64_t now = moved - stall->base;

	if (now_ms - stall->looked_ms > half) {
		fetch_stall_start(stall, now_ms, moved);
		return false;
	}
	stall->looked_ms = now_ms;
	if (now_ms - stall->half_ms < half)
		return false;
	if (stall->before != UINT64_MAX && stall->before + now < least) {
		*recent = stall->before + now;
		return true;
	}
	stall->half_ms = now_ms;
	stall->base = moved;
	stall->before = now;
	return false;
}
