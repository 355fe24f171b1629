/*
 * Keys ('k' in front) and signature files: a key that is accepted stands in
 * the text as it is; nothing is accepted but the one genuine signature, with
 * whatever untrusted comment.
 */
#include <openssl/evp.h>

#include "fuzz.h"
#include "list.h"
#include "signature.h"

/* Made by minisign, for this test. */
static const char message[] = "the manifest\n";
static const char public_key[] =
	"RWQREEqCfzQZyROzMNLQs/fPtnKqKNa9NB/vDwtiiA0YAR/SUIhsmnD1";
static const char *const genuine[] = {
	"RUQREEqCfzQZyS/uU7xTFHxvLR9e37pMtqeV4WQMqjkFW+w3M7fPo8z9Yhk8RSf339vU"
	"5WoOq5Zc52QQpeDcsLWFzCw+HYjjPwE=",
	"trusted comment: product 1.0",
	"ItZ24lPYJycsnktnodoPVx5u0uRADJNj1AHuSc/AGisyjfNYTm1tr069SdvcNgDu/XVVr/"
	"GMbs4l+fL4q3V8DQ==",
};

static void try_key(const char *text)
{
	struct signature_key key;
	struct error err = ERROR_INIT;
	unsigned char bytes[42];
	char line[4 * sizeof(bytes) / 3 + 4];

	if (!signature_key_parse(&key, text, "--public-key", &err)) {
		FUZZ_ASSERT(err.kind == ERROR_USAGE);
		return;
	}
	memcpy(bytes, "Ed", 2);
	memcpy(bytes + 2, key.number, sizeof(key.number));
	memcpy(bytes + 10, key.bytes, sizeof(key.bytes));
	EVP_EncodeBlock((unsigned char *)line, bytes, sizeof(bytes));
	FUZZ_ASSERT(strstr(text, line));
}

static void try_signature(const char *bytes, size_t size)
{
	struct list lines CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;
	struct signature_key key;

	FUZZ_ASSERT(signature_key_parse(&key, public_key, "key", &err));
	if (!signature_verify(&key, "doc", message, strlen(message), bytes,
			      size, &err)) {
		FUZZ_ASSERT(err.kind == ERROR_INTEGRITY);
		return;
	}
	list_split(&lines, bytes, "\r\n");
	FUZZ_ASSERT(lines.count == 1 + ARRAY_SIZE(genuine));
	for (size_t i = 0; i < ARRAY_SIZE(genuine); i++)
		FUZZ_ASSERT(!strcmp(lines.items[i + 1], genuine[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text CLEANUP(memory_release) = NULL;

	if (!size)
		return 0;
	text = fuzz_string(data + 1, size - 1);
	if (*data == 'k')
		try_key(text);
	else
		try_signature(text, size - 1);
	return 0;
}
