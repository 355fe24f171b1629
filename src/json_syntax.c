/*
 * The grammar of RFC 8259, held against a whole document before cJSON sees
 * it: cJSON accepts more than JSON and does not say where it stumbled.
 */
#include "json.h"

#include <stdarg.h>
#include <utf8proc.h>

#include "hex.h"

struct scanner {
	const char *name;
	const char *start;
	const char *at;
	const char *end;
	unsigned rules;
	unsigned depth_max;
	unsigned values_max;
	unsigned values;
	struct error *err;
};

/* Counts lines by LF and columns by characters, both from 1, as editors do. */
static void position(const struct scanner *s, const char *where, size_t *line,
		     size_t *column)
{
	*line = 1;
	*column = 1;
	for (const char *c = s->start; c < where; c++) {
		if (*c == '\n') {
			++*line;
			*column = 1;
		} else if ((*c & 0xC0) != 0x80) {
			++*column;
		}
	}
}

PRINTF(3, 4)
static bool fail(const struct scanner *s, const char *where, const char *format,
		 ...)
{
	char text[256];
	size_t line, column;
	va_list arguments;

	position(s, where, &line, &column);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(s->err, ERROR_CONFIG, "%s:%zu:%zu: not valid JSON: %s",
			 s->name, line, column, text);
}

/* What stands here, in words; the buffer is the caller's. */
static const char *found(const struct scanner *s, char text[32])
{
	utf8proc_int32_t code;

	if (s->at >= s->end)
		return "the end of the text";
	if (*s->at == '\n' || *s->at == '\r')
		return "the end of the line";
	if (utf8proc_iterate((const utf8proc_uint8_t *)s->at, s->end - s->at,
			     &code) < 1)
		snprintf(text, 32, "the byte 0x%02X", (unsigned char)*s->at);
	else if (code < 0x20 || code >= 0x7F)
		snprintf(text, 32, "the character U+%04X", (unsigned)code);
	else
		snprintf(text, 32, "'%c'", (char)code);
	return text;
}

static const char *advice(const struct scanner *s)
{
	switch (s->at < s->end ? *s->at : '\0') {
	case '/':
	case '#':
		return " (JSON has no comments)";
	case '\'':
		return " (strings stand in double quotes)";
	default:
		return "";
	}
}

static bool expected(const struct scanner *s, const char *what)
{
	char text[32];

	return fail(s, s->at, "expected %s, found %s%s", what, found(s, text),
		    advice(s));
}

static void skip_space(struct scanner *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' ||
				  *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

static bool take(struct scanner *s, char byte)
{
	if (s->at >= s->end || *s->at != byte)
		return false;
	s->at++;
	return true;
}

/* The four digits behind a \u; -1: not four digits. */
static int unicode_escape(struct scanner *s)
{
	int code = 0;

	for (int i = 0; i < 4; i++) {
		int digit = s->at < s->end ? hex_value(*s->at) : -1;

		if (digit < 0)
			return -1;
		code = code << 4 | digit;
		s->at++;
	}
	return code;
}

static bool check_unicode_escape(struct scanner *s, const char *start)
{
	int code = unicode_escape(s);

	if (code < 0)
		return expected(s, "four hexadecimal digits behind \\u");
	if (!code)
		return fail(s, start, "\\u0000 is not accepted in a string");
	if (code < 0xD800 || code > 0xDFFF)
		return true;
	/* RFC 8259, 7: beyond the basic plane come two surrogates. */
	if (code < 0xDC00 && take(s, '\\') && take(s, 'u')) {
		code = unicode_escape(s);
		if (code >= 0xDC00 && code <= 0xDFFF)
			return true;
	}
	return fail(s, start, "half of a surrogate pair stands alone");
}

static bool check_escape(struct scanner *s)
{
	const char *start = s->at - 1;

	if (take(s, 'u'))
		return check_unicode_escape(s, start);
	if (s->at >= s->end || !*s->at || !strchr("\"\\/bfnrt", *s->at))
		return expected(s, "one of \" \\ / b f n r t u behind \\");
	s->at++;
	return true;
}

static bool check_string(struct scanner *s)
{
	const char *start = s->at++;

	while (s->at < s->end) {
		utf8proc_int32_t code;
		utf8proc_ssize_t length;
		unsigned char byte = (unsigned char)*s->at;

		if (byte == '"') {
			s->at++;
			return true;
		}
		if (byte < 0x20)
			return expected(s, "the string's closing quote "
					   "(control characters are escaped)");
		if (byte == '\\') {
			s->at++;
			if (!check_escape(s))
				return false;
			continue;
		}
		if (byte < 0x80) {
			s->at++;
			continue;
		}
		length = utf8proc_iterate((const utf8proc_uint8_t *)s->at,
					  s->end - s->at, &code);
		if (length < 1)
			return fail(s, s->at, "the byte 0x%02X is not UTF-8",
				    byte);
		s->at += length;
	}
	return fail(s, start, "this string has no closing quote");
}

static size_t skip_digits(struct scanner *s)
{
	const char *start = s->at;

	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		s->at++;
	return (size_t)(s->at - start);
}

static bool check_number(struct scanner *s)
{
	const char *start = s->at;
	bool whole = true;

	take(s, '-');
	if (take(s, '0')) {
		if (skip_digits(s))
			return fail(s, start, "a number has a leading zero");
	} else if (!skip_digits(s)) {
		return expected(s, "a digit");
	}
	if (take(s, '.')) {
		whole = false;
		if (!skip_digits(s))
			return expected(s, "a digit behind the point");
	}
	if (take(s, 'e') || take(s, 'E')) {
		whole = false;
		if (!take(s, '+'))
			take(s, '-');
		if (!skip_digits(s))
			return expected(s, "the exponent's digits");
	}
	if (!whole && (s->rules & JSON_WHOLE_NUMBERS))
		return fail(s, start,
			    "expected a whole number without an exponent, "
			    "found %.*s%s",
			    (int)(s->at - start < 40 ? s->at - start : 40),
			    start, s->at - start < 40 ? "" : "...");
	return true;
}

static bool check_word(struct scanner *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(s->end - s->at) >= length &&
		    !memcmp(s->at, words[i], length)) {
			s->at += length;
			return true;
		}
	}
	return expected(s, "a value");
}

static bool check_value(struct scanner *s, unsigned depth);

/* Behind a member or element: another one follows, or the container ends. */
static bool check_separator(struct scanner *s, char close, bool *more)
{
	char what[] = "a comma or ' '";

	skip_space(s);
	*more = take(s, ',');
	if (*more || take(s, close))
		return true;
	what[sizeof(what) - 3] = close;
	return expected(s, what);
}

static bool refuse_trailing_comma(const struct scanner *s, char close)
{
	return s->at < s->end && *s->at == close &&
	       !fail(s, s->at, "a comma stands before '%c'", close);
}

static bool check_object(struct scanner *s, unsigned depth)
{
	bool more = true;

	skip_space(s);
	if (take(s, '}'))
		return true;
	while (more) {
		skip_space(s);
		if (s->at >= s->end || *s->at != '"')
			return expected(s, "a name in double quotes");
		if (!check_string(s))
			return false;
		skip_space(s);
		if (!take(s, ':'))
			return expected(s, "a colon behind the name");
		if (!check_value(s, depth) || !check_separator(s, '}', &more))
			return false;
		skip_space(s);
		if (more && refuse_trailing_comma(s, '}'))
			return false;
	}
	return true;
}

static bool check_array(struct scanner *s, unsigned depth)
{
	bool more = true;

	skip_space(s);
	if (take(s, ']'))
		return true;
	while (more) {
		if (!check_value(s, depth) || !check_separator(s, ']', &more))
			return false;
		skip_space(s);
		if (more && refuse_trailing_comma(s, ']'))
			return false;
	}
	return true;
}

static bool check_value(struct scanner *s, unsigned depth)
{
	char first;

	skip_space(s);
	if (s->at >= s->end)
		return expected(s, "a value");
	if (++s->values > s->values_max)
		return fail(s, s->at, "more than %u values", s->values_max);
	first = *s->at;
	if (first == '"')
		return check_string(s);
	if (first == '-' || (first >= '0' && first <= '9'))
		return check_number(s);
	if (first != '{' && first != '[')
		return check_word(s);
	if (depth == s->depth_max)
		return fail(s, s->at, "nested deeper than %u levels",
			    s->depth_max);
	s->at++;
	return first == '{' ? check_object(s, depth + 1)
			    : check_array(s, depth + 1);
}

/* What an editor of another system may have put in front. */
static bool check_mark(struct scanner *s)
{
	static const char mark[] = "\xEF\xBB\xBF";
	size_t length = (size_t)(s->end - s->at);

	if (length >= 2 &&
	    (!memcmp(s->at, "\xFF\xFE", 2) || !memcmp(s->at, "\xFE\xFF", 2)))
		return fail(s, s->at, "the text is UTF-16; save it as UTF-8");
	if (length < 3 || memcmp(s->at, mark, 3))
		return true;
	if (!(s->rules & JSON_ALLOW_BOM))
		return fail(s, s->at,
			    "the text begins with a byte order mark; "
			    "save it without one");
	s->at += 3;
	s->start = s->at;
	return true;
}

bool json_syntax(const char *name, const char *text, size_t length,
		 unsigned rules, struct error *err)
{
	struct scanner s = {
		.name = name,
		.start = text,
		.at = text,
		.end = text + length,
		.rules = rules,
		.depth_max = rules & JSON_DEEP ? JSON_DEPTH_DEEP_MAX
					       : JSON_DEPTH_MAX,
		.values_max = rules & JSON_OWN ? JSON_VALUES_OWN_MAX
					       : JSON_VALUES_MAX,
		.err = err,
	};

	if (!check_mark(&s) || !check_value(&s, 0))
		return false;
	skip_space(&s);
	return s.at == s.end || expected(&s, "the end of the text");
}
