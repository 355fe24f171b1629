#include "fetch_response.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define OK   "HTTP/1.1 200 OK\r\n"
#define PART "HTTP/1.1 206 Partial Content\r\nETag: \"e\"\r\n"

/* Feeds headers line by line, as libcurl does. */
static bool feed(struct fetch_response *response, const char *headers)
{
	while (*headers) {
		size_t length = strcspn(headers, "\n");

		length += headers[length] == '\n';
		if (!fetch_response_line(response, headers, length))
			return false;
		headers += length;
	}
	return true;
}

static const struct fetch_scene scene = {.url = "https://h/f", .detail = ""};

static enum fetch_verdict judge(const char *headers,
				const struct fetch_want *want, uint64_t *from,
				uint64_t *to, struct error *err)
{
	struct fetch_response response = FETCH_RESPONSE_INIT;
	enum fetch_verdict verdict;

	assert_true(feed(&response, headers));
	assert_true(feed(&response, "\r\n"));
	assert_true(response.ended);
	error_clear(err);
	verdict = fetch_response_judge(&response, want, &scene, from, to, err);
	if (verdict != FETCH_TAKEN && verdict != FETCH_REDIRECT)
		assert_int_not_equal(err->kind, ERROR_NONE);
	fetch_response_release(&response);
	return verdict;
}

static const struct fetch_want whole = {.limit = 1000};
static const struct fetch_want sized = {.size = 100, .limit = 100};
static const struct fetch_want rest = {
	.offset = 60, .ranged = true, .etag = "\"e\"", .limit = 1000};
static const struct fetch_want part = {.offset = 60,
				       .end = 80,
				       .ranged = true,
				       .etag = "\"e\"",
				       .size = 100,
				       .limit = 1000};

struct expectation {
	const char *headers;
	const struct fetch_want *want;
	enum fetch_verdict verdict;
	enum error_kind kind; /* NONE: not looked at */
	uint64_t from, to;
};

static void expect(const struct expectation *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct expectation *expected = &cases[i];
		struct error err = ERROR_INIT;
		uint64_t from = 7777, to = 7777;
		enum fetch_verdict verdict = judge(
			expected->headers, expected->want, &from, &to, &err);

		if (verdict != expected->verdict)
			fail_msg("%s: %d (%s)", expected->headers, verdict,
				 err.text);
		if (expected->kind != ERROR_NONE)
			assert_int_equal(err.kind, expected->kind);
		if (verdict != FETCH_TAKEN)
			continue;
		assert_int_equal(from, expected->from);
		assert_int_equal(to, expected->to);
	}
}

static void a_whole_file_is_taken(void **state)
{
	static const struct expectation cases[] = {
		{OK, &whole, FETCH_TAKEN, 0, 0, 0},
		{OK "Content-Length: 12\r\n", &whole, FETCH_TAKEN, 0, 0, 12},
		{OK "content-length:100\r\n", &sized, FETCH_TAKEN, 0, 0, 100},
		{OK "Content-Length: 1000\r\n", &whole, FETCH_TAKEN, 0, 0,
		 1000},
		{OK "Content-Encoding: identity\r\n", &whole, FETCH_TAKEN, 0, 0,
		 0},
		{OK "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n",
		 &sized, FETCH_TAKEN, 0, 0, 0},
		{"HTTP/2 200 \r\n", &whole, FETCH_TAKEN, 0, 0, 0},
		/* A range that was asked for and not given. */
		{OK "Content-Length: 12\r\n", &rest, FETCH_TAKEN, 0, 0, 12},
		/* Hints before the answer say nothing about it. */
		{"HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\n" OK, &sized,
		 FETCH_TAKEN, 0, 0, 0},
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void the_part_that_was_asked_for_is_taken(void **state)
{
	static const struct expectation cases[] = {
		{PART "Content-Range: bytes 60-99/100\r\n", &rest, FETCH_TAKEN,
		 0, 60, 100},
		{PART "Content-Range: bytes 60-99/100\r\n"
		      "Content-Length: 40\r\n",
		 &rest, FETCH_TAKEN, 0, 60, 100},
		{PART "content-range:BYTES 60-79/100\r\n", &part, FETCH_TAKEN,
		 0, 60, 80},
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void another_part_means_to_start_again(void **state)
{
	static const struct expectation cases[] = {
		{PART, &rest, FETCH_RESTART, ERROR_NETWORK, 0, 0},
		{PART "Content-Range: bytes 0-39/100\r\n", &rest, FETCH_RESTART,
		 0, 0, 0},
		{PART "Content-Range: bytes 61-99/100\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-98/100\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-99/*\r\n", &rest, FETCH_RESTART,
		 0, 0, 0},
		{PART "Content-Range: bytes 60-99/99\r\n", &rest, FETCH_RESTART,
		 0, 0, 0},
		{PART "Content-Range: bytes 99-60/100\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes=60-99/100\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-99/100x\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes -60-99/100\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-99999999999999999999/100\r\n",
		 &rest, FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-99/100\r\n"
		      "Content-Length: 39\r\n",
		 &rest, FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-2999/3000\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-99/100\r\n", &part,
		 FETCH_RESTART, 0, 0, 0},
		{PART "Content-Range: bytes 60-79/101\r\n", &part,
		 FETCH_RESTART, 0, 0, 0},
		{"HTTP/1.1 206 P\r\nETag: \"f\"\r\n"
		 "Content-Range: bytes 60-99/100\r\n",
		 &rest, FETCH_RESTART, 0, 0, 0},
		{"HTTP/1.1 206 P\r\nETag: W/\"e\"\r\n"
		 "Content-Range: bytes 60-99/100\r\n",
		 &rest, FETCH_RESTART, 0, 0, 0},
		{"HTTP/1.1 206 P\r\nContent-Range: bytes 60-99/100\r\n", &rest,
		 FETCH_RESTART, 0, 0, 0},
		{"HTTP/1.1 416 No\r\n", &rest, FETCH_RESTART, 0, 0, 0},
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void what_is_no_answer_to_the_request_is_refused(void **state)
{
	static const struct expectation cases[] = {
		{PART "Content-Range: bytes 0-99/100\r\n", &whole,
		 FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
		{"HTTP/1.1 416 No\r\n", &whole, FETCH_ELSEWHERE, ERROR_NETWORK,
		 0, 0},
		{"HTTP/1.1 204 No\r\n", &whole, FETCH_ELSEWHERE, ERROR_NETWORK,
		 0, 0},
		{"HTTP/1.1 304 No\r\n", &whole, FETCH_ELSEWHERE, ERROR_NETWORK,
		 0, 0},
		{"HTTP/1.1 300 Many\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_NETWORK, 0, 0},
		{"HTTP/1.1 101 Switch\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_NETWORK, 0, 0},
		{"HTTP/1.1 404 No\r\nContent-Length: 5\r\n", &whole,
		 FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
		{"HTTP/1.1 503 No\r\n", &whole, FETCH_AGAIN, ERROR_NETWORK, 0,
		 0},
		{"HTTP/1.1 1e3 No\r\n", &whole, FETCH_ELSEWHERE, ERROR_NETWORK,
		 0, 0},
		{OK "Content-Encoding: gzip\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_NETWORK, 0, 0},
		{OK "Content-Encoding: identity\r\nContent-Encoding: br\r\n",
		 &whole, FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
		{OK "Transfer-Encoding: gzip, chunked\r\n", &whole,
		 FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
		{OK "Content-Length: 0\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_NETWORK, 0, 0},
		{OK "Content-Length: 99\r\n", &sized, FETCH_ELSEWHERE,
		 ERROR_INTEGRITY, 0, 0},
		{OK "Content-Length: 101\r\n", &sized, FETCH_ELSEWHERE,
		 ERROR_INTEGRITY, 0, 0},
		{OK "Content-Length: 1001\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_INTEGRITY, 0, 0},
		{OK "Content-Length: -1\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_NETWORK, 0, 0},
		{OK "Content-Length: 1e1\r\n", &whole, FETCH_ELSEWHERE,
		 ERROR_NETWORK, 0, 0},
		{OK "Content-Length: 99999999999999999999\r\n", &whole,
		 FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
		{OK "Content-Length: 5\r\nContent-Length: 6\r\n", &whole,
		 FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
		{"HTTP/1.1 302 F\r\nLocation: /a\r\nLocation: /b\r\n", &whole,
		 FETCH_ELSEWHERE, ERROR_NETWORK, 0, 0},
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void five_statuses_are_redirects(void **state)
{
	(void)state;
	for (long status = 0; status < 1000; status++) {
		bool expected = status == 301 || status == 302 ||
				status == 303 || status == 307 || status == 308;

		assert_int_equal(fetch_response_is_redirect(status), expected);
	}
}

static void headers_that_do_not_end_are_given_up(void **state)
{
	struct fetch_response response = FETCH_RESPONSE_INIT;
	char line[1002];
	size_t taken = 0;

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "X: ", 3);
	memcpy(line + 1000, "\r\n", 2);
	while (fetch_response_line(&response, line, sizeof(line)))
		taken += sizeof(line);
	assert_in_range(taken, RESPONSE_HEADER_BYTES_MAX - sizeof(line),
			RESPONSE_HEADER_BYTES_MAX);
	assert_non_null(response.refused);
	fetch_response_release(&response);
}

static void interim_answers_without_end_are_given_up(void **state)
{
	struct fetch_response response = FETCH_RESPONSE_INIT;
	unsigned taken = 0;

	(void)state;
	while (feed(&response, "HTTP/1.1 100 Continue\r\n\r\n"))
		taken++;
	assert_in_range(taken, RESPONSE_INTERIM_MAX, RESPONSE_INTERIM_MAX + 1);
	assert_false(response.ended);
	fetch_response_release(&response);
}

static void only_a_strong_etag_counts(void **state)
{
	static const struct {
		const char *headers, *expected;
	} cases[] = {
		{"ETag: \"abc\"\r\n", "\"abc\""},
		{"etag:\"a!#~\" \r\n", "\"a!#~\""},
		{"ETag: \"\"\r\n", "\"\""},
		{"ETag: W/\"abc\"\r\n", ""},
		{"ETag: abc\r\n", ""},
		{"ETag: \"\r\n", ""},
		{"ETag: \"a\"b\"\r\n", ""},
		{"ETag: \"a b\"\r\n", ""},
		{"ETag: \"a\tb\"\r\n", ""},
		{"ETag: \"a\x7f\"\r\n", ""},
		{"ETag: \"a\xc3\xa4\"\r\n", ""},
		{"ETag: \"a\"\r\nETag: \"a\"\r\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fetch_response response = FETCH_RESPONSE_INIT;

		assert_true(feed(&response, OK));
		assert_true(feed(&response, cases[i].headers));
		assert_string_equal(response.etag, cases[i].expected);
		fetch_response_release(&response);
	}
}

static void an_etag_of_any_length_is_safe(void **state)
{
	(void)state;
	for (size_t length = 250; length < 262; length++) {
		struct fetch_response response = FETCH_RESPONSE_INIT;
		char line[400] = "ETag: \"";

		memset(line + 7, 'x', length - 2);
		snprintf(line + 7 + length - 2, 8, "\"\r\n");
		assert_true(feed(&response, line));
		assert_int_equal(strlen(response.etag),
				 length < RESPONSE_ETAG_SIZE ? length : 0);
		fetch_response_release(&response);
	}
}

static void trailers_and_noise_change_nothing(void **state)
{
	struct fetch_response response = FETCH_RESPONSE_INIT;

	(void)state;
	assert_true(feed(&response,
			 OK "ETag: \"a\"\r\nno colon\r\n: empty\r\n"
			    "Accept-Ranges: bytes\r\nRetry-After: 5\r\n\r\n"));
	assert_true(feed(&response, "ETag: \"b\"\r\nHTTP/1.1 500 No\r\n"));
	assert_int_equal(response.status, 200);
	assert_string_equal(response.etag, "\"a\"");
	assert_string_equal(response.retry_after, "5");
	assert_true(response.accepts_ranges);
	fetch_response_release(&response);
}

static void a_location_has_a_limit_and_no_null_byte(void **state)
{
	struct fetch_response response = FETCH_RESPONSE_INIT;
	static char line[RESPONSE_LOCATION_MAX + 20];
	static const char null[] = "Location: /a\0b\r\n";

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "Location: /", 11);
	memcpy(line + sizeof(line) - 3, "\r\n", 3);
	assert_true(feed(&response, "HTTP/1.1 302 F\r\n"));
	assert_true(feed(&response, line));
	assert_non_null(response.refused);
	assert_null(response.location);
	assert_true(feed(&response, "HTTP/1.1 302 F\r\n"));
	assert_null(response.refused);
	assert_true(fetch_response_line(&response, null, sizeof(null) - 1));
	assert_non_null(response.refused);
	fetch_response_release(&response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_file_is_taken),
		cmocka_unit_test(the_part_that_was_asked_for_is_taken),
		cmocka_unit_test(another_part_means_to_start_again),
		cmocka_unit_test(what_is_no_answer_to_the_request_is_refused),
		cmocka_unit_test(five_statuses_are_redirects),
		cmocka_unit_test(headers_that_do_not_end_are_given_up),
		cmocka_unit_test(interim_answers_without_end_are_given_up),
		cmocka_unit_test(only_a_strong_etag_counts),
		cmocka_unit_test(an_etag_of_any_length_is_safe),
		cmocka_unit_test(trailers_and_noise_change_nothing),
		cmocka_unit_test(a_location_has_a_limit_and_no_null_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
