/*
 * The grammar check and the parser agree: what one takes the other takes, up
 * to members twice; and what is read, written and read again is the same.
 */
#include <cjson/cJSON.h>

#include "fuzz.h"
#include "json.h"
#include "json_writer.h"

/* The parser on bytes of their own size, with the rules' lowest bits. */
static bool parse(struct json_document *document, const char *text, size_t size,
		  unsigned rules)
{
	struct error err = ERROR_INIT;
	bool parsed = json_parse(document, "doc", text, size, rules, &err);

	FUZZ_ASSERT(parsed || err.kind == ERROR_CONFIG);
	FUZZ_ASSERT(parsed || strlen(err.text) > strlen("doc: "));
	return parsed;
}

/* Every place is reached, counted and has one type. */
static void walk(const struct json *at, unsigned depth)
{
	struct error err = ERROR_INIT;
	const char *text;
	size_t seen = 0;
	int64_t number;

	FUZZ_ASSERT(depth <= JSON_DEPTH_DEEP_MAX);
	if (json_string(at, &text, &err)) {
		struct buf out CLEANUP(buf_release) = BUF_INIT;
		struct json_document again CLEANUP(json_document_release) =
			JSON_DOCUMENT_INIT;
		struct json_writer writer;
		struct json root;
		const char *same;

		json_writer_start(&writer, &out);
		json_put_string(&writer, NULL, text);
		json_writer_finish(&writer);
		FUZZ_ASSERT(parse(&again, out.data, out.length, JSON_ANY));
		root = json_root(&again);
		FUZZ_ASSERT(json_string(&root, &same, &err));
		FUZZ_ASSERT(!strcmp(same, text));
	} else if (json_integer(at, -JSON_INTEGER_MAX, JSON_INTEGER_MAX,
				&number, &err)) {
		FUZZ_ASSERT(json_is_number(at));
	}
	json_for_each (child, at) {
		FUZZ_ASSERT(json_is_array(at) || json_is_object(at));
		walk(&child, depth + 1);
		seen++;
	}
	FUZZ_ASSERT(seen == json_count(at));
}

/* What our rules allow beyond RFC 8259 has to be harmless to others. */
static void check_stricter_rules(const char *text, size_t size, unsigned rules)
{
	struct error err = ERROR_INIT;

	/* Each of the three only ever allows more. */
	if (!json_syntax("doc", text, size, JSON_ANY, &err))
		return;
	FUZZ_ASSERT(json_syntax("doc", text, size,
				rules & ~(unsigned)JSON_WHOLE_NUMBERS, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct json_document strict CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct error err = ERROR_INIT;
	unsigned rules;
	const char *text;
	struct json root;
	bool sound;

	if (!size)
		return 0;
	rules = data[0] & 7;
	text = (const char *)data + 1;
	size--;
	sound = json_syntax("doc", text, size, rules, &err);
	FUZZ_ASSERT(sound || strstr(err.text, ": not valid JSON: "));
	FUZZ_ASSERT(sound == parse(&document, text, size,
				   rules | JSON_ALLOW_DUPLICATES));
	check_stricter_rules(text, size, rules);
	if (!sound)
		return 0;
	root = json_root(&document);
	walk(&root, 0);
	FUZZ_ASSERT(json_refuse_duplicates(&root, &err) ==
		    parse(&strict, text, size, rules));
	return 0;
}
