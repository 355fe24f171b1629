#include "package.h"

#include <fcntl.h>

#include "bundled.h"
#include "manifest.h"
#include "memory.h"
#include "place.h"

static bool bears_name(const struct package *package, const char *product)
{
	return package->facts.found && package->facts.name &&
	       !strcmp(package->facts.name, product);
}

static bool read_facts(struct package *package, const char *folder,
		       const char *product, struct error *err)
{
	char *file CLEANUP(memory_release) = place_join(folder, "package.json");

	package_release(package);
	package->path = memory_string(folder);
	return package_json_read(&package->facts, file, product, err);
}

static bool is_bundled(const char *product)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	bundled_names(product, &names);
	return names.count > 0;
}

/* A manifest that travels in the package speaks of the package's name. */
static bool carries_manifest(const char *folder, const char *name)
{
	char *file CLEANUP(memory_release) =
		place_join(folder, PACKAGE_MANIFEST);
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct error ignored = ERROR_INIT;

	return manifest_read(&manifest, AT_FDCWD, file, &ignored) &&
	       !strcmp(manifest->product, name);
}

bool package_product(const char *folder, const char *usual, char **product,
		     struct error *err)
{
	struct package package CLEANUP(package_release) = PACKAGE_INIT;
	const char *name;

	if (!read_facts(&package, folder, usual, err))
		return false;
	name = package.facts.name;
	if (name && (!strcmp(name, usual) || is_bundled(name) ||
		     carries_manifest(folder, name)))
		*product = memory_string(name);
	return true;
}

bool package_named(struct package *package, const char *folder,
		   const char *source, const char *product, struct error *err)
{
	char *real CLEANUP(memory_release) = place_real(folder);
	const char *name;

	if (!real)
		return error_set(err, ERROR_USAGE,
				 "%s: %s is not there; expected the folder of "
				 "the package %s",
				 source, folder, product);
	if (!read_facts(package, real, product, err))
		return error_prefix(err, "%s", source);
	if (bears_name(package, product))
		return true;
	if (!package->facts.found)
		return error_set(err, ERROR_USAGE,
				 "%s: %s holds no package.json; expected the "
				 "folder of the package %s",
				 source, real, product);
	name = package->facts.name;
	return error_set(err, ERROR_USAGE,
			 "%s: %s is the package %s; expected %s", source, real,
			 name ? name : "of no name", product);
}

bool package_here(struct package *package, const char *folder,
		  const char *product, struct error *err)
{
	if (!read_facts(package, folder, product, err))
		return false;
	if (!bears_name(package, product))
		package_release(package);
	return true;
}

bool package_resolve(struct package *package, const char *start,
		     const char *product, struct error *err)
{
	char *at CLEANUP(memory_release) = memory_string(start);

	do {
		char *modules CLEANUP(memory_release) =
			place_join(at, "node_modules");
		char *folder CLEANUP(memory_release) =
			place_join(modules, product);
		char *real CLEANUP(memory_release) = place_real(folder);

		if (!real)
			continue;
		if (!package_here(package, real, product, err))
			return false;
		if (package->path)
			return true;
	} while (place_up(at));
	return true;
}

const char *package_libs_version(const struct package *package)
{
	const struct package_json *facts = &package->facts;

	return facts->libs_version ? facts->libs_version : facts->version;
}

void package_release(struct package *package)
{
	free(package->path);
	package_json_release(&package->facts);
	*package = (struct package)PACKAGE_INIT;
}
