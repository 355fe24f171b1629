#include "fetch_reach.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "library.h"
#include "log.h"
#include "memory.h"
#include "noproxy.h"
#include "url.h"

#define CERTIFICATES_BYTES_MAX ((uint64_t)16 << 20)

void fetch_reach_init(struct fetch_reach *reach,
		      const struct fetch_policy *policy)
{
	*reach = (struct fetch_reach){
		.policy = policy,
		.certificates = BUF_INIT,
		.certificates_file = -1,
	};
}

void fetch_reach_release(struct fetch_reach *reach)
{
	free(reach->ca_file);
	buf_release(&reach->certificates);
	fs_close(&reach->certificates_file);
}

const char *fetch_reach_refused(const struct fetch_reach *reach,
				const char *url, bool pinned)
{
	if (!url_is_http(url) || url_is_loopback(url) || pinned ||
	    reach->policy->allow_http)
		return NULL;
	return "plain http is refused for a file without a pinned sha256 "
	       "(use https, or --allow-http)";
}

const char *fetch_reach_token(const struct fetch_reach *reach, const char *url)
{
	return url_is_github(url) ? reach->policy->github_token : NULL;
}

static bool covered(const struct fetch_policy *policy, const char *url)
{
	CURLU *parts CLEANUP(library_release_url) = libcurl.url();
	char *host CLEANUP(library_release_text) = NULL;
	char *port CLEANUP(library_release_text) = NULL;

	if (libcurl.url_set(parts, CURLUPART_URL, url, 0) ||
	    libcurl.url_get(parts, CURLUPART_HOST, &host, 0) ||
	    libcurl.url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT))
		return false;
	return noproxy_covers(policy->no_proxy, host,
			      (unsigned)strtoul(port, NULL, 10));
}

static const struct fetch_setting *
choose_proxy(const struct fetch_policy *policy, const char *url)
{
	const struct fetch_setting *proxy =
		url_is_http(url) ? &policy->http_proxy : &policy->https_proxy;

	if (!proxy->value || url_is_loopback(url) || covered(policy, url))
		return NULL;
	return proxy;
}

/* Where distributions keep what the machine trusts: a program that was built
 * on one runs on another. */
static char *system_certificates(CURL *easy)
{
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem",
	};
	char *built_in = NULL;

	if (!libcurl.easy_getinfo(easy, CURLINFO_CAINFO, &built_in) &&
	    built_in && !access(built_in, R_OK))
		return memory_string(built_in);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!access(places[i], R_OK))
			return memory_string(places[i]);
	}
	return NULL;
}

static bool same_file(const char *a, const char *b)
{
	struct stat first, second;

	return a && !stat(a, &first) && !stat(b, &second) &&
	       fs_same_file(&first, &second);
}

static bool read_certificates(const char *path, struct buf *out,
			      struct error *err)
{
	size_t before = out->length;

	if (!fs_read_file(AT_FDCWD, path, CERTIFICATES_BYTES_MAX, out, NULL,
			  err))
		return false;
	if (!strstr(out->data + before, "-----BEGIN CERTIFICATE-----") &&
	    !strstr(out->data + before, "-----BEGIN TRUSTED CERTIFICATE-----"))
		return error_set(err, ERROR_FILESYSTEM,
				 "%s holds no certificate in PEM form", path);
	buf_byte(out, '\n');
	return true;
}

/*
 * libcurl parses a file of certificates once, but those in memory anew for
 * every connection, which costs 20 ms each time. So they get a file that lies
 * in memory, where the system has such a thing.
 */
static void put_into_file(struct fetch_reach *reach)
{
#ifdef __linux__
	struct buf *all = &reach->certificates;
	char *path CLEANUP(memory_release) = NULL;
	struct error ignored = ERROR_INIT;

	reach->certificates_file = memfd_create("certificates", MFD_CLOEXEC);
	if (reach->certificates_file < 0)
		return;
	path = memory_printf("/proc/self/fd/%d", reach->certificates_file);
	if (access(path, R_OK) ||
	    !fs_write_all(reach->certificates_file, all->data, all->length,
			  path, &ignored))
		return;
	free(reach->ca_file);
	reach->ca_file = path;
	path = NULL;
	buf_release(all);
#else
	(void)reach;
#endif
}

/* As in Node: what is beside the others may be missing, with a warning. */
static void add_extra(struct fetch_reach *reach)
{
	const struct fetch_setting *extra = &reach->policy->ca_extra;
	struct buf all CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	if (!extra->value || same_file(reach->ca_file, extra->value))
		return;
	if ((reach->ca_file &&
	     !read_certificates(reach->ca_file, &all, &err)) ||
	    !read_certificates(extra->value, &all, &err)) {
		log_warning("%s is ignored: %s", extra->from, err.text);
		return;
	}
	reach->certificates = all;
	all = (struct buf)BUF_INIT;
	put_into_file(reach);
}

/* Once, when the first https connection needs it. */
static bool prepare_tls(struct fetch_reach *reach, CURL *easy,
			struct error *err)
{
	const struct fetch_policy *policy = reach->policy;
	struct buf checked CLEANUP(buf_release) = BUF_INIT;

	if (reach->tls_ready)
		return true;
	if (policy->ca_file.value &&
	    !read_certificates(policy->ca_file.value, &checked, err)) {
		err->kind = ERROR_NETWORK;
		error_prefix(err, "the certificates to trust, set by %s",
			     policy->ca_file.from);
		return error_hint(err,
				  "Correct %s, or unset it to trust what "
				  "the system trusts.",
				  policy->ca_file.from);
	}
	reach->ca_file = policy->ca_file.value
				 ? memory_string(policy->ca_file.value)
				 : system_certificates(easy);
	add_extra(reach);
	if (!policy->strict_ssl)
		log_warning("certificates are NOT checked, because %s says so: "
			    "anyone between here and the server can read and "
			    "change what is sent; set NODE_EXTRA_CA_CERTS to "
			    "your network's certificates instead",
			    policy->lax_ssl_from);
	reach->tls_ready = true;
	return true;
}

/* The options of a host and those of a proxy that is itself reached by TLS. */
struct tls_options {
	CURLoption file, path, blob, check_peer, check_host;
};

static const struct tls_options host_options = {
	CURLOPT_CAINFO,         CURLOPT_CAPATH,         CURLOPT_CAINFO_BLOB,
	CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST,
};
static const struct tls_options proxy_options = {
	CURLOPT_PROXY_CAINFO,         CURLOPT_PROXY_CAPATH,
	CURLOPT_PROXY_CAINFO_BLOB,    CURLOPT_PROXY_SSL_VERIFYPEER,
	CURLOPT_PROXY_SSL_VERIFYHOST,
};

static void apply_tls(struct fetch_reach *reach, CURL *easy,
		      const struct tls_options *options)
{
	const struct fetch_policy *policy = reach->policy;

	if (reach->certificates.length) {
		struct curl_blob blob = {
			.data = reach->certificates.data,
			.len = reach->certificates.length,
			.flags = CURL_BLOB_NOCOPY,
		};

		libcurl.easy_setopt(easy, options->blob, &blob);
	} else if (reach->ca_file) {
		libcurl.easy_setopt(easy, options->file, reach->ca_file);
	}
	/* Without a folder of its own libcurl parses the file only once. */
	if (policy->ca_dir.value || reach->ca_file)
		libcurl.easy_setopt(easy, options->path, policy->ca_dir.value);
	libcurl.easy_setopt(easy, options->check_peer,
			    (long)policy->strict_ssl);
	libcurl.easy_setopt(easy, options->check_host,
			    policy->strict_ssl ? 2L : 0L);
}

bool fetch_reach_apply(struct fetch_reach *reach, void *easy, const char *url,
		       const struct fetch_setting **proxy, struct error *err)
{
	const struct fetch_setting *chosen = choose_proxy(reach->policy, url);
	bool proxy_tls = chosen && !strncmp(chosen->value, "https:", 6);

	/* Set even when empty: else libcurl asks the environment itself. */
	libcurl.easy_setopt(easy, CURLOPT_PROXY, chosen ? chosen->value : "");
	libcurl.easy_setopt(easy, CURLOPT_NOPROXY, "");
	*proxy = chosen;
	if (url_is_http(url) && !proxy_tls)
		return true;
	if (!prepare_tls(reach, easy, err))
		return false;
	if (!url_is_http(url))
		apply_tls(reach, easy, &host_options);
	if (proxy_tls)
		apply_tls(reach, easy, &proxy_options);
	return true;
}
