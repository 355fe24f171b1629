#include "manifest_lint.h"

#include <strings.h>

#include "memory.h"
#include "url.h"

void manifest_lint_release(struct manifest_lint *found)
{
	list_release(&found->problems);
	list_release(&found->notes);
}

static void add_note(struct manifest_lint *found, const char *what,
		     const struct list *names)
{
	char *all CLEANUP(memory_release) = list_join(names, ", ");

	if (names->count)
		list_addf(&found->notes, "%s: %s", what, all);
}

/* Does some artifact bring this extra (NULL: the core) to this target? */
static bool is_brought(const struct manifest *manifest,
		       const struct manifest_extra *extra,
		       const struct manifest_target *target)
{
	for (size_t i = 0; i < manifest->artifact_count; i++) {
		const struct manifest_artifact *artifact =
			&manifest->artifacts[i];

		if (artifact->extra == extra && (artifact->target == target ||
						 (extra && !artifact->target)))
			return true;
	}
	return false;
}

static void check_cores(const struct manifest *manifest,
			struct manifest_lint *found)
{
	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];

		if (!is_brought(manifest, NULL, target))
			list_addf(&found->problems,
				  "target %s: no artifact without an extra, so "
				  "it has no core",
				  target->name);
	}
}

static void check_extra(const struct manifest *manifest,
			const struct manifest_extra *extra,
			struct manifest_lint *found)
{
	for (size_t i = 0; i < manifest->target_count; i++) {
		const struct manifest_target *target = &manifest->targets[i];
		const char *other =
			manifest_extra_provider(extra, target->platform);
		bool brought = is_brought(manifest, extra, target);

		if (!manifest_extra_on(extra, target->platform))
			continue;
		if (!brought && !other)
			list_addf(&found->problems,
				  "extra %s: no artifact for %s, and nothing "
				  "under \"provided\" for %s",
				  extra->name, target->name, target->platform);
		if (brought && other)
			list_addf(&found->notes,
				  "extra %s: an artifact for %s, and provided "
				  "there by %s",
				  extra->name, target->name, other);
	}
	if (strncmp(extra->flag, "RNE_ENABLE_", strlen("RNE_ENABLE_")))
		list_addf(&found->notes,
			  "extra %s: the flag %s does not begin with "
			  "RNE_ENABLE_",
			  extra->name, extra->flag);
}

static bool has_suffix(const char *file, const char *format)
{
	size_t length = strlen(file), suffix = strlen(format);

	return length > suffix + 1 && file[length - suffix - 1] == '.' &&
	       !strcasecmp(file + length - suffix, format);
}

static void check_artifact(const struct manifest_artifact *artifact,
			   struct manifest_lint *found)
{
	for (size_t i = 0; i < artifact->archive_count; i++) {
		const struct manifest_archive *archive = &artifact->archives[i];
		const char *format = manifest_format_name(archive->format);

		if (!has_suffix(archive->file, format))
			list_addf(&found->problems,
				  "artifact %s: the archive %s does not end in "
				  ".%s, which is said to be its format",
				  artifact->name, archive->file, format);
	}
	if (artifact->extra && artifact->target &&
	    !manifest_extra_on(artifact->extra, artifact->target->platform))
		list_addf(&found->problems,
			  "artifact %s: the extra %s means nothing on %s, so "
			  "it is never installed",
			  artifact->name, artifact->extra->name,
			  artifact->target->platform);
}

/* The archives that are not pinned; what is not known of the others. */
static bool note_what_is_unknown(const struct manifest *manifest,
				 struct manifest_lint *found)
{
	struct list unpinned CLEANUP(list_release) = LIST_INIT;
	struct list unlisted CLEANUP(list_release) = LIST_INIT;

	for (size_t i = 0; i < manifest->artifact_count; i++) {
		const struct manifest_artifact *artifact =
			&manifest->artifacts[i];

		if (!artifact->has_files)
			list_add(&unlisted, artifact->name);
		for (size_t j = 0; j < artifact->archive_count; j++) {
			const struct manifest_archive *archive =
				&artifact->archives[j];

			if (!archive->pinned)
				list_add(&unpinned, archive->file);
		}
	}
	add_note(found, "not pinned", &unpinned);
	add_note(found, "no file list, so paths cannot be compared", &unlisted);
	return unpinned.count;
}

static void check_base_urls(const struct manifest *manifest, bool unpinned,
			    struct manifest_lint *found)
{
	if (!manifest->base_urls.count)
		list_add(&found->notes, "no base URL, so every user has to "
					"name one with --base-url");
	for (size_t i = 0; i < manifest->base_urls.count; i++) {
		const char *url = manifest->base_urls.items[i];

		if (url_is_file(url))
			list_addf(&found->notes,
				  "the base URL %s is of one machine", url);
		if (url_is_http(url) && !url_is_loopback(url) && unpinned)
			list_addf(&found->problems,
				  "the base URL %s is plain http, from which "
				  "only pinned archives are taken",
				  url);
	}
}

static void note_hosts(const struct manifest *manifest,
		       struct manifest_lint *found)
{
	static const char *const hosts[] = {"linux", "macos", "windows"};

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		bool any = false;

		for (size_t j = 0; j < manifest->target_count; j++)
			any |= list_has(&manifest->targets[j].hosts, hosts[i]);
		if (!any)
			list_addf(&found->notes, "no target is a default on %s",
				  hosts[i]);
	}
}

void manifest_lint(const struct manifest *manifest, struct manifest_lint *found)
{
	bool unpinned;

	check_cores(manifest, found);
	for (size_t i = 0; i < manifest->extra_count; i++)
		check_extra(manifest, &manifest->extras[i], found);
	for (size_t i = 0; i < manifest->artifact_count; i++)
		check_artifact(&manifest->artifacts[i], found);
	manifest_lint_paths(manifest, found);
	unpinned = note_what_is_unknown(manifest, found);
	check_base_urls(manifest, unpinned, found);
	note_hosts(manifest, found);
}
