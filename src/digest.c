#include "digest.h"

#include <errno.h>

/*
 * OpenSSL's older interface to SHA-256. The newer one (EVP) first loads
 * OpenSSL's configuration, providers and tables of names: a millisecond, of the
 * five that a run with nothing to do takes.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "fs.h"
#include "hex.h"
#include "memory.h"

#define READ_SIZE (256 * 1024)

bool digest_from_hex(struct digest *digest, const char *hex)
{
	struct digest parsed;

	if (strlen(hex) != DIGEST_SIZE * 2)
		return false;
	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		int high = hex_value(hex[2 * i]);
		int low = hex_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		parsed.bytes[i] = (unsigned char)(high << 4 | low);
	}
	*digest = parsed;
	return true;
}

void digest_to_hex(const struct digest *digest, char hex[DIGEST_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		hex[2 * i] = digits[digest->bytes[i] >> 4];
		hex[2 * i + 1] = digits[digest->bytes[i] & 15];
	}
	hex[2 * DIGEST_SIZE] = '\0';
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return !memcmp(a->bytes, b->bytes, DIGEST_SIZE);
}

struct hasher {
	SHA256_CTX context;
};

/* None of the three can fail (SHA256_Init(3)): the context has no parts. */
struct hasher *hasher_start(void)
{
	struct hasher *hasher = memory_allocate(sizeof(*hasher));

	SHA256_Init(&hasher->context);
	return hasher;
}

void hasher_add(struct hasher *hasher, const void *bytes, size_t length)
{
	SHA256_Update(&hasher->context, bytes, length);
}

void hasher_finish(struct hasher *hasher, struct digest *digest)
{
	SHA256_Final(digest->bytes, &hasher->context);
	hasher_drop(&hasher);
}

void hasher_drop(struct hasher **hasher)
{
	memory_release(hasher);
}

void digest_bytes(struct digest *digest, const void *bytes, size_t length)
{
	struct hasher *hasher = hasher_start();

	hasher_add(hasher, bytes, length);
	hasher_finish(hasher, digest);
}

bool digest_file(int fd, struct digest *digest, uint64_t *size,
		 struct error *err)
{
	struct hasher *hasher CLEANUP(hasher_drop) = hasher_start();
	char *bytes CLEANUP(memory_release) = memory_allocate(READ_SIZE);
	uint64_t offset = 0;

	for (;;) {
		ssize_t got = fs_read_at(fd, bytes, READ_SIZE, offset);

		if (got < 0)
			return error_system(err, errno, "cannot read");
		if (!got)
			break;
		hasher_add(hasher, bytes, (size_t)got);
		offset += (uint64_t)got;
	}
	hasher_finish(hasher, digest);
	hasher = NULL;
	if (size)
		*size = offset;
	return true;
}
