#include "tar_scan.h"

#include "buf.h"
#include "memory.h"
#include "pax.h"
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

	char meta_type; /* whose body is collected, and how much of it */
	struct buf meta;
	size_t meta_left;

	/* What was said in front of the next entry's own header. */
	bool in_group;
	uint64_t group; /* where that began */
	bool has_pax;
	struct pax pax;
	char *long_name;
	char *long_link;

	struct members members; /* found and not yet asked for */
	size_t next;
};

struct tar_scan *tar_scan_start(void)
{
	struct tar_scan *scan = memory_allocate(sizeof(*scan));

	scan->meta = (struct buf)BUF_INIT;
	return scan;
}

static void end_group(struct tar_scan *scan)
{
	pax_release(&scan->pax);
	scan->has_pax = false;
	memory_release(&scan->long_name);
	memory_release(&scan->long_link);
	scan->in_group = false;
}

void tar_scan_free(struct tar_scan **scan)
{
	struct tar_scan *old = *scan;

	if (!old)
		return;
	end_group(old);
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

static const char *refused_type(char type)
{
	static const struct {
		char type;
		const char *words;
	} types[] = {
		{'3', "is a character device"},
		{'4', "is a block device"},
		{'6', "is a FIFO"},
		{'S', "is a sparse file"},
		{'D', "is a folder of an incremental backup"},
		{'M', "is continued from another volume"},
		{'V', "is a volume label"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].type == type)
			return types[i].words;
	}
	return NULL;
}

static bool find_kind(const struct tar_header *header, const char *name,
		      enum member_kind *kind, struct error *err)
{
	size_t length = strlen(name);
	const char *refused = refused_type(header->type);

	switch (header->type) {
	case '0':
	case '7': /* "contiguous": nobody makes a difference */
		/* The oldest tars have no type for folders. */
		*kind = length && name[length - 1] == '/' ? MEMBER_FOLDER
							  : MEMBER_FILE;
		return true;
	case '1':
		*kind = MEMBER_HARD_LINK;
		return true;
	case '2':
		*kind = MEMBER_LINK;
		return true;
	case '5':
		*kind = MEMBER_FOLDER;
		return true;
	default:
		if (refused)
			return member_refused(name, err, "%s", refused);
		return member_refused(name, err, "has the unknown type 0x%02x",
				      (unsigned char)header->type);
	}
}

/* Of the places where a name or a link's target can be, exactly one. */
static char *choose(const char *in_header, char **in_pax, char **in_long)
{
	char **found = *in_pax ? in_pax : in_long;
	char *text = *found ? *found : memory_string(in_header);

	*found = NULL;
	return text;
}

static bool describe(struct tar_scan *scan, const struct tar_header *header,
		     struct member *member, struct error *err)
{
	uint64_t size = scan->pax.has_size ? scan->pax.size : header->size;
	bool twice = (scan->pax.path && scan->long_name) ||
		     (scan->pax.link && scan->long_link);

	member->name = choose(header->name, &scan->pax.path, &scan->long_name);
	if (twice)
		return member_refused(member->name, err,
				      "is named in a pax and in a GNU header");
	if (!find_kind(header, member->name, &member->kind, err))
		return false;
	if (scan->pax.sparse)
		return member_refused(member->name, err, "is a sparse file");
	if (member->kind != MEMBER_FILE && size)
		return member_refused(member->name, err,
				      "is not a file, but has data");
	if (size > INT64_MAX / 2)
		return member_refused(member->name, err, "is far too large");
	if (member->kind == MEMBER_LINK || member->kind == MEMBER_HARD_LINK)
		member->link =
			choose(header->link, &scan->pax.link, &scan->long_link);
	else if (scan->pax.link || scan->long_link)
		return member_refused(member->name, err,
				      "is not a link, but points somewhere");
	member->executable = header->mode & 0100;
	member->size = size;
	member->offset = scan->group;
	return true;
}

static uint64_t round_up(uint64_t size)
{
	return (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

static bool start_meta(struct tar_scan *scan, const struct tar_header *header,
		       struct error *err)
{
	bool again = (header->type == 'x' && scan->has_pax) ||
		     (header->type == 'L' && scan->long_name) ||
		     (header->type == 'K' && scan->long_link);

	if (again)
		return error_set(err, ERROR_ARCHIVE,
				 "an entry has two headers of type '%c' in "
				 "front of it",
				 header->type);
	if (header->size > TAR_SCAN_META_MAX)
		return error_set(err, ERROR_ARCHIVE,
				 "a header of type '%c' has %llu bytes, and %u "
				 "are allowed",
				 header->type, (unsigned long long)header->size,
				 TAR_SCAN_META_MAX);
	scan->meta_type = header->type;
	scan->meta_left = (size_t)round_up(header->size);
	buf_clear(&scan->meta);
	scan->skip = header->size; /* how much of it is not padding */
	scan->state = SCAN_META;
	return true;
}

static bool take_long(char **into, const struct buf *meta, struct error *err)
{
	size_t length = strnlen(meta->data, meta->length);

	/* GNU tar counts one NUL behind the name. */
	if (!length || length + 1 < meta->length)
		return error_set(
			err, ERROR_ARCHIVE,
			"a GNU header has a NUL in the name \"%.300s\"",
			meta->data);
	*into = memory_string_n(meta->data, length);
	return true;
}

/* Defaults for the whole archive: git-archive puts its commit there. */
static bool take_global(const struct buf *meta, struct error *err)
{
	struct pax pax CLEANUP(pax_release) = PAX_INIT;

	if (!pax_parse(&pax, meta->data, meta->length, err))
		return false;
	if (pax.path || pax.link || pax.has_size || pax.sparse)
		return error_set(err, ERROR_ARCHIVE,
				 "a global pax header gives names or sizes to "
				 "all entries");
	return true;
}

static bool take_meta(struct tar_scan *scan, struct error *err)
{
	scan->meta.length = (size_t)scan->skip;
	scan->state = SCAN_HEADER;
	switch (scan->meta_type) {
	case 'x':
		scan->has_pax = true;
		return pax_parse(&scan->pax, scan->meta.data, scan->meta.length,
				 err);
	case 'g':
		return take_global(&scan->meta, err);
	case 'L':
		return take_long(&scan->long_name, &scan->meta, err);
	default:
		return take_long(&scan->long_link, &scan->meta, err);
	}
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
		scan->group = scan->block_at;
	scan->in_group = true;
	if (strchr("xgLK", header.type))
		return start_meta(scan, &header, err);
	if (!describe(scan, &header, &member, err)) {
		member_release(&member);
		return false;
	}
	end_group(scan);
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

/* A whole block, out of the bytes or put together from pieces; else NULL. */
static const unsigned char *gather(struct tar_scan *scan,
				   const unsigned char *bytes, size_t length,
				   size_t *used)
{
	size_t missing = TAR_BLOCK - scan->block_length;

	*used = missing < length ? missing : length;
	if (!scan->block_length)
		scan->block_at = scan->position;
	if (*used == TAR_BLOCK)
		return bytes;
	memcpy(scan->block + scan->block_length, bytes, *used);
	scan->block_length += *used;
	if (scan->block_length < TAR_BLOCK)
		return NULL;
	scan->block_length = 0;
	return scan->block;
}

static bool feed_block(struct tar_scan *scan, const unsigned char *bytes,
		       size_t length, size_t *used, struct error *err)
{
	const unsigned char *block = gather(scan, bytes, length, used);

	if (!block)
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
