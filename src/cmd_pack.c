#include "cli.h"

#include <fcntl.h>

#include "fs.h"
#include "log.h"
#include "manifest_source.h"
#include "manifest_write.h"
#include "memory.h"
#include "pack.h"
#include "package.h"
#include "path.h"

static bool name_one(struct error *err)
{
	if (err->kind != ERROR_FILESYSTEM)
		return false;
	return error_hint(err, "Name the manifest to start from with --release "
			       "or --manifest, or put it there.");
}

static bool read_manifest(const struct options *options, const char *folder,
			  struct manifest **manifest, struct error *err)
{
	struct manifest_source source CLEANUP(manifest_source_clear) =
		MANIFEST_SOURCE_INIT;
	char *beside CLEANUP(memory_release) =
		path_join(folder, PACKAGE_MANIFEST);

	if (options->release && options->manifest)
		return error_set(err, ERROR_USAGE,
				 "--release and --manifest both name a "
				 "manifest; expected one of them");
	if (options->manifest)
		return manifest_read(manifest, AT_FDCWD, options->manifest,
				     err);
	if (!options->release)
		return manifest_read(manifest, AT_FDCWD, beside, err) ||
		       name_one(err);
	return manifest_source_bundled(&source, options->release, err) &&
	       manifest_source_parse(&source, manifest, err);
}

static struct manifest_artifact *find_artifact(struct manifest *manifest,
					       const char *name)
{
	for (size_t i = 0; i < manifest->artifact_count; i++) {
		if (!strcmp(manifest->artifacts[i].name, name))
			return &manifest->artifacts[i];
	}
	return NULL;
}

static bool not_an_artifact(const struct manifest *manifest, const char *name,
			    struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;
	const char *nearest;

	for (size_t i = 0; i < manifest->artifact_count; i++)
		list_add(&known, manifest->artifacts[i].name);
	error_set(err, ERROR_CONFIG,
		  "%s is not an artifact of %s %s: the staged tree has a "
		  "folder for each artifact, and nothing else",
		  name, manifest->product, manifest->version);
	nearest = list_nearest(&known, name);
	return nearest ? error_hint(err, "Did you mean %s?", nearest) : false;
}

/* Everything that lies there, so that nothing is forgotten silently. */
static bool check_names(struct manifest *manifest, const struct list *names,
			struct error *err)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->items[i], PACKAGE_MANIFEST) &&
		    !find_artifact(manifest, names->items[i]))
			return not_an_artifact(manifest, names->items[i], err);
	}
	for (size_t i = 0; i < manifest->artifact_count; i++) {
		const char *name = manifest->artifacts[i].name;

		if (!list_has(names, name))
			log_warning("%s is not in the staged tree; the "
				    "manifest keeps what it says about it",
				    name);
	}
	return true;
}

static bool pack_one(struct manifest *manifest, int staged, const char *name,
		     int out, struct error *err)
{
	struct manifest_artifact *artifact = find_artifact(manifest, name);
	int folder CLEANUP(fs_close) = -1;

	if (!artifact)
		return true; /* the manifest itself */
	if (!fs_open_folder_at(staged, name, &folder, err) ||
	    !pack_artifact(artifact, folder, out, err))
		return false;
	for (size_t i = 0; i < artifact->archive_count; i++)
		log_info("%s: %llu bytes", artifact->archives[i].file,
			 (unsigned long long)artifact->archives[i].size);
	return true;
}

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	const char *path = options->arguments.items[0];
	const char *output = options->output ? options->output : "release";
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct list names CLEANUP(list_release) = LIST_INIT;
	int staged CLEANUP(fs_close) = -1;
	int out CLEANUP(fs_close) = -1;

	(void)env;
	if (!read_manifest(options, path, &manifest, err) ||
	    !fs_open_folder(path, &staged, err) ||
	    !fs_list(staged, ".", &names, err) ||
	    !check_names(manifest, &names, err) ||
	    !fs_make_folders(output, err) || !fs_open_folder(output, &out, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		if (!pack_one(manifest, staged, names.items[i], out, err))
			return false;
	}
	if (!manifest_save(manifest, out, PACKAGE_MANIFEST, err))
		return false;
	log_info("%s/%s pins them", output, PACKAGE_MANIFEST);
	return true;
}

const struct command cmd_pack = {
	.name = "pack",
	.arguments = "DIR",
	.summary = "for maintainers: a release from a staged tree",
	.text = "DIR has a folder for each artifact, with what it installs. "
		"Out of each come a\n.tar.gz and a .tar.zst with their "
		".sha256 files, and a manifest that pins all\nof them, in the "
		"folder --output (release). The manifest to start from is\n"
		"--manifest, --release, or DIR/" PACKAGE_MANIFEST
		". Equal trees give equal bytes.",
	.groups = CLI_COMMON | CLI_OUTPUT | CLI_RELEASE | CLI_MANIFEST,
	.arguments_min = 1,
	.arguments_max = 1,
	.run = run,
};
