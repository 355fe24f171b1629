#include "app.h"

#include "app_names.h"
#include "bundled.h"
#include "config_file.h"
#include "json.h"
#include "memory.h"
#include "package_json.h"

#define POD_KEY "opencvPod"

/* One run over all files. */
struct reading {
	struct app_choice *choice;
	const struct manifest *manifest;
	struct app_names names;
	const char *file;
	const char *pod_file; /* that named the pod */
	bool united;          /* there are other files */
};

static void reading_release(struct reading *reading)
{
	app_names_release(&reading->names);
}

static void everything(struct reading *reading, const char *why)
{
	struct list *into = reading->united ? &reading->choice->warnings
					    : &reading->choice->notices;
	const char *advice =
		reading->united
			? " for all of the workspaces; give it a list, or "
			  "name the app with --app DIR or RNET_APP_ROOT"
			: "";

	reading->choice->everything = true;
	app_names_add_all(&reading->names);
	list_addf(into, "%s has no %s, so everything is on%s", reading->file,
		  why, advice);
}

/* The bundled releases whose manifest has the three lists. */
static char *releases_with_lists(const char *product)
{
	struct list versions CLEANUP(list_release) = LIST_INIT;

	for (const struct bundled_manifest *one = bundled_table; one->name;
	     one++) {
		struct manifest *manifest CLEANUP(manifest_free) = NULL;
		struct error ignored = ERROR_INIT;

		if (manifest_parse(&manifest, one->name, one->text, one->length,
				   &ignored) &&
		    manifest->has_lists && !strcmp(manifest->product, product))
			list_add(&versions, manifest->version);
	}
	return versions.count ? list_join(&versions, ", ")
			      : memory_string("later releases");
}

/* A manifest of "extras" alone does not know what came after it. */
static bool refuse_later_keys(const struct reading *reading,
			      const struct json *block, struct error *err)
{
	static const char *const later[] = {"backends", "libs",
					    APP_LIST_FEATURES, POD_KEY};
	const struct manifest *manifest = reading->manifest;

	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		struct json member = json_member(block, later[i]);
		char *releases CLEANUP(memory_release) = NULL;

		if (!member.node)
			continue;
		releases = releases_with_lists(manifest->product);
		json_fail(&member, err,
			  "%s %s has the list \"extras\" alone; \"%s\" is of "
			  "%s",
			  manifest->product, manifest->version, later[i],
			  releases);
		return error_hint(err, "Write { \"extras\": [...] }, or use "
				       "the release whose native libraries "
				       "have these lists.");
	}
	return true;
}

static bool check_keys(const struct reading *reading, const struct json *block,
		       struct list *lists, struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;
	const char **keys CLEANUP(memory_release) = NULL;

	if (!json_object(block, err) || !json_refuse_duplicates(block, err))
		return false;
	list_add(&known, APP_LIST_EXTRAS);
	if (reading->manifest->has_lists) {
		app_names_lists(reading->manifest, lists);
		list_add(lists, APP_LIST_FEATURES);
		list_copy(&known, lists);
		list_add(&known, POD_KEY);
	} else if (!refuse_later_keys(reading, block, err)) {
		return false;
	}
	keys = memory_allocate((known.count + 1) * sizeof(*keys));
	for (size_t i = 0; i < known.count; i++)
		keys[i] = known.items[i];
	return json_known_keys(block, keys, err);
}

static bool read_list(struct reading *reading, const struct json *block,
		      const char *key, bool *given, struct error *err)
{
	struct json list = json_member(block, key);

	if (!list.node)
		return true;
	*given = true;
	if (!json_array(&list, err))
		return false;
	json_for_each (item, &list) {
		char *problem CLEANUP(memory_release) = NULL;
		const char *older = NULL;
		const char *name;

		if (!json_string(&item, &name, err))
			return false;
		problem = app_names_add(&reading->names, key, name, &older);
		if (problem)
			return json_fail(&item, err, "%s", problem);
		if (older)
			list_addf(&reading->choice->notices,
				  "%s: \"%s\" is the older name of \"%s\"",
				  reading->file, name, older);
	}
	return true;
}

/* Pod names reach a podspec, so only what CocoaPods itself uses in them. */
static bool is_pod_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_+-./";

	return *name && *name != '.' && *name != '-' && *name != '/' &&
	       strlen(name) <= APP_POD_LENGTH_MAX &&
	       !name[strspn(name, allowed)] && !strstr(name, "..") &&
	       !strstr(name, "//") && name[strlen(name) - 1] != '/';
}

static bool read_pod(struct reading *reading, const struct json *block,
		     struct error *err)
{
	struct json member = json_member(block, POD_KEY);
	struct app_choice *choice = reading->choice;
	const char *name;

	if (!member.node)
		return true;
	if (!json_string(&member, &name, err))
		return false;
	if (!is_pod_name(name))
		return json_fail(&member, err,
				 "expected the name of a CocoaPod (letters, "
				 "digits and _ + - . /, at most %d), found "
				 "\"%s\"",
				 APP_POD_LENGTH_MAX, name);
	if (choice->opencv_pod && strcmp(choice->opencv_pod, name)) {
		json_fail(&member, err,
			  "\"%s\", but %s has \"%s\": the workspaces share "
			  "one installed package, which can use one pod",
			  name, reading->pod_file, choice->opencv_pod);
		return error_hint(err, "Give both the same, or name the app "
				       "with --app DIR or RNET_APP_ROOT.");
	}
	free(choice->opencv_pod);
	choice->opencv_pod = memory_string(name);
	reading->pod_file = reading->file;
	return true;
}

/* "extras" of a manifest with lists: what it comes to in these. */
static void note_translation(struct reading *reading, const struct list *lists)
{
	char *keys CLEANUP(memory_release) = list_join(lists, ", ");

	list_addf(&reading->choice->notices,
		  "%s: \"extras\" is the older form of the lists %s, and was "
		  "translated",
		  reading->file, keys);
}

static bool read_block(struct reading *reading, const struct json *block,
		       struct error *err)
{
	struct list lists CLEANUP(list_release) = LIST_INIT;
	bool extras = false, given = false;

	if (!check_keys(reading, block, &lists, err) ||
	    !read_list(reading, block, APP_LIST_EXTRAS, &extras, err))
		return false;
	for (size_t i = 0; i < lists.count; i++) {
		if (extras && json_member(block, lists.items[i]).node)
			return json_fail(block, err,
					 "\"extras\" and \"%s\" are two ways "
					 "to say one thing; expected one of "
					 "them",
					 lists.items[i]);
		if (!read_list(reading, block, lists.items[i], &given, err))
			return false;
	}
	if (!read_pod(reading, block, err))
		return false;
	if (extras && reading->manifest->has_lists)
		note_translation(reading, &lists);
	if (!extras && !given)
		everything(reading, "list in its block");
	return true;
}

static bool read_file(struct reading *reading, struct error *err)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	const char *product = reading->manifest->product;
	char *why CLEANUP(memory_release) = NULL;
	struct json root, block;
	bool found;

	if (!config_file_read(reading->file, PACKAGE_JSON_BYTES_MAX, &text,
			      &found, err))
		return false;
	if (!found)
		return error_set(err, ERROR_CONFIG, "%s is not there any more",
				 reading->file);
	if (!json_parse(&document, reading->file, text.data, text.length,
			PACKAGE_JSON_RULES, err))
		return false;
	root = json_root(&document);
	if (!json_object(&root, err))
		return false;
	block = json_member(&root, product);
	if (block.node)
		return read_block(reading, &block, err);
	why = memory_printf("\"%s\" block", product);
	everything(reading, why);
	return true;
}

bool app_read(struct app_choice *choice, const struct app *app,
	      const struct manifest *manifest, struct error *err)
{
	struct app_choice read CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	struct reading reading CLEANUP(reading_release) = {
		.choice = &read,
		.manifest = manifest,
		.united = app->files.count > 1,
	};

	app_names_init(&reading.names, manifest);
	for (size_t i = 0; i < app->files.count; i++) {
		reading.file = app->files.items[i];
		if (!read_file(&reading, err))
			return false;
	}
	if (!app->files.count) {
		read.everything = true;
		app_names_add_all(&reading.names);
	}
	app_names_extras(&reading.names, &read.extras);
	*choice = read;
	read = (struct app_choice)APP_CHOICE_INIT;
	return true;
}

static bool read_name(struct app_names *names, const char *name,
		      const char *source, struct error *err)
{
	char *problem CLEANUP(memory_release) =
		app_names_add(names, NULL, name, NULL);

	return !problem ||
	       error_set(err, ERROR_USAGE, "%s: %s", source, problem);
}

bool app_read_names(struct app_choice *choice, const char *text,
		    const char *source, const struct manifest *manifest,
		    struct error *err)
{
	struct app_names names CLEANUP(app_names_release) = {0};
	struct list items CLEANUP(list_release) = LIST_INIT;
	bool all = !strcmp(text, "all");

	app_names_init(&names, manifest);
	list_split(&items, text, ", ");
	if (*text && !items.count)
		return error_set(err, ERROR_USAGE,
				 "%s: expected names, \"all\" or \"none\", "
				 "found \"%s\"",
				 source, text);
	if (!strcmp(text, "none"))
		list_release(&items);
	for (size_t i = 0; !all && i < items.count; i++) {
		if (!read_name(&names, items.items[i], source, err))
			return false;
	}
	if (all)
		app_names_add_all(&names);
	list_release(&choice->extras);
	app_names_extras(&names, &choice->extras);
	choice->everything = all;
	return true;
}

void app_choice_release(struct app_choice *choice)
{
	list_release(&choice->extras);
	free(choice->opencv_pod);
	list_release(&choice->notices);
	list_release(&choice->warnings);
	*choice = (struct app_choice)APP_CHOICE_INIT;
}
