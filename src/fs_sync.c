/* What has to be on the disk before anything relies on it. */
#include "fs.h"

#include <errno.h>
#include <unistd.h>

static bool durable = true;

void fs_set_durable(bool value)
{
	durable = value;
}

bool fs_sync(int fd, const char *name, struct error *err)
{
	if (!durable)
		return true;
	while (fsync(fd)) {
		if (errno == EINTR)
			continue;
		/* Folders cannot be synced everywhere; files must be. */
		if (errno == EINVAL || errno == EROFS)
			return true;
		return fs_failed(err, errno, fd, "save", name);
	}
	return true;
}

bool fs_sync_all(int fd, const char *name, struct error *err)
{
	if (!durable)
		return true;
#ifdef __linux__
	if (!syncfs(fd))
		return true;
	return fs_failed(err, errno, fd, "save", name);
#else
	(void)fd, (void)name, (void)err;
	sync();
	return true;
#endif
}
