#include "buildconfig.h"

#include "json_writer.h"
#include "memory.h"

/* How to get from folder `from` to `to`, both absolute. */
static char *relative_path(const char *from, const char *to)
{
	struct buf text = BUF_INIT;
	size_t same = 0, i = 0;

	/* The longest common prefix that ends between two names. */
	while (from[i] && from[i] == to[i]) {
		i++;
		if ((!from[i] || from[i] == '/') && (!to[i] || to[i] == '/'))
			same = i;
	}
	for (const char *at = from + same; *at; at++) {
		if (*at == '/' && at[1])
			buf_text(&text, "../");
	}
	to += same;
	buf_text(&text, *to == '/' ? to + 1 : to);
	return buf_detach(&text);
}

void buildconfig_apps(const struct request *request, struct list *out)
{
	for (size_t i = 0; i < request->app.files.count; i++) {
		char *path CLEANUP(memory_release) = relative_path(
			request->package_path, request->app.files.items[i]);

		list_add(out, path);
	}
}

static void write_flags(struct json_writer *writer,
			const struct request *request,
			const struct list *before)
{
	const struct manifest *manifest = request->manifest;

	for (unsigned flags = 0; flags < 2; flags++) {
		for (size_t i = 0; i < manifest->extra_count; i++) {
			const struct manifest_extra *extra =
				&manifest->extras[i];
			bool on = list_has(&request->choice.extras,
					   extra->name) &&
				  (!before || list_has(before, extra->name));

			json_put_boolean(writer,
					 flags ? extra->flag : extra->key, on);
		}
	}
}

/* One app is a string, several are a list, none is null. */
static void write_apps(struct json_writer *writer,
		       const struct request *request)
{
	struct list apps CLEANUP(list_release) = LIST_INIT;

	buildconfig_apps(request, &apps);
	if (apps.count > 1)
		json_put_strings(writer, "app", &apps);
	else
		json_put_string(writer, "app",
				apps.count ? apps.items[0] : NULL);
}

static void write_manifest(struct json_writer *writer,
			   const struct manifest *manifest)
{
	json_open_object(writer, "manifest", JSON_LINES);
	json_put_string(writer, "product", manifest->product);
	json_put_string(writer, "version", manifest->version);
	json_put_digest(writer, "sha256", &manifest->digest);
	json_close(writer);
}

static void render(const struct request *request, const struct plan *plan,
		   const struct list *before, struct buf *out)
{
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	write_flags(&writer, request, before);
	if (request->choice.opencv_pod)
		json_put_string(&writer, "opencvPod",
				request->choice.opencv_pod);
	json_open_object(&writer, "rneLibs", JSON_LINES);
	json_put_string(&writer, "version", RNE_VERSION);
	write_manifest(&writer, request->manifest);
	write_apps(&writer, request);
	json_put_strings(&writer, "extras", &request->choice.extras);
	json_put_strings(&writer, "targets", &request->targets);
	json_put_digest(&writer, "fingerprint", &plan->fingerprint);
	if (before)
		json_put_boolean(&writer, "unfinished", true);
	json_put_strings(&writer, "warnings", &request->warnings);
	json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
}

void buildconfig_render(const struct request *request, const struct plan *plan,
			struct buf *out)
{
	render(request, plan, NULL, out);
}

void buildconfig_render_between(const struct request *request,
				const struct plan *plan,
				const struct receipt *before, struct buf *out)
{
	render(request, plan, &before->extras, out);
}
