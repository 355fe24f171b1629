#include "member.h"

#include <stdarg.h>

#include "layout.h"
#include "memory.h"
#include "path.h"

/* A message has room for a name, not for a novel. */
#define SHOWN_MAX 300

void member_release(struct member *member)
{
	memory_release(&member->name);
	memory_release(&member->link);
}

void members_add(struct members *members, const struct member *member)
{
	members->items = memory_grow(members->items, members->count,
				     sizeof(*members->items));
	members->items[members->count++] = *member;
}

void members_release(struct members *members)
{
	for (size_t i = 0; i < members->count; i++)
		member_release(&members->items[i]);
	free(members->items);
	*members = (struct members)MEMBERS_INIT;
}

bool member_refused(const char *name, struct error *err, const char *format,
		    ...)
{
	va_list arguments;
	char *words CLEANUP(memory_release) = NULL;

	va_start(arguments, format);
	words = memory_vprintf(format, arguments);
	va_end(arguments);
	return error_set(err, ERROR_ARCHIVE, "the entry \"%.*s%s\" %s",
			 SHOWN_MAX, name, strlen(name) > SHOWN_MAX ? "..." : "",
			 words);
}

/*
 * Names that change what other programs do with the folder that holds them,
 * or that are ours. Compared by the key under which a disk may take them.
 */
static bool is_reserved(const char *component)
{
	static const char *const names[] = {".git", "node_modules",
					    LAYOUT_CONFIG};
	char *key CLEANUP(memory_release) = path_collision_key(component);

	if (!strncmp(key, ".rne-", 5)) /* LAYOUT_STATE, TEMPFILE_PREFIX */
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(key, names[i]))
			return true;
	}
	return false;
}

/* Most names have neither of these letters in front: no key is made then. */
static bool may_be_reserved(const char *component)
{
	return strchr(".nNrR", *component) || (unsigned char)*component >= 0x80;
}

static bool has_reserved(const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");

		if (may_be_reserved(path)) {
			char *component CLEANUP(memory_release) =
				memory_string_n(path, length);

			if (is_reserved(component))
				return true;
		}
		path += length;
		path += *path == '/';
	}
	return false;
}

/* "./a" -> "a", "a/" -> "a" for folders, "." and "./" -> "". */
static char *strip(const char *name, bool folder)
{
	size_t length;

	if (!strcmp(name, "."))
		name++;
	else if (!strncmp(name, "./", 2))
		name += 2;
	length = strlen(name);
	if (folder && length > 1 && name[length - 1] == '/')
		length--;
	return memory_string_n(name, length);
}

bool member_path(const struct member *member, char **path, struct error *err)
{
	bool folder = member->kind == MEMBER_FOLDER;
	char *stripped CLEANUP(memory_release) = strip(member->name, folder);
	const char *refused;

	if (!*member->name)
		return member_refused("", err, "has no name");
	if (*stripped || !folder) {
		refused = path_refused(stripped);
		if (refused)
			return member_refused(member->name, err, "%s", refused);
	}
	if (has_reserved(stripped))
		return member_refused(member->name, err,
				      "has a name that archives may not have");
	if (member->kind == MEMBER_LINK) {
		refused = path_link_refused(stripped, member->link);
		if (refused)
			return member_refused(member->name, err,
					      "is a link to \"%.*s\", which %s",
					      SHOWN_MAX, member->link, refused);
	}
	*path = stripped;
	stripped = NULL;
	return true;
}

bool member_hard_link_path(const struct member *member, char **path,
			   struct error *err)
{
	char *stripped CLEANUP(memory_release) = strip(member->link, false);
	const char *refused = path_refused(stripped);

	if (refused)
		return member_refused(member->name, err,
				      "is a hard link to \"%.*s\", which %s",
				      SHOWN_MAX, member->link, refused);
	*path = stripped;
	stripped = NULL;
	return true;
}
