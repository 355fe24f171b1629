/* The digest beside an archive, in the forms that tools write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "sidecar.h"

#define HEX   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define UPPER "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
#define OTHER "0000000000000000000000000000000000000000000000000000000000000000"

static void every_common_form_is_read(void **state)
{
	static const char *const texts[] = {
		HEX,
		HEX "\n",
		UPPER "\r\n",
		"\n\n  " HEX "  \n\n",
		HEX "  core-ios.tar.gz\n",
		HEX " *core-ios.tar.gz\n",
		HEX "\tcore-ios.tar.gz",
		HEX "  /tmp/build/core-ios.tar.gz\n",
		HEX "  ./core-ios.tar.gz\r\n",
		HEX " *C:\\build\\core-ios.tar.gz\r\n",
		"SHA256 (core-ios.tar.gz) = " HEX "\n",
		"SHA256 (dist/core-ios.tar.gz) = " UPPER "\r\n",
		"SHA256(core-ios.tar.gz)= " HEX "\n",
		"SHA2-256(core-ios.tar.gz)= " HEX "\n",
		OTHER "  core-android.tar.gz\n" HEX "  core-ios.tar.gz\n",
		HEX "  core-ios.tar.gz\n" OTHER "  xcore-ios.tar.gz\n",
		"# made by hand\n" HEX "  core-ios.tar.gz\n",
		HEX "  core-ios.tar.gz\n" UPPER " *core-ios.tar.gz\n",
	};
	struct digest expected;

	(void)state;
	assert_true(digest_from_hex(&expected, HEX));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct digest digest;
		struct error err = ERROR_INIT;

		if (!sidecar_parse(&digest, texts[i], strlen(texts[i]),
				   "core-ios.tar.gz", &err))
			fail_msg("%s: %s", texts[i], err.text);
		assert_true(digest_equal(&digest, &expected));
	}
}

static void everything_else_is_refused_and_shown(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "found an empty file"},
		{"\r\n \n", "found an empty file"},
		{"<!DOCTYPE html>\n<p>Not Found", "found \"<!DOCTYPE html>\""},
		{"Not Found", "found \"Not Found\""},
		{"e3b0", "found \"e3b0\""},
		{HEX "0", "expected a sha256"},
		{HEX "0  core-ios.tar.gz", "expected a sha256"},
		{HEX "x", "expected a sha256"},
		{HEX "core-ios.tar.gz", "expected a sha256"},
		{HEX "  *", "expected a sha256"},
		{HEX "  dir/", "expected a sha256"},
		{"sha256:" HEX, "expected a sha256"},
		{"MD5 (core-ios.tar.gz) = " HEX, "expected a sha256"},
		{"SHA256 (core-ios.tar.gz) " HEX, "expected a sha256"},
		{"SHA256 (core-ios.tar.gz = " HEX, "expected a sha256"},
		{"SHA256 (core-ios.tar.gz) = " HEX " x", "expected a sha256"},
		{"SHA256 () = " HEX, "expected a sha256"},
		{HEX "  core-android.tar.gz", "found that of "
					      "core-android.tar.gz"},
		{HEX "  Core-iOS.tar.gz", "found that of Core-iOS.tar.gz"},
		{"SHA256 (x) = " HEX, "found that of x"},
		{HEX "  core-ios.tar.gz\n" OTHER "  core-ios.tar.gz",
		 "two different digests"},
		{HEX "\n" OTHER "\n", "two different digests"},
		{HEX "\n" HEX "  core-ios.tar.gz\n", "names no file"},
		{HEX "\n" OTHER "  x\n", "names no file"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct digest digest;
		struct error err = ERROR_INIT;

		if (sidecar_parse(&digest, cases[i].text, strlen(cases[i].text),
				  "core-ios.tar.gz", &err))
			fail_msg("accepted: %s", cases[i].text);
		assert_int_equal(err.kind, ERROR_INTEGRITY);
		assert_non_null(strstr(err.text, "core-ios.tar.gz.sha256: "));
		if (!strstr(err.text, cases[i].message))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void null_bytes_and_long_texts_are_refused(void **state)
{
	static char text[SIDECAR_BYTES_MAX + 1];
	struct digest digest;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(sidecar_parse(&digest, HEX "\0", 65, "a", &err));
	assert_non_null(strstr(err.text, "null byte"));
	memset(text, '\n', sizeof(text));
	memcpy(text, HEX, strlen(HEX));
	assert_true(sidecar_parse(&digest, text, sizeof(text) - 1, "a", &err));
	assert_false(sidecar_parse(&digest, text, sizeof(text), "a", &err));
}

static void text_without_an_end_is_not_read_beyond(void **state)
{
	char *text = memcpy(malloc(64), HEX, 64);
	struct digest digest;
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(sidecar_parse(&digest, text, 64, "a", &err));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_common_form_is_read),
		cmocka_unit_test(everything_else_is_refused_and_shown),
		cmocka_unit_test(null_bytes_and_long_texts_are_refused),
		cmocka_unit_test(text_without_an_end_is_not_read_beyond),
	};

	return cmocka_run_group_tests_name("sidecar", tests, NULL, NULL);
}
