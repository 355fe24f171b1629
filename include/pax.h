/*
 * pax.h - the records of a pax extended header (POSIX.1-2001, pax(1)):
 * "<length> <key>=<value>\n".
 *
 * Strict: records that fill the header exactly, each key that matters at most
 * once, no NUL in a name. Keys that do not matter here (times, owners,
 * attributes) are left out.
 */
#ifndef RNE_PAX_H
#define RNE_PAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

struct pax {
	char *path; /* NULL: not there */
	char *link;
	bool has_size;
	uint64_t size;
	bool sparse; /* says that the entry is a sparse file */
};

#define PAX_INIT                            \
	{                                   \
		NULL, NULL, false, 0, false \
	}

/* Into `pax`, which is empty. Errors: ARCHIVE. */
bool pax_parse(struct pax *pax, const char *bytes, size_t length,
	       struct error *err) NODISCARD;
void pax_release(struct pax *pax);

#endif
