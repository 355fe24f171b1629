#include "netconf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "memory.h"

/* A folder with an app, a home and a prefix, each with a place for npmrc. */
struct ground {
	char root[64];
	struct fetch_policy policy;
	struct error err;
};

static char *place(const struct ground *ground, const char *name)
{
	return memory_printf("%s/%s", ground->root, name);
}

static void write_file(const struct ground *ground, const char *name,
		       const char *text)
{
	char *path CLEANUP(memory_release) = place(ground, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int make_ground(void **state)
{
	static const char *const folders[] = {"app", "home", "prefix",
					      "prefix/etc"};
	struct ground *ground = memory_allocate(sizeof(*ground));
	char *home CLEANUP(memory_release) = NULL;

	for (const struct environment_variable *variable = environment_table();
	     variable->name; variable++)
		unsetenv(variable->name);
	snprintf(ground->root, sizeof(ground->root), "/tmp/netconf-XXXXXX");
	if (!mkdtemp(ground->root))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		char *path CLEANUP(memory_release) = place(ground, folders[i]);

		if (mkdir(path, 0755))
			return 1;
	}
	home = place(ground, "home");
	setenv("HOME", home, 1);
	*state = ground;
	return 0;
}

static int remove_ground(void **state)
{
	static const char *const paths[] = {
		"app/.npmrc", "home/.npmrc", "home/other", "prefix/etc/npmrc",
		"app",        "home",        "prefix/etc", "prefix",
	};
	struct ground *ground = *state;

	netconf_release(&ground->policy);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char *path CLEANUP(memory_release) = place(ground, paths[i]);

		remove(path);
	}
	rmdir(ground->root);
	free(ground);
	return 0;
}

static bool attempt(struct ground *ground)
{
	struct environment env;
	char *project CLEANUP(memory_release) = place(ground, "app");

	error_clear(&ground->err);
	assert_true(environment_read(&env, &ground->err));
	netconf_release(&ground->policy);
	return netconf_read(&ground->policy, &env, project, &ground->err);
}

static void read_policy(struct ground *ground)
{
	if (!attempt(ground))
		fail_msg("%s", ground->err.text);
}

static void assert_setting(const struct fetch_setting *setting,
			   const char *value, const char *from)
{
	if (!value) {
		assert_null(setting->value);
		return;
	}
	assert_non_null(setting->value);
	assert_string_equal(setting->value, value);
	assert_non_null(strstr(setting->from, from));
}

static void nothing_set_is_no_proxy_and_strict(void **state)
{
	struct ground *ground = *state;
	const struct fetch_policy *policy = &ground->policy;

	read_policy(ground);
	assert_true(policy->strict_ssl);
	assert_false(policy->allow_http);
	assert_null(policy->https_proxy.value);
	assert_null(policy->http_proxy.value);
	assert_null(policy->no_proxy);
	assert_null(policy->ca_file.value);
	assert_null(policy->ca_dir.value);
	assert_null(policy->ca_extra.value);
	assert_null(policy->github_token);
	assert_int_equal(policy->tries, 4);
	assert_int_equal(policy->connect_ms, FETCH_CONNECT_MS);
	assert_int_equal(policy->stall_ms, FETCH_STALL_MS);
}

static void proxies_come_in_their_order(void **state)
{
	/* From the last choice to the first: each wins over those before. */
	static const struct {
		const char *variable, *https_from, *http_from;
	} steps[] = {
		{"ALL_PROXY", "ALL_PROXY", "ALL_PROXY"},
		{"all_proxy", "all_proxy", "all_proxy"},
		{"HTTP_PROXY", "all_proxy", "all_proxy"},
		{"http_proxy", "all_proxy", "http_proxy"},
		{"HTTPS_PROXY", "HTTPS_PROXY", "http_proxy"},
		{"https_proxy", "https_proxy", "http_proxy"},
		{"npm_config_proxy", "npm_config_proxy", "npm_config_proxy"},
		{"npm_config_https_proxy", "npm_config_https_proxy",
		 "npm_config_proxy"},
	};
	struct ground *ground = *state;

	write_file(ground, "app/.npmrc",
		   "https-proxy=http://npmrc:1\nproxy=http://npmrc:2\n");
	read_policy(ground);
	assert_setting(&ground->policy.https_proxy, "http://npmrc:1",
		       "https-proxy of /");
	assert_setting(&ground->policy.http_proxy, "http://npmrc:2",
		       "proxy of /");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		char *value CLEANUP(memory_release) =
			memory_printf("http://%s:1", steps[i].variable);

		setenv(steps[i].variable, value, 1);
		read_policy(ground);
		assert_string_equal(ground->policy.https_proxy.from,
				    steps[i].https_from);
		assert_string_equal(ground->policy.http_proxy.from,
				    steps[i].http_from);
		assert_non_null(strstr(ground->policy.https_proxy.value,
				       steps[i].https_from));
	}
	unsetenv("HTTP_PROXY");
}

static void npm_s_words_for_nothing_are_nothing(void **state)
{
	static const char *const words[] = {"null", "false", "undefined"};
	struct ground *ground = *state;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		setenv("npm_config_https_proxy", words[i], 1);
		setenv("HTTPS_PROXY", "http://a:1", 1);
		read_policy(ground);
		assert_setting(&ground->policy.https_proxy, "http://a:1",
			       "HTTPS_PROXY");
	}
}

static void npmrc_files_hold_project_user_global(void **state)
{
	struct ground *ground = *state;
	char *prefix CLEANUP(memory_release) = place(ground, "prefix");

	setenv("npm_config_prefix", prefix, 1);
	write_file(ground, "prefix/etc/npmrc", "proxy=http://global:1\n");
	read_policy(ground);
	assert_setting(&ground->policy.http_proxy, "http://global:1",
		       "prefix/etc/npmrc");
	write_file(ground, "home/.npmrc", "proxy=http://user:1\n");
	read_policy(ground);
	assert_setting(&ground->policy.http_proxy, "http://user:1",
		       "home/.npmrc");
	write_file(ground, "app/.npmrc",
		   "proxy=http://${PROJECT_PROXY}:1\nnoproxy=a,b\n");
	read_policy(ground);
	assert_setting(&ground->policy.http_proxy, "http://user:1",
		       "home/.npmrc");
	setenv("PROJECT_PROXY", "project", 1);
	read_policy(ground);
	assert_setting(&ground->policy.http_proxy, "http://project:1",
		       "app/.npmrc");
	assert_setting(&ground->policy.https_proxy, "http://project:1",
		       "app/.npmrc");
	assert_string_equal(ground->policy.no_proxy, "a,b");
	unsetenv("PROJECT_PROXY");
}

static void npm_s_variables_say_where_its_files_are(void **state)
{
	struct ground *ground = *state;
	char *user CLEANUP(memory_release) = place(ground, "home/other");
	char *global CLEANUP(memory_release) =
		place(ground, "prefix/etc/npmrc");
	char *node CLEANUP(memory_release) = place(ground, "prefix/bin/node");

	write_file(ground, "prefix/etc/npmrc", "cafile=/global.pem\n");
	setenv("npm_node_execpath", node, 1);
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, "/global.pem", "npmrc");
	setenv("npm_node_execpath", "node", 1);
	read_policy(ground);
	assert_null(ground->policy.ca_file.value);
	setenv("npm_config_globalconfig", global, 1);
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, "/global.pem", "npmrc");
	write_file(ground, "home/other", "cafile=/user.pem\n");
	setenv("npm_config_userconfig", user, 1);
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, "/user.pem", "home/other");
}

static void certificates_come_from_their_variables(void **state)
{
	struct ground *ground = *state;

	write_file(ground, "app/.npmrc", "cafile=/npmrc.pem\n");
	setenv("NODE_EXTRA_CA_CERTS", "/extra.pem", 1);
	setenv("SSL_CERT_DIR", "/certs", 1);
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, "/npmrc.pem", "cafile of /");
	assert_setting(&ground->policy.ca_extra, "/extra.pem",
		       "NODE_EXTRA_CA_CERTS");
	assert_setting(&ground->policy.ca_dir, "/certs", "SSL_CERT_DIR");
	setenv("SSL_CERT_FILE", "/ssl.pem", 1);
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, "/ssl.pem", "SSL_CERT_FILE");
	setenv("npm_config_cafile", "/npm.pem", 1);
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, "/npm.pem",
		       "npm_config_cafile");
}

static void a_path_in_an_npmrc_starts_at_home_or_at_its_folder(void **state)
{
	struct ground *ground = *state;
	char *home CLEANUP(memory_release) = place(ground, "home/ca.pem");
	char *near CLEANUP(memory_release) = place(ground, "app/ca.pem");

	write_file(ground, "app/.npmrc", "cafile=~/ca.pem\n");
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, home, "app/.npmrc");
	write_file(ground, "app/.npmrc", "cafile=ca.pem\n");
	read_policy(ground);
	assert_setting(&ground->policy.ca_file, near, "app/.npmrc");
}

static void strict_ssl_is_off_only_when_something_says_so(void **state)
{
	static const struct {
		const char *variable, *npmrc;
		bool strict;
	} cases[] = {
		{NULL, "", true},
		{"true", "", true},
		{"null", "", true},
		{"false", "", false},
		{"0", "", false},
		{NULL, "strict-ssl=false\n", false},
		{NULL, "strict-ssl=true\n", true},
		{"true", "strict-ssl=false\n", true},
	};
	struct ground *ground = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsetenv("npm_config_strict_ssl");
		if (cases[i].variable)
			setenv("npm_config_strict_ssl", cases[i].variable, 1);
		write_file(ground, "app/.npmrc", cases[i].npmrc);
		read_policy(ground);
		assert_int_equal(ground->policy.strict_ssl, cases[i].strict);
		assert_int_equal(ground->policy.lax_ssl_from != NULL,
				 !cases[i].strict);
	}
}

static void no_proxy_lists_are_united(void **state)
{
	struct ground *ground = *state;

	write_file(ground, "app/.npmrc", "noproxy=c\n");
	setenv("NO_PROXY", "a", 1);
	read_policy(ground);
	assert_string_equal(ground->policy.no_proxy, "a");
	setenv("npm_config_noproxy", "b", 1);
	read_policy(ground);
	assert_string_equal(ground->policy.no_proxy, "b,a");
	setenv("NO_PROXY", "", 1);
	read_policy(ground);
	assert_string_equal(ground->policy.no_proxy, "b");
}

static void a_token_loses_the_blanks_around_it(void **state)
{
	struct ground *ground = *state;

	setenv("GITHUB_TOKEN", " ghp_abc\r\n", 1);
	read_policy(ground);
	assert_string_equal(ground->policy.github_token, "ghp_abc");
	setenv("GITHUB_TOKEN", " \n", 1);
	read_policy(ground);
	assert_null(ground->policy.github_token);
}

static void what_makes_no_sense_is_refused_with_its_name(void **state)
{
	static const struct {
		const char *variable, *value, *shown;
	} cases[] = {
		{"HTTPS_PROXY", "ftp://proxy:1", "ftp://proxy:1"},
		{"HTTPS_PROXY", "http://u:secret@pro xy:1", "***@pro xy"},
		{"npm_config_proxy", "http://a\r\nX: y", "control"},
		{"npm_config_strict_ssl", "maybe", "maybe"},
		{"GITHUB_TOKEN", "secret\r\nX: y", "control"},
	};
	struct ground *ground = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv(cases[i].variable, cases[i].value, 1);
		assert_false(attempt(ground));
		assert_int_equal(ground->err.kind, ERROR_USAGE);
		assert_non_null(strstr(ground->err.text, cases[i].variable));
		assert_non_null(strstr(ground->err.text, cases[i].shown));
		assert_null(strstr(ground->err.text, "secret"));
		unsetenv(cases[i].variable);
	}
}

static void an_npmrc_that_cannot_be_read_is_none(void **state)
{
	struct ground *ground = *state;
	char *path CLEANUP(memory_release) = place(ground, "app/.npmrc");

	assert_int_equal(mkdir(path, 0755), 0);
	read_policy(ground);
	assert_null(ground->policy.http_proxy.value);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	read_policy(ground);
	assert_null(ground->policy.http_proxy.value);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_ground, remove_ground)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_set_is_no_proxy_and_strict),
		TEST(proxies_come_in_their_order),
		TEST(npm_s_words_for_nothing_are_nothing),
		TEST(npmrc_files_hold_project_user_global),
		TEST(npm_s_variables_say_where_its_files_are),
		TEST(certificates_come_from_their_variables),
		TEST(a_path_in_an_npmrc_starts_at_home_or_at_its_folder),
		TEST(strict_ssl_is_off_only_when_something_says_so),
		TEST(no_proxy_lists_are_united),
		TEST(a_token_loses_the_blanks_around_it),
		TEST(what_makes_no_sense_is_refused_with_its_name),
		TEST(an_npmrc_that_cannot_be_read_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
