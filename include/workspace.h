/*
 * workspace.h - the packages of a repository: `workspaces` of package.json
 * (npm, yarn, bun: an array, or an object with `packages`) and `packages` of
 * pnpm-workspace.yaml. Patterns: `*` and `?` within a name, `**` over
 * folders, a leading `!` takes away. node_modules and .git are never entered.
 */
#ifndef RNE_WORKSPACE_H
#define RNE_WORKSPACE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "list.h"

#define WORKSPACE_FOLDERS_MAX 20000
#define WORKSPACE_DEPTH_MAX   8

/* The patterns of <root>/pnpm-workspace.yaml; none when it is not there. */
bool workspace_pnpm_patterns(const char *root, struct list *patterns,
			     bool *found, struct error *err) NODISCARD;

/* Absolute paths of the folders that match and hold a package.json, sorted. */
bool workspace_folders(const char *root, const struct list *patterns,
		       struct list *folders, struct error *err) NODISCARD;

bool workspace_match(const char *pattern, const char *path);

#endif
