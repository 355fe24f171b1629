/*
 * json_writer.h - JSON out, in the order it is written.
 *
 * Objects and arrays go one member a line with two spaces of indent, or on
 * one line when opened with JSON_INLINE. Equal calls give equal bytes.
 */
#ifndef RNE_JSON_WRITER_H
#define RNE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"
#include "list.h"

#define JSON_WRITER_DEPTH 16

enum json_layout { JSON_LINES, JSON_INLINE };

struct json_writer {
	struct buf *out;
	unsigned depth;
	struct {
		char close;
		bool any;     /* something was written at this level */
		bool on_line; /* JSON_INLINE, here or above */
	} levels[JSON_WRITER_DEPTH];
};

void json_writer_start(struct json_writer *writer, struct buf *out);
/* Ends the document with a newline; everything opened must be closed. */
void json_writer_finish(struct json_writer *writer);

/* `key` is NULL inside an array and at the root. */
void json_open_object(struct json_writer *writer, const char *key,
		      enum json_layout layout);
void json_open_array(struct json_writer *writer, const char *key,
		     enum json_layout layout);
void json_close(struct json_writer *writer);
/* NULL is written as null. */
void json_put_string(struct json_writer *writer, const char *key,
		     const char *text);
/* In hexadecimal; NULL is written as null. */
void json_put_digest(struct json_writer *writer, const char *key,
		     const struct digest *digest);
void json_put_integer(struct json_writer *writer, const char *key,
		      int64_t number);
void json_put_boolean(struct json_writer *writer, const char *key, bool value);
void json_put_strings(struct json_writer *writer, const char *key,
		      const struct list *list);

#endif
