/*
 * manifest_rules.h - how the words of a manifest are spelt.
 *
 * Each function returns NULL when `text` is acceptable, else why not. The
 * patterns of manifests/rne-manifest.schema.json say the same.
 */
#ifndef RNE_MANIFEST_RULES_H
#define RNE_MANIFEST_RULES_H

#include "attributes.h"

#define MANIFEST_NAME_MAX        128
#define MANIFEST_DESTINATION_MAX 255
#define MANIFEST_TEXT_MAX        255

/*
 * Names of products, versions, targets, extras, artifacts, archives: letters,
 * digits and . _ + -, a letter or digit first, no dot last, at most 128
 * bytes, no name reserved on Windows. They become names of files, and words
 * of a command line.
 */
const char *manifest_name_refused(const char *text) NODISCARD;

/* The same, and not a word that --target and --extras give a meaning. */
const char *manifest_choice_refused(const char *text) NODISCARD;

/* Names with slashes between them. */
const char *manifest_destination_refused(const char *text) NODISCARD;

/* RNE_ENABLE_OPENCV: upper case, digits and _, a letter first. */
const char *manifest_flag_refused(const char *text) NODISCARD;

/* enableOpencv: letters, digits and _, no digit first, no key that the build
 * config uses itself. */
const char *manifest_key_refused(const char *text) NODISCARD;

/* Words for people: 1 to 255 printable ASCII characters. */
const char *manifest_text_refused(const char *text) NODISCARD;

#endif
