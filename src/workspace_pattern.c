#include "workspace_pattern.h"

#include <stdint.h>

#include "memory.h"
#include "workspace.h"

size_t workspace_segment(const char *path)
{
	return strcspn(path, "/");
}

const char *workspace_next(const char *path)
{
	path += workspace_segment(path);
	return path + (*path == '/');
}

bool workspace_is_globstar(const char *pattern)
{
	return !strncmp(pattern, "**", 2) && workspace_segment(pattern) == 2;
}

/* `*` and `?` within one name; linear but for the last star. */
bool workspace_match_name(const char *pattern, size_t pattern_length,
			  const char *name, size_t name_length)
{
	size_t p = 0, n = 0, star = SIZE_MAX, star_name = 0;

	if (name_length && *name == '.' && (!pattern_length || *pattern != '.'))
		return false;
	while (n < name_length) {
		bool there = p < pattern_length;

		if (there && pattern[p] == '*') {
			star = ++p;
			star_name = n;
		} else if (there && pattern[p] == '?') {
			p++;
			n++;
			/* One character, not one byte. */
			while (n < name_length && (name[n] & 0xc0) == 0x80)
				n++;
		} else if (there && pattern[p] == name[n]) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star;
			n = ++star_name;
		} else {
			return false;
		}
	}
	while (p < pattern_length && pattern[p] == '*')
		p++;
	return p == pattern_length;
}

bool workspace_match(const char *pattern, const char *path)
{
	const char *star = NULL, *star_path = NULL;

	while (*path) {
		if (workspace_is_globstar(pattern)) {
			pattern = star = workspace_next(pattern);
			star_path = path;
		} else if (*pattern &&
			   workspace_match_name(
				   pattern, workspace_segment(pattern), path,
				   workspace_segment(path))) {
			pattern = workspace_next(pattern);
			path = workspace_next(path);
		} else if (star && *star_path != '.') {
			/* The last `**` takes one folder more. */
			pattern = star;
			path = star_path = workspace_next(star_path);
		} else {
			return false;
		}
	}
	while (workspace_is_globstar(pattern))
		pattern = workspace_next(pattern);
	return !*pattern;
}

/* "./packages//a/" becomes "packages/a". */
static char *normalize(const char *pattern)
{
	struct list parts CLEANUP(list_release) = LIST_INIT;
	struct list kept CLEANUP(list_release) = LIST_INIT;

	list_split(&parts, pattern, "/");
	for (size_t i = 0; i < parts.count; i++) {
		const char *part = parts.items[i];
		bool again = kept.count && !strcmp(part, "**") &&
			     !strcmp(kept.items[kept.count - 1], "**");

		if (strcmp(part, ".") && !again)
			list_add(&kept, part);
	}
	return list_join(&kept, "/");
}

/* The first `{a,b}` of `pattern` that holds a comma; braces may nest. */
static bool find_braces(const char *pattern, size_t *open, size_t *close)
{
	for (size_t i = 0; pattern[i]; i++) {
		size_t depth = 0;
		bool comma = false;

		if (pattern[i] != '{')
			continue;
		for (size_t j = i; pattern[j]; j++) {
			depth += pattern[j] == '{';
			depth -= pattern[j] == '}';
			comma |= pattern[j] == ',' && depth == 1;
			if (depth)
				continue;
			*open = i;
			*close = j;
			if (comma)
				return true;
			break;
		}
	}
	return false;
}

static bool too_many(const char *pattern, struct error *err)
{
	return error_set(err, ERROR_CONFIG,
			 "the workspace pattern \"%.100s\" is longer than %d "
			 "bytes, or stands for more than %d patterns",
			 pattern, WORKSPACE_PATTERN_LENGTH,
			 WORKSPACE_PATTERNS_MAX);
}

/* A pattern for each choice between the braces at `open` and `close`. */
static void add_choices(const char *text, size_t open, size_t close,
			struct list *out)
{
	size_t depth = 0, start = open + 1;

	for (size_t i = open; i <= close; i++) {
		depth += text[i] == '{';
		if ((text[i] == ',' && depth == 1) || i == close) {
			list_addf(out, "%.*s%.*s%s", (int)open, text,
				  (int)(i - start), text + start,
				  text + close + 1);
			start = i + 1;
		}
		depth -= text[i] == '}';
	}
}

/* Writes out one pair of braces at a time until none is left. */
static bool expand(const char *pattern, struct list *out, struct error *err)
{
	struct list waiting CLEANUP(list_release) = LIST_INIT;
	size_t open, close;

	list_add(&waiting, pattern);
	for (size_t i = 0; i < waiting.count; i++) {
		const char *text = waiting.items[i];

		if (waiting.count + out->count > WORKSPACE_PATTERNS_MAX ||
		    strlen(text) > WORKSPACE_PATTERN_LENGTH)
			return too_many(pattern, err);
		if (find_braces(text, &open, &close)) {
			add_choices(text, open, close, &waiting);
		} else {
			char *plain CLEANUP(memory_release) = normalize(text);

			list_add(out, plain);
		}
	}
	return true;
}

static bool understood(const char *pattern, struct error *err)
{
	const char *paren = strchr(pattern, '(');

	if (!strchr(pattern, '[') &&
	    !(paren && paren > pattern && strchr("@!?*+", paren[-1])))
		return true;
	error_set(err, ERROR_CONFIG,
		  "the workspace pattern \"%s\" cannot be read: *, ?, **, "
		  "{a,b} and a leading ! are understood",
		  pattern);
	return error_hint(err, "Name the app with --app DIR or RNET_APP_ROOT.");
}

bool workspace_expand(const char *pattern, struct list *out, struct error *err)
{
	return understood(pattern, err) && expand(pattern, out, err);
}
