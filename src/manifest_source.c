#include "manifest_source.h"

#include "bundled.h"
#include "config_file.h"
#include "fetch_once.h"
#include "log.h"
#include "memory.h"
#include "place.h"
#include "signature.h"
#include "url.h"

static bool from_file(struct manifest_source *source, const char *path,
		      const char *named_by, struct error *err)
{
	bool found;

	if (!config_file_read(path, MANIFEST_BYTES_MAX, &source->bytes, &found,
			      err))
		return error_prefix(err, "%s", named_by);
	if (!found)
		return error_set(err, ERROR_CONFIG,
				 "%s: %s is not there; expected a release "
				 "manifest",
				 named_by, path);
	source->origin = memory_string(path);
	return true;
}

static bool fetch_bytes(struct fetch *fetch, const char *url, const char *what,
			uint64_t limit, struct buf *out, struct error *err)
{
	struct list urls CLEANUP(list_release) = LIST_INIT;
	struct fetch_job job CLEANUP(fetch_job_release) = {
		.label = what,
		.urls = &urls,
		.limit = limit,
		.file = -1,
		.memory = BUF_INIT,
	};

	list_add(&urls, url);
	if (!fetch_once(fetch, &job, err))
		return false;
	*out = job.memory;
	job.memory = (struct buf)BUF_INIT;
	return true;
}

/* What a server says counts only when the publisher signed it. */
static bool from_url(struct manifest_source *source, const char *url,
		     const struct fetch_policy *policy,
		     const struct signature_key *key, struct error *err)
{
	struct fetch *fetch CLEANUP(fetch_close) = NULL;
	struct buf signature CLEANUP(buf_release) = BUF_INIT;
	char *signature_url CLEANUP(memory_release) =
		memory_printf("%s" SIGNATURE_SUFFIX, url);

	if (!fetch_open(&fetch, policy, err) ||
	    !fetch_bytes(fetch, url, "the release manifest", MANIFEST_BYTES_MAX,
			 &source->bytes, err) ||
	    !fetch_bytes(fetch, signature_url,
			 "the release manifest's signature",
			 SIGNATURE_BYTES_MAX, &signature, err) ||
	    !signature_verify(key, url, source->bytes.data,
			      source->bytes.length, signature.data,
			      signature.length, err))
		return false;
	source->origin = memory_string(url);
	source->remote = true;
	return true;
}

bool manifest_source_named(struct manifest_source *source, const char *name,
			   const char *named_by, const char *base,
			   const struct fetch_policy *policy, bool offline,
			   const char *key_text, struct error *err)
{
	struct signature_key key;
	char *path CLEANUP(memory_release) = NULL;
	struct buf shown CLEANUP(buf_release) = BUF_INIT;
	const char *refused;

	if (!strstr(name, "://")) {
		path = place_absolute(base, name);
		return from_file(source, path, named_by, err);
	}
	log_url(&shown, name);
	refused = url_refused(name);
	if (refused)
		return error_set(err, ERROR_USAGE, "%s: \"%s\" %s", named_by,
				 shown.data, refused);
	if (url_is_file(name)) {
		path = url_file_path(name);
		if (path)
			return from_file(source, path, named_by, err);
		return error_set(err, ERROR_USAGE,
				 "%s: %s names no file of this machine",
				 named_by, shown.data);
	}
	if (offline) {
		error_set(err, ERROR_NETWORK,
			  "%s: %s has to be fetched, and --offline (or "
			  "RNET_OFFLINE, "
			  "npm_config_offline) is on",
			  named_by, shown.data);
		return error_hint(err, "Fetch it once and name the file.");
	}
	if (!key_text) {
		error_set(err, ERROR_CONFIG,
			  "%s: %s would be used only with a signature, and "
			  "there is no key to hold it against",
			  named_by, shown.data);
		return error_hint(err, "Give the publisher's minisign key with "
				       "--public-key, RNET_PUBLIC_KEY, or "
				       "\"rneLibs\": {\"publicKey\"} in the "
				       "package's package.json.");
	}
	if (!signature_key_parse(&key, key_text, "the public key", err))
		return false;
	return from_url(source, name, policy, &key, err) ||
	       error_prefix(err, "%s", named_by);
}

static void from_bundle(struct manifest_source *source,
			const struct bundled_manifest *bundled)
{
	source->origin = memory_printf("the bundled %s", bundled->name);
	buf_append(&source->bytes, bundled->text, bundled->length);
}

static char *all_bundled(const char *product)
{
	struct list names CLEANUP(list_release) = LIST_INIT;

	bundled_names(product, &names);
	return names.count ? list_join(&names, ", ") : memory_string("none");
}

bool manifest_source_bundled(struct manifest_source *source,
			     const char *release, struct error *err)
{
	const char *at = strrchr(release, '@');
	char *product CLEANUP(memory_release) = NULL;
	char *all CLEANUP(memory_release) = NULL;
	const struct bundled_manifest *bundled = NULL;

	if (at && at != release) {
		product = memory_string_n(release, (size_t)(at - release));
		bundled = bundled_find(product, at + 1);
	}
	if (bundled) {
		from_bundle(source, bundled);
		return true;
	}
	all = all_bundled(NULL);
	return error_set(err, ERROR_USAGE,
			 "--release: no bundled manifest is called \"%s\"; "
			 "expected PRODUCT@VERSION, one of: %s",
			 release, all);
}

bool manifest_source_package(struct manifest_source *source,
			     const struct package *package, struct error *err)
{
	const char *product = package->facts.name;
	const char *version = package_libs_version(package);
	char *file CLEANUP(memory_release) =
		place_join(package->path, PACKAGE_MANIFEST);
	const struct bundled_manifest *bundled;
	char *all CLEANUP(memory_release) = NULL;
	bool found;

	if (!config_file_read(file, MANIFEST_BYTES_MAX, &source->bytes, &found,
			      err))
		return false;
	if (found) {
		source->origin = memory_string(file);
		return true;
	}
	if (!version)
		return error_set(err, ERROR_CONFIG,
				 "%s/package.json: expected "
				 "\"nativeLibsVersion\" or \"version\", found "
				 "neither",
				 package->path);
	bundled = bundled_find(product, version);
	if (bundled) {
		from_bundle(source, bundled);
		return true;
	}
	all = all_bundled(product);
	error_set(err, ERROR_CONFIG,
		  "%s: no release manifest for %s %s: there is no %s in the "
		  "package, and the bundled ones are: %s",
		  package->path, product, version, PACKAGE_MANIFEST, all);
	return error_hint(err, "Name one with --manifest FILE|URL or "
			       "RNET_MANIFEST.");
}

bool manifest_source_parse(const struct manifest_source *source,
			   struct manifest **out, struct error *err)
{
	return manifest_parse(out, source->origin, source->bytes.data,
			      source->bytes.length, err);
}

void manifest_source_clear(struct manifest_source *source)
{
	free(source->origin);
	buf_release(&source->bytes);
	*source = (struct manifest_source)MANIFEST_SOURCE_INIT;
}
