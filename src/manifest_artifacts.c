/* The artifacts of a manifest and their archives. */
#include <strings.h>

#include "manifest_parse.h"
#include "manifest_rules.h"
#include "memory.h"

static bool parse_size(const struct json *object, const char *key,
		       uint64_t *size, struct error *err)
{
	struct json at = json_member(object, key);
	int64_t number;

	if (!at.node)
		return true;
	if (!json_integer(&at, 1, MANIFEST_SIZE_MAX, &number, err))
		return false;
	*size = (uint64_t)number;
	return true;
}

static bool parse_format(struct manifest_archive *archive,
			 const struct json *object, struct error *err)
{
	struct json at;
	const char *name;

	if (!json_require(object, "format", &at, err) ||
	    !json_string(&at, &name, err))
		return false;
	return manifest_format_parse(name, &archive->format) ||
	       json_fail(&at, err,
			 "expected \"tar.gz\", \"tar.zst\" or \"zip\", found "
			 "\"%.80s\"",
			 name);
}

static bool parse_digest(struct manifest_archive *archive,
			 const struct json *object, struct error *err)
{
	struct json at = json_member(object, "sha256");
	const char *hex;

	if (!at.node)
		return true;
	if (!json_string(&at, &hex, err))
		return false;
	archive->pinned = digest_from_hex(&archive->digest, hex);
	if (!archive->pinned)
		return json_fail(
			&at, err,
			"expected 64 hexadecimal digits, found \"%.80s\"", hex);
	/* Else a server could fill the disk before the digest speaks. */
	return archive->size ||
	       json_fail(&at, err, "the member \"size\" is missing beside it");
}

static bool parse_archive(struct manifest_archive *archive,
			  const struct json *at, struct error *err)
{
	static const char *const known[] = {"file", "format", "size", "sha256",
					    NULL};

	return json_known_keys(at, known, err) &&
	       manifest_parse_member(at, "file", manifest_name_refused,
				     &archive->file, err) &&
	       parse_format(archive, at, err) &&
	       parse_size(at, "size", &archive->size, err) &&
	       parse_digest(archive, at, err);
}

/* Upper and lower case are one file on many disks. */
static bool check_archive(const struct manifest *manifest,
			  const struct manifest_artifact *artifact,
			  const struct json *at, struct error *err)
{
	const struct manifest_archive *archive =
		&artifact->archives[artifact->archive_count - 1];

	for (size_t i = 0; i + 1 < artifact->archive_count; i++) {
		if (artifact->archives[i].format == archive->format)
			return json_fail(at, err,
					 "a second archive of format \"%s\"",
					 manifest_format_name(archive->format));
	}
	for (size_t i = 0; i < manifest->artifact_count; i++) {
		const struct manifest_artifact *other = &manifest->artifacts[i];

		for (size_t j = 0; j < other->archive_count; j++) {
			if (&other->archives[j] != archive &&
			    !strcasecmp(other->archives[j].file, archive->file))
				return json_fail(at, err,
						 "the file \"%s\" is an "
						 "archive of \"%s\" too",
						 archive->file, other->name);
		}
	}
	return true;
}

static bool parse_archives(struct manifest *manifest,
			   struct manifest_artifact *artifact,
			   const struct json *object, struct error *err)
{
	struct json at;

	if (!json_require(object, "archives", &at, err) ||
	    !json_array(&at, err) || !manifest_parse_count(&at, 1, 3, err))
		return false;
	artifact->archives =
		memory_allocate(json_count(&at) * sizeof(*artifact->archives));
	json_for_each (item, &at) {
		if (!parse_archive(
			    &artifact->archives[artifact->archive_count++],
			    &item, err) ||
		    !check_archive(manifest, artifact, &item, err))
			return false;
	}
	return true;
}

static bool parse_target(const struct manifest *manifest,
			 struct manifest_artifact *artifact,
			 const struct json *object, struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;
	struct json at = json_member(object, "target");
	const char *name;

	if (!at.node)
		return true;
	if (!json_string(&at, &name, err))
		return false;
	artifact->target = manifest_target(manifest, name);
	if (artifact->target)
		return true;
	for (size_t i = 0; i < manifest->target_count; i++)
		list_add(&known, manifest->targets[i].name);
	return manifest_parse_unknown(&at, "target", name, &known, err);
}

static bool parse_extra(const struct manifest *manifest,
			struct manifest_artifact *artifact,
			const struct json *object, struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;
	struct json at = json_member(object, "extra");
	const char *name;

	if (!at.node)
		return true;
	if (!json_string(&at, &name, err))
		return false;
	artifact->extra = manifest_extra(manifest, name);
	if (artifact->extra && !strcmp(artifact->extra->name, name))
		return true;
	for (size_t i = 0; i < manifest->extra_count; i++)
		list_add(&known, manifest->extras[i].name);
	return manifest_parse_unknown(&at, "extra", name, &known, err);
}

/* Receipts keep times; an archive's are not taken over. */
static bool refuse_times(const struct json *files, struct error *err)
{
	json_for_each (file, files) {
		struct json mtime = json_member(&file, "mtime");

		if (mtime.node)
			return json_fail(&mtime, err,
					 "a manifest holds no times");
	}
	return true;
}

static bool parse_files(struct manifest_artifact *artifact,
			const struct json *object, struct error *err)
{
	struct json at = json_member(object, "files");
	uint64_t size;

	if (!parse_size(object, "unpackedSize", &artifact->unpacked_size, err))
		return false;
	if (!at.node)
		return true;
	if (!tree_read_json(&artifact->files, &at, err) ||
	    !refuse_times(&at, err))
		return false;
	artifact->has_files = true;
	size = tree_size(&artifact->files);
	if (artifact->unpacked_size && artifact->unpacked_size != size)
		return json_fail(object, err,
				 "\"unpackedSize\" is %llu, and the files have "
				 "%llu bytes together",
				 (unsigned long long)artifact->unpacked_size,
				 (unsigned long long)size);
	if (size > MANIFEST_SIZE_MAX)
		return json_fail(&at, err,
				 "the files have %llu bytes together, more "
				 "than %llu",
				 (unsigned long long)size,
				 (unsigned long long)MANIFEST_SIZE_MAX);
	artifact->unpacked_size = size;
	return true;
}

static bool parse_artifact(struct manifest *manifest, const struct json *at,
			   struct error *err)
{
	static const char *const known[] = {
		"name",  "target",   "extra", "unpackedSize",
		"files", "archives", NULL};
	struct manifest_artifact *artifact =
		&manifest->artifacts[manifest->artifact_count++];

	if (!json_known_keys(at, known, err) ||
	    !manifest_parse_member(at, "name", manifest_name_refused,
				   &artifact->name, err))
		return false;
	for (size_t i = 0; i + 1 < manifest->artifact_count; i++) {
		if (!strcasecmp(manifest->artifacts[i].name, artifact->name))
			return json_fail(at, err,
					 "the artifact \"%s\" is there twice",
					 artifact->name);
	}
	return parse_target(manifest, artifact, at, err) &&
	       parse_extra(manifest, artifact, at, err) &&
	       parse_archives(manifest, artifact, at, err) &&
	       parse_files(artifact, at, err);
}

bool manifest_parse_artifacts(struct manifest *manifest, const struct json *at,
			      struct error *err)
{
	if (!json_array(at, err) ||
	    !manifest_parse_count(at, 1, MANIFEST_ARTIFACTS_MAX, err))
		return false;
	manifest->artifacts =
		memory_allocate(json_count(at) * sizeof(*manifest->artifacts));
	json_for_each (item, at) {
		if (!parse_artifact(manifest, &item, err))
			return false;
	}
	return true;
}
