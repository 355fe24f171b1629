/*
 * tree_writer.h - files, folders and links of an archive onto the disk, below
 * one folder and never through a link.
 *
 * Paths are acceptable by path.h and used once each; nothing that lies there
 * already is written over. Modes are 0644, 0755 and 0755 for folders, what-
 * ever the umask is. Errors: FILESYSTEM.
 *
 *	tree_writer_start(&writer, into)
 *	tree_writer_open(&writer, "a/b", false, err), add ..., close
 *	tree_writer_release(&writer)
 *
 * With `into` -1 nothing is written: bytes are at most hashed.
 */
#ifndef RNE_TREE_WRITER_H
#define RNE_TREE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "digest.h"
#include "error.h"
#include "fs_copy.h"

struct tree_writer {
	int into;     /* borrowed */
	char *folder; /* the one that `folder_fd` is; NULL: none yet */
	int folder_fd;
	char *path; /* the file that is open */
	int file;
	struct hasher *hasher;
};

void tree_writer_start(struct tree_writer *writer, int into);
void tree_writer_release(struct tree_writer *writer);

bool tree_writer_folder(struct tree_writer *writer, const char *path,
			struct error *err) NODISCARD;

/* One file at a time; with `hash`, closing it tells its digest. */
bool tree_writer_open(struct tree_writer *writer, const char *path,
		      bool executable, bool hash, struct error *err) NODISCARD;
bool tree_writer_add(struct tree_writer *writer, const void *bytes,
		     size_t length, struct error *err) NODISCARD;
bool tree_writer_close(struct tree_writer *writer, struct digest *digest,
		       struct error *err) NODISCARD;

/* A copy of the open file `from`; not without `into`. */
bool tree_writer_take(struct tree_writer *writer, int from, const char *path,
		      bool executable, enum fs_copy_way *way,
		      struct error *err) NODISCARD;
/* A copy of the file `from`, which this writer wrote. */
bool tree_writer_copy(struct tree_writer *writer, const char *from,
		      const char *path, bool executable,
		      struct error *err) NODISCARD;
bool tree_writer_link(struct tree_writer *writer, const char *path,
		      const char *target, struct error *err) NODISCARD;

#endif
