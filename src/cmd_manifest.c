#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fs.h"
#include "log.h"
#include "manifest_lint.h"
#include "manifest_pin.h"
#include "manifest_write.h"
#include "memory.h"
#include "netconf.h"
#include "request_settings.h"

static bool run_lint(const struct options *options,
		     const struct environment *env, struct error *err)
{
	const char *file = options->arguments.items[1];
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct manifest_lint found CLEANUP(manifest_lint_release) =
		MANIFEST_LINT_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	(void)env;
	if (!manifest_read(&manifest, AT_FDCWD, file, err))
		return false;
	manifest_lint(manifest, &found);
	for (size_t i = 0; i < found.notes.count; i++)
		log_info("note: %s", found.notes.items[i]);
	for (size_t i = 0; i < found.problems.count; i++) {
		log_escape(&out, found.problems.items[i]);
		buf_byte(&out, '\n');
	}
	if (!cli_print(out.data, err))
		return false;
	if (found.problems.count)
		return error_set(err, ERROR_CONFIG, "%s: %zu problem%s", file,
				 found.problems.count,
				 PLURAL(found.problems.count));
	log_info("%s: no problems", file);
	return true;
}

/* A folder of our own to unpack in; removed by drop_work. */
struct work {
	char *path;
	int folder;
};

static bool make_work(struct work *work, const struct environment *env,
		      struct error *err)
{
	work->path = memory_printf("%s/rne-libs.XXXXXX",
				   env->temporary ? env->temporary : "/tmp");
	if (!mkdtemp(work->path))
		return error_system(err, errno,
				    "cannot create a folder like "
				    "%s",
				    work->path);
	return fs_open_folder(work->path, &work->folder, err);
}

static void drop_work(struct work *work)
{
	struct error ignored = ERROR_INIT;
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (work->folder >= 0 && fs_list(work->folder, ".", &names, &ignored)) {
		for (size_t i = 0; i < names.count; i++) {
			if (!fs_remove_tree(work->folder, names.items[i],
					    &ignored))
				log_verbose("%s", ignored.text);
		}
		rmdir(work->path);
	}
	fs_close(&work->folder);
	memory_release(&work->path);
}

static bool read_policy(struct fetch_policy *policy,
			const struct options *options,
			const struct environment *env, struct error *err)
{
	struct places places CLEANUP(places_release) = {0};

	return places_read(&places, env, err) &&
	       request_policy(policy, options, env, &places, err);
}

static bool save(const struct manifest *manifest, const char *path,
		 struct error *err)
{
	const char *slash = strrchr(path, '/');
	char *folder CLEANUP(memory_release) =
		slash ? memory_string_n(path, slash == path
						      ? 1
						      : (size_t)(slash - path))
		      : memory_string(".");
	int at CLEANUP(fs_close) = -1;

	return fs_open_folder(folder, &at, err) &&
	       manifest_save(manifest, at, slash ? slash + 1 : path, err);
}

static void say_pinned(const struct manifest_pin *pin, const char *output)
{
	for (size_t i = 0; i < pin->changed.count; i++)
		log_warning("%s", pin->changed.items[i]);
	for (size_t i = 0; i < pin->missing.count; i++)
		log_warning("the release has no %s; it stays as it was",
			    pin->missing.items[i]);
	log_info("%s: %zu archive%s pinned, %zu missing", output,
		 pin->pinned.count, PLURAL(pin->pinned.count),
		 pin->missing.count);
}

static bool pin_from(const char *from, const struct fetch_policy *policy,
		     const struct environment *env, struct manifest *manifest,
		     struct manifest_pin *pin, struct error *err)
{
	struct release release CLEANUP(release_close) = RELEASE_INIT;
	struct work work CLEANUP(drop_work) = {NULL, -1};

	return release_open(&release, from, policy, err) &&
	       make_work(&work, env, err) &&
	       manifest_pin(manifest, &release, work.folder, pin, err);
}

static bool run_pin(const struct options *options,
		    const struct environment *env, struct error *err)
{
	const char *file = options->arguments.items[1];
	const char *output = options->output ? options->output : file;
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct manifest_pin pin CLEANUP(manifest_pin_release) =
		MANIFEST_PIN_INIT;
	struct fetch_policy policy CLEANUP(netconf_release) = {0};
	const char *from = options->from;

	if (!manifest_read(&manifest, AT_FDCWD, file, err) ||
	    !read_policy(&policy, options, env, err))
		return false;
	if (!from && manifest->base_urls.count)
		from = manifest->base_urls.items[0];
	if (!from)
		return error_set(err, ERROR_USAGE,
				 "manifest pin: name the release with --from; "
				 "%s has no baseUrls",
				 file);
	if (!pin_from(from, &policy, env, manifest, &pin, err) ||
	    !save(manifest, output, err))
		return false;
	say_pinned(&pin, output);
	return true;
}

static const struct {
	const char *name;
	bool (*run)(const struct options *options,
		    const struct environment *env, struct error *err);
} actions[] = {
	{"lint", run_lint},
	{"pin", run_pin},
};

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	const char *name = options->arguments.items[0];

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!strcmp(actions[i].name, name))
			return actions[i].run(options, env, err);
	}
	error_set(err, ERROR_USAGE, "manifest: expected lint or pin, found %s",
		  name);
	return cli_usage(&cmd_manifest, err);
}

const struct command cmd_manifest = {
	.name = "manifest",
	.arguments = "lint|pin FILE",
	.summary = "for maintainers: check a manifest, fill it in",
	.text = "lint    says what would go wrong with a manifest on users' "
		"machines\n"
		"pin     fills in sizes, digests and file lists from a release "
		"(--from a folder\n        or URL; else the first of baseUrls) "
		"and says what is missing; writes\n        FILE, or --output",
	.groups = CLI_COMMON | CLI_OUTPUT | CLI_FROM | CLI_NETWORK,
	.arguments_min = 2,
	.arguments_max = 2,
	.run = run,
};
