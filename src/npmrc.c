#include "npmrc.h"

#include <stdbool.h>

#include "buf.h"
#include "memory.h"

#define BLANK " \t\r"

struct span {
	const char *start;
	size_t length;
};

static struct span trim(const char *start, size_t length)
{
	while (length && strchr(BLANK, start[length - 1]))
		length--;
	while (length && strchr(BLANK, *start)) {
		start++;
		length--;
	}
	return (struct span){start, length};
}

static bool span_is(struct span span, const char *text)
{
	return span.length == strlen(text) &&
	       !memcmp(span.start, text, span.length);
}

/* Without quotes and comment; a backslash before `;`, `#` or itself goes. */
static char *unquote(struct span span)
{
	struct buf out = BUF_INIT;

	if (span.length >= 2 && strchr("\"'", *span.start) &&
	    span.start[span.length - 1] == *span.start) {
		buf_append(&out, span.start + 1, span.length - 2);
		return buf_detach(&out);
	}
	for (size_t i = 0; i < span.length; i++) {
		char c = span.start[i];

		if (c == ';' || c == '#')
			break;
		if (c == '\\' && i + 1 < span.length &&
		    strchr("\\;#", span.start[i + 1]))
			c = span.start[++i];
		buf_byte(&out, c);
	}
	while (out.length && strchr(BLANK, out.data[out.length - 1]))
		out.data[--out.length] = '\0';
	return buf_detach(&out);
}

/* The text between ${ and }: a name, or a name and what to take without it. */
static const char *resolve(char *inside,
			   const char *(*lookup)(const char *name))
{
	size_t name = strcspn(inside, "?-:");
	const char *otherwise = NULL;
	const char *value;

	if (!strcmp(inside + name, "?"))
		otherwise = "";
	else if (inside[name] == '-')
		otherwise = inside + name + 1;
	else if (inside[name] == ':' && inside[name + 1] == '-')
		otherwise = inside + name + 2;
	else if (inside[name])
		return NULL;
	inside[name] = '\0';
	value = lookup(inside);
	return value && *value ? value : otherwise;
}

/* NULL when a variable is not set. A backslash before ${ keeps it. */
static char *expand(const char *text, const char *(*lookup)(const char *name))
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	while (*text) {
		size_t plain = strcspn(text, "\\$");
		const char *end = strchr(text + plain, '}');
		char *inside CLEANUP(memory_release) = NULL;
		const char *value;

		buf_append(&out, text, plain);
		text += plain;
		if (!strncmp(text, "\\${", 3)) {
			buf_text(&out, "${");
			text += 3;
			continue;
		}
		if (strncmp(text, "${", 2) || !end) {
			if (*text)
				buf_byte(&out, *text++);
			continue;
		}
		inside = memory_string_n(text + 2, (size_t)(end - text) - 2);
		value = resolve(inside, lookup);
		if (!value)
			return NULL;
		buf_text(&out, value);
		text = end + 1;
	}
	return buf_detach(&out);
}

static bool is_quoted(struct span span)
{
	return span.length && strchr("\"'", *span.start);
}

/* Finds the last value of `key`; false: there is none. */
static bool find(const char *text, const char *key, struct span *value)
{
	bool found = false;

	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct span line = trim(text, length);
		const char *equals = memchr(text, '=', length);
		struct span name;

		text += length;
		text += *text == '\n';
		if (line.length && *line.start == '[')
			break; /* settings stand before every section */
		if (!line.length || strchr(";#", *line.start) || !equals)
			continue;
		name = trim(line.start, (size_t)(equals - line.start));
		if (is_quoted(name) && name.length >= 2)
			name = (struct span){name.start + 1, name.length - 2};
		if (!span_is(name, key))
			continue;
		*value = trim(equals + 1,
			      (size_t)(line.start + line.length - equals - 1));
		found = true;
	}
	return found;
}

char *npmrc_value(const char *text, const char *key,
		  const char *(*lookup)(const char *name))
{
	char *raw CLEANUP(memory_release) = NULL;
	char *value CLEANUP(memory_release) = NULL;
	struct span span;
	char *result;

	if (!find(text, key, &span) || span.length > NPMRC_VALUE_MAX)
		return NULL;
	raw = unquote(span);
	value = expand(raw, lookup);
	if (!value || !*value)
		return NULL;
	result = value;
	value = NULL;
	return result;
}
