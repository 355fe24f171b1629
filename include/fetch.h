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

/* A setting and what it came from, for messages: a variable, or a file. */
struct fetch_setting {
	char *value; /* NULL: not set */
	char *from;
};

/* How others are reached; netconf.c fills it from the environment. */
struct fetch_policy {
	bool allow_http; /* plain http beyond loopback, unpinned too */
	bool strict_ssl;
	char *lax_ssl_from;               /* what turned strict_ssl off */
	struct fetch_setting https_proxy; /* for https URLs */
	struct fetch_setting http_proxy;  /* for http URLs */
	char *no_proxy;                   /* as in noproxy.h; NULL: none */
	struct fetch_setting ca_file; /* PEM to trust instead of the system's */
	struct fetch_setting ca_dir;  /* and a folder of certificates */
	struct fetch_setting ca_extra; /* PEM to trust beside the others */
	char *github_token; /* for github.com and api.github.com over https */
	unsigned tries;     /* on one mirror */
	int connect_ms;     /* until connected, TLS included */
	int stall_ms;       /* a transfer with less than stall_bytes a second */
	int stall_bytes;    /* over this long is given up */
	unsigned parallel;  /* transfers at once */
};

#define FETCH_CONNECT_MS  15000
#define FETCH_STALL_MS    20000
#define FETCH_STALL_BYTES 100
#define FETCH_PARALLEL    8

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
	 * with ("" : none, start again), and the URL. `began` (may be NULL) is
	 * called when they changed, before the first byte that they speak of
	 * is written: the caller keeps them for a later resume. */
	char etag[256];
	char etag_url[2048];
	void (*began)(struct fetch_job *job);

	/* Written. */
	struct error failure; /* kind NONE: success; names every mirror */
	bool missing;         /* every mirror said 404 or 410 */
	struct buf memory;    /* the bytes when file is -1; caller releases */
	uint64_t received;    /* bytes so far, the beginning included */
	unsigned requests;    /* sent for this job */
	const char *url;      /* the mirror that it came from */
	struct list notes;    /* why a mirror failed, one a mirror, complete */
	struct fetch_job *next; /* in `ended` */

	struct fetch_task *task; /* fetch.c's own */
};

struct fetch;

/* `policy` is borrowed. Starts no thread and opens nothing yet. */
bool fetch_open(struct fetch **out, const struct fetch_policy *policy,
		struct error *err) NODISCARD;
/* Jobs start in the order in which they were added. */
void fetch_add(struct fetch *fetch, struct fetch_job *job);
/* Something is running or waiting for its next try. */
bool fetch_busy(const struct fetch *fetch);

/*
 * Moves bytes until a job ended, one of `watch` (descriptors) is readable, a
 * signal arrived (interrupt.h), or `timeout_ms` passed. `ended` gets a chain of
 * the jobs that ended, or NULL. An error is one of the machine (libcurl cannot
 * go on), not of a job.
 */
bool fetch_step(struct fetch *fetch, const int *watch, size_t watch_count,
		int timeout_ms, struct fetch_job **ended,
		struct error *err) NODISCARD;
/* Jobs that did not end are dropped: what `file` holds can be resumed. */
void fetch_close(struct fetch **fetch);

/* Frees what fetch.c wrote: `failure` stays, `memory` and `notes` go. */
void fetch_job_release(struct fetch_job *job);

#endif
