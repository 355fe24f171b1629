#include "litter.h"

#include <sys/stat.h>

#include "fs.h"
#include "layout.h"
#include "memory.h"
#include "path.h"
#include "tempfile.h"

static bool is_litter(const char *path)
{
	static const char *const paths[] = {LAYOUT_STAGING, LAYOUT_CACHE,
					    LAYOUT_RECEIPT_NEXT};
	static const char temporary[] = LAYOUT_STATE "/" TEMPFILE_PREFIX;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!strcmp(path, paths[i]))
			return true;
	}
	return !strncmp(path, temporary, sizeof(temporary) - 1);
}

static bool find(int third_party, struct list *paths, struct error *err)
{
	struct list names CLEANUP(list_release) = LIST_INIT;
	struct stat st;
	int there = fs_stat_at(third_party, LAYOUT_STATE, &st, err);

	if (there <= 0)
		return there == 0;
	if (!fs_list(third_party, LAYOUT_STATE, &names, err))
		return false;
	for (size_t i = 0; i < names.count; i++) {
		char *path CLEANUP(memory_release) =
			path_join(LAYOUT_STATE, names.items[i]);

		if (is_litter(path))
			list_add(paths, path);
	}
	return true;
}

bool litter_found(int third_party)
{
	struct list paths CLEANUP(list_release) = LIST_INIT;
	struct error ignored = ERROR_INIT;

	return third_party >= 0 && find(third_party, &paths, &ignored) &&
	       paths.count > 0;
}

bool litter_remove(int third_party, struct error *err)
{
	struct list paths CLEANUP(list_release) = LIST_INIT;

	if (!find(third_party, &paths, err))
		return false;
	for (size_t i = 0; i < paths.count; i++) {
		if (!fs_remove_tree(third_party, paths.items[i], err))
			return error_prefix(err, LAYOUT_THIRD_PARTY);
	}
	return true;
}
