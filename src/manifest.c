#include "manifest.h"

#include "buf.h"
#include "fs.h"
#include "memory.h"

static const struct {
	enum archive_format format;
	const char *name;
} formats[] = {
	{ARCHIVE_TAR_GZ, "tar.gz"},
	{ARCHIVE_TAR_ZST, "tar.zst"},
	{ARCHIVE_ZIP, "zip"},
};

const char *manifest_format_name(enum archive_format format)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (formats[i].format == format)
			return formats[i].name;
	}
	return "unknown";
}

bool manifest_format_parse(const char *name, enum archive_format *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].name, name))
			continue;
		*out = formats[i].format;
		return true;
	}
	return false;
}

bool manifest_read(struct manifest **out, int at, const char *path,
		   struct error *err)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;

	return fs_read_file(at, path, MANIFEST_BYTES_MAX, &text, NULL, err) &&
	       manifest_parse(out, path, text.data, text.length, err);
}

static void release_target(struct manifest_target *target)
{
	free(target->name);
	free(target->platform);
	free(target->arch);
	free(target->destination);
	list_release(&target->aliases);
	list_release(&target->hosts);
}

static void release_extra(struct manifest_extra *extra)
{
	free(extra->name);
	free(extra->flag);
	free(extra->key);
	free(extra->list);
	list_release(&extra->platforms);
	list_release(&extra->older_names);
	list_release(&extra->provided);
}

static void release_artifact(struct manifest_artifact *artifact)
{
	free(artifact->name);
	for (size_t i = 0; i < artifact->archive_count; i++)
		free(artifact->archives[i].file);
	free(artifact->archives);
	tree_release(&artifact->files);
}

void manifest_free(struct manifest **pointer)
{
	struct manifest *manifest = *pointer;

	*pointer = NULL;
	if (!manifest)
		return;
	free(manifest->origin);
	free(manifest->schema_reference);
	free(manifest->product);
	free(manifest->version);
	list_release(&manifest->base_urls);
	for (size_t i = 0; i < manifest->target_count; i++)
		release_target(&manifest->targets[i]);
	free(manifest->targets);
	for (size_t i = 0; i < manifest->extra_count; i++)
		release_extra(&manifest->extras[i]);
	free(manifest->extras);
	for (size_t i = 0; i < manifest->feature_count; i++) {
		free(manifest->features[i].name);
		list_release(&manifest->features[i].extras);
	}
	free(manifest->features);
	for (size_t i = 0; i < manifest->artifact_count; i++)
		release_artifact(&manifest->artifacts[i]);
	free(manifest->artifacts);
	free(manifest);
}

const struct manifest_extra *manifest_extra(const struct manifest *manifest,
					    const char *name)
{
	for (size_t i = 0; i < manifest->extra_count; i++) {
		const struct manifest_extra *extra = &manifest->extras[i];

		if (!strcmp(extra->name, name) ||
		    list_has(&extra->older_names, name))
			return extra;
	}
	return NULL;
}

const struct manifest_target *manifest_target(const struct manifest *manifest,
					      const char *name)
{
	for (size_t i = 0; i < manifest->target_count; i++) {
		if (!strcmp(manifest->targets[i].name, name))
			return &manifest->targets[i];
	}
	return NULL;
}

const struct manifest_feature *manifest_feature(const struct manifest *manifest,
						const char *name)
{
	for (size_t i = 0; i < manifest->feature_count; i++) {
		if (!strcmp(manifest->features[i].name, name))
			return &manifest->features[i];
	}
	return NULL;
}

bool manifest_extra_on(const struct manifest_extra *extra, const char *platform)
{
	return list_has(&extra->platforms, platform);
}

const char *manifest_extra_provider(const struct manifest_extra *extra,
				    const char *platform)
{
	size_t length = strlen(platform);

	for (size_t i = 0; i < extra->provided.count; i++) {
		const char *entry = extra->provided.items[i];

		if (!strncmp(entry, platform, length) && entry[length] == '=')
			return entry + length + 1;
	}
	return NULL;
}

const char *manifest_destination(const struct manifest_artifact *artifact)
{
	return artifact->target ? artifact->target->destination : "";
}
