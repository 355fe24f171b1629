/*
 * receipt.h - third-party/.rne-libs/receipt.json: what was installed, from
 * what, with every file's size, mtime and digest.
 *
 * A receipt that cannot be read or does not parse counts as none, with a
 * warning: the next install puts everything right again. Paths in it are
 * relative to third-party/ and were checked when it was read.
 */
#ifndef RNE_RECEIPT_H
#define RNE_RECEIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "error.h"
#include "list.h"
#include "tree.h"

#define RECEIPT_SCHEMA    1
#define RECEIPT_BYTES_MAX (64u << 20)

struct receipt_artifact {
	char *name;
	char *target;         /* NULL: any */
	char *extra;          /* NULL: core */
	char *archive;        /* its file name */
	char *destination;    /* what the files were put below */
	struct digest digest; /* of the archive */
	char *source; /* the URL it came from; NULL: only known by digest */
	struct tree files;
};

struct receipt {
	char *product;
	char *version;
	struct digest manifest;
	struct list apps; /* package.json files, relative to the package */
	struct list extras;
	struct list targets;
	struct digest fingerprint;
	struct digest config; /* of the build config's bytes */
	struct receipt_artifact *artifacts;
	size_t artifact_count;
};

/* `third_party` may be -1: nothing there. `*out` NULL: no usable receipt. */
bool receipt_read(struct receipt **out, int third_party,
		  struct error *err) NODISCARD;
struct receipt_artifact *receipt_add(struct receipt *receipt, const char *name);
const struct receipt_artifact *receipt_find(const struct receipt *receipt,
					    const char *name);
void receipt_write(const struct receipt *receipt, struct buf *out);
void receipt_free(struct receipt **receipt);

#endif
