/*
 * package.h - the package that is filled: its folder and what its own
 * package.json says.
 */
#ifndef RNE_PACKAGE_H
#define RNE_PACKAGE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "package_json.h"

/* A release manifest that travels in the package. */
#define PACKAGE_MANIFEST "rne-manifest.json"

struct package {
	char *path; /* absolute, without links; NULL: not found */
	struct package_json facts;
};

#define PACKAGE_INIT         \
	{                    \
		.path = NULL \
	}

/*
 * The product whose package lies in `folder`: the name in its package.json
 * when that is `usual`, has a bundled manifest, or is the product of the
 * manifest in the package. `*product` stays NULL when there is no such.
 */
bool package_product(const char *folder, const char *usual, char **product,
		     struct error *err) NODISCARD;

/* The one that was named: `folder` by `source` ("--package"). USAGE when its
 * package.json does not bear the product's name. */
bool package_named(struct package *package, const char *folder,
		   const char *source, const char *product,
		   struct error *err) NODISCARD;

/* `folder` if it is the package, as npm starts hooks; else none. */
bool package_here(struct package *package, const char *folder,
		  const char *product, struct error *err) NODISCARD;

/* Node's resolution: node_modules/<product> at or above `start`, and where
 * its links lead. */
bool package_resolve(struct package *package, const char *start,
		     const char *product, struct error *err) NODISCARD;

/* The version of its native libraries: nativeLibsVersion, else its own; NULL:
 * it says neither. */
const char *package_libs_version(const struct package *package);

void package_release(struct package *package);

#endif
