/*
 * tar_group.h - the headers that together describe one entry of a tar archive:
 * its own, and the pax and GNU headers in front of it. Part of tar_scan.c.
 */
#ifndef RNE_TAR_GROUP_H
#define RNE_TAR_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "member.h"
#include "pax.h"
#include "tar_header.h"

#define TAR_GROUP_HEADERS_MAX 16
#define TAR_GROUP_BODY_MAX    (256u * 1024) /* libarchive's is 1 MiB */

struct tar_group {
	unsigned count; /* of headers in front of the entry's own */
	bool has_pax;
	struct pax pax;
	char *long_name;
	char *long_link;
};

#define TAR_GROUP_INIT                         \
	{                                      \
		0, false, PAX_INIT, NULL, NULL \
	}

/* The header describes an entry that follows, in a body of its own. */
bool tar_group_is_extra(const struct tar_header *header);
/* May it follow what there is? ARCHIVE. */
bool tar_group_admit(struct tar_group *group, const struct tar_header *header,
		     struct error *err) NODISCARD;
/* Its body. */
bool tar_group_take(struct tar_group *group, unsigned char type,
		    const struct buf *body, struct error *err) NODISCARD;
/* The entry's own header: all that was said about it, but its offset. */
bool tar_group_describe(struct tar_group *group,
			const struct tar_header *header, struct member *member,
			struct error *err) NODISCARD;
void tar_group_release(struct tar_group *group);

#endif
