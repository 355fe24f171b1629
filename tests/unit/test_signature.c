/* Signatures that the real minisign made, and what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory.h"
#include "signature.h"

static const char message[] = "the manifest\n";
static const char key_line[] =
	"RWQREEqCfzQZyROzMNLQs/fPtnKqKNa9NB/vDwtiiA0YAR/SUIhsmnD1";
static const char key_file[] =
	"untrusted comment: minisign public key C919347F824A1011\n"
	"RWQREEqCfzQZyROzMNLQs/fPtnKqKNa9NB/vDwtiiA0YAR/SUIhsmnD1\n";
static const char signature[] =
	"untrusted comment: signature from minisign secret key\n"
	"RUQREEqCfzQZyS/"
	"uU7xTFHxvLR9e37pMtqeV4WQMqjkFW+w3M7fPo8z9Yhk8RSf339vU5Wo"
	"Oq5Zc52QQpeDcsLWFzCw+HYjjPwE=\n"
	"trusted comment: product 1.0\n"
	"ItZ24lPYJycsnktnodoPVx5u0uRADJNj1AHuSc/AGisyjfNYTm1tr069SdvcNgDu/XVVr/"
	"GM"
	"bs4l+fL4q3V8DQ==\n";

static struct signature_key read_key(const char *text)
{
	struct error err = ERROR_INIT;
	struct signature_key key;

	assert_true(signature_key_parse(&key, text, "--public-key", &err));
	return key;
}

static bool verify(const char *bytes, const char *text, struct error *err)
{
	struct signature_key key = read_key(key_line);

	return signature_verify(&key, "m.json", bytes, strlen(bytes), text,
				strlen(text), err);
}

static void what_minisign_signed_is_accepted(void **state)
{
	struct signature_key key = read_key(key_file);
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(verify(message, signature, &err));
	assert_true(signature_verify(&key, "m.json", message, strlen(message),
				     signature, strlen(signature), &err));
}

static void one_changed_byte_anywhere_is_refused(void **state)
{
	/* Behind the untrusted comment, which nobody signs. */
	size_t first = (size_t)(strchr(signature, '\n') - signature) + 1;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(verify("the manifesT\n", signature, &err));
	assert_int_equal(err.kind, ERROR_INTEGRITY);
	for (size_t i = first; i + 1 < sizeof(signature) - 1; i++) {
		char *changed CLEANUP(memory_release) =
			memory_string(signature);

		/* In base64, the next digit may differ in spare bits only. */
		changed[i]++;
		err.kind = ERROR_NONE;
		if (verify(message, changed, &err))
			fail_msg("byte %zu: accepted", i);
		assert_int_equal(err.kind, ERROR_INTEGRITY);
		changed[i] = signature[i] == 'A' ? 'B' : 'A';
		assert_false(verify(message, changed, &err));
	}
}

static void another_key_is_named_as_the_reason(void **state)
{
	struct signature_key key = read_key(key_line);
	struct error err = ERROR_INIT;

	(void)state;
	key.number[0] ^= 1;
	assert_false(signature_verify(&key, "m.json", message, strlen(message),
				      signature, strlen(signature), &err));
	assert_non_null(strstr(err.text, "another key"));
}

static void what_is_no_signature_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n\n\n",
		"<html>",
		"untrusted comment: x\nRUQ=\n",
		"untrusted comment: a\n\ntrusted comment: b\n\n",
	};
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(verify(message, texts[i], &err));
}

static void what_is_no_key_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"RWQ=",
		"untrusted comment: x",
		"a\nb\nc",
		"RWQREEqCfzQZyROzMNLQs/fPtnKqKNa9NB/vDwtiiA0YAR/SUIhsmnD1AAAA",
		"AAQREEqCfzQZyROzMNLQs/fPtnKqKNa9NB/vDwtiiA0YAR/SUIhsmnD1",
		"RWQREEqCfzQZyROzMNLQs/fPtnKqKNa9NB/vDwtiiA0YAR/SUIhsmn==",
	};
	struct signature_key key;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct error err = ERROR_INIT;

		assert_false(signature_key_parse(&key, texts[i], "--public-key",
						 &err));
		assert_int_equal(err.kind, ERROR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_minisign_signed_is_accepted),
		cmocka_unit_test(one_changed_byte_anywhere_is_refused),
		cmocka_unit_test(another_key_is_named_as_the_reason),
		cmocka_unit_test(what_is_no_signature_is_refused),
		cmocka_unit_test(what_is_no_key_is_refused),
	};

	return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
