#include "app.h"

#include <fcntl.h>

#include "app_candidate.h"
#include "fs.h"
#include "memory.h"
#include "place.h"

PRINTF(3, 4)
static void take(struct app *app, const char *file, const char *reason, ...)
{
	va_list arguments;

	list_add(&app->files, file);
	va_start(arguments, reason);
	app->reason = memory_vprintf(reason, arguments);
	va_end(arguments);
}

/* Nothing is taken when there is none. */
static void take_workspaces(struct app *app, const struct app_search *search,
			    const char *root,
			    const struct app_workspaces *workspaces)
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
			     const char *folder, struct app_candidate *found,
			     struct error *err)
{
	char *at CLEANUP(memory_release) = memory_string(folder);

	while (place_up(at)) {
		if (place_is_installed(at))
			continue;
		if (!app_candidate_look(search, at, false, found, err))
			return false;
		if (app_candidate_counts(search, found) &&
		    found->facts.has_block)
			return true;
	}
	found->facts.has_block = false;
	return true;
}

/* `candidate` counts; the block of another may still say more (app.h). */
static bool settle(struct app *app, const struct app_search *search,
		   const struct app_candidate *candidate, const char *where,
		   struct error *err)
{
	struct app_workspaces workspaces CLEANUP(app_workspaces_release) =
		APP_WORKSPACES_INIT;
	struct app_candidate above CLEANUP(app_candidate_release) =
		APP_CANDIDATE_INIT;

	if (candidate->facts.has_block) {
		take(app, candidate->file, "%s, which has the block", where);
		return true;
	}
	if (!app_workspaces_find(search, candidate, &workspaces, err))
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

/* The nearest package.json at or above `start` that is nothing installed. */
static bool find_nearest(const struct app_search *search, const char *start,
			 struct app_candidate *nearest, struct error *err)
{
	char *at CLEANUP(memory_release) = memory_string(start);

	do {
		if (!place_is_installed(at) &&
		    !app_candidate_look(search, at, true, nearest, err))
			return false;
	} while (!nearest->facts.found && place_up(at));
	return true;
}

/* Steps 2 and 3. */
static bool find_at(struct app *app, const struct app_search *search,
		    const char *start, const char *name, struct error *err)
{
	struct app_candidate nearest CLEANUP(app_candidate_release) =
		APP_CANDIDATE_INIT;
	char *where CLEANUP(memory_release) = NULL;

	if (!find_nearest(search, start, &nearest, err))
		return false;
	if (!nearest.folder || !app_candidate_counts(search, &nearest))
		return true;
	where = memory_printf(
		"%s%s", strcmp(nearest.folder, start) ? "a folder above " : "",
		name);
	return settle(app, search, &nearest, where, err);
}

/* Step 4: any package.json above `start` that counts. */
static bool find_above(struct app *app, const struct app_search *search,
		       const char *start, const char *name, struct error *err)
{
	struct app_candidate one CLEANUP(app_candidate_release) =
		APP_CANDIDATE_INIT;
	char *at CLEANUP(memory_release) = memory_string(start);

	while (place_up(at)) {
		if (place_is_installed(at))
			continue;
		if (!app_candidate_look(search, at, false, &one, err))
			return false;
		if (app_candidate_counts(search, &one))
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
		struct app_workspaces workspaces CLEANUP(
			app_workspaces_release) = APP_WORKSPACES_INIT;
		struct app_candidate root CLEANUP(app_candidate_release) =
			APP_CANDIDATE_INIT;

		if (place_is_installed(at))
			continue;
		if (!app_candidate_look(search, at, false, &root, err) ||
		    !app_workspaces_find(search, &root, &workspaces, err))
			return false;
		take_workspaces(app, search, at, &workspaces);
	} while (!app->files.count && place_up(at));
	return true;
}

/*
 * Step 6: `npm install <product>` runs the hook before it writes the new
 * dependency into package.json, so that this does not count yet.
 */
static bool find_beginner(struct app *app, const struct app_search *search,
			  const char *start, const char *name,
			  struct error *err)
{
	struct app_workspaces workspaces CLEANUP(app_workspaces_release) =
		APP_WORKSPACES_INIT;
	struct app_candidate nearest CLEANUP(app_candidate_release) =
		APP_CANDIDATE_INIT;
	const char *below;

	if (!search->package_path)
		return true;
	if (!find_nearest(search, start, &nearest, err))
		return false;
	if (!nearest.facts.found)
		return true;
	if (!app_workspaces_find(search, &nearest, &workspaces, err))
		return false;
	below = place_below(nearest.folder, search->package_path);
	if (*below != '/' && place_is_installed(below) && !workspaces.is_root)
		take(app, nearest.file,
		     "%s, where %s is installed and not yet named as a "
		     "dependency",
		     name, search->product);
	return true;
}

/* Its folder without links, since Node resolves from there. */
static char *named_file(const char *named)
{
	char *folder CLEANUP(memory_release) = memory_string(named);
	char *inside CLEANUP(memory_release) =
		place_join(named, "package.json");
	const char *name = strrchr(named, '/');
	struct error ignored = ERROR_INIT;
	char *real CLEANUP(memory_release) = NULL;
	struct stat st;

	if (fs_stat_at(AT_FDCWD, inside, &st, &ignored) != 1 && name &&
	    !strcmp(name, "/package.json"))
		place_up(folder);
	real = place_real(folder);
	return place_join(real ? real : folder, "package.json");
}

static bool find_named(struct app *app, const struct app_search *search,
		       struct error *err)
{
	char *file CLEANUP(memory_release) = named_file(search->named);
	struct package_json facts CLEANUP(package_json_release) =
		PACKAGE_JSON_INIT;

	if (!package_json_read(&facts, file, search->product, err))
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
		{find_beginner, search->init_cwd, "INIT_CWD"},
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
