#include "workspace.h"

#include <yaml.h>

#include "buf.h"
#include "config_file.h"
#include "memory.h"
#include "place.h"

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	const char *file;
	struct error *err;
};

static void reader_release(struct reader *reader)
{
	if (reader->has_event)
		yaml_event_delete(&reader->event);
	yaml_parser_delete(&reader->parser);
}

static bool fail_at(const struct reader *reader, const yaml_mark_t *mark,
		    const char *what)
{
	return error_set(reader->err, ERROR_CONFIG, "%s:%zu:%zu: %s",
			 reader->file, mark->line + 1, mark->column + 1, what);
}

static bool advance(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;

	if (reader->has_event)
		yaml_event_delete(&reader->event);
	reader->has_event = yaml_parser_parse(&reader->parser, &reader->event);
	if (reader->has_event)
		return true;
	/* A broken encoding has an offset and no mark. */
	if (parser->error == YAML_READER_ERROR)
		return error_set(reader->err, ERROR_CONFIG, "%s: byte %zu: %s",
				 reader->file, parser->problem_offset,
				 parser->problem);
	return fail_at(reader, &parser->problem_mark,
		       parser->problem ? parser->problem : "not valid YAML");
}

/* Reads over the node that the current event begins. */
static bool skip(struct reader *reader)
{
	size_t depth = 0;

	for (;;) {
		switch (reader->event.type) {
		case YAML_MAPPING_START_EVENT:
		case YAML_SEQUENCE_START_EVENT:
			depth++;
			break;
		case YAML_MAPPING_END_EVENT:
		case YAML_SEQUENCE_END_EVENT:
			depth--;
			break;
		default:
			break;
		}
		if (!depth)
			return true;
		if (!advance(reader))
			return false;
	}
}

static const char *scalar(const struct reader *reader)
{
	if (reader->event.type != YAML_SCALAR_EVENT)
		return NULL;
	return (const char *)reader->event.data.scalar.value;
}

static bool is_nothing(const struct reader *reader)
{
	const char *text = scalar(reader);

	return text &&
	       reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcmp(text, "null"));
}

static bool read_packages(struct reader *reader, struct list *patterns)
{
	if (is_nothing(reader))
		return true;
	if (reader->event.type != YAML_SEQUENCE_START_EVENT)
		return fail_at(reader, &reader->event.start_mark,
			       "packages: expected a list of patterns");
	for (;;) {
		if (!advance(reader))
			return false;
		if (reader->event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		/* An unquoted "!" begins a tag and leaves nothing behind. */
		if (!scalar(reader) || !*scalar(reader))
			return fail_at(reader, &reader->event.start_mark,
				       "packages: expected a pattern (one that "
				       "begins with ! or * needs quotes)");
		list_add(patterns, scalar(reader));
	}
}

static bool read_document(struct reader *reader, struct list *patterns)
{
	bool seen = false;

	do {
		if (!advance(reader))
			return false;
		if (reader->event.type == YAML_STREAM_END_EVENT)
			return true; /* an empty file */
	} while (reader->event.type == YAML_STREAM_START_EVENT ||
		 reader->event.type == YAML_DOCUMENT_START_EVENT);
	if (is_nothing(reader))
		return true;
	if (reader->event.type != YAML_MAPPING_START_EVENT)
		return fail_at(reader, &reader->event.start_mark,
			       "expected a mapping with `packages`");
	for (;;) {
		bool wanted;

		if (!advance(reader))
			return false;
		if (reader->event.type == YAML_MAPPING_END_EVENT)
			return true;
		wanted = scalar(reader) && !strcmp(scalar(reader), "packages");
		if (wanted && seen)
			return fail_at(reader, &reader->event.start_mark,
				       "`packages` is there twice");
		if (!skip(reader) || !advance(reader))
			return false;
		if (!(wanted ? read_packages(reader, patterns) : skip(reader)))
			return false;
		seen |= wanted;
	}
}

bool workspace_pnpm_patterns(const char *root, struct list *patterns,
			     bool *found, struct error *err)
{
	char *file CLEANUP(memory_release) =
		place_join(root, "pnpm-workspace.yaml");
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct reader reader CLEANUP(reader_release) = {.file = file,
							.err = err};

	if (!yaml_parser_initialize(&reader.parser))
		return error_set(err, ERROR_OTHER, "cannot start libyaml");
	if (!config_file_read(file, WORKSPACE_YAML_BYTES_MAX, &text, found,
			      err))
		return false;
	if (!*found)
		return true;
	yaml_parser_set_input_string(
		&reader.parser, (const unsigned char *)text.data, text.length);
	return read_document(&reader, patterns);
}
