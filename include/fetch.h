/*
 * fetch.h - bytes from servers, many at once, on one thread (libcurl's multi
 * interface). The only user of libcurl.
 *
 *	fetch_open(&fetch, &policy, err)
 *	fetch_add(fetch, &job) ...
 *	while (fetch_busy(fetch))
 *		fetch_step(fetch, ..., &ended, err), look at every ended job
 *	fetch_close(&fetch)
 *
 * A job is tried on every mirror in order; on each up to `tries` times with
 * growing pauses (retry.h) where the failure may pass; it ends once, with
 * success or with the error that should be shown. It never delivers more
 * than `limit` bytes, nor bytes whose size or digest is not the expected one:
 * hashing happens as bytes arrive.
 *
 * Redirects are followed by our own rules: ten at most; never from https to
 * http; never to another scheme or a URL with user:password. A credential is
 * sent to the host it was given for and no other.
 */
#ifndef RNE_FETCH_H
#define RNE_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "error.h"
#include "list.h"

/* How others are reached; netconf.c fills it from the environment. */
struct fetch_policy {
	bool allow_http;  /* plain http beyond loopback, unpinned too */
	bool strict_ssl;
	char *https_proxy; /* for https URLs; NULL: none */
	char *http_proxy;  /* for http URLs; NULL: none */
	char *proxy_from;  /* which variable or file named it */
	char *no_proxy;    /* curl's form: names, suffixes, CIDR, "*" */
	char *ca_file;     /* PEM to trust instead of the system's; NULL */
	char *ca_extra;    /* PEM to trust beside the others; NULL */
	char *ca_dir;
	char *github_token; /* for github.com and api.github.com over https */
	unsigned tries;     /* on one mirror */
	int connect_ms;     /* until connected, TLS included */
	int stall_ms;       /* a transfer slower than stall_bytes over this */
	int stall_bytes;    /* long is given up */
	unsigned parallel;  /* transfers at once */
};

struct fetch_job {
	/* Set by the caller, borrowed until the job ended. */
	const char *label;       /* "core-ios.tar.gz", for people */
	const struct list *urls; /* one a mirror */
	uint64_t size;           /* bytes expected; 0: not known */
	uint64_t limit;          /* bytes at most, whatever the server says */
	const struct digest *digest; /* expected; NULL: any */
	bool pinned; /* the digest came from the manifest: http is fine */
	int file;    /* where bytes go; may hold a beginning; -1: memory */
	void *owner;

	/* Read and written: the strong ETag that the beginning in `file` came
	 * with ("" : none, start again), and the URL. */
	char etag[256];
	char etag_url[2048];

	/* Written. */
	struct error failure; /* kind NONE: success */
	bool missing;         /* every mirror said 404 or 410 */
	struct buf memory;    /* the bytes when file is -1; caller releases */
	uint64_t received;    /* bytes so far, the beginning included */
	unsigned requests;    /* sent for this job */
	const char *url;      /* the mirror that it came from */
	struct list notes;    /* "mirror X: why" of mirrors that failed */
	struct fetch_job *next; /* in `ended` */

	struct fetch_transfer *transfer; /* fetch.c's own */
};

struct fetch;

bool fetch_open(struct fetch **out, const struct fetch_policy *policy,
		struct error *err) NODISCARD;
void fetch_add(struct fetch *fetch, struct fetch_job *job);
/* Something is running or waiting for its next try. */
bool fetch_busy(const struct fetch *fetch);

/*
 * Moves bytes until a job ended, one of `watch` (descriptors) is readable, or
 * `timeout_ms` passed. `ended` gets a chain of the jobs that ended, or NULL.
 * An error is one of the machine (libcurl cannot go on), not of a job.
 */
bool fetch_step(struct fetch *fetch, const int *watch, size_t watch_count,
		int timeout_ms, struct fetch_job **ended, struct error *err)
	NODISCARD;
void fetch_close(struct fetch **fetch);

void fetch_job_release(struct fetch_job *job);

#endif
