#include "fetch_body.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs.h"

#define READ_SIZE ((size_t)64 << 10)

/* What was held is kept by the caller, so a full disk costs no bytes twice. */
static bool failed(const struct fetch_body *body, int code, const char *what,
		   struct error *err)
{
	error_system(err, code, "cannot %s the download", what);
	fs_hint_space(err, body->file, 0);
	return false;
}

bool fetch_body_open(struct fetch_body *body, int file, struct buf *memory,
		     struct error *err)
{
	struct fetch_body opened = {.file = file, .memory = memory};
	struct stat st;

	if (file >= 0) {
		if (fstat(file, &st))
			return failed(&opened, errno, "look at", err);
		opened.held = (uint64_t)st.st_size;
		opened.pieced = opened.held > 0;
	}
	opened.hasher = hasher_start();
	*body = opened;
	return true;
}

void fetch_body_release(struct fetch_body *body)
{
	hasher_drop(&body->hasher);
}

static bool truncate_file(struct fetch_body *body, uint64_t size,
			  struct error *err)
{
	while (ftruncate(body->file, (off_t)size)) {
		if (errno != EINTR)
			return failed(body, errno, "resize", err);
	}
	return true;
}

bool fetch_body_restart(struct fetch_body *body, struct error *err)
{
	if (body->file < 0)
		buf_clear(body->memory);
	else if (!truncate_file(body, 0, err))
		return false;
	hasher_drop(&body->hasher);
	body->hasher = hasher_start();
	body->hashed = 0;
	body->held = 0;
	body->pieced = false;
	return true;
}

bool fetch_body_cut(struct fetch_body *body, struct error *err)
{
	return body->file < 0 || truncate_file(body, body->held, err);
}

bool fetch_body_stretch(struct fetch_body *body, uint64_t size,
			struct error *err)
{
	return truncate_file(body, size, err);
}

static bool write_file(struct fetch_body *body, uint64_t offset,
		       const void *bytes, size_t length, struct error *err)
{
	const char *at = bytes;

	while (length) {
		ssize_t written = pwrite(body->file, at, length, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return failed(body, errno, "write", err);
		at += written;
		offset += (uint64_t)written;
		length -= (size_t)written;
	}
	return true;
}

bool fetch_body_write(struct fetch_body *body, uint64_t offset,
		      const void *bytes, size_t length, struct error *err)
{
	if (body->file < 0)
		buf_append(body->memory, bytes, length);
	else if (!write_file(body, offset, bytes, length, err))
		return false;
	if (offset == body->hashed) {
		hasher_add(body->hasher, bytes, length);
		body->hashed += length;
	}
	if (offset == body->held)
		body->held += length;
	return true;
}

bool fetch_body_hash(struct fetch_body *body, uint64_t most, struct error *err)
{
	char bytes[READ_SIZE];

	while (body->hashed < body->held && most) {
		uint64_t left = body->held - body->hashed;
		ssize_t got;

		left = left < most ? left : most;
		got = pread(body->file, bytes,
			    left < READ_SIZE ? (size_t)left : READ_SIZE,
			    (off_t)body->hashed);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(body, errno, "read back", err);
		if (!got)
			return error_set(err, ERROR_FILESYSTEM,
					 "the download became shorter while "
					 "it was read back");
		hasher_add(body->hasher, bytes, (size_t)got);
		body->hashed += (uint64_t)got;
		most -= (uint64_t)got;
	}
	return true;
}

bool fetch_body_digest(struct fetch_body *body, struct digest *digest,
		       struct error *err)
{
	if (!fetch_body_hash(body, UINT64_MAX, err))
		return false;
	hasher_finish(body->hasher, digest);
	body->hasher = NULL;
	return true;
}
