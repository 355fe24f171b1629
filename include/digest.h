/*
 * digest.h - SHA-256 (FIPS 180-4), the only digest of this program and the
 * only user of OpenSSL's EVP.
 */
#ifndef RNE_DIGEST_H
#define RNE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

#define DIGEST_SIZE     32
#define DIGEST_HEX_SIZE 65 /* with the NUL */

struct digest {
	unsigned char bytes[DIGEST_SIZE];
};

/* Exactly 64 hexadecimal digits, either case, nothing else; else false. */
bool digest_from_hex(struct digest *digest, const char *hex) NODISCARD;
void digest_to_hex(const struct digest *digest, char hex[DIGEST_HEX_SIZE]);
bool digest_equal(const struct digest *a, const struct digest *b);

/* Hashing piece by piece: start, add..., finish (which frees), or drop. */
struct hasher;
struct hasher *hasher_start(void) NODISCARD;
void hasher_add(struct hasher *hasher, const void *bytes, size_t length);
void hasher_finish(struct hasher *hasher, struct digest *digest);
void hasher_drop(struct hasher **hasher); /* for CLEANUP; NULL is fine */

void digest_bytes(struct digest *digest, const void *bytes, size_t length);

/* All of an open file from its beginning; `size` may be NULL. */
bool digest_file(int fd, struct digest *digest, uint64_t *size,
		 struct error *err) NODISCARD;

#endif
