#include "fetch_split.h"

int64_t fetch_split_left_ms(const struct fetch_split_facts *facts)
{
	if (facts->running_ms < SPLIT_SETTLE_MS || !facts->moved ||
	    facts->at >= facts->end)
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
