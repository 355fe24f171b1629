#include "sidecar.h"

#include <ctype.h>

#include "memory.h"

/* What one line says. */
struct line {
	struct digest digest;
	char *name; /* NULL: it names no file */
};

static void line_release(struct line *line)
{
	memory_release(&line->name);
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* 64 digits at `text` and none behind them. */
static bool take_digest(const char **text, struct digest *digest)
{
	char hex[DIGEST_HEX_SIZE] = "";
	size_t length = strspn(*text, "0123456789abcdefABCDEF");

	if (length != DIGEST_HEX_SIZE - 1)
		return false;
	memcpy(hex, *text, length);
	*text += length;
	return digest_from_hex(digest, hex);
}

/* The name of a file without the folder it lay in when it was hashed. */
static char *base_name(const char *name, size_t length)
{
	size_t start = length;

	while (start && name[start - 1] != '/' && name[start - 1] != '\\')
		start--;
	return memory_string_n(name + start, length - start);
}

/* "<digest>", "<digest>  <file>", "<digest> *<file>" (coreutils). */
static bool read_plain(struct line *line, const char *text)
{
	const char *name;

	if (!take_digest(&text, &line->digest))
		return false;
	name = skip_blanks(text);
	if (!*name)
		return true;
	if (name == text)
		return false;
	name += *name == '*';
	line->name = base_name(name, strlen(name));
	return *line->name;
}

/* "SHA256 (<file>) = <digest>" (BSD); openssl leaves out blanks and may say
 * SHA2-256. */
static bool read_tagged(struct line *line, const char *text)
{
	static const char *const tags[] = {"SHA256", "SHA2-256"};
	const char *name, *close;

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		size_t length = strlen(tags[i]);

		if (strncmp(text, tags[i], length))
			continue;
		name = skip_blanks(text + length);
		close = strrchr(name, ')');
		if (*name != '(' || !close)
			return false;
		text = skip_blanks(close + 1);
		if (*text != '=')
			return false;
		text = skip_blanks(text + 1);
		if (!take_digest(&text, &line->digest) || *text)
			return false;
		name++;
		line->name = base_name(name, (size_t)(close - name));
		return *line->name;
	}
	return false;
}

/* The next line without its end and the blanks around it. */
static char *next_line(const char **at, const char *end)
{
	const char *start = *at;
	const char *stop = memchr(start, '\n', (size_t)(end - start));

	*at = stop ? stop + 1 : end;
	stop = stop ? stop : end;
	while (start < stop && isspace((unsigned char)*start))
		start++;
	while (stop > start && isspace((unsigned char)stop[-1]))
		stop--;
	return memory_string_n(start, (size_t)(stop - start));
}

struct search {
	const char *archive;
	struct digest digest;
	bool found;
	char *other;    /* a file that a line names instead */
	char *stranger; /* the first line that says no digest */
	size_t lines;   /* that are not empty */
	bool bare;      /* one of them names no file */
};

static void search_release(struct search *search)
{
	memory_release(&search->other);
	memory_release(&search->stranger);
}

static bool look_at_line(struct search *search, const char *text,
			 struct error *err)
{
	struct line line CLEANUP(line_release) = {.name = NULL};

	search->lines++;
	if (!read_plain(&line, text)) {
		line_release(&line);
		if (!read_tagged(&line, text)) {
			if (!search->stranger)
				search->stranger = memory_string(text);
			return true;
		}
	}
	if (line.name && strcmp(line.name, search->archive)) {
		free(search->other);
		search->other = line.name;
		line.name = NULL;
		return true;
	}
	if (search->found && !digest_equal(&search->digest, &line.digest))
		return error_set(err, ERROR_INTEGRITY,
				 "%s.sha256: two different digests of %s",
				 search->archive, search->archive);
	search->found = true;
	search->bare |= !line.name;
	search->digest = line.digest;
	return true;
}

static bool not_found(const struct search *search, struct error *err)
{
	if (!search->lines)
		return error_set(err, ERROR_INTEGRITY,
				 "%s.sha256: expected a sha256, found an empty "
				 "file",
				 search->archive);
	if (search->other)
		return error_set(err, ERROR_INTEGRITY,
				 "%s.sha256: expected the sha256 of %s, found "
				 "that of %s",
				 search->archive, search->archive,
				 search->other);
	return error_set(err, ERROR_INTEGRITY,
			 "%s.sha256: expected a sha256 (64 hexadecimal "
			 "digits), found \"%.80s\"",
			 search->archive, search->stranger);
}

bool sidecar_parse(struct digest *digest, const char *text, size_t length,
		   const char *archive, struct error *err)
{
	struct search search CLEANUP(search_release) = {.archive = archive};
	const char *at = text, *end = text + length;

	if (length > SIDECAR_BYTES_MAX || memchr(text, '\0', length))
		return error_set(err, ERROR_INTEGRITY,
				 "%s.sha256: expected a short text, found %zu "
				 "bytes%s",
				 archive, length,
				 length > SIDECAR_BYTES_MAX
					 ? ""
					 : " with a null byte among them");
	while (at < end) {
		char *line CLEANUP(memory_release) = next_line(&at, end);

		if (*line && !look_at_line(&search, line, err))
			return false;
	}
	if (!search.found)
		return not_found(&search, err);
	/* A digest of no named file is the archive's only when it is alone. */
	if (search.bare && search.lines > 1)
		return error_set(err, ERROR_INTEGRITY,
				 "%s.sha256: %zu lines, and one with a digest "
				 "names no file",
				 archive, search.lines);
	*digest = search.digest;
	return true;
}
