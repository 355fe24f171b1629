/*
 * fetch_outcome.h - what a try of a task came to, and what follows: a pause
 * and another try, the next mirror, or the end.
 */
#ifndef RNE_FETCH_OUTCOME_H
#define RNE_FETCH_OUTCOME_H

#include "fetch_task.h"

struct fetch_outcome {
	enum fetch_verdict verdict;
	struct error err;       /* unless the verdict is TAKEN or REDIRECT */
	int64_t retry_after_ms; /* -1: none */
	bool missing;           /* the mirror does not have the file */
};

#define FETCH_OUTCOME_INIT                         \
	{                                          \
		FETCH_AGAIN, ERROR_INIT, -1, false \
	}

/* Stops what runs and makes the task WAITING or ENDED. `url`, of the try, goes
 * into the message with the file's name. */
void fetch_outcome_settle(struct fetch_task *task, const char *url,
			  struct fetch_outcome *outcome, int64_t now_ms);

/* The task ends with this error, whatever mirrors there are. */
void fetch_outcome_fail(struct fetch_task *task, const struct error *err);
/* The task ends: the job has its bytes. */
void fetch_outcome_succeed(struct fetch_task *task);

/*
 * Holds the body against the job's digest. `framed`: the end of the answer
 * was its true end. Without that, and when the bytes came in pieces, the
 * digest does not speak against the mirror. A wrong body is forgotten.
 */
enum fetch_verdict fetch_outcome_verify(struct fetch_task *task, bool framed,
					struct error *err);

/* What is held is of no use, now or for a later resume. */
bool fetch_outcome_forget(struct fetch_task *task, struct error *err) NODISCARD;

#endif
