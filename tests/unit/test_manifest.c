/* Release manifests: what is read, and what is refused with which place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "manifest_text.h"
#include "target.h"

static struct manifest *parse(const char *text)
{
	struct manifest *manifest = NULL;
	struct error err = ERROR_INIT;

	if (!manifest_parse(&manifest, "m.json", text, strlen(text), &err))
		fail_msg("%s", err.text);
	return manifest;
}

static void a_manifest_is_read_whole(void **state)
{
	struct manifest *m CLEANUP(manifest_free) = parse(manifest_sample);
	const struct manifest_extra *opencv = &m->extras[0];
	const struct manifest_artifact *core = &m->artifacts[1];
	struct digest digest;

	(void)state;
	assert_string_equal(m->origin, "m.json");
	assert_string_equal(m->product, "demo");
	assert_string_equal(m->version, "1.2.3");
	assert_true(m->has_lists);
	digest_bytes(&digest, manifest_sample, strlen(manifest_sample));
	assert_true(digest_equal(&digest, &m->digest));
	assert_int_equal(m->base_urls.count, 1);
	assert_int_equal(m->target_count, 3);
	assert_null(m->targets[0].arch);
	assert_string_equal(m->targets[1].destination, "android/libs");
	assert_int_equal(m->extra_count, 2);
	assert_string_equal(opencv->key, "enableOpencv");
	assert_string_equal(opencv->provided.items[0], "ios=a CocoaPod");
	assert_true(manifest_extra_on(opencv, "android"));
	assert_false(manifest_extra_on(&m->extras[1], "android"));
	assert_int_equal(m->feature_count, 2);
	assert_int_equal(m->features[0].extras.count, 2);
	assert_int_equal(m->artifact_count, 3);
	assert_null(m->artifacts[0].target);
	assert_string_equal(manifest_destination(&m->artifacts[0]), "");
	assert_null(core->extra);
	assert_ptr_equal(core->target, &m->targets[0]);
	assert_string_equal(manifest_destination(core), "ios");
	assert_true(core->has_files);
	assert_int_equal(core->unpacked_size, 12);
	assert_int_equal(core->archive_count, 2);
	assert_true(core->archives[0].pinned && !core->archives[1].pinned);
	assert_int_equal(core->archives[0].size, 34);
	assert_int_equal(core->archives[1].format, ARCHIVE_TAR_ZST);
	assert_ptr_equal(m->artifacts[2].extra, opencv);
}

static void names_are_looked_up(void **state)
{
	struct manifest *m CLEANUP(manifest_free) = parse(manifest_sample);

	(void)state;
	assert_ptr_equal(manifest_extra(m, "cv"), &m->extras[0]);
	assert_ptr_equal(manifest_extra(m, "coreml"), &m->extras[1]);
	assert_null(manifest_extra(m, "CoreML"));
	assert_ptr_equal(manifest_target(m, "ios"), &m->targets[0]);
	assert_null(manifest_target(m, "android-arm64"));
	assert_ptr_equal(manifest_feature(m, "ocr"), &m->features[0]);
	assert_null(manifest_feature(m, "opencv"));
}

/* Each case: the sample with one thing replaced, and what is said of it. */
static const struct {
	const char *from, *to, *message;
} refused[] = {
	{"\"schema\":1,", "", "m.json: $: the member \"schema\" is missing"},
	{"\"schema\":1", "\"schema\":2",
	 "$.schema: this rne-libs reads schema "
	 "1, found schema 2"},
	{"\"schema\":1", "\"schema\":2,\"new\":1", "found schema 2"},
	{"\"schema\":1", "\"schema\":0", "$.schema: expected a whole number"},
	{"\"schema\":1", "\"schema\":\"1\"", "$.schema: expected a whole"},
	{"\"schema\":1", "\"schema\":1.0", "expected a whole number"},
	{"\"schema\":1", "\"schema\":1,\"schema\":1", "is there twice"},
	{"\"schema\":1", "\"schema\":1,\"version_\":1",
	 "\"version_\" is not known (did you mean \"version\"?)"},
	{"\"schema\":1", "\"$schema\":1,\"schema\":1",
	 "$.$schema: expected a string"},
	{"\"product\":\"demo\",", "", "\"product\" is missing"},
	{"demo", "", "$.product: \"\" is empty"},
	{"demo", "@scope/demo",
	 "$.product: \"@scope/demo\" holds another "
	 "character"},
	{"demo", "../demo", "$.product: "},
	{"demo", "nul", "reserved on Windows"},
	{"1.2.3", "1.2.3.", "$.version: \"1.2.3.\" has a component that ends"},
	{"1.2.3", "1/2", "$.version: "},
	{"1.2.3", "$(id)", "$.version: "},
	{"\"lists\"", "\"list\"",
	 "$.vocabulary: expected \"extras\" or "
	 "\"lists\", found \"list\""},
	{"\"lists\"", "true", "$.vocabulary: expected a string"},
	{"[\"https://h/r\"]", "\"https://h/r\"",
	 "$.baseUrls: expected an "
	 "array"},
	{"https://h/r", "ftp://h/r",
	 "$.baseUrls[0]: \"ftp://h/r\" has another "
	 "scheme"},
	{"https://h/r", "https://u:p@h/r", "a user name or a password"},
	{"https://h/r", "https://h/r\\r\\nX: y", "a control character"},
	{"\"https://h/r\"", "\"https://h/r\",\"https://h/r\"",
	 "$.baseUrls[1]: \"https://h/r\" is there twice"},
	{"\"targets\":{", "\"targets\":[],\"targetz\":{", "is not known"},
	{"\"ios\":{\"platform\":\"ios\",", "\"ios\":{",
	 "$.targets.ios: the "
	 "member \"platform\" "
	 "is missing"},
	{"\"ios\":{", "\"all\":{", "$.targets.all: the name \"all\" is a word"},
	{"\"ios\":{", "\"a;b\":{", "$.targets[\"a;b\"]: the name \"a;b\" "},
	{"\"destination\":\"ios\"", "\"destination\":\"../ios\"",
	 "$.targets.ios.destination: \"../ios\" leaves its folder"},
	{"\"destination\":\"ios\"", "\"destination\":\"/ios\"", "absolute"},
	{"\"destination\":\"ios\"", "\"destination\":\"\"", "is empty"},
	{"\"destination\":\"ios\"", "\"destination\":\"a/.git\"", "begin"},
	{"\"destination\":\"ios\"", "\"destination\":\".rne-libs\"", "begin"},
	{"\"destination\":\"ios\"", "\"destination\":\"$(id)\"", "character"},
	{"\"destination\":\"ios\"", "\"destination\":\"a\\nb\"", "control"},
	{"\"destination\":\"ios\"", "\"destination\":\"a;b\"", "character"},
	{"\"destination\":\"ios\"", "\"destination\":null", "found null"},
	{"\"destination\":\"ios\"", "\"dest\":\"ios\"",
	 "\"dest\" is not known"},
	{"[\"macos\"]", "[\"darwin\"]",
	 "$.targets.ios.hosts[0]: \"darwin\" is "
	 "no host; hosts are linux"},
	{"[\"macos\"]", "[]", "expected 1 to 16 entries, found 0"},
	{"[\"macos\"]", "[\"macos\",\"macos\"]", "is there twice"},
	{"[\"android-x64\"]", "[\"android-arm64\"]",
	 "$.targets: the alias \"android-arm64\" is there twice"},
	{"[\"android-arm64\"]", "[\"ios\"]",
	 "the alias \"ios\" is there "
	 "twice"},
	{"[\"android-arm64\"]", "[\"android\"]",
	 "\"android\" names one target and a platform of others"},
	{"[\"android-arm64\"]", "[\"all\"]", "is a word"},
	{"RNE_ENABLE_OPENCV", "rne_opencv", "$.extras.opencv.flag: "},
	{"RNE_ENABLE_OPENCV", "RNE_ENABLE_COREML",
	 "$.extras: "
	 "\"RNE_ENABLE_COREML\" "
	 "stands for two extras"},
	{"enableOpencv", "enable-opencv", "$.extras.opencv.key: "},
	{"enableOpencv", "rneLibs", "the build config uses itself"},
	{"enableOpencv", "enableCoreml", "stands for two extras"},
	{"\"list\":\"libs\"", "\"list\":\"extras\"",
	 "$.extras.opencv.list: \"extras\" is no list of this manifest's "
	 "vocabulary; there are: backends, libs"},
	{"[\"ios\",\"android\"]", "[\"ios\",\"andriod\"]",
	 "$.extras.opencv.platforms: \"andriod\" is no platform of a target "
	 "(did you mean \"android\"?); there are: ios, android"},
	{"[\"ios\",\"android\"]", "[]", "expected 1 to 16"},
	{"\"provided\":{\"ios\"", "\"provided\":{\"tvos\"",
	 "$.extras.opencv.provided.tvos: \"tvos\" is no platform of this "
	 "extra"},
	{"\"a CocoaPod\"", "\"\"", "is not 1 to 255 characters"},
	{"\"a CocoaPod\"", "\"a\\u001b[31m\"", "printable"},
	{"[\"cv\"]", "[\"coreml\"]", "\"coreml\" stands for two extras"},
	{"[\"cv\"]", "[\"opencv\"]", "\"opencv\" stands for two extras"},
	{"[\"opencv\",\"coreml\"]", "[\"opencv\",\"vulkan\"]",
	 "$.features.ocr: \"vulkan\" is no extra"},
	{"[\"opencv\",\"coreml\"]", "[\"cv\"]", "\"cv\" is no extra"},
	{"[\"opencv\",\"coreml\"]", "\"opencv\"", "expected an array"},
	{"\"ocr\":", "\"opencv\":",
	 "$.features.opencv: \"opencv\" is the name "
	 "of a feature and of an extra"},
	{"\"ocr\":", "\"cv\":", "of a feature and of an extra"},
	{"\"ocr\":", "\"none\":", "is a word"},
	{"\"name\":\"headers\"", "\"name\":\"Core-iOS\"",
	 "$.artifacts[1]: the artifact \"core-ios\" is there twice"},
	{"\"name\":\"headers\"", "\"name\":\"a/b\"", "$.artifacts[0].name: "},
	{"\"name\":\"headers\"", "\"name\":\"a'b\"", "$.artifacts[0].name: "},
	{"\"name\":\"headers\",", "", "\"name\" is missing"},
	{"\"target\":\"ios\"", "\"target\":\"tvos\"",
	 "$.artifacts[1].target: \"tvos\" is no target (did you mean \"ios\"?"},
	{"\"target\":\"ios\"", "\"target\":\"android-x64\"", "is no target"},
	{"\"extra\":\"opencv\"", "\"extra\":\"cv\"", "\"cv\" is no extra"},
	{"\"extra\":\"opencv\"", "\"extra\":null", "expected a string"},
	{"\"unpackedSize\":12", "\"unpackedSize\":13",
	 "$.artifacts[1]: \"unpackedSize\" is 13, and the files have 12 bytes"},
	{"\"unpackedSize\":12", "\"unpackedSize\":-1", "expected a whole"},
	{"\"unpackedSize\":12", "\"unpackedSize\":0", "expected a whole"},
	{"\"path\":\"a/b\"", "\"path\":\"../b\"",
	 "$.artifacts[1].files[0].path: the path \"../b\" leaves"},
	{"\"path\":\"a/b\"", "\"path\":\"C:\\\\b\"", "colon"},
	{"\"size\":34", "\"size\":0",
	 "$.artifacts[1].archives[0].size: "
	 "expected a whole number from 1 to "
	 "68719476736, found the number 0"},
	{"\"size\":34", "\"size\":-1", "found the number -1"},
	{"\"size\":34", "\"size\":1.5", "expected a whole number without"},
	{"\"size\":34", "\"size\":1e3", "expected a whole number without"},
	{"\"size\":34", "\"size\":\"12\"", "found the string \"12\""},
	{"\"size\":34", "\"size\":9007199254740993", "expected a whole"},
	{"\"size\":34", "\"size\":68719476737", "expected a whole"},
	{"\"size\":34", "\"size\":null", "found null"},
	{"\"size\":34,", "", "the member \"size\" is missing beside it"},
	{"\"size\":34,\"sha256\":\"e3b0", "\"size\":34,\"sha256\":\"3b0",
	 "$.artifacts[1].archives[0].sha256: expected 64 hexadecimal digits"},
	{"\"size\":34,\"sha256\":\"", "\"size\":34,\"sha256\":\"0", "64 hexa"},
	{"\"size\":34,\"sha256\":\"e", "\"size\":34,\"sha256\":\"g", "64 hexa"},
	{"\"size\":34,\"sha256\":\"e", "\"size\":34,\"sha256\":\" ", "64 hexa"},
	{"\"size\":34,\"sha256\"", "\"size\":34,\"sha1\"",
	 "\"sha1\" is not known; known are: file, format"},
	{"\"file\":\"headers.tar.gz\"", "\"file\":\"CORE-ios.tar.gz\"",
	 "is an archive of \"headers\" too"},
	{"\"file\":\"headers.tar.gz\"", "\"file\":\"a\\\"b\"", "character"},
	{"\"file\":\"headers.tar.gz\"", "\"file\":\"../x\"", "character"},
	{"\"file\":\"headers.tar.gz\"", "\"file\":\"con.gz\"", "reserved"},
	{"\"file\":\"headers.tar.gz\",", "", "\"file\" is missing"},
	{"\"format\":\"zip\"", "\"format\":\"rar\"",
	 "$.artifacts[2].archives[0].format: expected \"tar.gz\""},
	{",\"format\":\"zip\"", "", "\"format\" is missing"},
	{"\"format\":\"tar.zst\"", "\"format\":\"tar.gz\"",
	 "a second archive of format \"tar.gz\""},
	{"[{\"file\":\"opencv.zip\",\"format\":\"zip\"}]", "[]",
	 "$.artifacts[2].archives: expected 1 to 3 entries, found 0"},
	{"\"lists\"", "\"extras\"", "is no list of this manifest's"},
};

static void what_breaks_a_promise_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *text CLEANUP(memory_release) = replaced(
			manifest_sample, refused[i].from, refused[i].to);
		struct manifest *m CLEANUP(manifest_free) = NULL;
		struct error err = ERROR_INIT;

		assert_non_null(text);
		if (manifest_parse(&m, "m.json", text, strlen(text), &err))
			fail_msg("accepted: %s", refused[i].to);
		assert_null(m);
		assert_int_equal(err.kind, ERROR_CONFIG);
		if (!strstr(err.text, refused[i].message))
			fail_msg("%s: %s", refused[i].to, err.text);
	}
}

static void what_is_optional_may_be_left_out(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{"\"schema\":1", "\"$schema\":\"./x.json\",\"schema\":1"},
		{"[\"https://h/r\"]", "[]"},
		{"https://h/r", "file:///tmp/r"},
		{",\"destination\":\"ios\"", ""},
		{",\"hosts\":[\"macos\"]", ""},
		{"\"aliases\":[\"android-arm64\"],", ""},
		{"\"arch\":\"arm64-v8a\",", ""},
		{"\"provided\":{\"ios\":\"a CocoaPod\"},", ""},
		{",\"olderNames\":[\"cv\"]", ""},
		{"\"features\":{\"ocr\":[\"opencv\",\"coreml\"],\"plain\":[]},",
		 ""},
		{"\"unpackedSize\":12,", ""},
		{"\"size\":34", "\"size\":68719476736"},
		{"\"size\":34,\"sha256\":\"e3b0", "\"size\":34,\"sha256\":"
						  "\"E3B0"},
		/* A platform of one target may bear the target's name. */
		{"\"ios\":{\"platform\":\"ios\"", "\"ios\":{\"aliases\":["
						  "\"iphone\"],\"platform\":"
						  "\"ios\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text CLEANUP(memory_release) =
			replaced(manifest_sample, cases[i].from, cases[i].to);
		struct manifest *m CLEANUP(manifest_free) = NULL;

		assert_non_null(text);
		m = parse(text);
		assert_int_equal(m->artifact_count, 3);
	}
}

static void a_missing_unpacked_size_is_that_of_the_files(void **state)
{
	char *text CLEANUP(memory_release) =
		replaced(manifest_sample, "\"unpackedSize\":12,", "");
	struct manifest *m CLEANUP(manifest_free) = parse(text);

	(void)state;
	assert_int_equal(m->artifacts[1].unpacked_size, 12);
}

static void features_belong_to_the_vocabulary_of_lists(void **state)
{
	static const char text[] =
		"{\"schema\":1,\"product\":\"p\",\"version\":\"1\","
		"\"vocabulary\":\"extras\",\"baseUrls\":[],\"targets\":{"
		"\"t\":{\"platform\":\"t\"}},\"extras\":{},\"features\":{},"
		"\"artifacts\":[{\"name\":\"a\",\"archives\":[{\"file\":\"a\","
		"\"format\":\"zip\"}]}]}";
	char *fine CLEANUP(memory_release) =
		replaced(text, "\"features\":{},", "");
	struct manifest *m CLEANUP(manifest_free) = parse(fine);
	struct manifest *none = NULL;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(m->has_lists);
	assert_false(manifest_parse(&none, "m", text, strlen(text), &err));
	assert_non_null(strstr(err.text, "$.features: features need"));
}

static void the_count_of_artifacts_is_limited(void **state)
{
	(void)state;
	for (size_t count = MANIFEST_ARTIFACTS_MAX;
	     count <= MANIFEST_ARTIFACTS_MAX + 1; count++) {
		struct buf text CLEANUP(buf_release) = BUF_INIT;
		struct manifest *m CLEANUP(manifest_free) = NULL;
		struct error err = ERROR_INIT;

		buf_text(&text, "{\"schema\":1,\"product\":\"p\",\"version\":"
				"\"1\",\"vocabulary\":\"extras\",\"baseUrls\":"
				"[],\"targets\":{\"t\":{\"platform\":\"t\"}},"
				"\"extras\":{},\"artifacts\":[");
		for (size_t i = 0; i < count; i++)
			buf_printf(&text,
				   "%s{\"name\":\"a%zu\",\"archives\":[{"
				   "\"file\":\"a%zu\",\"format\":\"zip\"}]}",
				   i ? "," : "", i, i);
		buf_text(&text, "]}");
		assert_int_equal(
			manifest_parse(&m, "m", text.data, text.length, &err),
			count == MANIFEST_ARTIFACTS_MAX);
	}
}

static void a_huge_text_is_refused_unread(void **state)
{
	struct manifest *m = NULL;
	struct error err = ERROR_INIT;

	(void)state;
	assert_false(manifest_parse(&m, "m", "", MANIFEST_BYTES_MAX + 1, &err));
	assert_non_null(strstr(err.text, "at most 4194304 bytes"));
}

/* Every cut and every flipped bit is an error or a manifest, never a crash. */
static void damage_does_no_harm(void **state)
{
	size_t length = strlen(manifest_sample);

	(void)state;
	for (size_t cut = 0; cut < length; cut++) {
		char *text CLEANUP(memory_release) =
			memory_string_n(manifest_sample, cut);
		struct manifest *m = NULL;
		struct error err = ERROR_INIT;

		assert_false(manifest_parse(&m, "m", text, cut, &err));
	}
	for (size_t i = 0; i < length; i++) {
		for (int bit = 0; bit < 8; bit++) {
			char *text CLEANUP(memory_release) =
				memory_string(manifest_sample);
			struct manifest *m CLEANUP(manifest_free) = NULL;
			struct error err = ERROR_INIT;

			text[i] ^= (char)(1 << bit);
			if (!manifest_parse(&m, "m", text, length, &err))
				assert_int_equal(err.kind, ERROR_CONFIG);
		}
	}
}

/* The promise that a backend and a target are data. */
static void a_new_backend_and_a_new_target_need_no_c(void **state)
{
	char *with_extra CLEANUP(memory_release) = replaced(
		manifest_sample, "\"coreml\":{",
		"\"qnn\":{\"flag\":\"RNE_ENABLE_QNN\",\"key\":\"enableQnn\","
		"\"list\":\"backends\",\"platforms\":[\"android\",\"tizen\"]},"
		"\"coreml\":{");
	char *with_target CLEANUP(memory_release) = replaced(
		with_extra, "\"targets\":{",
		"\"targets\":{\"tizen-armv7\":{\"platform\":\"tizen\","
		"\"arch\":\"armv7\",\"destination\":\"tizen\",\"aliases\":"
		"[\"tv\"],\"hosts\":[\"linux\"]},");
	char *text CLEANUP(memory_release) = replaced(
		with_target, "\"artifacts\":[",
		"\"artifacts\":[{\"name\":\"qnn-tizen\",\"target\":"
		"\"tizen-armv7\",\"extra\":\"qnn\",\"archives\":[{\"file\":"
		"\"qnn-tizen.tar.zst\",\"format\":\"tar.zst\"}]},");
	struct manifest *m CLEANUP(manifest_free) = parse(text);
	const struct manifest_extra *qnn = manifest_extra(m, "qnn");
	struct list names CLEANUP(list_release) = LIST_INIT;
	struct list targets CLEANUP(list_release) = LIST_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_non_null(qnn);
	assert_true(manifest_extra_on(qnn, "tizen"));
	assert_string_equal(qnn->flag, "RNE_ENABLE_QNN");
	list_add(&names, "tv");
	assert_true(target_resolve(m, &names, "--target", false, "linux",
				   &targets, &err));
	assert_int_equal(targets.count, 1);
	assert_string_equal(targets.items[0], "tizen-armv7");
	assert_ptr_equal(m->artifacts[0].extra, qnn);
	assert_string_equal(manifest_destination(&m->artifacts[0]), "tizen");
}

static void archive_formats_have_names(void **state)
{
	enum archive_format format = ARCHIVE_TAR_GZ;

	(void)state;
	for (int i = ARCHIVE_TAR_GZ; i <= ARCHIVE_ZIP; i++) {
		assert_true(manifest_format_parse(manifest_format_name(i),
						  &format));
		assert_int_equal(format, i);
	}
	assert_false(manifest_format_parse("TAR.GZ", &format));
	assert_false(manifest_format_parse("", &format));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_manifest_is_read_whole),
		cmocka_unit_test(names_are_looked_up),
		cmocka_unit_test(
			what_breaks_a_promise_is_refused_with_its_place),
		cmocka_unit_test(what_is_optional_may_be_left_out),
		cmocka_unit_test(a_missing_unpacked_size_is_that_of_the_files),
		cmocka_unit_test(features_belong_to_the_vocabulary_of_lists),
		cmocka_unit_test(the_count_of_artifacts_is_limited),
		cmocka_unit_test(a_huge_text_is_refused_unread),
		cmocka_unit_test(damage_does_no_harm),
		cmocka_unit_test(a_new_backend_and_a_new_target_need_no_c),
		cmocka_unit_test(archive_formats_have_names),
	};

	return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
