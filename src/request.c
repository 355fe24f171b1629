#include "request.h"

#include "fs.h"
#include "manifest_source.h"
#include "memory.h"
#include "netconf.h"
#include "package.h"
#include "place.h"
#include "request_choice.h"
#include "request_settings.h"

/* What is known while a request is being made. */
struct making {
	struct request *request;
	const struct options *options;
	const struct environment *env;
	enum request_need need;
	struct places places;
	char *app_named; /* absolute; NULL */
	const char *app_named_by;
	char *product;
	struct package package;
	bool remote; /* the manifest was fetched */
};

static void making_release(struct making *making)
{
	places_release(&making->places);
	free(making->app_named);
	free(making->product);
	package_release(&making->package);
}

static bool refuse_empty(const char *option, const char *value,
			 struct error *err)
{
	return !value || *value ||
	       error_set(err, ERROR_USAGE, "%s: expected a value, found \"\"",
			 option);
}

static bool check_options(const struct options *options, struct error *err)
{
	return refuse_empty("--app", options->app, err) &&
	       refuse_empty("--package", options->package, err) &&
	       refuse_empty("--manifest", options->manifest, err) &&
	       refuse_empty("--release", options->release, err) &&
	       refuse_empty("--target", options->target, err);
}

/* The package's own key, which its integrity vouches for. */
static bool find_package_key(struct making *making, char **key,
			     struct error *err)
{
	const char *product = REQUEST_PRODUCT;
	struct package package CLEANUP(package_release) = PACKAGE_INIT;
	const char *named = making->options->package;
	char *folder CLEANUP(memory_release) =
		named ? places_of_option(&making->places, named)
		      : memory_string(making->places.current);

	if (!package_here(&package, folder, product, err) ||
	    (!package.path && !package_resolve(&package, folder, product, err)))
		return false;
	if (package.path && package.facts.public_key)
		*key = memory_string(package.facts.public_key);
	return true;
}

static bool find_key(struct making *making, char **key, struct error *err)
{
	const char *given = making->options->public_key
				    ? making->options->public_key
				    : making->env->public_key;

	if (!given)
		return find_package_key(making, key, err);
	*key = memory_string(given);
	return true;
}

/* An old manifest is signed as well as a new one: it must be the one meant. */
static bool check_release(const struct making *making, struct error *err)
{
	const struct manifest *manifest = making->request->manifest;
	const char *version = package_libs_version(&making->package);

	if (!making->remote || !making->package.path)
		return true;
	if (version && !strcmp(version, manifest->version))
		return true;
	return error_set(err, ERROR_CONFIG,
			 "%s is signed, but for version %s; the package %s "
			 "asks for %s",
			 manifest->origin, manifest->version,
			 making->package.path, version ? version : "none");
}

/* The manifest that an option or a variable names; none is left for later. */
static bool find_named_manifest(struct making *making, struct error *err)
{
	struct manifest_source source CLEANUP(manifest_source_clear) =
		MANIFEST_SOURCE_INIT;
	const struct options *options = making->options;
	struct request *request = making->request;
	const char *name = options->manifest, *named_by = "--manifest";
	char *variable CLEANUP(memory_release) = NULL;
	char *key CLEANUP(memory_release) = NULL;

	if (options->release && name)
		return error_set(err, ERROR_USAGE,
				 "--release and --manifest both name a "
				 "manifest; expected one of them");
	if (options->release)
		return manifest_source_bundled(&source, options->release,
					       err) &&
		       manifest_source_parse(&source, &request->manifest, err);
	if (!name && making->env->manifest) {
		named_by = "RNET_MANIFEST";
		name = making->env->manifest;
		if (!strstr(name, "://"))
			name = variable =
				places_of_variable(&making->places, name);
	}
	if (!name)
		return true;
	if ((strstr(name, "://") && !find_key(making, &key, err)) ||
	    !manifest_source_named(&source, name, named_by,
				   making->places.current, &request->policy,
				   request->offline, key, err))
		return false;
	making->remote = source.remote;
	return manifest_source_parse(&source, &request->manifest, err);
}

/* Whose package.json block is read, and whose package is filled. */
static bool find_product(struct making *making, struct error *err)
{
	const char *folder = making->places.current;
	char *named CLEANUP(memory_release) = NULL;

	if (making->request->manifest) {
		making->product =
			memory_string(making->request->manifest->product);
		return true;
	}
	if (making->options->package)
		folder = named = places_of_option(&making->places,
						  making->options->package);
	if (!package_product(folder, REQUEST_PRODUCT, &making->product, err))
		return false;
	if (!making->product)
		making->product = memory_string(REQUEST_PRODUCT);
	return true;
}

static void name_app(struct making *making)
{
	if (making->options->app) {
		making->app_named_by = "--app";
		making->app_named =
			places_of_option(&making->places, making->options->app);
	} else if (making->env->app_root) {
		making->app_named_by = "RNET_APP_ROOT";
		making->app_named = places_of_variable(&making->places,
						       making->env->app_root);
	}
}

/* `warm` with extras of its own needs no app. */
static bool wants_app(const struct making *making)
{
	return making->need == REQUEST_PACKAGE ||
	       !(making->options->extras || making->env->extras);
}

static bool find_app(struct making *making, struct error *err)
{
	struct app_search search = {
		.named = making->app_named,
		.named_by = making->app_named_by,
		.init_cwd = making->places.init_cwd,
		.current = making->places.current,
		.package_path = making->package.path,
		.product = making->product,
	};

	app_release(&making->request->app);
	if (!wants_app(making))
		return true;
	return app_find(&making->request->app, &search, err);
}

/* The package that the hook stands in, or that was named. */
static bool find_package(struct making *making, struct error *err)
{
	const char *named = making->options->package;
	char *folder CLEANUP(memory_release) = NULL;

	if (!named)
		return package_here(&making->package, making->places.current,
				    making->product, err);
	folder = places_of_option(&making->places, named);
	return package_named(&making->package, folder, "--package",
			     making->product, err);
}

/* United workspaces may each have a copy of their own. */
static bool same_package(const struct making *making,
			 const struct package *other, struct error *err)
{
	if (!making->package.path || !other->path ||
	    !strcmp(making->package.path, other->path))
		return true;
	error_set(err, ERROR_USAGE,
		  "the workspaces use different copies of %s: %s and %s",
		  making->product, making->package.path, other->path);
	return error_hint(err, "Name one with --package DIR, or one app with "
			       "--app DIR.");
}

/* Started by hand: the package that the app resolves to. */
static bool resolve_package(struct making *making, struct error *err)
{
	const struct list *files = &making->request->app.files;
	const char *const starts[] = {
		making->places.current,
		making->places.init_cwd,
	};

	for (size_t i = 0; i < files->count; i++) {
		struct package package CLEANUP(package_release) = PACKAGE_INIT;
		char *folder CLEANUP(memory_release) =
			memory_string(files->items[i]);

		if (!place_up(folder) ||
		    !package_resolve(&package, folder, making->product, err) ||
		    !same_package(making, &package, err))
			return false;
		if (!making->package.path) {
			making->package = package;
			package = (struct package)PACKAGE_INIT;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		if (!making->package.path && starts[i] &&
		    !package_resolve(&making->package, starts[i],
				     making->product, err))
			return false;
	}
	return true;
}

static bool no_package(const struct making *making, struct error *err)
{
	error_set(err, ERROR_USAGE,
		  "there is no package %s to fill: the current folder, %s, is "
		  "not it, and neither from there nor from the app does "
		  "node_modules/%s lead to one",
		  making->product, making->places.current, making->product);
	return error_hint(err, "Install it with your package manager first, "
			       "or name its folder with --package DIR.");
}

static bool find_package_and_app(struct making *making, struct error *err)
{
	struct request *request = making->request;

	if (request->manifest && !wants_app(making))
		return true; /* all that either would tell is known */
	if (!find_package(making, err) || !find_app(making, err))
		return false;
	if (!making->package.path) {
		if (!resolve_package(making, err))
			return false;
		/* Now there are folders above the package to look at. */
		if (making->package.path && !request->app.files.count &&
		    !find_app(making, err))
			return false;
	}
	if (!making->package.path)
		return making->need != REQUEST_PACKAGE ||
		       no_package(making, err);
	if (making->need == REQUEST_PACKAGE &&
	    !fs_open_folder(making->package.path, &request->package, err))
		return false;
	request->package_path = memory_string(making->package.path);
	return true;
}

static bool find_manifest(struct making *making, struct error *err)
{
	struct manifest_source source CLEANUP(manifest_source_clear) =
		MANIFEST_SOURCE_INIT;
	struct request *request = making->request;

	if (request->manifest)
		return true;
	if (!making->package.path) {
		error_set(err, ERROR_USAGE,
			  "no release manifest is named, and there is no "
			  "package %s that would have one",
			  making->product);
		return error_hint(err, "Name one with --release "
				       "PRODUCT@VERSION or --manifest "
				       "FILE|URL.");
	}
	if (!manifest_source_package(&source, &making->package, err) ||
	    !manifest_source_parse(&source, &request->manifest, err))
		return false;
	if (!strcmp(request->manifest->product, making->product))
		return true;
	return error_set(
		err, ERROR_CONFIG, "%s is of \"%s\", but the package is \"%s\"",
		source.origin, request->manifest->product, making->product);
}

static bool make(struct making *making, struct error *err)
{
	struct request *request = making->request;

	if (!check_options(making->options, err) ||
	    !places_read(&making->places, making->env, err) ||
	    !request_settings(request, making->options, making->env,
			      &making->places, err))
		return false;
	if (making->need == REQUEST_CACHE)
		return true;
	name_app(making);
	if (!request_policy(&request->policy, making->options, making->env,
			    &making->places, err) ||
	    !find_named_manifest(making, err) || !find_product(making, err) ||
	    !find_package_and_app(making, err) || !find_manifest(making, err) ||
	    !check_release(making, err) ||
	    !request_choose(request, making->options, making->env, making->need,
			    err))
		return false;
	return request_base_urls(&request->base_urls, making->options,
				 making->env, request->manifest, err);
}

bool request_make(struct request **out, const struct options *options,
		  const struct environment *env, enum request_need need,
		  struct error *err)
{
	struct request *request CLEANUP(request_free) =
		memory_allocate(sizeof(*request));
	struct making making CLEANUP(making_release) = {
		.request = request,
		.options = options,
		.env = env,
		.need = need,
	};

	request->package = -1;
	request->choice = (struct app_choice)APP_CHOICE_INIT;
	if (!make(&making, err))
		return false;
	*out = request;
	request = NULL;
	return true;
}

void request_free(struct request **request)
{
	struct request *freed = *request;

	*request = NULL;
	if (!freed)
		return;
	fs_close(&freed->package);
	free(freed->package_path);
	app_release(&freed->app);
	app_choice_release(&freed->choice);
	list_release(&freed->targets);
	manifest_free(&freed->manifest);
	list_release(&freed->base_urls);
	netconf_release(&freed->policy);
	free(freed->cache_path);
	free(freed->cache_path_from);
	list_release(&freed->warnings);
	free(freed);
}
