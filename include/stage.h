/*
 * stage.h - what lies in a folder that is to be packed.
 */
#ifndef RNE_STAGE_H
#define RNE_STAGE_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "tree.h"

/*
 * Every file (without its digest), link and empty folder below `folder`, by
 * path. Anything else that lies there, or a name or link that an installer
 * would refuse, is an error (CONFIG) that names it.
 */
bool stage_read(int folder, struct tree *tree, struct error *err) NODISCARD;

#endif
