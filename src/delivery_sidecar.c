/* What the server says the digest is, where the manifest does not. */
#include "delivery.h"

#include "log.h"
#include "sidecar.h"

bool delivery_ask(struct delivery *delivery, struct error *err)
{
	struct fetch_job *job = &delivery->sidecar;

	if (!delivery_desk_fetch(delivery->desk, err))
		return false;
	job->label = delivery->item->archive->file;
	job->urls = &delivery->sidecar_urls;
	job->limit = SIDECAR_BYTES_MAX;
	job->owner = delivery;
	fetch_add(delivery->desk->fetch, job);
	return true;
}

/* Who else could say what the archive's digest is? */
static bool fall_back(struct delivery *delivery, const struct error *why,
		      struct error *err)
{
	const char *file = delivery->item->archive->file;

	if (delivery->item->known) {
		log_info("%s.sha256 cannot be had; going on with what was "
			 "verified before (%s)",
			 file, why->text);
		return true;
	}
	*err = *why;
	if (delivery->sidecar.missing)
		error_set(err, ERROR_NETWORK,
			  "release %s of %s has no %s.sha256 (%s)",
			  delivery->desk->request->manifest->version,
			  delivery->desk->request->manifest->product, file,
			  why->text);
	return error_hint(err,
			  "Without it the archive cannot be verified. Check "
			  "--base-url and RNET_BASE_URL, or use a manifest "
			  "that pins the archives.");
}

static void decide(struct delivery *delivery)
{
	struct plan_item *item = delivery->item;

	if (item->installed && item->whole &&
	    digest_equal(&item->installed->digest, &item->digest))
		item->action = PLAN_KEEP;
	else if (cache_has(delivery->desk->cache, &item->digest, 0))
		item->action = PLAN_RESTORE;
	else
		item->action = PLAN_DOWNLOAD;
}

bool delivery_answered(struct delivery *delivery, struct error *err)
{
	struct plan_item *item = delivery->item;
	struct fetch_job *job = &delivery->sidecar;
	struct error why = job->failure;
	struct digest digest;

	delivery->desk->result->requests += job->requests;
	if (why.kind == ERROR_NONE &&
	    sidecar_parse(&digest, job->memory.data, job->memory.length,
			  item->archive->file, &why)) {
		if (item->known && !digest_equal(&digest, &item->digest))
			log_info("%s was released anew: its sha256 changed",
				 item->archive->file);
		item->known = true;
		item->digest = digest;
	} else if (!fall_back(delivery, &why, err)) {
		return false;
	}
	item->ask = false;
	decide(delivery);
	return true;
}
