#include "cli.h"

#include <errno.h>

#include "buf.h"
#include "list.h"
#include "memory.h"

/* Help: where texts begin, and how wide a line may be. */
#define TEXT_COLUMN 30
#define TEXT_WIDTH  80

enum value { FLAG, TEXT, LIST, COLOR };

struct option {
	const char *name;
	char letter;
	enum value value;
	unsigned groups;
	size_t offset; /* into struct options */
	const char *argument;
	const char *text;
};

#define AT(field) offsetof(struct options, field)

static const struct option options_table[] = {
	{"app", 0, TEXT, CLI_APP, AT(app), "DIR",
	 "the app, instead of searching for it"},
	{"package", 0, TEXT, CLI_APP, AT(package), "DIR",
	 "the React Native ExecuTorch package to fill"},
	{"manifest", 0, TEXT, CLI_CHOICE | CLI_MANIFEST, AT(manifest),
	 "FILE|URL", "the release manifest"},
	{"release", 0, TEXT, CLI_RELEASE, AT(release), "PRODUCT@VERSION",
	 "a manifest that comes with this program"},
	{"public-key", 0, TEXT, CLI_CHOICE, AT(public_key), "KEY",
	 "the minisign key that signs a manifest from a URL"},
	{"target", 0, TEXT, CLI_CHOICE, AT(target), "LIST",
	 "targets, by commas: ios, android, android-arm64, all, ..."},
	{"extras", 0, TEXT, CLI_CHOICE, AT(extras), "LIST",
	 "extras, by commas, instead of the app's; all; none"},
	{"base-url", 0, LIST, CLI_NETWORK, AT(base_urls), "URL",
	 "where the archives lie; again for each mirror, in order"},
	{"offline", 0, FLAG, CLI_NETWORK, AT(offline), NULL,
	 "no request; what is missing is an error that lists it"},
	{"require-pinned", 0, FLAG, CLI_NETWORK, AT(require_pinned), NULL,
	 "refuse archives whose sha256 is not in the manifest"},
	{"allow-http", 0, FLAG, CLI_NETWORK, AT(allow_http), NULL,
	 "plain http beyond loopback for unpinned archives too"},
	{"refresh", 0, FLAG, CLI_SYNC, AT(refresh), NULL,
	 "believe nothing: ask the sidecars and hash the files of what is "
	 "installed, too"},
	{"jobs", 0, TEXT, CLI_NETWORK, AT(jobs), "N",
	 "archives unpacked at once; one per processor"},
	{"connect-timeout", 0, TEXT, CLI_NETWORK, AT(connect_timeout),
	 "SECONDS", "give up connecting after so long; 15"},
	{"stall-timeout", 0, TEXT, CLI_NETWORK, AT(stall_timeout), "SECONDS",
	 "give up a transfer that stands still for so long; 20"},
	{"no-sync", 0, FLAG, CLI_SYNC, AT(no_sync), NULL,
	 "do not wait for the disk: for machines thrown away after use"},
	{"cache-dir", 0, TEXT, CLI_CACHE, AT(cache_dir), "DIR", "the cache"},
	{"lock-timeout", 0, TEXT, CLI_CACHE, AT(lock_timeout), "SECONDS",
	 "give up waiting for another process after so long; 600"},
	{"quick", 0, FLAG, CLI_QUICK, AT(quick), NULL,
	 "compare sizes and times instead of hashing every file"},
	{"output", 0, TEXT, CLI_OUTPUT, AT(output), "PATH",
	 "where the result goes"},
	{"from", 0, TEXT, CLI_FROM, AT(from), "DIR|URL",
	 "the release to take sizes, digests and file lists from"},
	{"github-output", 0, FLAG, CLI_GITHUB, AT(github_output), NULL,
	 "append key= and path= to the file $GITHUB_OUTPUT"},
	{"json", 0, FLAG, CLI_JSON, AT(json), NULL,
	 "one JSON document on standard output"},
	{"quiet", 'q', FLAG, CLI_COMMON, AT(quiet), NULL,
	 "warnings and errors only"},
	{"verbose", 'v', FLAG, CLI_COMMON, AT(verbose), NULL, "say why, too"},
	{"no-progress", 0, FLAG, CLI_COMMON, AT(no_progress), NULL,
	 "no live lines on a terminal"},
	{"color", 0, COLOR, CLI_COMMON, AT(color), "auto|always|never",
	 "colors on standard error"},
};

static const struct {
	const char *name;
	enum log_color color;
} colors[] = {
	{"auto", LOG_COLOR_AUTO},
	{"always", LOG_COLOR_ALWAYS},
	{"never", LOG_COLOR_NEVER},
};

const struct command *const cli_commands[] = {
	&cmd_install, &cmd_plan, &cmd_verify,   &cmd_status, &cmd_warm,
	&cmd_cache,   &cmd_pack, &cmd_manifest, &cmd_help,   NULL,
};

const struct command *cli_command(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		if (!strcmp(cli_commands[i]->name, name))
			return cli_commands[i];
	}
	return NULL;
}

bool cli_usage(const struct command *command, struct error *err)
{
	if (command)
		return error_hint(err, "`rne-libs help %s` lists its options.",
				  command->name);
	return error_hint(err, "`rne-libs help` lists commands and options.");
}

/* `dashes` are what stands before such a name on the command line. */
static bool unknown(const char *what, const char *dashes,
		    const struct list *names, const char *name,
		    struct error *err)
{
	const char *nearest = list_nearest(names, name);
	char *advice CLEANUP(memory_release) =
		nearest ? memory_printf("; did you mean %s%s?", dashes, nearest)
			: memory_string("");

	error_set(err, ERROR_USAGE, "there is no %s %s%s%s", what, dashes, name,
		  advice);
	return cli_usage(NULL, err);
}

bool cli_unknown_command(const char *name, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	for (size_t i = 0; cli_commands[i]; i++)
		list_add(&names, cli_commands[i]->name);
	return unknown("command", "", &names, name, err);
}

static bool unknown_option(const char *name, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(options_table); i++)
		list_add(&names, options_table[i].name);
	return unknown("option", "--", &names, name, err);
}

static const struct option *find_option(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(options_table); i++) {
		const struct option *option = &options_table[i];

		if (strlen(option->name) == length &&
		    !memcmp(option->name, name, length))
			return option;
	}
	return NULL;
}

static bool set_color(enum log_color *color, const char *value,
		      struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(colors); i++) {
		if (!strcmp(colors[i].name, value)) {
			*color = colors[i].color;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "--color: expected auto, always or never, found %s",
			 value);
}

static bool store(const struct option *option, const char *value,
		  struct options *options, struct error *err)
{
	void *field = (char *)options + option->offset;

	switch (option->value) {
	case FLAG:
		*(bool *)field = true;
		return true;
	case TEXT:
		*(const char **)field = value;
		return true;
	case LIST:
		list_add(field, value);
		return true;
	case COLOR:
		return set_color(field, value, err);
	}
	return false;
}

struct parser {
	int argc;
	char **argv;
	int at;
	struct options *options;
	unsigned seen[ARRAY_SIZE(options_table)]; /* by option */
	bool help, version;
};

static bool take_option(struct parser *parser, const struct option *option,
			const char *attached, struct error *err)
{
	const char *value = attached;

	if (option->value == FLAG && attached)
		return error_set(err, ERROR_USAGE, "--%s takes no value",
				 option->name);
	if (option->value != FLAG && !value) {
		if (parser->at + 1 >= parser->argc)
			return error_set(
				err, ERROR_USAGE, "--%s needs a value: --%s %s",
				option->name, option->name, option->argument);
		value = parser->argv[++parser->at];
	}
	parser->seen[option - options_table]++;
	return store(option, value, parser->options, err);
}

static bool take_long(struct parser *parser, const char *text,
		      struct error *err)
{
	size_t length = strcspn(text, "=");
	const struct option *option = find_option(text, length);

	if (!strcmp(text, "help")) {
		parser->help = true;
		return true;
	}
	if (!strcmp(text, "version")) {
		parser->version = true;
		return true;
	}
	if (!option) {
		char *name CLEANUP(memory_release) =
			memory_string_n(text, length);

		return unknown_option(name, err);
	}
	return take_option(parser, option,
			   text[length] ? text + length + 1 : NULL, err);
}

static bool take_letters(struct parser *parser, const char *letters,
			 struct error *err)
{
	for (; *letters; letters++) {
		const struct option *found = NULL;

		if (*letters == 'h') {
			parser->help = true;
			continue;
		}
		for (size_t i = 0; i < ARRAY_SIZE(options_table); i++) {
			if (options_table[i].letter == *letters)
				found = &options_table[i];
		}
		if (!found) {
			error_set(err, ERROR_USAGE, "there is no option -%c",
				  *letters);
			return cli_usage(NULL, err);
		}
		if (!take_option(parser, found, NULL, err))
			return false;
	}
	return true;
}

static bool take_all(struct parser *parser, struct error *err)
{
	bool only_arguments = false;

	for (parser->at = 1; parser->at < parser->argc; parser->at++) {
		const char *text = parser->argv[parser->at];

		if (only_arguments || text[0] != '-' || !text[1])
			list_add(&parser->options->arguments, text);
		else if (!strcmp(text, "--"))
			only_arguments = true;
		else if (text[1] == '-' ? !take_long(parser, text + 2, err)
					: !take_letters(parser, text + 1, err))
			return false;
	}
	return true;
}

/* The first word is the command; install when there is none. */
static bool choose_command(struct parser *parser,
			   const struct command **command, struct error *err)
{
	struct list *arguments = &parser->options->arguments;
	const struct command *found;

	*command = &cmd_install;
	if (!arguments->count)
		return true;
	found = cli_command(arguments->items[0]);
	if (!found)
		return cli_unknown_command(arguments->items[0], err);
	*command = found;
	free(arguments->items[0]);
	memmove(arguments->items, arguments->items + 1,
		--arguments->count * sizeof(char *));
	return true;
}

static bool check_use(const struct parser *parser,
		      const struct command *command, struct error *err)
{
	const struct list *arguments = &parser->options->arguments;

	for (size_t i = 0; i < ARRAY_SIZE(options_table); i++) {
		if (!parser->seen[i] ||
		    (options_table[i].groups & command->groups))
			continue;
		error_set(err, ERROR_USAGE, "%s has no option --%s",
			  command->name, options_table[i].name);
		return cli_usage(command, err);
	}
	if (arguments->count >= command->arguments_min &&
	    arguments->count <= command->arguments_max)
		return true;
	if (arguments->count > command->arguments_max)
		error_set(err, ERROR_USAGE, "%s: %s is one argument too many",
			  command->name,
			  arguments->items[command->arguments_max]);
	else
		error_set(err, ERROR_USAGE, "%s needs %s", command->name,
			  command->arguments);
	return cli_usage(command, err);
}

bool cli_parse(int argc, char **argv, struct options *options,
	       const struct command **command, struct error *err)
{
	struct parser parser = {.argc = argc, .argv = argv, .options = options};

	if (!take_all(&parser, err))
		return false;
	if (parser.version) {
		options->version = true;
		*command = &cmd_help;
		return true;
	}
	if (!choose_command(&parser, command, err))
		return false;
	if (parser.help) {
		options->help_for = *command == &cmd_install && argc == 2
					    ? NULL
					    : (*command)->name;
		*command = &cmd_help;
		return true;
	}
	return check_use(&parser, *command, err);
}

void cli_release(struct options *options)
{
	list_release(&options->base_urls);
	list_release(&options->arguments);
}

void cli_add_row(struct buf *out, const char *left, const char *text)
{
	size_t column = TEXT_COLUMN;

	buf_printf(out, "  %-*s", TEXT_COLUMN - 3, left);
	if (strlen(left) > TEXT_COLUMN - 3)
		buf_printf(out, "\n%*s", TEXT_COLUMN - 1, "");
	while (*text) {
		size_t length = strcspn(text, " ");

		if (column + length >= TEXT_WIDTH) {
			buf_printf(out, "\n%*s", TEXT_COLUMN - 1, "");
			column = TEXT_COLUMN;
		}
		buf_byte(out, ' ');
		buf_append(out, text, length);
		column += length + 1;
		text += length;
		text += strspn(text, " ");
	}
	buf_byte(out, '\n');
}

static void add_option(struct buf *out, const struct option *option)
{
	struct buf left CLEANUP(buf_release) = BUF_INIT;

	if (option->letter)
		buf_printf(&left, "-%c, ", option->letter);
	buf_printf(&left, "--%s", option->name);
	if (option->argument)
		buf_printf(&left, " %s", option->argument);
	cli_add_row(out, left.data, option->text);
}

void cli_add_options(const struct command *command, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(options_table); i++) {
		if (!command || (options_table[i].groups & command->groups))
			add_option(out, &options_table[i]);
	}
	cli_add_row(out, "-h, --help", "this text");
}

bool cli_print(const char *text, struct error *err)
{
	if (fputs(text, stdout) < 0 || fflush(stdout))
		return error_system(err, errno,
				    "cannot write to standard "
				    "output");
	return true;
}
