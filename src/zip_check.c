#include "zip_check.h"

#include <errno.h>
#include <sys/stat.h>

#include "fs.h"
#include "inflate.h"
#include "memory.h"
#include "path.h"
#include "zip_record.h"

#define TAIL_SIZE (ZIP_END_SIZE + ZIP_LOCATOR64_SIZE + ZIP_END64_SIZE)
#define MADE_UNIX 3

#define DESCRIPTOR_SIGNATURE 0x08074b50

/* The types of a Unix mode, in an entry's upper attributes. */
#define MODE_TYPE   0170000u
#define MODE_FILE   0100000u
#define MODE_FOLDER 0040000u
#define MODE_LINK   0120000u

struct checker {
	int file;
	uint64_t size;
	struct members *members;
	uint64_t position; /* where the next local header has to be */
	uint64_t directory;
	char *name; /* of the entry that is looked at */
};

static void release(struct checker *checker)
{
	memory_release(&checker->name);
}

static bool read_at(int file, uint64_t offset, void *into, size_t length,
		    struct error *err)
{
	char *at = into;

	while (length) {
		ssize_t got = fs_read_at(file, at, length, offset);

		if (got < 0)
			return error_system(err, errno,
					    "cannot read the archive");
		if (!got)
			return error_set(err, ERROR_ARCHIVE,
					 "the zip archive is cut short");
		at += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return true;
}

static bool all_ascii(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text >= 0x80)
			return false;
	}
	return true;
}

static bool take_name(struct checker *checker, const struct zip_entry *central,
		      struct error *err)
{
	memory_release(&checker->name);
	checker->name = memory_string_n((const char *)central->name,
					central->name_length);
	if (strlen(checker->name) != central->name_length)
		return member_refused(checker->name, err,
				      "has a NUL in its name");
	/* Without the flag some readers take other bytes for code page 437. */
	if (!(central->flags & ZIP_FLAG_UTF8) && !all_ascii(checker->name))
		return member_refused(checker->name, err,
				      "has a name that is not marked as UTF-8");
	return true;
}

static bool find_kind(const struct checker *checker,
		      const struct zip_entry *central, struct member *member,
		      struct error *err)
{
	unsigned mode = central->attributes >> 16;
	size_t length = central->name_length;
	bool folder = length && central->name[length - 1] == '/';

	if (central->made_by >> 8 != MADE_UNIX)
		mode = 0; /* nobody else puts one there */
	member->kind = folder ? MEMBER_FOLDER : MEMBER_FILE;
	member->executable = mode & 0100;
	switch (mode & MODE_TYPE) {
	case 0:
		return true;
	case MODE_FILE:
		if (!folder)
			return true;
		break;
	case MODE_FOLDER:
		if (folder)
			return true;
		break;
	case MODE_LINK:
		member->kind = MEMBER_LINK;
		if (!folder)
			return true;
		break;
	default:
		return member_refused(checker->name, err,
				      "is neither a file nor a folder nor a "
				      "link");
	}
	return member_refused(checker->name, err,
			      "has a name of another type than its mode");
}

/* With a descriptor behind the data, a local header may leave a zero for what
 * was not known yet. */
static bool same_or_later(uint64_t local, uint64_t central,
			  const struct zip_entry *entry)
{
	return local == central ||
	       (!local && entry->flags & ZIP_FLAG_DESCRIPTOR);
}

static bool headers_agree(const struct zip_entry *local,
			  const struct zip_entry *central)
{
	return local->flags == central->flags &&
	       local->method == central->method &&
	       local->name_length == central->name_length &&
	       !memcmp(local->name, central->name, local->name_length) &&
	       same_or_later(local->crc, central->crc, central) &&
	       same_or_later(local->packed, central->packed, central) &&
	       same_or_later(local->size, central->size, central);
}

static bool check_local(struct checker *checker,
			const struct zip_entry *central, size_t *length,
			bool *wide, struct error *err)
{
	unsigned char fixed[ZIP_LOCAL_SIZE];
	unsigned char *bytes CLEANUP(memory_release) = NULL;
	struct zip_entry local;
	size_t whole;

	if (central->offset != checker->position)
		return member_refused(checker->name, err,
				      "does not begin where the one before it "
				      "ends");
	if (!read_at(checker->file, central->offset, fixed, sizeof(fixed), err))
		return error_prefix(err, "%s", checker->name);
	whole = sizeof(fixed) + zip_word(fixed + 26) + zip_word(fixed + 28);
	bytes = memory_allocate(whole);
	if (!read_at(checker->file, central->offset, bytes, whole, err) ||
	    !zip_local_parse(&local, bytes, whole, err))
		return error_prefix(err, "%s", checker->name);
	if (!headers_agree(&local, central))
		return member_refused(checker->name, err,
				      "has a local header that differs from "
				      "the zip directory");
	*length = whole;
	*wide = local.zip64;
	return true;
}

/* CRC and sizes again, of 32 or 64 bits, with or without a signature. */
static bool check_descriptor(struct checker *checker,
			     const struct zip_entry *central, uint64_t at,
			     bool wide, size_t *length, struct error *err)
{
	unsigned char bytes[ZIP_DESCRIPTOR_MAX] = {0};
	uint64_t room = checker->directory - at;
	unsigned char *next = bytes;
	uint64_t packed, size;

	*length = 0;
	if (!(central->flags & ZIP_FLAG_DESCRIPTOR))
		return true;
	if (!read_at(checker->file, at, bytes,
		     room < sizeof(bytes) ? (size_t)room : sizeof(bytes), err))
		return false;
	if (zip_long(next) == DESCRIPTOR_SIGNATURE)
		next += 4;
	packed = wide ? zip_quad(next + 4) : zip_long(next + 4);
	size = wide ? zip_quad(next + 12) : zip_long(next + 8);
	if (zip_long(next) != central->crc || packed != central->packed ||
	    size != central->size)
		return member_refused(checker->name, err,
				      "has a data descriptor that differs from "
				      "the zip directory");
	*length = (size_t)(next - bytes) + (wide ? 20 : 12);
	return true;
}

/* All of the input, into exactly the room that there is. */
static bool inflate_whole(struct inflate_step *step)
{
	struct inflater *inflater CLEANUP(inflater_free) = inflater_start();
	size_t room = step->out_length;

	return inflater_run(inflater, step) == INFLATE_END &&
	       step->out_length == room && !step->in_length &&
	       !step->behind_length;
}

/* A link's target is its data; it is needed before libarchive reads it. */
static bool read_link(struct checker *checker, const struct zip_entry *central,
		      uint64_t at, struct member *member, struct error *err)
{
	unsigned char packed[PATH_LENGTH_MAX * 2];
	unsigned char target[PATH_LENGTH_MAX + 1] = "";
	size_t size = (size_t)central->size;
	struct inflate_step step = {
		.in = packed,
		.in_length = (size_t)central->packed,
		.out = target,
		.out_length = size,
	};

	if (central->size > PATH_LENGTH_MAX || central->packed > sizeof(packed))
		return member_refused(checker->name, err,
				      "is a link with a target that is too "
				      "long");
	if (!read_at(checker->file, at, packed, (size_t)central->packed, err))
		return false;
	if (central->method == ZIP_STORED)
		memcpy(target, packed, size);
	else if (!inflate_whole(&step))
		return member_refused(checker->name, err,
				      "is a link with a damaged target");
	if (inflate_crc32(0, target, size) != central->crc)
		return member_refused(checker->name, err,
				      "is a link that does not fit its CRC");
	if (strlen((char *)target) != size)
		return member_refused(checker->name, err,
				      "is a link with a NUL in its target");
	member->link = memory_string((char *)target);
	return true;
}

static bool check_entry(struct checker *checker,
			const struct zip_entry *central, struct member *member,
			struct error *err)
{
	size_t header = 0, descriptor = 0;
	bool wide = false;
	uint64_t data;

	if (!take_name(checker, central, err) ||
	    !find_kind(checker, central, member, err) ||
	    !check_local(checker, central, &header, &wide, err))
		return false;
	data = central->offset + header;
	if (data > checker->directory ||
	    central->packed > checker->directory - data)
		return member_refused(checker->name, err,
				      "reaches into the zip directory");
	if (!check_descriptor(checker, central, data + central->packed, wide,
			      &descriptor, err))
		return false;
	checker->position = data + central->packed + descriptor;
	member->name = memory_string(checker->name);
	member->offset = central->offset;
	if (member->kind == MEMBER_FILE)
		member->size = central->size;
	else if (member->kind == MEMBER_FOLDER &&
		 (central->size || central->crc))
		return member_refused(checker->name, err,
				      "is a folder, but has data or a CRC");
	return member->kind != MEMBER_LINK ||
	       read_link(checker, central, data, member, err);
}

static bool check_directory(struct checker *checker, const unsigned char *bytes,
			    const struct zip_end *end, struct error *err)
{
	size_t length = (size_t)end->size;

	for (uint64_t i = 0; i < end->entries; i++) {
		struct member member = MEMBER_INIT;
		struct zip_entry central;

		if (!zip_central_parse(&central, bytes, length, err))
			return false;
		if (!check_entry(checker, &central, &member, err)) {
			member_release(&member);
			return false;
		}
		members_add(checker->members, &member);
		bytes += central.length;
		length -= central.length;
	}
	if (length)
		return error_set(err, ERROR_ARCHIVE,
				 "the zip directory has more entries than the "
				 "end record says");
	if (checker->position != checker->directory)
		return error_set(err, ERROR_ARCHIVE,
				 "there are bytes in the zip archive that "
				 "belong to no entry of its directory");
	return true;
}

static bool find_end(struct checker *checker, struct zip_end *end,
		     struct error *err)
{
	unsigned char tail[TAIL_SIZE];
	size_t length =
		checker->size < TAIL_SIZE ? (size_t)checker->size : TAIL_SIZE;

	return read_at(checker->file, checker->size - length, tail, length,
		       err) &&
	       zip_end_parse(end, tail, length, checker->size, err);
}

bool zip_check(int file, uint64_t entries_max, struct members *members,
	       struct error *err)
{
	struct checker checker CLEANUP(release) = {.file = file,
						   .members = members};
	unsigned char *bytes CLEANUP(memory_release) = NULL;
	struct zip_end end;
	struct stat st;

	if (fstat(file, &st))
		return error_system(err, errno, "cannot look at the archive");
	checker.size = (uint64_t)st.st_size;
	if (!find_end(&checker, &end, err))
		return false;
	if (end.entries > entries_max)
		return error_set(err, ERROR_ARCHIVE,
				 "the zip archive has %llu entries, and %llu "
				 "are allowed",
				 (unsigned long long)end.entries,
				 (unsigned long long)entries_max);
	if (end.size > ZIP_DIRECTORY_MAX)
		return error_set(err, ERROR_ARCHIVE,
				 "the zip directory is larger than %u MB",
				 ZIP_DIRECTORY_MAX >> 20);
	checker.directory = end.offset;
	bytes = memory_allocate((size_t)end.size);
	return read_at(file, end.offset, bytes, (size_t)end.size, err) &&
	       check_directory(&checker, bytes, &end, err);
}
