/*
 * fetch_copy.h - a file: URL, copied in steps so that others are served
 * between them.
 */
#ifndef RNE_FETCH_COPY_H
#define RNE_FETCH_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "fetch_body.h"
#include "fetch_error.h"

struct fetch_copy {
	int from; /* -1: none */
	uint64_t size;
	char *bytes; /* a step's worth */
};

#define FETCH_COPY_INIT     \
	{                   \
		-1, 0, NULL \
	}

/*
 * Opens the regular file of `url`; FIFOs and devices are refused without
 * waiting. TAKEN, or ELSEWHERE with an error; `*missing`: it is not there.
 */
enum fetch_verdict fetch_copy_open(struct fetch_copy *copy, const char *url,
				   const struct fetch_job *job, bool *missing,
				   struct error *err);
/* Copies some bytes to the body's end; `*done`: that was all. */
enum fetch_verdict fetch_copy_step(struct fetch_copy *copy,
				   struct fetch_body *body, bool *done,
				   struct error *err);
void fetch_copy_close(struct fetch_copy *copy);

#endif
