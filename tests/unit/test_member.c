#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "member.h"
#include "memory.h"

static void names_become_paths(void **state)
{
	static const struct {
		enum member_kind kind;
		const char *name;
		const char *path; /* NULL: refused */
	} cases[] = {
		{MEMBER_FILE, "a", "a"},
		{MEMBER_FILE, "./a/b", "a/b"},
		{MEMBER_FOLDER, "a/", "a"},
		{MEMBER_FOLDER, "./a/b/", "a/b"},
		{MEMBER_FOLDER, "./", ""},
		{MEMBER_FOLDER, ".", ""},
		{MEMBER_FILE, ".", NULL},
		{MEMBER_FILE, "./", NULL},
		{MEMBER_FILE, "", NULL},
		{MEMBER_FILE, "a/", NULL},
		{MEMBER_FOLDER, "a//", NULL},
		{MEMBER_FOLDER, "/", NULL},
		{MEMBER_FOLDER, ".//", NULL},
		{MEMBER_FILE, "././a", NULL},
		{MEMBER_FILE, "./../a", NULL},
		{MEMBER_FILE, "..", NULL},
		{MEMBER_HARD_LINK, "h/", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct member member = {.kind = cases[i].kind,
					.name = (char *)cases[i].name};
		char *path CLEANUP(memory_release) = NULL;
		struct error err = ERROR_INIT;
		bool fine = member_path(&member, &path, &err);

		if (fine != (cases[i].path != NULL))
			fail_msg("%s: %s", cases[i].name, err.text);
		if (fine)
			assert_string_equal(path, cases[i].path);
		else
			assert_int_equal(err.kind, ERROR_ARCHIVE);
	}
}

static void reserved_names_are_refused_in_any_spelling(void **state)
{
	static const char *const refused[] = {
		".git",
		"a/.git/b",
		".GIT/config",
		".gi\xe2\x80\x8ct/x", /* with a joiner that HFS+ ignores */
		"node_modules/x",
		"a/Node_Modules",
		".rne-libs/receipt.json",
		".RNE-LIBS",
		".rne-tmp-00",
		"rne-build-config.json",
		"a/RNE-build-config.json",
	};
	static const char *const fine[] = {
		".github/x",
		".gitignore",
		"git/x",
		"my_node_modules/x",
		"rne-build-config.json.md",
		"a.rne-libs",
		"rne-libs/x",
	};
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct member member = {.name = (char *)refused[i]};
		char *path CLEANUP(memory_release) = NULL;

		if (member_path(&member, &path, &err))
			fail_msg("accepted: %s", refused[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++) {
		struct member member = {.name = (char *)fine[i]};
		char *path CLEANUP(memory_release) = NULL;

		if (!member_path(&member, &path, &err))
			fail_msg("%s", err.text);
	}
}

static void a_link_is_looked_at_too(void **state)
{
	struct member member = {.kind = MEMBER_LINK,
				.name = (char *)"./a/l",
				.link = (char *)"../../x"};
	char *path CLEANUP(memory_release) = NULL;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(member_path(&member, &path, &err));
	assert_string_equal(err.text, "the entry \"./a/l\" is a link to "
				      "\"../../x\", which points out of its "
				      "folder");
	member.link = (char *)"../x";
	assert_true(member_path(&member, &path, &err));
	assert_string_equal(path, "a/l");
}

static void a_long_name_is_shown_in_part(void **state)
{
	struct error err = ERROR_INIT;
	char name[5001];

	(void)state;
	memset(name, 'n', 5000);
	name[5000] = '\0';
	assert_false(member_refused(name, &err, "is %s", "bad"));
	assert_true(strlen(err.text) < 400);
	assert_non_null(strstr(err.text, "nnn...\" is bad"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_paths),
		cmocka_unit_test(reserved_names_are_refused_in_any_spelling),
		cmocka_unit_test(a_link_is_looked_at_too),
		cmocka_unit_test(a_long_name_is_shown_in_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
