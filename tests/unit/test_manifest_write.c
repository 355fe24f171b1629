/* A manifest comes back from its own JSON as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "manifest_text.h"
#include "manifest_write.h"

static struct manifest *parse(const char *text)
{
	struct manifest *manifest = NULL;
	struct error err = ERROR_INIT;

	if (!manifest_parse(&manifest, "m.json", text, strlen(text), &err))
		fail_msg("%s: %s", err.text, text);
	return manifest;
}

static void writing_and_reading_again_changes_nothing(void **state)
{
	struct manifest *m CLEANUP(manifest_free) = parse(manifest_sample);
	struct manifest *again CLEANUP(manifest_free) = NULL;
	struct buf first CLEANUP(buf_release) = BUF_INIT;
	struct buf second CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	manifest_write(m, &first);
	again = parse(first.data);
	manifest_write(again, &second);
	assert_string_equal(first.data, second.data);
	assert_int_equal(again->target_count, m->target_count);
	assert_string_equal(again->extras[0].provided.items[0],
			    m->extras[0].provided.items[0]);
	assert_int_equal(again->artifacts[1].files.count, 1);
	assert_true(digest_equal(&again->artifacts[1].archives[0].digest,
				 &m->artifacts[1].archives[0].digest));
}

/* Compared without blanks, the sample is what the writer makes of it. */
static void keys_come_in_the_documented_order(void **state)
{
	struct manifest *m CLEANUP(manifest_free) = parse(manifest_sample);
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct buf squeezed CLEANUP(buf_release) = BUF_INIT;
	bool quoted = false;

	(void)state;
	manifest_write(m, &out);
	for (const char *c = out.data; *c; c++) {
		quoted ^= *c == '"';
		if (quoted || !strchr(" \n", *c))
			buf_byte(&squeezed, *c);
	}
	assert_string_equal(squeezed.data, manifest_sample);
}

static void the_reference_to_the_schema_is_kept(void **state)
{
	char *text CLEANUP(memory_release) =
		replaced(manifest_sample, "{", "{\"$schema\":\"./s.json\",");
	struct manifest *m CLEANUP(manifest_free) = parse(text);
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	(void)state;
	manifest_write(m, &out);
	assert_ptr_equal(strstr(out.data, "{\n  \"$schema\": \"./s.json\",\n"),
			 out.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writing_and_reading_again_changes_nothing),
		cmocka_unit_test(keys_come_in_the_documented_order),
		cmocka_unit_test(the_reference_to_the_schema_is_kept),
	};

	return cmocka_run_group_tests_name("manifest_write", tests, NULL, NULL);
}
