/*
 * commit.h - from staged files to installed ones: all or nothing.
 *
 * Compares what was unpacked with what lies on disk, file by file; what is
 * equal is left alone (same inode, same mtime). Builds the new receipt and
 * the journal, writes both, and carries the journal out.
 */
#ifndef RNE_COMMIT_H
#define RNE_COMMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "list.h"
#include "plan.h"
#include "supplied.h"
#include "survey.h"

struct commit_result {
	size_t written; /* files put in place */
	size_t kept;    /* files that were equal */
	size_t removed;
	struct list replaced; /* what was moved aside, and where to */
	bool changed;         /* anything on disk */
};

#define COMMIT_RESULT_INIT                \
	{                                 \
		0, 0, 0, LIST_INIT, false \
	}

bool commit_run(const struct request *request, const struct plan *plan,
		const struct survey *survey, const struct supplied *supplied,
		struct commit_result *result, struct error *err) NODISCARD;

#endif
