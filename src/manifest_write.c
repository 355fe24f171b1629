#include "manifest_write.h"

#include "json_writer.h"
#include "memory.h"
#include "tempfile.h"

static void put_list(struct json_writer *writer, const char *key,
		     const struct list *list)
{
	if (list->count)
		json_put_strings(writer, key, list);
}

static void write_targets(const struct manifest *manifest,
			  struct json_writer *writer)
{
	json_open_object(writer, "targets", JSON_LINES);
	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];

		json_open_object(writer, target->name, JSON_LINES);
		json_put_string(writer, "platform", target->platform);
		if (target->arch)
			json_put_string(writer, "arch", target->arch);
		if (*target->destination)
			json_put_string(writer, "destination",
					target->destination);
		put_list(writer, "aliases", &target->aliases);
		put_list(writer, "hosts", &target->hosts);
		json_close(writer);
	}
	json_close(writer);
}

static void write_provided(const struct list *provided,
			   struct json_writer *writer)
{
	if (!provided->count)
		return;
	json_open_object(writer, "provided", JSON_LINES);
	for (size_t i = 0; i < provided->count; i++) {
		const char *entry = provided->items[i];
		size_t length = strcspn(entry, "=");
		char *platform CLEANUP(memory_release) =
			memory_string_n(entry, length);

		json_put_string(writer, platform, entry + length + 1);
	}
	json_close(writer);
}

static void write_extras(const struct manifest *manifest,
			 struct json_writer *writer)
{
	json_open_object(writer, "extras", JSON_LINES);
	for (size_t i = 0; i < manifest->extra_count; i++) {
		const struct manifest_extra *extra = &manifest->extras[i];

		json_open_object(writer, extra->name, JSON_LINES);
		json_put_string(writer, "flag", extra->flag);
		json_put_string(writer, "key", extra->key);
		json_put_string(writer, "list", extra->list);
		json_put_strings(writer, "platforms", &extra->platforms);
		write_provided(&extra->provided, writer);
		put_list(writer, "olderNames", &extra->older_names);
		json_close(writer);
	}
	json_close(writer);
}

static void write_features(const struct manifest *manifest,
			   struct json_writer *writer)
{
	if (!manifest->feature_count)
		return;
	json_open_object(writer, "features", JSON_LINES);
	for (size_t i = 0; i < manifest->feature_count; i++)
		json_put_strings(writer, manifest->features[i].name,
				 &manifest->features[i].extras);
	json_close(writer);
}

static void write_archive(const struct manifest_archive *archive,
			  struct json_writer *writer)
{
	json_open_object(writer, NULL, JSON_INLINE);
	json_put_string(writer, "file", archive->file);
	json_put_string(writer, "format",
			manifest_format_name(archive->format));
	if (archive->size)
		json_put_integer(writer, "size", (int64_t)archive->size);
	if (archive->pinned)
		json_put_digest(writer, "sha256", &archive->digest);
	json_close(writer);
}

static void write_artifact(const struct manifest_artifact *artifact,
			   struct json_writer *writer)
{
	json_open_object(writer, NULL, JSON_LINES);
	json_put_string(writer, "name", artifact->name);
	if (artifact->target)
		json_put_string(writer, "target", artifact->target->name);
	if (artifact->extra)
		json_put_string(writer, "extra", artifact->extra->name);
	if (artifact->unpacked_size)
		json_put_integer(writer, "unpackedSize",
				 (int64_t)artifact->unpacked_size);
	if (artifact->has_files)
		tree_write_json(&artifact->files, writer, "files");
	json_open_array(writer, "archives", JSON_LINES);
	for (size_t i = 0; i < artifact->archive_count; i++)
		write_archive(&artifact->archives[i], writer);
	json_close(writer);
	json_close(writer);
}

void manifest_write(const struct manifest *manifest, struct buf *out)
{
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	if (manifest->schema_reference)
		json_put_string(&writer, "$schema", manifest->schema_reference);
	json_put_integer(&writer, "schema", MANIFEST_SCHEMA);
	json_put_string(&writer, "product", manifest->product);
	json_put_string(&writer, "version", manifest->version);
	json_put_string(&writer, "vocabulary",
			manifest->has_lists ? "lists" : "extras");
	json_open_array(&writer, "baseUrls", JSON_LINES);
	for (size_t i = 0; i < manifest->base_urls.count; i++)
		json_put_string(&writer, NULL, manifest->base_urls.items[i]);
	json_close(&writer);
	write_targets(manifest, &writer);
	write_extras(manifest, &writer);
	write_features(manifest, &writer);
	json_open_array(&writer, "artifacts", JSON_LINES);
	for (size_t i = 0; i < manifest->artifact_count; i++)
		write_artifact(&manifest->artifacts[i], &writer);
	json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
}

bool manifest_save(const struct manifest *manifest, int at, const char *name,
		   struct error *err)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct manifest *again CLEANUP(manifest_free) = NULL;

	manifest_write(manifest, &out);
	return manifest_parse(&again, name, out.data, out.length, err) &&
	       tempfile_write(at, name, 0644, out.data, out.length,
			      TEMPFILE_SYNC, err);
}
