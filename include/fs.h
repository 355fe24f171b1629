/*
 * fs.h - the file system, relative to open folders.
 *
 * The only raw file system calls beside tempfile.c and lock.c. Relative paths
 * are resolved beneath the folder given, never through a symbolic link: with
 * openat2(2) where the kernel has it, component by component elsewhere.
 * Errors are of kind FILESYSTEM and name the path; ENOSPC and EDQUOT add the
 * space that is left.
 */
#ifndef RNE_FS_H
#define RNE_FS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "list.h"

/* "cannot <what> <path>: <why>", with the space left at `at` when the disk is
 * full; returns false. */
bool fs_failed(struct error *err, int code, int at, const char *what,
	       const char *path);

/* For CLEANUP: closes and sets to -1; a failure is not reported, so it is for
 * descriptors that were only read, and for error paths. */
void fs_close(int *fd);
/* Closes what was written; the file is only sound when this says so. */
bool fs_close_written(int *fd, const char *name, struct error *err) NODISCARD;

/* By any path, symbolic links followed; -1 and errno as openat(2), though
 * never EINTR. Creates nothing. */
int fs_open_named(int at, const char *path, int flags) NODISCARD;
/* A folder in the same way: for --app, --cache-dir. */
bool fs_open_folder(const char *path, int *fd, struct error *err) NODISCARD;
/* A folder beneath `at`; no link is followed. */
bool fs_open_folder_at(int at, const char *path, int *fd,
		       struct error *err) NODISCARD;
/* Opens beneath `at`, no link followed; -1 and errno as openat(2). */
int fs_open_at(int at, const char *path, int flags, mode_t mode) NODISCARD;

/* The largest part of `path` that exists is kept; modes 0755. */
bool fs_make_folders(const char *path, struct error *err) NODISCARD;
bool fs_make_folders_at(int at, const char *path, struct error *err) NODISCARD;

/*
 * lstat in one call: links on the way are followed, since looking writes
 * nothing. 1: there; 0: not there (also when a parent is missing or not a
 * folder); -1: error set.
 */
int fs_stat_at(int at, const char *path, struct stat *st,
	       struct error *err) NODISCARD;

/*
 * Reads a regular file whole. More than `limit` bytes, a folder, a FIFO or a
 * device is an error, and none of them blocks. `found` (may be NULL) tells a
 * missing file from an empty one; with NULL a missing file is an error.
 */
bool fs_read_file(int at, const char *path, uint64_t limit, struct buf *out,
		  bool *found, struct error *err) NODISCARD;
/* The same of an open file. */
bool fs_read_open(int fd, const char *name, uint64_t limit, struct buf *out,
		  struct error *err) NODISCARD;

/* pread(2), though never EINTR. */
ssize_t fs_read_at(int fd, void *into, size_t room, uint64_t offset) NODISCARD;
bool fs_write_all(int fd, const void *bytes, size_t length, const char *name,
		  struct error *err) NODISCARD;

/* Removes a file; a missing one is fine. */
bool fs_remove_file(int at, const char *path, struct error *err) NODISCARD;
/* Removes whatever lies at `path`, folders and all; links are not followed. */
bool fs_remove_tree(int at, const char *path, struct error *err) NODISCARD;
/* Removes the folder if it is empty. 1 removed, 0 not empty or not there. */
int fs_remove_empty_folder(int at, const char *path,
			   struct error *err) NODISCARD;
bool fs_rename(int from_at, const char *from, int to_at, const char *to,
	       struct error *err) NODISCARD;
/* The names in a folder beneath `at`, sorted, without "." and "..". */
bool fs_list(int at, const char *path, struct list *names,
	     struct error *err) NODISCARD;
/* The target of a symbolic link; the caller frees it. */
bool fs_read_link(int at, const char *path, char **target,
		  struct error *err) NODISCARD;

/* A second name for a file that is no folder: false where there is none to be
 * had. True, too, when `to` is one already. */
bool fs_link(int at, const char *from, const char *to) NODISCARD;

/* A symbolic link; it must not be there. */
bool fs_make_link(int at, const char *name, const char *target,
		  struct error *err) NODISCARD;

/*
 * Durability. fs_sync: one file or folder. fs_sync_all: everything on the
 * file system that `fd` lies on. Both do nothing after fs_set_durable(false),
 * which --no-sync does.
 */
bool fs_sync(int fd, const char *name, struct error *err) NODISCARD;
bool fs_sync_all(int fd, const char *name, struct error *err) NODISCARD;
void fs_set_durable(bool durable);

/* When `err` is about a full disk: what is left at `at`, and how many bytes
 * more would be needed; 0: nobody knows. */
void fs_hint_space(struct error *err, int at, uint64_t needed);

int64_t fs_mtime(const struct stat *st); /* nanoseconds since the epoch */
bool fs_same_file(const struct stat *a, const struct stat *b);

#endif
