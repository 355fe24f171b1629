/*
 * pack.h - a release from a staged tree, reproducibly: for each artifact a
 * folder of what it installs, out of it archives with their sidecars.
 *
 * Two runs over equal files give equal bytes: entries sorted by path, fixed
 * times, owners and modes, folders only where they are empty, no entry for
 * the root. Every archive is unpacked again before it gets its name, so that
 * what is published is also installable.
 */
#ifndef RNE_PACK_H
#define RNE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "manifest.h"

/*
 * Packs what lies below the open folder `folder` as `<artifact>.tar.gz` and
 * `<artifact>.tar.zst` into the open folder `out`, each with a `.sha256` that
 * holds the bare digest. The artifact's archives, files and unpacked size
 * become those; the smaller archive is the first.
 */
bool pack_artifact(struct manifest_artifact *artifact, int folder, int out,
		   struct error *err) NODISCARD;

#endif
