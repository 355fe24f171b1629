#include "app_names.h"

#include <strings.h>

#include "buf.h"
#include "memory.h"

void app_names_init(struct app_names *names, const struct manifest *manifest)
{
	names->manifest = manifest;
	names->on = memory_allocate(manifest->extra_count * sizeof(bool));
}

void app_names_release(struct app_names *names)
{
	memory_release(&names->on);
}

void app_names_add_all(struct app_names *names)
{
	for (size_t i = 0; i < names->manifest->extra_count; i++)
		names->on[i] = true;
}

void app_names_extras(const struct app_names *names, struct list *out)
{
	for (size_t i = 0; i < names->manifest->extra_count; i++) {
		if (names->on[i])
			list_add(out, names->manifest->extras[i].name);
	}
}

void app_names_lists(const struct manifest *manifest, struct list *out)
{
	for (size_t i = 0; i < manifest->extra_count; i++) {
		const char *list = manifest->extras[i].list;

		if (strcmp(list, APP_LIST_EXTRAS))
			list_add_once(out, list);
	}
	list_sort(out);
}

static bool is_list(const char *list, const char *name)
{
	return !list || !strcmp(list, name);
}

static bool holds_extra(const char *list, const struct manifest_extra *extra)
{
	return is_list(list, APP_LIST_EXTRAS) || !strcmp(list, extra->list);
}

static void add_extra(struct app_names *names, const char *name)
{
	for (size_t i = 0; i < names->manifest->extra_count; i++) {
		if (!strcmp(names->manifest->extras[i].name, name))
			names->on[i] = true;
	}
}

/* All names that may stand in `list`. */
static void known_names(const struct manifest *manifest, const char *list,
			struct list *known)
{
	for (size_t i = 0; i < manifest->extra_count; i++) {
		if (holds_extra(list, &manifest->extras[i]))
			list_add(known, manifest->extras[i].name);
	}
	for (size_t i = 0; i < manifest->feature_count; i++) {
		if (is_list(list, APP_LIST_FEATURES))
			list_add(known, manifest->features[i].name);
	}
}

static const char *nearest(const struct list *known, const char *name)
{
	for (size_t i = 0; i < known->count; i++) {
		if (!strcasecmp(known->items[i], name))
			return known->items[i];
	}
	return list_nearest(known, name);
}

static char *unknown(const struct manifest *manifest, const char *list,
		     const char *name)
{
	const struct manifest_extra *extra = manifest_extra(manifest, name);
	struct list known CLEANUP(list_release) = LIST_INIT;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	char *all CLEANUP(memory_release) = NULL;
	const char *meant;

	known_names(manifest, list, &known);
	buf_printf(&text, "unknown name \"%s\"", name);
	if (list)
		buf_printf(&text, " in \"%s\" of", list);
	else
		buf_text(&text, " for");
	buf_printf(&text, " %s %s", manifest->product, manifest->version);
	meant = nearest(&known, name);
	if (list && extra && manifest->has_lists)
		buf_printf(&text, "; it belongs in \"%s\"", extra->list);
	else if (list && manifest_feature(manifest, name))
		buf_printf(&text, "; it belongs in \"%s\"", APP_LIST_FEATURES);
	else if (meant)
		buf_printf(&text, "; did you mean \"%s\"?", meant);
	all = list_join(&known, ", ");
	buf_printf(&text, "%sknown are: %s", meant ? " " : "; ",
		   known.count ? all : "none");
	return buf_detach(&text);
}

char *app_names_add(struct app_names *names, const char *list, const char *name,
		    const char **older)
{
	const struct manifest *manifest = names->manifest;
	const struct manifest_extra *extra = manifest_extra(manifest, name);
	const struct manifest_feature *feature =
		manifest_feature(manifest, name);

	if (extra && holds_extra(list, extra)) {
		add_extra(names, extra->name);
		if (older && strcmp(extra->name, name))
			*older = extra->name;
		return NULL;
	}
	if (!feature || !is_list(list, APP_LIST_FEATURES))
		return unknown(manifest, list, name);
	for (size_t i = 0; i < feature->extras.count; i++)
		add_extra(names, feature->extras.items[i]);
	return NULL;
}
