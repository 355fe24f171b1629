/*
 * progress.h - how far downloads are, on stderr.
 *
 * On a terminal: one live line for each running download and a total, redrawn
 * ten times a second at most. Elsewhere (CI, a hook's pipe): nothing live;
 * the caller prints one plain line per artifact (log.h).
 */
#ifndef RNE_PROGRESS_H
#define RNE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_item {
	const char *name;
	uint64_t received;
	uint64_t size; /* 0: not known */
	bool running;
	bool ended;
};

/* `live` is what the options and the terminal allow. */
void progress_start(bool live);
void progress_show(const struct progress_item *items, size_t count);
void progress_end(void);

/* "7.4 MB", "512 B"; decimal units, as disks and networks are sold. */
void progress_bytes(char text[16], uint64_t bytes);

#endif
