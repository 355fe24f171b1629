/*
 * pnpm-workspace.yaml ('y' in front), and patterns against paths (pattern,
 * NUL, path): what is expanded is bounded, and what matches is what matches by
 * the plain definition and fnmatch(3).
 */
#include <fnmatch.h>

#include "scratch.h"
#include "workspace.h"
#include "workspace_pattern.h"

static void try_yaml(const uint8_t *data, size_t size)
{
	struct list patterns CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;
	int folder CLEANUP(fs_close) = scratch_folder(".");
	bool found = false;

	scratch_write(folder, "pnpm-workspace.yaml", data, size);
	if (!workspace_pnpm_patterns(scratch(), &patterns, &found, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_CONFIG);
		FUZZ_ASSERT(strstr(err.text, "/pnpm-workspace.yaml:"));
		return;
	}
	FUZZ_ASSERT(found);
	for (size_t i = 0; i < patterns.count; i++)
		FUZZ_ASSERT(*patterns.items[i]);
}

static bool name_matches(const char *pattern, const char *path)
{
	char *wanted CLEANUP(memory_release) =
		memory_string_n(pattern, workspace_segment(pattern));
	char *name CLEANUP(memory_release) =
		memory_string_n(path, workspace_segment(path));

	return !fnmatch(wanted, name, FNM_NOESCAPE | FNM_PERIOD);
}

/* The plain definition, which takes exponential time. */
static bool matches(const char *pattern, const char *path)
{
	if (!*pattern)
		return !*path;
	if (workspace_is_globstar(pattern))
		return matches(workspace_next(pattern), path) ||
		       (*path && *path != '.' &&
			matches(pattern, workspace_next(path)));
	return *path && name_matches(pattern, path) &&
	       matches(workspace_next(pattern), workspace_next(path));
}

/* A path as the walk over folders makes them, of plain characters. */
static bool is_path(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";

	return *path && *path != '/' && !path[strspn(path, plain)] &&
	       !strstr(path, "//") && path[strlen(path) - 1] != '/';
}

static void try_pattern(const char *pattern, const char *path)
{
	struct list expanded CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;

	if (!workspace_expand(pattern, &expanded, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_CONFIG && *err.text);
		return;
	}
	FUZZ_ASSERT(expanded.count && expanded.count <= WORKSPACE_PATTERNS_MAX);
	for (size_t i = 0; i < expanded.count; i++) {
		const char *one = expanded.items[i];

		FUZZ_ASSERT(strlen(one) <= WORKSPACE_PATTERN_LENGTH);
		FUZZ_ASSERT(!strstr(one, "//") && *one != '/');
		if (i < 4 && strlen(one) < 40 && strlen(path) < 40 &&
		    is_path(path))
			FUZZ_ASSERT(workspace_match(one, path) ==
				    matches(one, path));
		else
			(void)workspace_match(one, path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *pattern CLEANUP(memory_release) = NULL;
	char *path CLEANUP(memory_release) = NULL;

	if (size && *data == 'y') {
		try_yaml(data + 1, size - 1);
		return 0;
	}
	pattern = fuzz_piece(&data, &size);
	path = fuzz_piece(&data, &size);
	try_pattern(pattern, path);
	return 0;
}
