/*
 * random.h - bits that nobody guesses: for names of temporary files, keys of
 * hash tables, pauses that differ. Not for keys of any cipher: where the
 * system has none to give, the time and the process stand in.
 */
#ifndef RNE_RANDOM_H
#define RNE_RANDOM_H

#include <stdint.h>

uint64_t random_bits(void);

#endif
