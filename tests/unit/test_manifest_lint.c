/* What is wrong with a manifest that can be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "manifest_lint.h"
#include "manifest_text.h"

static void lint(const char *text, struct manifest_lint *found)
{
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct error err = ERROR_INIT;

	if (!manifest_parse(&manifest, "m.json", text, strlen(text), &err))
		fail_msg("%s", err.text);
	manifest_lint(manifest, found);
}

static void show(const char *text, const struct list *list)
{
	char *all CLEANUP(memory_release) = list_join(list, "\n");

	fail_msg("%s:\n%s", text, all);
}

/* Nothing to find: every target has a core, every extra is brought. */
#define ARCHIVE(name)                                                  \
	"\"archives\":[{\"file\":\"" name ".zip\",\"format\":\"zip\"," \
	"\"size\":1,\"sha256\":\"" MANIFEST_HEX "\"}]"
#define FILES(paths) "\"files\":[" paths "],"
#define PATH(path, size)                                                      \
	"{\"path\":\"" path "\",\"size\":" size ",\"sha256\":\"" MANIFEST_HEX \
	"\"}"

static const char clean[] =
	"{\"schema\":1,\"product\":\"p\",\"version\":\"1\","
	"\"vocabulary\":\"extras\",\"baseUrls\":[\"https://h\"],"
	"\"targets\":{\"ios\":{\"platform\":\"ios\",\"destination\":\"ios\","
	"\"hosts\":[\"macos\",\"linux\",\"windows\"]},"
	"\"arm\":{\"platform\":\"android\",\"destination\":\"libs\"},"
	"\"x86\":{\"platform\":\"android\",\"destination\":\"libs\"}},"
	"\"extras\":{\"cv\":{\"flag\":\"RNE_ENABLE_CV\",\"key\":\"enableCv\","
	"\"list\":\"extras\",\"platforms\":[\"ios\",\"android\"],"
	"\"provided\":{\"ios\":\"a pod\"}}},"
	"\"artifacts\":["
	"{\"name\":\"headers\"," FILES(PATH("include/h.h", "1")) ARCHIVE(
		"headers") "},"
			   "{\"name\":\"core-ios\",\"target\":\"ios\"," FILES(PATH("a", "1")) ARCHIVE(
				   "core-ios") "},"
					       "{\"name\":\"core-arm\","
					       "\"target\":\"arm\"," FILES(PATH("arm/a.so", "1") "," PATH("common.txt", "7")) ARCHIVE(
						       "core-arm") "},"
								   "{\"name\":"
								   "\"core-"
								   "x86\","
								   "\"target\":"
								   "\"x86\""
								   "," FILES(PATH(
									   "x86"
									   "/a."
									   "so",
									   "1") "," PATH("common.txt",
											 "7"))
									   ARCHIVE("cor"
										   "e-"
										   "x8"
										   "6") "},"
											"{\"name\":\"cv-arm\",\"target\":\"arm\",\"extra\":\"cv\"," FILES(
												PATH("arm/cv.so",
												     "1"))
												ARCHIVE("cv-arm") "},"
														  "{\"name\":\"cv-x86\",\"target\":\"x86\",\"extra\":\"cv\"," FILES(
															  PATH("x86/cv.so",
															       "1"))
															  ARCHIVE("cv-x86") "}]}";

static void a_sound_manifest_gives_no_finding(void **state)
{
	struct manifest_lint found CLEANUP(manifest_lint_release) =
		MANIFEST_LINT_INIT;

	(void)state;
	lint(clean, &found);
	if (found.problems.count)
		show("problems", &found.problems);
	if (found.notes.count)
		show("notes", &found.notes);
}

static const struct {
	const char *from, *to, *finding;
} problems[] = {
	{"\"target\":\"ios\"", "\"target\":\"arm\"",
	 "target ios: no artifact without an extra"},
	{",\"provided\":{\"ios\":\"a pod\"}", "",
	 "extra cv: no artifact for ios, and nothing under \"provided\" for "
	 "ios"},
	{"\"target\":\"x86\",\"extra\":\"cv\"", "\"target\":\"x86\"",
	 "extra cv: no artifact for x86"},
	{"\"target\":\"arm\",\"extra\":\"cv\"",
	 "\"target\":\"ios\",\"extra\":"
	 "\"cv\"",
	 "extra cv: no artifact for arm"},
	{"[\"ios\",\"android\"],\"provided\":{\"ios\":\"a pod\"}", "[\"ios\"]",
	 "artifact cv-arm: the extra cv means nothing on android"},
	{"headers.zip", "headers.tar.gz",
	 "artifact headers: the archive headers.tar.gz does not end in .zip"},
	{"headers.zip", "headers", "does not end in .zip"},
	{"arm/cv.so\",\"size\":1", "arm/a.so\",\"size\":2",
	 "libs/arm/a.so: core-arm and cv-arm own it with different content"},
	{"x86/cv.so\",\"size\":1", "common.txt\",\"size\":8",
	 "libs/common.txt: "},
	{"x86/cv.so", "common.txt/cv.so", "libs/common.txt: "},
	{"arm/cv.so", "arm/A.SO",
	 "libs/arm/A.SO (cv-arm) and libs/arm/a.so "
	 "(core-arm) are one name"},
	{"arm/cv.so", "ARM/cv.so",
	 "libs/ARM (cv-arm) and libs/arm (core-arm) "
	 "are one name"},
	{"include/h.h", "ios/a/h.h", "ios/a: "},
	{"include/h.h", "libs/arm", "libs/arm: "},
	{"include/h.h", ".git/config",
	 "artifact headers: the entry "
	 "\".git/config\" has a name that"},
	{"include/h.h", ".rne-libs/receipt.json", "artifact headers: "},
	{"include/h.h", "x/Node_Modules/y", "artifact headers: "},
};

static void what_would_go_wrong_later_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(problems); i++) {
		char *text CLEANUP(memory_release) =
			replaced(clean, problems[i].from, problems[i].to);
		struct manifest_lint found CLEANUP(manifest_lint_release) =
			MANIFEST_LINT_INIT;
		char *all CLEANUP(memory_release) = NULL;

		assert_non_null(text);
		lint(text, &found);
		all = list_join(&found.problems, "\n");
		if (!strstr(all, problems[i].finding))
			show(problems[i].to, &found.problems);
	}
}

static void what_is_not_known_is_noted(void **state)
{
	static const struct {
		const char *from, *to, *finding;
	} cases[] = {
		{",\"size\":1,\"sha256\":\"" MANIFEST_HEX "\"}]}", "}]}",
		 "not pinned: headers.zip"},
		{FILES(PATH("include/h.h", "1")), "",
		 "no file list, so paths cannot be compared: headers"},
		{"[\"https://h\"]", "[]", "no base URL"},
		{"https://h", "file:///h", "is of one machine"},
		{",\"windows\"]", "]", "no target is a default on windows"},
		{"RNE_ENABLE_CV", "CV", "does not begin with RNE_ENABLE_"},
		{"\"provided\":{", "\"provided\":{\"android\":\"it\",",
		 "extra cv: an artifact for arm, and provided there by it"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text CLEANUP(memory_release) =
			replaced(clean, cases[i].from, cases[i].to);
		struct manifest_lint found CLEANUP(manifest_lint_release) =
			MANIFEST_LINT_INIT;
		char *all CLEANUP(memory_release) = NULL;

		assert_non_null(text);
		lint(text, &found);
		if (found.problems.count)
			show(cases[i].to, &found.problems);
		all = list_join(&found.notes, "\n");
		if (!strstr(all, cases[i].finding))
			show(cases[i].to, &found.notes);
	}
}

static void plain_http_is_a_problem_only_where_nothing_is_pinned(void **state)
{
	char *http CLEANUP(memory_release) =
		replaced(clean, "https://h", "http://h");
	char *unpinned CLEANUP(memory_release) = replaced(
		http, ",\"size\":1,\"sha256\":\"" MANIFEST_HEX "\"}]}", "}]}");
	struct manifest_lint fine CLEANUP(manifest_lint_release) =
		MANIFEST_LINT_INIT;
	struct manifest_lint found CLEANUP(manifest_lint_release) =
		MANIFEST_LINT_INIT;

	(void)state;
	lint(http, &fine);
	assert_int_equal(fine.problems.count, 0);
	lint(unpinned, &found);
	assert_int_equal(found.problems.count, 1);
	assert_non_null(strstr(found.problems.items[0], "plain http"));
}

static void many_findings_of_one_kind_are_counted(void **state)
{
	struct buf a CLEANUP(buf_release) = BUF_INIT;
	struct buf b CLEANUP(buf_release) = BUF_INIT;
	char *text CLEANUP(memory_release) = NULL;
	char *both CLEANUP(memory_release) = NULL;
	struct manifest_lint found CLEANUP(manifest_lint_release) =
		MANIFEST_LINT_INIT;

	(void)state;
	for (int i = 0; i < 100; i++) {
		buf_printf(&a, "," PATH("arm/%d", "1"), i);
		buf_printf(&b, "," PATH("arm/%d", "2"), i);
	}
	buf_printf(&a, "," PATH("arm/%s", "1"), "a.so");
	buf_printf(&b, "," PATH("arm/%s", "1"), "cv.so");
	text = replaced(clean, PATH("arm/a.so", "1"), a.data + 1);
	both = replaced(text, PATH("arm/cv.so", "1"), b.data + 1);
	lint(both, &found);
	assert_int_equal(found.problems.count, MANIFEST_LINT_SHOWN + 1);
	assert_string_equal(found.problems.items[MANIFEST_LINT_SHOWN],
			    "and 80 more of this kind");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_manifest_gives_no_finding),
		cmocka_unit_test(what_would_go_wrong_later_is_found),
		cmocka_unit_test(what_is_not_known_is_noted),
		cmocka_unit_test(
			plain_http_is_a_problem_only_where_nothing_is_pinned),
		cmocka_unit_test(many_findings_of_one_kind_are_counted),
	};

	return cmocka_run_group_tests_name("manifest_lint", tests, NULL, NULL);
}
