/*
 * workspace.h - the packages of a repository: `workspaces` of package.json
 * (npm, yarn, bun: an array, or an object with `packages`) and `packages` of
 * pnpm-workspace.yaml.
 *
 * Patterns: `*` and `?` within a name, `**` over folders, `{a,b}`, a leading
 * `!` takes away wherever it stands. As with these managers, `*` does not
 * match a leading dot, and node_modules and .git are never entered. `[...]`
 * and `@(...)` are refused, so that a pattern that is not understood does not
 * silently match nothing. Folders deeper than WORKSPACE_DEPTH_MAX below the
 * root are not looked at.
 */
#ifndef RNE_WORKSPACE_H
#define RNE_WORKSPACE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "list.h"

#define WORKSPACE_FOLDERS_MAX    20000 /* looked at, for one root */
#define WORKSPACE_DEPTH_MAX      8
#define WORKSPACE_PATTERNS_MAX   1000 /* with braces written out */
#define WORKSPACE_PATTERN_LENGTH 1024 /* bytes */
#define WORKSPACE_YAML_BYTES_MAX (1u << 20)

/* The patterns of <root>/pnpm-workspace.yaml; none when it is not there.
 * CONFIG errors name the file, line and column. */
bool workspace_pnpm_patterns(const char *root, struct list *patterns,
			     bool *found, struct error *err) NODISCARD;

/* Absolute paths of the folders that match and hold a package.json, sorted. */
bool workspace_folders(const char *root, const struct list *patterns,
		       struct list *folders, struct error *err) NODISCARD;

#endif
