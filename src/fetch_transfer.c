#include "fetch_transfer.h"

#include "clock.h"
#include "library.h"
#include "memory.h"
#include "url.h"

/* As much of an error page is read, so that its connection can be used on. */
#define IGNORED_BODY_MAX ((uint64_t)16 << 10)

_Static_assert(sizeof(((struct fetch_transfer *)0)->detail) == CURL_ERROR_SIZE,
	       "libcurl writes that many bytes");

static struct fetch_scene scene_of(const struct fetch_transfer *transfer)
{
	struct fetch_scene scene = {
		.url = transfer->url,
		.proxy = transfer->proxy,
		.detail = transfer->detail,
		.received = transfer->body->held,
		.size = transfer->total ? transfer->total : transfer->want.size,
		.connect_ms = transfer->policy->connect_ms,
	};

	if (transfer->easy)
		libcurl.easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE,
				     &scene.proxy_status);
	return scene;
}

/* Ends the exchange from within a callback: what it returns makes libcurl
 * stop, and the result is what is noted here. */
static void give_up(struct fetch_transfer *transfer, enum fetch_verdict verdict)
{
	transfer->judged = true;
	transfer->verdict = verdict;
}

static void judge(struct fetch_transfer *transfer)
{
	struct fetch_scene scene = scene_of(transfer);
	uint64_t from = 0, to = 0;

	give_up(transfer,
		fetch_response_judge(&transfer->response, &transfer->want,
				     &scene, &from, &to, &transfer->failure));
	if (transfer->verdict != FETCH_TAKEN)
		return;
	if (from != transfer->want.offset && transfer->want.end) {
		error_set(&transfer->failure, ERROR_NETWORK,
			  "the server answered with all of the file where a "
			  "part was asked for");
		transfer->verdict = FETCH_RESTART;
		return;
	}
	transfer->at = from;
	transfer->end = to;
	transfer->total =
		transfer->response.has_range ? transfer->response.total : to;
}

static size_t on_header(char *line, size_t size, size_t count, void *owner)
{
	struct fetch_transfer *transfer = owner;
	size_t length = size * count;
	struct fetch_response *response = &transfer->response;

	if (!fetch_response_line(response, line, length)) {
		error_set(&transfer->failure, ERROR_NETWORK,
			  "the server's answer makes no sense: %s",
			  response->refused);
		give_up(transfer, FETCH_ELSEWHERE);
		return 0;
	}
	if (response->ended && !transfer->judged)
		judge(transfer);
	return length;
}

static size_t ignore(struct fetch_transfer *transfer, size_t length)
{
	transfer->ignored += length;
	return transfer->ignored > IGNORED_BODY_MAX ? 0 : length;
}

static bool begin(struct fetch_transfer *transfer)
{
	if (transfer->began_ms)
		return true;
	transfer->began_ms = clock_ms();
	return transfer->begin(transfer, &transfer->failure);
}

/* How many more bytes the file may have. */
static uint64_t room(const struct fetch_transfer *transfer)
{
	const struct fetch_want *want = &transfer->want;
	uint64_t most = want->limit;

	if (want->size && want->size < most)
		most = want->size;
	if (transfer->total && transfer->total < most)
		most = transfer->total;
	if (transfer->stop && transfer->stop < most)
		most = transfer->stop;
	return transfer->at < most ? most - transfer->at : 0;
}

static void too_long(struct fetch_transfer *transfer)
{
	error_set(&transfer->failure, ERROR_INTEGRITY,
		  "expected %s%llu bytes, found more",
		  transfer->want.size ? "" : "at most ",
		  (unsigned long long)(transfer->want.size
					       ? transfer->want.size
					       : transfer->want.limit));
	give_up(transfer, FETCH_ELSEWHERE);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *owner)
{
	struct fetch_transfer *transfer = owner;
	size_t length = size * count, taken = length;
	uint64_t most;

	if (!transfer->judged || transfer->verdict != FETCH_TAKEN)
		return ignore(transfer, length);
	if (!begin(transfer)) {
		give_up(transfer, FETCH_STOP);
		return 0;
	}
	most = room(transfer);
	if (taken > most) {
		if (!transfer->stop || transfer->at + most != transfer->stop) {
			too_long(transfer);
			return 0;
		}
		taken = (size_t)most;
	}
	if (!fetch_body_write(transfer->body, transfer->at, bytes, taken,
			      &transfer->failure)) {
		give_up(transfer, FETCH_STOP);
		return 0;
	}
	transfer->at += taken;
	transfer->moved += taken;
	fetch_mark_update(&transfer->mark, clock_ms() - transfer->began_ms,
			  transfer->began_ms - transfer->started_ms,
			  transfer->moved);
	return taken;
}

static void add_header(struct fetch_transfer *transfer, const char *format,
		       const char *value)
{
	char *line CLEANUP(memory_release) = memory_printf(format, value);

	transfer->headers = libcurl.slist_append(transfer->headers, line);
}

static void set_request(struct fetch_transfer *transfer, CURL *easy,
			const char *token)
{
	char range[64];

	libcurl.easy_setopt(easy, CURLOPT_URL, transfer->url);
	libcurl.easy_setopt(easy, CURLOPT_USERAGENT, "rne-libs/" RNE_VERSION);
	if (transfer->want.ranged) {
		uint64_t end = transfer->want.end;

		snprintf(range, sizeof(range), end ? "%llu-%llu" : "%llu-",
			 (unsigned long long)transfer->want.offset,
			 (unsigned long long)(end ? end - 1 : 0));
		libcurl.easy_setopt(easy, CURLOPT_RANGE, range);
		add_header(transfer, "If-Range: %s", transfer->want.etag);
	}
	if (token)
		add_header(transfer, "Authorization: Bearer %s", token);
	/* What the origin is told is not told to a proxy. */
	libcurl.easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	libcurl.easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
}

static void set_rules(struct fetch_transfer *transfer, CURL *easy)
{
	libcurl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	libcurl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	libcurl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* A resolver that hangs does not hold up the end of the program. */
	libcurl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	libcurl.easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	libcurl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
			    (long)transfer->policy->connect_ms);
	libcurl.easy_setopt(easy, CURLOPT_HTTP_VERSION,
			    (long)CURL_HTTP_VERSION_2TLS);
	/* One handshake for many files, where the server can do that; plain
	 * http never can. What is tried again does not trust a connection that
	 * failed before. */
	libcurl.easy_setopt(easy, CURLOPT_PIPEWAIT,
			    transfer->fresh || url_is_http(transfer->url) ? 0L
									  : 1L);
	libcurl.easy_setopt(easy, CURLOPT_FRESH_CONNECT,
			    transfer->fresh ? 1L : 0L);
}

static void set_callbacks(struct fetch_transfer *transfer, CURL *easy)
{
	libcurl.easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	libcurl.easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->detail);
	libcurl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	libcurl.easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	libcurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	libcurl.easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
}

bool fetch_transfer_start(struct fetch_transfer *transfer, void *multi,
			  struct fetch_reach *reach, int64_t now_ms,
			  struct error *err)
{
	CURL *easy = libcurl.easy_init();

	if (!easy)
		return error_set(err, ERROR_OTHER, "libcurl has no memory");
	transfer->easy = easy;
	transfer->policy = reach->policy;
	transfer->started_ms = now_ms;
	fetch_stall_start(&transfer->stall, now_ms, 0);
	set_rules(transfer, easy);
	set_callbacks(transfer, easy);
	set_request(transfer, easy, fetch_reach_token(reach, transfer->url));
	if (!fetch_reach_apply(reach, easy, transfer->url, &transfer->proxy,
			       err))
		return false;
	if (libcurl.multi_add_handle(multi, easy))
		return error_set(err, ERROR_OTHER,
				 "libcurl cannot start a "
				 "transfer");
	return true;
}

struct fetch_transfer *fetch_transfer_of(void *easy)
{
	char *owner = NULL;

	libcurl.easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
	return (struct fetch_transfer *)owner;
}

static bool is_connected(const struct fetch_transfer *transfer)
{
	curl_off_t when = 0;

	libcurl.easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T,
			     &when);
	return when > 0;
}

/*
 * libcurl keeps the time of a connection that it makes, but not that of a
 * transfer which waits for another one's connection.
 */
static bool never_connected(struct fetch_transfer *transfer, int64_t now_ms,
			    struct error *err)
{
	struct fetch_scene scene = scene_of(transfer);

	fetch_stall_start(&transfer->stall, now_ms, 0);
	if (now_ms - transfer->started_ms <= 2 * (int64_t)scene.connect_ms)
		return false;
	error_set(err, ERROR_NETWORK, "no connection within %d.%d s",
		  scene.connect_ms / 500, scene.connect_ms / 50 % 10);
	fetch_error_progress(&scene, err);
	return true;
}

bool fetch_transfer_stalled(struct fetch_transfer *transfer, int64_t now_ms,
			    struct error *err)
{
	const struct fetch_policy *policy = transfer->policy;
	struct fetch_scene scene;
	uint64_t recent;

	if (!is_connected(transfer))
		return never_connected(transfer, now_ms, err);
	if (!fetch_stall_look(&transfer->stall, now_ms,
			      transfer->moved + transfer->ignored,
			      policy->stall_ms, policy->stall_bytes, &recent))
		return false;
	scene = scene_of(transfer);
	error_set(err, ERROR_NETWORK,
		  "too slow: %llu bytes came in the last %d.%d s",
		  (unsigned long long)recent, policy->stall_ms / 1000,
		  policy->stall_ms / 100 % 10);
	fetch_error_progress(&scene, err);
	return true;
}

/* libcurl is content: is what arrived complete? */
static enum fetch_verdict check_complete(const struct fetch_transfer *transfer,
					 struct error *err)
{
	struct fetch_scene scene = scene_of(transfer);
	uint64_t end = transfer->end ? transfer->end : transfer->want.size;

	if (!transfer->began_ms) {
		error_set(err, ERROR_NETWORK, "the server's answer is empty");
		return FETCH_ELSEWHERE;
	}
	if (!end || transfer->at >= end)
		return FETCH_TAKEN;
	error_set(err, ERROR_NETWORK, "the connection was closed early");
	fetch_error_progress(&scene, err);
	return FETCH_AGAIN;
}

enum fetch_verdict fetch_transfer_result(struct fetch_transfer *transfer,
					 int code, struct error *err)
{
	struct fetch_scene scene = scene_of(transfer);

	if (transfer->judged && transfer->verdict != FETCH_TAKEN) {
		*err = transfer->failure;
		return transfer->verdict;
	}
	if (transfer->stop && transfer->at == transfer->stop)
		return FETCH_TAKEN;
	if (code != CURLE_OK)
		return fetch_error_curl(code, &scene, err);
	if (transfer->judged)
		return check_complete(transfer, err);
	error_set(err, ERROR_NETWORK,
		  "the connection was closed within the "
		  "answer's headers");
	return FETCH_AGAIN;
}

void fetch_transfer_end(struct fetch_transfer *transfer, void *multi)
{
	if (transfer->easy) {
		libcurl.multi_remove_handle(multi, transfer->easy);
		libcurl.easy_cleanup(transfer->easy);
	}
	libcurl.slist_free_all(transfer->headers);
	fetch_response_release(&transfer->response);
	transfer->easy = NULL;
	transfer->headers = NULL;
}
