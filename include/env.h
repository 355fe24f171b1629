/*
 * env.h - the environment, read once at start.
 *
 * Every variable that the program looks at is in one table (env.c), which
 * help and the man page are tested against. Strings are borrowed from the
 * process and NULL when unset or empty. A switch that is neither on nor off
 * is a USAGE error that names the variable.
 *
 * Where two variables fill one field, the first of the table that is set
 * wins: npm_config_x before NPM_CONFIG_X, lower case before upper case.
 */
#ifndef RNE_ENV_H
#define RNE_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"

struct environment {
	/* What to do: the RNET_ variables. */
	bool skip_download;
	bool no_x86_64;
	bool headers_only;
	bool offline;
	bool require_pinned;
	const char *cache_dir;
	const char *target;
	const char *base_url;
	const char *manifest;
	const char *app_root;
	const char *extras;
	const char *jobs;
	const char *public_key; /* RNET_PUBLIC_KEY */

	/* Where we are. */
	const char *init_cwd;
	const char *home;
	const char *xdg_cache_home;
	const char *local_app_data;
	const char *user_agent; /* npm_config_user_agent: the manager */
	const char *github_output;
	const char *temporary; /* the folder TMPDIR */

	/* How to speak. */
	bool ci;
	const char *no_color;
	const char *force_color;
	const char *npm_loglevel;
	const char *term;

	/* How to reach others. */
	const char *github_token;
	bool npm_offline;
	const char *npm_https_proxy;
	const char *npm_proxy;
	const char *npm_noproxy;
	const char *npm_cafile;
	const char *npm_strict_ssl; /* a switch; NULL: unset */
	const char *npm_userconfig; /* the user's .npmrc */
	const char *npm_globalconfig;
	const char *npm_prefix;
	const char *npm_node_execpath; /* node itself */
	const char *https_proxy;       /* https_proxy before HTTPS_PROXY */
	const char *http_proxy;        /* lower case only, as in curl */
	const char *all_proxy;
	const char *no_proxy;
	const char *node_extra_ca_certs;
	const char *ssl_cert_file;
	const char *ssl_cert_dir;
};

bool environment_read(struct environment *env, struct error *err) NODISCARD;

enum environment_kind {
	ENVIRONMENT_TEXT,
	ENVIRONMENT_SWITCH, /* on or off, anything else is an error */
	ENVIRONMENT_FLAG,   /* others set it: on unless it says off */
};

/* For help: the variables with a line of text each; NULL name ends it. */
struct environment_variable {
	const char *name;
	const char *text; /* NULL: not one to set by hand */
	enum environment_kind kind;
	size_t field; /* its offset in struct environment */
};
const struct environment_variable *environment_table(void);

/* on, off, or neither (false); NULL and "" are off. */
bool environment_switch(const char *value, bool *out) NODISCARD;

#endif
