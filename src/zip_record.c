#include "zip_record.h"

enum {
	SIGNATURE_LOCAL = 0x04034b50,
	SIGNATURE_CENTRAL = 0x02014b50,
	SIGNATURE_END = 0x06054b50,
	SIGNATURE_END64 = 0x06064b50,
	SIGNATURE_LOCATOR64 = 0x07064b50,
};

enum { FIELD_ZIP64 = 0x0001, FIELD_UNICODE_PATH = 0x7075 };

#define UNSET32 UINT32_MAX
#define UNSET16 UINT16_MAX

uint16_t zip_word(const unsigned char *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

uint32_t zip_long(const unsigned char *bytes)
{
	return (uint32_t)zip_word(bytes) | (uint32_t)zip_word(bytes + 2) << 16;
}

uint64_t zip_quad(const unsigned char *bytes)
{
	return (uint64_t)zip_long(bytes) | (uint64_t)zip_long(bytes + 4) << 32;
}

static bool malformed(const struct zip_entry *entry, struct error *err,
		      const char *what)
{
	return error_set(
		err, ERROR_ARCHIVE, "the entry \"%.*s\" has %s",
		(int)(entry->name_length < 300 ? entry->name_length : 300),
		(const char *)entry->name, what);
}

/* The next 64-bit number of a zip64 field, for one that did not fit. */
static bool take64(const unsigned char **bytes, size_t *length,
		   uint64_t *number)
{
	if (*length < 8)
		return false;
	*number = zip_quad(*bytes);
	*bytes += 8;
	*length -= 8;
	return true;
}

/*
 * In this order, each only when its 32-bit field is full. Numbers that are
 * not asked for would be an invitation to read one or the other.
 */
static bool take_zip64(struct zip_entry *entry, const unsigned char *bytes,
		       size_t length, struct error *err)
{
	bool ok = true;

	if (entry->zip64)
		return malformed(entry, err, "two zip64 fields");
	entry->zip64 = true;
	if (entry->size == UNSET32)
		ok = take64(&bytes, &length, &entry->size);
	if (ok && entry->packed == UNSET32)
		ok = take64(&bytes, &length, &entry->packed);
	if (ok && entry->offset == UNSET32)
		ok = take64(&bytes, &length, &entry->offset);
	if (!ok || length)
		return malformed(entry, err, "a malformed zip64 field");
	return true;
}

/* Info-ZIP's second name: readers that know it believe it. */
static bool check_unicode_path(const struct zip_entry *entry,
			       const unsigned char *bytes, size_t length,
			       struct error *err)
{
	if (length >= 5 && length - 5 == entry->name_length &&
	    !memcmp(bytes + 5, entry->name, entry->name_length))
		return true;
	return malformed(entry, err, "another name in an extra field");
}

static bool parse_fields(struct zip_entry *entry, const unsigned char *bytes,
			 size_t length, struct error *err)
{
	while (length) {
		unsigned id, size;

		if (length < 4)
			return malformed(entry, err, "a cut extra field");
		id = zip_word(bytes);
		size = zip_word(bytes + 2);
		bytes += 4;
		length -= 4;
		if (size > length)
			return malformed(entry, err, "a cut extra field");
		if (id == FIELD_ZIP64 && !take_zip64(entry, bytes, size, err))
			return false;
		if (id == FIELD_UNICODE_PATH &&
		    !check_unicode_path(entry, bytes, size, err))
			return false;
		bytes += size;
		length -= size;
	}
	return true;
}

static bool check_method(const struct zip_entry *entry, struct error *err)
{
	unsigned known = ZIP_FLAG_LEVEL | ZIP_FLAG_DESCRIPTOR | ZIP_FLAG_UTF8;

	if (entry->flags & ZIP_FLAG_ENCRYPTED)
		return malformed(entry, err, "encrypted data");
	if (entry->flags & ~known)
		return malformed(entry, err, "flags that are not known");
	if (entry->method != ZIP_STORED && entry->method != ZIP_DEFLATED)
		return malformed(entry, err,
				 "a compression method other than deflate");
	if (entry->method == ZIP_STORED && entry->packed != entry->size)
		return malformed(entry, err,
				 "two sizes, though it is not compressed");
	return true;
}

/* What both kinds have, `at` being where it begins: flags, method, time,
 * CRC, sizes, lengths. */
static void parse_common(struct zip_entry *entry, const unsigned char *at)
{
	*entry = (struct zip_entry){
		.flags = zip_word(at),
		.method = zip_word(at + 2),
		.crc = zip_long(at + 8),
		.packed = zip_long(at + 12),
		.size = zip_long(at + 16),
		.name_length = zip_word(at + 20),
	};
}

static bool cut(struct error *err, const char *what)
{
	return error_set(err, ERROR_ARCHIVE, "%s is cut short", what);
}

bool zip_central_parse(struct zip_entry *entry, const unsigned char *bytes,
		       size_t length, struct error *err)
{
	size_t extra, comment;

	if (length < ZIP_CENTRAL_SIZE)
		return cut(err, "the zip directory");
	if (zip_long(bytes) != SIGNATURE_CENTRAL)
		return error_set(err, ERROR_ARCHIVE,
				 "the zip directory holds something that is "
				 "not an entry");
	parse_common(entry, bytes + 8);
	extra = zip_word(bytes + 30);
	comment = zip_word(bytes + 32);
	entry->length = ZIP_CENTRAL_SIZE + entry->name_length + extra + comment;
	if (entry->length > length)
		return cut(err, "the zip directory");
	entry->name = bytes + ZIP_CENTRAL_SIZE;
	entry->made_by = zip_word(bytes + 4);
	entry->attributes = zip_long(bytes + 38);
	entry->offset = zip_long(bytes + 42);
	if (zip_word(bytes + 34))
		return malformed(entry, err, "its data on another disk");
	return parse_fields(entry, entry->name + entry->name_length, extra,
			    err) &&
	       check_method(entry, err);
}

bool zip_local_parse(struct zip_entry *entry, const unsigned char *bytes,
		     size_t length, struct error *err)
{
	size_t extra;

	if (length < ZIP_LOCAL_SIZE)
		return cut(err, "a local zip header");
	if (zip_long(bytes) != SIGNATURE_LOCAL)
		return error_set(err, ERROR_ARCHIVE,
				 "there is no local zip header where the "
				 "directory says");
	parse_common(entry, bytes + 6);
	extra = zip_word(bytes + 28);
	entry->length = ZIP_LOCAL_SIZE + entry->name_length + extra;
	if (entry->length > length)
		return cut(err, "a local zip header");
	entry->name = bytes + ZIP_LOCAL_SIZE;
	return parse_fields(entry, entry->name + entry->name_length, extra,
			    err);
}

/* The 64-bit end record, in front of its locator in front of the other. */
static bool parse_end64(struct zip_end *end, const unsigned char *bytes,
			size_t length, uint64_t file_size, struct error *err)
{
	size_t behind = ZIP_END_SIZE + ZIP_LOCATOR64_SIZE + ZIP_END64_SIZE;
	const unsigned char *end64, *locator;

	if (length < behind)
		return cut(err, "the zip's 64-bit end record");
	end64 = bytes + length - behind;
	locator = end64 + ZIP_END64_SIZE;
	if (zip_long(end64) != SIGNATURE_END64 ||
	    zip_long(locator) != SIGNATURE_LOCATOR64 ||
	    zip_quad(end64 + 4) != ZIP_END64_SIZE - 12 ||
	    zip_long(end64 + 16) || zip_long(end64 + 20) ||
	    zip_quad(end64 + 24) != zip_quad(end64 + 32) ||
	    zip_long(locator + 4) ||
	    zip_quad(locator + 8) != file_size - behind ||
	    zip_long(locator + 16) != 1)
		return error_set(err, ERROR_ARCHIVE,
				 "the zip's 64-bit end record is malformed");
	end->entries = zip_quad(end64 + 32);
	end->size = zip_quad(end64 + 40);
	end->offset = zip_quad(end64 + 48);
	return true;
}

static bool has_locator64(const unsigned char *bytes, size_t length)
{
	size_t behind = ZIP_END_SIZE + ZIP_LOCATOR64_SIZE;

	return length >= behind &&
	       zip_long(bytes + length - behind) == SIGNATURE_LOCATOR64;
}

/* A field of the old record may be full, or say the same as the new one. */
static bool agrees(uint64_t old, uint64_t unset, uint64_t now)
{
	return old == unset || old == now;
}

static bool check_end(const struct zip_end *end, uint64_t file_size,
		      size_t records, struct error *err)
{
	if (end->size > file_size || end->offset > file_size ||
	    end->offset + end->size != file_size - records)
		return error_set(err, ERROR_ARCHIVE,
				 "the zip directory does not reach to the end "
				 "record");
	return true;
}

bool zip_end_parse(struct zip_end *end, const unsigned char *bytes,
		   size_t length, uint64_t file_size, struct error *err)
{
	size_t records = ZIP_END_SIZE;
	const unsigned char *last;
	struct zip_end old;

	if (length < ZIP_END_SIZE)
		return cut(err, "the zip archive");
	last = bytes + length - ZIP_END_SIZE;
	if (zip_long(last) != SIGNATURE_END || zip_word(last + 20))
		return error_set(err, ERROR_ARCHIVE,
				 "the file does not end with the end record "
				 "of a zip archive");
	if (zip_word(last + 4) || zip_word(last + 6) ||
	    zip_word(last + 8) != zip_word(last + 10))
		return error_set(err, ERROR_ARCHIVE,
				 "the zip archive is one of several disks");
	old = (struct zip_end){zip_word(last + 10), zip_long(last + 12),
			       zip_long(last + 16)};
	*end = old;
	/* Info-ZIP writes the larger records when it did not know the sizes
	 * beforehand, needed or not. */
	if (old.entries == UNSET16 || old.size == UNSET32 ||
	    old.offset == UNSET32 || has_locator64(bytes, length)) {
		if (!parse_end64(end, bytes, length, file_size, err))
			return false;
		records += ZIP_END64_SIZE + ZIP_LOCATOR64_SIZE;
		if (!agrees(old.entries, UNSET16, end->entries) ||
		    !agrees(old.size, UNSET32, end->size) ||
		    !agrees(old.offset, UNSET32, end->offset))
			return error_set(err, ERROR_ARCHIVE,
					 "the zip's two end records differ");
	}
	return check_end(end, file_size, records, err);
}
