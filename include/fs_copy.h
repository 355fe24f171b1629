/*
 * fs_copy.h - the bytes of one open file into another, the cheapest way the
 * two file systems have.
 */
#ifndef RNE_FS_COPY_H
#define RNE_FS_COPY_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"

/*
 * Copies the bytes of `from` into the empty file `to`: a clone where the file
 * system shares extents, else copy_file_range(2), else read and write.
 */
bool fs_copy_bytes(int from, int to, const char *name,
		   struct error *err) NODISCARD;
/* The clone alone; false where the file system does not share extents. */
bool fs_clone_bytes(int from, int to) NODISCARD;

#endif
