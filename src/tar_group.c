#include "tar_group.h"

#include "memory.h"

void tar_group_release(struct tar_group *group)
{
	pax_release(&group->pax);
	memory_release(&group->long_name);
	memory_release(&group->long_link);
	*group = (struct tar_group)TAR_GROUP_INIT;
}

bool tar_group_is_extra(const struct tar_header *header)
{
	return header->type == 'x' || header->type == 'g' ||
	       header->type == 'L' || header->type == 'K';
}

bool tar_group_admit(struct tar_group *group, const struct tar_header *header,
		     struct error *err)
{
	bool again = (header->type == 'x' && group->has_pax) ||
		     (header->type == 'L' && group->long_name) ||
		     (header->type == 'K' && group->long_link);

	if (again)
		return error_set(err, ERROR_ARCHIVE,
				 "an entry has two headers of type '%c' in "
				 "front of it",
				 header->type);
	if (++group->count > TAR_GROUP_HEADERS_MAX)
		return error_set(err, ERROR_ARCHIVE,
				 "an entry has more than %u headers in front "
				 "of it",
				 TAR_GROUP_HEADERS_MAX);
	if (header->size > TAR_GROUP_BODY_MAX)
		return error_set(err, ERROR_ARCHIVE,
				 "a header of type '%c' has %llu bytes, and %u "
				 "are allowed",
				 header->type, (unsigned long long)header->size,
				 TAR_GROUP_BODY_MAX);
	return true;
}

static bool take_long(char **into, const struct buf *body, struct error *err)
{
	size_t length = strnlen(body->data, body->length);

	/* GNU tar counts one NUL behind the name. */
	if (!length || length + 1 < body->length)
		return error_set(
			err, ERROR_ARCHIVE,
			"a GNU header has a NUL in the name \"%.300s\"",
			body->data);
	*into = memory_string_n(body->data, length);
	return true;
}

/* Defaults for the whole archive: git-archive puts its commit there. */
static bool take_global(const struct buf *body, struct error *err)
{
	struct pax pax CLEANUP(pax_release) = PAX_INIT;

	if (!pax_parse(&pax, body->data, body->length, err))
		return false;
	if (pax.path || pax.link || pax.has_size || pax.sparse)
		return error_set(err, ERROR_ARCHIVE,
				 "a global pax header gives names or sizes to "
				 "all entries");
	return true;
}

bool tar_group_take(struct tar_group *group, unsigned char type,
		    const struct buf *body, struct error *err)
{
	switch (type) {
	case 'x':
		group->has_pax = true;
		return pax_parse(&group->pax, body->data, body->length, err);
	case 'g':
		return take_global(body, err);
	case 'L':
		return take_long(&group->long_name, body, err);
	default:
		return take_long(&group->long_link, body, err);
	}
}

static const char *refused_type(unsigned char type)
{
	static const struct {
		unsigned char type;
		const char *words;
	} types[] = {
		{'3', "is a character device"},
		{'4', "is a block device"},
		{'6', "is a FIFO"},
		{'S', "is a sparse file"},
		{'D', "is a folder of an incremental backup"},
		{'M', "is continued from another volume"},
		{'V', "is a volume label"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].type == type)
			return types[i].words;
	}
	return NULL;
}

static bool ends_in_slash(const char *name)
{
	size_t length = strlen(name);

	return length && name[length - 1] == '/';
}

static bool find_kind(const struct tar_header *header, const char *name,
		      enum member_kind *kind, struct error *err)
{
	const char *refused = refused_type(header->type);
	bool slash = ends_in_slash(name);

	switch (header->type) {
	case '\0':
		/* The oldest tars have no type for folders. Some readers look
		 * for the slash here, others in the name that counts. */
		*kind = slash ? MEMBER_FOLDER : MEMBER_FILE;
		return slash == ends_in_slash(header->name) ||
		       member_refused(name, err,
				      "is a folder by one of its names and a "
				      "file by the other");
	case '0':
	case '7': /* "contiguous": nobody makes a difference */
		*kind = MEMBER_FILE;
		return !slash || member_refused(name, err,
						"is a file by its type and a "
						"folder by its slash");
	case '1':
		*kind = MEMBER_HARD_LINK;
		return true;
	case '2':
		*kind = MEMBER_LINK;
		return true;
	case '5':
		*kind = MEMBER_FOLDER;
		return true;
	default:
		if (refused)
			return member_refused(name, err, "%s", refused);
		return member_refused(name, err, "has the unknown type 0x%02x",
				      header->type);
	}
}

/* Of the places where a name or a link's target can be, exactly one. */
static char *choose(const char *in_header, char **in_pax, char **in_long)
{
	char **found = *in_pax ? in_pax : in_long;
	char *text = *found ? *found : memory_string(in_header);

	*found = NULL;
	return text;
}

bool tar_group_describe(struct tar_group *group,
			const struct tar_header *header, struct member *member,
			struct error *err)
{
	uint64_t size = group->pax.has_size ? group->pax.size : header->size;
	bool twice = (group->pax.path && group->long_name) ||
		     (group->pax.link && group->long_link);

	member->name =
		choose(header->name, &group->pax.path, &group->long_name);
	if (twice)
		return member_refused(member->name, err,
				      "is named in a pax and in a GNU header");
	if (!find_kind(header, member->name, &member->kind, err))
		return false;
	if (group->pax.sparse)
		return member_refused(member->name, err, "is a sparse file");
	if (member->kind != MEMBER_FILE && size)
		return member_refused(member->name, err,
				      "is not a file, but has data");
	if (size > INT64_MAX / 2)
		return member_refused(member->name, err, "is far too large");
	if (member->kind == MEMBER_LINK || member->kind == MEMBER_HARD_LINK)
		member->link = choose(header->link, &group->pax.link,
				      &group->long_link);
	else if (group->pax.link || group->long_link)
		return member_refused(member->name, err,
				      "is not a link, but points somewhere");
	member->executable = header->mode & 0100;
	member->size = size;
	return true;
}
