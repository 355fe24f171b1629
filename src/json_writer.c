#include "json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <utf8proc.h>

void json_writer_start(struct json_writer *writer, struct buf *out)
{
	*writer = (struct json_writer){.out = out};
}

void json_writer_finish(struct json_writer *writer)
{
	assert(!writer->depth);
	buf_byte(writer->out, '\n');
}

static void indent(struct json_writer *writer)
{
	buf_byte(writer->out, '\n');
	for (unsigned i = 0; i < writer->depth; i++)
		buf_text(writer->out, "  ");
}

static void put_escaped(struct buf *out, unsigned char byte)
{
	static const char *const short_forms[] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",  ['\f'] = "\\f",
		['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
	};

	if (byte < ARRAY_SIZE(short_forms) && short_forms[byte])
		buf_text(out, short_forms[byte]);
	else if (byte < 0x20)
		buf_printf(out, "\\u%04x", byte);
	else
		buf_byte(out, (char)byte);
}

/* How many bytes stand for themselves. */
static size_t count_plain(const char *text)
{
	size_t count = 0;

	while (text[count] >= 0x20 && text[count] < 0x7F &&
	       text[count] != '"' && text[count] != '\\')
		count++;
	return count;
}

/* Bytes that are not UTF-8 (a path on disk) become U+FFFD: JSON has none. */
static void put_text(struct buf *out, const char *text)
{
	buf_byte(out, '"');
	for (;;) {
		size_t plain = count_plain(text);
		utf8proc_int32_t code;
		utf8proc_ssize_t length;

		buf_append(out, text, plain);
		text += plain;
		if (!*text)
			break;
		if ((unsigned char)*text < 0x80) {
			put_escaped(out, (unsigned char)*text++);
			continue;
		}
		length = utf8proc_iterate((const utf8proc_uint8_t *)text, -1,
					  &code);
		if (length < 1) {
			buf_text(out, "\xEF\xBF\xBD");
			text++;
			continue;
		}
		buf_append(out, text, (size_t)length);
		text += length;
	}
	buf_byte(out, '"');
}

/* Comma, line and key: all that stands before a value. */
static void begin_value(struct json_writer *writer, const char *key)
{
	if (writer->depth) {
		unsigned level = writer->depth - 1;

		if (writer->levels[level].any)
			buf_byte(writer->out, ',');
		if (!writer->levels[level].on_line)
			indent(writer);
		else if (writer->levels[level].any ||
			 writer->levels[level].close == '}')
			buf_byte(writer->out, ' ');
		writer->levels[level].any = true;
	}
	if (key) {
		put_text(writer->out, key);
		buf_text(writer->out, ": ");
	}
}

static void open_level(struct json_writer *writer, const char *key, char open,
		       char close, enum json_layout layout)
{
	unsigned level = writer->depth;

	assert(level < JSON_WRITER_DEPTH);
	begin_value(writer, key);
	buf_byte(writer->out, open);
	writer->levels[level].close = close;
	writer->levels[level].any = false;
	writer->levels[level].on_line =
		layout == JSON_INLINE ||
		(level && writer->levels[level - 1].on_line);
	writer->depth++;
}

void json_open_object(struct json_writer *writer, const char *key,
		      enum json_layout layout)
{
	open_level(writer, key, '{', '}', layout);
}

void json_open_array(struct json_writer *writer, const char *key,
		     enum json_layout layout)
{
	open_level(writer, key, '[', ']', layout);
}

void json_close(struct json_writer *writer)
{
	unsigned level;

	assert(writer->depth);
	level = --writer->depth;
	if (writer->levels[level].any) {
		if (!writer->levels[level].on_line)
			indent(writer);
		else if (writer->levels[level].close == '}')
			buf_byte(writer->out, ' ');
	}
	buf_byte(writer->out, writer->levels[level].close);
}

void json_put_string(struct json_writer *writer, const char *key,
		     const char *text)
{
	begin_value(writer, key);
	if (text)
		put_text(writer->out, text);
	else
		buf_text(writer->out, "null");
}

void json_put_digest(struct json_writer *writer, const char *key,
		     const struct digest *digest)
{
	char hex[DIGEST_HEX_SIZE];

	if (digest)
		digest_to_hex(digest, hex);
	json_put_string(writer, key, digest ? hex : NULL);
}

void json_put_integer(struct json_writer *writer, const char *key,
		      int64_t number)
{
	begin_value(writer, key);
	buf_printf(writer->out, "%" PRId64, number);
}

void json_put_boolean(struct json_writer *writer, const char *key, bool value)
{
	begin_value(writer, key);
	buf_text(writer->out, value ? "true" : "false");
}

void json_put_strings(struct json_writer *writer, const char *key,
		      const struct list *list)
{
	json_open_array(writer, key, JSON_INLINE);
	for (size_t i = 0; i < list->count; i++)
		json_put_string(writer, NULL, list->items[i]);
	json_close(writer);
}
