#include "signature.h"

#include <openssl/evp.h>

#include "list.h"
#include "memory.h"

#define KEY_LENGTH       42 /* "Ed", number, public key */
#define SIGNATURE_LENGTH 74 /* "ED", number, signature */
#define ED25519_LENGTH   64
#define HASH_LENGTH      64
#define TRUSTED          "trusted comment: "
#define UNTRUSTED        "untrusted comment: "

static void free_context(EVP_MD_CTX **context)
{
	EVP_MD_CTX_free(*context);
}

static void free_key(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}

/* Exactly `length` bytes of base64 (RFC 4648), padded; nothing else. */
static bool decode(const char *text, unsigned char *out, size_t length)
{
	size_t blocks = (length + 2) / 3;
	unsigned char bytes[128];
	char again[sizeof(bytes) / 3 * 4 + 5];

	if (strlen(text) != blocks * 4 || blocks * 3 > sizeof(bytes))
		return false;
	if (EVP_DecodeBlock(bytes, (const unsigned char *)text,
			    (int)(blocks * 4)) != (int)(blocks * 3))
		return false;
	/* EVP_DecodeBlock forgives spaces, early padding, and spare bits in
	 * the last digit: hold what it read against the one right spelling. */
	EVP_EncodeBlock((unsigned char *)again, bytes, (int)length);
	if (strcmp(again, text))
		return false;
	memcpy(out, bytes, length);
	return true;
}

/* The line with the key: the last one that is not empty. */
static bool find_key_line(const char *text, struct list *lines)
{
	list_split(lines, text, "\r\n");
	if (lines->count == 1)
		return true;
	return lines->count == 2 &&
	       !strncmp(lines->items[0], UNTRUSTED, strlen(UNTRUSTED));
}

bool signature_key_parse(struct signature_key *key, const char *text,
			 const char *named_by, struct error *err)
{
	struct list lines CLEANUP(list_release) = LIST_INIT;
	unsigned char bytes[KEY_LENGTH];

	if (!find_key_line(text, &lines) ||
	    !decode(lines.items[lines.count - 1], bytes, sizeof(bytes)) ||
	    memcmp(bytes, "Ed", 2)) {
		error_set(err, ERROR_USAGE,
			  "%s: expected a minisign public key, the base64 line "
			  "that begins with RW",
			  named_by);
		return error_hint(err, "It is in the minisign.pub that the "
				       "publisher gives out.");
	}
	memcpy(key->number, bytes + 2, sizeof(key->number));
	memcpy(key->bytes, bytes + 10, sizeof(key->bytes));
	return true;
}

static bool check_ed25519(const struct signature_key *key,
			  const unsigned char *signature, const void *bytes,
			  size_t length)
{
	EVP_PKEY *public_key CLEANUP(free_key) = EVP_PKEY_new_raw_public_key(
		EVP_PKEY_ED25519, NULL, key->bytes, sizeof(key->bytes));
	EVP_MD_CTX *context CLEANUP(free_context) = EVP_MD_CTX_new();

	return public_key && context &&
	       EVP_DigestVerifyInit(context, NULL, NULL, NULL, public_key) ==
		       1 &&
	       EVP_DigestVerify(context, signature, ED25519_LENGTH, bytes,
				length) == 1;
}

static bool refused(const char *name, const char *why, struct error *err)
{
	error_set(err, ERROR_INTEGRITY, "%s: its signature %s", name, why);
	return error_hint(err, "Nothing of it was used. Ask its publisher "
			       "which key signs it.");
}

/* The signature file's four lines, without their line ends. */
static bool split(const char *text, size_t length, struct list *lines)
{
	char *copy CLEANUP(memory_release) = memory_string_n(text, length);

	if (strlen(copy) != length)
		return false;
	list_split(lines, copy, "\r\n");
	return lines->count == 4 &&
	       !strncmp(lines->items[0], UNTRUSTED, strlen(UNTRUSTED)) &&
	       !strncmp(lines->items[2], TRUSTED, strlen(TRUSTED));
}

/* The comment is signed together with the signature. */
static bool check_comment(const struct signature_key *key,
			  const unsigned char *signature, const char *comment,
			  const char *global)
{
	unsigned char global_bytes[ED25519_LENGTH];
	size_t length = strlen(comment);
	char *signed_bytes CLEANUP(memory_release) =
		memory_allocate(ED25519_LENGTH + length);

	memcpy(signed_bytes, signature, ED25519_LENGTH);
	memcpy(signed_bytes + ED25519_LENGTH, comment, length);
	return decode(global, global_bytes, sizeof(global_bytes)) &&
	       check_ed25519(key, global_bytes, signed_bytes,
			     ED25519_LENGTH + length);
}

bool signature_verify(const struct signature_key *key, const char *name,
		      const void *bytes, size_t length, const char *signature,
		      size_t signature_length, struct error *err)
{
	struct list lines CLEANUP(list_release) = LIST_INIT;
	unsigned char parts[SIGNATURE_LENGTH];
	unsigned char hash[HASH_LENGTH];
	const unsigned char *ed25519 = parts + 10;

	if (!split(signature, signature_length, &lines) ||
	    !decode(lines.items[1], parts, sizeof(parts)))
		return refused(name, "is no minisign signature", err);
	if (memcmp(parts, "ED", 2))
		return refused(name,
			       "is of the older form without BLAKE2b; expected "
			       "one of `minisign -S`, version 0.6 or later",
			       err);
	if (memcmp(parts + 2, key->number, sizeof(key->number)))
		return refused(name, "is by another key than the one given",
			       err);
	if (!EVP_Digest(bytes, length, hash, NULL, EVP_blake2b512(), NULL))
		return error_set(err, ERROR_OTHER,
				 "OpenSSL cannot compute BLAKE2b-512");
	if (!check_ed25519(key, ed25519, hash, sizeof(hash)))
		return refused(name, "does not match its bytes", err);
	if (!check_comment(key, ed25519, lines.items[2] + strlen(TRUSTED),
			   lines.items[3]))
		return refused(name, "has a changed trusted comment", err);
	return true;
}
