#include "env.h"

#include <strings.h>

#define TEXT(field)   ENVIRONMENT_TEXT, offsetof(struct environment, field)
#define SWITCH(field) ENVIRONMENT_SWITCH, offsetof(struct environment, field)
#define FLAG(field)   ENVIRONMENT_FLAG, offsetof(struct environment, field)

static const struct environment_variable table[] = {
	{"RNET_SKIP_DOWNLOAD",
	 "no download, no extraction; the build config is still written",
	 SWITCH(skip_download)},
	{"RNET_LIBS_CACHE_DIR", "the cache folder", TEXT(cache_dir)},
	{"RNET_TARGET",
	 "targets, comma-separated; aliases: android, android-arm64, "
	 "android-x64, all",
	 TEXT(target)},
	{"RNET_NO_X86_64", "leave out android-x86_64", SWITCH(no_x86_64)},
	{"RNET_BASE_URL",
	 "where artifacts lie: https://, file:// or http://; several, "
	 "space-separated, are mirrors",
	 TEXT(base_url)},
	{"RNET_HEADERS_ONLY",
	 "only the platform-independent headers, of a release that has them",
	 SWITCH(headers_only)},
	{"RNET_MANIFEST", "as --manifest", TEXT(manifest)},
	{"RNET_PUBLIC_KEY", "as --public-key", TEXT(public_key)},
	{"RNET_APP_ROOT", "as --app", TEXT(app_root)},
	{"RNET_EXTRAS", "as --extras", TEXT(extras)},
	{"RNET_OFFLINE", "as --offline", SWITCH(offline)},
	{"RNET_REQUIRE_PINNED", "as --require-pinned", SWITCH(require_pinned)},
	{"RNET_JOBS", "as --jobs", TEXT(jobs)},
	{"GITHUB_TOKEN",
	 "a bearer token for github.com and api.github.com, and no other host",
	 TEXT(github_token)},

	{"npm_config_offline", "npm's --offline", FLAG(npm_offline)},
	{"NPM_CONFIG_OFFLINE", NULL, FLAG(npm_offline)},
	{"npm_config_loglevel", "silent, error and warn act like --quiet",
	 TEXT(npm_loglevel)},
	{"NPM_CONFIG_LOGLEVEL", NULL, TEXT(npm_loglevel)},
	{"npm_config_https_proxy", "the proxy for https, first choice",
	 TEXT(npm_https_proxy)},
	{"NPM_CONFIG_HTTPS_PROXY", NULL, TEXT(npm_https_proxy)},
	{"npm_config_proxy",
	 "the proxy for http, and for https without its own", TEXT(npm_proxy)},
	{"NPM_CONFIG_PROXY", NULL, TEXT(npm_proxy)},
	{"npm_config_noproxy", "hosts that are reached without a proxy",
	 TEXT(npm_noproxy)},
	{"NPM_CONFIG_NOPROXY", NULL, TEXT(npm_noproxy)},
	{"npm_config_cafile", "certificates to trust, a PEM file",
	 TEXT(npm_cafile)},
	{"NPM_CONFIG_CAFILE", NULL, TEXT(npm_cafile)},
	{"npm_config_strict_ssl", "off: certificates are not checked",
	 TEXT(npm_strict_ssl)},
	{"NPM_CONFIG_STRICT_SSL", NULL, TEXT(npm_strict_ssl)},
	{"NODE_EXTRA_CA_CERTS", "more certificates to trust, a PEM file",
	 TEXT(node_extra_ca_certs)},
	{"SSL_CERT_FILE", "certificates to trust instead of the system's",
	 TEXT(ssl_cert_file)},
	{"SSL_CERT_DIR", "a folder of certificates to trust",
	 TEXT(ssl_cert_dir)},
	{"https_proxy", "the proxy for https", TEXT(https_proxy)},
	{"HTTPS_PROXY", "the proxy for https", TEXT(https_proxy)},
	/* A CGI program gets HTTP_PROXY from a request header. */
	{"http_proxy", "the proxy for http; lower case only", TEXT(http_proxy)},
	{"all_proxy", "the proxy for both", TEXT(all_proxy)},
	{"ALL_PROXY", "the proxy for both", TEXT(all_proxy)},
	{"no_proxy", "hosts that are reached without a proxy", TEXT(no_proxy)},
	{"NO_PROXY", "hosts that are reached without a proxy", TEXT(no_proxy)},

	{"CI", "no live progress lines", FLAG(ci)},
	{"NO_COLOR", "no colour", TEXT(no_color)},
	{"FORCE_COLOR", "colour, unless it is 0", TEXT(force_color)},
	{"XDG_CACHE_HOME", "where caches lie, instead of ~/.cache",
	 TEXT(xdg_cache_home)},

	{"INIT_CWD", NULL, TEXT(init_cwd)},
	{"HOME", NULL, TEXT(home)},
	{"LOCALAPPDATA", NULL, TEXT(local_app_data)},
	{"npm_config_user_agent", NULL, TEXT(user_agent)},
	{"npm_config_userconfig", NULL, TEXT(npm_userconfig)},
	{"NPM_CONFIG_USERCONFIG", NULL, TEXT(npm_userconfig)},
	{"npm_config_globalconfig", NULL, TEXT(npm_globalconfig)},
	{"NPM_CONFIG_GLOBALCONFIG", NULL, TEXT(npm_globalconfig)},
	{"npm_config_prefix", NULL, TEXT(npm_prefix)},
	{"NPM_CONFIG_PREFIX", NULL, TEXT(npm_prefix)},
	{"npm_node_execpath", NULL, TEXT(npm_node_execpath)},
	{"GITHUB_OUTPUT", NULL, TEXT(github_output)},
	{"TERM", NULL, TEXT(term)},
	{"TMPDIR", NULL, TEXT(temporary)},
	{NULL, NULL, ENVIRONMENT_TEXT, 0},
};

const struct environment_variable *environment_table(void)
{
	return table;
}

bool environment_switch(const char *value, bool *out)
{
	static const char *const on[] = {"1", "true", "yes", "on"};
	static const char *const off[] = {"", "0", "false", "no", "off"};

	for (size_t i = 0; i < ARRAY_SIZE(off); i++) {
		if (!value || !strcasecmp(value, off[i])) {
			*out = false;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(on); i++) {
		if (!strcasecmp(value, on[i])) {
			*out = true;
			return true;
		}
	}
	return false;
}

static bool read_switch(const struct environment_variable *variable,
			const char *value, bool *out, struct error *err)
{
	if (environment_switch(value, out))
		return true;
	if (variable->kind == ENVIRONMENT_FLAG) {
		/* "null" is how npm writes that nothing was set. */
		*out = strcasecmp(value, "null") != 0;
		return true;
	}
	return error_set(err, ERROR_USAGE,
			 "%s: expected on (1, true, yes, on) or off (0, "
			 "false, no, off, empty), found \"%s\"",
			 variable->name, value);
}

bool environment_read(struct environment *env, struct error *err)
{
	struct environment read = {0};

	/* Backwards, so that the first of two for one field wins. */
	for (size_t i = ARRAY_SIZE(table) - 1; i-- > 0;) {
		const struct environment_variable *variable = &table[i];
		const char *value = getenv(variable->name);
		void *field = (char *)&read + variable->field;

		if (!value || !*value)
			continue;
		if (variable->kind == ENVIRONMENT_TEXT)
			*(const char **)field = value;
		else if (!read_switch(variable, value, field, err))
			return false;
	}
	*env = read;
	return true;
}
