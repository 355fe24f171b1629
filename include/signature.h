/*
 * signature.h - minisign's detached signatures (jedisct1.github.io/minisign,
 * "File formats"): Ed25519 (RFC 8032) over BLAKE2b-512 (RFC 7693).
 *
 * A key is the base64 line of a minisign.pub file, or the whole file: "Ed",
 * an 8-byte key number, the 32-byte public key. A signature file has four
 * lines: an untrusted comment, base64 of "ED", key number and signature of
 * the file's BLAKE2b-512, a trusted comment, and base64 of the signature of
 * (signature, trusted comment). Both are checked. The older form without
 * BLAKE2b ("Ed") is refused.
 */
#ifndef RNE_SIGNATURE_H
#define RNE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"

#define SIGNATURE_BYTES_MAX 8192
#define SIGNATURE_SUFFIX    ".minisig"

struct signature_key {
	unsigned char number[8];
	unsigned char bytes[32];
};

/* `named_by` is where the text came from, for messages (USAGE). */
bool signature_key_parse(struct signature_key *key, const char *text,
			 const char *named_by, struct error *err) NODISCARD;

/*
 * INTEGRITY when `signature` (`signature_length` bytes of a .minisig file) is
 * not that key's for these bytes; `name` is what was signed, for messages.
 */
bool signature_verify(const struct signature_key *key, const char *name,
		      const void *bytes, size_t length, const char *signature,
		      size_t signature_length, struct error *err) NODISCARD;

#endif
