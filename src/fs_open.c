/* Opening below a folder, through no link, and making folders there. */
#include "fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#include "memory.h"
#include "path.h"

#define FOLDER_MODE  0755
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* One component at a time, so that no link is ever followed. */
static int open_stepwise(int at, const char *path, int flags, mode_t mode)
{
	int folder = at;

	for (;;) {
		size_t length = strcspn(path, "/");
		char name[NAME_MAX + 1];
		bool last = path[length] == '\0';
		int next;

		if (length > NAME_MAX) {
			errno = ENAMETOOLONG;
			next = -1;
		} else if (!length || (length == 2 && !memcmp(path, "..", 2))) {
			errno = EINVAL;
			next = -1;
		} else {
			memcpy(name, path, length);
			name[length] = '\0';
			next = openat(folder, name,
				      last ? flags | O_NOFOLLOW | O_CLOEXEC
					   : FOLDER_FLAGS | O_NOFOLLOW,
				      mode);
		}
		if (folder != at) {
			int saved = errno;

			close(folder);
			errno = saved;
		}
		if (next < 0 || last)
			return next;
		folder = next;
		path += length + 1;
	}
}

int fs_open_at(int at, const char *path, int flags, mode_t mode)
{
	int fd;

#ifdef __linux__
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC | O_NOFOLLOW,
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};

	/* RESOLVE_BENEATH answers EAGAIN when a rename races with it. */
	do {
		fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
	} while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;
#endif
	do {
		fd = open_stepwise(at, path, flags, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

int fs_open_named(int at, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(at, path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

bool fs_open_folder(const char *path, int *fd, struct error *err)
{
	int folder = fs_open_named(AT_FDCWD, path, FOLDER_FLAGS);

	if (folder < 0)
		return error_system(err, errno, "cannot open the folder %s",
				    path);
	*fd = folder;
	return true;
}

bool fs_open_folder_at(int at, const char *path, int *fd, struct error *err)
{
	int folder = fs_open_at(at, path, FOLDER_FLAGS, 0);

	if (folder < 0 && (errno == ELOOP || errno == ENOTDIR)) {
		error_system(err, errno, "%s must be a folder, and not a link",
			     path);
		return error_hint(err, "Move it away and run the command "
				       "again.");
	}
	if (folder < 0)
		return error_system(err, errno, "cannot open the folder %s",
				    path);
	*fd = folder;
	return true;
}

bool fs_make_folders(const char *path, struct error *err)
{
	char *parent CLEANUP(memory_release) = NULL;

	if (!mkdir(path, FOLDER_MODE))
		return true;
	if (errno == EEXIST) {
		struct stat st;

		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			return true;
		return error_set(err, ERROR_FILESYSTEM,
				 "%s must be a folder, but is something else",
				 path);
	}
	parent = path_parent(path);
	if (errno != ENOENT || !*parent)
		return fs_failed(err, errno, AT_FDCWD, "create the folder",
				 path);
	if (!fs_make_folders(parent, err))
		return false;
	if (mkdir(path, FOLDER_MODE) && errno != EEXIST)
		return fs_failed(err, errno, AT_FDCWD, "create the folder",
				 path);
	return true;
}

bool fs_make_folders_at(int at, const char *path, struct error *err)
{
	int folder CLEANUP(fs_close) =
		fs_open_at(at, *path ? path : ".", FOLDER_FLAGS, 0);
	const char *rest = path;

	if (folder >= 0)
		return true; /* most often */
	folder = fs_open_at(at, ".", FOLDER_FLAGS, 0);
	if (folder < 0)
		return error_system(err, errno,
				    "cannot open the folder above "
				    "%s",
				    path);
	while (*rest) {
		size_t length = strcspn(rest, "/");
		char *name CLEANUP(memory_release) =
			memory_string_n(rest, length);
		int next;

		if (mkdirat(folder, name, FOLDER_MODE) && errno != EEXIST)
			return fs_failed(err, errno, folder,
					 "create the folder", path);
		if (!fs_open_folder_at(folder, name, &next, err))
			return strcmp(name, path)
				       ? error_prefix(err, "%s", path)
				       : false;
		fs_close(&folder);
		folder = next;
		rest += length;
		rest += *rest == '/';
	}
	return true;
}
