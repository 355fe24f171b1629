/*
 * member.h - an entry of an archive, as its own headers describe it.
 *
 * Called a member to keep it apart from libarchive's entries and a tree's.
 */
#ifndef RNE_MEMBER_H
#define RNE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

enum member_kind {
	MEMBER_FILE,
	MEMBER_FOLDER,
	MEMBER_LINK,
	MEMBER_HARD_LINK,
};

struct member {
	enum member_kind kind;
	char *name; /* as the archive has it */
	char *link; /* where a link points to, else NULL */
	bool executable;
	uint64_t size;   /* bytes; files only */
	uint64_t offset; /* of its first header, in the plain archive */
};

#define MEMBER_INIT                                  \
	{                                            \
		MEMBER_FILE, NULL, NULL, false, 0, 0 \
	}

void member_release(struct member *member);

struct members {
	struct member *items;
	size_t count;
};

#define MEMBERS_INIT    \
	{               \
		NULL, 0 \
	}

/* Takes over what `member` owns. */
void members_add(struct members *members, const struct member *member);
void members_release(struct members *members);

/* ARCHIVE: "the entry "<name>" <words>"; false, to be returned. */
bool member_refused(const char *name, struct error *err, const char *format,
		    ...) PRINTF(3, 4);

/*
 * The path that the member stands for: without "./" in front and the slash
 * behind a folder; "" for the folder "." itself. Refused (ARCHIVE): what
 * path.h refuses, links that leave, names that are this program's own or
 * that no archive has business with (.git, node_modules). The caller frees.
 */
bool member_path(const struct member *member, char **path,
		 struct error *err) NODISCARD;
/* The same for what a hard link points to, which is a path from the root. */
bool member_hard_link_path(const struct member *member, char **path,
			   struct error *err) NODISCARD;

#endif
