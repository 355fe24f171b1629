#include "target.h"

#include "memory.h"

const char *target_host(void)
{
#if defined(_WIN32)
	return "windows";
#elif defined(__APPLE__)
	return "macos";
#else
	return "linux";
#endif
}

/* The emulator's ABI, which many never need. */
static bool is_x86_64(const struct manifest_target *target)
{
	return !strcmp(target->platform, "android") && target->arch &&
	       !strcmp(target->arch, "x86_64");
}

static bool is_named(const struct manifest_target *target, const char *name)
{
	return !strcmp(target->name, name) || list_has(&target->aliases, name);
}

/* Marks what one name stands for; false: nothing. */
static bool mark(const struct manifest *manifest, const char *name,
		 bool no_x86_64, bool *wanted)
{
	bool all = !strcmp(name, "all"), found = false;

	for (size_t i = 0; i < manifest->target_count; i++) {
		if (is_named(&manifest->targets[i], name)) {
			wanted[i] = true;
			return true;
		}
	}
	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];

		if (!all && strcmp(target->platform, name))
			continue;
		found = true;
		if (!no_x86_64 || !is_x86_64(target))
			wanted[i] = true;
	}
	return found;
}

static bool unknown(const struct manifest *manifest, const char *name,
		    const char *source, struct error *err)
{
	struct list known CLEANUP(list_release) = LIST_INIT;
	char *all CLEANUP(memory_release) = NULL;
	char *suggestion CLEANUP(memory_release) = NULL;

	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];

		list_add_once(&known, target->name);
		for (size_t j = 0; j < target->aliases.count; j++)
			list_add_once(&known, target->aliases.items[j]);
	}
	for (size_t i = 0; i < manifest->target_count; i++)
		list_add_once(&known, manifest->targets[i].platform);
	list_add(&known, "all");
	all = list_join(&known, ", ");
	suggestion = list_suggestion(&known, name);
	return error_set(err, ERROR_USAGE,
			 "%s: \"%s\" is no target of %s %s%s; there are: %s",
			 source, name, manifest->product, manifest->version,
			 suggestion, all);
}

static bool mark_defaults(const struct manifest *manifest, bool no_x86_64,
			  const char *host, bool *wanted, struct error *err)
{
	bool any = false;

	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];

		if (!list_has(&target->hosts, host))
			continue;
		any = true;
		wanted[i] = !no_x86_64 || !is_x86_64(target);
	}
	if (any)
		return true;
	error_set(err, ERROR_USAGE, "%s %s has no target for %s by default",
		  manifest->product, manifest->version, host);
	return error_hint(err, "Choose targets with --target or RNET_TARGET.");
}

static bool nothing_left(const char *source, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "%s: RNET_NO_X86_64 leaves no target; name one "
			 "exactly to have it all the same",
			 source);
}

bool target_resolve(const struct manifest *manifest, const struct list *names,
		    const char *source, bool no_x86_64, const char *host,
		    struct list *out, struct error *err)
{
	bool *wanted CLEANUP(memory_release) =
		memory_allocate(manifest->target_count * sizeof(*wanted));
	bool any = false;

	for (size_t i = 0; i < names->count; i++) {
		if (!mark(manifest, names->items[i], no_x86_64, wanted))
			return unknown(manifest, names->items[i], source, err);
	}
	if (!names->count &&
	    !mark_defaults(manifest, no_x86_64, host, wanted, err))
		return false;
	for (size_t i = 0; i < manifest->target_count; i++)
		any |= wanted[i];
	if (!any)
		return nothing_left(names->count ? source : "targets", err);
	for (size_t i = 0; i < manifest->target_count; i++) {
		if (wanted[i])
			list_add_once(out, manifest->targets[i].name);
	}
	return true;
}
