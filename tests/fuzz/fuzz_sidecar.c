/* A digest that is accepted stands in the text, beside our name or alone. */
#include <ctype.h>

#include "buf.h"
#include "fuzz.h"
#include "sidecar.h"

#define ARCHIVE "core-ios.tar.gz"

static bool parse(struct digest *digest, const char *text, size_t size)
{
	struct error err = ERROR_INIT;
	bool parsed = sidecar_parse(digest, text, size, ARCHIVE, &err);

	FUZZ_ASSERT(parsed || err.kind == ERROR_INTEGRITY);
	FUZZ_ASSERT(parsed || strstr(err.text, ARCHIVE ".sha256: "));
	return parsed;
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	while (*text) {
		text += strspn(text, " \t\r\n\v\f");
		lines += *text != '\0';
		text += strcspn(text, "\n");
	}
	return lines;
}

static void check_digest(const struct digest *digest, const char *text)
{
	char *lower CLEANUP(memory_release) = memory_string(text);
	char hex[DIGEST_HEX_SIZE];

	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	digest_to_hex(digest, hex);
	FUZZ_ASSERT(strstr(lower, hex));
}

/* Line ends are no part of what a line says. */
static void check_line_ends(const struct digest *digest, bool parsed,
			    const char *text)
{
	struct buf crlf CLEANUP(buf_release) = BUF_INIT;
	struct digest again;

	for (; *text; text++) {
		if (*text == '\n')
			buf_byte(&crlf, '\r');
		buf_byte(&crlf, *text);
	}
	if (crlf.length > SIDECAR_BYTES_MAX)
		return;
	FUZZ_ASSERT(parse(&again, crlf.data, crlf.length) == parsed);
	FUZZ_ASSERT(!parsed || digest_equal(digest, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text CLEANUP(memory_release) = fuzz_string(data, size);
	struct digest digest = {{0}};
	/* The bytes themselves: they need not end in a NUL. */
	bool parsed = parse(&digest, (const char *)data, size);

	if (parsed) {
		FUZZ_ASSERT(strlen(text) == size);
		FUZZ_ASSERT(strstr(text, ARCHIVE) || lines_of(text) == 1);
		check_digest(&digest, text);
	}
	if (strlen(text) == size)
		check_line_ends(&digest, parsed, text);
	return 0;
}
