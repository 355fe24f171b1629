#include "request_settings.h"

#include <unistd.h>

#include "lock.h"
#include "log.h"
#include "memory.h"
#include "netconf.h"
#include "target.h"
#include "url.h"

/* Below XDG_CACHE_HOME, ~/.cache and %LOCALAPPDATA%. */
#define CACHE_NAME "react-native-executorch"

/* A whole number from 1 to `maximum`; `text` NULL leaves `out` alone. */
static bool read_number(const char *text, const char *source, long maximum,
			long *out, struct error *err)
{
	char *end;
	long number;

	if (!text)
		return true;
	number = strtol(text, &end, 10);
	if (strspn(text, "0123456789") != strlen(text) || number < 1 ||
	    number > maximum)
		return error_set(err, ERROR_USAGE,
				 "%s: expected a whole number from 1 to %ld, "
				 "found \"%s\"",
				 source, maximum, text);
	*out = number;
	return true;
}

static long online_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (count < 1)
		return 1;
	return count > SETTINGS_JOBS_MAX ? SETTINGS_JOBS_MAX : count;
}

static bool read_jobs(unsigned *jobs, const struct options *options,
		      const struct environment *env, struct error *err)
{
	long number = online_processors();
	bool option = options->jobs != NULL;

	if (!read_number(option ? options->jobs : env->jobs,
			 option ? "--jobs" : "RNET_JOBS", SETTINGS_JOBS_MAX,
			 &number, err))
		return false;
	*jobs = (unsigned)number;
	return true;
}

/* A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory, 0.8), and a
 * relative home would be another one in every folder. */
static bool default_cache(struct request *request, const char *parent,
			  const char *below, const char *from)
{
	if (!parent || *parent != '/')
		return false;
	request->cache_path = memory_printf("%s%s/" CACHE_NAME, parent, below);
	request->cache_path_from = memory_string(from);
	return true;
}

static bool find_cache(struct request *request, const struct options *options,
		       const struct environment *env,
		       const struct places *places, struct error *err)
{
	if (options->cache_dir && !*options->cache_dir)
		return error_set(err, ERROR_USAGE,
				 "--cache-dir: expected a folder, found \"\"");
	if (options->cache_dir) {
		request->cache_path =
			places_of_option(places, options->cache_dir);
		request->cache_path_from = memory_string("--cache-dir");
	} else if (env->cache_dir) {
		request->cache_path =
			places_of_variable(places, env->cache_dir);
		request->cache_path_from = memory_string("RNET_LIBS_CACHE_DIR");
	} else if (env->local_app_data && !strcmp(target_host(), "windows")) {
		request->cache_path =
			memory_printf("%s/" CACHE_NAME, env->local_app_data);
		request->cache_path_from = memory_string("LOCALAPPDATA");
	} else if (!default_cache(request, env->xdg_cache_home, "",
				  "XDG_CACHE_HOME")) {
		/* Without a home either: nowhere, which is no error. */
		(void)default_cache(request, env->home, "/.cache", "HOME");
	}
	return true;
}

static bool read_seconds(const char *text, const char *option, int *out_ms,
			 struct error *err)
{
	long seconds = 0;

	if (!read_number(text, option, SETTINGS_SECONDS_MAX, &seconds, err))
		return false;
	if (seconds)
		*out_ms = (int)seconds * 1000;
	return true;
}

bool request_settings(struct request *request, const struct options *options,
		      const struct environment *env,
		      const struct places *places, struct error *err)
{
	request->skip_download = env->skip_download;
	request->headers_only = env->headers_only;
	request->offline = options->offline || env->offline || env->npm_offline;
	request->require_pinned =
		options->require_pinned || env->require_pinned;
	request->refresh = options->refresh;
	request->keep_trees = !env->ci;
	request->lock_wait_ms = LOCK_WAIT_DEFAULT;
	return read_jobs(&request->jobs, options, env, err) &&
	       read_seconds(options->lock_timeout, "--lock-timeout",
			    &request->lock_wait_ms, err) &&
	       find_cache(request, options, env, places, err);
}

bool request_policy(struct fetch_policy *policy, const struct options *options,
		    const struct environment *env, const struct places *places,
		    struct error *err)
{
	const char *project =
		places->init_cwd ? places->init_cwd : places->current;

	if (!netconf_read(policy, env, project, err))
		return false;
	policy->allow_http = options->allow_http;
	return read_seconds(options->connect_timeout, "--connect-timeout",
			    &policy->connect_ms, err) &&
	       read_seconds(options->stall_timeout, "--stall-timeout",
			    &policy->stall_ms, err);
}

/* "https://host/a/" becomes "https://host/a"; "file:///" stays. */
static void add_base_url(struct list *out, const char *url)
{
	const char *scheme = strstr(url, "://");
	size_t length = strlen(url), least = scheme ? scheme + 4 - url : 1;

	while (length > least && url[length - 1] == '/')
		length--;
	list_addf(out, "%.*s", (int)length, url);
}

static bool add_named_url(struct list *out, const char *url, const char *source,
			  struct error *err)
{
	struct buf shown CLEANUP(buf_release) = BUF_INIT;
	const char *refused = url_refused(url);

	if (!refused) {
		add_base_url(out, url);
		return true;
	}
	log_url(&shown, url);
	error_set(err, ERROR_USAGE, "%s: \"%.*s\" %s", source,
		  URL_LENGTH_MAX / 8, shown.data, refused);
	return error_hint(err, "Expected https://host/folder, "
			       "file:///folder, or http:// to loopback.");
}

bool request_base_urls(struct list *out, const struct options *options,
		       const struct environment *env,
		       const struct manifest *manifest, struct error *err)
{
	struct list named CLEANUP(list_release) = LIST_INIT;
	bool option = options->base_urls.count > 0;
	const char *source = option ? "--base-url" : "RNET_BASE_URL";

	if (option)
		list_copy(&named, &options->base_urls);
	else if (env->base_url)
		list_split(&named, env->base_url, " \t\r\n");
	for (size_t i = 0; i < named.count; i++) {
		if (!add_named_url(out, named.items[i], source, err))
			return false;
	}
	if (out->count)
		return true;
	for (size_t i = 0; i < manifest->base_urls.count; i++)
		add_base_url(out, manifest->base_urls.items[i]);
	return true;
}
