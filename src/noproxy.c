#include "noproxy.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <strings.h>

#define HOST_MAX 256 /* 253 octets (RFC 1035) and some */

struct address {
	int family; /* AF_UNSPEC: a name */
	unsigned char bytes[16];
};

/* Copies without brackets and the dot behind; false: not a host's length. */
static bool copy_host(char into[HOST_MAX], const char *host, size_t length)
{
	if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
		host++;
		length -= 2;
	}
	if (length > 1 && host[length - 1] == '.')
		length--;
	if (!length || length >= HOST_MAX)
		return false;
	memcpy(into, host, length);
	into[length] = '\0';
	return true;
}

static struct address parse_address(const char *host)
{
	struct address address = {AF_UNSPEC, {0}};

	if (inet_pton(AF_INET, host, address.bytes) == 1)
		address.family = AF_INET;
	else if (inet_pton(AF_INET6, host, address.bytes) == 1)
		address.family = AF_INET6;
	return address;
}

/* Decimal, nothing else, at most `most`. */
static bool parse_number(const char *text, unsigned most, unsigned *out)
{
	unsigned value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (unsigned)(*text - '0');
		if (value > most)
			return false;
	}
	*out = value;
	return true;
}

static bool same_bits(const struct address *a, const struct address *b,
		      unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (a->family != b->family || memcmp(a->bytes, b->bytes, whole))
		return false;
	return !rest || !((a->bytes[whole] ^ b->bytes[whole]) >> (8 - rest));
}

static bool covers_address(const char *item, const struct address *host)
{
	unsigned most = host->family == AF_INET ? 32 : 128;
	unsigned bits = most;
	const char *slash = strchr(item, '/');
	char network[HOST_MAX];
	struct address address;

	if (slash && !parse_number(slash + 1, most, &bits))
		return false;
	if (!copy_host(network, item,
		       slash ? (size_t)(slash - item) : strlen(item)))
		return false;
	address = parse_address(network);
	return same_bits(&address, host, bits);
}

static bool covers_name(const char *item, const char *host)
{
	size_t item_length, host_length = strlen(host);

	if (!strncmp(item, "*.", 2))
		item++;
	if (*item == '.')
		item++;
	item_length = strlen(item);
	if (!item_length || item_length > host_length)
		return false;
	host += host_length - item_length;
	if (strcasecmp(host, item))
		return false;
	return item_length == host_length || host[-1] == '.';
}

/*
 * Takes ":port" off the end. A second colon without brackets makes it an IPv6
 * address, which has none.
 */
static bool split_port(char *item, unsigned *port)
{
	char *colon = strrchr(item, ':');

	*port = 0;
	if (!colon || (*item != '[' && strchr(item, ':') != colon) ||
	    (*item == '[' && colon[-1] != ']'))
		return true;
	*colon = '\0';
	return parse_number(colon + 1, 65535, port);
}

static bool covers(const char *start, size_t length, const char *host,
		   const struct address *address, unsigned port)
{
	char text[HOST_MAX], item[HOST_MAX];
	unsigned only;

	if (length == 1 && *start == '*')
		return true;
	if (!length || length >= HOST_MAX)
		return false;
	memcpy(text, start, length);
	text[length] = '\0';
	if (!split_port(text, &only) || (only && only != port))
		return false;
	if (address->family != AF_UNSPEC)
		return covers_address(text, address);
	return copy_host(item, text, strlen(text)) && covers_name(item, host);
}

bool noproxy_covers(const char *list, const char *host, unsigned port)
{
	char name[HOST_MAX];
	struct address address;

	if (!list || !copy_host(name, host, strlen(host)))
		return false;
	address = parse_address(name);
	while (*list) {
		size_t length = strcspn(list, ", \t");

		if (covers(list, length, name, &address, port))
			return true;
		list += length;
		list += strspn(list, ", \t");
	}
	return false;
}
