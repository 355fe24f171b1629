#include "path.h"

#include <strings.h>
#include <utf8proc.h>

#include "memory.h"

/* Devices on Windows, in any folder, case and with any extension. */
static bool is_windows_device(const char *name, size_t length)
{
	static const char *const devices[] = {"CON", "PRN",    "AUX",
					      "NUL", "CONIN$", "CONOUT$"};
	size_t stem = 0;

	while (stem < length && name[stem] != '.')
		stem++;
	while (stem && name[stem - 1] == ' ')
		stem--;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		if (strlen(devices[i]) == stem &&
		    !strncasecmp(name, devices[i], stem))
			return true;
	}
	if (stem < 4 ||
	    (strncasecmp(name, "COM", 3) && strncasecmp(name, "LPT", 3)))
		return false;
	if (stem == 4)
		return name[3] >= '0' && name[3] <= '9';
	/* Superscript one, two and three count as digits there. */
	return stem == 5 && (!memcmp(name + 3, "\xC2\xB9", 2) ||
			     !memcmp(name + 3, "\xC2\xB2", 2) ||
			     !memcmp(name + 3, "\xC2\xB3", 2));
}

/* Characters that change how the text around them is shown. */
static bool is_deceptive(utf8proc_int32_t code)
{
	return code == 0x061C || code == 0x200E || code == 0x200F ||
	       (code >= 0x2028 && code <= 0x202E) ||
	       (code >= 0x2066 && code <= 0x2069);
}

static const char *character_refused(utf8proc_int32_t code)
{
	if (code < 0x20 || (code >= 0x7F && code < 0xA0))
		return "holds a control character";
	if (code == '\\')
		return "holds a backslash";
	if (code == ':')
		return "holds a colon";
	if (code < 0x80 && strchr("<>\"|?*", (int)code))
		return "holds one of < > \" | ? *, which Windows does not take";
	if (is_deceptive(code))
		return "holds a character that changes the direction of text";
	return NULL;
}

/* Most are, and nothing can be said against them. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static const char *component_refused(const char *name, size_t length)
{
	if (!length)
		return "has an empty component";
	if (length > PATH_COMPONENT_MAX)
		return "has a component longer than 255 bytes";
	if (length == 1 && name[0] == '.')
		return "has the component \".\"";
	if (length == 2 && name[0] == '.' && name[1] == '.')
		return "leaves its folder with ..";
	for (size_t i = 0; i < length;) {
		utf8proc_ssize_t bytes;
		utf8proc_int32_t code;
		const char *refused;

		if (is_plain(name[i])) {
			i++;
			continue;
		}
		bytes = utf8proc_iterate((const utf8proc_uint8_t *)name + i,
					 (utf8proc_ssize_t)(length - i), &code);
		if (bytes < 1)
			return "is not UTF-8";
		refused = character_refused(code);
		if (refused)
			return refused;
		i += (size_t)bytes;
	}
	if (name[length - 1] == '.' || name[length - 1] == ' ')
		return "has a component that ends in a dot or a space, which "
		       "Windows drops";
	if (is_windows_device(name, length))
		return "has a name that is reserved on Windows";
	return NULL;
}

const char *path_name_refused(const char *name)
{
	if (!*name)
		return "is empty";
	if (strchr(name, '/'))
		return "holds a slash";
	return component_refused(name, strlen(name));
}

const char *path_refused(const char *path)
{
	size_t depth = 0;

	if (!*path)
		return "is empty";
	if (*path == '/')
		return "is absolute";
	if (strlen(path) > PATH_LENGTH_MAX)
		return "is longer than 1,024 bytes";
	for (;;) {
		size_t length = strcspn(path, "/");
		const char *refused = component_refused(path, length);

		if (refused)
			return refused;
		if (++depth > PATH_DEPTH_MAX)
			return "is deeper than 64 folders";
		if (!path[length])
			return NULL;
		path += length + 1;
	}
}

char *path_link_destination(const char *path, const char *target,
			    const char **rest)
{
	char *folder CLEANUP(memory_release) = path_parent(path);

	while (!strncmp(target, "..", 2) && (!target[2] || target[2] == '/')) {
		char *above;

		if (!*folder)
			return NULL;
		above = path_parent(folder);
		free(folder);
		folder = above;
		target += target[2] ? 3 : 2;
	}
	if (rest)
		*rest = target;
	return *target ? path_join(folder, target) : memory_string(folder);
}

const char *path_link_refused(const char *path, const char *target)
{
	char *destination CLEANUP(memory_release) = NULL;
	const char *rest = target, *refused;
	size_t length;

	if (!*target)
		return "points nowhere";
	if (*target == '/')
		return "points to an absolute path";
	if (strlen(target) > PATH_LENGTH_MAX)
		return "points to a path longer than 1,024 bytes";
	destination = path_link_destination(path, target, &rest);
	if (!destination)
		return "points out of its folder";
	/*
	 * A ".." behind a name would climb from wherever a link of that name
	 * leads, so it is refused here like in any other path.
	 */
	refused = *rest ? path_refused(rest) : NULL;
	if (refused)
		return refused;
	length = strlen(destination);
	if (!length || (!strncmp(path, destination, length) &&
			(!path[length] || path[length] == '/')))
		return "points to itself or to a folder that it lies in";
	return NULL;
}

/* Most paths: there only the case has to go. NULL: it is not. */
static char *ascii_collision_key(const char *path)
{
	char *key CLEANUP(memory_release) = memory_string(path);
	char *ascii = key;

	for (char *at = key; *at; at++) {
		if ((unsigned char)*at >= 0x80)
			return NULL;
		if (*at >= 'A' && *at <= 'Z')
			*at |= 0x20;
	}
	key = NULL;
	return ascii;
}

char *path_collision_key(const char *path)
{
	utf8proc_uint8_t *plain CLEANUP(memory_release) = NULL;
	utf8proc_uint8_t *key = (utf8proc_uint8_t *)ascii_collision_key(path);

	if (key)
		return (char *)key;
	/*
	 * Decomposed before it is folded: a mark whose folding is a letter
	 * (U+0345) has to be in its canonical place by then (Unicode 3.13,
	 * D145). Invisible characters are dropped too: HFS+ ignores them.
	 */
	if (utf8proc_map((const utf8proc_uint8_t *)path, 0, &plain,
			 UTF8PROC_NULLTERM | UTF8PROC_STABLE |
				 UTF8PROC_DECOMPOSE) < 0 ||
	    utf8proc_map(plain, 0, &key,
			 UTF8PROC_NULLTERM | UTF8PROC_STABLE |
				 UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD |
				 UTF8PROC_IGNORE) < 0)
		return memory_string(path); /* not UTF-8: only itself */
	return (char *)key;
}

char *path_parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	return memory_string_n(path, slash ? (size_t)(slash - path) : 0);
}

char *path_join(const char *folder, const char *name)
{
	if (!*folder)
		return memory_string(name);
	return memory_printf("%s/%s", folder, name);
}
