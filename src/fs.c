#include "fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "memory.h"
#include "path.h"

#define FOLDER_FLAGS    (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define REMOVE_DEPTH    128
#define LINK_TARGET_MAX 4096

void fs_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool fs_close_written(int *fd, const char *name, struct error *err)
{
	int closing = *fd;

	*fd = -1;
	/* After EINTR the descriptor is gone on Linux; never close it twice. */
	if (close(closing) && errno != EINTR)
		return error_system(err, errno, "cannot write %s", name);
	return true;
}

bool fs_failed(struct error *err, int code, int at, const char *what,
	       const char *path)
{
	error_system(err, code, "cannot %s %s", what, path);
	fs_hint_space(err, at, 0);
	return false;
}

/* A full disk is the one failure where numbers help. */
void fs_hint_space(struct error *err, int at, uint64_t needed)
{
	struct statvfs st = {0};
	char more[64] = "";
	bool found;

	if (!err->no_space)
		return;
	found = at == AT_FDCWD ? !statvfs(".", &st) : !fstatvfs(at, &st);
	if (needed)
		snprintf(more, sizeof(more), " and %llu KB more are needed",
			 (unsigned long long)(needed + 1023) >> 10);
	if (found && st.f_files && !st.f_favail)
		error_hint(err,
			   "All %llu inodes are taken there. Remove some "
			   "files and run the command again; nothing has "
			   "to be cleaned up.",
			   (unsigned long long)st.f_files);
	else
		error_hint(err,
			   "%llu KB are left there%s. Free some space and "
			   "run the command again; nothing has to be "
			   "cleaned up.",
			   (unsigned long long)st.f_bavail * st.f_frsize >> 10,
			   more);
}

/* The folder that `path` lies in, for the calls that take no flags. */
static int open_parent(int at, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *parent CLEANUP(memory_release) = path_parent(path);

	*name = slash ? slash + 1 : path;
	return fs_open_at(at, *parent ? parent : ".", FOLDER_FLAGS, 0);
}

static bool is_absent(int code)
{
	return code == ENOENT || code == ENOTDIR || code == ELOOP;
}

int fs_stat_at(int at, const char *path, struct stat *st, struct error *err)
{
	if (fstatat(at, path, st, AT_SYMLINK_NOFOLLOW)) {
		if (is_absent(errno))
			return 0;
		error_system(err, errno, "cannot look at %s", path);
		return -1;
	}
	return 1;
}

bool fs_read_open(int fd, const char *path, uint64_t limit, struct buf *out,
		  struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_system(err, errno, "cannot look at %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_FILESYSTEM,
				 "%s must be a file, but is %s", path,
				 S_ISDIR(st.st_mode) ? "a folder"
						     : "something else");
	for (;;) {
		size_t room = 16384;
		ssize_t got;

		if ((uint64_t)out->length > limit ||
		    (uint64_t)st.st_size > limit)
			return error_set(err, ERROR_FILESYSTEM,
					 "%s is larger than the %llu KB that "
					 "such a file may have",
					 path,
					 (unsigned long long)(limit >> 10));
		if (st.st_size > (off_t)out->length)
			room = (size_t)(st.st_size - (off_t)out->length) + 1;
		got = read(fd, buf_reserve(out, room), room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_system(err, errno, "cannot read %s", path);
		if (!got)
			return true;
		out->length += (size_t)got;
		out->data[out->length] = '\0';
	}
}

bool fs_read_file(int at, const char *path, uint64_t limit, struct buf *out,
		  bool *found, struct error *err)
{
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	int fd CLEANUP(fs_close) =
		fs_open_named(at, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 && found && (errno == ENOENT || errno == ENOTDIR)) {
		*found = false;
		return true;
	}
	if (fd < 0)
		return error_system(err, errno, "cannot open %s", path);
	if (!fs_read_open(fd, path, limit, out, err))
		return false;
	if (found)
		*found = true;
	return true;
}

ssize_t fs_read_at(int fd, void *into, size_t room, uint64_t offset)
{
	ssize_t got;

	do {
		got = pread(fd, into, room, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got;
}

bool fs_write_all(int fd, const void *bytes, size_t length, const char *name,
		  struct error *err)
{
	const char *at = bytes;

	while (length) {
		ssize_t written = write(fd, at, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			error_system(err, errno, "cannot write %s", name);
			fs_hint_space(err, fd, length);
			return false;
		}
		at += written;
		length -= (size_t)written;
	}
	return true;
}

bool fs_remove_file(int at, const char *path, struct error *err)
{
	const char *name;
	int parent CLEANUP(fs_close) = open_parent(at, path, &name);

	if (parent >= 0 && !unlinkat(parent, name, 0))
		return true;
	if (is_absent(errno))
		return true;
	return error_system(err, errno, "cannot remove %s", path);
}

static bool remove_tree(int at, const char *name, unsigned depth,
			struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	int folder CLEANUP(fs_close) = -1;

	if (!unlinkat(at, name, 0) || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return error_system(err, errno, "cannot remove %s", name);
	if (!depth)
		return error_set(err, ERROR_FILESYSTEM,
				 "cannot remove %s: folders lie too deep",
				 name);
	if (!fs_open_folder_at(at, name, &folder, err) ||
	    !fs_list(folder, ".", &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		if (!remove_tree(folder, names.items[i], depth - 1, err))
			return error_prefix(err, "%s", name);
	}
	if (unlinkat(at, name, AT_REMOVEDIR) && errno != ENOENT)
		return error_system(err, errno, "cannot remove the folder %s",
				    name);
	return true;
}

bool fs_remove_tree(int at, const char *path, struct error *err)
{
	const char *name;
	int parent CLEANUP(fs_close) = open_parent(at, path, &name);

	if (parent < 0 && is_absent(errno))
		return true;
	if (parent < 0)
		return error_system(err, errno, "cannot remove %s", path);
	return remove_tree(parent, name, REMOVE_DEPTH, err);
}

int fs_remove_empty_folder(int at, const char *path, struct error *err)
{
	const char *name;
	int parent CLEANUP(fs_close) = open_parent(at, path, &name);

	if (parent >= 0 && !unlinkat(parent, name, AT_REMOVEDIR))
		return 1;
	if (is_absent(errno) || errno == ENOTEMPTY || errno == EEXIST)
		return 0;
	error_system(err, errno, "cannot remove the folder %s", path);
	return -1;
}

bool fs_rename(int from_at, const char *from, int to_at, const char *to,
	       struct error *err)
{
	const char *from_name, *to_name;
	int from_parent CLEANUP(fs_close) =
		open_parent(from_at, from, &from_name);
	int to_parent CLEANUP(fs_close) = -1;

	if (from_parent < 0)
		return error_system(err, errno, "cannot rename %s", from);
	to_parent = open_parent(to_at, to, &to_name);
	if (to_parent < 0 ||
	    renameat(from_parent, from_name, to_parent, to_name))
		return fs_failed(err, errno, to_at, "put in its place the file",
				 to);
	return true;
}

bool fs_list(int at, const char *path, struct list *names, struct error *err)
{
	int fd = fs_open_at(at, path, FOLDER_FLAGS, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		error_system(err, errno, "cannot list the folder %s", path);
		fs_close(&fd);
		return false;
	}
	while ((errno = 0, entry = readdir(stream))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			list_add(names, entry->d_name);
	}
	if (errno) {
		error_system(err, errno, "cannot list the folder %s", path);
		closedir(stream);
		return false;
	}
	closedir(stream);
	list_sort(names);
	return true;
}

bool fs_read_link(int at, const char *path, char **target, struct error *err)
{
	char text[LINK_TARGET_MAX];
	const char *name;
	int parent CLEANUP(fs_close) = open_parent(at, path, &name);
	ssize_t length =
		parent < 0 ? -1 : readlinkat(parent, name, text, sizeof(text));

	if (length < 0)
		return error_system(err, errno, "cannot read the link %s",
				    path);
	if (length == sizeof(text))
		return error_set(err, ERROR_FILESYSTEM,
				 "the link %s is too long", path);
	*target = memory_string_n(text, (size_t)length);
	return true;
}

bool fs_link(int at, const char *from, const char *to)
{
	const char *from_name, *to_name;
	int from_parent CLEANUP(fs_close) = open_parent(at, from, &from_name);
	int to_parent CLEANUP(fs_close) = open_parent(at, to, &to_name);
	struct stat one, two;

	if (from_parent < 0 || to_parent < 0)
		return false;
	if (!linkat(from_parent, from_name, to_parent, to_name, 0))
		return true;
	return errno == EEXIST &&
	       !fstatat(from_parent, from_name, &one, AT_SYMLINK_NOFOLLOW) &&
	       !fstatat(to_parent, to_name, &two, AT_SYMLINK_NOFOLLOW) &&
	       fs_same_file(&one, &two);
}

bool fs_make_link(int at, const char *name, const char *target,
		  struct error *err)
{
	if (symlinkat(target, at, name))
		return fs_failed(err, errno, at, "create the link", name);
	return true;
}

int64_t fs_mtime(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

bool fs_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
