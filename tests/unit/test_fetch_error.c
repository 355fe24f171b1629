#include "fetch_error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "library.h"

static struct fetch_setting proxy = {
	(char *)"http://user:secret@proxy.example:3128",
	(char *)"HTTPS_PROXY",
};

static struct fetch_scene a_scene(void)
{
	return (struct fetch_scene){
		.url = "https://files.example/a",
		.detail = "details",
		.connect_ms = 1500,
	};
}

static void what_may_pass_is_tried_again(void **state)
{
	static const CURLcode codes[] = {
		CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
		CURLE_OPERATION_TIMEDOUT,   CURLE_GOT_NOTHING,
		CURLE_PARTIAL_FILE,         CURLE_RECV_ERROR,
		CURLE_SEND_ERROR,           CURLE_HTTP2,
		CURLE_HTTP2_STREAM,         CURLE_SSL_CONNECT_ERROR,
	};
	struct fetch_scene scene = a_scene();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(fetch_error_curl(codes[i], &scene, &err),
				 FETCH_AGAIN);
		assert_int_equal(err.kind, ERROR_NETWORK);
		assert_non_null(strstr(err.text, "details"));
	}
}

static void what_stays_wrong_is_not(void **state)
{
	struct fetch_scene scene = a_scene();

	(void)state;
	for (int code = 1; code < CURL_LAST; code++) {
		struct error err = ERROR_INIT;
		enum fetch_verdict verdict =
			fetch_error_curl(code, &scene, &err);

		assert_true(verdict == FETCH_AGAIN ||
			    verdict == FETCH_ELSEWHERE);
		assert_int_equal(err.kind, ERROR_NETWORK);
		assert_true(err.text[0]);
	}
}

static void a_certificate_is_told_how_to_be_trusted(void **state)
{
	static const struct {
		const char *detail, *hint;
	} cases[] = {
		{"unable to get local issuer certificate",
		 "NODE_EXTRA_CA_CERTS"},
		{"self-signed certificate in certificate chain",
		 "npm_config_cafile"},
		{"certificate has expired", "clock"},
		{"certificate is not yet valid", "clock"},
		{"no alternative certificate subject name matches target host",
		 "Another host"},
		{"certificate subject name 'a' does not match target host 'b'",
		 "Another host"},
	};
	struct fetch_scene scene = a_scene();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;

		scene.detail = cases[i].detail;
		assert_int_equal(
			fetch_error_curl(CURLE_PEER_FAILED_VERIFICATION, &scene,
					 &err),
			FETCH_ELSEWHERE);
		assert_non_null(strstr(err.hint, cases[i].hint));
	}
}

static void a_dead_proxy_is_named_without_its_password(void **state)
{
	static const CURLcode codes[] = {
		CURLE_COULDNT_CONNECT,
		CURLE_COULDNT_RESOLVE_PROXY,
		CURLE_PROXY,
		CURLE_OPERATION_TIMEDOUT,
	};
	struct fetch_scene scene = a_scene();

	(void)state;
	scene.proxy = &proxy;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(fetch_error_curl(codes[i], &scene, &err),
				 FETCH_AGAIN);
		assert_non_null(strstr(err.hint, "HTTPS_PROXY"));
		assert_null(strstr(err.text, "secret"));
	}
}

static void a_proxy_that_refuses_is_told_from_a_server_that_does(void **state)
{
	static const struct {
		long status;
		enum fetch_verdict verdict;
	} cases[] = {
		{407, FETCH_ELSEWHERE},
		{403, FETCH_ELSEWHERE},
		{502, FETCH_AGAIN},
		{503, FETCH_AGAIN},
	};
	struct fetch_scene scene = a_scene();

	(void)state;
	scene.proxy = &proxy;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;

		scene.proxy_status = cases[i].status;
		assert_int_equal(
			fetch_error_curl(CURLE_RECV_ERROR, &scene, &err),
			cases[i].verdict);
		assert_non_null(strstr(err.text, "the proxy http://***@"));
	}
}

static void a_github_404_speaks_of_the_token(void **state)
{
	struct fetch_scene scene = a_scene();
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(fetch_error_status(404, &scene, &err),
			 FETCH_ELSEWHERE);
	assert_string_equal(err.hint, "");
	scene.url = "https://github.com/a";
	assert_int_equal(fetch_error_status(404, &scene, &err),
			 FETCH_ELSEWHERE);
	assert_non_null(strstr(err.hint, "GITHUB_TOKEN"));
}

static void messages_say_how_far_it_came_and_hide_secrets(void **state)
{
	struct fetch_scene scene = a_scene();
	struct error err = ERROR_INIT;

	(void)state;
	scene.received = 12;
	scene.size = 34;
	error_set(&err, ERROR_NETWORK, "cut");
	fetch_error_progress(&scene, &err);
	fetch_error_place("a.tar.gz", "https://u:secret@h/a?sig=secret", &err);
	assert_string_equal(err.text, "a.tar.gz: https://***@h/a?***: cut, "
				      "after 12 of 34 bytes");
	scene.size = 0;
	error_set(&err, ERROR_NETWORK, "cut");
	fetch_error_progress(&scene, &err);
	assert_string_equal(err.text, "cut, after 12 bytes");
	scene.received = 0;
	error_set(&err, ERROR_NETWORK, "cut");
	fetch_error_progress(&scene, &err);
	assert_string_equal(err.text, "cut, before any byte of the file");
}

int main(void)
{
	struct error err = ERROR_INIT;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_pass_is_tried_again),
		cmocka_unit_test(what_stays_wrong_is_not),
		cmocka_unit_test(a_certificate_is_told_how_to_be_trusted),
		cmocka_unit_test(a_dead_proxy_is_named_without_its_password),
		cmocka_unit_test(
			a_proxy_that_refuses_is_told_from_a_server_that_does),
		cmocka_unit_test(a_github_404_speaks_of_the_token),
		cmocka_unit_test(messages_say_how_far_it_came_and_hide_secrets),
	};

	/* For its words. */
	if (!library_load_curl(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
