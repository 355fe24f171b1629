#include "app.h"

#include <fcntl.h>

#include "fs.h"
#include "memory.h"
#include "place.h"
#include "workspace.h"

struct candidate {
	char *folder;
	char *file;
	struct app_facts facts;
};

static void candidate_release(struct candidate *candidate)
{
	free(candidate->folder);
	free(candidate->file);
	app_facts_release(&candidate->facts);
}

/* It may be the app's: not the package, and it speaks of the product. */
static bool counts(const struct app_search *search,
		   const struct candidate *candidate)
{
	const struct app_facts *facts = &candidate->facts;

	if (facts->name && !strcmp(facts->name, search->product))
		return false;
	return facts->found && (facts->has_block || facts->depends);
}

/*
 * A broken package.json is an error where it could be the app's: always at the
 * places that name one (`strict`), elsewhere when it mentions the product.
 */
static bool look(const struct app_search *search, const char *folder,
		 bool strict, struct candidate *candidate, struct error *err)
{
	candidate_release(candidate);
	*candidate = (struct candidate){
		.folder = memory_string(folder),
		.file = place_join(folder, "package.json"),
	};
	if (app_facts_read(&candidate->facts, candidate->file, search->product,
			   err))
		return true;
	if (!strict && !candidate->facts.mentions) {
		app_facts_release(&candidate->facts);
		error_clear(err);
		return true;
	}
	error_prefix(err, "looking for the app");
	return error_hint(err, "Put the file right, or name the app with "
			       "--app DIR or RNET_APP_ROOT.");
}

PRINTF(3, 4)
static void take(struct app *app, const char *file, const char *reason, ...)
{
	va_list arguments;

	list_add(&app->files, file);
	va_start(arguments, reason);
	app->reason = memory_vprintf(reason, arguments);
	va_end(arguments);
}

/* The package.json files of a repository's workspaces that count. */
struct workspaces {
	struct list with_block;
	struct list plain;
	struct list libraries; /* no block, and the product as a peer */
};

static void workspaces_release(struct workspaces *workspaces)
{
	list_release(&workspaces->with_block);
	list_release(&workspaces->plain);
	list_release(&workspaces->libraries);
}

static bool gather(const struct app_search *search,
		   const struct candidate *root, struct workspaces *into,
		   struct error *err)
{
	struct list patterns CLEANUP(list_release) = LIST_INIT;
	struct list folders CLEANUP(list_release) = LIST_INIT;
	struct candidate one CLEANUP(candidate_release) = {0};
	bool found;

	if (!workspace_pnpm_patterns(root->folder, &patterns, &found, err))
		return false;
	list_copy(&patterns, &root->facts.workspaces);
	if (!patterns.count)
		return true;
	if (!workspace_folders(root->folder, &patterns, &folders, err))
		return error_prefix(err, "%s", root->folder);
	for (size_t i = 0; i < folders.count; i++) {
		if (!look(search, folders.items[i], false, &one, err))
			return false;
		if (!counts(search, &one))
			continue;
		if (one.facts.has_block)
			list_add(&into->with_block, one.file);
		else if (one.facts.is_peer)
			list_add(&into->libraries, one.file);
		else
			list_add(&into->plain, one.file);
	}
	return true;
}

/* Nothing is taken when there is none. */
static void take_workspaces(struct app *app, const struct app_search *search,
			    const char *root,
			    const struct workspaces *workspaces)
{
	static const char *const verbs[2][2] = {
		{"has the block of", "have the block of"},
		{"depends on", "depend on"},
	};
	size_t left_out = workspaces->libraries.count;
	bool depends = workspaces->plain.count;
	size_t count;

	list_copy(&app->files, &workspaces->with_block);
	list_copy(&app->files, &workspaces->plain);
	if (!app->files.count) {
		list_copy(&app->files, &workspaces->libraries);
		left_out = 0;
		depends = true;
	}
	count = app->files.count;
	if (!count)
		return;
	list_sort(&app->files);
	app->reason = memory_printf("%zu workspace%s of %s that %s %s%s", count,
				    count > 1 ? "s" : "", root,
				    verbs[depends][count > 1], search->product,
				    count > 1 ? ", united" : "");
	if (left_out) {
		char *reason CLEANUP(memory_release) = app->reason;

		app->reason = memory_printf(
			"%s (left out: %zu that only name%s it as a peer)",
			reason, left_out, left_out > 1 ? "" : "s");
	}
}

/* The nearest folder above that has the block. */
static bool find_block_above(const struct app_search *search,
			     const char *folder, struct candidate *found,
			     struct error *err)
{
	char *at CLEANUP(memory_release) = memory_string(folder);

	while (place_up(at)) {
		if (place_is_installed(at))
			continue;
		if (!look(search, at, false, found, err))
			return false;
		if (counts(search, found) && found->facts.has_block)
			return true;
	}
	found->facts.has_block = false;
	return true;
}

/* `candidate` counts; the block of another may still say more (app.h). */
static bool settle(struct app *app, const struct app_search *search,
		   const struct candidate *candidate, const char *where,
		   struct error *err)
{
	struct workspaces workspaces CLEANUP(workspaces_release) = {0};
	struct candidate above CLEANUP(candidate_release) = {0};

	if (candidate->facts.has_block) {
		take(app, candidate->file, "%s, which has the block", where);
		return true;
	}
	if (!gather(search, candidate, &workspaces, err))
		return false;
	if (workspaces.with_block.count) {
		take_workspaces(app, search, candidate->folder, &workspaces);
		return true;
	}
	if (!find_block_above(search, candidate->folder, &above, err))
		return false;
	if (above.facts.has_block)
		take(app, above.file,
		     "the nearest folder with the block above %s, which has "
		     "none",
		     candidate->folder);
	else
		take(app, candidate->file, "%s, which depends on %s", where,
		     search->product);
	return true;
}

/* Steps 2 and 3: the nearest package.json at or above `start`. */
static bool find_at(struct app *app, const struct app_search *search,
		    const char *start, const char *name, struct error *err)
{
	struct candidate nearest CLEANUP(candidate_release) = {0};
	char *at CLEANUP(memory_release) = memory_string(start);
	char *where CLEANUP(memory_release) = NULL;

	do {
		if (!place_is_installed(at) &&
		    !look(search, at, true, &nearest, err))
			return false;
	} while (!nearest.facts.found && place_up(at));
	if (!counts(search, &nearest))
		return true;
	where = memory_printf("%s%s",
			      strcmp(at, start) ? "a folder above " : "", name);
	return settle(app, search, &nearest, where, err);
}

/* Step 4: any package.json above `start` that counts. */
static bool find_above(struct app *app, const struct app_search *search,
		       const char *start, const char *name, struct error *err)
{
	struct candidate one CLEANUP(candidate_release) = {0};
	char *at CLEANUP(memory_release) = memory_string(start);

	while (place_up(at)) {
		if (place_is_installed(at))
			continue;
		if (!look(search, at, false, &one, err))
			return false;
		if (counts(search, &one))
			return settle(app, search, &one, name, err);
	}
	return true;
}

/* Step 5: every repository root at or above `start`, nearest first. */
static bool find_in_workspaces(struct app *app, const struct app_search *search,
			       const char *start, const char *name,
			       struct error *err)
{
	char *at CLEANUP(memory_release) = memory_string(start);

	(void)name;
	do {
		struct workspaces workspaces CLEANUP(workspaces_release) = {0};
		struct candidate root CLEANUP(candidate_release) = {0};

		if (place_is_installed(at))
			continue;
		if (!look(search, at, false, &root, err) ||
		    !gather(search, &root, &workspaces, err))
			return false;
		take_workspaces(app, search, at, &workspaces);
	} while (!app->files.count && place_up(at));
	return true;
}

static bool find_named(struct app *app, const struct app_search *search,
		       struct error *err)
{
	char *file CLEANUP(memory_release) =
		place_join(search->named, "package.json");
	const char *name = strrchr(search->named, '/');
	struct app_facts facts CLEANUP(app_facts_release) = APP_FACTS_INIT;
	struct error ignored = ERROR_INIT;
	struct stat st;

	if (fs_stat_at(AT_FDCWD, file, &st, &ignored) != 1 && name &&
	    !strcmp(name, "/package.json")) {
		free(file);
		file = memory_string(search->named);
	}
	if (!app_facts_read(&facts, file, search->product, err))
		return error_prefix(err, "%s", search->named_by);
	if (!facts.found)
		return error_set(err, ERROR_CONFIG,
				 "%s: %s is not there; expected the app's "
				 "folder or its package.json",
				 search->named_by, file);
	if (facts.name && !strcmp(facts.name, search->product))
		return error_set(err, ERROR_CONFIG,
				 "%s: %s is the package.json of %s itself; "
				 "expected that of the app which uses it",
				 search->named_by, file, search->product);
	take(app, file, "named by %s", search->named_by);
	return true;
}

static bool find(struct app *app, const struct app_search *search,
		 struct error *err)
{
	const struct {
		bool (*run)(struct app *app, const struct app_search *search,
			    const char *start, const char *name,
			    struct error *err);
		const char *start; /* NULL: not known, so no such step */
		const char *name;
	} steps[] = {
		{find_at, search->init_cwd, "INIT_CWD"},
		{find_at, search->current, "the current folder"},
		{find_above, search->package_path,
		 "a folder above the package"},
		{find_in_workspaces, search->init_cwd, ""},
		{find_in_workspaces, search->current, ""},
		{find_in_workspaces, search->package_path, ""},
	};

	if (search->named)
		return find_named(app, search, err);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (!steps[i].start)
			continue;
		if (!steps[i].run(app, search, steps[i].start, steps[i].name,
				  err))
			return false;
		if (app->files.count)
			return true;
	}
	app->reason = memory_printf(
		"no package.json with the block of %s, or depending on it, at "
		"INIT_CWD, the current folder, above the package, or in the "
		"repository's workspaces",
		search->product);
	return true;
}

bool app_find(struct app *app, const struct app_search *search,
	      struct error *err)
{
	struct app found CLEANUP(app_release) = APP_INIT;

	if (!find(&found, search, err))
		return false;
	*app = found;
	found = (struct app)APP_INIT;
	return true;
}

void app_release(struct app *app)
{
	list_release(&app->files);
	free(app->reason);
	*app = (struct app)APP_INIT;
}
