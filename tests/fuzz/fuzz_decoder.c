/*
 * A gzip member ('g' in front) or a zstd frame: what is accepted is what zlib
 * and libzstd make of the same bytes, from the first to the last of them.
 */
#include <zlib.h>
#include <zstd.h>

#include "decoder.h"
#include "scratch.h"

#define PLAIN_MAX (4u << 20)

static bool decode(const uint8_t *data, size_t size, enum archive_format format,
		   struct buf *out)
{
	struct decoder *decoder CLEANUP(decoder_close) = NULL;
	int file CLEANUP(fs_close) = scratch_file(data, size);
	struct error err = ERROR_INIT;
	bool sound = decoder_open(&decoder, file, format, &err);
	size_t length = 1;

	while (sound && length && out->length <= PLAIN_MAX) {
		const void *bytes;

		sound = decoder_read(decoder, &bytes, &length, &err);
		if (sound)
			buf_append(out, bytes, length);
	}
	FUZZ_ASSERT(sound || (err.kind == ERROR_ARCHIVE && *err.text));
	return sound;
}

/* By zlib; `used` is where the member ended. */
static bool inflate_all(const uint8_t *data, size_t size, int window,
			struct buf *out, size_t *used)
{
	z_stream stream = {.next_in = (uint8_t *)(uintptr_t)data,
			   .avail_in = (unsigned)size};
	int result = inflateInit2(&stream, window);

	while (result == Z_OK && out->length <= PLAIN_MAX) {
		size_t room = 65536;

		stream.next_out = (uint8_t *)buf_reserve(out, room);
		stream.avail_out = (unsigned)room;
		result = inflate(&stream, Z_NO_FLUSH);
		out->length += room - stream.avail_out;
	}
	inflateEnd(&stream);
	*used = size - stream.avail_in;
	return result == Z_STREAM_END;
}

static void try_gzip(const uint8_t *data, size_t size)
{
	struct buf ours CLEANUP(buf_release) = BUF_INIT;
	struct buf theirs CLEANUP(buf_release) = BUF_INIT;
	size_t used = 0;
	bool sound = decode(data, size, ARCHIVE_TAR_GZ, &ours);
	bool reference = inflate_all(data, size, 31, &theirs, &used);

	if (ours.length > PLAIN_MAX || theirs.length > PLAIN_MAX)
		return;
	/* No header is so long here that we would not take it. */
	FUZZ_ASSERT(sound == (reference && used == size));
	FUZZ_ASSERT(!sound || (ours.length == theirs.length &&
			       !memcmp(ours.data, theirs.data, ours.length)));
}

static bool decompress(const uint8_t *data, size_t size, struct buf *out,
		       size_t *used)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {data, size, 0};
	size_t left = 1, room = 65536;

	while (left && !ZSTD_isError(left) && out->length <= PLAIN_MAX) {
		ZSTD_outBuffer to = {buf_reserve(out, room), room, 0};
		size_t before = in.pos;

		left = ZSTD_decompressStream(stream, &to, &in);
		out->length += to.pos;
		if (left && in.pos == before && !to.pos)
			break;
	}
	ZSTD_freeDStream(stream);
	*used = in.pos;
	return !left;
}

static void try_zstd(const uint8_t *data, size_t size)
{
	struct buf ours CLEANUP(buf_release) = BUF_INIT;
	struct buf theirs CLEANUP(buf_release) = BUF_INIT;
	size_t used = 0;

	if (!decode(data, size, ARCHIVE_TAR_ZST, &ours) ||
	    ours.length > PLAIN_MAX)
		return;
	FUZZ_ASSERT(decompress(data, size, &theirs, &used) && used == size);
	FUZZ_ASSERT(ours.length == theirs.length &&
		    !memcmp(ours.data, theirs.data, ours.length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data == 'g')
		try_gzip(data + 1, size - 1);
	else
		try_zstd(data + 1, size - 1);
	return 0;
}

/* A gzip member with a plain header gets the CRC and length of its data. */
static size_t repair(uint8_t *data, size_t size)
{
	struct buf plain CLEANUP(buf_release) = BUF_INIT;
	size_t used = 0;
	uint32_t crc;

	if (size < 11 || *data != 'g' || data[4] ||
	    !inflate_all(data + 11, size - 11, -MAX_WBITS, &plain, &used) ||
	    used + 19 > size)
		return size;
	crc = (uint32_t)crc32(0, (uint8_t *)plain.data, (unsigned)plain.length);
	for (unsigned i = 0; i < 4; i++) {
		data[11 + used + i] = crc >> 8 * i & 255;
		data[15 + used + i] = plain.length >> 8 * i & 255;
	}
	return 19 + used;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, max_size);
	return seed % 8 ? repair(data, size) : size;
}
