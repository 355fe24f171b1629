#include "fetch_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"
#include "memory.h"
#include "url.h"

#define STEP_SIZE ((size_t)256 << 10)

static enum fetch_verdict elsewhere(struct error *err, const char *why)
{
	error_set(err, ERROR_NETWORK, "%s", why);
	return FETCH_ELSEWHERE;
}

static enum fetch_verdict check(const struct fetch_copy *copy,
				const struct fetch_job *job, struct error *err)
{
	if (job->size && copy->size != job->size)
		error_set(err, ERROR_INTEGRITY,
			  "expected a file of %llu bytes, found one of %llu",
			  (unsigned long long)job->size,
			  (unsigned long long)copy->size);
	else if (copy->size > job->limit)
		error_set(err, ERROR_INTEGRITY,
			  "expected at most %llu bytes, found %llu",
			  (unsigned long long)job->limit,
			  (unsigned long long)copy->size);
	else if (!copy->size)
		error_set(err, ERROR_NETWORK, "the file is empty");
	else
		return FETCH_TAKEN;
	return FETCH_ELSEWHERE;
}

enum fetch_verdict fetch_copy_open(struct fetch_copy *copy, const char *url,
				   const struct fetch_job *job, bool *missing,
				   struct error *err)
{
	char *path CLEANUP(memory_release) = url_file_path(url);
	struct stat st;

	*missing = false;
	if (!path)
		return elsewhere(err, "it names no file");
	copy->from =
		fs_open_named(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (copy->from < 0) {
		*missing = errno == ENOENT || errno == ENOTDIR;
		return elsewhere(err, strerror(errno));
	}
	if (fstat(copy->from, &st))
		return elsewhere(err, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return elsewhere(err, S_ISDIR(st.st_mode)
					      ? "it is a folder, not a file"
					      : "it is no regular file");
	copy->size = (uint64_t)st.st_size;
	copy->bytes = memory_allocate(STEP_SIZE);
	return check(copy, job, err);
}

enum fetch_verdict fetch_copy_step(struct fetch_copy *copy,
				   struct fetch_body *body, bool *done,
				   struct error *err)
{
	ssize_t got;

	*done = false;
	do {
		got = read(copy->from, copy->bytes, STEP_SIZE);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return elsewhere(err, strerror(errno));
	if (body->held + (uint64_t)got > copy->size ||
	    (!got && body->held < copy->size)) {
		error_set(err, ERROR_INTEGRITY,
			  "the file changed while it was "
			  "copied");
		return FETCH_ELSEWHERE;
	}
	if (!fetch_body_write(body, body->held, copy->bytes, (size_t)got, err))
		return FETCH_STOP;
	*done = body->held == copy->size;
	return FETCH_TAKEN;
}

void fetch_copy_close(struct fetch_copy *copy)
{
	fs_close(&copy->from);
	memory_release(&copy->bytes);
}
