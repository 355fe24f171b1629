#include "fetch_error.h"

#include "library.h"
#include "log.h"
#include "memory.h"
#include "retry.h"
#include "url.h"

/* CURLE_TOO_LARGE: libcurl 8.6 has it, its headers before do not. */
#define TOO_LARGE ((CURLcode)100)

static const struct {
	CURLcode code;
	enum fetch_verdict verdict;
	const char *text;
} codes[] = {
	{CURLE_COULDNT_RESOLVE_HOST, FETCH_AGAIN,
	 "the host's name cannot be resolved"},
	{CURLE_COULDNT_CONNECT, FETCH_AGAIN, "cannot connect"},
	{CURLE_OPERATION_TIMEDOUT, FETCH_AGAIN, "no connection in time"},
	{CURLE_GOT_NOTHING, FETCH_AGAIN,
	 "the server closed the connection without an answer"},
	{CURLE_PARTIAL_FILE, FETCH_AGAIN, "the connection was cut"},
	{CURLE_RECV_ERROR, FETCH_AGAIN, "the connection broke"},
	{CURLE_SEND_ERROR, FETCH_AGAIN, "the connection broke"},
	{CURLE_HTTP2, FETCH_AGAIN, "the HTTP/2 connection broke"},
	{CURLE_HTTP2_STREAM, FETCH_AGAIN, "the HTTP/2 stream was cut"},
	{CURLE_HTTP3, FETCH_AGAIN, "the HTTP/3 connection broke"},
	{CURLE_AGAIN, FETCH_AGAIN, "the connection broke"},
	{CURLE_SSL_CONNECT_ERROR, FETCH_AGAIN, "the TLS handshake failed"},
	{CURLE_PEER_FAILED_VERIFICATION, FETCH_ELSEWHERE,
	 "the host's certificate is not trusted"},
	{CURLE_SSL_CACERT_BADFILE, FETCH_ELSEWHERE,
	 "the certificates to trust cannot be read"},
	{CURLE_BAD_CONTENT_ENCODING, FETCH_AGAIN, "the answer is malformed"},
	{CURLE_WEIRD_SERVER_REPLY, FETCH_ELSEWHERE, "the answer is not HTTP"},
	{CURLE_UNSUPPORTED_PROTOCOL, FETCH_ELSEWHERE, "the answer is not HTTP"},
	/* A header line beyond libcurl's own limit, which it has no word for.
	 */
	{CURLE_OUT_OF_MEMORY, FETCH_ELSEWHERE,
	 "the answer's headers are too "
	 "large"},
	{TOO_LARGE, FETCH_ELSEWHERE, "the answer's headers are too large"},
};

static void text_of(CURLcode code, const struct fetch_scene *scene,
		    enum fetch_verdict *verdict, struct error *err)
{
	*verdict = FETCH_ELSEWHERE;
	error_set(err, ERROR_NETWORK, "%s",
		  *scene->detail ? scene->detail : libcurl.easy_strerror(code));
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].code != code)
			continue;
		*verdict = codes[i].verdict;
		error_set(err, ERROR_NETWORK, *scene->detail ? "%s (%s)" : "%s",
			  codes[i].text, scene->detail);
	}
}

/* The proxy has a part in it when libcurl came no further than it. */
static enum fetch_verdict
proxy_failed(CURLcode code, const struct fetch_scene *scene, struct error *err)
{
	struct buf proxy CLEANUP(buf_release) = BUF_INIT;
	enum fetch_verdict verdict = FETCH_AGAIN;

	log_url(&proxy, scene->proxy->value);
	if (scene->proxy_status / 100 > 2) {
		error_set(err, ERROR_NETWORK,
			  "the proxy %s (set by %s) answered with status %ld",
			  proxy.data, scene->proxy->from, scene->proxy_status);
		if (!retry_status(scene->proxy_status))
			verdict = FETCH_ELSEWHERE;
	} else {
		error_set(err, ERROR_NETWORK,
			  "the proxy %s (set by %s) cannot be used (%s)",
			  proxy.data, scene->proxy->from,
			  *scene->detail ? scene->detail
					 : libcurl.easy_strerror(code));
	}
	error_hint(err,
		   scene->proxy_status == 407
			   ? "Put user:password@ before the proxy's host in "
			     "%s."
			   : "Correct %s, or name the host in NO_PROXY if it "
			     "can be reached without a proxy.",
		   scene->proxy->from);
	return verdict;
}

static bool is_proxy_failure(CURLcode code, const struct fetch_scene *scene)
{
	if (!scene->proxy)
		return false;
	return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY ||
	       code == CURLE_COULDNT_CONNECT || scene->proxy_status / 100 > 2;
}

/* OpenSSL's words are the only thing libcurl tells apart. */
static void hint_certificate(const struct fetch_scene *scene, struct error *err)
{
	if (strstr(scene->detail, "expired") ||
	    strstr(scene->detail, "not yet valid"))
		error_hint(err, "Is the clock of this machine right? If it is, "
				"the server needs a new certificate.");
	else if (strstr(scene->detail, "does not match") ||
		 strstr(scene->detail, "subject name"))
		error_hint(err, "Another host than the one asked for answers "
				"there.");
	else
		error_hint(err, "If your network has its own certificate "
				"authority, set NODE_EXTRA_CA_CERTS (or "
				"npm_config_cafile) to its PEM file.");
}

enum fetch_verdict fetch_error_curl(int number, const struct fetch_scene *scene,
				    struct error *err)
{
	CURLcode code = (CURLcode)number;
	enum fetch_verdict verdict;

	if (is_proxy_failure(code, scene))
		return proxy_failed(code, scene, err);
	text_of(code, scene, &verdict, err);
	if (code == CURLE_OPERATION_TIMEDOUT)
		error_set(err, ERROR_NETWORK,
			  "no connection within %d.%d s (%s)",
			  scene->connect_ms / 1000,
			  scene->connect_ms / 100 % 10, scene->detail);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		hint_certificate(scene, err);
	if (scene->proxy && !err->hint[0])
		error_hint(err,
			   "It was tried through the proxy that %s "
			   "names.",
			   scene->proxy->from);
	fetch_error_progress(scene, err);
	return verdict;
}

static const struct {
	long status;
	const char *text;
} statuses[] = {
	{204, ": no content"},
	{304, ": not modified, which nobody asked"},
	{401, ": it asks for a password"},
	{403, ": forbidden"},
	{404, ": not found"},
	{407, ": the proxy asks for a password"},
	{408, ": timeout"},
	{410, ": gone"},
	{429, ": too many requests"},
	{500, ": internal error"},
	{502, ": bad gateway"},
	{503, ": unavailable"},
	{504, ": gateway timeout"},
};

enum fetch_verdict fetch_error_status(long status,
				      const struct fetch_scene *scene,
				      struct error *err)
{
	const char *text = "";

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (statuses[i].status == status)
			text = statuses[i].text;
	}
	error_set(err, ERROR_NETWORK,
		  "the server answered with HTTP status "
		  "%ld%s",
		  status, text);
	if ((status == 401 || status == 403 || status == 404) &&
	    url_is_github(scene->url))
		error_hint(err, "If the repository is private, "
				"GITHUB_TOKEN must be a token that may read "
				"it.");
	if (status == 407 && scene->proxy)
		error_hint(err,
			   "Put user:password@ before the proxy's host "
			   "in %s.",
			   scene->proxy->from);
	return retry_status(status) ? FETCH_AGAIN : FETCH_ELSEWHERE;
}

static void append(struct error *err, const char *text)
{
	size_t length = strlen(err->text);

	snprintf(err->text + length, sizeof(err->text) - length, "%s", text);
}

void fetch_error_progress(const struct fetch_scene *scene, struct error *err)
{
	unsigned long long received = scene->received, size = scene->size;
	char *text CLEANUP(memory_release) = NULL;

	if (!received)
		text = memory_string(", before any byte of the file");
	else if (size)
		text = memory_printf(", after %llu of %llu bytes", received,
				     size);
	else
		text = memory_printf(", after %llu bytes", received);
	append(err, text);
}

void fetch_error_place(const char *label, const char *url, struct error *err)
{
	struct buf shown CLEANUP(buf_release) = BUF_INIT;

	log_url(&shown, url);
	error_prefix(err, "%s: %s", label, shown.data);
}
