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
#include "places.h"
#include "request.h"

#define SETTINGS_JOBS_MAX    64
#define SETTINGS_SECONDS_MAX 3600

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
