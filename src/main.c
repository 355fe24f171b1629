/*
 * main.c - reads the environment and the command line, runs a command, checks
 * standard output, and turns an error into words and an exit code.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "fs.h"
#include "interrupt.h"
#include "log.h"
#include "progress.h"

/* A closed standard stream would be given to the next file that is opened. */
static bool open_standard_streams(struct error *err)
{
	int fd;

	do {
		fd = fs_open_named(AT_FDCWD, "/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return error_system(err, errno, "cannot open /dev/null");
	close(fd);
	return true;
}

/* npm's levels below notice mean: say nothing that is not wrong. */
static bool is_quiet_level(const char *npm_loglevel)
{
	return npm_loglevel && (!strcmp(npm_loglevel, "silent") ||
				!strcmp(npm_loglevel, "error") ||
				!strcmp(npm_loglevel, "warn"));
}

/* NO_COLOR (no-color.org) and FORCE_COLOR, unless --color says it. */
static enum log_color choose_color(const struct options *options,
				   const struct environment *env)
{
	if (options->color != LOG_COLOR_AUTO)
		return options->color;
	if (env->no_color)
		return LOG_COLOR_NEVER;
	if (env->force_color && strcmp(env->force_color, "0"))
		return LOG_COLOR_ALWAYS;
	return LOG_COLOR_AUTO;
}

static void set_voice(const struct options *options,
		      const struct environment *env)
{
	bool quiet = options->quiet || is_quiet_level(env->npm_loglevel);

	if (options->verbose)
		log_set_level(LOG_VERBOSE);
	else if (quiet)
		log_set_level(LOG_QUIET);
	log_set_color(choose_color(options, env));
	progress_start(!quiet && !options->no_progress && !env->ci &&
		       env->term && strcmp(env->term, "dumb"));
	fs_set_durable(!options->no_sync);
}

static bool run(int argc, char **argv, struct error *err)
{
	struct options options CLEANUP(cli_release) = {0};
	struct environment env;
	const struct command *command;

	if (!cli_parse(argc, argv, &options, &command, err) ||
	    !environment_read(&env, err))
		return false;
	set_voice(&options, &env);
	return command->run(&options, &env, err);
}

/* What to type next, where the place that failed knew nothing better. */
static void add_hint(struct error *err)
{
	if (err->kind == ERROR_USAGE)
		error_hint(err, "`rne-libs help` lists commands, options and "
				"variables.");
	else if (err->kind == ERROR_CONFIG)
		error_hint(err, "Correct it and run the command again.");
}

int main(int argc, char **argv)
{
	struct error err = ERROR_INIT;

	/* Modes are ours to choose; whatever the umask, others may read. */
	umask(022);
	interrupt_install();
	if (open_standard_streams(&err) && run(argc, argv, &err) &&
	    !fflush(stdout))
		return 0;
	if (err.kind == ERROR_NONE)
		error_system(&err, errno, "cannot write to standard output");
	add_hint(&err);
	log_error(&err);
	return (int)err.kind;
}
