/*
 * fetch_once.h - one job, from beginning to end.
 */
#ifndef RNE_FETCH_ONCE_H
#define RNE_FETCH_ONCE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "fetch.h"

/* The job's failure becomes `err`; a signal ends it with SIGNAL. */
bool fetch_once(struct fetch *fetch, struct fetch_job *job,
		struct error *err) NODISCARD;

#endif
