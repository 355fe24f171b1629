/*
 * fs_copy.h - the bytes of one open file into another, the cheapest way the
 * two file systems have.
 */
#ifndef RNE_FS_COPY_H
#define RNE_FS_COPY_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"

enum fs_copy_way {
	FS_COPY_ANY,   /* a clone, else copy_file_range(2), else by hand */
	FS_COPY_CLONE, /* a clone, or an error of kind FILESYSTEM */
	FS_COPY_PLAIN, /* no clone: a try has shown that there is none */
};

/*
 * Copies the bytes of `from`, whole, into the empty file `to`. Where no clone
 * can be had, FS_COPY_ANY becomes FS_COPY_PLAIN for the files that follow.
 */
bool fs_copy_bytes(int from, int to, const char *name, enum fs_copy_way *way,
		   struct error *err) NODISCARD;

#endif
