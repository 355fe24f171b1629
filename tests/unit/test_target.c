/* From what a user names to targets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "manifest_text.h"
#include "target.h"

static bool resolve(const char *text, const char *names, bool no_x86_64,
		    const char *host, char **found, struct error *err)
{
	struct manifest *manifest CLEANUP(manifest_free) = NULL;
	struct list list CLEANUP(list_release) = LIST_INIT;
	struct list out CLEANUP(list_release) = LIST_INIT;

	assert_true(manifest_parse(&manifest, "m", text, strlen(text), err));
	list_split(&list, names, ",");
	if (!target_resolve(manifest, &list, "RNET_TARGET", no_x86_64, host,
			    &out, err))
		return false;
	*found = list_join(&out, ",");
	return true;
}

#define ARM "android-arm64-v8a"
#define X86 "android-x86_64"

static void names_lead_to_targets_in_the_manifests_order(void **state)
{
	static const struct {
		const char *names;
		bool no_x86_64;
		const char *host, *found;
	} cases[] = {
		{"ios", false, "linux", "ios"},
		{X86, false, "linux", X86},
		{X86 ",ios," X86, false, "linux", "ios," X86},
		{"android-arm64", false, "linux", ARM},
		{"android-x64", false, "linux", X86},
		{"android", false, "linux", ARM "," X86},
		{"all", false, "linux", "ios," ARM "," X86},
		{"android", true, "linux", ARM},
		{"all", true, "linux", "ios," ARM},
		{X86, true, "linux", X86},
		{"android-x64,android", true, "linux", ARM "," X86},
		{"", false, "linux", ARM "," X86},
		{"", true, "linux", ARM},
		{"", false, "macos", "ios," ARM "," X86},
		{"", true, "macos", "ios," ARM},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *found CLEANUP(memory_release) = NULL;
		struct error err = ERROR_INIT;

		if (!resolve(manifest_sample, cases[i].names,
			     cases[i].no_x86_64, cases[i].host, &found, &err))
			fail_msg("%s: %s", cases[i].names, err.text);
		assert_string_equal(found, cases[i].found);
	}
}

static void an_unknown_name_is_shown_with_the_nearest_and_all(void **state)
{
	char *found CLEANUP(memory_release) = NULL;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(resolve(manifest_sample, "ios,android-arm46", false,
			     "linux", &found, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_string_equal(
		err.text,
		"RNET_TARGET: \"android-arm46\" is no target of demo 1.2.3 "
		"(did you mean \"android-arm64\"?); there are: ios, " ARM
		", android-arm64, " X86 ", android-x64, android, all");
	assert_false(
		resolve(manifest_sample, "IOS", false, "linux", &found, &err));
}

static void no_target_at_all_is_an_error(void **state)
{
	char *found CLEANUP(memory_release) = NULL;
	char *only_x86 CLEANUP(memory_release) =
		replaced(manifest_sample, "\"arch\":\"arm64-v8a\"",
			 "\"arch\":\"x86_64\"");
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(
		resolve(manifest_sample, "", false, "windows", &found, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.text, "no target for windows by default"));
	assert_non_null(strstr(err.hint, "--target"));
	assert_false(resolve(only_x86, "android", true, "linux", &found, &err));
	assert_non_null(strstr(err.text, "RNET_NO_X86_64 leaves no target"));
}

static void the_host_is_one_of_three(void **state)
{
	struct list hosts CLEANUP(list_release) = LIST_INIT;

	(void)state;
	list_split(&hosts, "linux macos windows", " ");
	assert_true(list_has(&hosts, target_host()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_targets_in_the_manifests_order),
		cmocka_unit_test(
			an_unknown_name_is_shown_with_the_nearest_and_all),
		cmocka_unit_test(no_target_at_all_is_an_error),
		cmocka_unit_test(the_host_is_one_of_three),
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
