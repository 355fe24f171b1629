#include "commit.h"

#include <errno.h>
#include <fcntl.h>

#include "buildconfig.h"
#include "fs.h"
#include "journal.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "path.h"
#include "set.h"
#include "tempfile.h"

#define ASIDE_TRIES 1000

/* Someone who owns a path after this commit. */
struct owner {
	struct tree_entry
		*entry; /* of the new receipt, path below third-party/ */
	char *staged;   /* NULL: it is in place already */
	const char *artifact;
};

struct commit {
	const struct request *request;
	const struct plan *plan;
	const struct survey *survey;
	struct commit_result *result;
	int third_party;
	struct receipt *receipt; /* the new one */
	struct owner *owners;    /* sorted by path */
	size_t owner_count;
	struct tree before; /* every path of the old receipt, sorted */
	struct set folders; /* parents that were looked at already */
	char *last_folder;  /* of them, the last */
	struct journal journal;
};

static void commit_release(struct commit *commit)
{
	receipt_free(&commit->receipt);
	for (size_t i = 0; i < commit->owner_count; i++)
		free(commit->owners[i].staged);
	free(commit->owners);
	tree_release(&commit->before);
	set_release(&commit->folders);
	free(commit->last_folder);
	journal_release(&commit->journal);
}

char *commit_staging(size_t index)
{
	return memory_printf(LAYOUT_STAGING "/%zu", index);
}

/* Every file of the old receipt, to look paths up in. */
static void collect_before(struct commit *commit)
{
	const struct receipt *old = commit->survey->receipt;

	for (size_t i = 0; old && i < old->artifact_count; i++) {
		const struct tree *files = &old->artifacts[i].files;

		for (size_t j = 0; j < files->count; j++)
			tree_add_copy(&commit->before, &files->entries[j],
				      files->entries[j].path);
	}
	tree_sort(&commit->before);
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

static int compare_owners(const void *a, const void *b)
{
	const struct owner *first = a, *second = b;
	int order = strcmp(first->entry->path, second->entry->path);

	if (order)
		return order;
	/* What is in place already comes before what would be put there. */
	return (first->staged != NULL) - (second->staged != NULL);
}

static void collect_owners(struct commit *commit,
			   const struct supplied *supplied)
{
	struct receipt *receipt = commit->receipt;
	size_t count = 0;

	for (size_t i = 0; i < receipt->artifact_count; i++)
		count += receipt->artifacts[i].files.count;
	commit->owners = memory_allocate(count * sizeof(*commit->owners));
	for (size_t i = 0; i < receipt->artifact_count; i++) {
		char *staging CLEANUP(memory_release) = commit_staging(i);
		struct receipt_artifact *artifact = &receipt->artifacts[i];

		for (size_t j = 0; j < artifact->files.count; j++) {
			struct owner *owner =
				&commit->owners[commit->owner_count++];

			owner->entry = &artifact->files.entries[j];
			owner->artifact = artifact->name;
			if (supplied[i].staged)
				owner->staged = path_join(
					staging,
					supplied[i].files.entries[j].path);
		}
	}
	if (count)
		qsort(commit->owners, count, sizeof(*commit->owners),
		      compare_owners);
}

static bool is_owned(const struct commit *commit, const char *path)
{
	size_t low = 0, high = commit->owner_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(commit->owners[middle].entry->path, path);

		if (!order)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* A free name under replaced/ for what is in the way at `path`. */
static bool aside_name(struct commit *commit, const char *path, char **out,
		       struct error *err)
{
	for (unsigned i = 0; i < ASIDE_TRIES; i++) {
		char *name CLEANUP(memory_release) =
			i ? memory_printf(LAYOUT_REPLACED "/%s.%u", path, i)
			  : memory_printf(LAYOUT_REPLACED "/%s", path);
		struct stat st;
		int there = fs_stat_at(commit->third_party, name, &st, err);

		if (there < 0)
			return false;
		if (there)
			continue;
		list_addf(&commit->result->replaced, "%s", path);
		log_warning(LAYOUT_THIRD_PARTY
			    "/%s was not installed by rne-libs as it is; it is "
			    "kept as " LAYOUT_THIRD_PARTY "/%s",
			    path, name);
		*out = name;
		name = NULL;
		return true;
	}
	return error_set(err, ERROR_FILESYSTEM,
			 LAYOUT_THIRD_PARTY "/" LAYOUT_REPLACED
					    "/%s: there are %u of it already",
			 path, ASIDE_TRIES);
}

/*
 * The folders above `path`: a link is refused, since what is written through
 * it would land elsewhere; a file in the way goes aside unless it is ours and
 * removed by this commit.
 */
static bool clear_folder(struct commit *commit, const char *folder,
			 struct error *err)
{
	char *aside CLEANUP(memory_release) = NULL;
	const struct tree_entry *ours;
	struct stat st;
	int there;

	if (!*folder || !set_add(&commit->folders, folder))
		return true;
	there = fs_stat_at(commit->third_party, folder, &st, err);
	if (there <= 0 || S_ISDIR(st.st_mode))
		return there >= 0;
	ours = tree_find(&commit->before, folder);
	if (ours && ours->kind != TREE_FOLDER)
		return true;
	if (S_ISLNK(st.st_mode)) {
		error_set(err, ERROR_FILESYSTEM,
			  LAYOUT_THIRD_PARTY "/%s is a symbolic link; files "
					     "are not written through links",
			  folder);
		return error_hint(err, "Replace the link by a folder and run "
				       "the command again.");
	}
	if (!aside_name(commit, folder, &aside, err))
		return false;
	journal_add(&commit->journal, JOURNAL_ASIDE, folder, aside, NULL);
	return true;
}

static bool clear_parents(struct commit *commit, const char *path,
			  struct error *err)
{
	char *folder CLEANUP(memory_release) = path_parent(path);

	/* The last folder is most often that of the file before. */
	if (commit->last_folder && !strcmp(commit->last_folder, folder))
		return true;
	free(commit->last_folder);
	commit->last_folder = memory_string(folder);
	for (size_t i = 0; folder[i]; i++) {
		if (folder[i] != '/')
			continue;
		folder[i] = '\0';
		if (!clear_folder(commit, folder, err))
			return false;
		folder[i] = '/';
	}
	return clear_folder(commit, folder, err);
}

static bool same_file_bytes(struct commit *commit, const char *path,
			    const struct tree_entry *entry,
			    const struct stat *st, bool *same,
			    struct error *err)
{
	const struct tree_entry *ours = tree_find(&commit->before, path);
	struct digest found;
	int fd CLEANUP(fs_close) = -1;

	*same = false;
	if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size != entry->size ||
	    !!(st->st_mode & 0100) != entry->executable)
		return true;
	if (ours && ours->kind == TREE_FILE && ours->mtime == fs_mtime(st)) {
		*same = digest_equal(&ours->digest, &entry->digest);
		return true;
	}
	fd = fs_open_at(commit->third_party, path, O_RDONLY, 0);
	if (fd < 0)
		return error_system(err, errno, "cannot open %s", path);
	if (!digest_file(fd, &found, NULL, err))
		return error_prefix(err, "%s", path);
	*same = digest_equal(&found, &entry->digest);
	return true;
}

static bool same_link(struct commit *commit, const struct tree_entry *entry,
		      const struct stat *st, bool *same, struct error *err)
{
	char *target CLEANUP(memory_release) = NULL;

	*same = false;
	if (!S_ISLNK(st->st_mode))
		return true;
	if (!fs_read_link(commit->third_party, entry->path, &target, err))
		return false;
	*same = !strcmp(target, entry->link);
	return true;
}

static bool plan_folder(struct commit *commit, struct owner *owner,
			struct error *err)
{
	struct stat st;
	int there =
		fs_stat_at(commit->third_party, owner->entry->path, &st, err);

	if (there < 0 || (there && S_ISDIR(st.st_mode)))
		return there >= 0;
	if (there && !clear_folder(commit, owner->entry->path, err))
		return false;
	journal_add(&commit->journal, JOURNAL_FOLDER, owner->entry->path, NULL,
		    NULL);
	return true;
}

/* The staged file is there, whole; its mtime goes into the receipt. */
static bool check_staged(struct commit *commit, struct owner *owner,
			 struct error *err)
{
	struct stat st;
	int there = fs_stat_at(commit->third_party, owner->staged, &st, err);

	if (there < 0)
		return false;
	if (!there || (owner->entry->kind == TREE_FILE &&
		       (uint64_t)st.st_size != owner->entry->size))
		return error_set(err, ERROR_FILESYSTEM,
				 LAYOUT_THIRD_PARTY "/%s is not as it was "
						    "written a moment ago",
				 owner->staged);
	owner->entry->mtime = fs_mtime(&st);
	return true;
}

static bool plan_put(struct commit *commit, struct owner *owner,
		     const struct stat *there, struct error *err)
{
	const char *path = owner->entry->path;
	const struct tree_entry *ours = tree_find(&commit->before, path);
	char *aside CLEANUP(memory_release) = NULL;
	bool foreign = there && (!ours || S_ISDIR(there->st_mode));

	if (!check_staged(commit, owner, err) ||
	    (foreign && !aside_name(commit, path, &aside, err)))
		return false;
	journal_add(&commit->journal, foreign ? JOURNAL_SWAP : JOURNAL_PUT,
		    path, owner->staged, aside);
	commit->result->written++;
	return true;
}

static bool plan_file(struct commit *commit, struct owner *owner,
		      struct error *err)
{
	struct tree_entry *entry = owner->entry;
	bool same = false;
	struct stat st;
	int there = fs_stat_at(commit->third_party, entry->path, &st, err);

	if (there < 0)
		return false;
	if (there && entry->kind == TREE_FILE &&
	    !same_file_bytes(commit, entry->path, entry, &st, &same, err))
		return false;
	if (there && entry->kind == TREE_LINK &&
	    !same_link(commit, entry, &st, &same, err))
		return false;
	if (!same)
		return plan_put(commit, owner, there ? &st : NULL, err);
	entry->mtime = fs_mtime(&st);
	commit->result->kept++;
	return true;
}

/* In place and believed; only an mtime may have to be learnt. */
static bool refresh_kept(struct commit *commit, struct owner *owner,
			 struct error *err)
{
	struct stat st;

	if (fs_stat_at(commit->third_party, owner->entry->path, &st, err) < 0)
		return false;
	if (owner->entry->kind == TREE_FILE)
		owner->entry->mtime = fs_mtime(&st);
	return true;
}

static bool plan_owner(struct commit *commit, struct owner *owner,
		       struct error *err)
{
	if (!owner->staged)
		return refresh_kept(commit, owner, err);
	if (!clear_parents(commit, owner->entry->path, err))
		return false;
	if (owner->entry->kind == TREE_FOLDER)
		return plan_folder(commit, owner, err);
	return plan_file(commit, owner, err);
}

/* Several artifacts may own a path when they agree on what is there. */
static bool plan_owners(struct commit *commit, struct error *err)
{
	for (size_t i = 0; i < commit->owner_count; i++) {
		struct owner *owner = &commit->owners[i];
		struct owner *before = i ? owner - 1 : NULL;

		if (!before ||
		    strcmp(before->entry->path, owner->entry->path)) {
			if (!plan_owner(commit, owner, err))
				return false;
			continue;
		}
		if (!tree_entry_same(before->entry, owner->entry))
			return error_set(err, ERROR_ARCHIVE,
					 "%s is in both %s and %s, and not the "
					 "same",
					 owner->entry->path, before->artifact,
					 owner->artifact);
		owner->entry->mtime = before->entry->mtime;
	}
	return true;
}

static bool plan_removal(struct commit *commit, const struct tree_entry *old,
			 struct error *err)
{
	char *aside CLEANUP(memory_release) = NULL;
	bool same = false;
	struct stat st;
	int there = fs_stat_at(commit->third_party, old->path, &st, err);

	if (there <= 0)
		return there == 0;
	if (old->kind == TREE_LINK) {
		if (!same_link(commit, old, &st, &same, err))
			return false;
	} else if (!same_file_bytes(commit, old->path, old, &st, &same, err)) {
		return false;
	}
	if (same) {
		journal_add(&commit->journal, JOURNAL_REMOVE, old->path, NULL,
			    NULL);
		commit->result->removed++;
		return true;
	}
	/* Changed since it was installed: someone's work, but not to ship. */
	if (!S_ISDIR(st.st_mode)) {
		if (!aside_name(commit, old->path, &aside, err))
			return false;
		journal_add(&commit->journal, JOURNAL_ASIDE, old->path, aside,
			    NULL);
	}
	return true;
}

static void add_parents(struct set *seen, struct list *folders,
			const char *path)
{
	char *folder CLEANUP(memory_release) = path_parent(path);

	while (*folder) {
		char *slash = strrchr(folder, '/');

		/* What is there has its parents there too. */
		if (!set_add(seen, folder))
			return;
		list_add(folders, folder);
		if (!slash)
			return;
		*slash = '\0';
	}
}

static bool plan_removals(struct commit *commit, struct error *err)
{
	struct list folders CLEANUP(list_release) = LIST_INIT;
	struct set seen CLEANUP(set_release) = SET_INIT;

	for (size_t i = 0; i < commit->before.count; i++) {
		const struct tree_entry *old = &commit->before.entries[i];

		if (is_owned(commit, old->path) ||
		    (i && !strcmp(old->path, old[-1].path)))
			continue;
		if (old->kind != TREE_FOLDER && !plan_removal(commit, old, err))
			return false;
		if (old->kind == TREE_FOLDER && set_add(&seen, old->path))
			list_add(&folders, old->path);
		add_parents(&seen, &folders, old->path);
	}
	list_sort(&folders);
	/* Deepest first. */
	for (size_t i = folders.count; i-- > 0;) {
		if (!is_owned(commit, folders.items[i]))
			journal_add(&commit->journal, JOURNAL_PRUNE,
				    folders.items[i], NULL, NULL);
	}
	return true;
}

static bool write_next_receipt(const struct commit *commit, bool *changed,
			       struct error *err)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct buf old CLEANUP(buf_release) = BUF_INIT;
	bool found;

	receipt_write(commit->receipt, &text);
	if (!fs_read_file(commit->third_party, LAYOUT_RECEIPT,
			  RECEIPT_BYTES_MAX, &old, &found, err))
		return false;
	*changed = !found || old.length != text.length ||
		   memcmp(old.data, text.data, text.length);
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
		.result = result,
		.third_party = survey->third_party,
		.before = TREE_INIT,
		.folders = SET_INIT,
		.journal = JOURNAL_INIT,
	};
	struct buf config CLEANUP(buf_release) = BUF_INIT;
	bool receipt_changed, config_changed;

	buildconfig_render(request, plan, &config);
	collect_before(&commit);
	make_receipt(&commit, supplied, &config);
	collect_owners(&commit, supplied);
	if (!plan_removals(&commit, err) || !plan_owners(&commit, err) ||
	    !write_next_receipt(&commit, &receipt_changed, err))
		return false;
	config_changed =
		!survey->has_config || survey->config.length != config.length ||
		memcmp(survey->config.data, config.data, config.length);
	result->changed =
		commit.journal.count || receipt_changed || config_changed;
	if (!result->changed)
		return fs_remove_tree(commit.third_party, LAYOUT_STAGING, err);
	set_configs(&commit, &config);
	return journal_write(&commit.journal, commit.third_party, err) &&
	       journal_run(&commit.journal, request->package,
			   commit.third_party, err);
}
