/* Which steps bring what is staged to where it is owned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>

#include "buf.h"
#include "folder.h"
#include "fs.h"
#include "layout.h"
#include "memory.h"
#include "moves.h"

#define OWNED_MAX 4

/* "artifact path" below its destination; a path that ends in / is a folder. */
struct example {
	const char *what;
	const char *destinations[2];
	const char *owned[OWNED_MAX];
	const char *there; /* a folder that is there already */
	const char *stray; /* staged, and nobody's */
	const char *steps;
};

static const struct example examples[] = {
	{"a folder that is not there is put as a whole",
	 {"out", "out"},
	 {"0 lib/a", "0 lib/b/c"},
	 NULL,
	 NULL,
	 "put out/lib 0/lib\n"},
	{"what is in one that is there is put one by one",
	 {"out", "out"},
	 {"0 lib/a", "0 lib/b/c"},
	 "out/lib",
	 NULL,
	 "put out/lib/a 0/lib/a\nput out/lib/b 0/lib/b\n"},
	{"a folder of two artifacts is put from both",
	 {"out", "out"},
	 {"0 lib/a", "1 lib/b"},
	 NULL,
	 NULL,
	 "put out/lib/a 0/lib/a\nput out/lib/b 1/lib/b\n"},
	{"also when the destination of the first begins in it",
	 {"out/lib", "out"},
	 {"0 a", "1 lib/b"},
	 NULL,
	 NULL,
	 "put out/lib/a 0/a\nput out/lib/b 1/lib/b\n"},
	{"what one has as an empty folder is made, and synced, first",
	 {"out", "out"},
	 {"0 lib/", "1 lib/a", "1 lib/b/c"},
	 NULL,
	 NULL,
	 "folder out/lib\nput out/lib/a 1/lib/a\nput out/lib/b 1/lib/b\n"},
	{"a name that only begins like the folder's is not in it",
	 {"out", "out"},
	 {"0 lib-a", "0 lib/a", "1 lib.b"},
	 NULL,
	 NULL,
	 "put out/lib-a 0/lib-a\nput out/lib.b 1/lib.b\n"
	 "put out/lib 0/lib\n"},
	{"what is not the artifact's is left behind",
	 {"out", "out"},
	 {"0 lib/a", "0 lib/b/c", "0 lib/d/e/"},
	 NULL,
	 "0/lib/b/stray",
	 "put out/lib/a 0/lib/a\nput out/lib/b/c 0/lib/b/c\n"
	 "put out/lib/d 0/lib/d\n"},
	{"nor is it looked for in another's",
	 {"out", "out"},
	 {"0 lib/a", "1 more/b"},
	 NULL,
	 "0/stray",
	 "put out/lib 0/lib\nput out/more 1/more\n"},
};

static void stage(int third_party, const char *name, bool is_folder)
{
	char *path CLEANUP(memory_release) =
		memory_printf(LAYOUT_STAGING "/%s", name);
	char *slash = strrchr(path, '/');
	struct error err = ERROR_INIT;
	int fd CLEANUP(fs_close) = -1;

	*slash = '\0';
	assert_true(fs_make_folders_at(third_party, path, &err));
	*slash = '/';
	if (is_folder)
		return;
	fd = fs_open_at(third_party, path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
}

static void add_owned(struct receipt *receipt, struct supplied *supplied,
		      int third_party, const char *owned)
{
	size_t index = (size_t)(*owned - '0');
	struct receipt_artifact *artifact = &receipt->artifacts[index];
	size_t length = strlen(owned + 2);
	bool is_folder = owned[1 + length] == '/';
	enum tree_kind kind = is_folder ? TREE_FOLDER : TREE_FILE;
	char *path CLEANUP(memory_release) =
		memory_string_n(owned + 2, length - is_folder);
	char *whole CLEANUP(memory_release) =
		memory_printf("%s/%s", artifact->destination, path);
	char *staged CLEANUP(memory_release) =
		memory_printf("%zu/%s", index, owned + 2);

	tree_add(&supplied[index].files, kind, path);
	tree_add(&artifact->files, kind, whole);
	stage(third_party, staged, is_folder);
}

static void tell(const struct journal *journal, struct buf *out)
{
	static const char *const kinds[] = {"remove", "prune", "aside",
					    "folder", "put",   "swap"};

	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_step *step = &journal->steps[i];

		buf_printf(out, "%s %s", kinds[step->kind], step->path);
		if (step->other)
			buf_printf(out, " %s",
				   step->other + strlen(LAYOUT_STAGING "/"));
		buf_text(out, "\n");
	}
}

static void check(const struct example *example)
{
	char *path = folder_make();
	struct receipt *receipt CLEANUP(receipt_free) =
		memory_allocate(sizeof(*receipt));
	struct supplied *supplied = supplied_start(2);
	struct ownership ownership CLEANUP(ownership_release) = {0};
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;
	struct commit_result result = COMMIT_RESULT_INIT;
	struct buf steps CLEANUP(buf_release) = BUF_INIT;
	struct error err = ERROR_INIT;
	int third_party CLEANUP(fs_close) = -1;

	assert_true(fs_open_folder(path, &third_party, &err));
	for (size_t i = 0; i < 2; i++) {
		char *name CLEANUP(memory_release) = memory_printf("%zu", i);

		receipt_add(receipt, name)->destination =
			memory_string(example->destinations[i]);
		supplied[i].staged = true;
	}
	for (size_t i = 0; i < OWNED_MAX && example->owned[i]; i++)
		add_owned(receipt, supplied, third_party, example->owned[i]);
	if (example->there)
		assert_true(
			fs_make_folders_at(third_party, example->there, &err));
	if (example->stray)
		stage(third_party, example->stray, false);
	ownership_collect(&ownership, NULL, receipt, supplied);
	assert_true(moves_plan(&ownership, third_party, true, &journal, &result,
			       &err));
	tell(&journal, &steps);
	assert_string_equal(steps.data, example->steps);
	supplied_free(supplied, 2);
	folder_remove(&path);
}

static void every_example_gives_its_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		print_message("%s\n", examples[i].what);
		check(&examples[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_example_gives_its_steps),
	};

	return cmocka_run_group_tests_name("moves", tests, NULL, NULL);
}
