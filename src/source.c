#include "source.h"

#include <errno.h>

#include "buf.h"
#include "fs.h"

/* How much of a wrong file is shown. */
#define SHOWN 24

void source_start(struct source *source, int file)
{
	source->file = file;
	source->offset = 0;
	source->at = source->block;
	source->left = 0;
}

bool source_fill(struct source *source, struct error *err)
{
	ssize_t got;

	if (source->left)
		return true;
	got = fs_read_at(source->file, source->block, SOURCE_BLOCK,
			 source->offset);
	if (got < 0)
		return error_system(err, errno, "cannot read the archive");
	source->at = source->block;
	source->left = (size_t)got;
	source->offset += (size_t)got;
	return true;
}

void source_skip(struct source *source, size_t length)
{
	source->at += length;
	source->left -= length;
}

bool source_peek(struct source *source, unsigned char *into, size_t length,
		 struct error *err)
{
	if (!source_fill(source, err))
		return false;
	memset(into, 0, length);
	memcpy(into, source->at, length < source->left ? length : source->left);
	return true;
}

static const char *known_format(const unsigned char *bytes, size_t length)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *name;
	} formats[] = {
		{"\x1f\x8b", 2, "a gzip file"},
		{"\x28\xb5\x2f\xfd", 4, "a zstd file"},
		{"PK", 2, "a zip file"},
		{"Rar!", 4, "a rar file"},
		{"7z\xbc\xaf", 4, "a 7z file"},
		{"\xfd"
		 "7zXZ",
		 5, "an xz file"},
		{"BZh", 3, "a bzip2 file"},
		{"<", 1, "a page of HTML or XML"},
		{"{", 1, "JSON"},
		{"070707", 6, "a cpio file"},
		{"070701", 6, "a cpio file"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (length >= formats[i].length &&
		    !memcmp(bytes, formats[i].magic, formats[i].length))
			return formats[i].name;
	}
	return NULL;
}

bool source_refused(const struct source *source, const char *expected,
		    struct error *err)
{
	const char *known = known_format(source->at, source->left);
	struct buf shown CLEANUP(buf_release) = BUF_INIT;

	if (!source->left)
		return error_set(err, ERROR_ARCHIVE,
				 "a %s stream was expected, and the file is "
				 "empty",
				 expected);
	for (size_t i = 0; i < source->left && i < SHOWN; i++) {
		bool shows = source->at[i] >= 0x20 && source->at[i] < 0x7f;

		buf_append(&shown, shows ? &source->at[i] : (const void *)".",
			   1);
	}
	return error_set(err, ERROR_ARCHIVE,
			 "a %s stream was expected, and the file is %s (it "
			 "begins with \"%s\")",
			 expected, known ? known : "something else",
			 shown.data);
}
