#include "log.h"

#include <stdarg.h>
#include <unistd.h>
#include <utf8proc.h>

#include "memory.h"

static enum log_level level = LOG_NORMAL;
static enum log_color color = LOG_COLOR_AUTO;
static void (*footer)(bool show);

void log_set_level(enum log_level new_level)
{
	level = new_level;
}

void log_set_color(enum log_color new_color)
{
	color = new_color;
}

void log_set_footer(void (*draw)(bool show))
{
	footer = draw;
}

static bool is_printable(utf8proc_int32_t point)
{
	if (point < 0x20 || (point >= 0x7f && point < 0xa0))
		return false;
	/* Marks that turn the direction of what follows. */
	if (point == 0x200e || point == 0x200f || point == 0x061c)
		return false;
	if (point >= 0x202a && point <= 0x202e)
		return false;
	return point < 0x2066 || point > 0x2069;
}

void log_escape(struct buf *out, const char *text)
{
	while (*text) {
		utf8proc_int32_t point;
		utf8proc_ssize_t length = utf8proc_iterate(
			(const utf8proc_uint8_t *)text, -1, &point);

		if (length > 0 && is_printable(point)) {
			buf_append(out, text, (size_t)length);
			text += length;
			continue;
		}
		do {
			buf_printf(out, "\\x%02x", (unsigned char)*text++);
		} while (--length > 0);
	}
}

/*
 * Behind the scheme and its slashes, however many there are of them and
 * whichever way they lean: what cannot be a URL is shown too, and parsers
 * differ in what they forgive.
 */
static const char *authority(const char *url)
{
	size_t scheme = strcspn(url, ":/\\?#@");
	const char *rest = url[scheme] == ':' ? url + scheme + 1 : url;
	size_t slashes = strspn(rest, "/\\");

	return slashes ? rest + slashes : url;
}

void log_url(struct buf *out, const char *url)
{
	const char *host = authority(url);
	size_t length = strcspn(host, "/?#");
	const char *user = memrchr(host, '@', length);

	buf_append(out, url, (size_t)(host - url));
	if (user) {
		buf_text(out, "***@");
		length -= (size_t)(user + 1 - host);
		host = user + 1;
	}
	length += strcspn(host + length, "?#");
	buf_append(out, host, length);
	if (host[length] == '?')
		buf_text(out, "?***");
}

static bool use_color(void)
{
	if (color != LOG_COLOR_AUTO)
		return color == LOG_COLOR_ALWAYS;
	return isatty(STDERR_FILENO);
}

/* One write a line, so that lines of several processes do not mix. */
static void print(const char *label, const char *label_color, const char *text)
{
	struct buf line CLEANUP(buf_release) = BUF_INIT;

	if (label && use_color())
		buf_printf(&line, "\x1b[%sm%s:\x1b[0m ", label_color, label);
	else if (label)
		buf_printf(&line, "%s: ", label);
	/* Newlines are ours: messages of several lines are written so. */
	for (;;) {
		size_t length = strcspn(text, "\n");
		char *part CLEANUP(memory_release) =
			memory_string_n(text, length);

		log_escape(&line, part);
		buf_byte(&line, '\n');
		text += length;
		if (!*text || !*++text)
			break;
	}
	if (footer)
		footer(false);
	if (fwrite(line.data, 1, line.length, stderr) != line.length)
		clearerr(stderr); /* nowhere left to say it */
	if (footer)
		footer(true);
}

static void say(const char *label, const char *label_color, const char *format,
		va_list arguments)
{
	char *text CLEANUP(memory_release) = memory_vprintf(format, arguments);

	print(label, label_color, text);
}

void log_info(const char *format, ...)
{
	va_list arguments;

	if (level < LOG_NORMAL)
		return;
	va_start(arguments, format);
	say(NULL, NULL, format, arguments);
	va_end(arguments);
}

void log_verbose(const char *format, ...)
{
	va_list arguments;

	if (level < LOG_VERBOSE)
		return;
	va_start(arguments, format);
	say(NULL, NULL, format, arguments);
	va_end(arguments);
}

void log_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("warning", "33", format, arguments);
	va_end(arguments);
}

void log_error(const struct error *err)
{
	print("error", "31;1", err->text);
	if (err->hint[0])
		print(NULL, NULL, err->hint);
}
