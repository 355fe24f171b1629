/*
 * scratch.h - a folder for a fuzz target's files, made on first use below
 * $TMPDIR, in memory where there is none, and removed at the end.
 */
#ifndef FUZZ_SCRATCH_H
#define FUZZ_SCRATCH_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fs.h"
#include "fuzz.h"

static char scratch_path[64];

static inline void scratch_remove(void)
{
	struct error err = ERROR_INIT;
	int parent = -1;
	char *slash = strrchr(scratch_path, '/');

	*slash = '\0';
	if (!fs_open_folder(scratch_path, &parent, &err) ||
	    !fs_remove_tree(parent, slash + 1, &err))
		fprintf(stderr, "%s\n", err.text);
	fs_close(&parent);
}

/* Its path, absolute. */
static inline const char *scratch(void)
{
	const char *parent = getenv("TMPDIR");

	if (*scratch_path)
		return scratch_path;
	if (!parent || !*parent || strlen(parent) > 30)
		parent = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(scratch_path, sizeof(scratch_path), "%s/rne-fuzz.XXXXXX",
		 parent);
	FUZZ_ASSERT(mkdtemp(scratch_path));
	atexit(scratch_remove);
	fs_set_durable(false);
	return scratch_path;
}

/* An open folder in it, made where it is not there; "." is itself. */
static inline int scratch_folder(const char *name)
{
	struct error err = ERROR_INIT;
	int root = -1, folder = -1;

	FUZZ_ASSERT(fs_open_folder(scratch(), &root, &err));
	FUZZ_ASSERT(fs_make_folders_at(root, name, &err));
	FUZZ_ASSERT(fs_open_folder_at(root, name, &folder, &err));
	fs_close(&root);
	return folder;
}

static inline void scratch_write(int folder, const char *name,
				 const void *bytes, size_t length)
{
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	FUZZ_ASSERT(file >= 0 && write(file, bytes, length) == (ssize_t)length);
	close(file);
}

/* An open file without a name that holds these bytes. */
static inline int scratch_file(const void *bytes, size_t length)
{
	int file = memfd_create("fuzz", 0);

	FUZZ_ASSERT(file >= 0 && write(file, bytes, length) == (ssize_t)length);
	return file;
}

#endif
