#include "place.h"

#include <errno.h>
#include <unistd.h>

#include "memory.h"

bool place_current(char **out, struct error *err)
{
	char *path = getcwd(NULL, 0);

	if (!path)
		return error_system(err, errno,
				    "cannot tell the current folder");
	*out = path;
	return true;
}

char *place_real(const char *path)
{
	return realpath(path, NULL);
}

char *place_join(const char *folder, const char *name)
{
	size_t length = strlen(folder);
	bool slash = length && folder[length - 1] == '/';

	return memory_printf("%s%s%s", folder, slash ? "" : "/", name);
}

char *place_absolute(const char *base, const char *path)
{
	char *folder CLEANUP(memory_release) = memory_string(base);

	if (*path == '/')
		return memory_string(path);
	/* `base` holds no links, so ".." of it is the folder above. */
	for (;;) {
		size_t dots = strspn(path, ".");

		if (dots > 2 || (path[dots] && path[dots] != '/') ||
		    (!dots && *path != '/'))
			break;
		if (dots == 2)
			place_up(folder);
		path += dots + (path[dots] == '/');
		if (!*path)
			break;
	}
	return *path ? place_join(folder, path) : memory_string(folder);
}

bool place_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !slash[1])
		return false;
	/* The slash of the root stays. */
	slash[slash == path] = '\0';
	return true;
}

bool place_is_installed(const char *path)
{
	static const char word[] = "node_modules";

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == sizeof(word) - 1 && !memcmp(path, word, length))
			return true;
		path += length;
		path += strspn(path, "/");
	}
	return false;
}

const char *place_below(const char *base, const char *path)
{
	size_t length = strlen(base);

	while (length && base[length - 1] == '/')
		length--;
	if (strncmp(base, path, length) || path[length] != '/' ||
	    !path[length + 1])
		return path;
	return path + length + 1;
}
