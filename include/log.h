/*
 * log.h - words for people, all on stderr.
 *
 * Control bytes, invalid UTF-8 and bidirectional overrides are escaped here,
 * the one place every message passes, so that text from outside never reaches
 * a terminal raw. Lines carry no prefix but "warning: " and "error: ".
 */
#ifndef RNE_LOG_H
#define RNE_LOG_H

#include <stdbool.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"

enum log_level {
	LOG_QUIET,   /* warnings and errors only */
	LOG_NORMAL,  /* one line per artifact and a summary */
	LOG_VERBOSE, /* and why */
};

enum log_color { LOG_COLOR_AUTO, LOG_COLOR_ALWAYS, LOG_COLOR_NEVER };

void log_set_level(enum log_level level);
void log_set_color(enum log_color color);

void log_info(const char *format, ...) PRINTF(1, 2);
void log_verbose(const char *format, ...) PRINTF(1, 2);
void log_warning(const char *format, ...) PRINTF(1, 2);
void log_error(const struct error *err);

/*
 * A live line under the messages (progress.c): `draw` is called after every
 * message so that the line is put back; NULL: none.
 */
void log_set_footer(void (*draw)(bool show));

/* Appends `text` with everything a terminal could act on escaped (\xNN). */
void log_escape(struct buf *out, const char *text);

/*
 * Appends a URL with user:password and the query left out, since either may
 * hold a credential.
 */
void log_url(struct buf *out, const char *url);

/* The end of a word that stands behind a count: "1 file", "2 files". */
#define PLURAL(count) ((count) == 1 ? "" : "s")

#endif
