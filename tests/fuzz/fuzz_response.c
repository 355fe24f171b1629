/*
 * The headers of an answer: what is taken is a part of the file that was asked
 * for, waits are capped, redirects lead to https and to no one's password.
 * The first three bytes choose what was asked for.
 */
#include <strings.h>

#include "fetch_redirect.h"
#include "fetch_response.h"
#include "fuzz.h"
#include "library.h"
#include "retry.h"
#include "url.h"

#define FROM "https://github.com/a/b"
#define NOW  INT64_C(1763693700)

static void feed(struct fetch_response *response, const uint8_t *data,
		 size_t size)
{
	while (size) {
		const uint8_t *stop = memchr(data, '\n', size);
		size_t length = stop ? (size_t)(stop - data) + 1 : size;
		char *line CLEANUP(memory_release) = fuzz_string(data, length);

		if (!fetch_response_line(response, line, length)) {
			FUZZ_ASSERT(response->refused);
			return;
		}
		data += length;
		size -= length;
	}
	FUZZ_ASSERT(response->header_bytes <= RESPONSE_HEADER_BYTES_MAX);
}

static void check_facts(const struct fetch_response *response)
{
	const char *etag = response->etag;
	size_t length = strlen(etag);

	FUZZ_ASSERT(response->status >= 0 && response->status < 1000);
	if (*etag) {
		FUZZ_ASSERT(length >= 2 && length < RESPONSE_ETAG_SIZE);
		FUZZ_ASSERT(*etag == '"' && etag[length - 1] == '"');
		/* It goes into a header of ours. */
		for (size_t i = 1; i + 1 < length; i++)
			FUZZ_ASSERT(etag[i] > ' ' && etag[i] < 0x7f &&
				    etag[i] != '"');
	}
	if (response->has_range)
		FUZZ_ASSERT(response->first <= response->last &&
			    response->last < response->total);
	if (response->location)
		FUZZ_ASSERT(strlen(response->location) <=
			    RESPONSE_LOCATION_MAX);
}

static void check_wait(const char *value)
{
	int64_t wait = retry_after_ms(value, NOW);
	int pause = retry_pause_ms(2, 0, wait);

	FUZZ_ASSERT(wait >= -1);
	FUZZ_ASSERT(pause > 0 && pause <= RETRY_PAUSE_MAX_MS);
	FUZZ_ASSERT(pause >= wait || pause == RETRY_PAUSE_MAX_MS);
}

/* The redirect as libcurl, which will follow it, understands it. */
static char *part(const char *url, CURLUPart what)
{
	CURLU *parsed = libcurl.url();
	char *text = NULL, *copy;

	FUZZ_ASSERT(!libcurl.url_set(parsed, CURLUPART_URL, url, 0));
	if (libcurl.url_get(parsed, what, &text, CURLU_DEFAULT_PORT))
		text = NULL;
	copy = text ? memory_string(text) : NULL;
	libcurl.free(text);
	libcurl.url_cleanup(parsed);
	return copy;
}

static void check_redirect(const char *location)
{
	struct error err = ERROR_INIT;
	char *to CLEANUP(memory_release) = fetch_redirect(FROM, location, &err);
	char *scheme CLEANUP(memory_release) = NULL;
	char *host CLEANUP(memory_release) = NULL;
	char *user CLEANUP(memory_release) = NULL;
	char *port CLEANUP(memory_release) = NULL;

	if (!to) {
		FUZZ_ASSERT(err.kind == ERROR_NETWORK && *err.text);
		return;
	}
	scheme = part(to, CURLUPART_SCHEME);
	host = part(to, CURLUPART_HOST);
	user = part(to, CURLUPART_USER);
	port = part(to, CURLUPART_PORT);
	FUZZ_ASSERT(!strcmp(scheme, "https"));
	FUZZ_ASSERT(host && *host && !user && port);
	/* Whom the token goes to is our judgement, and libcurl's deed. */
	FUZZ_ASSERT(!url_is_github(to) ||
		    ((!strcasecmp(host, "github.com") ||
		      !strcasecmp(host, "api.github.com")) &&
		     !strcmp(port, "443")));
	for (const char *c = to; *c; c++)
		FUZZ_ASSERT((unsigned char)*c > ' ' && *c != 0x7f);
}

static void judge(const struct fetch_response *response,
		  const struct fetch_want *want)
{
	struct fetch_scene scene = {.url = FROM, .detail = ""};
	struct error err = ERROR_INIT;
	uint64_t from = 0, to = 0;
	enum fetch_verdict verdict =
		fetch_response_judge(response, want, &scene, &from, &to, &err);

	if (verdict == FETCH_REDIRECT) {
		FUZZ_ASSERT(fetch_response_is_redirect(response->status));
		return;
	}
	FUZZ_ASSERT((verdict == FETCH_TAKEN) == (err.kind == ERROR_NONE));
	FUZZ_ASSERT(verdict != FETCH_RESTART || want->ranged);
	if (verdict != FETCH_TAKEN)
		return;
	FUZZ_ASSERT(!response->refused && !response->encoded);
	FUZZ_ASSERT(!to || from < to);
	FUZZ_ASSERT(to <= want->limit);
	if (response->status == 200) {
		FUZZ_ASSERT(!from && (!want->size || !to || to == want->size));
		return;
	}
	FUZZ_ASSERT(response->status == 206 && want->ranged);
	FUZZ_ASSERT(from == want->offset &&
		    !strcmp(response->etag, want->etag));
	FUZZ_ASSERT(!want->end || to == want->end);
	FUZZ_ASSERT(!want->size || response->total == want->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fetch_response response CLEANUP(fetch_response_release) =
		FETCH_RESPONSE_INIT;
	struct fetch_want want = {.limit = 100};

	if (size < 3)
		return 0;
	want.ranged = data[0] & 1;
	if (want.ranged) {
		memcpy(want.etag, "\"e\"", 4);
		want.offset = data[1] % 100;
		want.end = data[0] & 2 ? want.offset + 1 : 0;
	}
	want.size = data[0] & 4 ? 100 : 0;
	want.limit = data[2] ? data[2] : 1000;
	feed(&response, data + 3, size - 3);
	check_facts(&response);
	check_wait(response.retry_after);
	if (response.location)
		check_redirect(response.location);
	judge(&response, &want);
	return 0;
}
