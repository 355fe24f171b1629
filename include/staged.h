/*
 * staged.h - what was unpacked, looked at again before it is put in place: the
 * worker that wrote it may have been taken over by what it read, and others
 * may write there too.
 */
#ifndef RNE_STAGED_H
#define RNE_STAGED_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "ownership.h"

/* The owner's file or link is there; its mtime goes into the receipt. */
bool staged_check(int third_party, struct owner *owner,
		  struct error *err) NODISCARD;
/* The owner's file has the digest of its entry, which may be a list's. */
bool staged_hash(int third_party, const struct owner *owner,
		 struct error *err) NODISCARD;
/*
 * In the staged folder lies nothing but what these owners have below it. An
 * error when a folder of theirs is none.
 */
bool staged_only(int third_party, const char *folder,
		 const struct owner *owners, size_t count, bool *only,
		 struct error *err) NODISCARD;

#endif
