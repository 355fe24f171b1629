#include "survey.h"

#include <errno.h>
#include <fcntl.h>

#include "buildconfig.h"
#include "fs.h"
#include "journal.h"
#include "layout.h"
#include "litter.h"
#include "memory.h"

#define CONFIG_BYTES_MAX (1u << 20)

enum state { SAME, TOUCHED, CHANGED, MISSING, UNREADABLE };

static enum state look_at_link(int third_party, const struct tree_entry *entry,
			       const struct stat *st, struct error *err)
{
	char *target CLEANUP(memory_release) = NULL;

	if (!S_ISLNK(st->st_mode))
		return CHANGED;
	if (!fs_read_link(third_party, entry->path, &target, err))
		return UNREADABLE;
	return strcmp(target, entry->link) ? CHANGED : SAME;
}

static enum state hash_file(int third_party, const struct tree_entry *entry,
			    struct error *err)
{
	int fd CLEANUP(fs_close) =
		fs_open_at(third_party, entry->path, O_RDONLY, 0);
	struct digest found;

	if (fd < 0 && errno == ENOENT)
		return MISSING;
	if (fd < 0 || !digest_file(fd, &found, NULL, err)) {
		if (fd < 0)
			error_system(err, errno, "cannot open %s", entry->path);
		return UNREADABLE;
	}
	return digest_equal(&found, &entry->digest) ? SAME : CHANGED;
}

static enum state look_at_file(int third_party, const struct tree_entry *entry,
			       const struct stat *st, bool hash,
			       struct error *err)
{
	bool same_time = fs_mtime(st) == entry->mtime;
	enum state state;

	if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size != entry->size)
		return CHANGED;
	if (same_time && !hash)
		return SAME;
	state = hash_file(third_party, entry, err);
	return state == SAME && !same_time ? TOUCHED : state;
}

static enum state look_at(int third_party, const struct tree_entry *entry,
			  bool hash, struct error *err)
{
	struct stat st;
	int there = fs_stat_at(third_party, entry->path, &st, err);

	if (there < 0)
		return UNREADABLE;
	if (!there)
		return MISSING;
	if (entry->kind == TREE_FOLDER)
		return S_ISDIR(st.st_mode) ? SAME : CHANGED;
	if (entry->kind == TREE_LINK)
		return look_at_link(third_party, entry, &st, err);
	return look_at_file(third_party, entry, &st, hash, err);
}

bool survey_artifact(const struct receipt_artifact *artifact, int third_party,
		     bool hash, struct list *found, bool *whole, bool *touched,
		     struct error *err)
{
	*whole = true;
	if (touched)
		*touched = false;
	for (size_t i = 0; i < artifact->files.count; i++) {
		const struct tree_entry *entry = &artifact->files.entries[i];
		enum state state = look_at(third_party, entry, hash, err);

		if (state == UNREADABLE)
			return error_prefix(err, LAYOUT_THIRD_PARTY);
		if (state == TOUCHED && touched)
			*touched = true;
		if (state == SAME || state == TOUCHED)
			continue;
		*whole = false;
		if (!found)
			return true;
		list_addf(found, "%s %s", entry->path,
			  state == MISSING ? "is missing" : "was changed");
	}
	return true;
}

static void set_reason(struct plan_item *item, const char *reason)
{
	free(item->reason);
	item->reason = memory_string(reason);
}

/* The files are where this manifest wants them. */
static bool lies_in_place(const struct plan_item *item)
{
	const char *folder = item->installed->destination;

	return folder && !strcmp(folder, manifest_destination(item->artifact));
}

/* Installed from one of the forms that the manifest pins. */
static bool is_pinned_as_installed(const struct plan_item *item)
{
	for (size_t i = 0; i < item->artifact->archive_count; i++) {
		const struct manifest_archive *archive =
			&item->artifact->archives[i];

		if (archive->pinned &&
		    digest_equal(&archive->digest, &item->installed->digest))
			return true;
	}
	return false;
}

/* Installed from one of the places that are asked now. */
static bool is_known_source(const struct plan_item *item,
			    const struct request *request)
{
	const char *source = item->installed->source;

	for (size_t i = 0; source && i < request->base_urls.count; i++) {
		const char *base = request->base_urls.items[i];

		if (!strncmp(source, base, strlen(base)) &&
		    source[strlen(base)] == '/')
			return true;
	}
	return !source;
}

/*
 * Whether what is installed is what is wanted, as far as names and digests
 * say. Without a pinned digest a version's files are believed to be what they
 * were, unless they came from a place that is not asked any more.
 */
static bool is_current(struct plan_item *item, const struct request *request,
		       const struct receipt *receipt)
{
	if (item->archive->pinned) {
		if (is_pinned_as_installed(item))
			return true;
		set_reason(item, "another archive is wanted");
		return false;
	}
	if (strcmp(receipt->version, request->manifest->version) ||
	    strcmp(receipt->product, request->manifest->product)) {
		free(item->reason);
		item->reason = memory_printf("version %s is installed",
					     receipt->version);
		return false;
	}
	if (request->refresh || !is_known_source(item, request))
		item->ask = !request->offline;
	return true;
}

static bool mark_installed(struct plan_item *item,
			   const struct request *request,
			   const struct survey *survey, struct error *err)
{
	struct list found CLEANUP(list_release) = LIST_INIT;
	bool current;

	item->installed = receipt_find(survey->receipt, item->artifact->name);
	if (!item->installed)
		return true;
	current = is_current(item, request, survey->receipt);
	if (!current)
		return true;
	if (!survey_artifact(item->installed, survey->third_party,
			     request->refresh, &found, &item->whole,
			     &item->touched, err))
		return false;
	if (!lies_in_place(item)) {
		item->whole = false;
		set_reason(item, "its folder changed");
	} else if (!item->whole) {
		set_reason(item, found.items[0]);
	} else {
		item->action = PLAN_KEEP;
		set_reason(item, item->ask ? "installed; its sidecar is asked"
					   : "installed and whole");
	}
	if (item->action == PLAN_KEEP || item->archive->pinned) {
		item->known = true;
		item->digest = item->installed->digest;
	}
	return true;
}

/* A pinned form that the cache already has saves the download. */
static bool find_pinned(struct plan_item *item, const struct cache *cache)
{
	const struct manifest_archive *first = item->archive;

	item->known = true;
	item->digest = first->digest;
	if (cache_has(cache, &first->digest, first->size))
		return true;
	for (size_t i = 0; i < item->artifact->archive_count; i++) {
		const struct manifest_archive *other =
			&item->artifact->archives[i];

		if (!other->pinned ||
		    !cache_has(cache, &other->digest, other->size))
			continue;
		item->archive = other;
		item->digest = other->digest;
		return true;
	}
	return false;
}

static bool find_unpinned(struct plan_item *item, const struct request *request,
			  const struct cache *cache)
{
	struct cache_index index CLEANUP(cache_index_release) = {0};

	item->ask = !request->offline;
	item->known = cache_index_read(cache, request->manifest->product,
				       request->manifest->version,
				       item->archive->file, &index);
	if (!item->known)
		return false;
	item->digest = index.digest;
	return cache_has(cache, &index.digest, index.size);
}

static void mark_cached(struct plan_item *item, const struct request *request,
			const struct cache *cache)
{
	if (item->action == PLAN_KEEP)
		return;
	if (item->archive->pinned ? find_pinned(item, cache)
				  : find_unpinned(item, request, cache))
		item->action = PLAN_RESTORE;
}

static void mark_removed(struct plan *plan, const struct receipt *receipt)
{
	for (size_t i = 0; receipt && i < receipt->artifact_count; i++) {
		const char *name = receipt->artifacts[i].name;
		bool wanted = false;

		for (size_t j = 0; j < plan->count && !wanted; j++)
			wanted = !strcmp(plan->items[j].artifact->name, name);
		if (!wanted)
			list_add(&plan->removed, name);
	}
}

static bool same_list(const struct list *a, const struct list *b)
{
	for (size_t i = 0; i < a->count && a->count == b->count; i++) {
		if (strcmp(a->items[i], b->items[i]))
			return false;
	}
	return a->count == b->count;
}

/* The receipt says what it would say if it were written now. */
static bool receipt_is_current(const struct receipt *receipt,
			       const struct plan *plan,
			       const struct request *request,
			       const struct buf *config)
{
	struct list apps CLEANUP(list_release) = LIST_INIT;
	struct digest digest;

	if (!receipt)
		return false;
	buildconfig_apps(request, &apps);
	digest_bytes(&digest, config->data, config->length);
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->items[i].touched)
			return false;
	}
	return digest_equal(&receipt->fingerprint, &plan->fingerprint) &&
	       digest_equal(&receipt->config, &digest) &&
	       same_list(&receipt->apps, &apps);
}

static void mark_config(struct plan *plan, const struct request *request,
			const struct survey *survey)
{
	struct buf wanted CLEANUP(buf_release) = BUF_INIT;

	buildconfig_render(request, plan, &wanted);
	plan->config_differs =
		!survey->has_config || survey->config.length != wanted.length ||
		memcmp(survey->config.data, wanted.data, wanted.length);
	if (!request->skip_download &&
	    !receipt_is_current(survey->receipt, plan, request, &wanted))
		plan->config_differs = true;
}

static bool look(struct survey *survey, const struct request *request,
		 struct error *err)
{
	struct stat st;
	int there = fs_stat_at(request->package, LAYOUT_THIRD_PARTY, &st, err);

	if (there < 0)
		return false;
	/* Where nothing is downloaded it may be someone's link to a build. */
	if (there && !(request->skip_download && !S_ISDIR(st.st_mode)) &&
	    !fs_open_folder_at(request->package, LAYOUT_THIRD_PARTY,
			       &survey->third_party, err))
		return false;
	return receipt_read(&survey->receipt, survey->third_party, err) &&
	       fs_read_file(request->package, LAYOUT_CONFIG, CONFIG_BYTES_MAX,
			    &survey->config, &survey->has_config, err);
}

bool survey_make(struct survey *survey, struct plan *plan,
		 const struct request *request, const struct cache *cache,
		 struct error *err)
{
	if (!look(survey, request, err))
		return error_prefix(err, "%s", request->package_path);
	plan->journal = journal_exists(survey->third_party);
	plan->litter = litter_found(survey->third_party);
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_item *item = &plan->items[i];

		if (!mark_installed(item, request, survey, err))
			return false;
		mark_cached(item, request, cache);
	}
	if (!request->skip_download)
		mark_removed(plan, survey->receipt);
	mark_config(plan, request, survey);
	return true;
}

void survey_cache(struct plan *plan, const struct request *request,
		  const struct cache *cache)
{
	for (size_t i = 0; i < plan->count; i++)
		mark_cached(&plan->items[i], request, cache);
}

void survey_release(struct survey *survey)
{
	fs_close(&survey->third_party);
	receipt_free(&survey->receipt);
	buf_release(&survey->config);
	survey->has_config = false;
}
