/*
 * ownership.h - who owns which path below third-party/, before a commit and
 * after it.
 *
 * Before: every entry of the old receipt. After: every entry of the new one,
 * with where its bytes are: in place already, or staged. Several artifacts
 * may own a path when they agree on what is there (moves.h checks).
 */
#ifndef RNE_OWNERSHIP_H
#define RNE_OWNERSHIP_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "receipt.h"
#include "supplied.h"
#include "tree.h"

struct owner {
	struct tree_entry *entry; /* of the new receipt, whose it stays */
	char *staged;             /* NULL: it is in place already */
	size_t inner; /* where in `path` that in the archive begins */
	const char *artifact;
};

struct ownership {
	struct owner *owners; /* after, sorted by path */
	size_t count;
	struct tree before; /* sorted */
};

/* `old` may be NULL; artifact n of `receipt` is item n of `supplied`. */
void ownership_collect(struct ownership *ownership, const struct receipt *old,
		       struct receipt *receipt,
		       const struct supplied *supplied);
void ownership_release(struct ownership *ownership);

/* No artifact has a file or link where another has a folder; else ARCHIVE. */
bool ownership_check(const struct ownership *ownership,
		     struct error *err) NODISCARD;
/* Someone owns it after the commit. */
bool ownership_has(const struct ownership *ownership, const char *path);
bool ownership_has_folder(const struct ownership *ownership, const char *path);
/* What we had there before; NULL: nothing of ours. */
const struct tree_entry *ownership_before(const struct ownership *ownership,
					  const char *path);

#endif
