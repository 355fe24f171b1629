/*
 * npmrc.h - a setting out of the text of an .npmrc, as npm reads it.
 *
 * The form is ini: `key = value`; a line that begins with `;` or `#` is a
 * comment, and so is the rest of an unquoted value behind one of these unless
 * a backslash stands before it; values may stand in single or double quotes;
 * of a key that is there twice the last one holds; keys behind a `[section]`
 * are not settings.
 */
#ifndef RNE_NPMRC_H
#define RNE_NPMRC_H

#include "attributes.h"

#define NPMRC_BYTES_MAX (1u << 20)
#define NPMRC_VALUE_MAX 8192 /* longer ones are no settings of ours */

/*
 * The value of `key`, with ${VAR}, ${VAR?}, ${VAR-default} and
 * ${VAR:-default} expanded by `lookup`; NULL: not there, empty, or naming a
 * variable that is not set. The caller frees it.
 */
char *npmrc_value(const char *text, const char *key,
		  const char *(*lookup)(const char *name)) NODISCARD;

#endif
