/*
 * manifest.h - a release manifest, read strictly: what a release holds.
 *
 * The format is rne-libs-manifest(5) and manifests/rne-manifest.schema.json.
 * All that is particular to a product is data in this file: targets, extras,
 * features, flags, artifacts. A parsed manifest keeps these promises:
 *
 * - every name, path, file name and URL passed its check (path.h, url.h);
 * - every target, extra and feature that is named is defined, once;
 * - every artifact has at least one archive, no two of one format, and no two
 *   archives one file, upper and lower case not told apart;
 * - sizes are 1 to MANIFEST_SIZE_MAX, and unpacked sizes agree with the files.
 *
 * Errors are of kind CONFIG with the JSON path.
 */
#ifndef RNE_MANIFEST_H
#define RNE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "digest.h"
#include "error.h"
#include "list.h"
#include "tree.h"

#define MANIFEST_SCHEMA        1
#define MANIFEST_BYTES_MAX     (4u << 20) /* with file lists */
#define MANIFEST_ARTIFACTS_MAX 1024
#define MANIFEST_NAMES_MAX     256 /* targets, extras, features */
#define MANIFEST_LIST_MAX      16  /* mirrors, aliases, older names */
#define MANIFEST_SIZE_MAX      (UINT64_C(64) << 30)

enum archive_format { ARCHIVE_TAR_GZ, ARCHIVE_TAR_ZST, ARCHIVE_ZIP };
/* "tar.gz", "tar.zst", "zip" */
const char *manifest_format_name(enum archive_format format);
bool manifest_format_parse(const char *name,
			   enum archive_format *out) NODISCARD;

struct manifest_target {
	char *name;        /* "android-arm64-v8a" */
	char *platform;    /* "android" */
	char *arch;        /* "arm64-v8a"; NULL: several (ios) */
	char *destination; /* below third-party/, "" is third-party/ itself */
	struct list aliases;
	struct list hosts; /* where it is a default: linux, macos, windows */
};

struct manifest_extra {
	char *name; /* "opencv" */
	char *flag; /* "RNE_ENABLE_OPENCV" */
	char *key;  /* "enableOpencv" */
	char *list; /* the list that names it: "extras", "backends", "libs" */
	struct list platforms; /* where it means anything */
	struct list older_names;
	/* "<platform>=<what provides it there>", e.g. "ios=the CocoaPod ..." */
	struct list provided;
};

struct manifest_feature {
	char *name;
	struct list extras;
};

struct manifest_archive {
	char *file; /* "core-ios.tar.gz" */
	enum archive_format format;
	uint64_t size; /* bytes; 0: not known */
	bool pinned;   /* the digest is known */
	struct digest digest;
};

struct manifest_artifact {
	char *name;                           /* "core-ios" */
	const struct manifest_target *target; /* NULL: any target (headers) */
	const struct manifest_extra *extra;   /* NULL: core */
	struct manifest_archive *archives;    /* the same files in each */
	size_t archive_count;
	uint64_t unpacked_size; /* bytes of all files; 0: not known */
	bool has_files;         /* `files` is the complete list */
	struct tree files;      /* paths relative to the destination */
};

struct manifest {
	char *origin;           /* path or URL, for messages */
	struct digest digest;   /* of the manifest's bytes */
	char *schema_reference; /* "$schema", for editors; NULL: none */
	char *product;
	char *version;
	/* true: backends, libs and features, with extras translated;
	 * false: extras alone. */
	bool has_lists;
	struct list base_urls;
	struct manifest_target *targets;
	size_t target_count;
	struct manifest_extra *extras;
	size_t extra_count;
	struct manifest_feature *features;
	size_t feature_count;
	struct manifest_artifact *artifacts;
	size_t artifact_count;
};

bool manifest_parse(struct manifest **out, const char *origin, const char *text,
		    size_t length, struct error *err) NODISCARD;
/* From a file; `at` as fs_read_file. */
bool manifest_read(struct manifest **out, int at, const char *path,
		   struct error *err) NODISCARD;
void manifest_free(struct manifest **pointer);

/* By name or older name; NULL: none. */
const struct manifest_extra *manifest_extra(const struct manifest *manifest,
					    const char *name);
const struct manifest_target *manifest_target(const struct manifest *manifest,
					      const char *name); /* exact */
const struct manifest_feature *manifest_feature(const struct manifest *manifest,
						const char *name);
bool manifest_extra_on(const struct manifest_extra *extra,
		       const char *platform); /* means anything there */
/* What brings it to the platform instead of an artifact; NULL: nothing. */
const char *manifest_extra_provider(const struct manifest_extra *extra,
				    const char *platform);

/* Where an artifact's files go, below third-party/; "" is the folder itself. */
const char *manifest_destination(const struct manifest_artifact *artifact);

#endif
