/*
 * fetch_reach.h - how a host is reached: proxy, certificates, credentials.
 * Decided anew for every request, so that a redirect inherits nothing.
 */
#ifndef RNE_FETCH_REACH_H
#define RNE_FETCH_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "fetch.h"

struct fetch_reach {
	const struct fetch_policy *policy;
	bool tls_ready;          /* what follows was read */
	char *ca_file;           /* NULL: libcurl's own choice */
	struct buf certificates; /* PEM that replaces ca_file, when not empty */
	int certificates_file;   /* the same as ca_file; -1: not needed */
};

void fetch_reach_init(struct fetch_reach *reach,
		      const struct fetch_policy *policy);
void fetch_reach_release(struct fetch_reach *reach);

/*
 * Sets an easy handle (a CURL *) up for `url`. `*proxy` becomes the proxy that
 * stands before it, or NULL. An error is one of certificates that cannot be
 * read.
 */
bool fetch_reach_apply(struct fetch_reach *reach, void *easy, const char *url,
		       const struct fetch_setting **proxy,
		       struct error *err) NODISCARD;

/* The bearer token for `url`; NULL: none. */
const char *fetch_reach_token(const struct fetch_reach *reach, const char *url);

/*
 * Why `url` may not be asked for a file of a job, NULL: it may. Plain http
 * needs a pinned digest, loopback, or the policy's word.
 */
const char *fetch_reach_refused(const struct fetch_reach *reach,
				const char *url, bool pinned);

#endif
