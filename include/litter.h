/*
 * litter.h - what a run that was killed leaves in third-party/.rne-libs/:
 * unpacked files, a private cache, the next receipt, temporary files. When no
 * journal needs them they go with the next run, which holds the lock.
 */
#ifndef RNE_LITTER_H
#define RNE_LITTER_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"

/* `third_party` may be -1. What cannot be looked at is no litter. */
bool litter_found(int third_party);
bool litter_remove(int third_party, struct error *err) NODISCARD;

#endif
