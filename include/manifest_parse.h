/*
 * manifest_parse.h - what the parts of the manifest's parser share; for
 * manifest_*.c only.
 */
#ifndef RNE_MANIFEST_PARSE_H
#define RNE_MANIFEST_PARSE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "json.h"
#include "manifest.h"

/* One of manifest_rules.h, url_refused and their like. */
typedef const char *manifest_rule(const char *text);

/* A string that follows the rule. The caller frees it. */
bool manifest_parse_text(const struct json *at, manifest_rule *rule, char **out,
			 struct error *err) NODISCARD;
/* The member `key`, which must be there. */
bool manifest_parse_member(const struct json *object, const char *key,
			   manifest_rule *rule, char **out,
			   struct error *err) NODISCARD;
/* `out` stays NULL when there is no such member. */
bool manifest_parse_optional(const struct json *object, const char *key,
			     manifest_rule *rule, char **out,
			     struct error *err) NODISCARD;
/* An array of `minimum` to `maximum` different strings that follow the rule. */
bool manifest_parse_list(const struct json *at, manifest_rule *rule,
			 size_t minimum, size_t maximum, struct list *out,
			 struct error *err) NODISCARD;
/* An object or array of `minimum` to `maximum` members. */
bool manifest_parse_count(const struct json *at, size_t minimum, size_t maximum,
			  struct error *err) NODISCARD;
/* "expected one of ..., found ..."; for names that must be defined. */
bool manifest_parse_unknown(const struct json *at, const char *what,
			    const char *found, const struct list *known,
			    struct error *err);

/* The parts, in the order in which they refer to one another. */
bool manifest_parse_targets(struct manifest *manifest, const struct json *at,
			    struct error *err) NODISCARD;
bool manifest_parse_extras(struct manifest *manifest, const struct json *at,
			   struct error *err) NODISCARD;
bool manifest_parse_features(struct manifest *manifest, const struct json *at,
			     struct error *err) NODISCARD;
bool manifest_parse_artifacts(struct manifest *manifest, const struct json *at,
			      struct error *err) NODISCARD;

#endif
