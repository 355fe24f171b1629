#include "cli.h"

#include "fs.h"
#include "json_writer.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "place.h"
#include "progress.h"
#include "receipt.h"
#include "request.h"

/* What of the receipt belongs to one extra (NULL: core) on one target. */
static uint64_t size_of(const struct receipt *receipt, const char *extra,
			const char *target)
{
	uint64_t size = 0;

	for (size_t i = 0; i < receipt->artifact_count; i++) {
		const struct receipt_artifact *artifact =
			&receipt->artifacts[i];
		const char *its_extra = artifact->extra ? artifact->extra : "";
		const char *its_target =
			artifact->target ? artifact->target : "any";

		if (!strcmp(its_extra, extra ? extra : "") &&
		    (!target || !strcmp(its_target, target)))
			size += tree_size(&artifact->files);
	}
	return size;
}

static void find_columns(const struct receipt *receipt, struct list *targets,
			 struct list *extras)
{
	for (size_t i = 0; i < receipt->artifact_count; i++) {
		const struct receipt_artifact *artifact =
			&receipt->artifacts[i];

		list_add_once(targets,
			      artifact->target ? artifact->target : "any");
		list_add_once(extras, artifact->extra ? artifact->extra : "");
	}
}

static void add_sizes(const struct receipt *receipt, struct buf *out)
{
	struct list targets CLEANUP(list_release) = LIST_INIT;
	struct list extras CLEANUP(list_release) = LIST_INIT;
	char size[16];

	find_columns(receipt, &targets, &extras);
	buf_printf(out, "\n%-14s", "size");
	for (size_t i = 0; i < targets.count; i++)
		buf_printf(out, " %18s", targets.items[i]);
	buf_printf(out, " %12s\n", "total");
	for (size_t i = 0; i < extras.count; i++) {
		const char *extra = extras.items[i];

		buf_printf(out, "%-14s", *extra ? extra : "core");
		for (size_t j = 0; j < targets.count; j++) {
			progress_bytes(size, size_of(receipt, extra,
						     targets.items[j]));
			buf_printf(out, " %18s", size);
		}
		progress_bytes(size, size_of(receipt, extra, NULL));
		buf_printf(out, " %12s\n", size);
	}
}

static void add_list(struct buf *out, const char *name, const struct list *list)
{
	char *text CLEANUP(memory_release) = list_join(list, ", ");

	buf_printf(out, "%-10s ", name);
	log_escape(out, *text ? text : "none");
	buf_byte(out, '\n');
}

/* A receipt names the apps from its package, which may have been moved. */
static void find_apps(const struct receipt *receipt, const char *package,
		      struct list *out)
{
	for (size_t i = 0; i < receipt->apps.count; i++) {
		char *path CLEANUP(memory_release) =
			place_absolute(package, receipt->apps.items[i]);

		list_add(out, path);
	}
}

static void print_receipt(const struct receipt *receipt, const char *package,
			  struct buf *out)
{
	struct list apps CLEANUP(list_release) = LIST_INIT;
	char hex[DIGEST_HEX_SIZE];

	find_apps(receipt, package, &apps);
	digest_to_hex(&receipt->manifest, hex);
	buf_printf(out, "%-10s %s %s\n", "installed", receipt->product,
		   receipt->version);
	buf_printf(out, "%-10s ", "package");
	log_escape(out, package);
	buf_byte(out, '\n');
	add_list(out, "app", &apps);
	buf_printf(out, "%-10s sha256 %s\n", "manifest", hex);
	add_list(out, "extras", &receipt->extras);
	add_list(out, "targets", &receipt->targets);
	add_sizes(receipt, out);
}

static void print_nothing(const char *package, struct buf *out)
{
	buf_text(out, "nothing is installed in ");
	log_escape(out, package);
	buf_byte(out, '\n');
}

static void write_json(const struct receipt *receipt, const char *package,
		       struct buf *out)
{
	struct list apps CLEANUP(list_release) = LIST_INIT;
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_boolean(&writer, "installed", receipt != NULL);
	json_put_string(&writer, "package", package);
	if (receipt) {
		find_apps(receipt, package, &apps);
		json_put_string(&writer, "product", receipt->product);
		json_put_string(&writer, "version", receipt->version);
		json_put_digest(&writer, "manifest", &receipt->manifest);
		json_put_strings(&writer, "app", &apps);
		json_put_strings(&writer, "extras", &receipt->extras);
		json_put_strings(&writer, "targets", &receipt->targets);
		json_open_array(&writer, "artifacts", JSON_LINES);
	}
	for (size_t i = 0; receipt && i < receipt->artifact_count; i++) {
		const struct receipt_artifact *artifact =
			&receipt->artifacts[i];

		json_open_object(&writer, NULL, JSON_INLINE);
		json_put_string(&writer, "name", artifact->name);
		json_put_string(&writer, "target", artifact->target);
		json_put_string(&writer, "extra", artifact->extra);
		json_put_integer(&writer, "files",
				 (int64_t)artifact->files.count);
		json_put_integer(&writer, "size",
				 (int64_t)tree_size(&artifact->files));
		json_put_digest(&writer, "sha256", &artifact->digest);
		json_put_string(&writer, "source", artifact->source);
		json_close(&writer);
	}
	if (receipt)
		json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
}

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	struct receipt *receipt CLEANUP(receipt_free) = NULL;
	struct request *request CLEANUP(request_free) = NULL;
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	int third_party CLEANUP(fs_close) = -1;
	struct stat st;
	int there;

	if (!request_make(&request, options, env, REQUEST_PACKAGE, err))
		return false;
	there = fs_stat_at(request->package, LAYOUT_THIRD_PARTY, &st, err);
	if (there < 0 ||
	    (there && !fs_open_folder_at(request->package, LAYOUT_THIRD_PARTY,
					 &third_party, err)) ||
	    !receipt_read(&receipt, third_party, err))
		return false;
	if (options->json)
		write_json(receipt, request->package_path, &out);
	else if (receipt)
		print_receipt(receipt, request->package_path, &out);
	else
		print_nothing(request->package_path, &out);
	return cli_print(out.data, err);
}

const struct command cmd_status = {
	.name = "status",
	.arguments = "",
	.summary = "what is installed, for which app, how large it is",
	.text = "Prints what the receipt says is installed: the release, the "
		"app it is for, the\nextras and targets, and the size of each "
		"extra on each target.",
	.groups = CLI_COMMON | CLI_JSON | CLI_APP | CLI_CHOICE | CLI_CACHE,
	.run = run,
};
