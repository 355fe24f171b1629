#include "tar_scan.h"

#include "buf.h"
#include "memory.h"
#include "tar_group.h"
#include "tar_header.h"

enum scan_state {
	SCAN_HEADER, /* a header block, or the first end block */
	SCAN_META,   /* the body of a pax or GNU header */
	SCAN_SKIP,   /* data and padding */
	SCAN_ENDING, /* the second end block */
	SCAN_ENDED,  /* zeros */
};

struct tar_scan {
	enum scan_state state;
	uint64_t position; /* of the next byte */
	uint64_t skip;     /* bytes to come in SCAN_SKIP */
	uint64_t padding;  /* bytes seen in SCAN_ENDED */

	unsigned char block[TAR_BLOCK]; /* a header that came in pieces */
	size_t block_length;
	uint64_t block_at; /* where the last header began */

	unsigned char meta_type; /* the header whose body is collected */
	struct buf meta;
	size_t meta_size;
	size_t meta_left; /* with its padding */

	/* What was said in front of the next entry's own header. */
	bool in_group;
	uint64_t group_at; /* where that began */
	struct tar_group group;

	struct members members; /* found and not yet asked for */
	size_t next;
};

struct tar_scan *tar_scan_start(void)
{
	struct tar_scan *scan = memory_allocate(sizeof(*scan));

	scan->meta = (struct buf)BUF_INIT;
	scan->group = (struct tar_group)TAR_GROUP_INIT;
	return scan;
}

void tar_scan_free(struct tar_scan **scan)
{
	struct tar_scan *old = *scan;

	if (!old)
		return;
	tar_group_release(&old->group);
	buf_release(&old->meta);
	while (old->next < old->members.count)
		member_release(&old->members.items[old->next++]);
	free(old->members.items);
	memory_release(scan);
}

bool tar_scan_next(struct tar_scan *scan, struct member *member)
{
	if (scan->next == scan->members.count)
		return false;
	*member = scan->members.items[scan->next++];
	if (scan->next == scan->members.count)
		scan->next = scan->members.count = 0;
	return true;
}

static uint64_t round_up(uint64_t size)
{
	return (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

static void start_meta(struct tar_scan *scan, const struct tar_header *header)
{
	scan->meta_type = header->type;
	scan->meta_size = (size_t)header->size;
	scan->meta_left = (size_t)round_up(header->size);
	buf_clear(&scan->meta);
	scan->state = SCAN_META;
}

static bool take_meta(struct tar_scan *scan, struct error *err)
{
	scan->meta.length = scan->meta_size; /* what follows is padding */
	scan->state = SCAN_HEADER;
	return tar_group_take(&scan->group, scan->meta_type, &scan->meta, err);
}

static bool take_header(struct tar_scan *scan, const unsigned char *block,
			struct error *err)
{
	struct member member = MEMBER_INIT;
	struct tar_header header;

	if (tar_block_is_zero(block, TAR_BLOCK)) {
		if (scan->in_group)
			return error_set(err, ERROR_ARCHIVE,
					 "the archive ends behind the header "
					 "of an entry that is not there");
		scan->state = SCAN_ENDING;
		return true;
	}
	if (!tar_header_parse(&header, block, err))
		return false;
	if (!scan->in_group)
		scan->group_at = scan->block_at;
	scan->in_group = true;
	if (tar_group_is_extra(&header)) {
		if (!tar_group_admit(&scan->group, &header, err))
			return false;
		start_meta(scan, &header);
		return true;
	}
	if (!tar_group_describe(&scan->group, &header, &member, err)) {
		member_release(&member);
		return false;
	}
	member.offset = scan->group_at;
	tar_group_release(&scan->group);
	scan->in_group = false;
	members_add(&scan->members, &member);
	scan->skip = round_up(member.size);
	scan->state = scan->skip ? SCAN_SKIP : SCAN_HEADER;
	return true;
}

static bool take_end(struct tar_scan *scan, const unsigned char *block,
		     struct error *err)
{
	scan->state = SCAN_ENDED;
	if (tar_block_is_zero(block, TAR_BLOCK))
		return true;
	return error_set(err, ERROR_ARCHIVE,
			 "the archive goes on behind its end block");
}

/* A whole block, out of the bytes or put together from pieces. */
static bool gather(struct tar_scan *scan, const unsigned char *bytes,
		   size_t length, size_t *used, const unsigned char **block)
{
	size_t missing = TAR_BLOCK - scan->block_length;

	*used = missing < length ? missing : length;
	*block = bytes;
	if (!scan->block_length)
		scan->block_at = scan->position;
	if (*used == TAR_BLOCK)
		return true;
	memcpy(scan->block + scan->block_length, bytes, *used);
	scan->block_length = (scan->block_length + *used) % TAR_BLOCK;
	*block = scan->block;
	return !scan->block_length;
}

static bool feed_block(struct tar_scan *scan, const unsigned char *bytes,
		       size_t length, size_t *used, struct error *err)
{
	const unsigned char *block;

	if (!gather(scan, bytes, length, used, &block))
		return true;
	return scan->state == SCAN_HEADER ? take_header(scan, block, err)
					  : take_end(scan, block, err);
}

static bool feed_meta(struct tar_scan *scan, const unsigned char *bytes,
		      size_t length, size_t *used, struct error *err)
{
	*used = scan->meta_left < length ? scan->meta_left : length;
	buf_append(&scan->meta, bytes, *used);
	scan->meta_left -= *used;
	return scan->meta_left || take_meta(scan, err);
}

static void feed_skip(struct tar_scan *scan, size_t length, size_t *used)
{
	*used = scan->skip < length ? (size_t)scan->skip : length;
	scan->skip -= *used;
	if (!scan->skip)
		scan->state = SCAN_HEADER;
}

static bool feed_padding(struct tar_scan *scan, const unsigned char *bytes,
			 size_t length, size_t *used, struct error *err)
{
	*used = length;
	scan->padding += length;
	if (!tar_block_is_zero(bytes, length))
		return error_set(err, ERROR_ARCHIVE,
				 "there are more bytes behind the end of the "
				 "tar archive");
	if (scan->padding > TAR_SCAN_PADDING_MAX)
		return error_set(err, ERROR_ARCHIVE,
				 "there is more than %u KB of padding behind "
				 "the end of the tar archive",
				 TAR_SCAN_PADDING_MAX >> 10);
	return true;
}

static bool feed_some(struct tar_scan *scan, const unsigned char *bytes,
		      size_t length, size_t *used, struct error *err)
{
	switch (scan->state) {
	case SCAN_META:
		return feed_meta(scan, bytes, length, used, err);
	case SCAN_SKIP:
		feed_skip(scan, length, used);
		return true;
	case SCAN_ENDED:
		return feed_padding(scan, bytes, length, used, err);
	case SCAN_HEADER:
	case SCAN_ENDING:
		break;
	}
	return feed_block(scan, bytes, length, used, err);
}

bool tar_scan_feed(struct tar_scan *scan, const void *bytes, size_t length,
		   struct error *err)
{
	const unsigned char *at = bytes;

	while (length) {
		size_t used = 0;

		if (!feed_some(scan, at, length, &used, err))
			return false;
		at += used;
		length -= used;
		scan->position += used;
	}
	return true;
}

bool tar_scan_finish(const struct tar_scan *scan, struct error *err)
{
	if (!scan->position)
		return error_set(err, ERROR_ARCHIVE,
				 "the archive is empty: there is not even its "
				 "end");
	if (scan->state != SCAN_ENDED)
		return error_set(
			err, ERROR_ARCHIVE, "the tar archive is cut short: %s",
			scan->state == SCAN_SKIP
				? "an entry's data is missing"
				: "the blocks that end it are missing");
	if (scan->position % TAR_BLOCK)
		return error_set(err, ERROR_ARCHIVE,
				 "the tar archive does not end with a whole "
				 "block");
	return true;
}
