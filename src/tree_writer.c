#include "tree_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "memory.h"
#include "path.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY)
#define FILE_FLAGS   (O_WRONLY | O_CREAT | O_EXCL)

void tree_writer_start(struct tree_writer *writer, int into)
{
	*writer = (struct tree_writer){
		.into = into,
		.folder_fd = -1,
		.file = -1,
	};
}

void tree_writer_release(struct tree_writer *writer)
{
	fs_close(&writer->file);
	fs_close(&writer->folder_fd);
	hasher_drop(&writer->hasher);
	memory_release(&writer->folder);
	memory_release(&writer->path);
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool enter(struct tree_writer *writer, const char *folder,
		  struct error *err);

/* Its parent becomes the current folder on the way. */
static int make_folder(struct tree_writer *writer, const char *path,
		       struct error *err)
{
	char *parent CLEANUP(memory_release) = path_parent(path);
	int folder;

	if (!enter(writer, parent, err))
		return -1;
	if (mkdirat(writer->folder_fd, last_name(path), 0755) &&
	    errno != EEXIST) {
		fs_failed(err, errno, writer->folder_fd, "create the folder",
			  path);
		return -1;
	}
	folder =
		fs_open_at(writer->folder_fd, last_name(path), FOLDER_FLAGS, 0);
	if (folder < 0 || fchmod(folder, 0755)) {
		error_system(err, errno, "cannot use the folder %s", path);
		fs_close(&folder);
	}
	return folder;
}

/*
 * Makes `folder` the current one, creating what is missing of it. Goes no
 * deeper than a path may be (PATH_DEPTH_MAX).
 */
static bool enter(struct tree_writer *writer, const char *folder,
		  struct error *err)
{
	int found;

	if (writer->folder && !strcmp(writer->folder, folder))
		return true;
	found = fs_open_at(writer->into, *folder ? folder : ".", FOLDER_FLAGS,
			   0);
	if (found < 0 && errno == ENOENT && *folder)
		found = make_folder(writer, folder, err);
	else if (found < 0)
		error_system(err, errno, "cannot open the folder %s", folder);
	if (found < 0)
		return false;
	fs_close(&writer->folder_fd);
	writer->folder_fd = found;
	free(writer->folder);
	writer->folder = memory_string(folder);
	return true;
}

static bool enter_parent(struct tree_writer *writer, const char *path,
			 struct error *err)
{
	char *parent CLEANUP(memory_release) = path_parent(path);

	return enter(writer, parent, err);
}

bool tree_writer_folder(struct tree_writer *writer, const char *path,
			struct error *err)
{
	return writer->into < 0 || enter(writer, path, err);
}

static bool create(struct tree_writer *writer, const char *path,
		   bool executable, int *file, struct error *err)
{
	mode_t mode = executable ? 0755 : 0644;

	if (!enter_parent(writer, path, err))
		return false;
	*file = fs_open_at(writer->folder_fd, last_name(path), FILE_FLAGS,
			   mode);
	if (*file < 0)
		return fs_failed(err, errno, writer->folder_fd, "create", path);
	if (fchmod(*file, mode)) {
		error_system(err, errno, "cannot set the mode of %s", path);
		fs_close(file);
		return false;
	}
	return true;
}

bool tree_writer_open(struct tree_writer *writer, const char *path,
		      bool executable, bool hash, struct error *err)
{
	if (writer->into >= 0 &&
	    !create(writer, path, executable, &writer->file, err))
		return false;
	writer->path = memory_string(path);
	if (hash)
		writer->hasher = hasher_start();
	return true;
}

bool tree_writer_add(struct tree_writer *writer, const void *bytes,
		     size_t length, struct error *err)
{
	if (writer->hasher)
		hasher_add(writer->hasher, bytes, length);
	return writer->into < 0 ||
	       fs_write_all(writer->file, bytes, length, writer->path, err);
}

bool tree_writer_close(struct tree_writer *writer, struct digest *digest,
		       struct error *err)
{
	bool closed = writer->into < 0 ||
		      fs_close_written(&writer->file, writer->path, err);

	if (writer->hasher)
		hasher_finish(writer->hasher, digest);
	writer->hasher = NULL;
	memory_release(&writer->path);
	return closed;
}

bool tree_writer_take(struct tree_writer *writer, int from, const char *path,
		      bool executable, enum fs_copy_way *way, struct error *err)
{
	int file CLEANUP(fs_close) = -1;

	return create(writer, path, executable, &file, err) &&
	       fs_copy_bytes(from, file, path, way, err) &&
	       fs_close_written(&file, path, err);
}

bool tree_writer_copy(struct tree_writer *writer, const char *from,
		      const char *path, bool executable, struct error *err)
{
	enum fs_copy_way way = FS_COPY_ANY;
	int source CLEANUP(fs_close) = -1;

	if (writer->into < 0)
		return true;
	source = fs_open_at(writer->into, from, O_RDONLY, 0);
	if (source < 0)
		return error_system(err, errno, "cannot read %s", from);
	return tree_writer_take(writer, source, path, executable, &way, err);
}

bool tree_writer_link(struct tree_writer *writer, const char *path,
		      const char *target, struct error *err)
{
	if (writer->into < 0)
		return true;
	if (!enter_parent(writer, path, err))
		return false;
	if (symlinkat(target, writer->folder_fd, last_name(path)))
		return fs_failed(err, errno, writer->folder_fd,
				 "create the link", path);
	return true;
}
