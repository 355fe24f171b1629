/*
 * clock.h - milliseconds that never go back, of no particular day: for
 * durations and limits.
 */
#ifndef RNE_CLOCK_H
#define RNE_CLOCK_H

#include <stdint.h>

int64_t clock_ms(void);

#endif
