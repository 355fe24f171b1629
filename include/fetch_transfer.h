/*
 * fetch_transfer.h - one HTTP exchange: a request, its answer, its bytes.
 *
 * It asks for a file or a range of one, judges the headers, and puts the bytes
 * into the job's body as long as they are what was asked for. What its failure
 * means for the job is fetch.c's matter.
 */
#ifndef RNE_FETCH_TRANSFER_H
#define RNE_FETCH_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "fetch_body.h"
#include "fetch_error.h"
#include "fetch_reach.h"
#include "fetch_response.h"
#include "fetch_split.h"
#include "fetch_stall.h"

struct fetch_transfer {
	/* Set by the caller before the start. */
	const char *url; /* borrowed */
	struct fetch_want want;
	struct fetch_body *body;
	bool fresh; /* on a connection of its own */
	bool part;  /* it brings a part of what others bring too */
	/*
	 * Called once, before the first byte is written: `response` is good,
	 * and its body begins at `at`. False: an error of this machine.
	 */
	bool (*begin)(struct fetch_transfer *transfer, struct error *err);
	void *owner;

	/* May be lowered and raised again while it runs: the first byte that
	 * is not wanted any more; 0: none. */
	uint64_t stop;

	/* Read by the caller. */
	struct fetch_response response;
	uint64_t at;                  /* where the next byte goes */
	uint64_t total;               /* size of the whole file; 0: not known */
	int64_t started_ms, began_ms; /* began: first byte; 0: not yet */
	uint64_t moved; /* bytes of the file that this exchange brought */
	struct fetch_mark mark;

	/* Its own. */
	void *easy;
	void *headers;
	const struct fetch_setting *proxy;
	const struct fetch_policy *policy;
	bool judged; /* `verdict` stands, and so does `failure` unless it is
			TAKEN or REDIRECT */
	enum fetch_verdict verdict;
	struct error failure;
	uint64_t end;     /* of this answer, exclusive; 0: not known */
	uint64_t ignored; /* bytes of a body that nobody wants */
	struct fetch_stall stall;
	char detail[256]; /* CURL_ERROR_SIZE */
};

/* Joins `multi` (a CURLM *). */
bool fetch_transfer_start(struct fetch_transfer *transfer, void *multi,
			  struct fetch_reach *reach, int64_t now_ms,
			  struct error *err) NODISCARD;
/* The transfer that an easy handle of the multi belongs to. */
struct fetch_transfer *fetch_transfer_of(void *easy);

/* Too slow for too long, or not connected in time; `err` says which. */
bool fetch_transfer_stalled(struct fetch_transfer *transfer, int64_t now_ms,
			    struct error *err);

/*
 * What it came to when libcurl ended it with `code` (a CURLcode). REDIRECT:
 * response.location says where to. Otherwise, but for TAKEN, `err` is set.
 */
enum fetch_verdict fetch_transfer_result(struct fetch_transfer *transfer,
					 int code, struct error *err);

/* Leaves the multi and frees what it holds. */
void fetch_transfer_end(struct fetch_transfer *transfer, void *multi);

#endif
