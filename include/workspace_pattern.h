/*
 * workspace_pattern.h - the patterns of workspace.h, as text: pure functions.
 */
#ifndef RNE_WORKSPACE_PATTERN_H
#define RNE_WORKSPACE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "list.h"

/*
 * Appends `pattern` (without `!`) with braces written out, "./", "//" and the
 * slash behind dropped. CONFIG when it is not understood or too many.
 */
bool workspace_expand(const char *pattern, struct list *out,
		      struct error *err) NODISCARD;

/* One expanded pattern against a path relative to the root. */
bool workspace_match(const char *pattern, const char *path);

/* The first segment of a pattern: its length, what follows, is it `**`. */
size_t workspace_segment(const char *pattern);
const char *workspace_next(const char *pattern);
bool workspace_is_globstar(const char *pattern);
/* `*` and `?` within one name. */
bool workspace_match_name(const char *pattern, size_t pattern_length,
			  const char *name, size_t name_length);

#endif
