/*
 * calls.c - the calls that can be made to fail; see inject.h.
 */
#define _GNU_SOURCE
#include "inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RAW      inject_raw()
#define NO_PLACE INJECT_NO_PLACE

static size_t half_of(int code, size_t size)
{
	return code == INJECT_HALF ? (size + 1) / 2 : size;
}

/* The call of that name that is behind ours. */
#define REAL(name)                     \
	static __typeof__(&name) real; \
	if (!real)                     \
	real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* A call that changes no content and no name on disk. */
#define LOOK(type, name, failed, at, path, types, values)  \
	type name types                                    \
	{                                                  \
		int code = inject(LOOKS, #name, at, path); \
		REAL(name);                                \
                                                           \
		if (code > 0) {                            \
			errno = code;                      \
			return failed;                     \
		}                                          \
		return real values;                        \
	}

/* clang-format off */
LOOK(int, fstat, -1, fd, NULL, (int fd, struct stat *st), (fd, st))
LOOK(int, fstat64, -1, fd, NULL,
     (int fd, struct stat64 *st), (fd, st))
LOOK(int, stat, -1, AT_FDCWD, path,
     (const char *path, struct stat *st), (path, st))
LOOK(int, stat64, -1, AT_FDCWD, path,
     (const char *path, struct stat64 *st), (path, st))
LOOK(int, lstat, -1, AT_FDCWD, path,
     (const char *path, struct stat *st), (path, st))
LOOK(int, lstat64, -1, AT_FDCWD, path,
     (const char *path, struct stat64 *st), (path, st))
LOOK(int, fstatat, -1, at, path,
     (int at, const char *path, struct stat *st, int flags),
     (at, path, st, flags))
LOOK(int, fstatat64, -1, at, path,
     (int at, const char *path, struct stat64 *st, int flags),
     (at, path, st, flags))
LOOK(int, access, -1, AT_FDCWD, path,
     (const char *path, int mode), (path, mode))
LOOK(ssize_t, readlinkat, -1, at, path,
     (int at, const char *path, char *into, size_t size),
     (at, path, into, size))
LOOK(char *, realpath, NULL, AT_FDCWD, path,
     (const char *path, char *into), (path, into))
LOOK(char *, getcwd, NULL, AT_FDCWD, NULL,
     (char *into, size_t size), (into, size))
LOOK(FILE *, fopen, NULL, AT_FDCWD, path,
     (const char *path, const char *mode), (path, mode))
LOOK(FILE *, fopen64, NULL, AT_FDCWD, path,
     (const char *path, const char *mode), (path, mode))
LOOK(DIR *, fdopendir, NULL, fd, NULL, (int fd), (fd))
LOOK(DIR *, opendir, NULL, AT_FDCWD, path, (const char *path), (path))
LOOK(struct dirent *, readdir, NULL, dirfd(stream), NULL,
     (DIR *stream), (stream))
LOOK(struct dirent64 *, readdir64, NULL, dirfd(stream), NULL,
     (DIR *stream), (stream))
LOOK(int, flock, -1, fd, NULL, (int fd, int operation), (fd, operation))
LOOK(int, fchmod, -1, fd, NULL, (int fd, mode_t mode), (fd, mode))
LOOK(int, utimensat, -1, at, path,
     (int at, const char *path, const struct timespec times[2], int flags),
     (at, path, times, flags))
LOOK(ssize_t, getrandom, -1, NO_PLACE, NULL,
     (void *into, size_t size, unsigned flags), (into, size, flags))
LOOK(int, socketpair, -1, NO_PLACE, NULL,
     (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends))
LOOK(int, socket, -1, NO_PLACE, NULL,
     (int domain, int type, int protocol), (domain, type, protocol))
LOOK(int, connect, -1, NO_PLACE, NULL,
     (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size))
LOOK(pid_t, waitpid, -1, NO_PLACE, NULL,
     (pid_t pid, int *status, int options), (pid, status, options))
LOOK(ssize_t, recv, -1, NO_PLACE, NULL,
     (int fd, void *into, size_t size, int flags), (fd, into, size, flags))
LOOK(ssize_t, send, -1, NO_PLACE, NULL,
     (int fd, const void *from, size_t size, int flags),
     (fd, from, size, flags))
LOOK(ssize_t, recvmsg, -1, NO_PLACE, NULL,
     (int fd, struct msghdr *message, int flags), (fd, message, flags))
LOOK(ssize_t, sendmsg, -1, NO_PLACE, NULL,
     (int fd, const struct msghdr *message, int flags), (fd, message, flags))

#define READ(name, types, values)                                              \
	ssize_t name types                                                     \
	{                                                                      \
		int code = inject(LOOKS, #name, fd, NULL);             \
		REAL(name);                                                    \
                                                                               \
		if (code > 0) {                                                \
			errno = code;                                          \
			return -1;                                             \
		}                                                              \
		size = half_of(code, size);                                    \
		return real values;                                            \
	}

/* A change that happens or does not. */
#define CHANGE(what, name, at, path, to_at, to, number, types, values)         \
	int name types                                                         \
	{                                                                      \
		int code = inject(CHANGES, #name, at, path), result;   \
		bool begun;                                                    \
		REAL(name);                                                    \
                                                                               \
		if (code > 0) {                                                \
			errno = code;                                          \
			return -1;                                             \
		}                                                              \
		begun = inject_change_begin();                                 \
		result = real values;                                          \
		if (begun && !result)                                          \
			inject_change(what, at, path, to_at, to,               \
				      (uint64_t)(number), NULL, 0);            \
		inject_change_end(begun);                                      \
		return result;                                                 \
	}

CHANGE("size", ftruncate, fd, NULL, NO_PLACE, NULL, size,
       (int fd, off_t size), (fd, size))
CHANGE("size", ftruncate64, fd, NULL, NO_PLACE, NULL, size,
       (int fd, off64_t size), (fd, size))
CHANGE("rename", renameat, at, from, to_at, to, 0,
       (int at, const char *from, int to_at, const char *to),
       (at, from, to_at, to))
CHANGE("rename", rename, AT_FDCWD, from, AT_FDCWD, to, 0,
       (const char *from, const char *to), (from, to))
CHANGE("second", linkat, at, from, to_at, to, 0,
       (int at, const char *from, int to_at, const char *to, int flags),
       (at, from, to_at, to, flags))
CHANGE("remove", unlinkat, at, path, NO_PLACE, NULL, 0,
       (int at, const char *path, int flags), (at, path, flags))
CHANGE("remove", unlink, AT_FDCWD, path, NO_PLACE, NULL, 0,
       (const char *path), (path))
CHANGE("remove", rmdir, AT_FDCWD, path, NO_PLACE, NULL, 0,
       (const char *path), (path))
CHANGE("folder", mkdirat, at, path, NO_PLACE, NULL, 0,
       (int at, const char *path, mode_t mode), (at, path, mode))
CHANGE("folder", mkdir, AT_FDCWD, path, NO_PLACE, NULL, 0,
       (const char *path, mode_t mode), (path, mode))
CHANGE("link", symlinkat, at, path, NO_PLACE, target, 0,
       (const char *target, int at, const char *path), (target, at, path))

READ(read, (int fd, void *into, size_t size), (fd, into, size))
READ(pread, (int fd, void *into, size_t size, off_t at), (fd, into, size, at))
READ(pread64, (int fd, void *into, size_t size, off64_t at),
     (fd, into, size, at))
/* clang-format on */

#define SYNC(what, name)                                                       \
	int name(int fd)                                                       \
	{                                                                      \
		int code = inject(CHANGES, #name, fd, NULL);                   \
		bool begun;                                                    \
		REAL(name);                                                    \
                                                                               \
		if (code > 0) {                                                \
			errno = code;                                          \
			return -1;                                             \
		}                                                              \
		begun = inject_change_begin();                                 \
		code = inject_believes_syncs() ? 0 : real(fd);                 \
		if (begun && !code)                                            \
			inject_change(what, fd, NULL, NO_PLACE, NULL, 0, NULL, \
				      0);                                      \
		inject_change_end(begun);                                      \
		return code;                                                   \
	}

SYNC("sync", fsync)
SYNC("sync all", syncfs)

ssize_t write(int fd, const void *from, size_t size)
{
	int code = inject(CHANGES, "write", fd, NULL);
	ssize_t written;
	bool begun;
	REAL(write);

	if (code > 0) {
		errno = code;
		return -1;
	}
	begun = inject_change_begin();
	written = real(fd, from, half_of(code, size));
	if (begun && written > 0)
		inject_change(
			"write", fd, NULL, NO_PLACE, NULL,
			(uint64_t)(RAW(SYS_lseek, fd, 0L, SEEK_CUR) - written),
			from, (size_t)written);
	inject_change_end(begun);
	return written;
}

#define PWRITE(name, off_type)                                              \
	ssize_t name(int fd, const void *from, size_t size, off_type at)    \
	{                                                                   \
		int code = inject(CHANGES, #name, fd, NULL);                \
		ssize_t written;                                            \
		bool begun;                                                 \
		REAL(name);                                                 \
                                                                            \
		if (code > 0) {                                             \
			errno = code;                                       \
			return -1;                                          \
		}                                                           \
		begun = inject_change_begin();                              \
		written = real(fd, from, half_of(code, size), at);          \
		if (begun && written > 0)                                   \
			inject_change("write", fd, NULL, NO_PLACE, NULL,    \
				      (uint64_t)at, from, (size_t)written); \
		inject_change_end(begun);                                   \
		return written;                                             \
	}

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at,
			size_t size, unsigned flags)
{
	int code = inject(CHANGES, "copy_file_range", to, NULL);
	off64_t start = from_at ? *from_at : 0;
	ssize_t copied;
	bool begun;
	void *bytes;
	REAL(copy_file_range);

	if (code > 0) {
		errno = code;
		return -1;
	}
	begun = inject_change_begin();
	copied = real(from, from_at, to, to_at, half_of(code, size), flags);
	if (begun && copied > 0) {
		bytes = malloc((size_t)copied);
		RAW(SYS_pread64, from, bytes, copied, start);
		inject_change("write", to, NULL, NO_PLACE, NULL,
			      (uint64_t)start, bytes, (size_t)copied);
		free(bytes);
	}
	inject_change_end(begun);
	return copied;
}

/* It is closed, whatever is said about it. */
int close(int fd)
{
	int saved = errno;
	long flags = RAW(SYS_fcntl, fd, F_GETFL);
	bool writes = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
	int code, closed;
	REAL(close);

	errno = saved;
	code = inject(writes ? CHANGES : LOOKS, "close", fd, NULL);
	closed = real(fd);
	if (code <= 0)
		return closed;
	errno = code;
	return -1;
}

pid_t fork(void)
{
	int code = inject(LOOKS, "fork", NO_PLACE, NULL);
	pid_t pid;
	REAL(fork);

	if (code > 0) {
		errno = code;
		return -1;
	}
	inject_forking();
	pid = real();
	if (!pid)
		inject_forked();
	return pid;
}

/* It has one use here: FICLONE. */
int ioctl(int fd, unsigned long request, ...)
{
	int code = inject(LOOKS, "ioctl", fd, NULL);
	va_list list;
	void *value;
	REAL(ioctl);

	va_start(list, request);
	value = va_arg(list, void *);
	va_end(list);
	if (code > 0) {
		errno = code;
		return -1;
	}
	return real(fd, request, value);
}

static bool is_there(int at, const char *path)
{
	int saved = errno;
	struct stat st;
	bool there = !RAW(SYS_newfstatat, at, path, &st, AT_SYMLINK_NOFOLLOW);

	errno = saved;
	return there;
}

/* `how`: of openat2(2); else NULL. */
static int open_any(const char *name, int at, const char *path, uint64_t flags,
		    mode_t mode, const void *how, size_t how_size)
{
	bool changes = flags & (O_CREAT | O_TRUNC), there, begun;
	int code = inject(changes ? CHANGES : LOOKS, name, at, path);
	int fd;

	if (code > 0) {
		errno = code;
		return -1;
	}
	begun = changes && inject_change_begin();
	there = begun && is_there(at, path);
	if (how)
		fd = (int)RAW(SYS_openat2, at, path, how, how_size);
	else
		fd = (int)RAW(SYS_openat, at, path, (int)flags, mode);
	if (begun && fd >= 0 && !there)
		inject_change("create", at, path, NO_PLACE, NULL, 0, NULL, 0);
	else if (begun && fd >= 0 && (flags & O_TRUNC))
		inject_change("size", at, path, NO_PLACE, NULL, 0, NULL, 0);
	inject_change_end(begun);
	return fd;
}

#define OPEN(name, types, at)                                                 \
	int name types                                                        \
	{                                                                     \
		va_list list;                                                 \
		mode_t mode;                                                  \
                                                                              \
		va_start(list, flags);                                        \
		mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;            \
		va_end(list);                                                 \
		return open_any(#name, at, path, (unsigned)flags, mode, NULL, \
				0);                                           \
	}

OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int at, const char *path, int flags, ...), at)
OPEN(openat64, (int at, const char *path, int flags, ...), at)

/* What is not openat2(2) is Landlock or seccomp: a kernel may lack them. */
long syscall(long number, ...)
{
	long given[6];
	va_list list;
	int code;

	va_start(list, number);
	for (size_t i = 0; i < 6; i++)
		given[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_openat2) {
		const struct open_how *how = (const void *)given[2];

		return open_any("openat2", (int)given[0],
				(const char *)given[1], how->flags, 0, how,
				(size_t)given[3]);
	}
	code = inject(LOOKS, "syscall", NO_PLACE, NULL);
	if (code > 0) {
		errno = code;
		return -1;
	}
	return RAW(number, given[0], given[1], given[2], given[3], given[4],
		   given[5]);
}
