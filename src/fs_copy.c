#include "fs_copy.h"

#include <errno.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

#include "fs.h"
#include "memory.h"

#define COPY_SIZE (256 * 1024)

static bool copy_by_hand(int from, int to, off_t offset, const char *name,
			 struct error *err)
{
	char *bytes CLEANUP(memory_release) = memory_allocate(COPY_SIZE);

	for (;;) {
		ssize_t got =
			fs_read_at(from, bytes, COPY_SIZE, (uint64_t)offset);

		if (got < 0)
			return error_system(err, errno, "cannot read %s", name);
		if (!got)
			return true;
		if (!fs_write_all(to, bytes, (size_t)got, name, err))
			return false;
		offset += got;
	}
}

bool fs_clone_bytes(int from, int to)
{
#ifdef __linux__
	return !ioctl(to, FICLONE, from);
#else
	(void)from, (void)to;
	return false;
#endif
}

bool fs_copy_bytes(int from, int to, const char *name, struct error *err)
{
	off_t offset = 0;

	if (fs_clone_bytes(from, to))
		return true;
#ifdef __linux__
	for (;;) {
		ssize_t copied =
			copy_file_range(from, &offset, to, NULL, 1u << 30, 0);

		if (copied < 0 && errno == EINTR)
			continue;
		if (copied < 0 && offset == 0)
			break; /* not between these two: by hand */
		if (copied < 0)
			return fs_failed(err, errno, to, "write", name);
		if (!copied)
			return true;
	}
#endif
	return copy_by_hand(from, to, offset, name, err);
}
