/*
 * supplied.h - what unpacking the items of a plan gave: one element an item,
 * made by supply.h, put in place by commit.h.
 */
#ifndef RNE_SUPPLIED_H
#define RNE_SUPPLIED_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "tree.h"

/* All zero for items that are kept. */
struct supplied {
	bool staged;       /* `files` lie in the item's staging folder */
	struct tree files; /* relative to the artifact's destination */
	char *source;      /* the URL; NULL: from the cache */
};

struct supplied *supplied_start(size_t count) NODISCARD;
void supplied_free(struct supplied *supplied, size_t count);

/* The folder that item `index` is unpacked into, below third-party/. */
char *supplied_staging(size_t index) NODISCARD;

#endif
