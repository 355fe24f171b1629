#include "plan.h"

#include "memory.h"

static const char *const action_names[] = {
	[PLAN_KEEP] = "keep",
	[PLAN_RESTORE] = "restore",
	[PLAN_DOWNLOAD] = "download",
};

const char *plan_action_name(enum plan_action action)
{
	return action_names[action];
}

static bool is_wanted(const struct manifest_artifact *artifact,
		      const struct request *request)
{
	if (artifact->extra &&
	    !list_has(&request->choice.extras, artifact->extra->name))
		return false;
	if (!artifact->target)
		return true;
	return !request->headers_only &&
	       list_has(&request->targets, artifact->target->name);
}

/* Pinned before unpinned, then the smallest; the first of equals. */
static const struct manifest_archive *
choose_archive(const struct manifest_artifact *artifact)
{
	const struct manifest_archive *best = &artifact->archives[0];

	for (size_t i = 1; i < artifact->archive_count; i++) {
		const struct manifest_archive *other = &artifact->archives[i];

		if (best->pinned != other->pinned) {
			if (other->pinned)
				best = other;
		} else if (other->size && other->size < best->size) {
			best = other;
		}
	}
	return best;
}

static bool check_pinned(const struct plan_item *item,
			 const struct request *request, struct error *err)
{
	if (!request->require_pinned || item->archive->pinned)
		return true;
	error_set(err, ERROR_CONFIG,
		  "%s: %s has no sha256 there, and --require-pinned allows "
		  "no other source of it",
		  request->manifest->origin, item->archive->file);
	return error_hint(err, "Pin the manifest with `rne-libs manifest pin`, "
			       "or leave out --require-pinned.");
}

static void fingerprint_list(struct buf *text, const char *name,
			     const struct list *list)
{
	char *joined CLEANUP(memory_release) = list_join(list, ",");

	buf_printf(text, "%s %s\n", name, joined);
}

/* All that decides the result, one fact a line. */
static void make_fingerprint(struct plan *plan, const struct request *request)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	const char *pod = request->choice.opencv_pod;
	char hex[DIGEST_HEX_SIZE];

	digest_to_hex(&request->manifest->digest, hex);
	buf_printf(&text, "manifest %s\n", hex);
	fingerprint_list(&text, "extras", &request->choice.extras);
	fingerprint_list(&text, "targets", &request->targets);
	buf_printf(&text, "opencvPod %s\n", pod ? pod : "");
	buf_printf(&text, "headersOnly %d\n", request->headers_only);
	digest_bytes(&plan->fingerprint, text.data, text.length);
}

bool plan_make(struct plan **out, const struct request *request,
	       struct error *err)
{
	const struct manifest *manifest = request->manifest;
	struct plan *plan CLEANUP(plan_free) = memory_allocate(sizeof(*plan));

	make_fingerprint(plan, request);
	plan->items = memory_allocate(manifest->artifact_count *
				      sizeof(*plan->items));
	for (size_t i = 0; i < manifest->artifact_count; i++) {
		struct plan_item *item = &plan->items[plan->count];

		if (request->skip_download ||
		    !is_wanted(&manifest->artifacts[i], request))
			continue;
		item->artifact = &manifest->artifacts[i];
		item->archive = choose_archive(item->artifact);
		item->action = PLAN_DOWNLOAD;
		item->reason = memory_string("not installed");
		plan->count++;
		if (!check_pinned(item, request, err))
			return false;
	}
	*out = plan;
	plan = NULL;
	return true;
}

void plan_free(struct plan **plan)
{
	if (!*plan)
		return;
	for (size_t i = 0; i < (*plan)->count; i++)
		free((*plan)->items[i].reason);
	free((*plan)->items);
	list_release(&(*plan)->removed);
	free(*plan);
	*plan = NULL;
}

bool plan_is_done(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->items[i].action != PLAN_KEEP || plan->items[i].ask)
			return false;
	}
	return !plan->removed.count && !plan->journal && !plan->litter &&
	       !plan->config_differs;
}
