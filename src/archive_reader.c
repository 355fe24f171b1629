#include "archive_reader.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder.h"
#include "fs.h"
#include "library.h"
#include "memory.h"
#include "tar_scan.h"
#include "zip_check.h"

#define ZIP_BLOCK (64 * 1024)

/* What a tar archive needs beside its files' bytes: headers and padding. */
#define STREAM_PER_ENTRY  4096
#define STREAM_FOR_ENDING (2u << 20)

struct archive_reader {
	struct archive *archive;
	bool is_zip;
	struct error failure; /* of a callback, for after libarchive's return */
	locale_t locale;      /* 0: the thread's was good enough */
	locale_t locale_before;

	/* tar */
	struct decoder *decoder;
	struct tar_scan *scan;
	bool ended;      /* the decoder gave its last byte */
	uint64_t stream; /* plain bytes so far */
	uint64_t stream_max;

	/* zip */
	int file;
	int64_t size;
	int64_t position;
	struct members members;
	size_t next;
	unsigned char *block;

	/* The entry that is being read. */
	uint64_t entry_size;
	uint64_t entry_read;
};

/*
 * libarchive passes names through the locale's character set, and warns when
 * one does not fit; in "C" that is every name beyond ASCII.
 */
static void use_utf8(struct archive_reader *reader)
{
	static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8",
					    "UTF-8"};

	if (!strcmp(nl_langinfo(CODESET), "UTF-8"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !reader->locale; i++)
		reader->locale = newlocale(LC_CTYPE_MASK, names[i], 0);
	if (reader->locale)
		reader->locale_before = uselocale(reader->locale);
}

static void restore_locale(struct archive_reader *reader)
{
	if (!reader->locale)
		return;
	uselocale(reader->locale_before);
	freelocale(reader->locale);
}

/* The plain tar, past the scan, to libarchive; what is given is checked. */
static bool next_block(struct archive_reader *reader, const void **bytes,
		       size_t *length, struct error *err)
{
	if (!decoder_read(reader->decoder, bytes, length, err))
		return false;
	reader->stream += *length;
	reader->ended = !*length;
	if (reader->stream > reader->stream_max)
		return error_set(err, ERROR_ARCHIVE,
				 "the archive unpacks to more than the %llu "
				 "bytes that are allowed",
				 (unsigned long long)reader->stream_max);
	return tar_scan_feed(reader->scan, *bytes, *length, err);
}

static la_ssize_t give_tar(struct archive *archive, void *context,
			   const void **bytes)
{
	struct archive_reader *reader = context;
	size_t length = 0;

	(void)archive;
	if (reader->failure.kind != ERROR_NONE ||
	    !next_block(reader, bytes, &length, &reader->failure))
		return ARCHIVE_FATAL;
	return (la_ssize_t)length;
}

static la_ssize_t give_zip(struct archive *archive, void *context,
			   const void **bytes)
{
	struct archive_reader *reader = context;
	ssize_t got;

	(void)archive;
	got = fs_read_at(reader->file, reader->block, ZIP_BLOCK,
			 (uint64_t)reader->position);
	if (got < 0) {
		error_system(&reader->failure, errno,
			     "cannot read the archive");
		return ARCHIVE_FATAL;
	}
	reader->position += got;
	*bytes = reader->block;
	return got;
}

static la_int64_t seek_zip(struct archive *archive, void *context,
			   la_int64_t offset, int whence)
{
	struct archive_reader *reader = context;
	int64_t from = whence == SEEK_SET   ? 0
		       : whence == SEEK_CUR ? reader->position
					    : reader->size;

	(void)archive;
	if (offset < -from || offset > reader->size - from)
		return ARCHIVE_FATAL;
	reader->position = from + offset;
	return reader->position;
}

static bool open_tar(struct archive_reader *reader, int file,
		     enum archive_format format,
		     const struct unpack_limits *limits, struct error *err)
{
	reader->stream_max = limits->bytes +
			     limits->entries * STREAM_PER_ENTRY +
			     STREAM_FOR_ENDING;
	reader->scan = tar_scan_start();
	return decoder_open(&reader->decoder, file, format, err) &&
	       libarchive.read_support_format_tar(reader->archive) ==
		       ARCHIVE_OK &&
	       libarchive.read_set_read_callback(reader->archive, give_tar) ==
		       ARCHIVE_OK;
}

static bool open_zip(struct archive_reader *reader, int file,
		     const struct unpack_limits *limits, struct error *err)
{
	struct stat st;

	if (fstat(file, &st))
		return error_system(err, errno, "cannot look at the archive");
	if (!zip_check(file, limits->entries, &reader->members, err))
		return false;
	if (!reader->members.count) /* libarchive takes it for no zip at all */
		return error_set(err, ERROR_ARCHIVE,
				 "there is nothing in the archive");
	reader->is_zip = true;
	reader->file = file;
	reader->size = st.st_size;
	reader->block = memory_allocate(ZIP_BLOCK);
	/* By the directory and by seeking, never as a stream. */
	return libarchive.read_support_format_zip_seekable(reader->archive) ==
		       ARCHIVE_OK &&
	       libarchive.read_set_read_callback(reader->archive, give_zip) ==
		       ARCHIVE_OK &&
	       libarchive.read_set_seek_callback(reader->archive, seek_zip) ==
		       ARCHIVE_OK;
}

/* The reason why libarchive returned what it did. */
static bool failed(const struct archive_reader *reader, struct error *err)
{
	const char *words = libarchive.error_string(reader->archive);

	if (reader->failure.kind != ERROR_NONE) {
		*err = reader->failure;
		return false;
	}
	/* The scan has the better words for a tar that is cut short. */
	if (reader->ended && !tar_scan_finish(reader->scan, err))
		return false;
	return error_set(err, ERROR_ARCHIVE, "the archive is damaged: %s",
			 words ? words : "libarchive gives no reason");
}

bool archive_reader_open(struct archive_reader **out, int file,
			 enum archive_format format,
			 const struct unpack_limits *limits, struct error *err)
{
	struct archive_reader *reader CLEANUP(archive_reader_close) =
		memory_allocate(sizeof(*reader));
	bool opened;

	if (!library_load_archive(err))
		return false;
	reader->archive = libarchive.read_new();
	if (!reader->archive)
		return error_set(err, ERROR_OTHER, "libarchive cannot start");
	use_utf8(reader);
	opened = format == ARCHIVE_ZIP
			 ? open_zip(reader, file, limits, err)
			 : open_tar(reader, file, format, limits, err);
	if (!opened)
		return err->kind != ERROR_NONE ? false : failed(reader, err);
	/* Files called "._x" are files, on a Mac too. */
	libarchive.read_set_option(reader->archive, NULL, "mac-ext", NULL);
	libarchive.clear_error(reader->archive);
	if (libarchive.read_set_callback_data(reader->archive, reader) !=
		    ARCHIVE_OK ||
	    libarchive.read_open1(reader->archive) != ARCHIVE_OK)
		return failed(reader, err);
	*out = reader;
	reader = NULL;
	return true;
}

void archive_reader_close(struct archive_reader **reader)
{
	struct archive_reader *old = *reader;

	if (!old)
		return;
	if (old->archive)
		libarchive.read_free(old->archive);
	restore_locale(old);
	decoder_close(&old->decoder);
	tar_scan_free(&old->scan);
	while (old->next < old->members.count)
		member_release(&old->members.items[old->next++]);
	free(old->members.items);
	free(old->block);
	memory_release(reader);
}

static bool next_member(struct archive_reader *reader, struct member *member)
{
	if (!reader->is_zip)
		return tar_scan_next(reader->scan, member);
	if (reader->next == reader->members.count)
		return false;
	*member = reader->members.items[reader->next++];
	return true;
}

static bool same_kind(struct archive_entry *entry, enum member_kind kind)
{
	if (libarchive.entry_hardlink(entry))
		return kind == MEMBER_HARD_LINK;
	switch (libarchive.entry_filetype(entry)) {
	case AE_IFREG:
		return kind == MEMBER_FILE;
	case AE_IFDIR:
		return kind == MEMBER_FOLDER;
	case AE_IFLNK:
		return kind == MEMBER_LINK;
	default:
		return false;
	}
}

static bool agrees(struct archive_reader *reader, struct archive_entry *entry,
		   const struct member *member)
{
	uint64_t position =
		(uint64_t)libarchive.read_header_position(reader->archive);

	/* A size that libarchive does not know yet is one of zero for us. */
	return same_kind(entry, member->kind) &&
	       (uint64_t)libarchive.entry_size(entry) == member->size &&
	       (reader->is_zip || position == member->offset);
}

/* libarchive is through: nothing may be left, on any level. */
static bool finish(struct archive_reader *reader, struct error *err)
{
	struct member member CLEANUP(member_release) = MEMBER_INIT;
	const void *bytes;
	size_t length = 1;

	while (!reader->is_zip && length) {
		if (!next_block(reader, &bytes, &length, err))
			return false;
	}
	if (!reader->is_zip && !tar_scan_finish(reader->scan, err))
		return false;
	if (next_member(reader, &member))
		return member_refused(member.name, err,
				      "is found by one reader of archives and "
				      "not by another");
	return true;
}

bool archive_reader_next(struct archive_reader *reader, struct member *member,
			 bool *found, struct error *err)
{
	struct archive_entry *entry;
	int result = libarchive.read_next_header(reader->archive, &entry);

	*found = false;
	if (reader->failure.kind != ERROR_NONE)
		return failed(reader, err);
	if (result == ARCHIVE_EOF)
		return finish(reader, err);
	if (result != ARCHIVE_OK)
		return failed(reader, err);
	*member = (struct member)MEMBER_INIT;
	if (!next_member(reader, member))
		return error_set(err, ERROR_ARCHIVE,
				 "libarchive finds an entry where the "
				 "archive's own headers have none");
	if (!agrees(reader, entry, member)) {
		member_refused(member->name, err,
			       "is read in two ways by two readers of "
			       "archives");
		member_release(member);
		return false;
	}
	reader->entry_size = member->size;
	reader->entry_read = 0;
	*found = true;
	return true;
}

bool archive_reader_data(struct archive_reader *reader, const void **bytes,
			 size_t *length, struct error *err)
{
	la_int64_t offset = 0;
	int result;

	do {
		result = libarchive.read_data_block(reader->archive, bytes,
						    length, &offset);
	} while (result == ARCHIVE_OK && !*length);
	if (result == ARCHIVE_EOF) {
		*length = 0;
		if (reader->entry_read == reader->entry_size)
			return true;
		return error_set(err, ERROR_ARCHIVE,
				 "%llu bytes came out, and its header says "
				 "%llu",
				 (unsigned long long)reader->entry_read,
				 (unsigned long long)reader->entry_size);
	}
	if (result != ARCHIVE_OK)
		return failed(reader, err);
	if ((uint64_t)offset != reader->entry_read ||
	    *length > reader->entry_size - reader->entry_read)
		return error_set(err, ERROR_ARCHIVE,
				 "its data is not in one piece, or longer than "
				 "its header says");
	reader->entry_read += *length;
	return true;
}
