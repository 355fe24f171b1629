#include "unpack_job.h"

#include "fs.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "sandbox.h"
#include "supplied.h"
#include "unpack.h"

#include <errno.h>
#include <sys/stat.h>

/* The readers' own needs: a zstd window, libarchive's buffers, a libc. */
#define WORKER_MEMORY_MAX (UINT64_C(512) << 20)

bool unpack_job_enter(void *context, struct error *err)
{
	const struct unpack_context *job = context;
	struct sandbox sandbox = {.memory_max = WORKER_MEMORY_MAX};
	int staging CLEANUP(fs_close) = -1;
	char applied[128] = "";

	if (!unpack_prepare(err) ||
	    !fs_open_folder_at(job->third_party, LAYOUT_STAGING, &staging, err))
		return false;
	sandbox.folder = staging;
	if (!sandbox_enter(&sandbox, applied, err))
		return false;
	log_verbose("archives are read under: %s",
		    applied[0] ? applied : "no sandbox on this system");
	return true;
}

static bool verify(int file, const struct digest *expected, struct error *err)
{
	struct digest found;
	char hex[DIGEST_HEX_SIZE];

	if (!digest_file(file, &found, NULL, err))
		return false;
	if (digest_equal(&found, expected))
		return true;
	digest_to_hex(&found, hex);
	return error_set(err, ERROR_INTEGRITY,
			 "the cached archive was damaged: its sha256 is %s",
			 hex);
}

const struct tree *unpack_job_known(const struct plan_item *item,
				    bool from_cache)
{
	bool listed = item->archive->pinned && item->artifact->has_files;

	return listed && !item->installed && !from_cache
		       ? &item->artifact->files
		       : NULL;
}

static bool find_limits(const struct plan_item *item, int file, bool from_cache,
			struct unpack_limits *limits, struct error *err)
{
	struct stat st;

	if (fstat(file, &st))
		return error_system(err, errno, "cannot look at %s",
				    item->archive->file);
	*limits = unpack_limits_default((uint64_t)st.st_size);
	limits->below = manifest_destination(item->artifact);
	limits->known = unpack_job_known(item, from_cache);
	if (item->artifact->unpacked_size)
		limits->bytes = item->artifact->unpacked_size;
	return true;
}

bool unpack_job_run(void *context, uint32_t job, int file, const void *detail,
		    size_t detail_length, struct buf *answer, struct error *err)
{
	const struct unpack_context *known = context;
	const struct plan_item *item = &known->plan->items[job];
	char *staging CLEANUP(memory_release) = supplied_staging(job);
	struct tree found CLEANUP(tree_release) = TREE_INIT;
	int into CLEANUP(fs_close) = -1;
	struct unpack_detail what;
	struct unpack_limits limits;

	if (detail_length != sizeof(what))
		return error_set(err, ERROR_OTHER, "a job without its digest");
	memcpy(&what, detail, sizeof(what));
	if ((what.verify && !verify(file, &what.digest, err)) ||
	    !find_limits(item, file, what.verify, &limits, err) ||
	    !fs_open_folder_at(known->third_party, staging, &into, err) ||
	    !unpack_archive(file, item->archive->file, item->archive->format,
			    &limits, into, &found, err))
		return false;
	tree_pack(&found, answer);
	return true;
}

static bool check_file(const struct plan_item *item, const struct tree *files,
		       const struct tree_entry *promised, struct error *err)
{
	const struct tree_entry *found = tree_find(files, promised->path);

	if (!found)
		return error_set(err, ERROR_ARCHIVE,
				 "%s: the manifest promises %s, and the "
				 "archive does not have it",
				 item->archive->file, promised->path);
	if (!tree_entry_same(found, promised))
		return error_set(err, ERROR_ARCHIVE,
				 "%s: %s is not what the manifest promises",
				 item->archive->file, promised->path);
	return true;
}

bool unpack_job_check(const struct plan_item *item, const struct tree *files,
		      struct error *err)
{
	const struct manifest_artifact *artifact = item->artifact;
	uint64_t size = tree_size(files);

	if (artifact->unpacked_size && artifact->unpacked_size != size)
		return error_set(err, ERROR_ARCHIVE,
				 "%s: its files have %llu bytes, and the "
				 "manifest promises %llu",
				 item->archive->file, (unsigned long long)size,
				 (unsigned long long)artifact->unpacked_size);
	for (size_t i = 0; artifact->has_files && i < artifact->files.count;
	     i++) {
		if (!check_file(item, files, &artifact->files.entries[i], err))
			return false;
	}
	for (size_t i = 0; artifact->has_files && i < files->count; i++) {
		const struct tree_entry *entry = &files->entries[i];

		if (entry->kind != TREE_FOLDER &&
		    !tree_find(&artifact->files, entry->path))
			return error_set(err, ERROR_ARCHIVE,
					 "%s: has %s, which the manifest does "
					 "not list",
					 item->archive->file, entry->path);
	}
	return true;
}

bool unpack_job_answer(const struct plan_item *item, const struct buf *answer,
		       struct tree *files, struct error *err)
{
	struct tree found CLEANUP(tree_release) = TREE_INIT;

	if (!tree_unpack(&found, answer->data, answer->length, err) ||
	    !unpack_job_check(item, &found, err))
		return false;
	*files = found;
	found = (struct tree)TREE_INIT;
	return true;
}
