/*
 * A zip archive: what is accepted is unpacked as unpacked.h says, and passed
 * the check of all its parts before libarchive saw it.
 */
#include <zlib.h>

#include "unpacked.h"
#include "zip_check.h"
#include "zip_record.h"

#define INFLATED_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacked_archive archive = {data, size, ARCHIVE_ZIP};

	unpacked_check(&archive, &archive);
	return 0;
}

static void put(struct buf *out, uint64_t number, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		buf_byte(out, (char)(number >> 8 * i & 255));
}

static void put_at(uint8_t *at, uint64_t number, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		at[i] = number >> 8 * i & 255;
}

/* How many bytes of deflated data begin here, and what they come to. */
static bool measure(const uint8_t *data, size_t size, size_t *packed,
		    size_t *plain, uint32_t *crc)
{
	static uint8_t out[INFLATED_MAX];
	z_stream stream = {.next_in = (uint8_t *)(uintptr_t)data,
			   .avail_in = (unsigned)size,
			   .next_out = out,
			   .avail_out = sizeof(out)};
	int result = inflateInit2(&stream, -MAX_WBITS);

	if (result == Z_OK)
		result = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	*packed = size - stream.avail_in;
	*plain = sizeof(out) - stream.avail_out;
	*crc = (uint32_t)crc32(0, out, (unsigned)*plain);
	return result == Z_STREAM_END;
}

/* One local header, put right by its data; 0: it is none. */
static size_t repair_local(uint8_t *at, size_t left, struct buf *directory,
			   size_t offset, uint32_t attributes)
{
	size_t header, name, packed, plain;
	uint32_t crc;

	if (left < ZIP_LOCAL_SIZE || memcmp(at, "PK\3\4", 4))
		return 0;
	name = zip_word(at + 26);
	header = ZIP_LOCAL_SIZE + name + zip_word(at + 28);
	if (header > left)
		return 0;
	plain = packed = zip_long(at + 18);
	if (zip_word(at + 8) == ZIP_DEFLATED) {
		if (!measure(at + header, left - header, &packed, &plain, &crc))
			return 0;
	} else if (packed > left - header) {
		return 0;
	} else {
		crc = (uint32_t)crc32(0, at + header, (unsigned)packed);
	}
	put_at(at + 14, crc, 4);
	put_at(at + 18, packed, 4);
	put_at(at + 22, plain, 4);
	buf_append(directory, "PK\1\2\x1e\3", 6);
	buf_append(directory, at + 4, 26);
	put(directory, 0, 6);
	put(directory, attributes, 4);
	put(directory, offset, 4);
	buf_append(directory, at + ZIP_LOCAL_SIZE, header - ZIP_LOCAL_SIZE);
	return header + packed;
}

/* The local headers that are there, and a directory that says the same. */
static size_t repair(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static const uint32_t modes[] = {0100644, 0100755, 0120777, 040755};
	struct buf directory CLEANUP(buf_release) = BUF_INIT;
	size_t at = 0, used, length, count = 0;

	for (;; at += used, count++) {
		size_t last = at + 27 < size ? zip_word(data + at + 26) : 0;
		bool folder = last && at + 29 + last < size &&
			      data[at + 29 + last] == '/';
		uint32_t mode = folder                        ? 3
				: seed >> 2 * (count & 7) & 1 ? seed >> 8 & 3
							      : 0;

		used = repair_local(data + at, size - at, &directory, at,
				    modes[mode] << 16);
		if (!used)
			break;
	}
	length = directory.length;
	buf_append(&directory, "PK\5\6\0\0\0\0", 8);
	put(&directory, count, 2);
	put(&directory, count, 2);
	put(&directory, length, 4);
	put(&directory, at, 4);
	put(&directory, 0, 2);
	if (!count || at + directory.length > max_size)
		return size;
	memcpy(data + at, directory.data, directory.length);
	return at + directory.length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, max_size);
	return seed % 4 ? repair(data, size, max_size, seed / 4) : size;
}
