#include "fetch_response.h"

#include <strings.h>

#include "memory.h"

struct text {
	const char *start;
	size_t length;
};

static bool text_is(struct text text, const char *word)
{
	return text.length == strlen(word) &&
	       !strncasecmp(text.start, word, text.length);
}

static bool text_begins(struct text text, const char *word)
{
	return text.length >= strlen(word) &&
	       !strncasecmp(text.start, word, strlen(word));
}

static struct text skip(struct text text, size_t length)
{
	return (struct text){text.start + length, text.length - length};
}

static struct text trim(struct text text)
{
	while (text.length && strchr(" \t\r\n", text.start[text.length - 1]))
		text.length--;
	while (text.length && strchr(" \t", *text.start))
		text = skip(text, 1);
	return text;
}

/* Digits alone, up to 2^63: takes them off the front. */
static bool take_number(struct text *text, uint64_t *out)
{
	uint64_t value = 0;
	size_t digits = 0;

	for (; digits < text->length; digits++) {
		char c = text->start[digits];

		if (c < '0' || c > '9')
			break;
		if (digits == 18)
			return false;
		value = value * 10 + (uint64_t)(c - '0');
	}
	*text = skip(*text, digits);
	*out = value;
	return digits > 0;
}

static bool take_byte(struct text *text, char byte)
{
	if (!text->length || *text->start != byte)
		return false;
	*text = skip(*text, 1);
	return true;
}

static void refuse(struct fetch_response *response, const char *why)
{
	if (!response->refused)
		response->refused = why;
}

static void read_length(struct fetch_response *response, struct text value)
{
	uint64_t length;

	if (!take_number(&value, &length) || value.length ||
	    (response->has_length && response->length != length)) {
		refuse(response, "its Content-Length is malformed");
		return;
	}
	response->has_length = true;
	response->length = length;
}

/* "bytes 7-99/100"; a total of "*" says nothing that could be checked. */
static void read_range(struct fetch_response *response, struct text value)
{
	uint64_t first, last, total;

	if (response->has_range) {
		refuse(response, "it has two Content-Ranges");
		return;
	}
	if (!text_begins(value, "bytes "))
		return;
	value = trim(skip(value, strlen("bytes ")));
	if (!take_number(&value, &first) || !take_byte(&value, '-') ||
	    !take_number(&value, &last) || !take_byte(&value, '/') ||
	    !take_number(&value, &total) || value.length)
		return;
	if (first > last || last >= total)
		return;
	response->has_range = true;
	response->first = first;
	response->last = last;
	response->total = total;
}

/* Only a strong one says that bytes are the same; two say nothing. */
static void read_etag(struct fetch_response *response, struct text value)
{
	bool strong = value.length >= 2 && *value.start == '"' &&
		      value.start[value.length - 1] == '"' &&
		      value.length < RESPONSE_ETAG_SIZE && !response->etag[0];

	for (size_t i = 1; strong && i + 1 < value.length; i++) {
		unsigned char c = (unsigned char)value.start[i];

		strong = c > ' ' && c != '"' && c < 0x7f;
	}
	response->etag[0] = '\0';
	if (!strong)
		return;
	memcpy(response->etag, value.start, value.length);
	response->etag[value.length] = '\0';
}

static void read_location(struct fetch_response *response, struct text value)
{
	if (response->location)
		refuse(response, "it has two Locations");
	else if (value.length > RESPONSE_LOCATION_MAX)
		refuse(response, "its Location is longer than 8,192 bytes");
	else if (memchr(value.start, '\0', value.length))
		refuse(response, "its Location holds a null byte");
	else
		response->location = memory_string_n(value.start, value.length);
}

static void read_retry_after(struct fetch_response *response, struct text value)
{
	if (value.length >= sizeof(response->retry_after))
		return;
	memcpy(response->retry_after, value.start, value.length);
	response->retry_after[value.length] = '\0';
}

static void read_encoding(struct fetch_response *response, struct text value)
{
	if (value.length && !text_is(value, "identity"))
		response->encoded = true;
}

static void read_transfer(struct fetch_response *response, struct text value)
{
	response->chunked = true;
	if (!text_is(value, "chunked"))
		refuse(response, "it has a transfer coding that nobody asked "
				 "for");
}

static void read_accept_ranges(struct fetch_response *response,
			       struct text value)
{
	response->accepts_ranges = text_is(value, "bytes");
}

static const struct {
	const char *name;
	void (*read)(struct fetch_response *response, struct text value);
} headers[] = {
	{"content-length", read_length},
	{"content-range", read_range},
	{"content-encoding", read_encoding},
	{"transfer-encoding", read_transfer},
	{"accept-ranges", read_accept_ranges},
	{"etag", read_etag},
	{"location", read_location},
	{"retry-after", read_retry_after},
};

/* "HTTP/1.1 206 Partial Content": a new answer, what was known is void. */
static void start(struct fetch_response *response, struct text line)
{
	struct fetch_response fresh = FETCH_RESPONSE_INIT;
	uint64_t status = 0;

	fresh.header_bytes = response->header_bytes;
	fresh.interim = response->interim;
	fresh.http2 = line.length > 5 && line.start[5] >= '2';
	while (line.length && *line.start != ' ')
		line = skip(line, 1);
	line = trim(line);
	if (take_number(&line, &status) && status < 1000)
		fresh.status = (long)status;
	fetch_response_release(response);
	*response = fresh;
}

/* 101 is an answer that ends the exchange as we know it. */
static bool is_interim(long status)
{
	return status / 100 == 1 && status != 101;
}

static void end_headers(struct fetch_response *response)
{
	if (is_interim(response->status)) {
		response->interim++;
		return;
	}
	response->ended = true;
	if (response->chunked)
		response->has_length = false; /* RFC 9112, 6.3 */
}

bool fetch_response_line(struct fetch_response *response, const char *line,
			 size_t length)
{
	struct text text = {line, length}, name;
	const char *colon;

	response->header_bytes += length;
	if (response->header_bytes > RESPONSE_HEADER_BYTES_MAX ||
	    response->interim > RESPONSE_INTERIM_MAX) {
		response->refused = "its headers do not end";
		return false;
	}
	if (response->ended)
		return true; /* trailers behind a chunked body */
	if (text_begins(text, "HTTP/")) {
		start(response, trim(text));
		return true;
	}
	if (!trim(text).length) {
		end_headers(response);
		return true;
	}
	colon = memchr(line, ':', length);
	if (!colon)
		return true;
	name = (struct text){line, (size_t)(colon - line)};
	text = trim(skip(text, name.length + 1));
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		if (text_is(name, headers[i].name))
			headers[i].read(response, text);
	}
	return true;
}

void fetch_response_release(struct fetch_response *response)
{
	free(response->location);
	response->location = NULL;
}

bool fetch_response_is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 ||
	       status == 307 || status == 308;
}

static enum fetch_verdict restart(struct error *err, const char *why)
{
	error_set(err, ERROR_NETWORK, "%s", why);
	return FETCH_RESTART;
}

static enum fetch_verdict
judge_size(uint64_t size, const struct fetch_want *want, struct error *err)
{
	if (want->size && size != want->size) {
		error_set(err, ERROR_INTEGRITY,
			  "expected a file of %llu bytes, found one of %llu",
			  (unsigned long long)want->size,
			  (unsigned long long)size);
		return FETCH_ELSEWHERE;
	}
	if (size > want->limit) {
		error_set(err, ERROR_INTEGRITY,
			  "expected at most %llu bytes, found %llu",
			  (unsigned long long)want->limit,
			  (unsigned long long)size);
		return FETCH_ELSEWHERE;
	}
	return FETCH_TAKEN;
}

static enum fetch_verdict judge_whole(const struct fetch_response *response,
				      const struct fetch_want *want,
				      uint64_t *from, uint64_t *to,
				      struct error *err)
{
	*from = 0;
	*to = 0;
	if (!response->has_length)
		return FETCH_TAKEN;
	if (!response->length) {
		error_set(err, ERROR_NETWORK, "the server's answer is empty");
		return FETCH_ELSEWHERE;
	}
	*to = response->length;
	return judge_size(response->length, want, err);
}

static enum fetch_verdict judge_part(const struct fetch_response *response,
				     const struct fetch_want *want,
				     uint64_t *from, uint64_t *to,
				     struct error *err)
{
	uint64_t end = want->end ? want->end : response->total;

	if (!want->ranged) {
		error_set(err, ERROR_NETWORK,
			  "the server answered with a part "
			  "of the file, which nobody "
			  "asked for");
		return FETCH_ELSEWHERE;
	}
	if (!response->has_range || response->first != want->offset ||
	    response->last + 1 != end ||
	    (response->has_length && response->length != end - want->offset))
		return restart(err, "the server answered with another part of "
				    "the file than was asked for");
	if (strcmp(response->etag, want->etag))
		return restart(err, "the file changed at the server");
	if (judge_size(response->total, want, err) != FETCH_TAKEN)
		return restart(err, "the file has another size now");
	*from = want->offset;
	*to = end;
	return FETCH_TAKEN;
}

enum fetch_verdict fetch_response_judge(const struct fetch_response *response,
					const struct fetch_want *want,
					const struct fetch_scene *scene,
					uint64_t *from, uint64_t *to,
					struct error *err)
{
	if (response->refused) {
		error_set(err, ERROR_NETWORK,
			  "the server's answer (HTTP status %ld) makes no "
			  "sense: %s",
			  response->status, response->refused);
		return FETCH_ELSEWHERE;
	}
	if (fetch_response_is_redirect(response->status))
		return FETCH_REDIRECT;
	if (response->status == 416 && want->ranged)
		return restart(err, "the server does not have the part of the "
				    "file that was asked for");
	if (response->status != 200 && response->status != 206)
		return fetch_error_status(response->status, scene, err);
	if (response->encoded) {
		error_set(err, ERROR_NETWORK,
			  "the server encoded its answer (Content-Encoding), "
			  "which nobody asked for");
		return FETCH_ELSEWHERE;
	}
	if (response->status == 206)
		return judge_part(response, want, from, to, err);
	return judge_whole(response, want, from, to, err);
}
