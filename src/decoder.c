#include "decoder.h"

#include <errno.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "gzip_frame.h"
#include "memory.h"
#include "source.h"

/* Large enough that calls do not count, small enough to stay in a cache
 * between inflating, hashing and writing. */
#define BLOCK_SIZE (256 * 1024)

struct decoder {
	struct source source;
	struct gzip_frame *gzip; /* one of these two */
	ZSTD_DStream *zstd;
	bool ended;
	unsigned char block[BLOCK_SIZE];
};

static const unsigned char zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

static bool open_zstd(struct decoder *decoder, struct error *err)
{
	unsigned char head[4];

	if (!source_peek(&decoder->source, head, sizeof(head), err))
		return false;
	if (memcmp(head, zstd_magic, sizeof(head)))
		return source_refused(&decoder->source, "zstd", err);
	decoder->zstd = ZSTD_createDStream();
	if (!decoder->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(
				      decoder->zstd, ZSTD_d_windowLogMax,
				      DECODER_WINDOW_LOG_MAX)))
		return error_set(err, ERROR_OTHER, "libzstd cannot start");
	return true;
}

bool decoder_open(struct decoder **out, int file, enum archive_format format,
		  struct error *err)
{
	struct decoder *decoder CLEANUP(decoder_close) =
		memory_allocate(sizeof(*decoder));

	source_start(&decoder->source, file);
	if (format == ARCHIVE_TAR_ZST) {
		if (!open_zstd(decoder, err))
			return false;
	} else if (!gzip_frame_open(&decoder->gzip, &decoder->source, err)) {
		return false;
	}
	*out = decoder;
	decoder = NULL;
	return true;
}

void decoder_close(struct decoder **decoder)
{
	if (!*decoder)
		return;
	gzip_frame_free(&(*decoder)->gzip);
	ZSTD_freeDStream((*decoder)->zstd);
	memory_release(decoder);
}

static bool zstd_refused(size_t result, struct error *err)
{
	if (ZSTD_getErrorCode(result) ==
	    ZSTD_error_frameParameter_windowTooLarge)
		return error_set(err, ERROR_ARCHIVE,
				 "the zstd frame needs a window of more than "
				 "the %u MB that are allowed",
				 (1u << DECODER_WINDOW_LOG_MAX) >> 20);
	if (ZSTD_getErrorCode(result) == ZSTD_error_checksum_wrong)
		return error_set(err, ERROR_ARCHIVE,
				 "the zstd checksum does not fit the bytes");
	return error_set(err, ERROR_ARCHIVE, "the zstd stream is damaged (%s)",
			 ZSTD_getErrorName(result));
}

/* The one frame ended: so must the file. */
static bool end_zstd(struct decoder *decoder, struct error *err)
{
	if (!source_fill(&decoder->source, err))
		return false;
	decoder->ended = true;
	if (decoder->source.left)
		return error_set(err, ERROR_ARCHIVE,
				 "there are more bytes behind the zstd frame");
	return true;
}

static bool read_zstd(struct decoder *decoder, size_t *length,
		      struct error *err)
{
	struct source *source = &decoder->source;
	ZSTD_outBuffer out = {decoder->block, BLOCK_SIZE, 0};
	size_t result = 1;

	while (result && out.pos < out.size) {
		ZSTD_inBuffer in;
		size_t before = out.pos;

		if (!source_fill(source, err))
			return false;
		in = (ZSTD_inBuffer){source->at, source->left, 0};
		result = ZSTD_decompressStream(decoder->zstd, &out, &in);
		if (ZSTD_isError(result))
			return zstd_refused(result, err);
		source_skip(source, in.pos);
		if (result && !in.size && out.pos == before)
			return error_set(err, ERROR_ARCHIVE,
					 "the zstd stream is cut short");
	}
	*length = out.pos;
	return result ? true : end_zstd(decoder, err);
}

bool decoder_read(struct decoder *decoder, const void **bytes, size_t *length,
		  struct error *err)
{
	*bytes = decoder->block;
	*length = 0;
	while (!decoder->ended && !*length) {
		if (decoder->zstd
			    ? !read_zstd(decoder, length, err)
			    : !gzip_frame_read(decoder->gzip, decoder->block,
					       BLOCK_SIZE, length,
					       &decoder->ended, err))
			return false;
	}
	return true;
}
