/*
 * retry.h - whether and when to try again: pure functions.
 */
#ifndef RNE_RETRY_H
#define RNE_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

#define RETRY_TRIES        4
#define RETRY_BASE_MS      500
#define RETRY_PAUSE_MAX_MS 30000 /* Retry-After is capped here too */

/* May a later try see another status? 408, 425, 429, 500, 502, 503, 504. */
bool retry_status(long http_status);

/*
 * Milliseconds to wait before try number `next` (2 is the first retry):
 * RETRY_BASE_MS doubled each time, half of it random ("equal jitter"), where
 * `random` is any 32-bit value; never below `retry_after_ms` (-1: none),
 * never above RETRY_PAUSE_MAX_MS.
 */
int retry_pause_ms(unsigned next, uint32_t random, int64_t retry_after_ms);

/*
 * The value of a Retry-After header (RFC 9110, 10.2.3): seconds, or an
 * HTTP-date held against `now` (seconds since the epoch). Milliseconds, or -1
 * when it is neither or lies in the past.
 */
int64_t retry_after_ms(const char *value, int64_t now);

#endif
