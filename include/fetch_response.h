/*
 * fetch_response.h - what the headers of an answer say, and whether the answer
 * is the one that was asked for. Pure: bytes in, facts and a verdict out.
 *
 * RFC 9110 (8.8.3 ETag, 13.1.5 If-Range, 14.4 Content-Range, 15.3.7 206).
 */
#ifndef RNE_FETCH_RESPONSE_H
#define RNE_FETCH_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "fetch_error.h"

#define RESPONSE_HEADER_BYTES_MAX (64u << 10) /* 1xx answers included */
#define RESPONSE_INTERIM_MAX      16          /* 1xx answers */
#define RESPONSE_ETAG_SIZE        256
#define RESPONSE_LOCATION_MAX     8192

struct fetch_response {
	size_t header_bytes; /* of all answers to one request */
	unsigned interim;    /* 1xx answers so far */

	/* Of the last answer. */
	long status;
	bool ended;   /* the headers are complete, and it is not interim */
	bool chunked; /* or any other transfer coding */
	bool http2;   /* or later: framed without Content-Length */
	bool encoded; /* Content-Encoding other than identity */
	bool has_length;
	uint64_t length;
	bool has_range; /* a Content-Range of known total */
	uint64_t first, last, total;
	bool accepts_ranges;
	char etag[RESPONSE_ETAG_SIZE]; /* strong, in its quotes; "": none */
	char retry_after[64];
	char *location; /* NULL: none */

	const char *refused; /* the headers make no sense: why; or NULL */
};

#define FETCH_RESPONSE_INIT \
	{                   \
		0           \
	}

void fetch_response_release(struct fetch_response *response);

/*
 * Takes one header line as it came, its CRLF included. False: there are too
 * many of them, the exchange is to be given up; `refused` says why.
 */
bool fetch_response_line(struct fetch_response *response, const char *line,
			 size_t length) NODISCARD;

/* What was asked for. */
struct fetch_want {
	uint64_t offset; /* 0: all of it, without a Range */
	uint64_t end;    /* exclusive; 0: to the file's end */
	bool ranged;     /* a Range was sent, with `etag` in If-Range */
	char etag[RESPONSE_ETAG_SIZE];
	uint64_t size;  /* of the whole file; 0: not known */
	uint64_t limit; /* bytes at most */
};

/*
 * Judges a response whose headers ended. TAKEN: its body is the file from
 * `*from` to `*to` (exclusive; 0: the answer does not say). Everything but
 * TAKEN and REDIRECT comes with an error.
 */
enum fetch_verdict fetch_response_judge(const struct fetch_response *response,
					const struct fetch_want *want,
					const struct fetch_scene *scene,
					uint64_t *from, uint64_t *to,
					struct error *err);

/* A 3xx that names another place. */
bool fetch_response_is_redirect(long status);

#endif
