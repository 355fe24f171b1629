/*
 * fetch_error.h - why an exchange failed, in words, and what to do next.
 */
#ifndef RNE_FETCH_ERROR_H
#define RNE_FETCH_ERROR_H

#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "fetch.h"

/* What one exchange came to. */
enum fetch_verdict {
	FETCH_TAKEN,     /* the bytes that were asked for are there */
	FETCH_REDIRECT,  /* they are somewhere else */
	FETCH_RESTART,   /* what is there cannot be continued: from 0, now */
	FETCH_AGAIN,     /* this may pass: pause, then try again */
	FETCH_ELSEWHERE, /* not from this mirror */
	FETCH_STOP,      /* from none: the fault is on this machine */
};

/* Where an exchange stood when it failed. */
struct fetch_scene {
	const char *url;
	const struct fetch_setting *proxy; /* NULL: none was used */
	const char *detail;                /* libcurl's own words, or "" */
	long proxy_status; /* of the answer to CONNECT; 0: none */
	uint64_t received; /* bytes of the file so far */
	uint64_t size;     /* 0: not known */
	int connect_ms;
};

/* A CURLcode that is not CURLE_OK (an int, so that curl.h stays out). */
enum fetch_verdict fetch_error_curl(int code, const struct fetch_scene *scene,
				    struct error *err);
/* An HTTP status that is no success. */
enum fetch_verdict fetch_error_status(long status,
				      const struct fetch_scene *scene,
				      struct error *err);

/* Puts ", after 12 of 34 bytes" behind the text. */
void fetch_error_progress(const struct fetch_scene *scene, struct error *err);
/* Puts "<label>: <URL without secrets>: " before the text. */
void fetch_error_place(const char *label, const char *url, struct error *err);

#endif
