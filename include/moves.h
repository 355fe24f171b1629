/*
 * moves.h - from who owns what to the steps of a journal.
 *
 * Every owned path is held against the disk: what is equal is left alone, what
 * is ours is replaced, what is a stranger's goes to replaced/. What was ours
 * and is owned no more is removed, with the folders that this empties; where
 * it was changed since, it goes to replaced/ too. Links in the way of a folder
 * are refused: what is written through one lands elsewhere.
 */
#ifndef RNE_MOVES_H
#define RNE_MOVES_H

#include <stdbool.h>

#include "attributes.h"
#include "commit.h"
#include "error.h"
#include "journal.h"
#include "ownership.h"

/*
 * With `trust_times` a file with the size and mtime of the old receipt is not
 * hashed. Appends the steps, fills in the owners' mtimes, and counts into
 * `result`. FILESYSTEM, or ARCHIVE when two artifacts own a path and disagree.
 */
bool moves_plan(const struct ownership *ownership, int third_party,
		bool trust_times, struct journal *journal,
		struct commit_result *result, struct error *err) NODISCARD;

#endif
