#include "fetch_split.h"

#include <stdbool.h>

void fetch_mark_update(struct fetch_mark *mark, int64_t running_ms,
		       int64_t setup_ms, uint64_t moved)
{
	int64_t first = 3 * setup_ms;

	if (first < SPLIT_SETTLE_MS)
		first = SPLIT_SETTLE_MS;
	if (running_ms >= (mark->ms ? 2 * mark->ms : first))
		*mark = (struct fetch_mark){running_ms, moved};
}

static bool gathers_speed(const struct fetch_split_facts *facts)
{
	const struct fetch_mark *mark = &facts->mark;
	double before = (double)mark->moved / (double)mark->ms;
	double now = (double)(facts->moved - mark->moved) /
		     (double)(facts->running_ms - mark->ms);

	return now > SPLIT_GROWTH * before;
}

int64_t fetch_split_left_ms(const struct fetch_split_facts *facts)
{
	const struct fetch_mark *mark = &facts->mark;

	if (!facts->moved || !mark->ms ||
	    facts->running_ms < mark->ms + mark->ms / 2 ||
	    facts->at >= facts->end || gathers_speed(facts))
		return -1;
	return (int64_t)((double)(facts->end - facts->at) *
			 (double)facts->running_ms / (double)facts->moved);
}

uint64_t fetch_split_at(const struct fetch_split_facts *facts)
{
	int64_t left_ms = fetch_split_left_ms(facts);
	uint64_t left, meanwhile, middle;

	if (facts->size < SPLIT_FILE_MIN || left_ms < SPLIT_LEFT_MS ||
	    left_ms < SPLIT_SETUP * facts->setup_ms)
		return 0;
	left = facts->end - facts->at;
	/* What this one brings until the other one has begun. */
	meanwhile = (uint64_t)((double)left * (double)facts->setup_ms /
			       (double)left_ms);
	if (left - meanwhile < 2 * SPLIT_PART_MIN)
		return 0;
	middle = facts->at + meanwhile + (left - meanwhile) / 2;
	middle += SPLIT_ALIGN - 1;
	middle -= middle % SPLIT_ALIGN;
	return middle < facts->end ? middle : 0;
}
