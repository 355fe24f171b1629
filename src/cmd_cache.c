#include "cli.h"

#include <errno.h>
#include <fcntl.h>

#include "cache.h"
#include "fs.h"
#include "json_writer.h"
#include "log.h"
#include "memory.h"
#include "progress.h"
#include "request.h"

#define PRUNE_DAYS     30
#define KEY_HEX_DIGITS 24

static bool need_path(const struct request *request, struct error *err)
{
	if (request->cache_path)
		return true;
	error_set(err, ERROR_USAGE, "there is no cache: HOME is not set");
	return error_hint(err, "Name one with --cache-dir or "
			       "RNET_LIBS_CACHE_DIR.");
}

/* The same on every system: of what is asked for, nothing of the machine. */
static void make_key(const struct request *request, struct buf *out)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	char *extras CLEANUP(memory_release) =
		list_join(&request->choice.extras, ",");
	char *targets CLEANUP(memory_release) =
		list_join(&request->targets, ",");
	struct digest digest;
	char hex[DIGEST_HEX_SIZE];

	digest_to_hex(&request->manifest->digest, hex);
	buf_printf(&text, "%s\n%s\n%s\n%d\n", hex, extras, targets,
		   request->headers_only);
	digest_bytes(&digest, text.data, text.length);
	digest_to_hex(&digest, hex);
	buf_printf(out, "rne-libs-%s-%s-%.*s", request->manifest->product,
		   request->manifest->version, KEY_HEX_DIGITS, hex);
}

/* GITHUB_OUTPUT is appended to by every step (docs.github.com, "Workflow
 * commands"); a newline in a value would make a second one. */
static bool append_output(const char *file, const char *key, const char *path,
			  struct error *err)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	int fd CLEANUP(fs_close) = -1;

	if (!file)
		return error_set(err, ERROR_USAGE,
				 "--github-output: GITHUB_OUTPUT is not set");
	if (strpbrk(path, "\r\n"))
		return error_set(err, ERROR_USAGE,
				 "--github-output: the cache's path has a "
				 "line break");
	buf_printf(&text, "key=%s\npath=%s\n", key, path);
	fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_system(err, errno, "cannot open %s", file);
	return fs_write_all(fd, text.data, text.length, file, err) &&
	       fs_close_written(&fd, file, err);
}

static bool run_path(const struct options *options,
		     const struct environment *env, struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	if (!request_make(&request, options, env, REQUEST_CACHE, err) ||
	    !need_path(request, err))
		return false;
	buf_printf(&out, "%s\n", request->cache_path);
	return cli_print(out.data, err);
}

static bool run_key(const struct options *options,
		    const struct environment *env, struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct buf key CLEANUP(buf_release) = BUF_INIT;

	if (!request_make(&request, options, env, REQUEST_MANIFEST, err))
		return false;
	make_key(request, &key);
	if (options->github_output &&
	    (!need_path(request, err) ||
	     !append_output(env->github_output, key.data, request->cache_path,
			    err)))
		return false;
	buf_byte(&key, '\n');
	return cli_print(key.data, err);
}

static void add_time(struct buf *out, int64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm utc;
	char text[32] = "?";

	if (gmtime_r(&when, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d", &utc);
	buf_text(out, text);
}

static void print_entries(const struct cache_entry *entries, size_t count,
			  struct buf *out)
{
	uint64_t total = 0;
	char size[16];

	for (size_t i = 0; i < count; i++) {
		char *names CLEANUP(memory_release) =
			list_join(&entries[i].names, ", ");
		char hex[DIGEST_HEX_SIZE];

		digest_to_hex(&entries[i].digest, hex);
		progress_bytes(size, entries[i].size);
		buf_printf(out, "%.12s  %9s  ", hex, size);
		add_time(out, entries[i].used_at);
		buf_text(out, "  ");
		log_escape(out, *names ? names : "(no release names it)");
		buf_byte(out, '\n');
		total += entries[i].size;
	}
	progress_bytes(size, total);
	buf_printf(out, "%zu archive%s, %s\n", count, PLURAL(count), size);
}

static void write_json(const struct cache_entry *entries, size_t count,
		       const char *path, struct buf *out)
{
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_string(&writer, "path", path);
	json_open_array(&writer, "archives", JSON_LINES);
	for (size_t i = 0; i < count; i++) {
		json_open_object(&writer, NULL, JSON_LINES);
		json_put_digest(&writer, "sha256", &entries[i].digest);
		json_put_integer(&writer, "size", (int64_t)entries[i].size);
		json_put_integer(&writer, "usedAt", entries[i].used_at);
		json_put_strings(&writer, "names", &entries[i].names);
		json_close(&writer);
	}
	json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
}

/* The maintenance commands begin alike: the cache, if there is one. */
static bool open_cache(const struct options *options,
		       const struct environment *env, struct request **request,
		       struct cache **cache, struct error *err)
{
	if (!request_make(request, options, env, REQUEST_CACHE, err) ||
	    !need_path(*request, err) ||
	    !cache_look(cache, (*request)->cache_path, err))
		return false;
	cache_set_wait(*cache, (*request)->lock_wait_ms);
	return true;
}

static bool run_list(const struct options *options,
		     const struct environment *env, struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct cache_entry *entries = NULL;
	size_t count = 0;

	if (!open_cache(options, env, &request, &cache, err) ||
	    !cache_entries(cache, &entries, &count, err))
		return false;
	if (options->json)
		write_json(entries, count, request->cache_path, &out);
	else
		print_entries(entries, count, &out);
	cache_entries_free(entries, count);
	return cli_print(out.data, err);
}

static bool run_verify(const struct options *options,
		       const struct environment *env, struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct list damaged CLEANUP(list_release) = LIST_INIT;
	size_t checked = 0;

	if (!open_cache(options, env, &request, &cache, err) ||
	    !cache_verify(cache, &damaged, &checked, err))
		return false;
	for (size_t i = 0; i < damaged.count; i++)
		log_warning("%s was not what its name says; removed",
			    damaged.items[i]);
	log_info("%zu archive%s checked, %zu removed", checked, PLURAL(checked),
		 damaged.count);
	if (!damaged.count)
		return true;
	error_set(err, ERROR_INTEGRITY,
		  "damaged archives in the cache %s: %zu, now removed",
		  request->cache_path, damaged.count);
	return error_hint(err, "The next install downloads them again.");
}

static void say_freed(const struct cache_freed *freed)
{
	char size[16];

	progress_bytes(size, freed->bytes);
	log_info("removed %zu file%s, %s", freed->files, PLURAL(freed->files),
		 size);
}

static bool run_prune(const struct options *options,
		      const struct environment *env, struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct cache_freed freed = {0, 0};
	unsigned days = PRUNE_DAYS;

	if (options->arguments.count > 1) {
		const char *text = options->arguments.items[1];
		char *end;
		unsigned long value = strtoul(text, &end, 10);

		if (!*text || *end || *text == '-' || value > 36500)
			return error_set(err, ERROR_USAGE,
					 "cache prune: expected a number of "
					 "days, found %s",
					 text);
		days = (unsigned)value;
	}
	if (!open_cache(options, env, &request, &cache, err) ||
	    !cache_prune(cache, days, &freed, err))
		return false;
	say_freed(&freed);
	return true;
}

static bool run_clear(const struct options *options,
		      const struct environment *env, struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct cache_freed freed = {0, 0};

	if (!open_cache(options, env, &request, &cache, err) ||
	    !cache_clear(cache, &freed, err))
		return false;
	say_freed(&freed);
	return true;
}

static const struct {
	const char *name;
	size_t arguments_max; /* the name itself is one */
	bool json, github;    /* the options that only some of them take */
	bool (*run)(const struct options *options,
		    const struct environment *env, struct error *err);
} actions[] = {
	{"path", 1, false, false, run_path},
	{"key", 1, false, true, run_key},
	{"list", 1, true, false, run_list},
	{"verify", 1, false, false, run_verify},
	{"prune", 2, false, false, run_prune},
	{"clear", 1, false, false, run_clear},
};

static bool has_no_option(const char *action, const char *option,
			  struct error *err)
{
	error_set(err, ERROR_USAGE, "cache %s has no option %s", action,
		  option);
	return cli_usage(&cmd_cache, err);
}

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	const struct list *arguments = &options->arguments;

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (strcmp(actions[i].name, arguments->items[0]))
			continue;
		if (arguments->count > actions[i].arguments_max)
			return error_set(err, ERROR_USAGE,
					 "cache %s: %s is one argument too "
					 "many",
					 actions[i].name, arguments->items[1]);
		if (options->json && !actions[i].json)
			return has_no_option(actions[i].name, "--json", err);
		if (options->github_output && !actions[i].github)
			return has_no_option(actions[i].name, "--github-output",
					     err);
		return actions[i].run(options, env, err);
	}
	error_set(err, ERROR_USAGE,
		  "cache: expected path, key, list, verify, prune or clear, "
		  "found %s",
		  arguments->items[0]);
	return cli_usage(&cmd_cache, err);
}

const struct command cmd_cache = {
	.name = "cache",
	.arguments = "path|key|list|verify|prune [DAYS]|clear",
	.summary = "where it is, what is in it, and cleaning it",
	.text = "path    prints where the cache is\n"
		"key     prints one line for a CI cache: the same for the same "
		"manifest, extras\n        and targets on every system\n"
		"list    lists the archives, their sizes, last use and "
		"releases\n"
		"verify  hashes every archive and removes what is damaged\n"
		"prune   removes what was not used for DAYS (30) and partial "
		"downloads\n"
		"clear   removes everything",
	.groups = CLI_COMMON | CLI_JSON | CLI_APP | CLI_CHOICE | CLI_CACHE |
		  CLI_RELEASE | CLI_GITHUB,
	.arguments_min = 1,
	.arguments_max = 2,
	.run = run,
};
