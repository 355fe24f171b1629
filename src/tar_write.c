#include "tar_write.h"

#include <inttypes.h>

#include "tar_header.h"

/* npm's own fixed time, 1985-10-26 08:15 UTC: zero makes some tars warn. */
#define FIXED_TIME 499162500

#define NAME_MAX_LENGTH   100
#define PREFIX_MAX_LENGTH 155
#define OCTAL_SIZE_MAX    UINT64_C(077777777777)

/* The ustar header (POSIX.1-1988, tar.h). */
struct ustar {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char device_major[8];
	char device_minor[8];
	char prefix[155];
	char padding[12];
};

_Static_assert(sizeof(struct ustar) == TAR_BLOCK, "a header is one block");

static void put_text(char *field, size_t room, const char *text)
{
	size_t length = strlen(text);

	memcpy(field, text, length < room ? length : room);
}

static void put_octal(char *field, size_t room, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%0*" PRIo64, (int)room - 1, number);
	memcpy(field, digits, room);
}

/* Where the prefix ends; NULL: the path does not fit. */
static const char *find_split(const char *path)
{
	size_t length = strlen(path);

	if (length <= NAME_MAX_LENGTH)
		return path;
	for (size_t i = length - NAME_MAX_LENGTH - 1;
	     i < length && i <= PREFIX_MAX_LENGTH; i++) {
		if (path[i] == '/' && i)
			return path + i;
	}
	return NULL;
}

static void put_path(struct ustar *header, const char *path)
{
	const char *split = find_split(path);

	if (!split || split == path) {
		put_text(header->name, sizeof(header->name), path);
		return;
	}
	memcpy(header->prefix, path, (size_t)(split - path));
	put_text(header->name, sizeof(header->name), split + 1);
}

static void put_checksum(struct ustar *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	unsigned sum = 0;

	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += bytes[i];
	put_octal(header->checksum, sizeof(header->checksum) - 1, sum);
}

static void append_header(struct buf *out, const char *path, char type,
			  bool executable, uint64_t size, const char *link)
{
	struct ustar header = {.type = type, .version = {'0', '0'}};

	put_path(&header, path);
	put_octal(header.mode, sizeof(header.mode), executable ? 0755 : 0644);
	put_octal(header.uid, sizeof(header.uid), 0);
	put_octal(header.gid, sizeof(header.gid), 0);
	put_octal(header.size, sizeof(header.size),
		  size <= OCTAL_SIZE_MAX ? size : 0);
	put_octal(header.mtime, sizeof(header.mtime), FIXED_TIME);
	put_octal(header.device_major, sizeof(header.device_major), 0);
	put_octal(header.device_minor, sizeof(header.device_minor), 0);
	put_text(header.link, sizeof(header.link), link ? link : "");
	put_text(header.magic, sizeof(header.magic), "ustar");
	put_checksum(&header);
	buf_append(out, &header, sizeof(header));
}

/* "<length> <key>=<value>\n", where the length counts itself. */
static void add_record(struct buf *records, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, length = rest;
	char digits[24];

	for (;;) {
		snprintf(digits, sizeof(digits), "%zu", length);
		if (rest + strlen(digits) == length)
			break;
		length = rest + strlen(digits);
	}
	buf_printf(records, "%zu %s=%s\n", length, key, value);
}

static void append_zeros(struct buf *out, size_t length)
{
	memset(buf_reserve(out, length), 0, length);
	out->length += length;
	out->data[out->length] = '\0';
}

size_t tar_write_padding(uint64_t size)
{
	return (size_t)((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

static void append_pax(struct buf *out, const struct tree_entry *entry)
{
	struct buf records CLEANUP(buf_release) = BUF_INIT;
	char size[24];

	if (!find_split(entry->path))
		add_record(&records, "path", entry->path);
	if (entry->link && strlen(entry->link) > NAME_MAX_LENGTH)
		add_record(&records, "linkpath", entry->link);
	if (entry->size > OCTAL_SIZE_MAX) {
		snprintf(size, sizeof(size), "%" PRIu64, entry->size);
		add_record(&records, "size", size);
	}
	if (!records.length)
		return;
	append_header(out, "PaxHeader", 'x', false, records.length, NULL);
	buf_append(out, records.data, records.length);
	append_zeros(out, tar_write_padding(records.length));
}

void tar_write_header(struct buf *out, const struct tree_entry *entry)
{
	append_pax(out, entry);
	switch (entry->kind) {
	case TREE_FILE:
		append_header(out, entry->path, '0', entry->executable,
			      entry->size, NULL);
		break;
	case TREE_LINK:
		append_header(out, entry->path, '2', true, 0, entry->link);
		break;
	case TREE_FOLDER:
		append_header(out, entry->path, '5', true, 0, NULL);
		break;
	}
}
