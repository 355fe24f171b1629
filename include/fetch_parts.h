/*
 * fetch_parts.h - the transfers of a task, of which each brings a part.
 *
 * Parts lie one behind the other without a gap between them; the first one
 * writes where the body's `held` ends. When any but the first fails, the
 * first goes on alone, and the file has no parts any more.
 */
#ifndef RNE_FETCH_PARTS_H
#define RNE_FETCH_PARTS_H

#include "fetch_task.h"

struct fetch_part *fetch_parts_find(struct fetch_task *task,
				    const struct fetch_transfer *transfer);
/* Ends and frees the part's transfer. */
void fetch_parts_drop(struct fetch_task *task, struct fetch_part *part);
/* Joins what is done to what is held. True: nothing runs any more. */
bool fetch_parts_join(struct fetch_task *task);
/* The first part goes on alone; the others' bytes are given up. False: an
 * error of this machine. */
bool fetch_parts_merge(struct fetch_task *task, struct error *err) NODISCARD;
/* Nothing runs any more; the file ends where `held` does. */
bool fetch_parts_stop(struct fetch_task *task, struct error *err) NODISCARD;
/* Bytes of all parts. */
uint64_t fetch_parts_received(const struct fetch_task *task);

/* How long a part will take yet; -1: not to be told, or not to be split. */
int64_t fetch_parts_left_ms(const struct fetch_task *task, size_t index,
			    int64_t now_ms);
/* Fetches the second half of the rest of a part over one connection more.
 * False: it is not worth it (fetch_split.h), or it cannot be done. */
bool fetch_parts_split(struct fetch_task *task, size_t index, int64_t now_ms);

/* `etag` has the form of a strong one and nothing else in it. */
bool fetch_parts_etag_is_strong(const char *etag);
/* Makes a transfer ask for [offset, end) of the file that job->etag names;
 * `end` 0: to its end. */
void fetch_parts_ask(const struct fetch_task *task,
		     struct fetch_transfer *transfer, uint64_t offset,
		     uint64_t end);

#endif
