/*
 * app.h - which package.json is the app's, and what its block asks for.
 *
 * Search order (rne-libs(1), FINDING THE APP): --app, RNET_APP_ROOT;
 * INIT_CWD when its package.json has the block or depends on the product; the
 * folders above the package; the workspaces of the repository root that
 * depend on the product (one is taken, several are united). An app that was
 * named (--app, RNET_APP_ROOT) must be there; otherwise finding none means
 * everything on, with a warning.
 *
 * npm_package_json is the package's own manifest and never looked at.
 */
#ifndef RNE_APP_H
#define RNE_APP_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "list.h"
#include "manifest.h"

#define APP_BYTES_MAX (8u << 20)

struct app_search {
	const char *named;        /* a folder or a package.json; NULL: search */
	const char *named_by;     /* "--app" or "RNET_APP_ROOT" */
	const char *init_cwd;     /* NULL: unset */
	const char *package_path; /* absolute, of the package; NULL: none yet */
	const char *product;      /* "react-native-executorch" */
};

struct app {
	struct list files; /* absolute paths of the package.json; several:
			      united workspaces; none: not found */
	char *reason;      /* why these: "INIT_CWD, which has the block" */
};

#define APP_INIT {LIST_INIT, NULL}

bool app_find(struct app *app, const struct app_search *search,
	      struct error *err) NODISCARD;
void app_release(struct app *app);

/* What the blocks of all files ask for together. */
struct app_choice {
	struct list extras;   /* names of manifest extras, manifest's order */
	char *opencv_pod;     /* NULL: not set */
	bool everything;      /* no block: all on */
	struct list notices;  /* translated names, "no block: everything on" */
};

#define APP_CHOICE_INIT {LIST_INIT, NULL, false, LIST_INIT}

/*
 * Reads every file's block by the manifest's vocabulary. CONFIG errors name
 * the file, the place, what was found, what is allowed, the nearest name.
 */
bool app_read(struct app_choice *choice, const struct app *app,
	      const struct manifest *manifest, struct error *err) NODISCARD;

/* The same for --extras and RNET_EXTRAS: names and features, by commas;
 * "all", "none" or "" too. `source` is for the message (USAGE). */
bool app_read_names(struct app_choice *choice, const char *names,
		    const char *source, const struct manifest *manifest,
		    struct error *err) NODISCARD;
void app_choice_release(struct app_choice *choice);

/*
 * The facts of a package.json that finding needs. False only when the file is
 * there and unreadable or invalid; `found` says whether it is there.
 */
struct app_facts {
	bool found;
	char *name;          /* may be NULL */
	char *version;       /* may be NULL */
	char *libs_version;  /* "nativeLibsVersion"; may be NULL */
	char *public_key;    /* "rneLibs": {"publicKey"}; may be NULL */
	bool has_block;      /* a member of the product's name */
	bool depends;        /* a dependency of any kind on the product */
	bool has_workspaces;
	struct list workspaces; /* the patterns */
};
bool app_facts_read(struct app_facts *facts, const char *file,
		    const char *product, struct error *err) NODISCARD;
void app_facts_release(struct app_facts *facts);

#endif
