/*
 * folder.h - a folder of its own for a test, made below $TMPDIR and removed
 * afterwards.
 */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "fs.h"
#include "memory.h"

/* Real, so that paths which went through realpath(3) compare equal. */
static inline char *folder_make(void)
{
	const char *parent = getenv("TMPDIR");
	char *path = memory_printf("%s/rne-test.XXXXXX",
				   parent && *parent ? parent : "/tmp");
	char *real = mkdtemp(path) ? realpath(path, NULL) : NULL;

	if (!real)
		abort();
	free(path);
	return real;
}

static inline char *folder_path(const char *folder, const char *name)
{
	return memory_printf("%s/%s", folder, name);
}

static inline void folder_add(const char *folder, const char *name)
{
	char *path CLEANUP(memory_release) = folder_path(folder, name);
	struct error err = ERROR_INIT;

	if (!fs_make_folders(path, &err))
		abort();
}

/* Writes a file, making the folders above it. */
static inline void folder_write(const char *folder, const char *name,
				const char *text)
{
	char *path CLEANUP(memory_release) = folder_path(folder, name);
	char *slash = strrchr(path, '/');
	FILE *file;

	*slash = '\0';
	folder_add(path, ".");
	*slash = '/';
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static inline void folder_link(const char *folder, const char *name,
			       const char *target)
{
	char *path CLEANUP(memory_release) = folder_path(folder, name);

	if (symlink(target, path))
		abort();
}

static inline void folder_remove(char **folder)
{
	struct error err = ERROR_INIT;
	int parent CLEANUP(fs_close) = -1;
	char *slash;

	if (!*folder)
		return;
	slash = strrchr(*folder, '/');
	*slash = '\0';
	if (!fs_open_folder(*folder, &parent, &err) ||
	    !fs_remove_tree(parent, slash + 1, &err))
		fprintf(stderr, "%s\n", err.text);
	memory_release(folder);
}

#endif
