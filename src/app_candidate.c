#include "app_candidate.h"

#include "memory.h"
#include "place.h"
#include "workspace.h"

void app_candidate_release(struct app_candidate *candidate)
{
	free(candidate->folder);
	free(candidate->file);
	package_json_release(&candidate->facts);
}

bool app_candidate_counts(const struct app_search *search,
			  const struct app_candidate *candidate)
{
	const struct package_json *facts = &candidate->facts;

	if (facts->name && !strcmp(facts->name, search->product))
		return false;
	return facts->found && (facts->has_block || facts->depends);
}

bool app_candidate_look(const struct app_search *search, const char *folder,
			bool strict, struct app_candidate *candidate,
			struct error *err)
{
	app_candidate_release(candidate);
	*candidate = (struct app_candidate){
		.folder = memory_string(folder),
		.file = place_join(folder, "package.json"),
	};
	if (package_json_read(&candidate->facts, candidate->file,
			      search->product, err))
		return true;
	if (!strict && !candidate->facts.mentions) {
		package_json_release(&candidate->facts);
		error_clear(err);
		return true;
	}
	error_prefix(err, "looking for the app");
	return error_hint(err, "Put the file right, or name the app with "
			       "--app DIR or RNET_APP_ROOT.");
}

void app_workspaces_release(struct app_workspaces *workspaces)
{
	list_release(&workspaces->with_block);
	list_release(&workspaces->plain);
	list_release(&workspaces->libraries);
}

bool app_workspaces_find(const struct app_search *search,
			 const struct app_candidate *root,
			 struct app_workspaces *into, struct error *err)
{
	struct list patterns CLEANUP(list_release) = LIST_INIT;
	struct list folders CLEANUP(list_release) = LIST_INIT;
	struct app_candidate one CLEANUP(app_candidate_release) = {0};
	bool found;

	if (!workspace_pnpm_patterns(root->folder, &patterns, &found, err))
		return false;
	list_copy(&patterns, &root->facts.workspaces);
	into->is_root = patterns.count > 0;
	if (!into->is_root)
		return true;
	if (!workspace_folders(root->folder, &patterns, &folders, err))
		return error_prefix(err, "%s", root->folder);
	for (size_t i = 0; i < folders.count; i++) {
		if (!app_candidate_look(search, folders.items[i], false, &one,
					err))
			return false;
		if (!app_candidate_counts(search, &one))
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
