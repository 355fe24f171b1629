/*
 * app.h - which package.json is the app's, and what its block asks for.
 *
 * Search order (rne-libs(1), FINDING THE APP); the first that answers:
 *
 * 1. --app, then RNET_APP_ROOT: a folder or a package.json. It must be there.
 * 2. The nearest package.json at or above INIT_CWD, when it has the block or
 *    depends on the product.
 * 3. The same for the current folder (no manager: a hand, a build script).
 * 4. The folders above the package, nearest first, by the same test.
 * 5. The workspaces of the nearest repository root at or above INIT_CWD, the
 *    current folder, or the package, by the same test: one is taken, several
 *    are united.
 * 6. The nearest package.json at or above INIT_CWD, when the package lies in
 *    its node_modules and it is no repository root: npm writes a new
 *    dependency into package.json only after the hook has run.
 *
 * "Depends" is: in dependencies, devDependencies, optionalDependencies or
 * peerDependencies, under its own name or as npm:<product>@... The package
 * itself (a package.json that bears the product's name) never counts, nor does
 * anything inside node_modules, but by step 1.
 *
 * A block says more than a dependency, so that nobody's list is passed over
 * in silence. Where steps 2 to 4 meet a package.json that depends and has no
 * block:
 * - it is a repository root, and workspaces below have the block: step 5 (a
 *   root often lists what its workspaces need);
 * - else the nearest folder above it that has the block is taken (a hoisted
 *   layout, where upstream asks for the block in the root);
 * - else it is the app, with everything on.
 *
 * Of several workspaces, those that have no block and name the product as a
 * peer are libraries of the others and are left out. One of the rest without
 * a block means everything on, and that is a warning which names it.
 *
 * Finding none is the caller's to judge. npm_package_json is the package's
 * own manifest and never looked at.
 */
#ifndef RNE_APP_H
#define RNE_APP_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "list.h"
#include "manifest.h"

#define APP_POD_LENGTH_MAX 128

struct app_search {
	const char *named;        /* absolute: folder or package.json; NULL */
	const char *named_by;     /* "--app" or "RNET_APP_ROOT" */
	const char *init_cwd;     /* absolute; NULL: unset */
	const char *current;      /* absolute: the current folder; NULL */
	const char *package_path; /* absolute, of the package; NULL: none yet */
	const char *product;      /* "react-native-executorch" */
};

struct app {
	struct list files; /* absolute paths of the package.json; several:
			      united workspaces; none: not found */
	char *reason;      /* why these: "INIT_CWD, which has the block" */
};

#define APP_INIT                \
	{                       \
		LIST_INIT, NULL \
	}

bool app_find(struct app *app, const struct app_search *search,
	      struct error *err) NODISCARD;
void app_release(struct app *app);

/* What the blocks of all files ask for together. */
struct app_choice {
	struct list extras;   /* names of manifest extras, manifest's order */
	char *opencv_pod;     /* NULL: not set */
	bool everything;      /* no block, or one without a list: all on */
	struct list notices;  /* "no block: everything on", older names */
	struct list warnings; /* a workspace without a block among others */
};

#define APP_CHOICE_INIT                                      \
	{                                                    \
		LIST_INIT, NULL, false, LIST_INIT, LIST_INIT \
	}

/*
 * Reads every file's block by the manifest's vocabulary. CONFIG errors name
 * the file, the place, what was found, what is allowed, the nearest name.
 * Without a file, everything.
 */
bool app_read(struct app_choice *choice, const struct app *app,
	      const struct manifest *manifest, struct error *err) NODISCARD;

/* The same for --extras and RNET_EXTRAS: names and features, by commas;
 * "all", "none" or "" too. `source` is for the message (USAGE). Only the
 * extras of `choice` are replaced. */
bool app_read_names(struct app_choice *choice, const char *names,
		    const char *source, const struct manifest *manifest,
		    struct error *err) NODISCARD;
void app_choice_release(struct app_choice *choice);

#endif
