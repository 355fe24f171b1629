/*
 * manifest_pin.h - fills a manifest from a release: the sizes and digests of
 * its archives, the sizes and lists of what they hold.
 *
 * Every archive is read whole and unpacked, so that what is pinned is also
 * installable. Where a sidecar lies beside an archive, the two must agree.
 * Archives of one artifact must hold the same files.
 */
#ifndef RNE_MANIFEST_PIN_H
#define RNE_MANIFEST_PIN_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "list.h"
#include "manifest.h"
#include "release.h"

struct manifest_pin {
	struct list pinned;  /* archives, in the manifest's order */
	struct list missing; /* archives that the release has not; as before */
	struct list changed; /* "<archive>: was ..., is ..." of pinned ones */
};

#define MANIFEST_PIN_INIT                       \
	{                                       \
		LIST_INIT, LIST_INIT, LIST_INIT \
	}

/*
 * `work` is an open, empty folder to unpack in; it is empty again afterwards.
 * On failure what is left in it is the caller's to remove, and the manifest
 * is partly filled and should be dropped.
 */
bool manifest_pin(struct manifest *manifest, const struct release *release,
		  int work, struct manifest_pin *pin,
		  struct error *err) NODISCARD;
void manifest_pin_release(struct manifest_pin *pin);

#endif
