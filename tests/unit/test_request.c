#include "request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "folder.h"
#include "log.h"
#include "target.h"

#define PRODUCT "react-native-executorch"
#define PACKAGE "app/node_modules/" PRODUCT

static char *root, *start;

static int make_root(void **state)
{
	(void)state;
	start = getcwd(NULL, 0);
	root = folder_make();
	folder_write(root, "app/package.json",
		     "{\"dependencies\": {\"" PRODUCT
		     "\": \"0.9.0\"}, \"" PRODUCT
		     "\": {\"extras\": [\"opencv\", \"xnnpack\"]}}");
	folder_write(root, PACKAGE "/package.json",
		     "{\"name\": \"" PRODUCT "\", \"version\": \"0.9.0\"}");
	return chdir(root);
}

static int remove_root(void **state)
{
	int failed = chdir(start);

	(void)state;
	free(start);
	folder_remove(&root);
	return failed;
}

static void go_to(const char *name)
{
	char *path CLEANUP(memory_release) = folder_path(root, name);

	assert_int_equal(chdir(path), 0);
}

static struct request *make(const struct options *options,
			    const struct environment *env,
			    enum request_need need)
{
	struct request *request = NULL;
	struct error err = ERROR_INIT;

	if (!request_make(&request, options, env, need, &err))
		fail_msg("%s\n%s", err.text, err.hint);
	return request;
}

/* Fails with this kind, and with every part of `text` (by "|") in order. */
static void expect_failure(const struct options *options,
			   const struct environment *env,
			   enum request_need need, enum error_kind kind,
			   const char *text)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct error err = ERROR_INIT;
	char *whole CLEANUP(memory_release) = NULL;
	const char *rest;

	assert_false(request_make(&request, options, env, need, &err));
	whole = memory_printf("%s\n%s", err.text, err.hint);
	rest = whole;
	if (err.kind != kind)
		fail_msg("%s: %s", error_kind_name(err.kind), whole);
	while (*text) {
		size_t length = strcspn(text, "|");
		char *part CLEANUP(memory_release) =
			memory_string_n(text, length);

		rest = strstr(rest, part);
		if (!rest)
			fail_msg("\"%s\" is not in \"%s\"", part, whole);
		text += length + (text[length] == '|');
	}
}

static void expect_list(const struct list *list, const char *expected)
{
	char *text CLEANUP(memory_release) = list_join(list, " ");

	assert_string_equal(text, expected);
}

static void the_hook_needs_no_option(void **state)
{
	char *app CLEANUP(memory_release) = folder_path(root, "app");
	char *package CLEANUP(memory_release) = folder_path(root, PACKAGE);
	char *file CLEANUP(memory_release) =
		folder_path(root, "app/package.json");
	struct environment env = {.init_cwd = app, .home = "/home/x"};
	struct options options = {0};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	go_to(PACKAGE);
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->package_path, package);
	assert_true(request->package >= 0);
	expect_list(&request->app.files, file);
	expect_list(&request->choice.extras, "opencv xnnpack");
	assert_string_equal(request->manifest->version, "0.9.0");
	assert_string_equal(request->cache_path,
			    "/home/x/.cache/react-native-executorch");
	assert_true(request->jobs >= 1 && request->jobs <= 64);
	assert_int_equal(request->warnings.count, 0);
	assert_true(request->base_urls.count > 0);
	if (!strcmp(target_host(), "linux"))
		expect_list(&request->targets,
			    "android-arm64-v8a android-x86_64");
}

static void by_hand_the_package_is_where_node_finds_it(void **state)
{
	char *package CLEANUP(memory_release) = NULL;
	struct environment env = {0};
	struct options options = {0};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	folder_add(root, "app/src/screens");
	go_to("app/src/screens");
	package = folder_path(root, PACKAGE);
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->package_path, package);
	assert_non_null(strstr(request->app.reason, "the current folder"));
	request_free(&request);

	/* pnpm: a link to the real folder. */
	free(package);
	package = folder_path(
		root, "mono/node_modules/.pnpm/x/node_modules/" PRODUCT);
	folder_write(root,
		     "mono/node_modules/.pnpm/x/node_modules/" PRODUCT
		     "/package.json",
		     "{\"name\": \"" PRODUCT "\", \"version\": \"0.9.0\"}");
	folder_write(root, "mono/pnpm-workspace.yaml",
		     "packages: ['apps/*']\n");
	folder_write(root, "mono/apps/a/package.json",
		     "{\"" PRODUCT "\": {\"extras\": []}}");
	folder_add(root, "mono/apps/a/node_modules");
	folder_link(root, "mono/apps/a/node_modules/" PRODUCT,
		    "../../../node_modules/.pnpm/x/node_modules/" PRODUCT);
	go_to("mono");
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->package_path, package);
	assert_int_equal(request->choice.extras.count, 0);
	assert_non_null(strstr(request->app.reason, "1 workspace of"));
}

static void copies_that_differ_have_to_be_named(void **state)
{
	struct environment env = {0};
	struct options options = {0};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	folder_write(root, "m/package.json", "{\"workspaces\": [\"*\"]}");
	for (int i = 0; i < 2; i++) {
		char *app CLEANUP(memory_release) =
			memory_printf("m/%d/package.json", i);
		char *package CLEANUP(memory_release) = memory_printf(
			"m/%d/node_modules/" PRODUCT "/package.json", i);

		folder_write(root, app, "{\"" PRODUCT "\": {\"extras\": []}}");
		folder_write(root, package,
			     "{\"name\": \"" PRODUCT
			     "\", \"version\": \"0.9.0\"}");
	}
	go_to("m");
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_USAGE,
		       "different copies|m/0/|m/1/|--package DIR");
	options.package = "1/node_modules/" PRODUCT;
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_non_null(strstr(request->package_path, "m/1/"));
	/* The app above it is then the one. */
	assert_int_equal(request->app.files.count, 1);
	assert_non_null(strstr(request->app.files.items[0], "m/1/"));
}

static void no_package_is_a_usage_error_that_says_what_to_type(void **state)
{
	struct environment env = {0};
	struct options options = {0};

	(void)state;
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_USAGE,
		       "no package " PRODUCT "|--package DIR");
	options.package = "nowhere";
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_USAGE,
		       "--package: |/nowhere is not there");
	options.package = "app";
	folder_write(root, "app/package.json", "{\"name\": \"my-app\"}");
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_USAGE,
		       "--package: |my-app; expected " PRODUCT);
	folder_add(root, "empty");
	options.package = "empty";
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_USAGE,
		       "--package: |holds no package.json");
}

static void no_app_is_an_error_unless_extras_are_named(void **state)
{
	struct environment env = {0};
	struct options options = {.package = "lone"};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	folder_write(root, "lone/package.json",
		     "{\"name\": \"" PRODUCT "\", \"version\": \"0.9.0\"}");
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_CONFIG,
		       "no app was found");
	options.extras = "opencv";
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_int_equal(request->warnings.count, 0);
}

static void an_option_wins_over_its_variable(void **state)
{
	char *cache CLEANUP(memory_release) = folder_path(root, "option");
	char *app CLEANUP(memory_release) =
		folder_path(root, "other/package.json");
	struct environment env = {
		.cache_dir = "/variable",
		.extras = "coreml",
		.target = "android",
		.jobs = "7",
		.base_url = "https://variable/",
		.app_root = "nowhere",
		.manifest = "nowhere.json",
	};
	struct options options = {
		.package = PACKAGE,
		.cache_dir = "./option",
		.extras = "opencv",
		.target = "ios",
		.jobs = "3",
		.app = "other",
		.release = PRODUCT "@0.9.0",
	};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	folder_write(root, "other/package.json", "{}");
	list_add(&options.base_urls, "https://option//");
	list_add(&options.base_urls, "file:///");
	request = make(&options, &env, REQUEST_PACKAGE);
	list_release(&options.base_urls);
	assert_string_equal(request->cache_path, cache);
	assert_string_equal(request->cache_path_from, "--cache-dir");
	expect_list(&request->choice.extras, "opencv");
	expect_list(&request->targets, "ios");
	expect_list(&request->base_urls, "https://option file:///");
	expect_list(&request->app.files, app);
	assert_int_equal(request->jobs, 3);
}

static void variables_do_without_options(void **state)
{
	struct environment env = {
		.cache_dir = "/variable",
		.extras = "coreml",
		.target = "android-arm64, ios",
		.jobs = "7",
		.base_url = " https://one/a/ \n file:///two/ ",
		.app_root = "app/package.json",
		.offline = true,
		.require_pinned = true,
		.skip_download = true,
	};
	struct options options = {.package = PACKAGE};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->cache_path, "/variable");
	assert_string_equal(request->cache_path_from, "RNET_LIBS_CACHE_DIR");
	expect_list(&request->choice.extras, "coreml");
	expect_list(&request->targets, "ios android-arm64-v8a");
	expect_list(&request->base_urls, "https://one/a file:///two");
	assert_string_equal(request->app.reason, "named by RNET_APP_ROOT");
	assert_int_equal(request->jobs, 7);
	assert_true(request->offline);
	assert_true(request->require_pinned);
	assert_true(request->skip_download);
}

static void a_relative_variable_is_seen_from_init_cwd(void **state)
{
	char *cache CLEANUP(memory_release) = folder_path(root, "app/.cache");
	char *app CLEANUP(memory_release) = folder_path(root, "app");
	struct environment env = {
		.init_cwd = app,
		.cache_dir = ".cache",
		.app_root = ".",
	};
	struct options options = {0};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	go_to(PACKAGE);
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->cache_path, cache);
	assert_int_equal(request->app.files.count, 1);
}

static void the_cache_has_a_home(void **state)
{
	static const struct {
		const char *xdg, *home;
		const char *path, *from;
	} cases[] = {
		{"/x", "/h", "/x/react-native-executorch", "XDG_CACHE_HOME"},
		{"x", "/h", "/h/.cache/react-native-executorch", "HOME"},
		{NULL, "/h", "/h/.cache/react-native-executorch", "HOME"},
		{NULL, "h", NULL, NULL},
		{NULL, NULL, NULL, NULL},
	};
	struct options options = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct environment env = {
			.xdg_cache_home = cases[i].xdg,
			.home = cases[i].home,
		};
		struct request *request CLEANUP(request_free) =
			make(&options, &env, REQUEST_CACHE);

		if (!cases[i].path) {
			assert_null(request->cache_path);
			continue;
		}
		assert_string_equal(request->cache_path, cases[i].path);
		assert_string_equal(request->cache_path_from, cases[i].from);
	}
}

static void options_that_make_no_sense_are_usage_errors(void **state)
{
	static const struct {
		struct options options;
		struct environment env;
		const char *text;
	} cases[] = {
		{{.jobs = "0"}, {0}, "--jobs: |1 to 64|\"0\""},
		{{.jobs = "65"}, {0}, "--jobs: |1 to 64"},
		{{.jobs = "two"}, {0}, "--jobs: |\"two\""},
		{{.jobs = ""}, {0}, "--jobs: "},
		{{.jobs = "-1"}, {0}, "--jobs: "},
		{{.jobs = "1e1"}, {0}, "--jobs: "},
		{{.jobs = "99999999999999999999"}, {0}, "--jobs: "},
		{{0}, {.jobs = "x"}, "RNET_JOBS: "},
		{{.connect_timeout = "0"}, {0}, "--connect-timeout: |3600"},
		{{.stall_timeout = "3601"}, {0}, "--stall-timeout: |3600"},
		{{.lock_timeout = "-1"}, {0}, "--lock-timeout: |3600"},
		{{.cache_dir = ""}, {0}, "--cache-dir: "},
		{{.app = ""}, {0}, "--app: "},
		{{.package = ""}, {0}, "--package: "},
		{{.target = ""}, {0}, "--target: "},
		{{.target = ","}, {0}, "--target: |\",\""},
		{{.target = "andriod"}, {0}, "--target: |andriod|android"},
		{{0}, {.target = "android-arm"}, "RNET_TARGET: |android-arm"},
		{{.extras = "opencvv"}, {0}, "--extras: |opencvv|\"opencv\""},
		{{0}, {.extras = "opencvv"}, "RNET_EXTRAS: |opencvv"},
		{{0}, {.base_url = "ftp://x/y"}, "RNET_BASE_URL: |ftp://x/y"},
		{{0}, {.base_url = "/srv/mirror"}, "RNET_BASE_URL: |file:///"},
		{{.release = "x"},
		 {0},
		 "--release: |\"x\"|PRODUCT@VERSION|" PRODUCT "@0.9.0"},
		{{.release = PRODUCT "@0.1.0"}, {0}, "--release: |@0.9.0"},
		{{.release = "@"}, {0}, "--release: "},
		{{.release = PRODUCT "@0.9.0", .manifest = "m.json"},
		 {0},
		 "--release and --manifest"},
		{{.manifest = ""}, {0}, "--manifest: "},
		{{.manifest = "ftp://x/m.json"}, {0}, "--manifest: |ftp://x"},
	};

	(void)state;
	go_to(PACKAGE);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_failure(&cases[i].options, &cases[i].env,
			       REQUEST_PACKAGE, ERROR_USAGE, cases[i].text);
}

static void a_password_in_a_url_is_not_shown(void **state)
{
	struct environment env = {.base_url = "https://me:s3cret@host/x"};
	struct options options = {.package = PACKAGE};
	struct request *request CLEANUP(request_free) = NULL;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(
		request_make(&request, &options, &env, REQUEST_PACKAGE, &err));
	assert_null(strstr(err.text, "s3cret"));
	assert_null(strstr(err.hint, "s3cret"));
}

static void
the_manifest_is_the_named_one_the_packages_or_a_bundled(void **state)
{
	struct environment env = {0};
	struct options options = {.package = PACKAGE};
	struct request *request CLEANUP(request_free) = NULL;
	static const char other[] =
		"{\"schema\": 1, \"product\": \"" PRODUCT "\", \"version\": "
		"\"7.7.7\", \"vocabulary\": \"extras\", \"baseUrls\": "
		"[\"https://x/\"], \"targets\": {\"t\": "
		"{\"platform\": \"android\", \"destination\": \"t\", "
		"\"hosts\": [\"linux\", \"macos\", \"windows\"]}}, "
		"\"extras\": {\"opencv\": {\"flag\": \"RNE_ENABLE_OPENCV\", "
		"\"key\": \"enableOpencv\", \"list\": \"extras\", "
		"\"platforms\": [\"android\"]}, \"xnnpack\": {\"flag\": "
		"\"RNE_ENABLE_XNNPACK\", \"key\": \"enableXnnpack\", "
		"\"list\": \"extras\", \"platforms\": [\"android\"]}}, "
		"\"artifacts\": [{\"name\": \"core-t\", \"target\": \"t\", "
		"\"archives\": [{\"file\": \"core-t.tar.gz\", \"format\": "
		"\"tar.gz\"}]}]}";

	(void)state;
	folder_write(root, PACKAGE "/package.json",
		     "{\"name\": \"" PRODUCT "\", \"version\": \"1.2.3\"}");
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_CONFIG,
		       PRODUCT " 1.2.3|rne-manifest.json|bundled|@0.10.0|"
			       "@0.9.0|--manifest|RNET_MANIFEST");
	folder_write(root, PACKAGE "/package.json",
		     "{\"name\": \"" PRODUCT "\", \"version\": \"1.2.3\", "
		     "\"nativeLibsVersion\": \"0.9.0\"}");
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->manifest->version, "0.9.0");
	request_free(&request);

	folder_write(root, PACKAGE "/rne-manifest.json", other);
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_string_equal(request->manifest->version, "7.7.7");
	request_free(&request);

	folder_write(root, "m.json", other);
	env.manifest = "m.json";
	request = make(&options, &env, REQUEST_PACKAGE);
	assert_non_null(strstr(request->manifest->origin, "/m.json"));
	request_free(&request);

	options.manifest = "missing.json";
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_CONFIG,
		       "--manifest: |missing.json is not there");
	options.manifest = "app";
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_CONFIG,
		       "--manifest: |must be a file, but is a folder");
	options.manifest = "app/package.json";
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_CONFIG,
		       "app/package.json|$");
	options.manifest = "https://host/m.json";
	options.offline = true;
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_NETWORK,
		       "--manifest: |https://host/m.json|--offline");
	options.manifest = NULL;
	env.manifest = NULL;
	folder_write(root, PACKAGE "/package.json",
		     "{\"name\": \"" PRODUCT "\", \"version\": 9}");
	expect_failure(&options, &env, REQUEST_PACKAGE, ERROR_CONFIG,
		       "package.json: $.version: expected a string");
}

static void a_file_url_names_a_manifest_too(void **state)
{
	char *url CLEANUP(memory_release) =
		memory_printf("file://%s/m.json", root);
	struct environment env = {.manifest = url};
	struct options options = {0};

	(void)state;
	folder_write(root, "m.json", "[]");
	expect_failure(&options, &env, REQUEST_MANIFEST, ERROR_CONFIG,
		       "/m.json: $: expected an object");
}

static void warm_needs_no_app_and_no_package(void **state)
{
	struct environment env = {0};
	struct options options = {.release = PRODUCT "@0.9.0"};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	request = make(&options, &env, REQUEST_MANIFEST);
	assert_int_equal(request->choice.extras.count, 5);
	assert_int_equal(request->warnings.count, 0);
	assert_int_equal(request->package, -1);
	assert_null(request->package_path);
	request_free(&request);

	/* In an app's folder it goes by the app, unless told otherwise. */
	go_to("app");
	request = make(&options, &env, REQUEST_MANIFEST);
	expect_list(&request->choice.extras, "opencv xnnpack");
	request_free(&request);
	folder_write(root, "app/package.json", "{");
	options.extras = "vulkan";
	request = make(&options, &env, REQUEST_MANIFEST);
	expect_list(&request->choice.extras, "vulkan");
	request_free(&request);
	go_to(".");
	options.release = NULL;
	expect_failure(&options, &env, REQUEST_MANIFEST, ERROR_USAGE,
		       "no release manifest|--release PRODUCT@VERSION");
}

static void an_extra_without_effect_is_a_warning(void **state)
{
	static const struct {
		const char *extras, *target;
		const char *warnings;
	} cases[] = {
		{"coreml", "android",
		 "coreml has no effect on the targets android-arm64-v8a, "
		 "android-x86_64 (it is for ios)"},
		{"vulkan", "ios",
		 "vulkan has no effect on the target ios (it is for android)"},
		{"coreml,vulkan", "ios,android-x64", ""},
		{"opencv,phonemizer,xnnpack", "ios", ""},
		{"opencv,phonemizer,xnnpack", "android", ""},
		{"none", "android", ""},
		{"all", "android", ""},
	};
	struct environment env = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct options options = {
			.package = PACKAGE,
			.extras = cases[i].extras,
			.target = cases[i].target,
		};
		struct request *request CLEANUP(request_free) =
			make(&options, &env, REQUEST_PACKAGE);

		expect_list(&request->warnings, cases[i].warnings);
	}
}

static void headers_alone_need_a_release_that_has_them(void **state)
{
	struct environment env = {.headers_only = true};
	struct options options = {.release = PRODUCT "@0.9.0"};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	expect_failure(&options, &env, REQUEST_MANIFEST, ERROR_CONFIG,
		       "RNET_HEADERS_ONLY|0.9.0");
	options.release = PRODUCT "@0.10.0";
	request = make(&options, &env, REQUEST_MANIFEST);
	assert_true(request->headers_only);
}

static void times_reach_the_transfers(void **state)
{
	struct environment env = {0};
	struct options options = {
		.release = PRODUCT "@0.9.0",
		.connect_timeout = "3",
		.stall_timeout = "3600",
		.allow_http = true,
	};
	struct request *request CLEANUP(request_free) = NULL;

	(void)state;
	request = make(&options, &env, REQUEST_MANIFEST);
	assert_int_equal(request->policy.connect_ms, 3000);
	assert_int_equal(request->policy.stall_ms, 3600000);
	assert_true(request->policy.allow_http);
	request_free(&request);
	options.connect_timeout = NULL;
	request = make(&options, &env, REQUEST_MANIFEST);
	assert_true(request->policy.connect_ms > 0);
}

static void every_way_to_be_offline_counts(void **state)
{
	static const struct {
		struct options options;
		struct environment env;
	} cases[] = {
		{{.offline = true}, {0}},
		{{0}, {.offline = true}},
		{{0}, {.npm_offline = true}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct request *request CLEANUP(request_free) =
			make(&cases[i].options, &cases[i].env, REQUEST_CACHE);

		assert_true(request->offline);
	}
}

static void odd_paths_are_paths(void **state)
{
	static const char *const names[] = {
		"with space", "quo'te\"s", "\xc3\xbc\xe6\x97\xa5",
		"new\nline",  "$(id)",     "-dash",
		"%41",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *package CLEANUP(memory_release) = memory_printf(
			"%s/node_modules/" PRODUCT "/package.json", names[i]);
		char *app CLEANUP(memory_release) =
			memory_printf("%s/package.json", names[i]);
		char *link CLEANUP(memory_release) =
			memory_printf("link%zu", i);
		struct environment env = {0};
		struct options options = {0};
		struct request *request CLEANUP(request_free) = NULL;

		folder_write(root, package,
			     "{\"name\": \"" PRODUCT
			     "\", \"version\": \"0.9.0\"}");
		folder_write(root, app, "{\"" PRODUCT "\": {\"extras\": []}}");
		folder_link(root, link, names[i]);
		go_to(names[i]);
		request = make(&options, &env, REQUEST_PACKAGE);
		assert_int_equal(request->choice.extras.count, 0);
		request_free(&request);
		go_to(".");
		options.app = link;
		request = make(&options, &env, REQUEST_PACKAGE);
		assert_int_equal(request->choice.extras.count, 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_hook_needs_no_option),
		TEST(by_hand_the_package_is_where_node_finds_it),
		TEST(copies_that_differ_have_to_be_named),
		TEST(no_package_is_a_usage_error_that_says_what_to_type),
		TEST(no_app_is_an_error_unless_extras_are_named),
		TEST(an_option_wins_over_its_variable),
		TEST(variables_do_without_options),
		TEST(a_relative_variable_is_seen_from_init_cwd),
		TEST(the_cache_has_a_home),
		TEST(options_that_make_no_sense_are_usage_errors),
		TEST(a_password_in_a_url_is_not_shown),
		TEST(the_manifest_is_the_named_one_the_packages_or_a_bundled),
		TEST(a_file_url_names_a_manifest_too),
		TEST(warm_needs_no_app_and_no_package),
		TEST(an_extra_without_effect_is_a_warning),
		TEST(headers_alone_need_a_release_that_has_them),
		TEST(times_reach_the_transfers),
		TEST(every_way_to_be_offline_counts),
		TEST(odd_paths_are_paths),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
