#include "tar_header.h"

#include "member.h"

struct field {
	unsigned offset;
	unsigned length;
};

static const struct field field_name = {0, 100};
static const struct field field_mode = {100, 8};
static const struct field field_size = {124, 12};
static const struct field field_checksum = {148, 8};
static const struct field field_link = {157, 100};
static const struct field field_prefix = {345, 155};

#define TYPE_OFFSET  156
#define MAGIC_OFFSET 257

bool tar_block_is_zero(const unsigned char *bytes, size_t length)
{
	return !length || (!bytes[0] && !memcmp(bytes, bytes + 1, length - 1));
}

/* GNU's way for numbers that eleven octal digits do not hold. */
static bool parse_base256(const unsigned char *bytes, unsigned length,
			  uint64_t *number)
{
	uint64_t value = bytes[0] & 0x7f; /* 0x40 would be the sign */

	for (unsigned i = 1; i < length; i++) {
		if (value >> 55)
			return false;
		value = value << 8 | bytes[i];
	}
	*number = value;
	return !(bytes[0] & 0x40);
}

/* Spaces, octal digits, then spaces and NULs to the end of the field. */
static bool parse_number(const unsigned char *block, struct field field,
			 uint64_t *number)
{
	const unsigned char *bytes = block + field.offset;
	uint64_t value = 0;
	unsigned i = 0;

	if (bytes[0] & 0x80)
		return parse_base256(bytes, field.length, number);
	while (i < field.length && bytes[i] == ' ')
		i++;
	for (; i < field.length && bytes[i] >= '0' && bytes[i] <= '7'; i++)
		value = value << 3 | (bytes[i] - (unsigned)'0');
	for (; i < field.length; i++) {
		if (bytes[i] != ' ' && bytes[i])
			return false;
	}
	*number = value;
	return true;
}

static bool checksum_fits(const unsigned char *block)
{
	uint64_t expected = 0, sum = 0;

	if (!parse_number(block, field_checksum, &expected))
		return false;
	for (unsigned i = 0; i < TAR_BLOCK; i++)
		sum += i - field_checksum.offset < field_checksum.length
			       ? ' '
			       : block[i];
	return sum == expected;
}

/* False: there is something behind the NUL. */
static bool copy_text(char *into, const unsigned char *block,
		      struct field field)
{
	const unsigned char *bytes = block + field.offset;
	size_t length = strnlen((const char *)bytes, field.length);

	memcpy(into, bytes, length);
	into[length] = '\0';
	return tar_block_is_zero(bytes + length, field.length - length);
}

static bool copy_name(struct tar_header *header, const unsigned char *block,
		      struct error *err)
{
	size_t length = strlen(header->name);

	if (copy_text(header->name + length, block, field_name))
		return true;
	return member_refused(header->name, err, "has a NUL in its name");
}

/* The prefix of ustar; GNU's header has other things in its place, and what
 * lies behind its NUL belongs to star's variant. */
static void copy_prefix(struct tar_header *header, const unsigned char *block)
{
	size_t length;

	copy_text(header->name, block, field_prefix);
	length = strlen(header->name);
	if (length)
		memcpy(header->name + length, "/", 2);
}

bool tar_header_parse(struct tar_header *header,
		      const unsigned char block[TAR_BLOCK], struct error *err)
{
	const unsigned char *magic = block + MAGIC_OFFSET;
	uint64_t mode = 0;

	if (!checksum_fits(block))
		return error_set(err, ERROR_ARCHIVE,
				 "this is not a tar archive, or a damaged "
				 "one: a header does not fit its checksum");
	header->name[0] = '\0';
	if (!memcmp(magic, "ustar", 6))
		copy_prefix(header, block);
	else if (memcmp(magic, "ustar  ", 8) && !tar_block_is_zero(magic, 8))
		return error_set(err, ERROR_ARCHIVE,
				 "the tar archive is of an unknown variant");
	if (!copy_name(header, block, err))
		return false;
	/* Some readers take a prefix there whatever the variant is. GNU's
	 * sparse files, which come to nothing later, have their map there. */
	if (memcmp(magic, "ustar", 6) && block[TYPE_OFFSET] != 'S' &&
	    !tar_block_is_zero(block + field_prefix.offset,
			       field_prefix.length))
		return member_refused(header->name, err,
				      "has a prefix, or something in its "
				      "place, in a variant of tar without one");
	if (!copy_text(header->link, block, field_link))
		return member_refused(header->name, err,
				      "has a NUL in its link");
	if (!parse_number(block, field_size, &header->size) ||
	    header->size > INT64_MAX / 2)
		return member_refused(header->name, err,
				      "has a size that is not a number");
	if (!parse_number(block, field_mode, &mode))
		return member_refused(header->name, err,
				      "has a mode that is not a number");
	header->mode = (uint32_t)(mode & 07777);
	header->type = block[TYPE_OFFSET];
	return true;
}
