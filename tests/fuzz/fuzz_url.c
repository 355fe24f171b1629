/*
 * A URL, and a second one behind a NUL: libcurl, which goes there, and url.c,
 * which judges, understand them alike; so a token or an exception for this
 * machine is never for another host.
 */
#include <strings.h>

#include "fuzz.h"
#include "library.h"
#include "log.h"
#include "url.h"

struct meaning {
	bool known;
	char *scheme, *user, *host, *port;
};

static void meaning_release(struct meaning *meaning)
{
	free(meaning->scheme);
	free(meaning->user);
	free(meaning->host);
	free(meaning->port);
}

static char *part(CURLU *url, CURLUPart what)
{
	char *text = NULL, *copy;

	if (libcurl.url_get(url, what, &text, CURLU_DEFAULT_PORT))
		return NULL;
	copy = memory_string(text);
	libcurl.free(text);
	return copy;
}

static struct meaning meaning_of(const char *url)
{
	struct meaning meaning = {0};
	struct error err = ERROR_INIT;
	CURLU *parsed;

	FUZZ_ASSERT(library_load_curl(&err));
	parsed = libcurl.url();

	if (!libcurl.url_set(parsed, CURLUPART_URL, url, 0)) {
		meaning.known = true;
		meaning.scheme = part(parsed, CURLUPART_SCHEME);
		meaning.user = part(parsed, CURLUPART_USER);
		meaning.host = part(parsed, CURLUPART_HOST);
		meaning.port = part(parsed, CURLUPART_PORT);
	}
	libcurl.url_cleanup(parsed);
	return meaning;
}

static bool is_loopback(const char *host)
{
	return !strcasecmp(host, "localhost") || !strncmp(host, "127.", 4) ||
	       *host == '[';
}

static void check_accepted(const char *url, const struct meaning *meaning)
{
	char *joined CLEANUP(memory_release) = NULL;
	char *path CLEANUP(memory_release) = NULL;

	for (const char *c = url; *c; c++)
		FUZZ_ASSERT((unsigned char)*c > ' ' && *c < 0x7f);
	if (url_is_file(url)) {
		path = url_file_path(url);
		FUZZ_ASSERT(path && *path == '/');
		return;
	}
	FUZZ_ASSERT(meaning->known && !meaning->user);
	FUZZ_ASSERT(meaning->host && *meaning->host);
	FUZZ_ASSERT(url_is_http(url) == !strcmp(meaning->scheme, "http"));
	joined = url_join(url, "a b/c?d#e");
	FUZZ_ASSERT(url_same_origin(url, joined));
	FUZZ_ASSERT(strlen(joined) > URL_LENGTH_MAX || !url_refused(joined));
}

/* Of any text whatever, since redirects are no base URLs. */
static void check_trust(const char *url, const struct meaning *meaning)
{
	if (!meaning->known)
		return;
	if (url_is_github(url))
		FUZZ_ASSERT(!strcmp(meaning->scheme, "https") &&
			    !strcmp(meaning->port, "443") &&
			    (!strcasecmp(meaning->host, "github.com") ||
			     !strcasecmp(meaning->host, "api.github.com")));
	if (url_is_loopback(url))
		FUZZ_ASSERT(!meaning->host || is_loopback(meaning->host));
}

static void check_origin(const char *a, const struct meaning *left,
			 const char *b, const struct meaning *right)
{
	if (!left->known || !right->known || !url_same_origin(a, b))
		return;
	FUZZ_ASSERT(!strcmp(left->scheme, right->scheme));
	FUZZ_ASSERT(left->host && right->host &&
		    !strcasecmp(left->host, right->host));
	FUZZ_ASSERT(!strcmp(left->port, right->port));
}

/* What goes into a log holds no password, as libcurl understands it. */
static void check_log(const char *url, const struct meaning *meaning)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	const char *rest;

	log_url(&out, url);
	if (!meaning->known || !meaning->user)
		return;
	rest = strstr(out.data, "***@");
	FUZZ_ASSERT(rest);
	rest += strlen("***@");
	FUZZ_ASSERT(!memchr(rest, '@', strcspn(rest, "/?#")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *url CLEANUP(memory_release) = fuzz_piece(&data, &size);
	char *other CLEANUP(memory_release) = fuzz_piece(&data, &size);
	struct meaning left CLEANUP(meaning_release) = meaning_of(url);
	struct meaning right CLEANUP(meaning_release) = meaning_of(other);

	if (!url_refused(url))
		check_accepted(url, &left);
	check_trust(url, &left);
	check_origin(url, &left, other, &right);
	check_log(url, &left);
	return 0;
}
