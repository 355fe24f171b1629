/* The parts of a manifest that names point to: targets, extras, features. */
#include "manifest_parse.h"
#include "manifest_rules.h"
#include "memory.h"

static const char *host_refused(const char *text)
{
	if (!strcmp(text, "linux") || !strcmp(text, "macos") ||
	    !strcmp(text, "windows"))
		return NULL;
	return "is no host; hosts are linux, macos and windows";
}

static bool parse_key(const struct json *at, char **name, struct error *err)
{
	const char *refused = manifest_choice_refused(at->key);

	if (refused)
		return json_fail(at, err, "the name \"%.80s\" %s", at->key,
				 refused);
	*name = memory_string(at->key);
	return true;
}

static bool parse_names(const struct json *object, const char *key,
			struct list *out, struct error *err)
{
	struct json at = json_member(object, key);

	return !at.node || manifest_parse_list(&at, manifest_choice_refused, 1,
					       MANIFEST_LIST_MAX, out, err);
}

static bool parse_target(struct manifest_target *target, const struct json *at,
			 struct error *err)
{
	static const char *const known[] = {"platform", "arch",  "destination",
					    "aliases",  "hosts", NULL};
	struct json hosts = json_member(at, "hosts");

	if (!json_known_keys(at, known, err) ||
	    !parse_key(at, &target->name, err) ||
	    !manifest_parse_member(at, "platform", manifest_choice_refused,
				   &target->platform, err) ||
	    !manifest_parse_optional(at, "arch", manifest_name_refused,
				     &target->arch, err) ||
	    !manifest_parse_optional(at, "destination",
				     manifest_destination_refused,
				     &target->destination, err) ||
	    !parse_names(at, "aliases", &target->aliases, err))
		return false;
	if (!target->destination)
		target->destination = memory_string("");
	return !hosts.node ||
	       manifest_parse_list(&hosts, host_refused, 1, MANIFEST_LIST_MAX,
				   &target->hosts, err);
}

static bool is_alone(const struct manifest *manifest,
		     const struct manifest_target *target)
{
	for (size_t i = 0; i < manifest->target_count; i++) {
		if (&manifest->targets[i] != target &&
		    !strcmp(manifest->targets[i].platform, target->platform))
			return false;
	}
	return true;
}

static bool is_other_platform(const struct manifest *manifest,
			      const struct manifest_target *target,
			      const char *name)
{
	if (!strcmp(target->platform, name))
		return !is_alone(manifest, target);
	for (size_t i = 0; i < manifest->target_count; i++) {
		if (!strcmp(manifest->targets[i].platform, name))
			return true;
	}
	return false;
}

/* One name leads to one target, or by its platform to all of that one. */
static bool check_target_names(const struct manifest *manifest,
			       const struct json *at, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];
		size_t first = names.count;

		if (!list_add_once(&names, target->name))
			return json_fail(at, err,
					 "\"%s\" is a target and an alias of "
					 "another one",
					 target->name);
		for (size_t j = 0; j < target->aliases.count; j++) {
			if (!list_add_once(&names, target->aliases.items[j]))
				return json_fail(at, err,
						 "the alias \"%s\" is there "
						 "twice",
						 target->aliases.items[j]);
		}
		for (; first < names.count; first++) {
			if (is_other_platform(manifest, target,
					      names.items[first]))
				return json_fail(at, err,
						 "\"%s\" names one target and "
						 "a platform of others",
						 names.items[first]);
		}
	}
	return true;
}

bool manifest_parse_targets(struct manifest *manifest, const struct json *at,
			    struct error *err)
{
	if (!json_object(at, err) ||
	    !manifest_parse_count(at, 1, MANIFEST_NAMES_MAX, err))
		return false;
	manifest->targets =
		memory_allocate(json_count(at) * sizeof(*manifest->targets));
	json_for_each (member, at) {
		if (!parse_target(&manifest->targets[manifest->target_count++],
				  &member, err))
			return false;
	}
	return check_target_names(manifest, at, err);
}

static bool check_platforms(const struct manifest *manifest,
			    const struct json *at, const struct list *platforms,
			    struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;

	for (size_t i = 0; i < manifest->target_count; i++)
		list_add_once(&known, manifest->targets[i].platform);
	for (size_t i = 0; i < platforms->count; i++) {
		if (!list_has(&known, platforms->items[i]))
			return manifest_parse_unknown(
				at, "platform of a target", platforms->items[i],
				&known, err);
	}
	return true;
}

static bool parse_provided(struct manifest_extra *extra, const struct json *at,
			   struct error *err)
{
	if (!json_object(at, err) ||
	    !manifest_parse_count(at, 1, MANIFEST_NAMES_MAX, err))
		return false;
	json_for_each (member, at) {
		char *text CLEANUP(memory_release) = NULL;

		if (!list_has(&extra->platforms, member.key))
			return manifest_parse_unknown(
				&member, "platform of this extra", member.key,
				&extra->platforms, err);
		if (!manifest_parse_text(&member, manifest_text_refused, &text,
					 err))
			return false;
		list_addf(&extra->provided, "%s=%s", member.key, text);
	}
	return true;
}

static bool parse_list_name(const struct manifest *manifest,
			    struct manifest_extra *extra, const struct json *at,
			    struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;
	struct json list;
	const char *name;

	if (!json_require(at, "list", &list, err) ||
	    !json_string(&list, &name, err))
		return false;
	list_split(&known, manifest->has_lists ? "backends,libs" : "extras",
		   ",");
	if (!list_has(&known, name))
		return manifest_parse_unknown(
			&list, "list of this manifest's vocabulary", name,
			&known, err);
	extra->list = memory_string(name);
	return true;
}

static bool parse_extra(const struct manifest *manifest,
			struct manifest_extra *extra, const struct json *at,
			struct error *err)
{
	static const char *const known[] = {
		"flag",     "key",        "list", "platforms",
		"provided", "olderNames", NULL};
	struct json platforms;
	struct json provided = json_member(at, "provided");

	return json_known_keys(at, known, err) &&
	       parse_key(at, &extra->name, err) &&
	       manifest_parse_member(at, "flag", manifest_flag_refused,
				     &extra->flag, err) &&
	       manifest_parse_member(at, "key", manifest_key_refused,
				     &extra->key, err) &&
	       parse_list_name(manifest, extra, at, err) &&
	       json_require(at, "platforms", &platforms, err) &&
	       manifest_parse_list(&platforms, manifest_choice_refused, 1,
				   MANIFEST_LIST_MAX, &extra->platforms, err) &&
	       check_platforms(manifest, &platforms, &extra->platforms, err) &&
	       (!provided.node || parse_provided(extra, &provided, err)) &&
	       parse_names(at, "olderNames", &extra->older_names, err);
}

/* Names, older names, flags and keys are each of one extra. */
static bool check_extra_names(const struct manifest *manifest,
			      const struct json *at, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	struct list members CLEANUP(list_release) = LIST_INIT;
	const char *twice = NULL;

	for (size_t i = 0; i < manifest->extra_count && !twice; i++) {
		const struct manifest_extra *extra = &manifest->extras[i];

		if (!list_add_once(&names, extra->name))
			twice = extra->name;
		for (size_t j = 0; j < extra->older_names.count; j++) {
			if (!list_add_once(&names, extra->older_names.items[j]))
				twice = extra->older_names.items[j];
		}
		if (!list_add_once(&members, extra->flag))
			twice = extra->flag;
		if (!list_add_once(&members, extra->key))
			twice = extra->key;
	}
	return !twice ||
	       json_fail(at, err, "\"%s\" stands for two extras", twice);
}

bool manifest_parse_extras(struct manifest *manifest, const struct json *at,
			   struct error *err)
{
	if (!json_object(at, err) ||
	    !manifest_parse_count(at, 0, MANIFEST_NAMES_MAX, err))
		return false;
	manifest->extras =
		memory_allocate(json_count(at) * sizeof(*manifest->extras));
	json_for_each (member, at) {
		if (!parse_extra(manifest,
				 &manifest->extras[manifest->extra_count++],
				 &member, err))
			return false;
	}
	return check_extra_names(manifest, at, err);
}

static bool check_feature(const struct manifest *manifest,
			  const struct manifest_feature *feature,
			  const struct json *at, struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;

	if (manifest_extra(manifest, feature->name))
		return json_fail(at, err,
				 "\"%s\" is the name of a feature and of an "
				 "extra",
				 feature->name);
	for (size_t i = 0; i < manifest->extra_count; i++)
		list_add(&known, manifest->extras[i].name);
	for (size_t i = 0; i < feature->extras.count; i++) {
		if (!list_has(&known, feature->extras.items[i]))
			return manifest_parse_unknown(at, "extra",
						      feature->extras.items[i],
						      &known, err);
	}
	return true;
}

bool manifest_parse_features(struct manifest *manifest, const struct json *at,
			     struct error *err)
{
	if (!json_object(at, err) ||
	    !manifest_parse_count(at, 0, MANIFEST_NAMES_MAX, err))
		return false;
	manifest->features =
		memory_allocate(json_count(at) * sizeof(*manifest->features));
	json_for_each (member, at) {
		struct manifest_feature *feature =
			&manifest->features[manifest->feature_count++];

		if (!parse_key(&member, &feature->name, err) ||
		    !manifest_parse_list(&member, manifest_choice_refused, 0,
					 MANIFEST_NAMES_MAX, &feature->extras,
					 err) ||
		    !check_feature(manifest, feature, &member, err))
			return false;
	}
	return true;
}
