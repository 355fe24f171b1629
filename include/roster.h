/*
 * roster.h - the names that an archive has used, so that no two of them are
 * one on any disk: equal after case folding or normalisation, a file where
 * others have a folder, the same name twice.
 *
 * The folders above an entry count as names: after "A/x", "a/y" is refused.
 * Names are told apart by a keyed 61-bit hash of their collision key
 * (path.h), which nobody outside can steer.
 */
#ifndef RNE_ROSTER_H
#define RNE_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "tree.h"

#define ROSTER_NAMES_MAX  TREE_ENTRIES_MAX
#define ROSTER_LENGTH_MAX TREE_NAMES_MAX /* bytes, of all paths together */

struct roster_name {
	char *path;
	enum tree_kind kind;
	bool said;    /* has an entry of its own; else only stands above one */
	bool parent;  /* has entries below it */
	size_t index; /* the caller's, of its own entry */
};

struct roster;

struct roster *roster_start(void) NODISCARD;
void roster_free(struct roster **roster);

/*
 * Enters `path`, acceptable by path.h; `index` is kept with it. ARCHIVE when
 * it collides, and the message names both, or when there are too many.
 */
bool roster_add(struct roster *roster, const char *path, enum tree_kind kind,
		size_t index, struct error *err) NODISCARD;

/* The name as which a disk would find `path`; NULL: none. */
const struct roster_name *roster_find(const struct roster *roster,
				      const char *path);

/* All names in the order in which they were entered; NULL behind the last. */
const struct roster_name *roster_at(const struct roster *roster, size_t index);

#endif
