/*
 * config_file.h - reading a file that a person wrote or named.
 *
 * That it is a folder, a FIFO or a gigabyte long is a mistake in the
 * configuration (CONFIG); that the disk fails is not (FILESYSTEM).
 */
#ifndef RNE_CONFIG_FILE_H
#define RNE_CONFIG_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"

/* As fs_read_file by any path. */
bool config_file_read(const char *path, uint64_t limit, struct buf *out,
		      bool *found, struct error *err) NODISCARD;

#endif
