/*
 * tar_write.h - the headers of a tar archive (ustar, with a pax header where
 * a path, a link or a size does not fit), for pack.c. Reproducible: owner 0,
 * no names of users, modes 0644 and 0755, and one fixed time.
 */
#ifndef RNE_TAR_WRITE_H
#define RNE_TAR_WRITE_H

#include "buf.h"
#include "tree.h"

/* Appends what goes in front of the entry's data: blocks of 512 bytes. */
void tar_write_header(struct buf *out, const struct tree_entry *entry);

/* Zeros from `size` bytes of data to the next block. */
size_t tar_write_padding(uint64_t size);

/* The two blocks that end an archive. */
#define TAR_WRITE_END 1024

#endif
