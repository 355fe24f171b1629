#include "cli.h"

#include "fs.h"
#include "install.h"
#include "journal.h"
#include "json_writer.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "progress.h"

static void write_json(const struct request *request,
		       const struct install_report *report, struct buf *out)
{
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_boolean(&writer, "changed", report->changed);
	json_put_boolean(&writer, "recovered", report->recovered);
	json_put_strings(&writer, "app", &request->app.files);
	json_put_string(&writer, "appReason", request->app.reason);
	json_put_string(&writer, "package", request->package_path);
	json_put_string(&writer, "product", request->manifest->product);
	json_put_string(&writer, "version", request->manifest->version);
	json_put_strings(&writer, "extras", &request->choice.extras);
	json_put_strings(&writer, "targets", &request->targets);
	json_put_strings(&writer, "artifacts", &report->lines);
	json_put_strings(&writer, "removed", &report->removed);
	json_put_strings(&writer, "replaced", &report->commit.replaced);
	json_put_integer(&writer, "filesWritten",
			 (int64_t)report->commit.written);
	json_put_integer(&writer, "filesKept", (int64_t)report->commit.kept);
	json_put_integer(&writer, "filesRemoved",
			 (int64_t)report->commit.removed);
	json_put_integer(&writer, "requests", report->supply.requests);
	json_put_integer(&writer, "bytesDownloaded",
			 (int64_t)report->supply.downloaded);
	json_put_integer(&writer, "milliseconds", report->milliseconds);
	json_put_strings(&writer, "notices", &request->choice.notices);
	json_put_strings(&writer, "warnings", &request->warnings);
	json_close(&writer);
	json_writer_finish(&writer);
}

static void say_unchanged(const struct request *request,
			  const struct install_report *report)
{
	char *extras CLEANUP(memory_release) =
		list_join(&request->choice.extras, ", ");
	char *targets CLEANUP(memory_release) =
		list_join(&request->targets, ", ");

	if (request->skip_download) {
		log_info("up to date: " LAYOUT_CONFIG
			 "; RNET_SKIP_DOWNLOAD: no libraries");
		return;
	}
	log_info("up to date: %s %s, %zu artifact%s (extras: %s; targets: %s)",
		 request->manifest->product, request->manifest->version,
		 report->kept, PLURAL(report->kept), *extras ? extras : "none",
		 targets);
}

static void say_changed(const struct request *request,
			const struct install_report *report)
{
	const struct supply_result *supply = &report->supply;
	char *files CLEANUP(memory_release) =
		list_join(&request->app.files, ", ");
	char size[16];

	for (size_t i = 0; i < report->removed.count; i++)
		log_info("removed %s", report->removed.items[i]);
	if (request->app.files.count)
		log_info("for the app%s %s (%s)",
			 PLURAL(request->app.files.count), files,
			 request->app.reason);
	for (size_t i = 0; i < request->choice.notices.count; i++)
		log_info("%s", request->choice.notices.items[i]);
	if (request->skip_download) {
		log_info("wrote " LAYOUT_CONFIG
			 "; RNET_SKIP_DOWNLOAD: no libraries");
		return;
	}
	progress_bytes(size, supply->downloaded);
	log_info("installed %s %s: %u downloaded (%s), %u from the cache, %zu "
		 "kept; %zu file%s written, %zu removed, in %.1f s",
		 request->manifest->product, request->manifest->version,
		 supply->fetched, size, supply->from_cache, report->kept,
		 report->commit.written, PLURAL(report->commit.written),
		 report->commit.removed, (double)report->milliseconds / 1000);
}

/* Whether anything changed on disk is the first question after a failure. */
static void add_state(const struct request *request,
		      const struct install_report *report, struct error *err)
{
	const char *state = "Nothing that was installed has changed.";
	int third_party CLEANUP(fs_close) = -1;
	struct error ignored = ERROR_INIT;
	bool half = request && request->package >= 0 &&
		    fs_open_folder_at(request->package, LAYOUT_THIRD_PARTY,
				      &third_party, &ignored) &&
		    journal_exists(third_party);
	size_t length = strlen(err->text);

	if (half)
		state = "The change was begun and will be finished by the next "
			"run.";
	else if (report->recovered)
		state = "What an interrupted run had begun was finished; "
			"nothing else has changed.";
	snprintf(err->text + length, sizeof(err->text) - length, "\n%s", state);
}

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct install_report report CLEANUP(install_report_release) =
		INSTALL_REPORT_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	if (!request_make(&request, options, env, REQUEST_PACKAGE, err) ||
	    !install_run(request, &report, err)) {
		add_state(request, &report, err);
		return false;
	}
	for (size_t i = 0; report.changed && i < request->warnings.count; i++)
		log_warning("%s", request->warnings.items[i]);
	if (report.changed)
		say_changed(request, &report);
	else
		say_unchanged(request, &report);
	if (!options->json)
		return true;
	write_json(request, &report, &out);
	return cli_print(out.data, err);
}

const struct command cmd_install = {
	.name = "install",
	.arguments = "",
	.summary = "make third-party/ and build config match the app",
	.text = "Makes third-party/ and rne-build-config.json of the package "
		"match what the app\nasks for: downloads, verifies and unpacks "
		"what is missing, removes what is no\nlonger wanted. When "
		"nothing differs it writes nothing and sends no request.",
	.groups = CLI_COMMON | CLI_JSON | CLI_APP | CLI_CHOICE | CLI_NETWORK |
		  CLI_CACHE | CLI_SYNC,
	.run = run,
};
