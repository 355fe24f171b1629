/*
 * present.h - what lies at a path of third-party/ now, held against what we
 * put there and what is to be there.
 */
#ifndef RNE_PRESENT_H
#define RNE_PRESENT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "attributes.h"
#include "error.h"
#include "ownership.h"
#include "tree.h"

struct present {
	const struct ownership *ownership;
	int third_party;
	bool trust_times; /* a size and an mtime as installed are enough */
};

/*
 * In all of these `st` is of what is at the path, no link followed. Errors:
 * FILESYSTEM.
 */

/* The bytes of the file or the target of the link are those of `entry`. */
bool present_same(const struct present *present, const struct tree_entry *entry,
		  const struct stat *st, bool *same,
		  struct error *err) NODISCARD;
/* So is the mode. On some disks every file is executable: no harm. */
bool present_mode_fits(const struct present *present,
		       const struct tree_entry *entry, const struct stat *st);
/* It is what we put there: nobody's work is lost with it. */
bool present_as_installed(const struct present *present, const char *path,
			  const struct stat *st, bool *is,
			  struct error *err) NODISCARD;
/* Of a folder: every file in it, however deep, bears a name of ours. */
bool present_only_ours(const struct present *present, const char *folder,
		       bool *only, struct error *err) NODISCARD;

#endif
