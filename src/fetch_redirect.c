#include "fetch_redirect.h"

#include "buf.h"
#include "library.h"
#include "log.h"
#include "memory.h"
#include "url.h"

/* `url` NULL, or without its scheme: nothing that could be shown safely. */
static char *refuse(const char *url, const char *why, struct error *err)
{
	struct buf shown CLEANUP(buf_release) = BUF_INIT;

	if (url && strstr(url, "://")) {
		buf_text(&shown, " to ");
		log_url(&shown, url);
	}
	error_set(err, ERROR_NETWORK, "a redirect%s is refused: %s", shown.data,
		  why);
	return NULL;
}

static bool has_part(CURLU *url, CURLUPart part)
{
	char *text CLEANUP(library_release_text) = NULL;

	return !libcurl.url_get(url, part, &text, 0);
}

static const char *refused(CURLU *url, const char *from)
{
	char *scheme CLEANUP(library_release_text) = NULL;

	if (libcurl.url_get(url, CURLUPART_SCHEME, &scheme, 0))
		return "it has no scheme";
	if (strcmp(scheme, "https") && strcmp(scheme, "http"))
		return "only https and http are followed";
	if (!strcmp(scheme, "http") && !url_is_http(from))
		return "it leads from https to http";
	if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
		return "it holds a user name or a password";
	return NULL;
}

char *fetch_redirect(const char *url, const char *location, struct error *err)
{
	CURLU *target CLEANUP(library_release_url) = NULL;
	char *text CLEANUP(library_release_text) = NULL;
	const char *why;
	CURLUcode code;

	if (!location || !*location) {
		error_set(err, ERROR_NETWORK,
			  "a redirect without a place to "
			  "go to (no Location)");
		return NULL;
	}
	if (!library_load_curl(err))
		return NULL;
	target = libcurl.url();
	code = libcurl.url_set(target, CURLUPART_URL, url, 0);
	if (!code)
		code = libcurl.url_set(target, CURLUPART_URL, location,
				       CURLU_NON_SUPPORT_SCHEME);
	if (code)
		return refuse(location, libcurl.url_strerror(code), err);
	why = refused(target, url);
	if (libcurl.url_set(target, CURLUPART_FRAGMENT, NULL, 0) ||
	    libcurl.url_get(target, CURLUPART_URL, &text, 0))
		return refuse(NULL, "it is no URL", err);
	return why ? refuse(text, why, err) : memory_string(text);
}
