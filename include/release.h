/*
 * release.h - the files of a release as its maintainers publish them: a
 * folder, or a URL below which they lie.
 */
#ifndef RNE_RELEASE_H
#define RNE_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "fetch.h"

/* An archive is at most so large when nothing says its size. */
#define RELEASE_FILE_MAX (UINT64_C(4) << 30)

struct release {
	const char *from; /* borrowed, for messages */
	int folder;       /* -1: a URL */
	struct fetch *fetch;
};

#define RELEASE_INIT           \
	{                      \
		NULL, -1, NULL \
	}

/*
 * `from` is a folder, a file: URL of one, or an http(s) URL; USAGE when it is
 * none of these. `policy` is for the last and borrowed.
 */
bool release_open(struct release *release, const char *from,
		  const struct fetch_policy *policy,
		  struct error *err) NODISCARD;

/*
 * Opens a file of the release for reading, from its beginning. `fd` becomes
 * -1 when there is none of that name. What has to be fetched goes into the
 * folder `work`, under a name that is gone again.
 */
bool release_file(const struct release *release, const char *name, int work,
		  int *fd, struct error *err) NODISCARD;

/* The bytes of a small file; `found` tells a missing one from an empty one. */
bool release_text(const struct release *release, const char *name,
		  uint64_t limit, struct buf *text, bool *found,
		  struct error *err) NODISCARD;

void release_close(struct release *release);

#endif
