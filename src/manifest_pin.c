#include "manifest_pin.h"

#include <inttypes.h>

#include "fs.h"
#include "interrupt.h"
#include "log.h"
#include "memory.h"
#include "sidecar.h"
#include "unpack.h"

#define UNPACKED "unpacked"

void manifest_pin_release(struct manifest_pin *pin)
{
	list_release(&pin->pinned);
	list_release(&pin->missing);
	list_release(&pin->changed);
}

/* What every step needs. */
struct job {
	const struct release *release;
	struct manifest_pin *pin;
	int work;
};

static bool check_sidecar(const struct job *job,
			  const struct manifest_archive *archive,
			  const struct digest *found, struct error *err)
{
	char *name CLEANUP(memory_release) =
		memory_printf("%s.sha256", archive->file);
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	char expected_hex[DIGEST_HEX_SIZE], found_hex[DIGEST_HEX_SIZE];
	struct digest expected;
	bool there;

	if (!release_text(job->release, name, SIDECAR_BYTES_MAX, &text, &there,
			  err))
		return false;
	if (!there)
		return true;
	if (!sidecar_parse(&expected, text.data, text.length, archive->file,
			   err))
		return false;
	if (digest_equal(&expected, found))
		return true;
	digest_to_hex(&expected, expected_hex);
	digest_to_hex(found, found_hex);
	return error_set(err, ERROR_INTEGRITY,
			 "%s: its sidecar says sha256 %s, found %s",
			 archive->file, expected_hex, found_hex);
}

static bool list_files(const struct job *job, int file,
		       const struct manifest_archive *archive,
		       struct tree *files, struct error *err)
{
	struct unpack_limits limits = unpack_limits_default(archive->size);
	int into CLEANUP(fs_close) = -1;

	return fs_make_folders_at(job->work, UNPACKED, err) &&
	       fs_open_folder_at(job->work, UNPACKED, &into, err) &&
	       unpack_archive(file, archive->file, archive->format, &limits,
			      into, files, err) &&
	       fs_remove_tree(job->work, UNPACKED, err);
}

static void note_change(struct manifest_pin *pin,
			const struct manifest_archive *archive,
			const struct digest *digest)
{
	char was[DIGEST_HEX_SIZE], is[DIGEST_HEX_SIZE];

	if (!archive->pinned || digest_equal(&archive->digest, digest))
		return;
	digest_to_hex(&archive->digest, was);
	digest_to_hex(digest, is);
	list_addf(&pin->changed, "%s: was sha256 %s, is %s", archive->file, was,
		  is);
}

/* `found` says whether the release has the archive. */
static bool pin_archive(const struct job *job, struct manifest_archive *archive,
			struct tree *files, bool *found, struct error *err)
{
	int file CLEANUP(fs_close) = -1;
	struct digest digest;

	if (!interrupt_check(err) ||
	    !release_file(job->release, archive->file, job->work, &file, err))
		return false;
	*found = file >= 0;
	if (!*found) {
		list_add(&job->pin->missing, archive->file);
		return true;
	}
	if (!digest_file(file, &digest, &archive->size, err))
		return error_prefix(err, "%s", archive->file);
	if (!check_sidecar(job, archive, &digest, err) ||
	    !list_files(job, file, archive, files, err))
		return false;
	note_change(job->pin, archive, &digest);
	archive->digest = digest;
	archive->pinned = true;
	list_add(&job->pin->pinned, archive->file);
	log_info("%s: %" PRIu64 " bytes, %" PRIu64 " unpacked", archive->file,
		 archive->size, tree_size(files));
	return true;
}

/* The path in which two sorted trees differ; NULL: they are the same. */
static const char *difference(const struct tree *a, const struct tree *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		const struct tree_entry *left = &a->entries[i];
		const struct tree_entry *right = &b->entries[i];
		int order = strcmp(left->path, right->path);

		if (order)
			return order < 0 ? left->path : right->path;
		if (!tree_entry_same(left, right))
			return left->path;
	}
	if (a->count == b->count)
		return NULL;
	return a->count > b->count ? a->entries[b->count].path
				   : b->entries[a->count].path;
}

static bool pin_artifact(const struct job *job,
			 struct manifest_artifact *artifact, struct error *err)
{
	const char *first = NULL;

	for (size_t i = 0; i < artifact->archive_count; i++) {
		struct manifest_archive *archive = &artifact->archives[i];
		struct tree files CLEANUP(tree_release) = TREE_INIT;
		const char *path;
		bool found;

		if (!pin_archive(job, archive, &files, &found, err))
			return false;
		if (!found)
			continue;
		path = first ? difference(&artifact->files, &files) : NULL;
		if (path)
			return error_set(err, ERROR_ARCHIVE,
					 "%s and %s are archives of the "
					 "artifact %s, and differ in %s",
					 first, archive->file, artifact->name,
					 path);
		first = archive->file;
		tree_release(&artifact->files);
		artifact->files = files;
		files = (struct tree)TREE_INIT;
		artifact->has_files = true;
		artifact->unpacked_size = tree_size(&artifact->files);
	}
	return true;
}

bool manifest_pin(struct manifest *manifest, const struct release *release,
		  int work, struct manifest_pin *pin, struct error *err)
{
	struct job job = {.release = release, .pin = pin, .work = work};

	for (size_t i = 0; i < manifest->artifact_count; i++) {
		if (!pin_artifact(&job, &manifest->artifacts[i], err))
			return false;
	}
	return true;
}
