/*
 * app_candidate.h - a folder that may be the app's, and the workspaces of one
 * that is a repository's root. For app_find.c alone.
 */
#ifndef RNE_APP_CANDIDATE_H
#define RNE_APP_CANDIDATE_H

#include <stdbool.h>

#include "app.h"
#include "attributes.h"
#include "error.h"
#include "list.h"
#include "package_json.h"

struct app_candidate {
	char *folder;
	char *file; /* its package.json */
	struct package_json facts;
};

#define APP_CANDIDATE_INIT     \
	{                      \
		.folder = NULL \
	}

/*
 * A broken package.json is an error where it could be the app's: always at the
 * places that name one (`strict`), elsewhere when it mentions the product.
 */
bool app_candidate_look(const struct app_search *search, const char *folder,
			bool strict, struct app_candidate *candidate,
			struct error *err) NODISCARD;

/* It may be the app's: not the package, and it speaks of the product. */
bool app_candidate_counts(const struct app_search *search,
			  const struct app_candidate *candidate);
void app_candidate_release(struct app_candidate *candidate);

/* The package.json files of a repository's workspaces that count. */
struct app_workspaces {
	bool is_root; /* there are patterns */
	struct list with_block;
	struct list plain;
	struct list libraries; /* no block, and the product as a peer */
};

#define APP_WORKSPACES_INIT      \
	{                        \
		.is_root = false \
	}

bool app_workspaces_find(const struct app_search *search,
			 const struct app_candidate *root,
			 struct app_workspaces *into,
			 struct error *err) NODISCARD;
void app_workspaces_release(struct app_workspaces *workspaces);

#endif
