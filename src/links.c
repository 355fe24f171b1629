#include "links.h"

#include "memory.h"
#include "path.h"

static bool has_suffix(const char *path, const char *suffix)
{
	size_t length = strlen(path), other = strlen(suffix);

	return length > other && !strcmp(path + length - other, suffix);
}

/* <framework>/Versions/Current -> A */
static bool is_current_version(const struct tree_entry *link)
{
	return has_suffix(link->path, "/Versions/Current") &&
	       !strchr(link->link, '/');
}

/* `step` is the target or a folder on the way there. */
static bool check_step(const struct roster *roster, const struct tree *tree,
		       const struct tree_entry *link, const char *step,
		       bool last, struct error *err)
{
	const struct roster_name *name = roster_find(roster, step);

	if (!name || name->kind != TREE_LINK)
		return true;
	if (!last && !strcmp(name->path, step) &&
	    is_current_version(&tree->entries[name->index]))
		return true;
	return error_set(err, ERROR_ARCHIVE,
			 "the entry \"%s\" is a link to \"%s\", which %s "
			 "another link",
			 link->path, link->link, last ? "is" : "leads through");
}

static bool check_link(const struct roster *roster, const struct tree *tree,
		       const struct tree_entry *link, struct error *err)
{
	char *target CLEANUP(memory_release) =
		path_link_destination(link->path, link->link, NULL);

	for (char *at = target;; at++) {
		char kept = *at;

		if (kept && kept != '/')
			continue;
		*at = '\0';
		if (!check_step(roster, tree, link, target, !kept, err))
			return false;
		*at = kept;
		if (!kept)
			return true;
	}
}

bool links_check(const struct roster *roster, const struct tree *tree,
		 struct error *err)
{
	for (size_t i = 0; i < tree->count; i++) {
		if (tree->entries[i].kind == TREE_LINK &&
		    !check_link(roster, tree, &tree->entries[i], err))
			return false;
	}
	return true;
}
