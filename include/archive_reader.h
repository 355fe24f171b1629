/*
 * archive_reader.h - entries and their bytes out of an archive. The only user
 * of libarchive.
 *
 * libarchive reads; next to it the archive's own headers are read by
 * tar_scan.h and zip_check.h, whose word counts for what an entry is. Where
 * the two differ about an entry's place, kind or size, the archive is
 * refused: a file that two programs read in two ways is an attack on one of
 * them. A warning of libarchive's is an error here, and so is anything
 * between the last entry and the end of the file.
 *
 *	archive_reader_open(&reader, file, format, &limits, err)
 *	while (archive_reader_next(reader, &member, &found, err) && found)
 *		while (archive_reader_data(reader, &bytes, &length, err) &&
 *		       length)
 *			use them
 *	archive_reader_close(&reader)
 */
#ifndef RNE_ARCHIVE_READER_H
#define RNE_ARCHIVE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"
#include "manifest.h"
#include "member.h"
#include "unpack.h"

struct archive_reader;

/* `file` is read with pread(2) and stays the caller's. */
bool archive_reader_open(struct archive_reader **out, int file,
			 enum archive_format format,
			 const struct unpack_limits *limits,
			 struct error *err) NODISCARD;
/* The caller releases `member`. Not found: the archive ended as it should. */
bool archive_reader_next(struct archive_reader *reader, struct member *member,
			 bool *found, struct error *err) NODISCARD;
/*
 * The next bytes of a MEMBER_FILE, libarchive's until the next call. Length 0
 * is its end, and exactly the member's size came before.
 */
bool archive_reader_data(struct archive_reader *reader, const void **bytes,
			 size_t *length, struct error *err) NODISCARD;
void archive_reader_close(struct archive_reader **reader);

#endif
