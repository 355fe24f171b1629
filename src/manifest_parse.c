#include "manifest_parse.h"

#include "manifest_rules.h"
#include "memory.h"
#include "url.h"

bool manifest_parse_text(const struct json *at, manifest_rule *rule, char **out,
			 struct error *err)
{
	const char *text, *refused;

	if (!json_string(at, &text, err))
		return false;
	refused = rule(text);
	if (refused)
		return json_fail(at, err, "\"%.80s\" %s", text, refused);
	*out = memory_string(text);
	return true;
}

bool manifest_parse_member(const struct json *object, const char *key,
			   manifest_rule *rule, char **out, struct error *err)
{
	struct json member;

	return json_require(object, key, &member, err) &&
	       manifest_parse_text(&member, rule, out, err);
}

bool manifest_parse_optional(const struct json *object, const char *key,
			     manifest_rule *rule, char **out, struct error *err)
{
	struct json member = json_member(object, key);

	return !member.node || manifest_parse_text(&member, rule, out, err);
}

bool manifest_parse_count(const struct json *at, size_t minimum, size_t maximum,
			  struct error *err)
{
	size_t count = json_count(at);

	if (count >= minimum && count <= maximum)
		return true;
	return json_fail(at, err, "expected %zu to %zu entries, found %zu",
			 minimum, maximum, count);
}

bool manifest_parse_list(const struct json *at, manifest_rule *rule,
			 size_t minimum, size_t maximum, struct list *out,
			 struct error *err)
{
	if (!json_array(at, err) ||
	    !manifest_parse_count(at, minimum, maximum, err))
		return false;
	json_for_each (item, at) {
		char *text CLEANUP(memory_release) = NULL;

		if (!manifest_parse_text(&item, rule, &text, err))
			return false;
		if (!list_add_once(out, text))
			return json_fail(&item, err, "\"%s\" is there twice",
					 text);
	}
	return true;
}

bool manifest_parse_unknown(const struct json *at, const char *what,
			    const char *found, const struct list *known,
			    struct error *err)
{
	char *all CLEANUP(memory_release) = list_join(known, ", ");
	char *suggestion CLEANUP(memory_release) =
		list_suggestion(known, found);

	return json_fail(at, err, "\"%s\" is no %s%s; there are: %s", found,
			 what, suggestion, known->count ? all : "none");
}

/* Before anything else: a later schema may have other members. */
static bool check_schema(const struct json *root, struct error *err)
{
	struct json at;
	int64_t schema;

	if (!json_require(root, "schema", &at, err) ||
	    !json_integer(&at, 1, JSON_INTEGER_MAX, &schema, err))
		return false;
	if (schema == MANIFEST_SCHEMA)
		return true;
	json_fail(&at, err, "this rne-libs reads schema %d, found schema %lld",
		  MANIFEST_SCHEMA, (long long)schema);
	return error_hint(err, "Install a later rne-libs.");
}

static bool parse_vocabulary(struct manifest *manifest, const struct json *root,
			     struct error *err)
{
	struct json at;
	const char *word;

	if (!json_require(root, "vocabulary", &at, err) ||
	    !json_string(&at, &word, err))
		return false;
	manifest->has_lists = !strcmp(word, "lists");
	if (manifest->has_lists || !strcmp(word, "extras"))
		return true;
	return json_fail(&at, err,
			 "expected \"extras\" or \"lists\", found \"%.80s\"",
			 word);
}

static const char *any_text(const char *text)
{
	(void)text;
	return NULL;
}

static bool parse_head(struct manifest *manifest, const struct json *root,
		       struct error *err)
{
	struct json urls;

	return manifest_parse_optional(root, "$schema", any_text,
				       &manifest->schema_reference, err) &&
	       manifest_parse_member(root, "product", manifest_name_refused,
				     &manifest->product, err) &&
	       manifest_parse_member(root, "version", manifest_name_refused,
				     &manifest->version, err) &&
	       parse_vocabulary(manifest, root, err) &&
	       json_require(root, "baseUrls", &urls, err) &&
	       manifest_parse_list(&urls, url_refused, 0, MANIFEST_LIST_MAX,
				   &manifest->base_urls, err);
}

static bool parse_parts(struct manifest *manifest, const struct json *root,
			struct error *err)
{
	struct json targets, extras, artifacts;
	struct json features = json_member(root, "features");

	if (!json_require(root, "targets", &targets, err) ||
	    !json_require(root, "extras", &extras, err) ||
	    !json_require(root, "artifacts", &artifacts, err) ||
	    !manifest_parse_targets(manifest, &targets, err) ||
	    !manifest_parse_extras(manifest, &extras, err))
		return false;
	if (features.node && !manifest->has_lists)
		return json_fail(&features, err,
				 "features need \"vocabulary\": \"lists\"");
	return (!features.node ||
		manifest_parse_features(manifest, &features, err)) &&
	       manifest_parse_artifacts(manifest, &artifacts, err);
}

bool manifest_parse(struct manifest **out, const char *origin, const char *text,
		    size_t length, struct error *err)
{
	static const char *const known[] = {
		"$schema",    "schema",    "product", "version",
		"vocabulary", "baseUrls",  "targets", "extras",
		"features",   "artifacts", NULL};
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct json root;

	if (length > MANIFEST_BYTES_MAX)
		return error_set(err, ERROR_CONFIG,
				 "%s: a manifest has at most %u bytes, found "
				 "%zu",
				 origin, MANIFEST_BYTES_MAX, length);
	if (!json_parse(&document, origin, text, length, JSON_WHOLE_NUMBERS,
			err))
		return false;
	root = json_root(&document);
	if (!json_object(&root, err) || !check_schema(&root, err) ||
	    !json_known_keys(&root, known, err))
		return false;
	manifest = memory_allocate(sizeof(*manifest));
	manifest->origin = memory_string(origin);
	digest_bytes(&manifest->digest, text, length);
	if (!parse_head(manifest, &root, err) ||
	    !parse_parts(manifest, &root, err))
		return false;
	*out = manifest;
	manifest = NULL;
	return true;
}
