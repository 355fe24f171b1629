/*
 * Names that may become files: a path that is accepted, and a link of two (a
 * path, NUL, a target), stay below the root; spellings that a disk takes for
 * one have one collision key.
 */
#include <ctype.h>
#include <utf8proc.h>

#include "fuzz.h"
#include "path.h"

/* The depth that a relative path leads to from `depth`; -1: out of the root. */
static int depth_after(int depth, const char *path)
{
	while (*path && depth >= 0) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !strncmp(path, "..", 2))
			depth--;
		else if (length && !(length == 1 && *path == '.'))
			depth++;
		path += length + (path[length] == '/');
	}
	return depth;
}

static void check_characters(const char *path)
{
	const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)path;
	utf8proc_int32_t code;

	for (; *at; at += utf8proc_iterate(at, -1, &code)) {
		FUZZ_ASSERT(utf8proc_iterate(at, -1, &code) > 0);
		FUZZ_ASSERT(utf8proc_category(code) != UTF8PROC_CATEGORY_CC);
		FUZZ_ASSERT(code != '\\' && code != ':');
	}
}

static void check_parts(const char *path)
{
	char *parent CLEANUP(memory_release) = path_parent(path);
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *joined CLEANUP(memory_release) = path_join(parent, name);

	FUZZ_ASSERT(!strcmp(joined, path));
	FUZZ_ASSERT(!path_name_refused(name));
	FUZZ_ASSERT(!*parent || !path_refused(parent));
	FUZZ_ASSERT(depth_after(0, path) > 0);
	FUZZ_ASSERT(strlen(path) <= PATH_LENGTH_MAX);
}

static void check_key(const char *path, const char *other)
{
	char *key CLEANUP(memory_release) = path_collision_key(path);
	char *other_key CLEANUP(memory_release) = path_collision_key(other);

	FUZZ_ASSERT(!strcmp(key, other_key));
}

static void check_keys(const char *path)
{
	const utf8proc_uint8_t *text = (const utf8proc_uint8_t *)path;
	char *key CLEANUP(memory_release) = path_collision_key(path);
	char *upper CLEANUP(memory_release) = memory_string(path);
	char *nfc CLEANUP(memory_release) = (char *)utf8proc_NFC(text);
	char *nfd CLEANUP(memory_release) = (char *)utf8proc_NFD(text);

	for (char *c = upper; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	check_key(path, key);
	check_key(path, upper);
	check_key(path, nfc);
	check_key(path, nfd);
}

static void check_link(const char *path, const char *target)
{
	char *parent = NULL;

	if (path_link_refused(path, target))
		return;
	FUZZ_ASSERT(*target && *target != '/');
	parent = path_parent(path);
	FUZZ_ASSERT(depth_after(depth_after(0, parent), target) > 0);
	free(parent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path CLEANUP(memory_release) = fuzz_piece(&data, &size);
	char *target CLEANUP(memory_release) = fuzz_piece(&data, &size);
	const char *refused = path_refused(path);

	FUZZ_ASSERT(!path_name_refused(path) ==
		    (!refused && !strchr(path, '/')));
	if (refused)
		return 0;
	check_characters(path);
	check_parts(path);
	check_keys(path);
	check_link(path, target);
	return 0;
}
