#include "app.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "bundled.h"
#include "folder.h"

#define PRODUCT "react-native-executorch"
#define BLOCK   "{\"" PRODUCT "\": {\"extras\": [\"opencv\"]}}"
#define DEPENDS "{\"dependencies\": {\"" PRODUCT "\": \"^0.9.0\"}}"
#define PEER    "{\"peerDependencies\": {\"" PRODUCT "\": \"*\"}}"
#define ITSELF  "{\"name\": \"" PRODUCT "\", \"version\": \"0.9.0\"}"

static char *root;
static struct manifest *manifest_09, *manifest_010;

static int make_root(void **state)
{
	(void)state;
	root = folder_make();
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	folder_remove(&root);
	return 0;
}

/* What app_find answers: files below the root, by commas, or "!" and the
 * error. The caller frees it. */
static char *find(const struct app_search *asked, char **reason)
{
	struct app_search search = *asked;
	struct app app CLEANUP(app_release) = APP_INIT;
	struct list below CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;

	search.product = PRODUCT;
	if (!app_find(&app, &search, &err)) {
		assert_int_equal(err.kind, ERROR_CONFIG);
		return memory_printf("!%s", err.text);
	}
	for (size_t i = 0; i < app.files.count; i++) {
		assert_memory_equal(app.files.items[i], root, strlen(root));
		list_add(&below, app.files.items[i] + strlen(root) + 1);
	}
	assert_non_null(app.reason);
	if (reason)
		*reason = memory_string(app.reason);
	return list_join(&below, ",");
}

static char *in_root(const char *name)
{
	return name ? folder_path(root, name) : NULL;
}

/* Folders below the root; NULL: not known. */
static void expect_at(const char *init_cwd, const char *current,
		      const char *package, const char *expected,
		      const char *reason_part)
{
	char *init CLEANUP(memory_release) = in_root(init_cwd);
	char *here CLEANUP(memory_release) = in_root(current);
	char *path CLEANUP(memory_release) = in_root(package);
	char *reason CLEANUP(memory_release) = NULL;
	char *found CLEANUP(memory_release) = NULL;
	struct app_search search = {
		.init_cwd = init,
		.current = here,
		.package_path = path,
	};

	found = find(&search, &reason);
	assert_string_equal(found, expected);
	if (!strstr(reason, reason_part))
		fail_msg("\"%s\" is not in the reason \"%s\"", reason_part,
			 reason);
}

static void a_single_app_is_found_from_the_hook(void **state)
{
	(void)state;
	folder_write(root, "app/package.json", DEPENDS);
	folder_write(root, "app/node_modules/" PRODUCT "/package.json", ITSELF);
	expect_at("app", "app/node_modules/" PRODUCT,
		  "app/node_modules/" PRODUCT, "app/package.json",
		  "INIT_CWD, which depends on " PRODUCT);
	folder_write(root, "app/package.json", BLOCK);
	expect_at("app", "app/node_modules/" PRODUCT,
		  "app/node_modules/" PRODUCT, "app/package.json",
		  "INIT_CWD, which has the block");
	folder_add(root, "app/src/deep");
	expect_at("app/src/deep", NULL, NULL, "app/package.json",
		  "a folder above INIT_CWD, which has the block");
	expect_at(NULL, "app/src", NULL, "app/package.json",
		  "a folder above the current folder, which has the block");
	/* A build script that knows nothing but the package. */
	expect_at(NULL, NULL, "app/node_modules/" PRODUCT, "app/package.json",
		  "a folder above the package, which has the block");
}

static void every_kind_of_dependency_counts(void **state)
{
	static const char *const texts[] = {
		DEPENDS,
		PEER,
		"{\"devDependencies\": {\"" PRODUCT "\": \"1\"}}",
		"{\"optionalDependencies\": {\"" PRODUCT "\": \"1\"}}",
		"{\"dependencies\": {\"rne\": \"npm:" PRODUCT "@^0.9\"}}",
		"{\"dependencies\": {\"rne\": \"npm:" PRODUCT "\"}}",
		"\xef\xbb\xbf{\r\n\"dependencies\": {\"" PRODUCT "\": {}}}\r\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		folder_write(root, "app/package.json", texts[i]);
		expect_at("app", NULL, NULL, "app/package.json", "depends");
	}
}

static void what_only_looks_like_one_does_not(void **state)
{
	static const char *const texts[] = {
		"{}",
		ITSELF,
		"{\"name\": \"" PRODUCT "\", \"" PRODUCT "\": {}}",
		"{\"bundleDependencies\": [\"" PRODUCT "\"]}",
		"{\"dependencies\": [\"" PRODUCT "\"]}",
		"{\"dependencies\": null}",
		"{\"dependencies\": {\"" PRODUCT "-x\": \"1\"}}",
		"{\"dependencies\": {\"rne\": \"npm:" PRODUCT "-x@1\"}}",
		"{\"scripts\": {\"" PRODUCT "\": \"1\"}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		folder_write(root, "app/package.json", texts[i]);
		expect_at("app", "app", "app", "", "no package.json");
	}
}

static void
the_first_install_runs_before_the_dependency_is_written(void **state)
{
	(void)state;
	folder_write(root, "app/package.json", "{\"name\": \"my-app\"}");
	folder_write(root, "app/node_modules/" PRODUCT "/package.json", ITSELF);
	expect_at("app", "app/node_modules/" PRODUCT,
		  "app/node_modules/" PRODUCT, "app/package.json",
		  "INIT_CWD, where " PRODUCT " is installed");
	/* A root may hold what a workspace that is not listed asked for. */
	folder_write(root, "app/package.json", "{\"workspaces\": [\"x\"]}");
	expect_at("app", "app/node_modules/" PRODUCT,
		  "app/node_modules/" PRODUCT, "", "no package.json");
}

/* INIT_CWD is the root with pnpm and berry, the app's folder with npm. */
static void a_monorepo_gives_one_answer_from_everywhere(void **state)
{
	static const char *const packages[] = {
		"repo/node_modules/" PRODUCT,
		"repo/node_modules/.pnpm/" PRODUCT
		"@0.9.0_react@19/node_modules/" PRODUCT,
		"repo/.yarn/unplugged/" PRODUCT
		"-npm-0.9.0-1a2b/node_modules/" PRODUCT,
		"repo/node_modules/.bun/" PRODUCT
		"@0.9.0/node_modules/" PRODUCT,
		"repo/apps/mobile/node_modules/" PRODUCT,
	};

	(void)state;
	folder_write(root, "repo/package.json",
		     "{\"private\": true, \"workspaces\": [\"apps/*\", "
		     "\"packages/*\"]}");
	folder_write(root, "repo/apps/mobile/package.json", BLOCK);
	folder_write(root, "repo/apps/web/package.json", "{}");
	folder_write(root, "repo/packages/ui/package.json", PEER);
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++) {
		char *file CLEANUP(memory_release) =
			memory_printf("%s/package.json", packages[i]);

		folder_write(root, file, ITSELF);
		expect_at("repo", packages[i], packages[i],
			  "repo/apps/mobile/package.json", "");
		expect_at("repo/apps/mobile", packages[i], packages[i],
			  "repo/apps/mobile/package.json", "INIT_CWD");
		expect_at("repo/apps/web", packages[i], packages[i],
			  "repo/apps/mobile/package.json", "");
		expect_at(NULL, packages[i], packages[i],
			  "repo/apps/mobile/package.json", "");
	}
	expect_at("repo", NULL, packages[0], "repo/apps/mobile/package.json",
		  "1 workspace of ");
}

static void workspaces_of_pnpm_and_of_yarn_1_are_searched_too(void **state)
{
	(void)state;
	folder_write(root, "repo/package.json", "{}");
	folder_write(root, "repo/pnpm-workspace.yaml",
		     "packages:\n  - apps/*\n");
	folder_write(root, "repo/apps/mobile/package.json", DEPENDS);
	expect_at("repo", NULL, NULL, "repo/apps/mobile/package.json",
		  "1 workspace of");
	folder_write(root, "yarn/package.json",
		     "{\"workspaces\": {\"packages\": [\"apps/*\"], "
		     "\"nohoist\": [\"**\"]}}");
	folder_write(root, "yarn/apps/mobile/package.json", DEPENDS);
	expect_at("yarn", NULL, NULL, "yarn/apps/mobile/package.json",
		  "1 workspace of");
}

static void several_workspaces_are_united(void **state)
{
	(void)state;
	folder_write(root, "repo/package.json",
		     "{\"workspaces\": [\"apps/*\", \"packages/*\"]}");
	folder_write(root, "repo/apps/b/package.json", BLOCK);
	folder_write(root, "repo/apps/a/package.json", BLOCK);
	expect_at("repo", NULL, NULL,
		  "repo/apps/a/package.json,repo/apps/b/package.json",
		  "2 workspaces of");
	folder_write(root, "repo/apps/c/package.json", DEPENDS);
	folder_write(root, "repo/packages/ui/package.json", PEER);
	expect_at("repo", NULL, NULL,
		  "repo/apps/a/package.json,repo/apps/b/package.json,"
		  "repo/apps/c/package.json",
		  "left out: 1");
}

static void a_library_is_the_app_when_there_is_no_other(void **state)
{
	(void)state;
	folder_write(root, "repo/package.json",
		     "{\"workspaces\": [\"packages/*\"]}");
	folder_write(root, "repo/packages/ui/package.json", PEER);
	expect_at("repo", NULL, NULL, "repo/packages/ui/package.json",
		  "1 workspace");
}

static void a_block_says_more_than_a_dependency(void **state)
{
	(void)state;
	/* The root depends so that it is hoisted; the app has the list. */
	folder_write(
		root, "a/package.json",
		"{\"workspaces\": [\"apps/*\"], \"dependencies\": {\"" PRODUCT
		"\": \"1\"}}");
	folder_write(root, "a/apps/mobile/package.json", DEPENDS);
	expect_at("a", NULL, NULL, "a/package.json", "INIT_CWD");
	folder_write(root, "a/apps/mobile/package.json", BLOCK);
	expect_at("a", NULL, NULL, "a/apps/mobile/package.json",
		  "1 workspace of");
	/* The list is in the root, as upstream asks for when hoisted. */
	folder_write(root, "b/package.json",
		     "{\"workspaces\": [\"apps/*\"], \"" PRODUCT "\": {}}");
	folder_write(root, "b/apps/mobile/package.json", DEPENDS);
	expect_at("b/apps/mobile", NULL, NULL, "b/package.json",
		  "the nearest folder with the block above");
	/* Both: the nearer. */
	folder_write(root, "b/apps/mobile/package.json", BLOCK);
	expect_at("b/apps/mobile", NULL, NULL, "b/apps/mobile/package.json",
		  "INIT_CWD, which has the block");
	/* Beside is neither above nor below. */
	folder_write(root, "c/package.json", "{\"workspaces\": [\"apps/*\"]}");
	folder_write(root, "c/apps/one/package.json", DEPENDS);
	folder_write(root, "c/apps/two/package.json", BLOCK);
	expect_at("c/apps/one", NULL, NULL, "c/apps/one/package.json",
		  "INIT_CWD, which depends");
}

static void what_is_installed_is_never_the_app(void **state)
{
	(void)state;
	folder_write(root, "app/package.json", BLOCK);
	folder_write(root, "app/node_modules/wrapper/package.json", BLOCK);
	folder_write(root,
		     "app/node_modules/wrapper/node_modules/" PRODUCT
		     "/package.json",
		     ITSELF);
	expect_at(NULL, "app/node_modules/wrapper",
		  "app/node_modules/wrapper/node_modules/" PRODUCT,
		  "app/package.json", "");
	expect_at("app/node_modules/wrapper", NULL, NULL, "app/package.json",
		  "a folder above INIT_CWD");
}

static void the_package_in_its_own_repository_is_not_the_app(void **state)
{
	(void)state;
	folder_write(root, "repo/package.json",
		     "{\"workspaces\": [\"packages/*\", \"apps/*\"]}");
	folder_write(root, "repo/packages/" PRODUCT "/package.json", ITSELF);
	folder_write(root, "repo/apps/demo/package.json", DEPENDS);
	expect_at("repo", "repo/packages/" PRODUCT, "repo/packages/" PRODUCT,
		  "repo/apps/demo/package.json", "1 workspace");
	expect_at("repo/packages/" PRODUCT, "repo/packages/" PRODUCT,
		  "repo/packages/" PRODUCT, "repo/apps/demo/package.json",
		  "1 workspace");
}

static char *find_named(const char *name)
{
	char *named CLEANUP(memory_release) = in_root(name);
	char *init CLEANUP(memory_release) = in_root("other");
	struct app_search search = {
		.named = named,
		.named_by = "--app",
		.init_cwd = init,
	};

	return find(&search, NULL);
}

static void a_named_app_is_taken_as_it_is(void **state)
{
	static const struct {
		const char *name;
		const char *expected; /* "!..." : part of the error */
	} cases[] = {
		{"app", "app/package.json"},
		{"app/package.json", "app/package.json"},
		{"app/", "app/package.json"},
		{"linked", "app/package.json"},
		{"linked/package.json", "app/package.json"},
		{"plain", "plain/package.json"},
		{"nowhere", "!nowhere/package.json is not there"},
		{"nowhere/package.json", "!is not there"},
		{"empty", "!empty/package.json is not there"},
		{"app/other.json", "!is not there"},
		{"itself", "!of " PRODUCT " itself"},
		{"invalid", "!package.json:1:1: not valid JSON"},
	};

	(void)state;
	folder_write(root, "other/package.json", BLOCK);
	folder_write(root, "app/package.json", BLOCK);
	folder_write(root, "app/other.json", BLOCK);
	folder_write(root, "plain/package.json", "{}");
	folder_write(root, "itself/package.json", ITSELF);
	folder_write(root, "invalid/package.json", "");
	folder_add(root, "empty");
	folder_link(root, "linked", "app");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *found CLEANUP(memory_release) = find_named(cases[i].name);
		const char *expected = cases[i].expected;

		if (*expected != '!') {
			assert_string_equal(found, expected);
			continue;
		}
		assert_int_equal(*found, '!');
		assert_non_null(strstr(found, "--app: "));
		if (!strstr(found, expected + 1))
			fail_msg("%s: %s", cases[i].name, found);
	}
}

static void what_no_package_json_can_be_is_said_without_waiting(void **state)
{
	char *fifo CLEANUP(memory_release) = in_root("fifo/package.json");
	char *large CLEANUP(memory_release) = in_root("large/package.json");
	char *found CLEANUP(memory_release) = NULL;

	(void)state;
	folder_add(root, "fifo");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	found = find_named("fifo");
	assert_non_null(strstr(found, "must be a file"));
	free(found);
	folder_add(root, "folder/package.json");
	found = find_named("folder");
	assert_non_null(strstr(found, "must be a file, but is a folder"));
	free(found);
	folder_write(root, "large/package.json", "{}");
	assert_int_equal(truncate(large, (off_t)1 << 30), 0);
	found = find_named("large");
	assert_non_null(strstr(found, "larger than"));
	free(found);
	folder_write(root, "devices/x", "");
	folder_link(root, "devices/package.json", "/dev/zero");
	found = find_named("devices");
	assert_non_null(strstr(found, "must be a file"));
}

static void a_broken_package_json_counts_where_it_could_be_the_app(void **state)
{
	char *at_root CLEANUP(memory_release) = in_root("broken/app");
	char *package CLEANUP(memory_release) =
		in_root("broken/app/node_modules/" PRODUCT);
	struct app_search search = {.init_cwd = at_root};
	char *found CLEANUP(memory_release) = NULL;

	(void)state;
	folder_write(root, "broken/app/package.json", "{\"a\": }");
	found = find(&search, NULL);
	assert_non_null(strstr(found, "package.json:1:7: not valid JSON"));
	free(found);
	/* Further up, only when it speaks of the product. */
	search = (struct app_search){.package_path = package};
	found = find(&search, NULL);
	assert_string_equal(found, "");
	free(found);
	folder_write(root, "broken/app/package.json", "{\"" PRODUCT "\": }");
	found = find(&search, NULL);
	assert_non_null(strstr(found, ":1:29: not valid JSON"));
	free(found);
	folder_write(root, "broken/app/package.json",
		     "{\"" PRODUCT "\": {}, \"" PRODUCT "\": {}}");
	found = find(&search, NULL);
	assert_non_null(strstr(found, "is there twice"));
}

static void comments_twice_are_no_mistake(void **state)
{
	(void)state;
	folder_write(root, "app/package.json",
		     "{\"//\": 1, \"//\": 2, \"dependencies\": {\"a\": \"1\", "
		     "\"a\": \"2\", \"" PRODUCT "\": \"1\"}}");
	expect_at("app", NULL, NULL, "app/package.json", "depends");
}

/* The choice of one block as "+" and its extras, or the error's text. */
static char *choice_of(const char *text, const struct manifest *manifest,
		       struct app_choice *choice)
{
	struct app app CLEANUP(app_release) = APP_INIT;
	struct error err = ERROR_INIT;
	char *extras CLEANUP(memory_release) = NULL;

	folder_write(root, "app/package.json", text);
	list_addf(&app.files, "%s/app/package.json", root);
	if (!app_read(choice, &app, manifest, &err)) {
		assert_int_equal(err.kind, ERROR_CONFIG);
		assert_non_null(strstr(err.text, "app/package.json"));
		return memory_printf("%s\n%s", err.text, err.hint);
	}
	extras = list_join(&choice->extras, " ");
	return memory_printf("+%s", extras);
}

static char *block_of(const char *block)
{
	return memory_printf("{\"" PRODUCT "\": %s}", block);
}

static void expect_choice(const struct manifest *manifest, const char *block,
			  const char *expected)
{
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	char *text CLEANUP(memory_release) = block_of(block);
	char *found CLEANUP(memory_release) =
		choice_of(text, manifest, &choice);
	const char *rest = found;

	if (*expected == '+') {
		assert_string_equal(found, expected);
		return;
	}
	if (*found == '+')
		fail_msg("%s was read as %s", block, found);
	/* Several parts, in order, by "|". */
	while (*expected) {
		size_t length = strcspn(expected, "|");
		char *part CLEANUP(memory_release) =
			memory_string_n(expected, length);

		rest = strstr(rest, part);
		if (!rest)
			fail_msg("%s: \"%s\" is not in \"%s\"", block, part,
				 found);
		expected += length + (expected[length] == '|');
	}
}

#define ALL_09 "+opencv phonemizer xnnpack coreml vulkan"
#define HERE   "$[\"" PRODUCT "\"]"
#define KNOWN  "known are: opencv, phonemizer, xnnpack, coreml, vulkan"

static void the_block_of_extras_is_read_strictly(void **state)
{
	static const struct {
		const char *block;
		const char *expected;
	} cases[] = {
		{"{\"extras\": []}", "+"},
		{"{\"extras\": [\"vulkan\", \"opencv\"]}", "+opencv vulkan"},
		{"{\"extras\": [\"opencv\", \"opencv\"]}", "+opencv"},
		{"{}", ALL_09},
		{"null", HERE ": expected an object, found null"},
		{"\"opencv\"", HERE ": expected an object, found the string"},
		{"[]", HERE ": expected an object, found an array"},
		{"true", HERE ": expected an object, found true"},
		{"1", HERE ": expected an object, found the number 1"},
		{"{\"extras\": \"opencv\"}", HERE
		 ".extras: expected an array, found the string \"opencv\""},
		{"{\"extras\": null}",
		 HERE ".extras: expected an array, found null"},
		{"{\"extras\": {\"opencv\": true}}",
		 HERE ".extras: expected an array, found an object"},
		{"{\"extras\": [1]}",
		 HERE ".extras[0]: expected a string, found the number 1"},
		{"{\"extras\": [\"opencv\", null]}",
		 HERE ".extras[1]: expected a string, found null"},
		{"{\"extras\": [\"opencv\", [\"vulkan\"]]}",
		 HERE ".extras[1]: expected a string, found an array"},
		{"{\"extra\": [\"opencv\"]}",
		 HERE "|\"extra\" |did you mean \"extras\"?|extras"},
		{"{\"Extras\": [\"opencv\"]}", HERE "|\"Extras\"|extras"},
		{"{\"extras\": [\"opencv\"], \"x\": 1}", HERE "|\"x\""},
		{"{\"extras\": [], \"extras\": [\"opencv\"]}",
		 HERE "|\"extras\" is there twice"},
		{"{\"extras\": [\"opencvv\"]}",
		 HERE ".extras[0]: |unknown name \"opencvv\"|" PRODUCT
		      " 0.9.0|did you mean \"opencv\"? " KNOWN},
		{"{\"extras\": [\"xnnpack\", \"XNNPACK\"]}",
		 HERE ".extras[1]|did you mean \"xnnpack\"? " KNOWN},
		{"{\"extras\": [\"phonemis\"]}",
		 "did you mean \"phonemizer\"? " KNOWN},
		{"{\"extras\": [\"\"]}", "unknown name \"\"|" KNOWN},
		{"{\"extras\": [\" opencv\"]}", "did you mean \"opencv\"?"},
		{"{\"extras\": [\"all\"]}", "unknown name \"all\"|" KNOWN},
		{"{\"extras\": [\"tensorflow\"]}",
		 "unknown name \"tensorflow\"|" KNOWN},
		{"{\"backends\": [\"xnnpack\"]}",
		 HERE ".backends: |0.9.0 has the list \"extras\" "
		      "alone|\"backends\" is "
		      "of 0.10.0"},
		{"{\"libs\": []}", HERE ".libs: |0.10.0"},
		{"{\"extras\": [], \"features\": [\"llm\"]}",
		 HERE ".features: |0.10.0"},
		{"{\"opencvPod\": \"x\"}", HERE ".opencvPod: |0.10.0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_choice(manifest_09, cases[i].block, cases[i].expected);
}

#define ALL_010 "+opencv phonemis xnnpack coreml mlx vulkan"

static void the_three_lists_are_read_strictly(void **state)
{
	static const struct {
		const char *block;
		const char *expected;
	} cases[] = {
		{"{\"backends\": [\"xnnpack\"]}", "+xnnpack"},
		{"{\"libs\": [\"opencv\"]}", "+opencv"},
		{"{\"backends\": [], \"libs\": [], \"features\": []}", "+"},
		{"{\"backends\": [\"mlx\"], \"libs\": [\"phonemis\"], "
		 "\"features\": [\"vad\"]}",
		 "+phonemis xnnpack mlx"},
		{"{\"features\": [\"multimodalLLM\"]}",
		 "+opencv xnnpack mlx vulkan"},
		{"{\"features\": [\"tokenizer\"]}", "+"},
		{"{\"libs\": [\"phonemizer\"]}", "+phonemis"},
		{"{\"extras\": [\"phonemizer\", \"coreml\"]}",
		 "+phonemis coreml"},
		{"{\"extras\": []}", "+"},
		{"{}", ALL_010},
		{"{\"opencvPod\": \"FastOpenCV-iOS\"}", ALL_010},
		{"{\"backends\": \"xnnpack\"}",
		 HERE ".backends: expected an array, found the string"},
		{"{\"backends\": [true]}",
		 HERE ".backends[0]: expected a string"},
		{"{\"backend\": [\"xnnpack\"]}",
		 HERE "|\"backend\"|did you mean \"backends\"?|backends, "},
		{"{\"backends\": [\"opencv\"]}",
		 HERE ".backends[0]|it belongs in \"libs\"|known are: xnnpack"},
		{"{\"libs\": [\"llm\"]}",
		 HERE ".libs[0]|it belongs in \"features\"|known are: opencv, "
		      "phonemis"},
		{"{\"features\": [\"xnnpack\"]}",
		 HERE ".features[0]|it belongs in \"backends\""},
		{"{\"features\": [\"speechtotext\"]}",
		 "did you mean \"speechToText\"?"},
		{"{\"extras\": [\"llm\"]}", "it belongs in \"features\""},
		{"{\"extras\": [\"xnnpack\"], \"backends\": [\"xnnpack\"]}",
		 HERE ": \"extras\" and \"backends\" are two ways"},
		{"{\"extras\": [], \"features\": []}",
		 HERE ": \"extras\" and \"features\" are two ways"},
		{"{\"libs\": [\"opencv\"], \"opencvPod\": 1}",
		 HERE ".opencvPod: expected a string, found the number 1"},
		{"{\"libs\": [\"opencv\"], \"opencvPod\": \"\"}",
		 HERE ".opencvPod: expected the name of a CocoaPod"},
		{"{\"libs\": [\"opencv\"], \"opencvPod\": \"a b\"}",
		 HERE ".opencvPod: expected the name of a CocoaPod|\"a b\""},
		{"{\"libs\": [\"opencv\"], \"opencvPod\": \"x'; `id`\"}",
		 "expected the name of a CocoaPod"},
		{"{\"libs\": [\"opencv\"], \"opencvPod\": \"../x\"}",
		 "expected the name of a CocoaPod"},
		{"{\"libs\": [\"opencv\"], \"opencvPod\": \"a\\nb\"}",
		 "expected the name of a CocoaPod"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_choice(manifest_010, cases[i].block, cases[i].expected);
}

static void no_block_is_everything_and_says_so(void **state)
{
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	char *found CLEANUP(memory_release) =
		choice_of(DEPENDS, manifest_09, &choice);

	(void)state;
	assert_string_equal(found, ALL_09);
	assert_true(choice.everything);
	assert_int_equal(choice.notices.count, 1);
	assert_non_null(strstr(choice.notices.items[0], "everything is on"));
	assert_int_equal(choice.warnings.count, 0);
}

static void older_names_and_forms_are_noticed(void **state)
{
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	char *text CLEANUP(memory_release) =
		block_of("{\"extras\": [\"phonemizer\"]}");
	char *found CLEANUP(memory_release) =
		choice_of(text, manifest_010, &choice);

	(void)state;
	assert_string_equal(found, "+phonemis");
	assert_false(choice.everything);
	assert_int_equal(choice.notices.count, 2);
	assert_non_null(strstr(choice.notices.items[0],
			       "\"phonemizer\" is the older name of "
			       "\"phonemis\""));
	assert_non_null(strstr(choice.notices.items[1], "backends, libs"));
}

static void the_pod_is_passed_on(void **state)
{
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	char *text CLEANUP(memory_release) = block_of(
		"{\"libs\": [\"opencv\"], \"opencvPod\": \"FastOpenCV-iOS\"}");
	char *found CLEANUP(memory_release) =
		choice_of(text, manifest_010, &choice);

	(void)state;
	assert_string_equal(found, "+opencv");
	assert_string_equal(choice.opencv_pod, "FastOpenCV-iOS");
}

static void whatever_is_no_json_is_named_by_line_and_column(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{"", "app/package.json:1:1: "},
		{" \n ", ":2:2: "},
		{"{\n  \"a\": 1,\n}\n", ":3:1: "},
		{"{\r\n  \"a\": 1\r\n  \"b\": 2\r\n}\r\n", ":3:3: "},
		{"{\"" PRODUCT "\": {\"extras\": [\"opencv\"}}", ":1:49: "},
		{"{} // comment", ":1:4: "},
		{"null", "$: expected an object, found null"},
		{"[]", "$: expected an object, found an array"},
		{"\"x\"", "$: expected an object, found the string"},
		{"\xff\xfe{\0}\0", ":1:1: "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct app_choice choice CLEANUP(app_choice_release) =
			APP_CHOICE_INIT;
		char *found CLEANUP(memory_release) =
			choice_of(cases[i].text, manifest_09, &choice);

		if (!strstr(found, cases[i].expected))
			fail_msg("%zu: %s", i, found);
	}
}

static void a_bom_and_crlf_are_fine(void **state)
{
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	char *found CLEANUP(memory_release) =
		choice_of("\xef\xbb\xbf{\r\n\"" PRODUCT
			  "\": {\r\n\"extras\": [\r\n\"opencv\"]}}\r\n",
			  manifest_09, &choice);

	(void)state;
	assert_string_equal(found, "+opencv");
}

static bool unite(const char *a, const char *b, struct app_choice *choice,
		  struct error *err)
{
	struct app app CLEANUP(app_release) = APP_INIT;

	folder_write(root, "a/package.json", a);
	folder_write(root, "b/package.json", b);
	list_addf(&app.files, "%s/a/package.json", root);
	list_addf(&app.files, "%s/b/package.json", root);
	return app_read(choice, &app, manifest_010, err);
}

static void blocks_of_several_apps_are_united(void **state)
{
	char *a CLEANUP(memory_release) =
		block_of("{\"backends\": [\"xnnpack\"], \"opencvPod\": \"A\"}");
	char *b CLEANUP(memory_release) =
		block_of("{\"features\": [\"vad\"], \"libs\": [\"opencv\"]}");
	struct app_choice choice CLEANUP(app_choice_release) = APP_CHOICE_INIT;
	struct error err = ERROR_INIT;
	char *extras CLEANUP(memory_release) = NULL;

	(void)state;
	assert_true(unite(a, b, &choice, &err));
	extras = list_join(&choice.extras, " ");
	assert_string_equal(extras, "opencv xnnpack");
	assert_string_equal(choice.opencv_pod, "A");
	app_choice_release(&choice);

	/* One without a block means everything, and is warned of by name. */
	assert_true(unite(a, DEPENDS, &choice, &err));
	assert_int_equal(choice.extras.count, manifest_010->extra_count);
	assert_int_equal(choice.warnings.count, 1);
	assert_non_null(strstr(choice.warnings.items[0], "b/package.json"));
	app_choice_release(&choice);

	free(b);
	b = block_of("{\"libs\": [], \"opencvPod\": \"B\"}");
	assert_false(unite(a, b, &choice, &err));
	assert_non_null(strstr(err.text, "a/package.json"));
	assert_non_null(strstr(err.text, "b/package.json"));
	assert_non_null(strstr(err.hint, "--app"));
}

static void names_by_commas_are_extras_and_features(void **state)
{
	static const struct {
		const char *names;
		const char *expected; /* without "+": part of the error */
	} cases[] = {
		{"", "+"},
		{"none", "+"},
		{"all", ALL_010},
		{"xnnpack", "+xnnpack"},
		{"vulkan, opencv", "+opencv vulkan"},
		{"vad,opencv,opencv", "+opencv xnnpack"},
		{"phonemizer", "+phonemis"},
		{",", "found \",\""},
		{"  ", "found \"  \""},
		{"opencvv", "did you mean \"opencv\"?"},
		{"xnnpack,all", "unknown name \"all\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct app_choice choice CLEANUP(app_choice_release) =
			APP_CHOICE_INIT;
		struct error err = ERROR_INIT;
		char *extras CLEANUP(memory_release) = NULL;

		choice.opencv_pod = memory_string("kept");
		list_add(&choice.extras, "mlx");
		if (!app_read_names(&choice, cases[i].names, "RNET_EXTRAS",
				    manifest_010, &err)) {
			assert_int_equal(err.kind, ERROR_USAGE);
			assert_non_null(strstr(err.text, "RNET_EXTRAS: "));
			assert_non_null(strstr(err.text, cases[i].expected));
			continue;
		}
		extras = list_join(&choice.extras, " ");
		assert_int_equal(*cases[i].expected, '+');
		assert_string_equal(extras, cases[i].expected + 1);
		assert_string_equal(choice.opencv_pod, "kept");
	}
}

static struct manifest *bundled(const char *version)
{
	const struct bundled_manifest *one = bundled_find(PRODUCT, version);
	struct manifest *manifest = NULL;
	struct error err = ERROR_INIT;

	if (!one ||
	    !manifest_parse(&manifest, one->name, one->text, one->length, &err))
		fprintf(stderr, "%s: %s\n", version, err.text);
	return manifest;
}

static int read_manifests(void **state)
{
	(void)state;
	manifest_09 = bundled("0.9.0");
	manifest_010 = bundled("0.10.0");
	return manifest_09 && manifest_010 ? 0 : -1;
}

static int free_manifests(void **state)
{
	(void)state;
	manifest_free(&manifest_09);
	manifest_free(&manifest_010);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_single_app_is_found_from_the_hook),
		TEST(every_kind_of_dependency_counts),
		TEST(the_first_install_runs_before_the_dependency_is_written),
		TEST(what_only_looks_like_one_does_not),
		TEST(a_monorepo_gives_one_answer_from_everywhere),
		TEST(workspaces_of_pnpm_and_of_yarn_1_are_searched_too),
		TEST(several_workspaces_are_united),
		TEST(a_library_is_the_app_when_there_is_no_other),
		TEST(a_block_says_more_than_a_dependency),
		TEST(what_is_installed_is_never_the_app),
		TEST(the_package_in_its_own_repository_is_not_the_app),
		TEST(a_named_app_is_taken_as_it_is),
		TEST(what_no_package_json_can_be_is_said_without_waiting),
		TEST(a_broken_package_json_counts_where_it_could_be_the_app),
		TEST(comments_twice_are_no_mistake),
		TEST(the_block_of_extras_is_read_strictly),
		TEST(the_three_lists_are_read_strictly),
		TEST(no_block_is_everything_and_says_so),
		TEST(older_names_and_forms_are_noticed),
		TEST(the_pod_is_passed_on),
		TEST(whatever_is_no_json_is_named_by_line_and_column),
		TEST(a_bom_and_crlf_are_fine),
		TEST(blocks_of_several_apps_are_united),
		TEST(names_by_commas_are_extras_and_features),
	};

	return cmocka_run_group_tests(tests, read_manifests, free_manifests);
}
