#include "encoder.h"

#include <zlib.h>
#include <zstd.h>

#include "fs.h"
#include "memory.h"

#define BLOCK_SIZE      (256 * 1024)
#define ZSTD_LEVEL      19
#define ZSTD_WINDOW_LOG 22

/* The system byte of a gzip header: 255 is "unknown", on every system. */
#define GZIP_SYSTEM 255

struct encoder {
	int file;
	const char *name;
	bool is_gzip;
	z_stream gzip;
	gz_header header;
	ZSTD_CCtx *zstd;
	unsigned char block[BLOCK_SIZE];
};

static bool open_gzip(struct encoder *encoder, struct error *err)
{
	encoder->header.os = GZIP_SYSTEM;
	encoder->is_gzip =
		deflateInit2(&encoder->gzip, Z_BEST_COMPRESSION, Z_DEFLATED,
			     MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK;
	if (!encoder->is_gzip ||
	    deflateSetHeader(&encoder->gzip, &encoder->header) != Z_OK)
		return error_set(err, ERROR_OTHER, "zlib cannot start");
	return true;
}

static bool open_zstd(struct encoder *encoder, uint64_t plain_size,
		      struct error *err)
{
	static const struct {
		ZSTD_cParameter parameter;
		int value;
	} parameters[] = {
		{ZSTD_c_compressionLevel, ZSTD_LEVEL},
		{ZSTD_c_windowLog, ZSTD_WINDOW_LOG},
		{ZSTD_c_checksumFlag, 1},
	};

	encoder->zstd = ZSTD_createCCtx();
	for (size_t i = 0; encoder->zstd && i < ARRAY_SIZE(parameters); i++) {
		if (ZSTD_isError(ZSTD_CCtx_setParameter(encoder->zstd,
							parameters[i].parameter,
							parameters[i].value)))
			return error_set(err, ERROR_OTHER,
					 "libzstd does not take its settings");
	}
	if (!encoder->zstd || ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(
				      encoder->zstd, plain_size)))
		return error_set(err, ERROR_OTHER, "libzstd cannot start");
	return true;
}

bool encoder_open(struct encoder **out, int file, const char *name,
		  enum archive_format format, uint64_t plain_size,
		  struct error *err)
{
	struct encoder *encoder CLEANUP(encoder_close) =
		memory_allocate(sizeof(*encoder));

	encoder->file = file;
	encoder->name = name;
	if (format == ARCHIVE_TAR_ZST ? !open_zstd(encoder, plain_size, err)
				      : !open_gzip(encoder, err))
		return false;
	*out = encoder;
	encoder = NULL;
	return true;
}

void encoder_close(struct encoder **encoder)
{
	if (!*encoder)
		return;
	if ((*encoder)->is_gzip)
		deflateEnd(&(*encoder)->gzip);
	ZSTD_freeCCtx((*encoder)->zstd);
	memory_release(encoder);
}

static bool run_gzip(struct encoder *encoder, const void *bytes, size_t length,
		     bool last, struct error *err)
{
	z_stream *stream = &encoder->gzip;
	int result;

	stream->next_in = (unsigned char *)bytes;
	stream->avail_in = (uInt)length;
	do {
		stream->next_out = encoder->block;
		stream->avail_out = BLOCK_SIZE;
		result = deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
		if (result != Z_OK && result != Z_STREAM_END &&
		    result != Z_BUF_ERROR)
			return error_set(err, ERROR_OTHER, "%s: zlib failed",
					 encoder->name);
		if (!fs_write_all(encoder->file, encoder->block,
				  BLOCK_SIZE - stream->avail_out, encoder->name,
				  err))
			return false;
	} while (last ? result != Z_STREAM_END : !stream->avail_out);
	return true;
}

static bool run_zstd(struct encoder *encoder, const void *bytes, size_t length,
		     bool last, struct error *err)
{
	ZSTD_inBuffer in = {bytes, length, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {encoder->block, BLOCK_SIZE, 0};

		left = ZSTD_compressStream2(encoder->zstd, &out, &in,
					    last ? ZSTD_e_end
						 : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return error_set(err, ERROR_OTHER, "%s: libzstd: %s",
					 encoder->name,
					 ZSTD_getErrorName(left));
		if (!fs_write_all(encoder->file, out.dst, out.pos,
				  encoder->name, err))
			return false;
	} while (last ? left != 0 : in.pos < in.size);
	return true;
}

bool encoder_write(struct encoder *encoder, const void *bytes, size_t length,
		   struct error *err)
{
	return encoder->is_gzip ? run_gzip(encoder, bytes, length, false, err)
				: run_zstd(encoder, bytes, length, false, err);
}

bool encoder_finish(struct encoder *encoder, struct error *err)
{
	return encoder->is_gzip ? run_gzip(encoder, NULL, 0, true, err)
				: run_zstd(encoder, NULL, 0, true, err);
}
