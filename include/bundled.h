/*
 * bundled.h - the release manifests that the program carries: the bytes of
 * manifests/<product>-<version>.json, put in by the Makefile
 * (build/gen/bundled_data.c).
 */
#ifndef RNE_BUNDLED_H
#define RNE_BUNDLED_H

#include <stddef.h>

#include "list.h"

struct bundled_manifest {
	const char *name; /* "<product>-<version>" */
	const char *text;
	size_t length; /* bytes */
};

/* Sorted by name; a NULL name ends it. Made by the Makefile. */
extern const struct bundled_manifest bundled_table[];

/* NULL: there is none. */
const struct bundled_manifest *bundled_find(const char *product,
					    const char *version);

/* Appends "<product>@<version>" of every one of `product` (NULL: of all). */
void bundled_names(const char *product, struct list *out);

#endif
