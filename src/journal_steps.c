/*
 * The steps of a journal. Between two syncs a power cut may undo any change and
 * leave any other, so each pass relies only on what the one before has synced.
 */
#include "journal.h"

#include <sys/stat.h>

#include "fs.h"
#include "layout.h"
#include "log.h"
#include "memory.h"
#include "path.h"

/* 1, 0, or -1 with the error set. */
static int exists(int at, const char *path, struct stat *st, struct error *err)
{
	struct stat mine;

	return fs_stat_at(at, path, st ? st : &mine, err);
}

/* `made` is set when there was none. */
static bool make_parent(int third_party, const char *path, bool *made,
			struct error *err)
{
	char *parent CLEANUP(memory_release) = path_parent(path);
	struct stat st;
	int there = *parent ? exists(third_party, parent, &st, err) : 1;

	if (there < 0 || !*parent || (there && S_ISDIR(st.st_mode)))
		return there >= 0;
	*made = true;
	return fs_make_folders_at(third_party, parent, err);
}

/* 1: both names are of one file. 0, or -1 with the error set. */
static int is_kept(int third_party, const char *path, const char *aside,
		   struct error *err)
{
	struct stat one, two;
	int there = exists(third_party, path, &one, err);

	if (there > 0)
		there = exists(third_party, aside, &two, err);
	return there > 0 ? fs_same_file(&one, &two) : there;
}

static const char *aside_of(const struct journal_step *step)
{
	return step->kind == JOURNAL_ASIDE ? step->other : step->aside;
}

/*
 * What is not ours gets its second name before the first is taken from it.
 * Folders have none, nor has every file system: see move_aside.
 */
static bool keep(const struct journal_step *step, int third_party, bool *made,
		 struct error *err)
{
	struct stat st;
	int there = exists(third_party, step->path, &st, err);

	if (there > 0 && step->kind == JOURNAL_SWAP)
		there = exists(third_party, step->other, NULL, err);
	if (there <= 0 || S_ISDIR(st.st_mode))
		return there >= 0;
	if (!make_parent(third_party, aside_of(step), made, err))
		return false;
	if (fs_link(third_party, step->path, aside_of(step)))
		*made = true;
	return true;
}

/* What got no second name. Until it lies there for good, nothing may take
 * its place. */
static bool move_aside(int third_party, const char *path, const char *aside,
		       struct error *err)
{
	bool made = false;

	return make_parent(third_party, aside, &made, err) &&
	       (!made || fs_sync_all(third_party, LAYOUT_THIRD_PARTY, err)) &&
	       fs_rename(third_party, path, third_party, aside, err) &&
	       fs_sync_all(third_party, LAYOUT_THIRD_PARTY, err);
}

static bool run_remove(const struct journal_step *step, int third_party,
		       struct error *err)
{
	struct stat st;
	int there = exists(third_party, step->path, &st, err);

	/* A folder there is what a later step put in its place. */
	if (there <= 0 || S_ISDIR(st.st_mode))
		return there >= 0;
	return fs_remove_file(third_party, step->path, err);
}

static bool run_prune(const struct journal_step *step, int third_party,
		      struct error *err)
{
	return fs_remove_empty_folder(third_party, step->path, err) >= 0;
}

static bool run_aside(const struct journal_step *step, int third_party,
		      struct error *err)
{
	struct stat st;
	int there = exists(third_party, step->path, &st, err);
	int kept;

	if (there <= 0 || S_ISDIR(st.st_mode))
		return there >= 0;
	kept = is_kept(third_party, step->path, step->other, err);
	if (kept > 0)
		return fs_remove_file(third_party, step->path, err);
	return kept == 0 &&
	       move_aside(third_party, step->path, step->other, err);
}

static bool run_folder(const struct journal_step *step, int third_party,
		       struct error *err)
{
	return fs_make_folders_at(third_party, step->path, err);
}

static bool put(int third_party, const char *from, const char *to,
		unsigned depth, struct error *err);

/* Into a folder that has come to be there since the journal was written, or
 * that could not be put as a whole. */
static bool put_into(int third_party, const char *from, const char *to,
		     unsigned depth, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	if (!depth)
		return error_set(err, ERROR_FILESYSTEM,
				 "%s: folders lie too deep", to);
	if (!fs_make_folders_at(third_party, to, err) ||
	    !fs_sync_all(third_party, LAYOUT_THIRD_PARTY, err) ||
	    !fs_list(third_party, from, &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *one CLEANUP(memory_release) =
			path_join(from, names.items[i]);
		char *other CLEANUP(memory_release) =
			path_join(to, names.items[i]);

		if (!put(third_party, one, other, depth - 1, err))
			return false;
	}
	return true;
}

static bool put_folder(int third_party, const char *from, const char *to,
		       unsigned depth, struct error *err)
{
	struct error why = ERROR_INIT;
	int there = exists(third_party, to, NULL, err);

	if (there < 0)
		return false;
	if (!there && fs_rename(third_party, from, third_party, to, &why))
		return true;
	/* Some file systems move no folders, or none with a file open. */
	if (!there)
		log_verbose("%s; its files are put there one by one", why.text);
	return put_into(third_party, from, to, depth, err);
}

static bool put_file(int third_party, const char *from, const char *to,
		     struct error *err)
{
	struct error ignored = ERROR_INIT;
	struct stat there;

	if (fs_rename(third_party, from, third_party, to, err))
		return true;
	/* It has come to be there since the journal was written. */
	if (exists(third_party, to, &there, &ignored) > 0 &&
	    S_ISDIR(there.st_mode))
		return error_hint(err, "A folder is in the way: move it away "
				       "and run the command again.");
	return false;
}

static bool put(int third_party, const char *from, const char *to,
		unsigned depth, struct error *err)
{
	struct stat staged;
	int is = exists(third_party, from, &staged, err);

	if (is <= 0)
		return is == 0; /* it is in place already */
	if (S_ISDIR(staged.st_mode))
		return put_folder(third_party, from, to, depth, err);
	return put_file(third_party, from, to, err);
}

static bool run_put(const struct journal_step *step, int third_party,
		    struct error *err)
{
	return put(third_party, step->other, step->path, PATH_DEPTH_MAX, err);
}

static bool run_swap(const struct journal_step *step, int third_party,
		     struct error *err)
{
	int staged = exists(third_party, step->other, NULL, err);
	int there, kept;

	if (staged <= 0)
		return staged == 0;
	there = exists(third_party, step->path, NULL, err);
	kept = there > 0 ? is_kept(third_party, step->path, step->aside, err)
			 : there;
	if (kept < 0 ||
	    (there && !kept &&
	     !move_aside(third_party, step->path, step->aside, err)))
		return false;
	return put_file(third_party, step->other, step->path, err);
}

static bool make_room(const struct journal_step *step, int third_party,
		      bool *made, struct error *err)
{
	return make_parent(third_party, step->path, made, err);
}

#define KINDS (JOURNAL_SWAP + 1)

/* What comes first may set `made`: it is then synced before the moves. */
struct pass {
	bool (*first[KINDS])(const struct journal_step *step, int third_party,
			     bool *made, struct error *err);
	bool (*then[KINDS])(const struct journal_step *step, int third_party,
			    struct error *err);
};

static const struct pass passes[] = {
	{
		.first = {[JOURNAL_ASIDE] = keep, [JOURNAL_SWAP] = keep},
		.then = {[JOURNAL_REMOVE] = run_remove,
			 [JOURNAL_PRUNE] = run_prune,
			 [JOURNAL_ASIDE] = run_aside},
	},
	{
		.first =
			{[JOURNAL_PUT] = make_room, [JOURNAL_SWAP] = make_room},
		.then = {[JOURNAL_FOLDER] = run_folder,
			 [JOURNAL_PUT] = run_put,
			 [JOURNAL_SWAP] = run_swap},
	},
};

static bool run_pass(const struct pass *pass, const struct journal *journal,
		     int third_party, struct error *err)
{
	bool made = false;

	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_step *step = &journal->steps[i];

		if (pass->first[step->kind] &&
		    !pass->first[step->kind](step, third_party, &made, err))
			return false;
	}
	if (made && !fs_sync_all(third_party, LAYOUT_THIRD_PARTY, err))
		return false;
	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_step *step = &journal->steps[i];

		if (pass->then[step->kind] &&
		    !pass->then[step->kind](step, third_party, err))
			return false;
	}
	return true;
}

bool journal_run_steps(const struct journal *journal, int third_party,
		       struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		if (!run_pass(&passes[i], journal, third_party, err))
			return error_prefix(err, LAYOUT_THIRD_PARTY);
	}
	return true;
}
