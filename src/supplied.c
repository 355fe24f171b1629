#include "supplied.h"

#include "layout.h"
#include "memory.h"

struct supplied *supplied_start(size_t count)
{
	return memory_allocate(count * sizeof(struct supplied));
}

void supplied_free(struct supplied *supplied, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tree_release(&supplied[i].files);
		free(supplied[i].source);
	}
	free(supplied);
}

char *supplied_staging(size_t index)
{
	return memory_printf(LAYOUT_STAGING "/%zu", index);
}
