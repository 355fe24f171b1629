#include "commit.h"

#include "buildconfig.h"
#include "fs.h"
#include "journal.h"
#include "layout.h"
#include "memory.h"
#include "moves.h"
#include "ownership.h"
#include "path.h"
#include "tempfile.h"

struct commit {
	const struct request *request;
	const struct plan *plan;
	const struct survey *survey;
	int third_party;
	struct receipt *receipt; /* the new one */
	struct ownership ownership;
	struct journal journal;
};

static void commit_release(struct commit *commit)
{
	ownership_release(&commit->ownership);
	receipt_free(&commit->receipt);
	journal_release(&commit->journal);
}

/* The new receipt's files of an item, without mtimes where they are staged. */
static void add_files(struct receipt_artifact *artifact,
		      const struct plan_item *item,
		      const struct supplied *supplied)
{
	const struct tree *files =
		supplied->staged ? &supplied->files : &item->installed->files;
	const char *folder =
		supplied->staged ? manifest_destination(item->artifact) : "";

	for (size_t i = 0; i < files->count; i++) {
		char *path CLEANUP(memory_release) =
			path_join(folder, files->entries[i].path);

		tree_add_copy(&artifact->files, &files->entries[i], path);
	}
}

static void add_artifact(struct commit *commit, const struct plan_item *item,
			 const struct supplied *supplied)
{
	struct receipt_artifact *artifact =
		receipt_add(commit->receipt, item->artifact->name);
	const char *source =
		supplied->staged ? supplied->source : item->installed->source;

	if (item->artifact->target)
		artifact->target = memory_string(item->artifact->target->name);
	if (item->artifact->extra)
		artifact->extra = memory_string(item->artifact->extra->name);
	artifact->archive =
		memory_string(supplied->staged ? item->archive->file
					       : item->installed->archive);
	artifact->destination =
		memory_string(manifest_destination(item->artifact));
	artifact->digest = item->digest;
	if (source)
		artifact->source = memory_string(source);
	add_files(artifact, item, supplied);
}

static void make_receipt(struct commit *commit, const struct supplied *supplied,
			 const struct buf *config)
{
	const struct manifest *manifest = commit->request->manifest;
	struct receipt *receipt = memory_allocate(sizeof(*receipt));

	commit->receipt = receipt;
	receipt->product = memory_string(manifest->product);
	receipt->version = memory_string(manifest->version);
	receipt->manifest = manifest->digest;
	buildconfig_apps(commit->request, &receipt->apps);
	list_copy(&receipt->extras, &commit->request->choice.extras);
	list_copy(&receipt->targets, &commit->request->targets);
	receipt->fingerprint = commit->plan->fingerprint;
	digest_bytes(&receipt->config, config->data, config->length);
	for (size_t i = 0; i < commit->plan->count; i++)
		add_artifact(commit, &commit->plan->items[i], &supplied[i]);
}

static bool write_next_receipt(const struct commit *commit, bool *changed,
			       struct error *err)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct buf old CLEANUP(buf_release) = BUF_INIT;
	bool found;

	receipt_write(commit->receipt, &text);
	if (text.length > RECEIPT_BYTES_MAX)
		return error_set(
			err, ERROR_ARCHIVE,
			"the receipt of these files would have %zu MB, "
			"and may have %u",
			text.length >> 20, RECEIPT_BYTES_MAX >> 20);
	if (!fs_read_file(commit->third_party, LAYOUT_RECEIPT,
			  RECEIPT_BYTES_MAX, &old, &found, err))
		return false;
	*changed = !found || !buf_equal(&old, &text);
	if (!*changed)
		return true;
	/* The journal's sync covers it. */
	return tempfile_write(commit->third_party, LAYOUT_RECEIPT_NEXT, 0644,
			      text.data, text.length, TEMPFILE_NO_SYNC, err);
}

static bool takes_away(const struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		if (journal->steps[i].kind == JOURNAL_REMOVE ||
		    journal->steps[i].kind == JOURNAL_ASIDE)
			return true;
	}
	return false;
}

static void set_configs(struct commit *commit, struct buf *config)
{
	const struct survey *survey = commit->survey;
	struct buf between = BUF_INIT;

	if (takes_away(&commit->journal) && survey->receipt &&
	    survey->has_config) {
		buildconfig_render_between(commit->request, commit->plan,
					   survey->receipt, &between);
		commit->journal.config_between = buf_detach(&between);
	}
	commit->journal.config = memory_string(config->data);
}

bool commit_run(const struct request *request, const struct plan *plan,
		const struct survey *survey, const struct supplied *supplied,
		struct commit_result *result, struct error *err)
{
	struct commit commit CLEANUP(commit_release) = {
		.request = request,
		.plan = plan,
		.survey = survey,
		.third_party = survey->third_party,
		.journal = JOURNAL_INIT,
	};
	struct buf config CLEANUP(buf_release) = BUF_INIT;
	bool receipt_changed, config_changed;

	buildconfig_render(request, plan, &config);
	make_receipt(&commit, supplied, &config);
	ownership_collect(&commit.ownership, survey->receipt, commit.receipt,
			  supplied);
	if (!moves_plan(&commit.ownership, commit.third_party,
			!request->refresh, &commit.journal, result, err) ||
	    !write_next_receipt(&commit, &receipt_changed, err))
		return false;
	config_changed =
		!survey->has_config || !buf_equal(&survey->config, &config);
	result->changed =
		commit.journal.count || receipt_changed || config_changed;
	if (!result->changed)
		return fs_remove_tree(commit.third_party, LAYOUT_STAGING, err);
	set_configs(&commit, &config);
	return journal_write(&commit.journal, commit.third_party, err) &&
	       journal_run(&commit.journal, request->package,
			   commit.third_party, err);
}
