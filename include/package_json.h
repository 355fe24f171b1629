/*
 * package_json.h - what a package.json says that matters here, be it an app's,
 * a workspace's, or that of the package itself.
 */
#ifndef RNE_PACKAGE_JSON_H
#define RNE_PACKAGE_JSON_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "json.h"
#include "list.h"

#define PACKAGE_JSON_BYTES_MAX (8u << 20)
/* Others write it, and what is not ours need not be as strict. */
#define PACKAGE_JSON_RULES (JSON_ALLOW_BOM | JSON_DEEP | JSON_ALLOW_DUPLICATES)

struct package_json {
	bool found;         /* the file is there */
	bool mentions;      /* the bytes hold the product's name; set even when
			       the file is invalid */
	char *name;         /* may be NULL */
	char *version;      /* may be NULL */
	char *libs_version; /* "nativeLibsVersion"; may be NULL */
	char *public_key;   /* "rneLibs": {"publicKey"}; may be NULL */
	bool has_block;     /* a member of the product's name */
	bool depends;       /* a dependency of any kind on the product */
	bool is_peer;       /* ... one of peerDependencies */
	struct list workspaces; /* the patterns */
};

#define PACKAGE_JSON_INIT    \
	{                    \
		.name = NULL \
	}

/* False only when the file is there and unreadable or invalid. */
bool package_json_read(struct package_json *facts, const char *file,
		       const char *product, struct error *err) NODISCARD;
void package_json_release(struct package_json *facts);

#endif
