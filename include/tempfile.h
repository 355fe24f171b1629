/*
 * tempfile.h - a file that appears whole or not at all.
 *
 *	struct tempfile file CLEANUP(tempfile_drop) = TEMPFILE_INIT;
 *	if (!tempfile_create(&file, at, "receipt.json", 0644, err) ||
 *	    !fs_write_all(file.fd, ...) ||
 *	    !tempfile_commit(&file, TEMPFILE_SYNC, err))
 *		return false;
 *
 * The temporary name is in the same folder and unique to this process on
 * this host: two containers may share a process id and a folder.
 */
#ifndef RNE_TEMPFILE_H
#define RNE_TEMPFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attributes.h"
#include "error.h"

struct tempfile {
	int fd;     /* open for reading and writing; -1: none */
	int at;     /* borrowed: the folder that it lies in */
	char *name; /* its temporary name */
	char *final_name;
};

#define TEMPFILE_INIT              \
	{                          \
		-1, -1, NULL, NULL \
	}

/* Every temporary name begins so; what bears it and is old is litter. */
#define TEMPFILE_PREFIX ".rne-tmp-"

/* A name beside `final_name` that nobody else has: a process id is not enough,
 * since two containers share one, and a folder. Caller frees. */
char *tempfile_name(const char *final_name) NODISCARD;

/* `final_name` may hold folders, which must exist. Mode as given, no umask. */
bool tempfile_create(struct tempfile *file, int at, const char *final_name,
		     mode_t mode, struct error *err) NODISCARD;
/*
 * How much a file's bytes matter after a power failure: those that can be made
 * again, or that another sync covers before anything relies on them, need not
 * be waited for.
 */
enum tempfile_care { TEMPFILE_SYNC, TEMPFILE_NO_SYNC };

/* Closes and renames; on failure nothing is left behind. */
bool tempfile_commit(struct tempfile *file, enum tempfile_care care,
		     struct error *err) NODISCARD;
void tempfile_drop(struct tempfile *file);

/* All three in one. */
bool tempfile_write(int at, const char *final_name, mode_t mode,
		    const void *bytes, size_t length, enum tempfile_care care,
		    struct error *err) NODISCARD;

/* Nobody writes a file for that long: seconds. */
#define TEMPFILE_OLD 3600

/* Removes those that are older than `seconds` from the folder `path`: what a
 * process that was killed left there. */
bool tempfile_sweep(int at, const char *path, int64_t seconds,
		    struct error *err) NODISCARD;

#endif
