/*
 * zip_record.h - the records of a zip archive, out of their bytes. Part of
 * zip_check.c, which compares them.
 */
#ifndef RNE_ZIP_RECORD_H
#define RNE_ZIP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

#define ZIP_LOCAL_SIZE     30
#define ZIP_CENTRAL_SIZE   46
#define ZIP_END_SIZE       22
#define ZIP_END64_SIZE     56
#define ZIP_LOCATOR64_SIZE 20
#define ZIP_DESCRIPTOR_MAX 24

enum {
	ZIP_FLAG_ENCRYPTED = 1 << 0,
	ZIP_FLAG_LEVEL = 3 << 1,
	ZIP_FLAG_DESCRIPTOR = 1 << 3,
	ZIP_FLAG_UTF8 = 1 << 11,
};

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

uint16_t zip_word(const unsigned char *bytes);
uint32_t zip_long(const unsigned char *bytes);
uint64_t zip_quad(const unsigned char *bytes);

/* What a local or a central header says; `name` points into its bytes. */
struct zip_entry {
	const unsigned char *name;
	size_t name_length;
	uint16_t flags;
	uint16_t method;
	uint32_t crc;
	uint64_t packed; /* bytes in the archive */
	uint64_t size;   /* bytes unpacked */
	bool zip64;      /* has a zip64 field */
	size_t length;   /* of the record, with name and fields */
	/* Central only. */
	uint64_t offset; /* of the local header */
	uint16_t made_by;
	uint32_t attributes;
};

/* ARCHIVE when the bytes are not such a record, or not one to be accepted. */
bool zip_central_parse(struct zip_entry *entry, const unsigned char *bytes,
		       size_t length, struct error *err) NODISCARD;
bool zip_local_parse(struct zip_entry *entry, const unsigned char *bytes,
		     size_t length, struct error *err) NODISCARD;

/* Where the directory lies. */
struct zip_end {
	uint64_t entries;
	uint64_t size;
	uint64_t offset;
};

/* `bytes` are the last of the file, at least 98 or all of them. */
bool zip_end_parse(struct zip_end *end, const unsigned char *bytes,
		   size_t length, uint64_t file_size,
		   struct error *err) NODISCARD;

#endif
