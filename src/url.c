#include "url.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <strings.h>

#include "buf.h"
#include "hex.h"
#include "memory.h"

/* RFC 3986, 3: the parts of a URL, pointing into it. */
struct parts {
	const char *scheme;
	size_t scheme_length;
	bool has_user;    /* user:password@, which no URL may have */
	const char *host; /* with the brackets of an IPv6 address */
	size_t host_length;
	const char *port;
	size_t port_length;
	const char *path; /* and all that is behind it */
};

static bool is_scheme(const struct parts *parts, const char *scheme)
{
	return parts->scheme_length == strlen(scheme) &&
	       !strncasecmp(parts->scheme, scheme, parts->scheme_length);
}

/* False: there is no scheme. Nothing else is judged. */
static bool split(const char *url, struct parts *parts)
{
	const char *at = strchr(url, ':');
	const char *end;

	*parts = (struct parts){.scheme = url};
	if (!at)
		return false;
	parts->scheme_length = (size_t)(at - url);
	parts->path = at + 1;
	if (strncmp(parts->path, "//", 2))
		return true;
	parts->host = parts->path + 2;
	parts->path = parts->host + strcspn(parts->host, "/?#");
	end = parts->path;
	at = memrchr(parts->host, '@', (size_t)(end - parts->host));
	parts->has_user = at;
	if (at)
		parts->host = at + 1;
	at = *parts->host == '['
		     ? memchr(parts->host, ']', (size_t)(end - parts->host))
		     : parts->host;
	at = at ? memchr(at, ':', (size_t)(end - at)) : NULL;
	parts->host_length = (size_t)((at ? at : end) - parts->host);
	if (at) {
		parts->port = at + 1;
		parts->port_length = (size_t)(end - parts->port);
	}
	return true;
}

static const char *characters_refused(const char *url, bool file)
{
	for (const char *c = url; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte < 0x20 || byte == 0x7F)
			return "holds a control character";
		if (byte == ' ')
			return "holds a space (write it as %20)";
		if (byte >= 0x80)
			return "holds a character that is not ASCII (write its "
			       "bytes as %XX)";
		if (strchr("\"<>\\^`{|}", byte))
			return "holds one of \" < > \\ ^ ` { | }";
		if (byte == '#')
			return "holds a fragment (#)";
		if (byte == '?' && file)
			return "holds a query (?)";
	}
	return NULL;
}

static const char *port_refused(const struct parts *parts)
{
	unsigned number = 0;

	if (!parts->port)
		return NULL;
	for (size_t i = 0; i < parts->port_length && i < 6; i++) {
		if (parts->port[i] < '0' || parts->port[i] > '9')
			return "has a port that is no number";
		number = number * 10 + (unsigned)(parts->port[i] - '0');
	}
	if (!number || number > 65535 || *parts->port == '0')
		return "has a port that is not from 1 to 65535";
	return NULL;
}

/* In brackets: RFC 3986, 3.2.2. */
static bool is_ipv6(const char *host, size_t length)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr parsed;

	if (length < 2 || length - 2 >= sizeof(address) ||
	    host[length - 1] != ']')
		return false;
	memcpy(address, host + 1, length - 2);
	address[length - 2] = '\0';
	return inet_pton(AF_INET6, address, &parsed) == 1;
}

static const char *host_refused(const struct parts *parts)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

	if (!parts->host_length)
		return "has no host";
	if (*parts->host == '[')
		return is_ipv6(parts->host, parts->host_length)
			       ? NULL
			       : "has a malformed IPv6 address";
	if (strspn(parts->host, name) < parts->host_length)
		return "has a host of other characters than letters, "
		       "digits, - . and _";
	return NULL;
}

static const char *authority_refused(const struct parts *parts)
{
	const char *refused;

	if (!parts->host)
		return "has no // behind its scheme";
	if (parts->has_user)
		return "holds a user name or a password";
	refused = host_refused(parts);
	return refused ? refused : port_refused(parts);
}

/* RFC 8089: file:/path, file:///path or file://localhost/path. */
static const char *file_refused(const struct parts *parts)
{
	if (parts->has_user)
		return "holds a user name or a password";
	if (parts->host && parts->path != parts->host &&
	    (parts->path - parts->host != 9 ||
	     strncasecmp(parts->host, "localhost", 9)))
		return "names another host in a file: URL";
	if (*parts->path != '/')
		return "has no absolute path behind file:";
	for (const char *c = parts->path; (c = strchr(c, '%')); c += 3) {
		int high = hex_value(c[1]);
		int low = high < 0 ? -1 : hex_value(c[2]);

		if (low < 0)
			return "has a % without two hexadecimal digits";
		if (!high && !low)
			return "holds a null byte (%00)";
	}
	return NULL;
}

const char *url_refused(const char *url)
{
	struct parts parts;
	const char *refused;
	bool file;

	if (strlen(url) > URL_LENGTH_MAX)
		return "is longer than 2,048 bytes";
	if (!split(url, &parts))
		return "has no scheme (https://, http:// or file://)";
	file = is_scheme(&parts, "file");
	if (!file && !is_scheme(&parts, "https") && !is_scheme(&parts, "http"))
		return "has another scheme than https, http and file";
	refused = characters_refused(url, file);
	if (refused)
		return refused;
	return file ? file_refused(&parts) : authority_refused(&parts);
}

bool url_is_file(const char *url)
{
	struct parts parts;

	return split(url, &parts) && is_scheme(&parts, "file");
}

bool url_is_http(const char *url)
{
	struct parts parts;

	return split(url, &parts) && is_scheme(&parts, "http");
}

bool url_is_loopback(const char *url)
{
	struct parts parts;
	struct in_addr four;
	struct in6_addr six;
	char host[64];

	if (!split(url, &parts) || !parts.host ||
	    parts.host_length >= sizeof(host))
		return false;
	memcpy(host, parts.host, parts.host_length);
	host[parts.host_length] = '\0';
	if (!strcasecmp(host, "localhost"))
		return true;
	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (*host != '[')
		return false;
	host[parts.host_length - 1] = '\0';
	return inet_pton(AF_INET6, host + 1, &six) == 1 &&
	       IN6_IS_ADDR_LOOPBACK(&six);
}

static int port_of(const struct parts *parts)
{
	int port = 0;

	if (!parts->port_length)
		return is_scheme(parts, "https") ? 443 : 80;
	for (size_t i = 0; i < parts->port_length && port < 65536; i++)
		port = port * 10 + (parts->port[i] - '0');
	return port;
}

bool url_same_origin(const char *a, const char *b)
{
	struct parts left, right;

	if (!split(a, &left) || !split(b, &right) || !left.host_length)
		return false;
	return left.scheme_length == right.scheme_length &&
	       !strncasecmp(left.scheme, right.scheme, left.scheme_length) &&
	       left.host_length == right.host_length &&
	       !strncasecmp(left.host, right.host, left.host_length) &&
	       port_of(&left) == port_of(&right);
}

bool url_is_github(const char *url)
{
	return url_same_origin(url, "https://github.com") ||
	       url_same_origin(url, "https://api.github.com");
}

char *url_file_path(const char *url)
{
	struct buf path CLEANUP(buf_release) = BUF_INIT;
	struct parts parts;

	if (url_refused(url) || !split(url, &parts) ||
	    !is_scheme(&parts, "file"))
		return NULL;
	for (const char *c = parts.path; *c; c++) {
		if (*c == '%') {
			buf_byte(&path, (char)(hex_value(c[1]) * 16 +
					       hex_value(c[2])));
			c += 2;
		} else {
			buf_byte(&path, *c);
		}
	}
#ifdef _WIN32
	/* RFC 8089, E.2: file:///C:/x is C:/x. */
	if (path.length > 2 && path.data[2] == ':')
		return memory_string(path.data + 1);
#endif
	return buf_detach(&path);
}

char *url_join(const char *base, const char *name)
{
	static const char unreserved[] = "abcdefghijklmnopqrstuvwxyz"
					 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789-._~";
	struct buf url = BUF_INIT;
	/* A signed base carries its signature in the query: keep it last. */
	size_t length = strcspn(base, "?");

	buf_append(&url, base, length);
	if (!length || base[length - 1] != '/')
		buf_byte(&url, '/');
	for (; *name; name++) {
		if (strchr(unreserved, *name))
			buf_byte(&url, *name);
		else
			buf_printf(&url, "%%%02X", (unsigned char)*name);
	}
	buf_text(&url, base + length);
	return buf_detach(&url);
}
