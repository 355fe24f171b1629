/*
 * An app's package.json: a mistake in the block never means everything on or
 * off. What comes out is held against the lists as they stand in the text, by
 * both kinds of manifest.
 */
#include "app.h"
#include "package_json.h"
#include "app_names.h"
#include "bundled.h"
#include "json.h"
#include "scratch.h"

#define PRODUCT "react-native-executorch"

static const char *const list_keys[] = {"extras", "backends", "libs",
					"features"};

static struct manifest *read_manifest(const char *name)
{
	struct manifest *manifest = NULL;
	struct error err = ERROR_INIT;

	for (const struct bundled_manifest *one = bundled_table; one->name;
	     one++) {
		if (!strcmp(one->name, name))
			FUZZ_ASSERT(manifest_parse(&manifest, name, one->text,
						   one->length, &err));
	}
	FUZZ_ASSERT(manifest);
	return manifest;
}

/* `name`, in one of the block's lists, stands for `extra`. */
static bool means(const struct manifest *manifest, const char *name,
		  const struct manifest_extra *extra)
{
	const struct manifest_feature *feature =
		manifest_feature(manifest, name);

	return !strcmp(name, extra->name) ||
	       list_has(&extra->older_names, name) ||
	       (feature && list_has(&feature->extras, extra->name));
}

static bool is_named(const struct manifest *manifest, const struct json *block,
		     const struct manifest_extra *extra)
{
	for (size_t i = 0; i < ARRAY_SIZE(list_keys); i++) {
		struct json list = json_member(block, list_keys[i]);

		json_for_each (item, &list) {
			struct error err = ERROR_INIT;
			const char *name;

			FUZZ_ASSERT(json_string(&item, &name, &err));
			if (means(manifest, name, extra))
				return true;
		}
	}
	return false;
}

static void check_choice(const struct app_choice *choice,
			 const struct manifest *manifest,
			 const struct json *block)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(list_keys); i++)
		any |= json_member(block, list_keys[i]).node != NULL;
	FUZZ_ASSERT(choice->everything == !any);
	FUZZ_ASSERT(choice->extras.count <= manifest->extra_count);
	for (size_t i = 0; i < manifest->extra_count; i++) {
		const struct manifest_extra *extra = &manifest->extras[i];
		bool on = list_has(&choice->extras, extra->name);

		FUZZ_ASSERT(on == (choice->everything ||
				   is_named(manifest, block, extra)));
	}
	if (choice->opencv_pod)
		FUZZ_ASSERT(!strpbrk(choice->opencv_pod, "'\"\\\n#$ "));
}

static void try_block(const char *file, const struct json *root,
		      const struct manifest *manifest)
{
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	struct app app CLEANUP(app_release) = APP_INIT;
	struct error err = ERROR_INIT;
	struct json block;

	list_add(&app.files, file);
	if (!app_read(&choice, &app, manifest, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_CONFIG);
		FUZZ_ASSERT(strstr(err.text, file));
		FUZZ_ASSERT(!choice.extras.count && !choice.everything);
		return;
	}
	FUZZ_ASSERT(root->node);
	block = json_member(root, PRODUCT);
	check_choice(&choice, manifest, &block);
}

static void try_facts(const char *file, const struct json *root)
{
	struct package_json facts CLEANUP(package_json_release) =
		PACKAGE_JSON_INIT;
	struct error err = ERROR_INIT;

	if (!package_json_read(&facts, file, PRODUCT, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_CONFIG);
		FUZZ_ASSERT(strstr(err.text, file));
		return;
	}
	FUZZ_ASSERT(root->node && facts.found);
	FUZZ_ASSERT(facts.has_block ==
		    (json_member(root, PRODUCT).node != NULL));
	FUZZ_ASSERT(!facts.is_peer || facts.depends);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct manifest *manifests[2];
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	char file[128];
	struct error err = ERROR_INIT;
	struct json root = {0};
	int folder = scratch_folder(".");

	if (!manifests[0]) {
		manifests[0] = read_manifest(PRODUCT "-0.9.0");
		manifests[1] = read_manifest(PRODUCT "-0.10.0");
	}
	snprintf(file, sizeof(file), "%s/package.json", scratch());
	scratch_write(folder, "package.json", data, size);
	close(folder);
	if (json_parse(&document, file, (const char *)data, size,
		       PACKAGE_JSON_RULES, &err))
		root = json_root(&document);
	try_facts(file, &root);
	for (size_t i = 0; i < ARRAY_SIZE(manifests); i++)
		try_block(file, &root, manifests[i]);
	return 0;
}
