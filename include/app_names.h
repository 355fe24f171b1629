/*
 * app_names.h - what a name in one of the app's lists means, by a manifest.
 *
 *	app_names_init(&names, manifest)
 *	problem = app_names_add(&names, "libs", "opencv", NULL) ...
 *	app_names_extras(&names, &choice->extras)
 */
#ifndef RNE_APP_NAMES_H
#define RNE_APP_NAMES_H

#include <stdbool.h>

#include "attributes.h"
#include "list.h"
#include "manifest.h"

#define APP_LIST_EXTRAS   "extras"
#define APP_LIST_FEATURES "features"

struct app_names {
	const struct manifest *manifest;
	bool *on; /* one an extra of the manifest */
};

void app_names_init(struct app_names *names, const struct manifest *manifest);
void app_names_release(struct app_names *names);

/*
 * Switches on what `name` means in `list`: "extras" (any extra), "features",
 * a list of the manifest ("backends", "libs"), or NULL (any extra or
 * feature). NULL, or what is wrong with the name, which the caller frees:
 * `unknown name "opencvv" in ...; did you mean "opencv"? known are: ...`.
 *
 * `*older` (may be NULL) is set when the name is an older one: the name that
 * the manifest has for it now.
 */
char *app_names_add(struct app_names *names, const char *list, const char *name,
		    const char **older) NODISCARD;
void app_names_add_all(struct app_names *names);

/* Appends what is on, in the manifest's order. */
void app_names_extras(const struct app_names *names, struct list *out);

/* Appends the keys of the lists that this manifest's vocabulary has, without
 * "extras" and "features", sorted: "backends", "libs". `out` is empty. */
void app_names_lists(const struct manifest *manifest, struct list *out);

#endif
