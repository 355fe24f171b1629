/*
 * fetch_redirect.h - where a redirect leads, and whether we go there: pure.
 */
#ifndef RNE_FETCH_REDIRECT_H
#define RNE_FETCH_REDIRECT_H

#include "attributes.h"
#include "error.h"

#define REDIRECTS_MAX 10

/*
 * The URL that `location` (absolute or relative, RFC 9110 10.2.2) means in an
 * answer to `url`; NULL with NETWORK set when it is refused: another scheme
 * than http and https, http from https, user:password, no URL at all. The
 * caller frees it.
 */
char *fetch_redirect(const char *url, const char *location,
		     struct error *err) NODISCARD;

#endif
