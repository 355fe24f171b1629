/*
 * fetch_body.h - where the bytes of a job go: its file or memory, hashed.
 *
 * `held` is the invariant: the bytes [0, held) of the file are there, from one
 * version of the file at the server. Bytes may be written further on too (a
 * download in parts); they count when the gap before them closed.
 */
#ifndef RNE_FETCH_BODY_H
#define RNE_FETCH_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "error.h"

struct fetch_body {
	int file;           /* borrowed; -1: memory */
	struct buf *memory; /* borrowed */
	uint64_t held;
	bool pieced; /* what is held came in more than one answer */

	struct hasher *hasher; /* of [0, hashed) */
	uint64_t hashed;
};

/* Takes what `file` holds as its beginning. */
bool fetch_body_open(struct fetch_body *body, int file, struct buf *memory,
		     struct error *err) NODISCARD;
void fetch_body_release(struct fetch_body *body);

/* Forgets everything: the next byte is the first. */
bool fetch_body_restart(struct fetch_body *body, struct error *err) NODISCARD;
/* Takes away what lies behind `held`. */
bool fetch_body_cut(struct fetch_body *body, struct error *err) NODISCARD;
/* Makes the file `size` bytes long at once: a file with gaps must not look
 * like the beginning of one. */
bool fetch_body_stretch(struct fetch_body *body, uint64_t size,
			struct error *err) NODISCARD;
/* `held` grows when the bytes join it. */
bool fetch_body_write(struct fetch_body *body, uint64_t offset,
		      const void *bytes, size_t length,
		      struct error *err) NODISCARD;
/* Hashes what is held and was not hashed as it arrived, `most` bytes of it. */
bool fetch_body_hash(struct fetch_body *body, uint64_t most,
		     struct error *err) NODISCARD;
/* The digest of [0, held); the body takes no more bytes before a restart. */
bool fetch_body_digest(struct fetch_body *body, struct digest *digest,
		       struct error *err) NODISCARD;

#endif
