/*
 * request.h - what is wanted, complete: read once, then constant.
 *
 * Made from the options, the environment and the files they lead to (the
 * package, its manifest, the app). Nothing downstream looks at any of these
 * again.
 */
#ifndef RNE_REQUEST_H
#define RNE_REQUEST_H

#include <stdbool.h>

#include "app.h"
#include "attributes.h"
#include "env.h"
#include "error.h"
#include "fetch.h"
#include "manifest.h"
#include "options.h"

#define REQUEST_PRODUCT "react-native-executorch"

struct request {
	/* The package to fill; -1 and NULL for `warm` and `cache`. */
	int package;
	char *package_path; /* absolute */

	struct app app;
	struct app_choice choice;
	struct list targets; /* names, in the manifest's order */
	struct manifest *manifest;

	struct list base_urls; /* mirrors in order, without a slash behind */
	struct fetch_policy policy;

	char *cache_path;      /* absolute; NULL: nowhere to keep one */
	char *cache_path_from; /* which option or variable named it */
	unsigned jobs;
	int lock_wait_ms; /* for other processes */
	bool skip_download;
	bool headers_only;
	bool offline;
	bool require_pinned;
	bool refresh;
	bool keep_trees;      /* unpacked copies in the cache; not in CI, whose
				 caches are saved whole */
	struct list warnings; /* of the kind that the build config repeats */
};

/* What a command needs; the rest of the request stays empty. */
enum request_need {
	REQUEST_CACHE = 0,    /* where the cache is */
	REQUEST_MANIFEST = 1, /* and the manifest, extras and targets */
	REQUEST_PACKAGE = 2,  /* and the package and the app */
};

bool request_make(struct request **out, const struct options *options,
		  const struct environment *env, enum request_need need,
		  struct error *err) NODISCARD;
void request_free(struct request **request);

#endif
