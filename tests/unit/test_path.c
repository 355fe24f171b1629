/* Which names may become files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include "buf.h"
#include "memory.h"
#include "path.h"

static void honest_paths_are_accepted(void **state)
{
	static const char *const paths[] = {
		"a",
		"a/b/c.so",
		".hidden",
		"..a",
		"a..b",
		"...x",
		"libfoo-1.2_3+x@y.so",
		"with space/and 'quotes' $ & (x)",
		"ExecutorchLib.xcframework/ios-arm64/Info.plist",
		"\xC3\xA9t\xC3\xA9/\xE6\x97\xA5\xE6\x9C\xAC.h",
		"console.h",
		"com.apple/com10/comet",
		"nulls",
		"COM",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (path_refused(paths[i]))
			fail_msg("%s: %s", paths[i], path_refused(paths[i]));
	}
}

static void paths_that_leave_or_deceive_are_refused(void **state)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
		{"", "is empty"},
		{"/", "absolute"},
		{"/etc/passwd", "absolute"},
		{"//", "absolute"},
		{".", "\".\""},
		{"./a", "\".\""},
		{"a/.", "\".\""},
		{"..", ".."},
		{"../a", ".."},
		{"a/../b", ".."},
		{"a/..", ".."},
		{"a//b", "empty component"},
		{"a/", "empty component"},
		{"C:\\x", "colon"},
		{"C:x", "colon"},
		{"a:stream", "colon"},
		{"\\\\srv\\x", "backslash"},
		{"a\\b", "backslash"},
		{"..\\a", "backslash"},
		{"a\nb", "control"},
		{"a\x1B[31m", "control"},
		{"a\x7F", "control"},
		{"a\xC2\x85", "control"},
		{"a\xFF", "UTF-8"},
		{"a\xC0\xAE\xC0\xAE", "UTF-8"},
		{"a\xED\xA0\x80", "UTF-8"},
		{"a\xE2\x80\xAE"
		 "b",
		 "direction"},
		{"a\xE2\x81\xA6"
		 "b",
		 "direction"},
		{"a\xE2\x80\x8F"
		 "b",
		 "direction"},
		{"a?", "Windows"},
		{"a*", "Windows"},
		{"<a>", "Windows"},
		{"a\"b", "Windows"},
		{"a|b", "Windows"},
		{"a.", "ends in a dot"},
		{"a /b", "ends in a dot or a space"},
		{"...", "ends in a dot"},
		{" ", "ends in a dot or a space"},
		{"CON", "reserved"},
		{"con", "reserved"},
		{"a/nul.txt", "reserved"},
		{"Aux.tar.gz", "reserved"},
		{"prn .h", "reserved"},
		{"COM1", "reserved"},
		{"lpt9.x", "reserved"},
		{"COM0", "reserved"},
		{"com\xC2\xB9", "reserved"},
		{"CONIN$", "reserved"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *why = path_refused(cases[i].path);

		if (!why)
			fail_msg("accepted: %s", cases[i].path);
		if (!strstr(why, cases[i].why))
			fail_msg("%s: %s", cases[i].path, why);
	}
}

static void a_name_is_one_component(void **state)
{
	(void)state;
	assert_null(path_name_refused("core-ios.tar.gz"));
	assert_non_null(path_name_refused(""));
	assert_non_null(path_name_refused("a/b"));
	assert_non_null(path_name_refused(".."));
	assert_non_null(path_name_refused("nul"));
}

/* `count` components of `length` letters. */
static char *long_path(size_t count, size_t length)
{
	struct buf path = BUF_INIT;

	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_byte(&path, '/');
		memset(buf_reserve(&path, length), 'x', length);
		path.length += length;
		path.data[path.length] = '\0';
	}
	return buf_detach(&path);
}

static void lengths_are_limited(void **state)
{
	static const struct {
		size_t count, length;
		bool fine;
	} cases[] = {
		{1, 255, true}, {1, 256, false}, {64, 1, true},
		{65, 1, false}, {4, 255, true},  {5, 205, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path CLEANUP(memory_release) =
			long_path(cases[i].count, cases[i].length);

		assert_int_equal(!path_refused(path), cases[i].fine);
	}
}

static void a_link_that_stays_inside_is_accepted(void **state)
{
	static const struct {
		const char *path, *target;
	} cases[] = {
		{"F.framework/Versions/Current", "A"},
		{"F.framework/Headers", "Versions/Current/Headers"},
		{"a/b/c", "../d"},
		{"a/b/c", "../../d"},
		{"a/b", "../ab"},
		{"a", "b"},
		{"ab", "a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *why =
			path_link_refused(cases[i].path, cases[i].target);

		if (why)
			fail_msg("%s -> %s: %s", cases[i].path, cases[i].target,
				 why);
	}
}

static void a_link_that_leaves_the_folder_is_refused(void **state)
{
	static const struct {
		const char *path, *target, *why;
	} cases[] = {
		{"a", "", "nowhere"},
		{"a", "/etc/passwd", "absolute"},
		{"a", "../b", "out of"},
		{"a/b", "../../c", "out of"},
		{"a/b", "../../a/c", "out of"},
		{"a/b", "c/../../../d", ".."},
		{"a/b", "c/../d", ".."},
		{"a/b", "./c", "\".\""},
		{"a/b", "c/", "empty component"},
		{"a/b", "..//c", "absolute"},
		{"a/b", "C:\\x", "colon"},
		{"a/b", "..\\..\\x", "backslash"},
		{"a/b", "c\nd", "control"},
		{"a", "..", "out of"},
		{"a/b", "..", "itself"},
		{"a/b/c", "../", "itself"},
		{"a", "a", "itself"},
		{"a/b/c", "../../a", "itself"},
		{"a/b/c", "../b", "itself"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *why =
			path_link_refused(cases[i].path, cases[i].target);

		if (!why)
			fail_msg("accepted: %s -> %s", cases[i].path,
				 cases[i].target);
		if (!strstr(why, cases[i].why))
			fail_msg("%s -> %s: %s", cases[i].path, cases[i].target,
				 why);
	}
}

static void names_collide_by_case_and_normal_form(void **state)
{
	static const struct {
		const char *a, *b;
		bool collide;
	} cases[] = {
		{"Include/A.h", "include/a.H", true},
		{"\xC3\xA9", "e\xCC\x81", true},
		{"\xC3\x89", "e\xCC\x81", true},
		{"stra\xC3\x9F"
		 "e",
		 "STRASSE", true},
		{"\xCE\xA3", "\xCF\x82", true},
		{".git", ".g\xE2\x80\x8Cit", true},
		/* U+0345 folds to a letter: marks go into order before. */
		{"\xCE\xB1\xCD\x85\xCC\x93", "\xE1\xBE\x80", true},
		{"a", "b", false},
		{"a/b", "ab", false},
		{"\xEF\xAC\x81", "fj", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *a CLEANUP(memory_release) =
			path_collision_key(cases[i].a);
		char *b CLEANUP(memory_release) =
			path_collision_key(cases[i].b);

		assert_int_equal(!strcmp(a, b), cases[i].collide);
	}
}

static void parent_and_join_are_inverse(void **state)
{
	static const struct {
		const char *folder, *name, *path;
	} cases[] = {
		{"", "a", "a"},
		{"a", "b", "a/b"},
		{"a/b", "c", "a/b/c"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path CLEANUP(memory_release) =
			path_join(cases[i].folder, cases[i].name);
		char *folder CLEANUP(memory_release) = path_parent(path);

		assert_string_equal(path, cases[i].path);
		assert_string_equal(folder, cases[i].folder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_paths_are_accepted),
		cmocka_unit_test(paths_that_leave_or_deceive_are_refused),
		cmocka_unit_test(a_name_is_one_component),
		cmocka_unit_test(lengths_are_limited),
		cmocka_unit_test(a_link_that_stays_inside_is_accepted),
		cmocka_unit_test(a_link_that_leaves_the_folder_is_refused),
		cmocka_unit_test(names_collide_by_case_and_normal_form),
		cmocka_unit_test(parent_and_join_are_inverse),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
