#include "netconf.h"

#include <strings.h>

#include "log.h"
#include "memory.h"
#include "npmrc_files.h"
#include "path.h"
#include "retry.h"

/* Several variables may fill one field: which one did? */
static const char *variable_of(size_t field, const char *value)
{
	const struct environment_variable *variable = environment_table();

	for (; variable->name; variable++) {
		if (variable->field == field && getenv(variable->name) == value)
			return variable->name;
	}
	return "the environment";
}

/* npm writes that something is not set in words. */
static bool is_nothing(const char *value)
{
	return !strcmp(value, "null") || !strcmp(value, "false") ||
	       !strcmp(value, "undefined");
}

#define FIELD(name) offsetof(struct environment, name)
#define SOURCES_MAX 4

/* Where a setting may come from: fields of the environment, then keys. */
struct setting_source {
	size_t setting; /* in struct fetch_policy */
	size_t fields[SOURCES_MAX];
	size_t field_count;
	const char *keys[2]; /* NULL: no .npmrc knows it */
	bool is_path;        /* in an .npmrc, seen from its folder */
};

static const struct setting_source sources[] = {
	{offsetof(struct fetch_policy, https_proxy),
	 {FIELD(npm_https_proxy), FIELD(npm_proxy), FIELD(https_proxy),
	  FIELD(all_proxy)},
	 4,
	 {"https-proxy", "proxy"},
	 false},
	{offsetof(struct fetch_policy, http_proxy),
	 {FIELD(npm_proxy), FIELD(http_proxy), FIELD(all_proxy)},
	 3,
	 {"proxy", "http-proxy"},
	 false},
	{offsetof(struct fetch_policy, ca_file),
	 {FIELD(npm_cafile), FIELD(ssl_cert_file)},
	 2,
	 {"cafile", NULL},
	 true},
	{offsetof(struct fetch_policy, ca_dir),
	 {FIELD(ssl_cert_dir)},
	 1,
	 {NULL, NULL},
	 true},
	{offsetof(struct fetch_policy, ca_extra),
	 {FIELD(node_extra_ca_certs)},
	 1,
	 {NULL, NULL},
	 true},
};

static bool from_environment(struct fetch_setting *setting,
			     const struct setting_source *source,
			     const struct environment *env)
{
	for (size_t i = 0; i < source->field_count; i++) {
		const char *value = *(const char *const *)((const char *)env +
							   source->fields[i]);

		if (!value || is_nothing(value))
			continue;
		setting->value = memory_string(value);
		setting->from =
			memory_string(variable_of(source->fields[i], value));
		return true;
	}
	return false;
}

/* A path in an .npmrc may begin with ~/; others are relative to its folder. */
static char *resolve_path(char *value, const char *npmrc_path,
			  const struct environment *env)
{
	char *given CLEANUP(memory_release) = value;
	char *folder CLEANUP(memory_release) = path_parent(npmrc_path);

	if (*given == '/' || *npmrc_path != '/')
		return memory_string(given);
	if (!strncmp(given, "~/", 2) && env->home)
		return memory_printf("%s/%s", env->home, given + 2);
	return memory_printf("%s/%s", folder, given);
}

static void from_npmrc(struct fetch_setting *setting,
		       const struct setting_source *source,
		       const struct npmrc_files *npmrc,
		       const struct environment *env)
{
	for (size_t i = 0; i < ARRAY_SIZE(source->keys); i++) {
		const char *key = source->keys[i], *path = NULL;
		char *value = key ? npmrc_files_find(npmrc, key, &path) : NULL;

		if (value && !is_nothing(value)) {
			setting->value =
				source->is_path ? resolve_path(value, path, env)
						: value;
			setting->from = memory_printf("%s of %s", key, path);
			return;
		}
		free(value);
	}
}

static bool has_blank_or_control(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return true;
	}
	return false;
}

static bool check_proxy(const struct fetch_setting *proxy, struct error *err)
{
	static const char *const schemes[] = {"http",    "https",  "socks4",
					      "socks4a", "socks5", "socks5h"};
	struct buf shown CLEANUP(buf_release) = BUF_INIT;
	const char *colon;

	if (!proxy->value)
		return true;
	log_url(&shown, proxy->value);
	if (has_blank_or_control(proxy->value))
		return error_set(err, ERROR_USAGE,
				 "%s: a proxy's URL has no blanks and no "
				 "control characters, found \"%s\"",
				 proxy->from, shown.data);
	colon = strstr(proxy->value, "://");
	if (!colon)
		return true; /* host:port, as curl reads it */
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		size_t length = strlen(schemes[i]);

		if ((size_t)(colon - proxy->value) == length &&
		    !strncasecmp(proxy->value, schemes[i], length))
			return true;
	}
	return error_set(err, ERROR_USAGE,
			 "%s: expected the URL of a proxy (http, https, "
			 "socks4, socks4a, socks5, socks5h), found \"%s\"",
			 proxy->from, shown.data);
}

/* A host that either list names is reached without a proxy. */
static char *read_no_proxy(const struct environment *env,
			   const struct npmrc_files *npmrc)
{
	const char *path;

	if (env->npm_noproxy && env->no_proxy)
		return memory_printf("%s,%s", env->npm_noproxy, env->no_proxy);
	if (env->npm_noproxy || env->no_proxy)
		return memory_string(env->npm_noproxy ? env->npm_noproxy
						      : env->no_proxy);
	return npmrc_files_find(npmrc, "noproxy", &path);
}

static bool read_strict_ssl(struct fetch_policy *policy,
			    const struct environment *env,
			    const struct npmrc_files *npmrc, struct error *err)
{
	const char *path = NULL;
	char *value CLEANUP(memory_release) = NULL;
	char *from CLEANUP(memory_release) = NULL;

	if (env->npm_strict_ssl) {
		value = memory_string(env->npm_strict_ssl);
		from = memory_string(variable_of(FIELD(npm_strict_ssl),
						 env->npm_strict_ssl));
	} else {
		value = npmrc_files_find(npmrc, "strict-ssl", &path);
		from = memory_printf("strict-ssl of %s", path ? path : "");
	}
	if (!value || !strcmp(value, "null") || !strcmp(value, "undefined"))
		return true;
	if (!environment_switch(value, &policy->strict_ssl))
		return error_set(err, ERROR_USAGE,
				 "%s: expected true or false, found \"%s\"",
				 from, value);
	if (!policy->strict_ssl) {
		policy->lax_ssl_from = from;
		from = NULL;
	}
	return true;
}

/* Secrets that were pasted often end in a newline. */
static bool read_token(struct fetch_policy *policy,
		       const struct environment *env, struct error *err)
{
	const char *start = env->github_token;
	size_t length;

	if (!start)
		return true;
	start += strspn(start, " \t\r\n");
	length = strlen(start);
	while (length && strchr(" \t\r\n", start[length - 1]))
		length--;
	if (!length)
		return true;
	policy->github_token = memory_string_n(start, length);
	if (has_blank_or_control(policy->github_token))
		return error_set(err, ERROR_USAGE,
				 "GITHUB_TOKEN: a token has no blanks and no "
				 "control characters within");
	return true;
}

static bool read_all(struct fetch_policy *policy, const struct environment *env,
		     const struct npmrc_files *npmrc, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		struct fetch_setting *setting =
			(void *)((char *)policy + sources[i].setting);

		if (!from_environment(setting, &sources[i], env))
			from_npmrc(setting, &sources[i], npmrc, env);
	}
	policy->no_proxy = read_no_proxy(env, npmrc);
	return check_proxy(&policy->https_proxy, err) &&
	       check_proxy(&policy->http_proxy, err) &&
	       read_strict_ssl(policy, env, npmrc, err) &&
	       read_token(policy, env, err);
}

bool netconf_read(struct fetch_policy *policy, const struct environment *env,
		  const char *project, struct error *err)
{
	struct npmrc_files npmrc CLEANUP(npmrc_files_release) = {0};
	struct fetch_policy read = {
		.strict_ssl = true,
		.tries = RETRY_TRIES,
		.connect_ms = FETCH_CONNECT_MS,
		.stall_ms = FETCH_STALL_MS,
		.stall_bytes = FETCH_STALL_BYTES,
		.parallel = FETCH_PARALLEL,
	};

	npmrc_files_load(&npmrc, env, project);
	if (!read_all(&read, env, &npmrc, err)) {
		netconf_release(&read);
		return false;
	}
	*policy = read;
	return true;
}

static void setting_release(struct fetch_setting *setting)
{
	free(setting->value);
	free(setting->from);
}

void netconf_release(struct fetch_policy *policy)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		setting_release((void *)((char *)policy + sources[i].setting));
	free(policy->lax_ssl_from);
	free(policy->no_proxy);
	free(policy->github_token);
	memset(policy, 0, sizeof(*policy));
}
