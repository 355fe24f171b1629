#include "fetch_once.h"

#include "interrupt.h"

#define STEP_MS 1000

bool fetch_once(struct fetch *fetch, struct fetch_job *job, struct error *err)
{
	struct fetch_job *ended = NULL;

	fetch_add(fetch, job);
	while (!ended) {
		if (!interrupt_check(err) ||
		    !fetch_step(fetch, NULL, 0, STEP_MS, &ended, err))
			return false;
	}
	if (job->failure.kind == ERROR_NONE)
		return true;
	*err = job->failure;
	return false;
}
