/*
 * cli.h - the command line: a table of options, a table of commands, and the
 * help that is printed from both.
 */
#ifndef RNE_CLI_H
#define RNE_CLI_H

#include <stdbool.h>

#include "attributes.h"
#include "buf.h"
#include "env.h"
#include "error.h"
#include "options.h"

/* Bits: which options a command takes. */
enum cli_group {
	CLI_COMMON = 1,      /* --quiet, --color ... */
	CLI_APP = 2,         /* --app, --package */
	CLI_CHOICE = 4,      /* --manifest, --target, --extras */
	CLI_NETWORK = 8,     /* --base-url, --offline, --jobs ... */
	CLI_CACHE = 16,      /* --cache-dir, --lock-timeout */
	CLI_QUICK = 32,      /* --quick */
	CLI_RELEASE = 64,    /* --release */
	CLI_OUTPUT = 128,    /* --output */
	CLI_FROM = 256,      /* --from */
	CLI_GITHUB = 512,    /* --github-output */
	CLI_SYNC = 1024,     /* --no-sync, --refresh */
	CLI_JSON = 2048,     /* --json */
	CLI_MANIFEST = 4096, /* --manifest alone */
};

struct command {
	const char *name;
	const char *arguments; /* for help: "DIR"; "" */
	const char *summary;   /* one line */
	const char *text;      /* a paragraph for `help COMMAND` */
	unsigned groups;
	unsigned arguments_min, arguments_max;
	bool (*run)(const struct options *options,
		    const struct environment *env, struct error *err);
};

extern const struct command cmd_install, cmd_plan, cmd_verify, cmd_status,
	cmd_warm, cmd_cache, cmd_pack, cmd_manifest, cmd_help;

/* All commands, in the order of help; NULL ends it. */
extern const struct command *const cli_commands[];
const struct command *cli_command(const char *name);

/*
 * Parses argv into `options` and the command (install when none is named).
 * USAGE errors name the option or command, with the nearest known one.
 */
bool cli_parse(int argc, char **argv, struct options *options,
	       const struct command **command, struct error *err) NODISCARD;
void cli_release(struct options *options);

/* A line of help in two columns; the right one is broken at 80. */
void cli_add_row(struct buf *out, const char *left, const char *text);
/* The options of a command for help; NULL: all. */
void cli_add_options(const struct command *command, struct buf *out);
/* A USAGE error with the nearest command. */
bool cli_unknown_command(const char *name, struct error *err);
/* The hint of a USAGE error. */
bool cli_usage(const struct command *command, struct error *err);

/* A command's result: text on stdout, checked. */
bool cli_print(const char *text, struct error *err) NODISCARD;

#endif
