/*
 * options.h - what the command line said, before the environment is asked.
 * Filled by cli.c from its table; every pointer is borrowed from argv.
 */
#ifndef RNE_OPTIONS_H
#define RNE_OPTIONS_H

#include <stdbool.h>

#include "list.h"
#include "log.h"

struct options {
	const char *app;
	const char *package;
	const char *manifest;
	const char *release; /* PRODUCT@VERSION */
	const char *public_key;
	struct list base_urls;
	const char *target;
	const char *extras; /* NULL: not given; "": core only */
	const char *cache_dir;
	const char *output; /* pack --out, manifest pin --out */
	const char *from;   /* manifest pin --from */
	const char *jobs;
	const char *connect_timeout; /* seconds */
	const char *stall_timeout;   /* seconds */
	const char *lock_timeout;    /* seconds */
	bool offline;
	bool require_pinned;
	bool allow_http;
	bool refresh; /* believe no sidecar of before, and no time */
	bool no_sync;
	bool quick;
	bool json;
	bool quiet;
	bool verbose;
	bool no_progress;
	bool github_output;
	bool version;         /* --version */
	const char *help_for; /* --help behind a command; NULL: the program */
	enum log_color color;
	struct list arguments; /* what is no option */
};

#endif
