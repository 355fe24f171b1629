/*
 * manifest_source.h - where the release manifest comes from.
 *
 * The bytes are kept as they came until manifest_source_parse: a signature is
 * held against them before anything reads them.
 */
#ifndef RNE_MANIFEST_SOURCE_H
#define RNE_MANIFEST_SOURCE_H

#include <stdbool.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "fetch.h"
#include "manifest.h"
#include "package.h"

struct manifest_source {
	char *origin; /* path, URL or "the bundled <product>-<version>" */
	struct buf bytes;
	bool remote; /* fetched, and signed */
};

#define MANIFEST_SOURCE_INIT          \
	{                             \
		NULL, BUF_INIT, false \
	}

/*
 * From a file or URL that `named_by` ("--manifest") names; a relative path is
 * seen from `base`. What comes from a URL is used only with a signature by
 * `key` (signature.h; NULL: there is none, which is a CONFIG error then) that
 * lies beside it as <url>.minisig. A URL with `offline` is a NETWORK error.
 */
bool manifest_source_named(struct manifest_source *source, const char *name,
			   const char *named_by, const char *base,
			   const struct fetch_policy *policy, bool offline,
			   const char *key, struct error *err) NODISCARD;

/* A bundled one by "<product>@<version>"; USAGE with the list of all. */
bool manifest_source_bundled(struct manifest_source *source,
			     const char *release, struct error *err) NODISCARD;

/* The one in the package, else the bundled one of its nativeLibsVersion,
 * else of its version; CONFIG with the list of those of the product. */
bool manifest_source_package(struct manifest_source *source,
			     const struct package *package,
			     struct error *err) NODISCARD;

bool manifest_source_parse(const struct manifest_source *source,
			   struct manifest **out, struct error *err) NODISCARD;
void manifest_source_clear(struct manifest_source *source);

#endif
