/*
 * A release manifest: what is accepted keeps the promises of manifest.h, and
 * is the same when it was written and read again.
 */
#include "fuzz.h"
#include "manifest_lint.h"
#include "manifest_rules.h"
#include "manifest_write.h"
#include "path.h"
#include "url.h"

static void check_archive(const struct manifest_archive *archive)
{
	FUZZ_ASSERT(!manifest_name_refused(archive->file));
	FUZZ_ASSERT(!path_refused(archive->file));
	FUZZ_ASSERT(archive->size <= MANIFEST_SIZE_MAX);
}

static void check_artifact(const struct manifest *manifest,
			   const struct manifest_artifact *artifact)
{
	FUZZ_ASSERT(!manifest_name_refused(artifact->name));
	FUZZ_ASSERT(artifact->archive_count);
	for (size_t i = 0; i < artifact->archive_count; i++) {
		check_archive(&artifact->archives[i]);
		for (size_t j = 0; j < i; j++)
			FUZZ_ASSERT(artifact->archives[i].format !=
				    artifact->archives[j].format);
	}
	if (artifact->target)
		FUZZ_ASSERT(manifest_target(manifest, artifact->target->name) ==
			    artifact->target);
	if (artifact->extra)
		FUZZ_ASSERT(manifest_extra(manifest, artifact->extra->name) ==
			    artifact->extra);
	for (size_t i = 0; i < artifact->files.count; i++)
		FUZZ_ASSERT(!path_refused(artifact->files.entries[i].path));
	if (artifact->has_files && artifact->unpacked_size)
		FUZZ_ASSERT(artifact->unpacked_size ==
			    tree_size(&artifact->files));
	if (*manifest_destination(artifact))
		FUZZ_ASSERT(!path_refused(manifest_destination(artifact)));
}

static void check(const struct manifest *manifest)
{
	FUZZ_ASSERT(!manifest_name_refused(manifest->product));
	FUZZ_ASSERT(!manifest_name_refused(manifest->version));
	FUZZ_ASSERT(manifest->artifact_count <= MANIFEST_ARTIFACTS_MAX);
	FUZZ_ASSERT(manifest->base_urls.count <= MANIFEST_LIST_MAX);
	for (size_t i = 0; i < manifest->base_urls.count; i++)
		FUZZ_ASSERT(!url_refused(manifest->base_urls.items[i]));
	for (size_t i = 0; i < manifest->extra_count; i++) {
		const struct manifest_extra *extra = &manifest->extras[i];

		/* They become words of shell, C and Ruby. */
		FUZZ_ASSERT(!manifest_flag_refused(extra->flag));
		FUZZ_ASSERT(!manifest_key_refused(extra->key));
		FUZZ_ASSERT(!manifest_choice_refused(extra->name));
	}
	for (size_t i = 0; i < manifest->artifact_count; i++)
		check_artifact(manifest, &manifest->artifacts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct manifest *again CLEANUP(manifest_free) = NULL;
	struct manifest_lint lint CLEANUP(manifest_lint_release) =
		MANIFEST_LINT_INIT;
	struct buf first CLEANUP(buf_release) = BUF_INIT;
	struct buf second CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;

	if (!manifest_parse(&manifest, "doc", (const char *)data, size, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_CONFIG);
		FUZZ_ASSERT(!strncmp(err.text, "doc:", 4));
		return 0;
	}
	check(manifest);
	manifest_lint(manifest, &lint);
	manifest_write(manifest, &first);
	FUZZ_ASSERT(
		manifest_parse(&again, "doc", first.data, first.length, &err));
	manifest_write(again, &second);
	FUZZ_ASSERT(!strcmp(first.data, second.data));
	return 0;
}
