#include "pace.h"

#define NS_A_SECOND 1000000000LL
#define SEGMENTS    (10 * 1460)
#define WINDOW_MAX  (4 << 20)
#define CHUNK_MIN   (16 * 1024) /* a slow connection wakes for no less */
#define CHUNK_MAX   (1 << 20)

void pace_accept(struct pace *pace, int64_t now)
{
	pace->accepted = now;
	pace->window = SEGMENTS;
}

int64_t pace_begin(struct pace *pace, const struct line *line, int64_t now)
{
	int64_t first = pace->accepted + 2 * line->latency;

	pace->began = now + line->latency;
	if (pace->began < first)
		pace->began = first;
	pace->round = pace->began;
	pace->sent = pace->in_round = 0;
	return pace->began;
}

static uint64_t window_left(struct pace *pace, int64_t latency, int64_t now)
{
	if (now - pace->round >= latency) {
		if (pace->window < WINDOW_MAX)
			pace->window *= 2;
		pace->round = now;
		pace->in_round = 0;
	}
	if (pace->window >= WINDOW_MAX)
		return CHUNK_MAX;
	return pace->window - pace->in_round;
}

/* What the rate has earned and not spent; 0 while it is too little. */
static uint64_t rate_left(const struct pace *pace, uint64_t rate, uint64_t left,
			  int64_t now, int64_t *wake)
{
	double second = NS_A_SECOND;
	double earned = (double)(now - pace->began) / second * (double)rate;
	double open = earned - (double)pace->sent;
	double least = left < CHUNK_MIN ? (double)left : CHUNK_MIN;

	if (open >= least)
		return (uint64_t)open;
	*wake = now + (int64_t)((least - open) * second / (double)rate) + 1000;
	return 0;
}

size_t pace_allow(struct pace *pace, const struct line *line, uint64_t left,
		  int64_t now, int64_t *wake)
{
	uint64_t may = left < CHUNK_MAX ? left : CHUNK_MAX;

	if (line->latency) {
		uint64_t window = window_left(pace, line->latency, now);

		may = window < may ? window : may;
		if (!may)
			*wake = pace->round + line->latency;
	}
	if (may && line->rate) {
		uint64_t open = rate_left(pace, line->rate, left, now, wake);

		may = open < may ? open : may;
	}
	return (size_t)may;
}

void pace_sent(struct pace *pace, uint64_t bytes)
{
	pace->sent += bytes;
	pace->in_round += bytes;
}
