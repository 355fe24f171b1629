#include "cli.h"

#include "library.h"
#include "memory.h"

static void add_environment(struct buf *out)
{
	const struct environment_variable *variable = environment_table();

	buf_text(out, "\nEnvironment (an option wins over its variable):\n");
	for (; variable->name; variable++) {
		if (variable->text)
			cli_add_row(out, variable->name, variable->text);
	}
}

static void add_program(struct buf *out)
{
	buf_text(out, "usage: rne-libs [COMMAND] [OPTION]...\n\n"
		      "Makes third-party/ and rne-build-config.json of React "
		      "Native ExecuTorch match\nwhat the app's package.json "
		      "asks for.\n\nCommands (install when none is named):\n");
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct command *command = cli_commands[i];
		char *left CLEANUP(memory_release) = memory_printf(
			"%s %s", command->name, command->arguments);

		cli_add_row(out, left, command->summary);
	}
	buf_text(out, "\nOptions:\n");
	cli_add_options(NULL, out);
	cli_add_row(out, "--version",
		    "the versions of this program and its libraries");
	add_environment(out);
	buf_text(out,
		 "\nThe manual is rne-libs(1). `rne-libs help COMMAND` says "
		 "more about one command.\n");
}

static void add_command(struct buf *out, const struct command *command)
{
	buf_printf(out,
		   "usage: rne-libs %s%s%s [OPTION]...\n\n%s\n\nOptions:\n",
		   command->name, command->arguments[0] ? " " : "",
		   command->arguments, command->text);
	cli_add_options(command, out);
}

/* With the libraries' versions, so that it fails where one of them does. */
static bool print_version(struct error *err)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	if (!library_load_curl(err) || !library_load_archive(err))
		return false;
	buf_printf(&out, "rne-libs " RNE_VERSION "\nlibcurl %s, %s\n",
		   libcurl.version_info(CURLVERSION_NOW)->version,
		   libarchive.version_string());
	return cli_print(out.data, err);
}

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	const char *name = options->help_for;
	const struct command *command;

	(void)env;
	if (options->version)
		return print_version(err);
	if (options->arguments.count)
		name = options->arguments.items[0];
	command = name ? cli_command(name) : NULL;
	if (name && !command)
		return cli_unknown_command(name, err);
	if (command)
		add_command(&out, command);
	else
		add_program(&out);
	return cli_print(out.data, err);
}

const struct command cmd_help = {
	.name = "help",
	.arguments = "[COMMAND]",
	.summary = "this text, or more about a command",
	.text = "Prints what the program can do, or one command in detail.",
	.groups = CLI_COMMON,
	.arguments_max = 1,
	.run = run,
};
