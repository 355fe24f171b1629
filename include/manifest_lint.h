/*
 * manifest_lint.h - what is wrong with a manifest that can be read.
 *
 * The parser refuses what breaks the promises of manifest.h. This finds what
 * would go wrong later, on a user's machine: artifacts that own one path with
 * different content, names that collide where case does not count, targets
 * without a core, extras that nothing brings. Any targets and extras may be
 * installed together, so all artifacts are held against all others.
 */
#ifndef RNE_MANIFEST_LINT_H
#define RNE_MANIFEST_LINT_H

#include "list.h"
#include "manifest.h"

/* Of one kind, more findings are counted, not listed. */
#define MANIFEST_LINT_SHOWN 20

struct manifest_lint {
	struct list problems; /* to be put right before the release */
	struct list notes;    /* to be known: what is not pinned */
};

#define MANIFEST_LINT_INIT           \
	{                            \
		LIST_INIT, LIST_INIT \
	}

void manifest_lint(const struct manifest *manifest,
		   struct manifest_lint *found);
void manifest_lint_release(struct manifest_lint *found);

/* The part that compares file lists (manifest_overlap.c). */
void manifest_lint_paths(const struct manifest *manifest,
			 struct manifest_lint *found);

#endif
