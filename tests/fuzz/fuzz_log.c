/* What reaches a terminal is UTF-8 that the terminal only shows. */
#include <utf8proc.h>

#include "buf.h"
#include "fuzz.h"
#include "log.h"

static bool is_deceptive(utf8proc_int32_t code)
{
	utf8proc_bidi_class_t turn = utf8proc_get_property(code)->bidi_class;

	/* The overrides, embeddings and isolates, and what ends them. */
	return turn == UTF8PROC_BIDI_CLASS_LRE ||
	       turn == UTF8PROC_BIDI_CLASS_LRO ||
	       turn == UTF8PROC_BIDI_CLASS_RLE ||
	       turn == UTF8PROC_BIDI_CLASS_RLO ||
	       turn == UTF8PROC_BIDI_CLASS_PDF ||
	       turn == UTF8PROC_BIDI_CLASS_LRI ||
	       turn == UTF8PROC_BIDI_CLASS_RLI ||
	       turn == UTF8PROC_BIDI_CLASS_FSI ||
	       turn == UTF8PROC_BIDI_CLASS_PDI;
}

static void check(const struct buf *out)
{
	const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)out->data;
	utf8proc_int32_t code;

	FUZZ_ASSERT(strlen(out->data) == out->length);
	while (*at) {
		utf8proc_ssize_t length = utf8proc_iterate(at, -1, &code);

		FUZZ_ASSERT(length > 0);
		FUZZ_ASSERT(utf8proc_category(code) != UTF8PROC_CATEGORY_CC);
		FUZZ_ASSERT(!is_deceptive(code));
		at += length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text CLEANUP(memory_release) = fuzz_string(data, size);
	struct buf once CLEANUP(buf_release) = BUF_INIT;
	struct buf twice CLEANUP(buf_release) = BUF_INIT;
	struct buf url CLEANUP(buf_release) = BUF_INIT;

	log_escape(&once, text);
	check(&once);
	FUZZ_ASSERT(once.length <= 4 * strlen(text));
	log_escape(&twice, once.data);
	FUZZ_ASSERT(!strcmp(once.data, twice.data));
	log_url(&url, text);
	FUZZ_ASSERT(url.length <= strlen(text) + strlen("***@?***"));
	return 0;
}
