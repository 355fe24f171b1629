/*
 * request_settings.h - the part of a request that options and environment
 * decide alone, without a look at any package or app.
 */
#ifndef RNE_REQUEST_SETTINGS_H
#define RNE_REQUEST_SETTINGS_H

#include <stdbool.h>

#include "attributes.h"
#include "env.h"
#include "error.h"
#include "list.h"
#include "options.h"
#include "request.h"

#define SETTINGS_JOBS_MAX    64
#define SETTINGS_SECONDS_MAX 3600

/*
 * Where relative paths start. An option was typed in the current folder; a
 * variable was set where the package manager was started (INIT_CWD), which
 * has gone to the package's folder since.
 */
struct places {
	char *current;  /* absolute */
	char *init_cwd; /* absolute, without links; NULL: unset or not there */
};

bool places_read(struct places *places, const struct environment *env,
		 struct error *err) NODISCARD;
void places_release(struct places *places);
/* The absolute path of what an option or a variable names. */
char *places_of_option(const struct places *places, const char *path) NODISCARD;
char *places_of_variable(const struct places *places,
			 const char *path) NODISCARD;

/* cache_path, jobs and the switches. */
bool request_settings(struct request *request, const struct options *options,
		      const struct environment *env,
		      const struct places *places, struct error *err) NODISCARD;

/* policy: how others are reached. */
bool request_policy(struct fetch_policy *policy, const struct options *options,
		    const struct environment *env, const struct places *places,
		    struct error *err) NODISCARD;

/* --base-url, else RNET_BASE_URL, else what the manifest names. */
bool request_base_urls(struct list *out, const struct options *options,
		       const struct environment *env,
		       const struct manifest *manifest,
		       struct error *err) NODISCARD;

#endif
