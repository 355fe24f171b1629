#include "fs_copy.h"

#include <errno.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

#include "fs.h"

#define COPY_SIZE (128 * 1024)

/* Shares the extents of `from`; false where the file system has no such thing.
 */
static bool clone(int from, int to)
{
#ifdef __linux__
	return !ioctl(to, FICLONE, from);
#else
	(void)from, (void)to;
	return false;
#endif
}

/* Within the kernel, as far as that goes; what is left is done by hand. */
static void copy_range(int from, int to, off_t *done, off_t size)
{
#ifdef __linux__
	while (*done < size) {
		ssize_t copied = copy_file_range(from, done, to, NULL,
						 (size_t)(size - *done), 0);

		if (copied == 0 || (copied < 0 && errno != EINTR))
			return;
	}
#else
	(void)from, (void)to, (void)done, (void)size;
#endif
}

static bool copy_by_hand(int from, int to, off_t done, off_t size,
			 const char *name, struct error *err)
{
	char bytes[COPY_SIZE];

	while (done < size) {
		ssize_t got =
			fs_read_at(from, bytes, sizeof(bytes), (uint64_t)done);

		if (got < 0)
			return error_system(err, errno, "cannot read %s", name);
		if (!got)
			return error_set(err, ERROR_FILESYSTEM,
					 "%s became shorter while it was read",
					 name);
		if (!fs_write_all(to, bytes, (size_t)got, name, err))
			return false;
		done += got;
	}
	return true;
}

bool fs_copy_bytes(int from, int to, const char *name, enum fs_copy_way *way,
		   struct error *err)
{
	struct stat st;
	off_t done = 0;

	if (*way != FS_COPY_PLAIN && clone(from, to))
		return true;
	if (*way == FS_COPY_CLONE)
		return error_set(err, ERROR_FILESYSTEM,
				 "this file system does not clone");
	*way = FS_COPY_PLAIN;
	if (fstat(from, &st))
		return error_system(err, errno, "cannot look at %s", name);
	/* For little, read and write are quicker. */
	if (st.st_size > COPY_SIZE)
		copy_range(from, to, &done, st.st_size);
	return copy_by_hand(from, to, done, st.st_size, name, err);
}
