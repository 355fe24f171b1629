/*
 * url.h - which URLs are acceptable, and joining them.
 */
#ifndef RNE_URL_H
#define RNE_URL_H

#include <stdbool.h>

#include "attributes.h"

#define URL_LENGTH_MAX 2048

/*
 * NULL when `url` may be used as a base or a source, else why not. Allowed:
 * https, http and file; a host for the first two; no user:password, no
 * control characters or spaces, at most 2,048 bytes.
 */
const char *url_refused(const char *url) NODISCARD;

bool url_is_file(const char *url);
bool url_is_http(const char *url); /* plain */
/* The host is localhost, 127.0.0.0/8 or ::1. */
bool url_is_loopback(const char *url);
/* Scheme, host and port are equal. */
bool url_same_origin(const char *a, const char *b);
/* https to exactly github.com or api.github.com. */
bool url_is_github(const char *url);

/* The path of a file: URL, percent-decoded; NULL: not a usable one. */
char *url_file_path(const char *url) NODISCARD;

/* base + "/" + name, with name percent-encoded. */
char *url_join(const char *base, const char *name) NODISCARD;

#endif
