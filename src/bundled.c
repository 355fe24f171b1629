#include "bundled.h"

#include "memory.h"

const struct bundled_manifest *bundled_find(const char *product,
					    const char *version)
{
	char *name CLEANUP(memory_release) =
		memory_printf("%s-%s", product, version);

	for (size_t i = 0; bundled_table[i].name; i++) {
		if (!strcmp(bundled_table[i].name, name))
			return &bundled_table[i];
	}
	return NULL;
}

/* The version begins at the first hyphen that a digit follows. */
static const char *version_in(const char *name)
{
	for (const char *c = name; *c; c++) {
		if (c[0] == '-' && c[1] >= '0' && c[1] <= '9')
			return c + 1;
	}
	return "";
}

void bundled_names(const char *product, struct list *out)
{
	for (size_t i = 0; bundled_table[i].name; i++) {
		const char *name = bundled_table[i].name;
		const char *version = version_in(name);
		size_t length = (size_t)(version - name);

		if (!*version)
			continue;
		if (product && (strlen(product) != length - 1 ||
				memcmp(product, name, length - 1)))
			continue;
		list_addf(out, "%.*s@%s", (int)(length - 1), name, version);
	}
}
