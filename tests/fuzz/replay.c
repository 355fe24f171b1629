/*
 * replay.c - gives seeds to a fuzz target, without a fuzzer.
 *
 *	fuzz_<subject>                    replays corpus/<subject>/, as TAP
 *	fuzz_<subject> --write DIR        writes the seeds to DIR as bytes
 *	fuzz_<subject> --text FILE        prints bytes as the text of a seed
 *	fuzz_<subject> FILE...            replays these
 *
 * Seeds are replayed whole and cut short at many places. Those that are no
 * text are kept as text: in a file NAME.hex, two digits are a byte, 00*512 is
 * many of them, "abc" are characters, # begins a comment.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "buf.h"
#include "fuzz.h"
#include "list.h"

#define CUTS 200 /* of one seed */

static void die(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s (%s)\n", name, what, strerror(errno));
	exit(1);
}

static void read_file(const char *path, struct buf *out)
{
	FILE *file = fopen(path, "rb");
	char block[4096];
	size_t length;

	if (!file)
		die("cannot be read", path);
	while ((length = fread(block, 1, sizeof(block), file)))
		buf_append(out, block, length);
	if (ferror(file) || fclose(file))
		die("cannot be read", path);
}

static bool is_text_form(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".hex");
}

/* One byte, or a run of it. */
static const char *take_byte(const char *at, struct buf *out)
{
	char digits[3] = {at[0], at[0] ? at[1] : '\0', '\0'};
	char *end;
	char byte = (char)strtoul(digits, &end, 16);
	unsigned long count = 1;

	if (end != digits + 2)
		return NULL;
	at += 2;
	if (*at == '*') {
		count = strtoul(at + 1, &end, 10);
		at = end;
	}
	for (; count; count--)
		buf_byte(out, byte);
	return at;
}

static bool from_text(const char *at, struct buf *out)
{
	while (at && *at) {
		size_t length;

		at += strspn(at, " \t\n");
		if (*at == '#') {
			at += strcspn(at, "\n");
		} else if (*at == '"') {
			length = strcspn(++at, "\"");
			buf_append(out, at, length);
			at = at[length] ? at + length + 1 : NULL;
		} else if (*at) {
			at = take_byte(at, out);
		}
	}
	return at;
}

static void read_seed(const char *path, struct buf *out)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;

	if (!is_text_form(path)) {
		read_file(path, out);
		return;
	}
	read_file(path, &text);
	errno = 0;
	if (!from_text(text.data, out))
		die("is not in the form of replay.c", path);
}

/* How many bytes from `at` on can stand in quotes. */
static size_t quotable(const struct buf *bytes, size_t at)
{
	size_t length = 0;

	while (at + length < bytes->length && bytes->data[at + length] >= ' ' &&
	       bytes->data[at + length] < 0x7f &&
	       bytes->data[at + length] != '"')
		length++;
	return length;
}

static size_t run_length(const struct buf *bytes, size_t at)
{
	size_t length = 1;

	while (at + length < bytes->length &&
	       bytes->data[at + length] == bytes->data[at])
		length++;
	return length;
}

static void print_text(const struct buf *bytes)
{
	size_t column = 0;

	for (size_t at = 0; at < bytes->length;) {
		size_t run = run_length(bytes, at);
		size_t quoted = quotable(bytes, at);
		unsigned char byte = (unsigned char)bytes->data[at];

		if (run > 4) {
			column += (size_t)printf("%02x*%zu", byte, run);
			at += run;
		} else if (quoted > 3) {
			quoted = quoted < 60 ? quoted : 60;
			column += (size_t)printf("\"%.*s\"", (int)quoted,
						 bytes->data + at);
			at += quoted;
		} else {
			column += (size_t)printf("%02x", byte);
			at++;
		}
		fputs(column > 60 || at == bytes->length ? "\n" : " ", stdout);
		column = column > 60 ? 0 : column + 1;
	}
}

/* For the mutators of targets, which nobody calls here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	return size < max_size ? size : max_size;
}

static void give(const char *bytes, size_t length)
{
	/* Of its own size, so that the sanitizer sees a read behind it. */
	uint8_t *copy = malloc(length ? length : 1);

	memcpy(copy, bytes, length);
	LLVMFuzzerTestOneInput(copy, length);
	free(copy);
}

static void replay(const char *path, size_t number)
{
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	size_t step;

	read_seed(path, &bytes);
	fprintf(stderr, "# %s\n", path);
	step = bytes.length / CUTS + 1;
	for (size_t length = 0; length < bytes.length; length += step)
		give(bytes.data, length);
	give(bytes.data, bytes.length);
	printf("ok %zu - %s\n", number, path);
	fflush(stdout);
}

static void write_seed(const char *folder, const char *path)
{
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;
	char *out CLEANUP(memory_release) = NULL;
	FILE *file;

	read_seed(path, &bytes);
	out = memory_printf("%s/%s", folder, strrchr(path, '/') + 1);
	file = fopen(out, "wb");
	if (!file ||
	    fwrite(bytes.data, 1, bytes.length, file) != bytes.length ||
	    fclose(file))
		die("cannot be written", out);
}

/* The seeds of the target that this program is called after. */
static void find_seeds(const char *program, struct list *seeds)
{
	const char *subject = strrchr(program, '/');
	char *folder CLEANUP(memory_release) = NULL;
	const struct dirent *entry;
	DIR *names;

	subject = subject ? subject + 1 : program;
	subject += strncmp(subject, "fuzz_", 5) ? 0 : 5;
	folder = memory_printf("tests/fuzz/corpus/%s", subject);
	names = opendir(folder);
	if (!names)
		die("cannot be opened; start this where the Makefile is",
		    folder);
	while ((entry = readdir(names))) {
		if (*entry->d_name != '.')
			list_addf(seeds, "%s/%s", folder, entry->d_name);
	}
	closedir(names);
	list_sort(seeds);
}

int main(int argc, char **argv)
{
	struct list seeds CLEANUP(list_release) = LIST_INIT;
	struct buf bytes CLEANUP(buf_release) = BUF_INIT;

	if (argc == 3 && !strcmp(argv[1], "--text")) {
		read_file(argv[2], &bytes);
		print_text(&bytes);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--write")) {
		find_seeds(argv[0], &seeds);
		for (size_t i = 0; i < seeds.count; i++)
			write_seed(argv[2], seeds.items[i]);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		list_add(&seeds, argv[i]);
	if (argc == 1)
		find_seeds(argv[0], &seeds);
	printf("1..%zu\n", seeds.count);
	for (size_t i = 0; i < seeds.count; i++)
		replay(seeds.items[i], i + 1);
	return 0;
}
