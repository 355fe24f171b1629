#include "release.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "fetch_once.h"
#include "fs.h"
#include "memory.h"
#include "url.h"

#define FETCHED "fetched"

bool release_open(struct release *release, const char *from,
		  const struct fetch_policy *policy, struct error *err)
{
	char *path CLEANUP(memory_release) = NULL;
	const char *refused;

	release->from = from;
	if (!strstr(from, "://"))
		return fs_open_folder(from, &release->folder, err);
	refused = url_refused(from);
	if (refused)
		return error_set(err, ERROR_USAGE, "the URL %s %s", from,
				 refused);
	if (!url_is_file(from))
		return fetch_open(&release->fetch, policy, err);
	path = url_file_path(from);
	if (!path)
		return error_set(err, ERROR_USAGE,
				 "the URL %s names no folder of this machine",
				 from);
	return fs_open_folder(path, &release->folder, err);
}

void release_close(struct release *release)
{
	fs_close(&release->folder);
	fetch_close(&release->fetch);
}

static bool fetch(const struct release *release, struct fetch_job *job,
		  bool *found, struct error *err)
{
	struct list urls CLEANUP(list_release) = LIST_INIT;
	char *url CLEANUP(memory_release) = url_join(release->from, job->label);
	bool fetched;

	list_add(&urls, url);
	job->urls = &urls;
	fetched = fetch_once(release->fetch, job, err);
	job->urls = NULL;
	*found = fetched;
	return fetched || job->missing;
}

static bool fetch_file(const struct release *release, const char *name,
		       int work, int *fd, struct error *err)
{
	struct fetch_job job CLEANUP(fetch_job_release) = {
		.label = name,
		.limit = RELEASE_FILE_MAX,
		.memory = BUF_INIT,
	};
	int file CLEANUP(fs_close) =
		fs_open_at(work, FETCHED, O_RDWR | O_CREAT | O_EXCL, 0600);
	bool found;

	if (file < 0)
		return error_system(err, errno, "cannot create %s", FETCHED);
	job.file = file;
	if (!fs_remove_file(work, FETCHED, err) ||
	    !fetch(release, &job, &found, err))
		return false;
	if (found) {
		*fd = file;
		file = -1;
	}
	return true;
}

static bool open_file(const struct release *release, const char *name, int *fd,
		      struct error *err)
{
	struct stat st;
	/* O_NONBLOCK: a FIFO must not hold us up before it is looked at. */
	int file CLEANUP(fs_close) = fs_open_at(
		release->folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);

	if (file < 0)
		return errno == ENOENT ||
		       error_system(err, errno, "cannot open %s", name);
	if (fstat(file, &st))
		return error_system(err, errno, "cannot look at %s", name);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_FILESYSTEM,
				 "%s/%s: expected a file", release->from, name);
	*fd = file;
	file = -1;
	return true;
}

bool release_file(const struct release *release, const char *name, int work,
		  int *fd, struct error *err)
{
	*fd = -1;
	if (release->fetch)
		return fetch_file(release, name, work, fd, err);
	return open_file(release, name, fd, err);
}

bool release_text(const struct release *release, const char *name,
		  uint64_t limit, struct buf *text, bool *found,
		  struct error *err)
{
	struct fetch_job job CLEANUP(fetch_job_release) = {
		.label = name,
		.limit = limit,
		.file = -1,
		.memory = BUF_INIT,
	};

	if (!release->fetch)
		return fs_read_file(release->folder, name, limit, text, found,
				    err);
	if (!fetch(release, &job, found, err))
		return false;
	if (*found)
		buf_append(text, job.memory.data, job.memory.length);
	return true;
}
