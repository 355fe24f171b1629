/*
 * netconf.h - proxies, certificates and tokens from the environment and, where
 * it has none, from .npmrc files (project, user, global): pnpm 11 no longer
 * exports npm_config_*.
 *
 * First that is set:
 *	proxy of https	npm_config_https_proxy, npm_config_proxy, https_proxy,
 *			HTTPS_PROXY, all_proxy, ALL_PROXY, .npmrc
 *	proxy of http	npm_config_proxy, http_proxy, all_proxy, ALL_PROXY,
 *			.npmrc
 *	certificates	npm_config_cafile, SSL_CERT_FILE, .npmrc;
 *			SSL_CERT_DIR; NODE_EXTRA_CA_CERTS beside all of them
 * Hosts without a proxy: npm_config_noproxy and NO_PROXY together, else
 * .npmrc. "null" and "false" are npm's words for no proxy. Loopback is never
 * proxied (fetch.c).
 *
 * An .npmrc that cannot be read is none. Files that hold certificates are
 * opened when the first https connection needs them.
 */
#ifndef RNE_NETCONF_H
#define RNE_NETCONF_H

#include <stdbool.h>

#include "attributes.h"
#include "env.h"
#include "error.h"
#include "fetch.h"

/*
 * Fills all of `policy`, with the limits of fetch.h. `project` is the app's
 * folder for its .npmrc, or NULL. USAGE errors name the variable.
 */
bool netconf_read(struct fetch_policy *policy, const struct environment *env,
		  const char *project, struct error *err) NODISCARD;
void netconf_release(struct fetch_policy *policy);

#endif
