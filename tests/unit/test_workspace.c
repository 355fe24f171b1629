#include "workspace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "folder.h"
#include "workspace_pattern.h"

static void patterns_match_names_and_folders(void **state)
{
	static const struct {
		const char *pattern;
		const char *path;
		bool expected;
	} cases[] = {
		{"apps/mobile", "apps/mobile", true},
		{"apps/*", "apps/mobile", true},
		{"apps/*", "apps", false},
		{"apps/*", "apps/mobile/src", false},
		{"apps/*", "apps/.hidden", false},
		{"apps/.*", "apps/.hidden", true},
		{"*", "mobile", true},
		{"*", "a/b", false},
		{"m?bile", "mobile", true},
		{"m?bile",
		 "m\xc3\xb6"
		 "bile",
		 true},
		{"m?bile", "mbile", false},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false},
		{"**", "a/b/c", true},
		{"**", "", true},
		{"packages/**", "packages", true},
		{"packages/**", "packages/a/b", true},
		{"packages/**", "other/a", false},
		{"**/test/**", "packages/a/test/b", true},
		{"**/test/**", "test", true},
		{"**/test/**", "packages/a/testing", false},
		{"a/**/b/**/c", "a/b/c", true},
		{"a/**/b/**/c", "a/x/b/y/z/c", true},
		{"a/**/b/**/c", "a/x/y/z/c", false},
		{"**/a", ".git/a", false},
		{"../shared/*", "../shared/ui", true},
		{"", "a", false},
		{"", "", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (workspace_match(cases[i].pattern, cases[i].path) !=
		    cases[i].expected)
			fail_msg("%s against %s", cases[i].pattern,
				 cases[i].path);
	}
}

static void many_stars_cost_no_more_than_few(void **state)
{
	char pattern[1001], path[1001];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(pattern); i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[999] = 'b';
	pattern[1000] = '\0';
	memset(path, 'a', 1000);
	path[1000] = '\0';
	assert_false(workspace_match(pattern, path));
}

static void patterns_are_written_out(void **state)
{
	static const struct {
		const char *pattern;
		const char *expected; /* NULL: refused */
	} cases[] = {
		{"packages/*", "packages/*"},
		{"./packages//a/", "packages/a"},
		{".", ""},
		{"/packages/*", "packages/*"},
		{"**/**/a", "**/a"},
		{"{apps,packages}/*", "apps/* packages/*"},
		{"a{b,c{d,e}}f", "abf acdf acef"},
		{"a{b}c", "a{b}c"},
		{"a{b", "a{b"},
		{"a}b{c,d}", "a}bc a}bd"},
		{"a{,-b}", "a a-b"},
		{"{a,b}/{c,d}", "a/c a/d b/c b/d"},
		{"a[bc]", NULL},
		{"@(a|b)", NULL},
		{"pkg/!(a)", NULL},
		{"group (old)/*", "group (old)/*"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct list out CLEANUP(list_release) = LIST_INIT;
		char *text CLEANUP(memory_release) = NULL;
		struct error err = ERROR_INIT;

		if (!cases[i].expected) {
			assert_false(
				workspace_expand(cases[i].pattern, &out, &err));
			assert_int_equal(err.kind, ERROR_CONFIG);
			assert_non_null(strstr(err.text, cases[i].pattern));
			continue;
		}
		assert_true(workspace_expand(cases[i].pattern, &out, &err));
		text = list_join(&out, " ");
		assert_string_equal(text, cases[i].expected);
	}
}

static void braces_that_explode_are_refused(void **state)
{
	char pattern[512] = "";
	struct list out CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		memcpy(pattern + i * 5, "{a,b}", 6);
	assert_false(workspace_expand(pattern, &out, &err));
	assert_int_equal(err.kind, ERROR_CONFIG);
}

static char *folder;

static int make_repository(void **state)
{
	static const char *const packages[] = {
		"",
		"apps/mobile/",
		"apps/web/",
		"apps/.hidden/",
		"apps/mobile/node_modules/react/",
		"apps/mobile/ios/Pods/deep/",
		"packages/ui/",
		"packages/ui/test/fixture/",
		"packages/group/one/",
		"packages/group/two/",
		".git/inner/",
		"one/2/3/4/5/6/7/8/9/",
	};

	(void)state;
	folder = folder_make();
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++) {
		char *name CLEANUP(memory_release) =
			memory_printf("%spackage.json", packages[i]);

		folder_write(folder, name, "{}");
	}
	folder_write(folder, "apps/README.md", "");
	folder_add(folder, "apps/empty");
	folder_add(folder, "linked");
	folder_link(folder, "linked/mobile", "../apps/mobile");
	folder_link(folder, "packages/ui/up", "..");
	return 0;
}

static int remove_repository(void **state)
{
	(void)state;
	folder_remove(&folder);
	return 0;
}

static char *folders_of(const char *patterns, struct error *err)
{
	struct list list CLEANUP(list_release) = LIST_INIT;
	struct list found CLEANUP(list_release) = LIST_INIT;
	struct list below CLEANUP(list_release) = LIST_INIT;
	size_t root = strlen(folder);

	list_split(&list, patterns, " ");
	if (!workspace_folders(folder, &list, &found, err))
		return NULL;
	for (size_t i = 0; i < found.count; i++) {
		assert_memory_equal(found.items[i], folder, root);
		list_add(&below, found.items[i][root]
					 ? found.items[i] + root + 1
					 : ".");
	}
	return list_join(&below, " ");
}

static void folders_with_a_package_json_are_found(void **state)
{
	static const struct {
		const char *patterns;
		const char *expected;
	} cases[] = {
		{"apps/*", "apps/mobile apps/web"},
		{"apps/mobile", "apps/mobile"},
		{"apps/nowhere apps/empty apps/README.md", ""},
		{"apps/README.md/*", ""},
		{"*", ""},
		{".", "."},
		{"**", ". apps/mobile apps/mobile/ios/Pods/deep apps/web "
		       "packages/group/one packages/group/two packages/ui "
		       "packages/ui/test/fixture"},
		{"packages/** !**/test/**",
		 "packages/group/one packages/group/two packages/ui"},
		{"!packages/ui packages/*", ""},
		{"apps/* !apps/web", "apps/mobile"},
		{"apps/* apps/mobile ./apps/mobile/", "apps/mobile apps/web"},
		{"{apps,packages}/*", "apps/mobile apps/web packages/ui"},
		{"apps/.*", "apps/.hidden"},
		{"apps/mobile/node_modules/*", ""},
		{"linked/*", "linked/mobile"},
		{"one/*/*/*/*/*/*/*/*", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		char *found CLEANUP(memory_release) =
			folders_of(cases[i].patterns, &err);

		if (!found)
			fail_msg("%s: %s", cases[i].patterns, err.text);
		assert_string_equal(found, cases[i].expected);
	}
}

static void a_folder_beside_the_root_may_be_named(void **state)
{
	struct error err = ERROR_INIT;
	char *packages CLEANUP(memory_release) =
		folder_path(folder, "packages");
	struct list list CLEANUP(list_release) = LIST_INIT;
	struct list found CLEANUP(list_release) = LIST_INIT;

	(void)state;
	list_add(&list, "../apps/*");
	assert_true(workspace_folders(packages, &list, &found, &err));
	assert_int_equal(found.count, 2);
	assert_non_null(strstr(found.items[0], "packages/../apps/mobile"));
}

static char *pnpm_patterns(const char *yaml, struct error *err)
{
	struct list patterns CLEANUP(list_release) = LIST_INIT;
	bool found = false;

	folder_write(folder, "pnpm-workspace.yaml", yaml);
	if (!workspace_pnpm_patterns(folder, &patterns, &found, err))
		return NULL;
	assert_true(found);
	return list_join(&patterns, " ");
}

static void the_packages_of_pnpm_are_read(void **state)
{
	static const struct {
		const char *yaml;
		const char *expected;
	} cases[] = {
		{"packages:\n  - 'apps/*'\n  - \"packages/**\"\n  - "
		 "'!**/test/**'\n",
		 "apps/* packages/** !**/test/**"},
		{"packages: [apps/*, libs/a]\r\n", "apps/* libs/a"},
		{"\xef\xbb\xbfpackages:\n- apps/mobile # the app\n",
		 "apps/mobile"},
		{"catalog:\n  packages:\n    - no\nonlyBuiltDependencies:\n  - "
		 "esbuild\npackages:\n  - 'a'\noverrides: {x: {y: [1, {z: "
		 "2}]}}\n",
		 "a"},
		{"packages:\n", ""},
		{"packages: ~\n", ""},
		{"nodeLinker: hoisted\n", ""},
		{"", ""},
		{"# nothing\n", ""},
		{"---\npackages: [a]\n---\npackages: [b]\n", "a"},
		{"anchor: &x [a]\npackages: [b]\n", "b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		char *text CLEANUP(memory_release) =
			pnpm_patterns(cases[i].yaml, &err);

		if (!text)
			fail_msg("%zu: %s", i, err.text);
		assert_string_equal(text, cases[i].expected);
	}
}

static void a_mistake_in_the_yaml_is_named_with_its_place(void **state)
{
	static const struct {
		const char *yaml;
		const char *place;
	} cases[] = {
		{"packages: 'apps/*'\n", ":1:11: "},
		{"packages:\n  a: b\n", ":2:3: "},
		{"packages:\n  - !apps/*\n", ":2:5: "},
		{"packages:\n  - [a]\n", ":2:5: "},
		{"packages:\n  - *all\n", ":2:5: "},
		{"packages: [a]\npackages: [b]\n", ":2:1: "},
		{"packages: [a\n", ":2:1: "},
		{"- a\n", ":1:1: "},
		{"packages:\n\t- a\n", ":2:1: "},
		{"packages: \xff\n", "byte 10"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		char *text CLEANUP(memory_release) =
			pnpm_patterns(cases[i].yaml, &err);

		if (text)
			fail_msg("%s was read as %s", cases[i].yaml, text);
		assert_int_equal(err.kind, ERROR_CONFIG);
		assert_non_null(strstr(err.text, "pnpm-workspace.yaml"));
		if (!strstr(err.text, cases[i].place))
			fail_msg("%s: %s", cases[i].yaml, err.text);
	}
}

static void yaml_as_deep_as_it_is_long_is_no_trouble(void **state)
{
	size_t length = WORKSPACE_YAML_BYTES_MAX - 100;
	char *yaml CLEANUP(memory_release) = memory_allocate(length + 1);
	struct error err = ERROR_INIT;
	char *text CLEANUP(memory_release) = NULL;

	(void)state;
	memset(yaml, '[', length);
	text = pnpm_patterns(yaml, &err);
	assert_null(text);
	assert_int_equal(err.kind, ERROR_CONFIG);
}

static void no_pnpm_workspace_yaml_is_no_error(void **state)
{
	char *apps CLEANUP(memory_release) = folder_path(folder, "apps");
	struct list patterns CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;
	bool found = true;

	(void)state;
	assert_true(workspace_pnpm_patterns(apps, &patterns, &found, &err));
	assert_false(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_names_and_folders),
		cmocka_unit_test(many_stars_cost_no_more_than_few),
		cmocka_unit_test(patterns_are_written_out),
		cmocka_unit_test(braces_that_explode_are_refused),
		cmocka_unit_test(folders_with_a_package_json_are_found),
		cmocka_unit_test(a_folder_beside_the_root_may_be_named),
		cmocka_unit_test(the_packages_of_pnpm_are_read),
		cmocka_unit_test(a_mistake_in_the_yaml_is_named_with_its_place),
		cmocka_unit_test(yaml_as_deep_as_it_is_long_is_no_trouble),
		cmocka_unit_test(no_pnpm_workspace_yaml_is_no_error),
	};

	return cmocka_run_group_tests(tests, make_repository,
				      remove_repository);
}
