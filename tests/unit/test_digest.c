/* SHA-256 by its published examples, and what is not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "digest.h"
#include "folder.h"

static void the_published_examples_come_out(void **state)
{
	/* FIPS 180-4 examples: "abc", and nothing. */
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff"
			"61f20015ad"},
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7"
		     "852b855"},
	};
	char hex[DIGEST_HEX_SIZE];
	struct digest digest;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		digest_bytes(&digest, cases[i].text, strlen(cases[i].text));
		digest_to_hex(&digest, hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void only_64_digits_are_a_digest(void **state)
{
	static const char *const texts[] = {
		"",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015"
		"a",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015"
		"adx",
		"ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015"
		"ad",
		" a7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015"
		"ad",
		"da39a3ee5e6b4b0d3255bfef95601890afd80709",
	};
	struct digest digest;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(digest_from_hex(&digest, texts[i]));
	assert_true(digest_from_hex(&digest,
				    "BA7816BF8F01CFEA414140DE5DAE2223B0036"
				    "1A396177A9CB410FF61F20015AD"));
}

static void a_file_in_pieces_hashes_like_its_bytes(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	struct error err = ERROR_INIT;
	struct digest whole, pieces, file;
	struct hasher *hasher = hasher_start();
	int root CLEANUP(fs_close) = -1;
	int fd CLEANUP(fs_close) = -1;
	uint64_t size;

	(void)state;
	folder_write(folder, "file", "one two three");
	assert_true(fs_open_folder(folder, &root, &err));
	fd = fs_open_at(root, "file", O_RDONLY, 0);
	assert_true(digest_file(fd, &file, &size, &err));
	digest_bytes(&whole, "one two three", 13);
	hasher_add(hasher, "one ", 4);
	hasher_add(hasher, "two three", 9);
	hasher_finish(hasher, &pieces);
	assert_true(digest_equal(&whole, &pieces));
	assert_true(digest_equal(&whole, &file));
	assert_int_equal(size, 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_examples_come_out),
		cmocka_unit_test(only_64_digits_are_a_digest),
		cmocka_unit_test(a_file_in_pieces_hashes_like_its_bytes),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
