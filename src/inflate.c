#include "inflate.h"

#ifdef RNE_HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "memory.h"

#ifdef RNE_HAVE_ISAL

struct inflater {
	struct inflate_state state;
};

struct inflater *inflater_start(void)
{
	struct inflater *inflater = memory_allocate(sizeof(*inflater));

	isal_inflate_init(&inflater->state);
	inflater->state.crc_flag = ISAL_DEFLATE;
	return inflater;
}

void inflater_free(struct inflater **inflater)
{
	memory_release(inflater);
}

/*
 * igzip reads up to eight bytes ahead into a bit buffer, lowest bit first,
 * and leaves them there; the bits before the next whole byte are padding.
 */
static void take_behind(struct inflate_state *state, struct inflate_step *step)
{
	uint64_t bits = state->read_in >> (state->read_in_length % 8);

	step->behind_length = (size_t)state->read_in_length / 8;
	for (size_t i = 0; i < step->behind_length; i++)
		step->behind[i] = (unsigned char)(bits >> (8 * i));
	state->read_in = 0;
	state->read_in_length = 0;
}

enum inflate_result inflater_run(struct inflater *inflater,
				 struct inflate_step *step)
{
	struct inflate_state *state = &inflater->state;
	int result;

	state->next_in = (unsigned char *)step->in;
	state->avail_in = (uint32_t)step->in_length;
	state->next_out = step->out;
	state->avail_out = (uint32_t)step->out_length;
	result = isal_inflate(state);
	step->behind_length = 0;
	/* After an error igzip's counts may be wrong: by minus eight bytes of
	 * input where it looked ahead at the end. Nothing counts as used. */
	if (result != ISAL_DECOMP_OK) {
		step->out_length = 0;
		return INFLATE_BAD;
	}
	step->in = state->next_in;
	step->in_length = state->avail_in;
	step->out_length -= state->avail_out;
	if (state->block_state != ISAL_BLOCK_FINISH)
		return INFLATE_MORE;
	take_behind(state, step);
	return INFLATE_END;
}

uint32_t inflate_crc32(uint32_t crc, const void *bytes, size_t length)
{
	return crc32_gzip_refl(crc, bytes, length);
}

#else

struct inflater {
	z_stream stream;
};

struct inflater *inflater_start(void)
{
	struct inflater *inflater = memory_allocate(sizeof(*inflater));

	if (inflateInit2(&inflater->stream, -MAX_WBITS) != Z_OK) {
		fputs("error: zlib cannot start\n", stderr);
		exit(1);
	}
	return inflater;
}

void inflater_free(struct inflater **inflater)
{
	if (*inflater)
		inflateEnd(&(*inflater)->stream);
	memory_release(inflater);
}

enum inflate_result inflater_run(struct inflater *inflater,
				 struct inflate_step *step)
{
	z_stream *stream = &inflater->stream;
	int result;

	stream->next_in = (unsigned char *)step->in;
	stream->avail_in = (uInt)step->in_length;
	stream->next_out = step->out;
	stream->avail_out = (uInt)step->out_length;
	result = inflate(stream, Z_NO_FLUSH);
	step->in = stream->next_in;
	step->in_length = stream->avail_in;
	step->out_length -= stream->avail_out;
	step->behind_length = 0;
	if (result == Z_STREAM_END)
		return INFLATE_END;
	return result == Z_OK || result == Z_BUF_ERROR ? INFLATE_MORE
						       : INFLATE_BAD;
}

uint32_t inflate_crc32(uint32_t crc, const void *bytes, size_t length)
{
	return (uint32_t)crc32_z(crc, bytes, length);
}

#endif
