#include "request_choice.h"

#include "memory.h"
#include "target.h"

static bool choose_extras(struct request *request,
			  const struct options *options,
			  const struct environment *env, enum request_need need,
			  struct error *err)
{
	bool option = options->extras != NULL;
	const char *names = option ? options->extras : env->extras;

	/* The block is read either way: it may name a pod, and a mistake in
	 * it is one whoever overrides it today. */
	if (!app_read(&request->choice, &request->app, request->manifest, err))
		return false;
	if (names)
		return app_read_names(&request->choice, names,
				      option ? "--extras" : "RNET_EXTRAS",
				      request->manifest, err);
	list_copy(&request->warnings, &request->choice.warnings);
	if (need != REQUEST_PACKAGE || request->app.files.count)
		return true;
	/* Not everything: it may be a package.json that is not there. */
	error_set(err, ERROR_CONFIG, "no app was found: %s",
		  request->app.reason);
	return error_hint(err, "Name it with --app DIR or RNET_APP_ROOT, or "
			       "say --extras all.");
}

static bool choose_targets(struct request *request,
			   const struct options *options,
			   const struct environment *env, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	bool option = options->target != NULL;
	const char *text = option ? options->target : env->target;
	const char *source = option ? "--target" : "RNET_TARGET";

	if (text)
		list_split(&names, text, ", ");
	if (text && !names.count)
		return error_set(err, ERROR_USAGE,
				 "%s: expected targets, found \"%s\"", source,
				 text);
	return target_resolve(request->manifest, &names, source, env->no_x86_64,
			      target_host(), &request->targets, err);
}

static bool check_headers_only(const struct request *request, struct error *err)
{
	const struct manifest *manifest = request->manifest;

	if (!request->headers_only)
		return true;
	for (size_t i = 0; i < manifest->artifact_count; i++) {
		if (!manifest->artifacts[i].target)
			return true;
	}
	return error_set(err, ERROR_CONFIG,
			 "RNET_HEADERS_ONLY is on, but %s %s has no headers "
			 "apart from the libraries",
			 manifest->product, manifest->version);
}

static bool has_effect(const struct request *request,
		       const struct manifest_extra *extra)
{
	for (size_t i = 0; i < request->targets.count; i++) {
		const struct manifest_target *target = manifest_target(
			request->manifest, request->targets.items[i]);

		if (manifest_extra_on(extra, target->platform) ||
		    manifest_extra_provider(extra, target->platform))
			return true;
	}
	return false;
}

/* Only for extras that somebody named: "everything" names none. */
static void warn_without_effect(struct request *request)
{
	const struct list *extras = &request->choice.extras;
	char *targets CLEANUP(memory_release) =
		list_join(&request->targets, ", ");

	for (size_t i = 0; !request->choice.everything && i < extras->count;
	     i++) {
		const struct manifest_extra *extra =
			manifest_extra(request->manifest, extras->items[i]);
		char *platforms CLEANUP(memory_release) = NULL;

		if (has_effect(request, extra))
			continue;
		platforms = list_join(&extra->platforms, ", ");
		list_addf(&request->warnings,
			  "%s has no effect on the target%s %s (it is for %s)",
			  extra->name, request->targets.count > 1 ? "s" : "",
			  targets, platforms);
	}
}

bool request_choose(struct request *request, const struct options *options,
		    const struct environment *env, enum request_need need,
		    struct error *err)
{
	if (!choose_extras(request, options, env, need, err) ||
	    !choose_targets(request, options, env, err) ||
	    !check_headers_only(request, err))
		return false;
	warn_without_effect(request);
	return true;
}
