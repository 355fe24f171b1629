/* JSON out: layout, escapes, and that our own reader takes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "json.h"
#include "json_writer.h"

static void layout_is_a_member_a_line_or_all_on_one(void **state)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct list names CLEANUP(list_release) = LIST_INIT;
	struct json_writer writer;

	(void)state;
	list_add(&names, "x");
	list_add(&names, "y");
	json_writer_start(&writer, &out);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_string(&writer, "name", "core");
	json_put_integer(&writer, "size", -5);
	json_put_boolean(&writer, "on", true);
	json_put_string(&writer, "none", NULL);
	json_put_strings(&writer, "names", &names);
	json_open_array(&writer, "empty", JSON_LINES);
	json_close(&writer);
	json_open_array(&writer, "files", JSON_LINES);
	json_open_object(&writer, NULL, JSON_INLINE);
	json_put_string(&writer, "path", "a");
	json_open_array(&writer, "inner", JSON_LINES);
	json_put_integer(&writer, NULL, 1);
	json_put_integer(&writer, NULL, 2);
	json_close(&writer);
	json_close(&writer);
	json_open_object(&writer, NULL, JSON_INLINE);
	json_close(&writer);
	json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
	assert_string_equal(out.data,
			    "{\n"
			    "  \"name\": \"core\",\n"
			    "  \"size\": -5,\n"
			    "  \"on\": true,\n"
			    "  \"none\": null,\n"
			    "  \"names\": [\"x\", \"y\"],\n"
			    "  \"empty\": [],\n"
			    "  \"files\": [\n"
			    "    { \"path\": \"a\", \"inner\": [1, 2] },\n"
			    "    {}\n"
			    "  ]\n"
			    "}\n");
}

static void strings_come_back_as_they_were(void **state)
{
	static const char *const texts[] = {
		"",
		"plain",
		"\"\\/\b\f\n\r\t",
		"\x01\x1F\x7F",
		"\xC3\xA9 \xF0\x9D\x84\x9E \xE2\x80\xA8",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct buf out CLEANUP(buf_release) = BUF_INIT;
		struct json_document document CLEANUP(json_document_release) =
			JSON_DOCUMENT_INIT;
		struct json_writer writer;
		struct json root, at;
		struct error err = ERROR_INIT;
		const char *text;

		json_writer_start(&writer, &out);
		json_open_object(&writer, NULL, JSON_LINES);
		json_put_string(&writer, texts[i], texts[i]);
		json_close(&writer);
		json_writer_finish(&writer);
		if (!json_parse(&document, "doc", out.data, out.length,
				JSON_WHOLE_NUMBERS, &err))
			fail_msg("%s: %s", out.data, err.text);
		root = json_root(&document);
		at = json_member(&root, texts[i]);
		assert_true(json_string(&at, &text, &err));
		assert_string_equal(text, texts[i]);
	}
}

static void bytes_that_are_not_utf8_become_a_replacement(void **state)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct json_writer writer;

	(void)state;
	json_writer_start(&writer, &out);
	json_put_string(&writer, NULL, "a\xFF\xC3");
	json_writer_finish(&writer);
	assert_string_equal(out.data, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_a_member_a_line_or_all_on_one),
		cmocka_unit_test(strings_come_back_as_they_were),
		cmocka_unit_test(bytes_that_are_not_utf8_become_a_replacement),
	};

	return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
