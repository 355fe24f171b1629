/*
 * links.h - the symbolic links of an archive, looked at all together when
 * all its names are known.
 *
 * Each link is sound alone (path_link_refused: relative, inside, ".." only in
 * front). Here: its target leads through folders, not through a link, and is
 * not a link itself. Excepted is what frameworks have: Versions/Current, a
 * link to the folder beside it, on the way to something behind it.
 */
#ifndef RNE_LINKS_H
#define RNE_LINKS_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "roster.h"
#include "tree.h"

/* `roster` has the index in `tree` of every link. ARCHIVE names the link. */
bool links_check(const struct roster *roster, const struct tree *tree,
		 struct error *err) NODISCARD;

#endif
