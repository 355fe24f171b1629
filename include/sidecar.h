/*
 * sidecar.h - <archive>.sha256: the digest of an archive, beside it.
 *
 * Accepted: a bare digest; "<digest>  <file>" and "<digest> *<file>"
 * (coreutils); "SHA256 (<file>) = <digest>" (BSD). Upper case and CRLF are
 * fine, so is an empty line; the file's name, where there is one, must be the
 * archive's (its folder does not count). Of several lines the one that names
 * the archive counts.
 */
#ifndef RNE_SIDECAR_H
#define RNE_SIDECAR_H

#include <stddef.h>

#include "attributes.h"
#include "digest.h"
#include "error.h"

#define SIDECAR_BYTES_MAX 65536

/* INTEGRITY when it is none of these; the message shows what was found. */
bool sidecar_parse(struct digest *digest, const char *text, size_t length,
		   const char *archive, struct error *err) NODISCARD;

#endif
