#include "config_file.h"

#include <fcntl.h>

#include "fs.h"

static bool is_what_it_should_be(const char *path, uint64_t limit)
{
	struct error ignored = ERROR_INIT;
	struct stat st;

	return fs_stat_at(AT_FDCWD, path, &st, &ignored) != 1 ||
	       (S_ISREG(st.st_mode) && (uint64_t)st.st_size <= limit);
}

bool config_file_read(const char *path, uint64_t limit, struct buf *out,
		      bool *found, struct error *err)
{
	if (fs_read_file(AT_FDCWD, path, limit, out, found, err))
		return true;
	if (!is_what_it_should_be(path, limit))
		err->kind = ERROR_CONFIG;
	return false;
}
