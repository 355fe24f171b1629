/* A plan for people and for programs. */
#include "plan.h"

#include "json_writer.h"
#include "log.h"
#include "memory.h"
#include "progress.h"

static void add_row(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "%-10s ", name);
	log_escape(out, text);
	buf_byte(out, '\n');
}

static void add_list(struct buf *out, const char *name, const struct list *list)
{
	char *text CLEANUP(memory_release) = list_join(list, ", ");

	add_row(out, name, *text ? text : "none");
}

static void add_request(struct buf *out, const struct request *request)
{
	char *files CLEANUP(memory_release) =
		list_join(&request->app.files, ", ");
	char *app CLEANUP(memory_release) = memory_printf(
		"%s (%s)", *files ? files : "none",
		request->app.reason ? request->app.reason : "not searched for");
	char *release CLEANUP(memory_release) = memory_printf(
		"%s %s (%s)", request->manifest->product,
		request->manifest->version, request->manifest->origin);

	add_row(out, "app", app);
	add_row(out, "package", request->package_path);
	add_row(out, "manifest", release);
	add_list(out, "extras", &request->choice.extras);
	add_list(out, "targets", &request->targets);
	add_row(out, "cache",
		request->cache_path ? request->cache_path : "none");
	for (size_t i = 0; i < request->choice.notices.count; i++)
		add_row(out, "notice", request->choice.notices.items[i]);
	for (size_t i = 0; i < request->warnings.count; i++)
		add_row(out, "warning", request->warnings.items[i]);
}

static void add_item(struct buf *out, const struct plan_item *item)
{
	char size[16] = "";

	if (item->archive->size)
		progress_bytes(size, item->archive->size);
	buf_printf(out, "%-9s %-32s %9s  ", plan_action_name(item->action),
		   item->artifact->name, size);
	log_escape(out, item->reason);
	if (item->ask && item->action == PLAN_RESTORE)
		buf_text(out, "; in the cache, unless its sidecar changed");
	else if (item->action == PLAN_RESTORE)
		buf_text(out, "; in the cache");
	buf_byte(out, '\n');
}

static void add_summary(struct buf *out, const struct plan *plan,
			const struct request *request)
{
	size_t counts[PLAN_DOWNLOAD + 1] = {0};
	uint64_t bytes = 0;
	char size[16];

	for (size_t i = 0; i < plan->count; i++) {
		counts[plan->items[i].action]++;
		if (plan->items[i].action == PLAN_DOWNLOAD)
			bytes += plan->items[i].archive->size;
	}
	progress_bytes(size, bytes);
	buf_printf(out, "\n%zu to download", counts[PLAN_DOWNLOAD]);
	if (bytes)
		buf_printf(out, " (%s)", size);
	buf_printf(out,
		   ", %zu to restore, %zu to keep, %zu to remove; the "
		   "build config %s\n",
		   counts[PLAN_RESTORE], counts[PLAN_KEEP], plan->removed.count,
		   plan->config_differs ? "is written" : "stays");
	if (request->offline && counts[PLAN_DOWNLOAD])
		buf_text(out, "--offline forbids downloading: install would "
			      "fail.\n");
}

void plan_print(const struct plan *plan, const struct request *request,
		struct buf *out)
{
	add_request(out, request);
	buf_byte(out, '\n');
	if (plan->journal)
		buf_text(out, "An interrupted run is finished first.\n\n");
	if (request->skip_download)
		buf_text(out, "RNET_SKIP_DOWNLOAD: only the build config is "
			      "written.\n");
	for (size_t i = 0; i < plan->count; i++)
		add_item(out, &plan->items[i]);
	for (size_t i = 0; i < plan->removed.count; i++)
		buf_printf(out, "%-9s %-32s %9s  not wanted any more\n",
			   "remove", plan->removed.items[i], "");
	add_summary(out, plan, request);
}

static void write_item(struct json_writer *writer, const struct plan_item *item)
{
	json_open_object(writer, NULL, JSON_LINES);
	json_put_string(writer, "name", item->artifact->name);
	json_put_string(writer, "action", plan_action_name(item->action));
	json_put_string(writer, "reason", item->reason);
	json_put_string(writer, "archive", item->archive->file);
	json_put_string(writer, "target",
			item->artifact->target ? item->artifact->target->name
					       : NULL);
	json_put_string(writer, "extra",
			item->artifact->extra ? item->artifact->extra->name
					      : NULL);
	if (item->archive->size)
		json_put_integer(writer, "size", (int64_t)item->archive->size);
	json_put_boolean(writer, "pinned", item->archive->pinned);
	json_put_boolean(writer, "asksSidecar", item->ask);
	json_put_digest(writer, "sha256", item->known ? &item->digest : NULL);
	json_close(writer);
}

void plan_write_json(const struct plan *plan, const struct request *request,
		     struct buf *out)
{
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_strings(&writer, "app", &request->app.files);
	json_put_string(&writer, "appReason", request->app.reason);
	json_put_string(&writer, "package", request->package_path);
	json_open_object(&writer, "manifest", JSON_LINES);
	json_put_string(&writer, "product", request->manifest->product);
	json_put_string(&writer, "version", request->manifest->version);
	json_put_digest(&writer, "sha256", &request->manifest->digest);
	json_put_string(&writer, "origin", request->manifest->origin);
	json_close(&writer);
	json_put_strings(&writer, "extras", &request->choice.extras);
	json_put_strings(&writer, "targets", &request->targets);
	json_put_string(&writer, "cache", request->cache_path);
	json_put_boolean(&writer, "upToDate", plan_is_done(plan));
	json_put_boolean(&writer, "skipDownload", request->skip_download);
	json_put_boolean(&writer, "interrupted", plan->journal);
	json_put_boolean(&writer, "writesBuildConfig", plan->config_differs);
	json_put_digest(&writer, "fingerprint", &plan->fingerprint);
	json_open_array(&writer, "artifacts", JSON_LINES);
	for (size_t i = 0; i < plan->count; i++)
		write_item(&writer, &plan->items[i]);
	json_close(&writer);
	json_put_strings(&writer, "remove", &plan->removed);
	json_put_strings(&writer, "notices", &request->choice.notices);
	json_put_strings(&writer, "warnings", &request->warnings);
	json_close(&writer);
	json_writer_finish(&writer);
}
