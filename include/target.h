/*
 * target.h - from what a user names to targets of a manifest.
 *
 * A name is a target, one of its aliases, a platform (all targets of it), or
 * `all`. `no_x86_64` leaves out Android's x86_64 targets unless one is named
 * exactly. Without names, the targets whose `hosts` have `host`.
 */
#ifndef RNE_TARGET_H
#define RNE_TARGET_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "list.h"
#include "manifest.h"

/* "linux", "macos" or "windows": where this program runs. */
const char *target_host(void);

/*
 * Appends target names to `out` in the manifest's order, each once. `source`
 * says where `names` come from ("--target", "RNET_TARGET"), for the message
 * (USAGE) about a name that is not known, with the nearest and all names.
 */
bool target_resolve(const struct manifest *manifest, const struct list *names,
		    const char *source, bool no_x86_64, const char *host,
		    struct list *out, struct error *err) NODISCARD;

#endif
