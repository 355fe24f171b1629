/*
 * noproxy.h - which hosts a NO_PROXY list keeps from the proxy: pure.
 *
 * Items stand between commas or blanks: a name, which covers the names below
 * it too, with or without a leading "." or "*."; an address; a network
 * (10.0.0.0/8, fd00::/8); each with or without ":port" (then it covers that
 * port alone); "*" covers everything. IPv6 addresses with a port, and those
 * of a URL, stand in brackets. Case and a dot behind a name do not count.
 */
#ifndef RNE_NOPROXY_H
#define RNE_NOPROXY_H

#include <stdbool.h>

#include "attributes.h"

/* `host` as in a URL; `list` may be NULL. */
bool noproxy_covers(const char *list, const char *host, unsigned port);

#endif
