#include "tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "memory.h"
#include "path.h"
#include "random.h"

char *tempfile_name(const char *final_name)
{
	char *parent CLEANUP(memory_release) = path_parent(final_name);

	return memory_printf("%s%s" TEMPFILE_PREFIX "%016llx", parent,
			     *parent ? "/" : "",
			     (unsigned long long)random_bits());
}

bool tempfile_create(struct tempfile *file, int at, const char *final_name,
		     mode_t mode, struct error *err)
{
	char *name CLEANUP(memory_release) = tempfile_name(final_name);
	int fd = fs_open_at(at, name, O_RDWR | O_CREAT | O_EXCL, mode);

	if (fd < 0)
		return fs_failed(err, errno, at, "create", name);
	if (fchmod(fd, mode)) {
		error_system(err, errno, "cannot set the mode of %s", name);
		fs_close(&fd);
		unlinkat(at, name, 0);
		return false;
	}
	file->fd = fd;
	file->at = at;
	file->name = name;
	name = NULL;
	file->final_name = memory_string(final_name);
	return true;
}

void tempfile_drop(struct tempfile *file)
{
	fs_close(&file->fd);
	if (file->name)
		unlinkat(file->at, file->name, 0);
	memory_release(&file->name);
	memory_release(&file->final_name);
}

bool tempfile_commit(struct tempfile *file, enum tempfile_care care,
		     struct error *err)
{
	if ((care == TEMPFILE_SYNC &&
	     !fs_sync(file->fd, file->final_name, err)) ||
	    !fs_close_written(&file->fd, file->final_name, err) ||
	    !fs_rename(file->at, file->name, file->at, file->final_name, err)) {
		tempfile_drop(file);
		return false;
	}
	memory_release(&file->name); /* it has its final name: keep it */
	tempfile_drop(file);
	return true;
}

bool tempfile_write(int at, const char *final_name, mode_t mode,
		    const void *bytes, size_t length, enum tempfile_care care,
		    struct error *err)
{
	struct tempfile file CLEANUP(tempfile_drop) = TEMPFILE_INIT;

	return tempfile_create(&file, at, final_name, mode, err) &&
	       fs_write_all(file.fd, bytes, length, final_name, err) &&
	       tempfile_commit(&file, care, err);
}

bool tempfile_sweep(int at, const char *path, int64_t seconds,
		    struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	int64_t latest = (int64_t)time(NULL) - seconds;

	if (!fs_list(at, path, &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *name CLEANUP(memory_release) = path_join(
			strcmp(path, ".") ? path : "", names.items[i]);
		struct stat st;
		int there;

		if (strncmp(names.items[i], TEMPFILE_PREFIX,
			    sizeof(TEMPFILE_PREFIX) - 1) != 0)
			continue;
		there = fs_stat_at(at, name, &st, err);
		if (there < 0 || (there && st.st_mtim.tv_sec <= latest &&
				  !fs_remove_tree(at, name, err)))
			return false;
	}
	return true;
}
