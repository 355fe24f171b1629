#include "env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static int forget_all(void **state)
{
	(void)state;
	for (const struct environment_variable *variable = environment_table();
	     variable->name; variable++)
		unsetenv(variable->name);
	return 0;
}

static struct environment read_environment(void)
{
	struct environment env;
	struct error err = ERROR_INIT;

	if (!environment_read(&env, &err))
		fail_msg("%s", err.text);
	return env;
}

static void nothing_set_is_all_off(void **state)
{
	struct environment none = {0};
	struct environment env = read_environment();

	(void)state;
	assert_memory_equal(&env, &none, sizeof(env));
}

static void a_switch_is_on_off_or_an_error(void **state)
{
	static const struct {
		const char *value;
		int expected; /* -1: neither */
	} cases[] = {
		{NULL, 0},  {"", 0},      {"0", 0},  {"false", 0},  {"no", 0},
		{"off", 0}, {"FALSE", 0}, {"1", 1},  {"true", 1},   {"yes", 1},
		{"on", 1},  {"True", 1},  {"2", -1}, {"maybe", -1}, {" 1", -1},
		{"1 ", -1}, {"-1", -1},   {"y", -1}, {"null", -1},  {"\n", -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool on = false;
		bool known = environment_switch(cases[i].value, &on);

		assert_int_equal(known ? on : -1, cases[i].expected);
	}
}

static void every_switch_reads_the_same_words(void **state)
{
	static const char *const names[] = {
		"RNET_SKIP_DOWNLOAD",  "RNET_NO_X86_64",
		"RNET_HEADERS_ONLY",   "RNET_OFFLINE",
		"RNET_REQUIRE_PINNED",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct environment env = {0};
		struct error err = ERROR_INIT;

		setenv(names[i], "0", 1);
		assert_true(environment_read(&env, &err));
		setenv(names[i], "nope", 1);
		assert_false(environment_read(&env, &err));
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.text, names[i]));
		assert_non_null(strstr(err.text, "\"nope\""));
		unsetenv(names[i]);
	}
}

static void skip_download_0_does_not_skip(void **state)
{
	(void)state;
	setenv("RNET_SKIP_DOWNLOAD", "0", 1);
	assert_false(read_environment().skip_download);
	setenv("RNET_SKIP_DOWNLOAD", "1", 1);
	assert_true(read_environment().skip_download);
}

static void an_empty_variable_is_an_unset_one(void **state)
{
	(void)state;
	setenv("RNET_EXTRAS", "", 1);
	setenv("HOME", "", 1);
	assert_null(read_environment().extras);
	assert_null(read_environment().home);
}

static void what_others_set_never_fails(void **state)
{
	(void)state;
	setenv("CI", "woodpecker", 1);
	setenv("npm_config_offline", "null", 1);
	assert_true(read_environment().ci);
	assert_false(read_environment().npm_offline);
	setenv("CI", "false", 1);
	setenv("npm_config_offline", "true", 1);
	assert_false(read_environment().ci);
	assert_true(read_environment().npm_offline);
}

static void the_first_of_two_names_wins(void **state)
{
	(void)state;
	setenv("HTTPS_PROXY", "http://upper:1", 1);
	assert_string_equal(read_environment().https_proxy, "http://upper:1");
	setenv("https_proxy", "http://lower:1", 1);
	assert_string_equal(read_environment().https_proxy, "http://lower:1");
	setenv("NPM_CONFIG_OFFLINE", "true", 1);
	assert_true(read_environment().npm_offline);
	setenv("npm_config_offline", "false", 1);
	assert_false(read_environment().npm_offline);
	setenv("HTTP_PROXY", "http://from-a-request:1", 1);
	assert_null(read_environment().http_proxy);
	unsetenv("HTTP_PROXY");
}

static void every_row_of_the_table_reaches_its_field(void **state)
{
	const struct environment_variable *variable;

	for (variable = environment_table(); variable->name; variable++) {
		struct environment env;
		const char *field = (const char *)&env + variable->field;

		forget_all(state);
		setenv(variable->name, "1", 1);
		env = read_environment();
		if (variable->kind == ENVIRONMENT_TEXT)
			assert_string_equal(*(const char *const *)field, "1");
		else
			assert_true(*(const bool *)field);
		for (const struct environment_variable *other =
			     environment_table();
		     other != variable; other++)
			assert_string_not_equal(other->name, variable->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_set_is_all_off, forget_all),
		cmocka_unit_test_setup(a_switch_is_on_off_or_an_error,
				       forget_all),
		cmocka_unit_test_setup(every_switch_reads_the_same_words,
				       forget_all),
		cmocka_unit_test_setup(skip_download_0_does_not_skip,
				       forget_all),
		cmocka_unit_test_setup(an_empty_variable_is_an_unset_one,
				       forget_all),
		cmocka_unit_test_setup(what_others_set_never_fails, forget_all),
		cmocka_unit_test_setup(the_first_of_two_names_wins, forget_all),
		cmocka_unit_test_setup(every_row_of_the_table_reaches_its_field,
				       forget_all),
	};

	return cmocka_run_group_tests(tests, NULL, forget_all);
}
