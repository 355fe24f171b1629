/*
 * netconf.h - proxies, certificates and tokens from the environment and, where
 * it has none, from .npmrc files (project, user, global): pnpm 11 no longer
 * exports npm_config_*.
 *
 * Order for the proxy of https: npm_config_https_proxy, npm_config_proxy,
 * https_proxy, HTTPS_PROXY, ALL_PROXY, .npmrc. NO_PROXY and
 * npm_config_noproxy; loopback is never proxied.
 */
#ifndef RNE_NETCONF_H
#define RNE_NETCONF_H

#include <stdbool.h>

#include "attributes.h"
#include "env.h"
#include "error.h"
#include "fetch.h"

/* `project` is the app's folder for its .npmrc, or NULL. */
bool netconf_read(struct fetch_policy *policy, const struct environment *env,
		  const char *project, struct error *err) NODISCARD;
void netconf_release(struct fetch_policy *policy);

/*
 * The value of `key` in the text of an .npmrc (ini: `key = value`, `;` and
 * `#` comments, quotes, ${VAR} and ${VAR-default} expanded by `lookup`); NULL:
 * not there. The caller frees it.
 */
char *netconf_npmrc_value(const char *text, const char *key,
			  const char *(*lookup)(const char *name)) NODISCARD;

#endif
