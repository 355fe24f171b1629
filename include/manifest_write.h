/*
 * manifest_write.h - a manifest as the JSON that manifest.h reads: for
 * `manifest pin` and `pack`.
 *
 * Equal manifests give equal bytes, and what was written is read back as it
 * was.
 */
#ifndef RNE_MANIFEST_WRITE_H
#define RNE_MANIFEST_WRITE_H

#include "buf.h"
#include "manifest.h"

/* Appends the document to `out`. */
void manifest_write(const struct manifest *manifest, struct buf *out);

#endif
