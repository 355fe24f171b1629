#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "links.h"
#include "memory.h"
#include "path.h"
#include "roster.h"

struct name {
	enum tree_kind kind;
	const char *path;
};

#define NAMES_MAX 4

static bool add_all(struct roster *roster, const struct name *names,
		    struct error *err)
{
	for (size_t i = 0; i < NAMES_MAX && names[i].path; i++) {
		if (!roster_add(roster, names[i].path, names[i].kind, i, err))
			return false;
	}
	return true;
}

static void names_that_are_one_somewhere_are_refused(void **state)
{
	static const struct {
		struct name names[NAMES_MAX];
		const char *text; /* NULL: they go together */
	} cases[] = {
		{{{TREE_FILE, "a"}, {TREE_FILE, "b"}}, NULL},
		{{{TREE_FOLDER, "a"}, {TREE_FILE, "a/b"}}, NULL},
		{{{TREE_FILE, "a/b"}, {TREE_FOLDER, "a"}}, NULL},
		{{{TREE_FILE, "a/b/c"}, {TREE_FILE, "a/d"}}, NULL},
		{{{TREE_FILE, "ab"}, {TREE_FILE, "a/b"}}, NULL},
		{{{TREE_FILE, "a"}, {TREE_FILE, "a"}}, "twice"},
		{{{TREE_FOLDER, "a"}, {TREE_FOLDER, "a"}}, "twice"},
		{{{TREE_FILE, "a"}, {TREE_FOLDER, "a"}}, "twice"},
		{{{TREE_FILE, "a/b"}, {TREE_FOLDER, "a"}, {TREE_FOLDER, "a"}},
		 "twice"},
		{{{TREE_FILE, "a"}, {TREE_FILE, "a/b"}}, "lies below"},
		{{{TREE_LINK, "a"}, {TREE_FILE, "a/b"}}, "lies below"},
		{{{TREE_FILE, "a"}, {TREE_FILE, "a/b/c/d"}}, "lies below"},
		{{{TREE_FILE, "a/b"}, {TREE_FILE, "a"}}, "entries below it"},
		{{{TREE_FILE, "a/b"}, {TREE_LINK, "a"}}, "entries below it"},
		{{{TREE_FILE, "a"}, {TREE_FILE, "A"}}, "are one name"},
		{{{TREE_FILE, "A/x"}, {TREE_FILE, "a/y"}}, "are one name"},
		{{{TREE_FILE, "A/x"}, {TREE_FOLDER, "a"}}, "are one name"},
		{{{TREE_FOLDER, "A"}, {TREE_FILE, "a/y"}}, "are one name"},
		{{{TREE_FILE, "\xc3\xa9"}, {TREE_FILE, "e\xcc\x81"}},
		 "are one name"},
		{{{TREE_FILE, "\xef\xac\x81x"}, {TREE_FILE, "FIX"}},
		 "are one name"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct roster *roster CLEANUP(roster_free) = roster_start();
		struct error err = ERROR_INIT;

		if (add_all(roster, cases[i].names, &err) != !cases[i].text)
			fail_msg("case %zu: \"%s\"", i, err.text);
		if (!cases[i].text)
			continue;
		assert_int_equal(err.kind, ERROR_ARCHIVE);
		if (!strstr(err.text, cases[i].text))
			fail_msg("case %zu: \"%s\"", i, err.text);
	}
}

static void many_names_are_found_again(void **state)
{
	struct roster *roster CLEANUP(roster_free) = roster_start();
	struct error err = ERROR_INIT;
	char path[64];

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		snprintf(path, sizeof(path), "f%zu/sub/n%zu", i % 97, i);
		assert_true(roster_add(roster, path, TREE_FILE, i, &err));
	}
	for (size_t i = 0; i < 20000; i++) {
		const struct roster_name *name;

		snprintf(path, sizeof(path), "F%zu/sub/N%zu", i % 97, i);
		name = roster_find(roster, path);
		assert_non_null(name);
		assert_int_equal(name->index, i);
	}
	assert_null(roster_find(roster, "f0/sub/n1"));
	assert_true(roster_find(roster, "f0/sub")->parent);
	assert_false(roster_find(roster, "f0/sub")->said);
}

struct link {
	const char *path;
	const char *target; /* NULL: a file */
};

static void links_lead_to_files_and_folders_only(void **state)
{
	static const struct {
		struct link links[NAMES_MAX];
		const char *text;
	} cases[] = {
		{{{"a/f", NULL}, {"l", "a/f"}}, NULL},
		{{{"a/f", NULL}, {"l", "a"}}, NULL},
		{{{"a/f", NULL}, {"b/l", "../a/f"}}, NULL},
		{{{"l", "nothing"}}, NULL},
		{{{"f", NULL}, {"k", "f"}, {"l", "k"}}, "is another link"},
		{{{"k", "l"}, {"l", "k"}}, "is another link"},
		{{{"a/f", NULL}, {"k", "a"}, {"l", "k/f"}}, "leads through"},
		{{{"a/f", NULL}, {"l", "k/f"}, {"k", "a"}}, "leads through"},
		{{{"a/f", NULL}, {"k", "a"}, {"b/l", "../K/f"}},
		 "leads through"},
		{{{"F/Versions/A/F", NULL},
		  {"F/Versions/Current", "A"},
		  {"F/F", "Versions/Current/F"}},
		 NULL},
		{{{"F/Versions/A/F", NULL},
		  {"F/Versions/Current", "A"},
		  {"F/V", "Versions/Current"}},
		 "is another link"},
		{{{"x/F", NULL},
		  {"F/Versions/Current", "../../x"},
		  {"F/F", "Versions/Current/F"}},
		 "leads through"},
		{{{"A/F", NULL}, {"Current", "A"}, {"F", "Current/F"}},
		 "leads through"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct roster *roster CLEANUP(roster_free) = roster_start();
		struct tree tree CLEANUP(tree_release) = TREE_INIT;
		struct error err = ERROR_INIT;

		for (size_t j = 0; j < NAMES_MAX && cases[i].links[j].path;
		     j++) {
			const struct link *link = &cases[i].links[j];
			enum tree_kind kind =
				link->target ? TREE_LINK : TREE_FILE;

			assert_true(
				roster_add(roster, link->path, kind, j, &err));
			if (link->target)
				tree_add(&tree, kind, link->path)->link =
					memory_string(link->target);
			else
				tree_add(&tree, kind, link->path);
		}
		if (links_check(roster, &tree, &err) != !cases[i].text)
			fail_msg("case %zu: \"%s\"", i, err.text);
		if (cases[i].text && !strstr(err.text, cases[i].text))
			fail_msg("case %zu: \"%s\"", i, err.text);
	}
}

/* A thousand files are little; sixty folders above each are much. */
static void folders_that_no_entry_names_are_counted(void **state)
{
	struct roster *roster CLEANUP(roster_free) = roster_start();
	struct error err = ERROR_INIT;
	size_t files = 0;

	(void)state;
	for (bool added = true; added; files++) {
		char *path = memory_printf("%zu", files);

		assert_in_range(files, 0, 2000);
		for (unsigned depth = 0; depth < 60; depth++) {
			char *deeper = path_join(path, "folder-of-sixteen");

			free(path);
			path = deeper;
		}
		added = roster_add(roster, path, TREE_FILE, files, &err);
		free(path);
	}
	assert_int_equal(err.kind, ERROR_ARCHIVE);
	assert_non_null(strstr(err.text, "4 MB of names"));
	assert_in_range(files, 50, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_are_one_somewhere_are_refused),
		cmocka_unit_test(many_names_are_found_again),
		cmocka_unit_test(links_lead_to_files_and_folders_only),
		cmocka_unit_test(folders_that_no_entry_names_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
