#include "gzip_frame.h"

#include "inflate.h"
#include "memory.h"

enum {
	FLAG_HEADER_CRC = 1 << 1,
	FLAG_EXTRA = 1 << 2,
	FLAG_NAME = 1 << 3,
	FLAG_COMMENT = 1 << 4,
	FLAGS_RESERVED = 0xe0,
};

#define METHOD_DEFLATE 8
#define TRAILER_SIZE   8 /* CRC-32, then the length modulo 2^32 */

struct gzip_frame {
	struct source *source;
	struct inflater *inflater;
	uint32_t crc;
	uint64_t length; /* bytes that came out */
	size_t header_length;
	uint32_t header_crc;
};

static bool cut_short(struct error *err)
{
	return error_set(err, ERROR_ARCHIVE, "the gzip stream is cut short");
}

static bool header_byte(struct gzip_frame *frame, unsigned char *byte,
			struct error *err)
{
	if (!source_fill(frame->source, err))
		return false;
	if (!frame->source->left)
		return cut_short(err);
	if (++frame->header_length > GZIP_HEADER_MAX)
		return error_set(err, ERROR_ARCHIVE,
				 "the gzip header is larger than %u KB",
				 GZIP_HEADER_MAX >> 10);
	*byte = *frame->source->at;
	frame->header_crc = inflate_crc32(frame->header_crc, byte, 1);
	source_skip(frame->source, 1);
	return true;
}

static bool header_word(struct gzip_frame *frame, unsigned *word,
			struct error *err)
{
	unsigned char low, high;

	if (!header_byte(frame, &low, err) || !header_byte(frame, &high, err))
		return false;
	*word = (unsigned)high << 8 | low;
	return true;
}

static bool skip_bytes(struct gzip_frame *frame, unsigned count,
		       struct error *err)
{
	unsigned char byte;

	while (count--) {
		if (!header_byte(frame, &byte, err))
			return false;
	}
	return true;
}

static bool skip_text(struct gzip_frame *frame, struct error *err)
{
	unsigned char byte;

	do {
		if (!header_byte(frame, &byte, err))
			return false;
	} while (byte);
	return true;
}

static bool check_header_crc(struct gzip_frame *frame, struct error *err)
{
	unsigned expected = frame->header_crc & 0xffff, found;

	if (!header_word(frame, &found, err))
		return false;
	if (found != expected)
		return error_set(err, ERROR_ARCHIVE,
				 "the gzip header does not fit its checksum");
	return true;
}

static bool read_header(struct gzip_frame *frame, struct error *err)
{
	unsigned char method, flags;
	unsigned magic, extra = 0;

	if (!header_word(frame, &magic, err) ||
	    !header_byte(frame, &method, err) ||
	    !header_byte(frame, &flags, err) ||
	    !skip_bytes(frame, 6, err)) /* time, level, system */
		return false;
	if (method != METHOD_DEFLATE || flags & FLAGS_RESERVED)
		return error_set(err, ERROR_ARCHIVE,
				 "the gzip header has method %u and flags "
				 "0x%02x, which are not defined",
				 method, flags);
	if (flags & FLAG_EXTRA && (!header_word(frame, &extra, err) ||
				   !skip_bytes(frame, extra, err)))
		return false;
	if (flags & FLAG_NAME && !skip_text(frame, err))
		return false;
	if (flags & FLAG_COMMENT && !skip_text(frame, err))
		return false;
	return !(flags & FLAG_HEADER_CRC) || check_header_crc(frame, err);
}

bool gzip_frame_open(struct gzip_frame **out, struct source *source,
		     struct error *err)
{
	struct gzip_frame *frame CLEANUP(gzip_frame_free) =
		memory_allocate(sizeof(*frame));
	unsigned char head[2];

	if (!source_peek(source, head, sizeof(head), err))
		return false;
	if (head[0] != 0x1f || head[1] != 0x8b)
		return source_refused(source, "gzip", err);
	frame->source = source;
	frame->inflater = inflater_start();
	if (!read_header(frame, err))
		return false;
	*out = frame;
	frame = NULL;
	return true;
}

void gzip_frame_free(struct gzip_frame **frame)
{
	if (*frame)
		inflater_free(&(*frame)->inflater);
	memory_release(frame);
}

static uint32_t little_endian(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The trailer may have been read ahead by the inflater, all or in part. */
static bool read_trailer(struct gzip_frame *frame,
			 const struct inflate_step *step,
			 unsigned char trailer[TRAILER_SIZE], struct error *err)
{
	size_t have = step->behind_length;

	memcpy(trailer, step->behind, have);
	while (have < TRAILER_SIZE) {
		if (!source_fill(frame->source, err))
			return false;
		if (!frame->source->left)
			return cut_short(err);
		trailer[have++] = *frame->source->at;
		source_skip(frame->source, 1);
	}
	return true;
}

static bool check_nothing_follows(struct gzip_frame *frame, struct error *err)
{
	struct source *source = frame->source;

	if (!source_fill(source, err))
		return false;
	if (!source->left)
		return true;
	if (source->left >= 2 && source->at[0] == 0x1f && source->at[1] == 0x8b)
		return error_set(err, ERROR_ARCHIVE,
				 "a second gzip member follows the first");
	return error_set(err, ERROR_ARCHIVE,
			 "there are more bytes behind the gzip stream");
}

static bool finish(struct gzip_frame *frame, const struct inflate_step *step,
		   struct error *err)
{
	unsigned char trailer[TRAILER_SIZE];

	if (!read_trailer(frame, step, trailer, err))
		return false;
	if (little_endian(trailer) != frame->crc)
		return error_set(err, ERROR_ARCHIVE,
				 "the gzip stream's CRC is %08x, and its "
				 "bytes have %08x",
				 little_endian(trailer), frame->crc);
	if (little_endian(trailer + 4) != (uint32_t)frame->length)
		return error_set(err, ERROR_ARCHIVE,
				 "the gzip stream's length is %u, and %u "
				 "bytes came out (modulo 2^32)",
				 little_endian(trailer + 4),
				 (uint32_t)frame->length);
	return check_nothing_follows(frame, err);
}

bool gzip_frame_read(struct gzip_frame *frame, unsigned char *into, size_t room,
		     size_t *length, bool *ended, struct error *err)
{
	struct source *source = frame->source;
	enum inflate_result result = INFLATE_MORE;
	struct inflate_step step;
	size_t filled = 0;

	while (result == INFLATE_MORE && filled < room) {
		bool at_end;

		if (!source_fill(source, err))
			return false;
		at_end = !source->left;
		step = (struct inflate_step){
			.in = source->at,
			.in_length = source->left,
			.out = into + filled,
			.out_length = room - filled,
		};
		result = inflater_run(frame->inflater, &step);
		source_skip(source, source->left - step.in_length);
		if (result == INFLATE_BAD)
			return error_set(err, ERROR_ARCHIVE,
					 "the gzip stream is damaged");
		if (result == INFLATE_MORE && at_end && !step.out_length)
			return cut_short(err);
		frame->crc = inflate_crc32(frame->crc, into + filled,
					   step.out_length);
		filled += step.out_length;
	}
	frame->length += filled;
	*length = filled;
	if (result != INFLATE_END)
		return true;
	*ended = true;
	return finish(frame, &step, err);
}
