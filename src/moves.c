#include "moves.h"

#include "fs.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "path.h"
#include "present.h"
#include "set.h"
#include "staged.h"

#define ASIDE_TRIES 1000

struct moves {
	const struct ownership *ownership;
	int third_party;
	struct present present;
	struct journal *journal;
	struct commit_result *result;
	struct set folders; /* parents that were looked at already */
	struct set mixed;   /* those that cannot be put as a whole */
	char *last_folder;  /* of them, the last */
	struct set asides;  /* names under replaced/ that are given away */
};

static void moves_release(struct moves *moves)
{
	set_release(&moves->folders);
	set_release(&moves->mixed);
	free(moves->last_folder);
	set_release(&moves->asides);
}

/* Nothing is there, and nothing but folders above it. */
static bool is_free(struct moves *moves, const char *path, bool *is,
		    struct error *err)
{
	char *above CLEANUP(memory_release) = memory_string(path);
	struct stat st;
	int there = fs_stat_at(moves->third_party, path, &st, err);

	*is = !there && !set_has(&moves->asides, path);
	for (char *slash; there >= 0 && *is && (slash = strrchr(above, '/'));) {
		*slash = '\0';
		there = fs_stat_at(moves->third_party, above, &st, err);
		*is = !there || S_ISDIR(st.st_mode);
	}
	return there >= 0;
}

/* A free name under replaced/ for what is in the way at `path`. */
static bool find_aside(struct moves *moves, const char *path, char **out,
		       struct error *err)
{
	for (unsigned i = 0; i < ASIDE_TRIES; i++) {
		char *name CLEANUP(memory_release) =
			i ? memory_printf(LAYOUT_REPLACED "/%u/%s", i, path)
			  : memory_printf(LAYOUT_REPLACED "/%s", path);
		bool is;

		if (!is_free(moves, name, &is, err))
			return false;
		if (!is)
			continue;
		set_add(&moves->asides, name);
		*out = name;
		name = NULL;
		return true;
	}
	return error_set(err, ERROR_FILESYSTEM,
			 LAYOUT_THIRD_PARTY "/" LAYOUT_REPLACED
					    "/%s: there are %u of it already",
			 path, ASIDE_TRIES);
}

/* The same, and someone is told. */
static bool aside_name(struct moves *moves, const char *path, char **out,
		       struct error *err)
{
	if (!find_aside(moves, path, out, err))
		return false;
	list_addf(&moves->result->replaced, "%s", path);
	log_warning(LAYOUT_THIRD_PARTY
		    "/%s was not installed by rne-libs as it is; it is "
		    "kept as " LAYOUT_THIRD_PARTY "/%s",
		    path, *out);
	return true;
}

/*
 * The folders above `path`: a link is refused, since what is written through
 * it would land elsewhere; a file in the way goes aside unless it is ours and
 * removed by this commit.
 */
static bool clear_folder(struct moves *moves, const char *folder,
			 struct error *err)
{
	char *aside CLEANUP(memory_release) = NULL;
	const struct tree_entry *ours;
	struct stat st;
	int there;

	if (!*folder || !set_add(&moves->folders, folder))
		return true;
	there = fs_stat_at(moves->third_party, folder, &st, err);
	if (there <= 0 || S_ISDIR(st.st_mode))
		return there >= 0;
	ours = ownership_before(moves->ownership, folder);
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
	if (!aside_name(moves, folder, &aside, err))
		return false;
	journal_add(moves->journal, JOURNAL_ASIDE, folder, aside, NULL);
	return true;
}

static bool clear_parents(struct moves *moves, const char *path,
			  struct error *err)
{
	char *folder CLEANUP(memory_release) = path_parent(path);

	/* The last folder is most often that of the file before. */
	if (moves->last_folder && !strcmp(moves->last_folder, folder))
		return true;
	free(moves->last_folder);
	moves->last_folder = memory_string(folder);
	for (size_t i = 0; folder[i]; i++) {
		if (folder[i] != '/')
			continue;
		folder[i] = '\0';
		if (!clear_folder(moves, folder, err))
			return false;
		folder[i] = '/';
	}
	return clear_folder(moves, folder, err);
}

/* What was ours and is not wanted; a folder is left to its files. */
static bool take_away(struct moves *moves, const char *path,
		      const struct stat *st, struct error *err)
{
	char *aside CLEANUP(memory_release) = NULL;
	bool ours;

	if (S_ISDIR(st->st_mode))
		return true;
	if (!present_as_installed(&moves->present, path, st, &ours, err))
		return false;
	if (ours) {
		journal_add(moves->journal, JOURNAL_REMOVE, path, NULL, NULL);
		moves->result->removed++;
		return true;
	}
	/* Changed since it was installed: someone's work, but not to ship. */
	if (!aside_name(moves, path, &aside, err))
		return false;
	journal_add(moves->journal, JOURNAL_ASIDE, path, aside, NULL);
	return true;
}

static bool plan_folder(struct moves *moves, struct owner *owner,
			struct error *err)
{
	const char *path = owner->entry->path;
	struct stat st;
	int there = fs_stat_at(moves->third_party, path, &st, err);

	if (there < 0 || (there && S_ISDIR(st.st_mode)))
		return there >= 0;
	if (there && !(ownership_before(moves->ownership, path)
			       ? take_away(moves, path, &st, err)
			       : clear_folder(moves, path, err)))
		return false;
	journal_add(moves->journal, JOURNAL_FOLDER, path, NULL, NULL);
	return true;
}

/* Where what is at `path` goes; NULL: it is ours, and replaced. */
static bool clear_path(struct moves *moves, const char *path,
		       const struct stat *there, char **aside,
		       struct error *err)
{
	bool ours;

	if (!there)
		return true;
	if (!S_ISDIR(there->st_mode))
		return present_as_installed(&moves->present, path, there, &ours,
					    err) &&
		       (ours || aside_name(moves, path, aside, err));
	if (!present_only_ours(&moves->present, path, &ours, err))
		return false;
	/* A folder of ours is empty by then; if it is not, it is kept. */
	return ours ? find_aside(moves, path, aside, err)
		    : aside_name(moves, path, aside, err);
}

static bool plan_put(struct moves *moves, struct owner *owner, char *aside,
		     struct error *err)
{
	if (!staged_check(moves->third_party, owner, err))
		return false;
	journal_add(moves->journal, aside ? JOURNAL_SWAP : JOURNAL_PUT,
		    owner->entry->path, owner->staged, aside);
	moves->result->written++;
	return true;
}

static bool plan_file(struct moves *moves, struct owner *owner,
		      struct error *err)
{
	struct tree_entry *entry = owner->entry;
	char *aside CLEANUP(memory_release) = NULL;
	bool same = false;
	struct stat st;
	int there = fs_stat_at(moves->third_party, entry->path, &st, err);

	if (there < 0)
		return false;
	if (there && !present_same(&moves->present, entry, &st, &same, err))
		return false;
	if (!same)
		return clear_path(moves, entry->path, there ? &st : NULL,
				  &aside, err) &&
		       plan_put(moves, owner, aside, err);
	if (entry->kind == TREE_FILE &&
	    !present_mode_fits(&moves->present, entry, &st))
		return plan_put(moves, owner, NULL, err);
	entry->mtime = fs_mtime(&st);
	moves->result->kept++;
	return true;
}

/* In place and believed; only an mtime may have to be learnt. */
static bool refresh_kept(struct moves *moves, struct owner *owner,
			 struct error *err)
{
	struct stat st;
	int there =
		fs_stat_at(moves->third_party, owner->entry->path, &st, err);

	if (there > 0 && owner->entry->kind == TREE_FILE)
		owner->entry->mtime = fs_mtime(&st);
	return there >= 0;
}

static bool is_below(const struct owner *owner, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(owner->entry->path, folder, length) &&
	       owner->entry->path[length] == '/';
}

/* How many owners from `first` on lie below `folder`: all that do, of one
 * artifact, and staged; 0: there are others. */
static size_t count_alone(const struct moves *moves, const struct owner *first,
			  const char *folder)
{
	const struct ownership *ownership = moves->ownership;
	const struct owner *end = ownership->owners + ownership->count;
	const struct owner *owner = first;

	/* An artifact whose folders begin deeper has not looked at this one. */
	if (first > ownership->owners && is_below(first - 1, folder))
		return 0;
	for (; owner < end && is_below(owner, folder); owner++) {
		if (!owner->staged || owner->artifact != first->artifact)
			return 0;
	}
	return (size_t)(owner - first);
}

/* Of those below `folder`; 0: it cannot be put as a whole. */
static bool count_whole(struct moves *moves, const struct owner *owners,
			const char *folder, const char *staged, size_t *count,
			struct error *err)
{
	struct stat st;
	int there = fs_stat_at(moves->third_party, folder, &st, err);
	bool only;

	/* One that an artifact has empty is made first. */
	if (there || ownership_has_folder(moves->ownership, folder))
		return there >= 0;
	*count = count_alone(moves, owners, folder);
	if (!staged_only(moves->third_party, staged, owners, *count, &only,
			 err))
		return false;
	if (!only)
		*count = 0;
	return true;
}

static bool put_whole(struct moves *moves, struct owner *owners, size_t count,
		      const char *folder, const char *staged, struct error *err)
{
	if (!clear_parents(moves, folder, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (owners[i].entry->kind == TREE_FOLDER)
			continue;
		if (!staged_check(moves->third_party, &owners[i], err))
			return false;
		moves->result->written++;
	}
	journal_add(moves->journal, JOURNAL_PUT, folder, staged, NULL);
	return true;
}

/*
 * A folder of the archive that is not there yet, and that no other artifact
 * has files in, is put there as a whole: one step for thousands of headers.
 * `count`: the owners that this has settled, from the first on.
 */
static bool plan_whole(struct moves *moves, struct owner *owners, size_t *count,
		       struct error *err)
{
	const char *path = owners->entry->path;

	*count = 0;
	for (const char *slash =
		     owners->staged ? strchr(path + owners->inner, '/') : NULL;
	     slash; slash = strchr(slash + 1, '/')) {
		char *folder CLEANUP(memory_release) =
			memory_string_n(path, (size_t)(slash - path));
		/* What follows the folder is the same in both. */
		char *staged CLEANUP(memory_release) = memory_string_n(
			owners->staged, strlen(owners->staged) - strlen(slash));

		if (!set_add(&moves->mixed, folder))
			continue;
		if (!count_whole(moves, owners, folder, staged, count, err))
			return false;
		if (*count)
			return put_whole(moves, owners, *count, folder, staged,
					 err);
	}
	return true;
}

static bool plan_owner(struct moves *moves, struct owner *owner,
		       struct error *err)
{
	if (!owner->staged)
		return refresh_kept(moves, owner, err);
	if (!clear_parents(moves, owner->entry->path, err))
		return false;
	if (owner->entry->kind == TREE_FOLDER)
		return plan_folder(moves, owner, err);
	return plan_file(moves, owner, err);
}

static bool disagree(const struct owner *one, const struct owner *two,
		     struct error *err)
{
	error_set(err, ERROR_ARCHIVE,
		  "%s is in both %s and %s, and not the same", one->entry->path,
		  one->artifact, two->artifact);
	if (!one->staged)
		return error_hint(err,
				  "%s was installed before: "
				  "`rne-libs --refresh` asks whether it "
				  "was released anew, too.",
				  one->artifact);
	return error_hint(err, "This release cannot be installed with both; "
			       "report it to its publisher.");
}

/* Several artifacts may own a path when they agree on what is there, by what
 * they have and not only by what is said of them. */
static bool agree(const struct moves *moves, const struct owner *one,
		  const struct owner *two, struct error *err)
{
	if (!tree_entry_same(one->entry, two->entry))
		return disagree(one, two, err);
	return staged_hash(moves->third_party, one, err) &&
	       staged_hash(moves->third_party, two, err);
}

static bool plan_owners(struct moves *moves, struct error *err)
{
	struct owner *owners = moves->ownership->owners;
	size_t whole;

	for (size_t i = 0; i < moves->ownership->count;
	     i += whole ? whole : 1) {
		struct owner *owner = &owners[i];

		whole = 0;
		if (i && !strcmp(owner[-1].entry->path, owner->entry->path)) {
			if (!agree(moves, &owner[-1], owner, err))
				return false;
			owner->entry->mtime = owner[-1].entry->mtime;
			continue;
		}
		if (!plan_whole(moves, owner, &whole, err) ||
		    (!whole && !plan_owner(moves, owner, err)))
			return false;
	}
	return true;
}

/* Not through a link: what lies behind one is no business of ours. */
static bool plan_removal(struct moves *moves, const char *path,
			 struct error *err)
{
	struct stat st;
	int there = fs_stat_at(moves->third_party, path, &st, err);

	if (there <= 0)
		return there == 0;
	return clear_parents(moves, path, err) &&
	       take_away(moves, path, &st, err);
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

/* A folder makes room for a file of its name; a file is swapped for one. */
static bool is_wanted_still(const struct moves *moves,
			    const struct tree_entry *old)
{
	return old->kind == TREE_FOLDER
		       ? ownership_has_folder(moves->ownership, old->path)
		       : ownership_has(moves->ownership, old->path);
}

static bool plan_removals(struct moves *moves, struct error *err)
{
	struct list folders CLEANUP(list_release) = LIST_INIT;
	struct set seen CLEANUP(set_release) = SET_INIT;

	for (size_t i = 0; i < moves->ownership->before.count; i++) {
		const struct tree_entry *old =
			&moves->ownership->before.entries[i];

		if (is_wanted_still(moves, old) ||
		    (i && !strcmp(old->path, old[-1].path)))
			continue;
		if (old->kind != TREE_FOLDER &&
		    !plan_removal(moves, old->path, err))
			return false;
		if (old->kind == TREE_FOLDER && set_add(&seen, old->path))
			list_add(&folders, old->path);
		add_parents(&seen, &folders, old->path);
	}
	list_sort(&folders);
	/* Deepest first. */
	for (size_t i = folders.count; i-- > 0;) {
		if (!ownership_has_folder(moves->ownership, folders.items[i]))
			journal_add(moves->journal, JOURNAL_PRUNE,
				    folders.items[i], NULL, NULL);
	}
	return true;
}

bool moves_plan(const struct ownership *ownership, int third_party,
		bool trust_times, struct journal *journal,
		struct commit_result *result, struct error *err)
{
	struct moves moves CLEANUP(moves_release) = {
		.ownership = ownership,
		.third_party = third_party,
		.present = {ownership, third_party, trust_times},
		.journal = journal,
		.result = result,
		.folders = SET_INIT,
		.mixed = SET_INIT,
		.asides = SET_INIT,
	};

	return ownership_check(ownership, err) && plan_removals(&moves, err) &&
	       plan_owners(&moves, err);
}
