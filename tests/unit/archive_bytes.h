/*
 * archive_bytes.h - archives made in memory, for tests.
 */
#ifndef TEST_ARCHIVE_BYTES_H
#define TEST_ARCHIVE_BYTES_H

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "buf.h"
#include "tar_write.h"

static inline void make_or_abort(bool ok)
{
	if (!ok)
		abort();
}

/* An open file without a name that holds these bytes. */
static inline int file_of(const struct buf *bytes)
{
	char path[] = "/tmp/rne-bytes.XXXXXX";
	int file = mkstemp(path);

	make_or_abort(file >= 0 && !unlink(path) &&
		      write(file, bytes->data, bytes->length) ==
			      (ssize_t)bytes->length);
	return file;
}

static inline void gzip_of(struct buf *out, const struct buf *plain)
{
	z_stream stream = {0};
	size_t room = plain->length + plain->length / 1000 + 4096;

	make_or_abort(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8,
				   Z_DEFAULT_STRATEGY) == Z_OK);
	stream.next_in = (unsigned char *)plain->data;
	stream.avail_in = (unsigned)plain->length;
	stream.next_out = (unsigned char *)buf_reserve(out, room);
	stream.avail_out = (unsigned)room;
	make_or_abort(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	out->length += room - stream.avail_out;
	deflateEnd(&stream);
}

static inline void zstd_of(struct buf *out, const struct buf *plain, int level,
			   int window_log)
{
	size_t room = ZSTD_compressBound(plain->length), length;
	ZSTD_CCtx *context = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	length = ZSTD_compress2(context, buf_reserve(out, room), room,
				plain->data, plain->length);
	make_or_abort(!ZSTD_isError(length));
	out->length += length;
	ZSTD_freeCCtx(context);
}

static inline void tar_zeros(struct buf *out, size_t length)
{
	memset(buf_reserve(out, length), 0, length);
	out->length += length;
}

/* An entry as pack.c writes it, with its data. */
static inline void tar_entry(struct buf *out, enum tree_kind kind,
			     const char *path, const char *text)
{
	struct tree_entry entry = {
		.kind = kind,
		.path = (char *)path,
		.size = kind == TREE_FILE ? strlen(text) : 0,
		.link = kind == TREE_LINK ? (char *)text : NULL,
	};

	tar_write_header(out, &entry);
	if (kind != TREE_FILE)
		return;
	buf_text(out, text);
	tar_zeros(out, tar_write_padding(strlen(text)));
}

static inline void tar_end(struct buf *out)
{
	tar_zeros(out, TAR_WRITE_END);
}

/* Makes the header at `at` fit its checksum again. */
static inline void tar_fix(struct buf *tar, size_t at)
{
	unsigned sum = 0;

	memset(tar->data + at + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += (unsigned char)tar->data[at + i];
	snprintf(tar->data + at + 148, 7, "%06o", sum);
}

#endif
