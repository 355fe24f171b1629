/*
 * A plain tar, as tar.gz and as tar.zst: both are unpacked alike, and what is
 * accepted is unpacked as unpacked.h says.
 */
#include <zlib.h>
#include <zstd.h>

#include "tar_header.h"
#include "unpacked.h"

#define STORED_MAX 65535

static void put_long(struct buf *out, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		buf_byte(out, (char)(number >> 8 * i & 255));
}

/* Stored, since nothing is learnt from deflate here. */
static void gzip(struct buf *out, const uint8_t *data, size_t size)
{
	size_t left = size;

	buf_append(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	do {
		size_t length = left < STORED_MAX ? left : STORED_MAX;
		const uint8_t *from = data + size - left;

		left -= length;
		buf_byte(out, left ? 0 : 1);
		buf_byte(out, (char)(length & 255));
		buf_byte(out, (char)(length >> 8));
		buf_byte(out, (char)(~length & 255));
		buf_byte(out, (char)(~length >> 8 & 255));
		buf_append(out, from, length);
	} while (left);
	put_long(out, (uint32_t)crc32(0, data, (unsigned)size));
	put_long(out, (uint32_t)size);
}

static void zstd(struct buf *out, const uint8_t *data, size_t size)
{
	size_t room = ZSTD_compressBound(size);
	size_t length =
		ZSTD_compress(buf_reserve(out, room), room, data, size, -5);

	FUZZ_ASSERT(!ZSTD_isError(length));
	out->length += length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf gz CLEANUP(buf_release) = BUF_INIT;
	struct buf zst CLEANUP(buf_release) = BUF_INIT;

	gzip(&gz, data, size);
	zstd(&zst, data, size);
	unpacked_check(
		&(struct unpacked_archive){gz.data, gz.length, ARCHIVE_TAR_GZ},
		&(struct unpacked_archive){zst.data, zst.length,
					   ARCHIVE_TAR_ZST});
	return 0;
}

/* Where the parts of a header lie, for changes that keep it one. */
static const struct {
	size_t offset, length;
} fields[] = {
	{0, 100},   {100, 8}, {124, 12},  {156, 1},
	{157, 100}, {257, 8}, {345, 155}, {0, TAR_BLOCK},
};

static void mutate_field(uint8_t *block, unsigned seed)
{
	size_t offset = fields[seed % ARRAY_SIZE(fields)].offset;
	size_t length = fields[seed % ARRAY_SIZE(fields)].length;
	size_t used = LLVMFuzzerMutate(block + offset, length, length);

	memset(block + offset + used, 0, length - used);
}

static void swap_blocks(uint8_t *a, uint8_t *b)
{
	uint8_t kept[TAR_BLOCK];

	memcpy(kept, a, TAR_BLOCK);
	memcpy(a, b, TAR_BLOCK);
	memcpy(b, kept, TAR_BLOCK);
}

/* Puts the checksum of what may be a header right. */
static void sum_up(uint8_t *block)
{
	unsigned sum = 0;

	if (tar_block_is_zero(block, TAR_BLOCK))
		return;
	memset(block + 148, ' ', 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
}

/* Header by header, as their sizes say. */
static void repair(uint8_t *data, size_t size)
{
	for (size_t at = 0; at + TAR_BLOCK <= size;) {
		char octal[13] = "";
		size_t length;

		sum_up(data + at);
		memcpy(octal, data + at + 124, 12);
		length = strtoul(octal, NULL, 8);
		/* 1 and 2 are links and 5 a folder: no data. */
		if (strchr("125", data[at + 156]) || length > size)
			length = 0;
		at += TAR_BLOCK +
		      (length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed)
{
	size_t blocks = size / TAR_BLOCK;
	unsigned what = seed % 8;
	uint8_t *block, *other;

	if (!blocks || !what)
		return LLVMFuzzerMutate(data, size, max_size);
	block = data + seed / 8 % blocks * TAR_BLOCK;
	other = data + seed / 512 % blocks * TAR_BLOCK;
	if (what == 1 && size + TAR_BLOCK <= max_size) {
		memmove(block + TAR_BLOCK, block,
			(size_t)(data + size - block));
		size += TAR_BLOCK;
	} else if (what == 2) {
		memmove(block, block + TAR_BLOCK,
			(size_t)(data + size - block) - TAR_BLOCK);
		size -= TAR_BLOCK;
	} else if (what == 3) {
		swap_blocks(block, other);
	} else {
		mutate_field(block, seed / 4096);
	}
	if (seed >> 20 & 15)
		repair(data, size);
	return size;
}
