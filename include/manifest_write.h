/*
 * manifest_write.h - a manifest as the JSON that manifest.h reads: for
 * `manifest pin` and `pack`.
 *
 * Equal manifests give equal bytes, and what was written is read back as it
 * was.
 */
#ifndef RNE_MANIFEST_WRITE_H
#define RNE_MANIFEST_WRITE_H

#include <stdbool.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "manifest.h"

/* Appends the document to `out`. */
void manifest_write(const struct manifest *manifest, struct buf *out);

/* Into a file beneath `at`, whole or not at all. Refused (CONFIG) is what
 * manifest_parse would refuse. */
bool manifest_save(const struct manifest *manifest, int at, const char *name,
		   struct error *err) NODISCARD;

#endif
