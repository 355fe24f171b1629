/* Sizes, digests and file lists from a release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "archive_bytes.h"
#include "folder.h"
#include "log.h"
#include "manifest_pin.h"
#include "manifest_text.h"
#include "manifest_write.h"

/* One file in a tar (POSIX.1-1988, ustar). */
static void tar_add(struct buf *tar, const char *name, const char *text)
{
	size_t length = strlen(text), room = (length + 511) / 512 * 512;
	unsigned char *header = (unsigned char *)buf_reserve(tar, 512 + room);
	unsigned sum = 0;

	memset(header, 0, 512 + room);
	snprintf((char *)header, 100, "%s", name);
	snprintf((char *)header + 100, 8, "%07o", 0644);
	snprintf((char *)header + 108, 8, "%07o", 0);
	snprintf((char *)header + 116, 8, "%07o", 0);
	snprintf((char *)header + 124, 12, "%011o", (unsigned)length);
	snprintf((char *)header + 136, 12, "%011o", 0);
	memset(header + 148, ' ', 8);
	header[156] = '0';
	memcpy(header + 257,
	       "ustar\0"
	       "00",
	       8);
	for (size_t i = 0; i < 512; i++)
		sum += header[i];
	snprintf((char *)header + 148, 8, "%06o", sum);
	memcpy(header + 512, text, length);
	tar->length += 512 + room;
}

static void write_bytes(const char *folder, const char *name,
			const struct buf *bytes)
{
	char *path CLEANUP(memory_release) = folder_path(folder, name);
	FILE *file = fopen(path, "w");

	if (!file ||
	    fwrite(bytes->data, 1, bytes->length, file) != bytes->length ||
	    fclose(file))
		abort();
}

/* An archive with one file in it. */
static void write_archive(const char *folder, const char *name,
			  const char *path, const char *text)
{
	struct buf tar CLEANUP(buf_release) = BUF_INIT;
	struct buf packed CLEANUP(buf_release) = BUF_INIT;

	tar_add(&tar, path, text);
	memset(buf_reserve(&tar, 1024), 0, 1024);
	tar.length += 1024;
	if (strstr(name, ".zst"))
		zstd_of(&packed, &tar, 3, 20);
	else
		gzip_of(&packed, &tar);
	write_bytes(folder, name, &packed);
}

static const char text[] =
	"{\"schema\":1,\"product\":\"p\",\"version\":\"1\","
	"\"vocabulary\":\"extras\",\"baseUrls\":[],\"targets\":{"
	"\"t\":{\"platform\":\"t\"}},\"extras\":{},\"artifacts\":["
	"{\"name\":\"a\",\"archives\":["
	"{\"file\":\"a.tar.gz\",\"format\":\"tar.gz\"},"
	"{\"file\":\"a.tar.zst\",\"format\":\"tar.zst\"}]},"
	"{\"name\":\"b\",\"archives\":["
	"{\"file\":\"b.tar.gz\",\"format\":\"tar.gz\"}]}]}";

struct place {
	char *release;
	char *work;
	int fd;
};

static void place_release(struct place *place)
{
	fs_close(&place->fd);
	folder_remove(&place->release);
	folder_remove(&place->work);
}

static void place_make(struct place *place)
{
	struct error err = ERROR_INIT;

	place->release = folder_make();
	place->work = folder_make();
	assert_true(fs_open_folder(place->work, &place->fd, &err));
}

static bool pin(const struct place *place, const char *from,
		struct manifest **manifest, struct manifest_pin *done,
		struct error *err)
{
	struct release release CLEANUP(release_close) = RELEASE_INIT;

	if (!*manifest)
		assert_true(
			manifest_parse(manifest, "m", text, strlen(text), err));
	return release_open(&release, from ? from : place->release, NULL,
			    err) &&
	       manifest_pin(*manifest, &release, place->fd, done, err);
}

static void a_release_fills_its_manifest(void **state)
{
	struct place place CLEANUP(place_release);
	struct manifest *m CLEANUP(manifest_free) = NULL;
	struct manifest_pin done CLEANUP(manifest_pin_release) =
		MANIFEST_PIN_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct list left CLEANUP(list_release) = LIST_INIT;
	struct manifest *again CLEANUP(manifest_free) = NULL;
	struct error err = ERROR_INIT;
	const struct manifest_artifact *a;
	struct digest digest;

	(void)state;
	place_make(&place);
	write_archive(place.release, "a.tar.gz", "lib/x.so", "hello");
	write_archive(place.release, "a.tar.zst", "lib/x.so", "hello");
	if (!pin(&place, NULL, &m, &done, &err))
		fail_msg("%s", err.text);
	a = &m->artifacts[0];
	assert_int_equal(done.pinned.count, 2);
	assert_int_equal(done.missing.count, 1);
	assert_string_equal(done.missing.items[0], "b.tar.gz");
	assert_int_equal(done.changed.count, 0);
	assert_true(a->archives[0].pinned && a->archives[1].pinned);
	assert_true(a->archives[0].size > 0);
	assert_true(a->has_files);
	assert_int_equal(a->unpacked_size, 5);
	digest_bytes(&digest, "hello", 5);
	assert_true(digest_equal(&tree_find(&a->files, "lib/x.so")->digest,
				 &digest));
	assert_false(m->artifacts[1].archives[0].pinned);
	assert_true(fs_list(place.fd, ".", &left, &err));
	assert_int_equal(left.count, 0);
	manifest_write(m, &out);
	if (!manifest_parse(&again, "m", out.data, out.length, &err))
		fail_msg("%s", err.text);
}

static void a_file_url_is_a_folder_too(void **state)
{
	struct place place CLEANUP(place_release);
	struct manifest *m CLEANUP(manifest_free) = NULL;
	struct manifest_pin done CLEANUP(manifest_pin_release) =
		MANIFEST_PIN_INIT;
	struct error err = ERROR_INIT;
	char *url CLEANUP(memory_release) = NULL;

	(void)state;
	place_make(&place);
	write_archive(place.release, "b.tar.gz", "x", "y");
	url = memory_printf("file://%s", place.release);
	if (!pin(&place, url, &m, &done, &err))
		fail_msg("%s", err.text);
	assert_int_equal(done.pinned.count, 1);
	assert_int_equal(done.missing.count, 2);
}

static void a_changed_digest_is_said(void **state)
{
	struct place place CLEANUP(place_release);
	struct manifest *m CLEANUP(manifest_free) = NULL;
	struct manifest_pin done CLEANUP(manifest_pin_release) =
		MANIFEST_PIN_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	place_make(&place);
	write_archive(place.release, "b.tar.gz", "x", "y");
	assert_true(pin(&place, NULL, &m, &done, &err));
	assert_true(pin(&place, NULL, &m, &done, &err));
	assert_int_equal(done.changed.count, 0);
	write_archive(place.release, "b.tar.gz", "x", "z");
	assert_true(pin(&place, NULL, &m, &done, &err));
	assert_int_equal(done.changed.count, 1);
	assert_non_null(strstr(done.changed.items[0], "b.tar.gz: was sha256 "));
}

static void what_cannot_be_pinned_is_an_error(void **state)
{
	static const struct {
		const char *file, *path, *sidecar, *message;
		enum error_kind kind;
	} cases[] = {
		{"a.tar.zst", "lib/y.so", NULL,
		 "a.tar.gz and a.tar.zst are archives of the artifact a, and "
		 "differ in lib/x.so",
		 ERROR_ARCHIVE},
		{"b.tar.gz", "../x", NULL, "b.tar.gz: ", ERROR_ARCHIVE},
		{"b.tar.gz", "x", MANIFEST_HEX "\n",
		 "b.tar.gz: its sidecar says sha256 " MANIFEST_HEX,
		 ERROR_INTEGRITY},
		{"b.tar.gz", "x", "<html>", "b.tar.gz.sha256: expected a sha",
		 ERROR_INTEGRITY},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct place place CLEANUP(place_release);
		struct manifest *m CLEANUP(manifest_free) = NULL;
		struct manifest_pin done CLEANUP(manifest_pin_release) =
			MANIFEST_PIN_INIT;
		struct error err = ERROR_INIT;

		place_make(&place);
		write_archive(place.release, "a.tar.gz", "lib/x.so", "hello");
		write_archive(place.release, cases[i].file, cases[i].path,
			      "hello");
		if (cases[i].sidecar)
			folder_write(place.release, "b.tar.gz.sha256",
				     cases[i].sidecar);
		assert_false(pin(&place, NULL, &m, &done, &err));
		assert_int_equal(err.kind, cases[i].kind);
		if (!strstr(err.text, cases[i].message))
			fail_msg("%s", err.text);
	}
}

static void a_release_that_is_none_is_refused(void **state)
{
	static const struct {
		const char *from;
		enum error_kind kind;
	} cases[] = {
		{"/nonexistent/release", ERROR_FILESYSTEM},
		{"file:///nonexistent/release", ERROR_FILESYSTEM},
		{"ftp://h/r", ERROR_USAGE},
		{"https://u:p@h/r", ERROR_USAGE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct release release CLEANUP(release_close) = RELEASE_INIT;
		struct error err = ERROR_INIT;

		assert_false(release_open(&release, cases[i].from, NULL, &err));
		assert_int_equal(err.kind, cases[i].kind);
	}
}

static void a_folder_in_place_of_an_archive_is_refused(void **state)
{
	struct place place CLEANUP(place_release);
	struct manifest *m CLEANUP(manifest_free) = NULL;
	struct manifest_pin done CLEANUP(manifest_pin_release) =
		MANIFEST_PIN_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	place_make(&place);
	folder_add(place.release, "b.tar.gz");
	assert_false(pin(&place, NULL, &m, &done, &err));
	assert_non_null(strstr(err.text, "b.tar.gz: expected a file"));
}

static void saving_writes_what_can_be_read(void **state)
{
	struct place place CLEANUP(place_release);
	struct manifest *m CLEANUP(manifest_free) = NULL;
	struct manifest *again CLEANUP(manifest_free) = NULL;
	struct manifest_pin done CLEANUP(manifest_pin_release) =
		MANIFEST_PIN_INIT;
	struct error err = ERROR_INIT;
	int folder CLEANUP(fs_close) = -1;

	(void)state;
	place_make(&place);
	write_archive(place.release, "b.tar.gz", "x", "y");
	assert_true(pin(&place, NULL, &m, &done, &err));
	assert_true(fs_open_folder(place.release, &folder, &err));
	if (!manifest_save(m, folder, "m.json", &err) ||
	    !manifest_read(&again, folder, "m.json", &err))
		fail_msg("%s", err.text);
	assert_true(again->artifacts[1].archives[0].pinned);
	free(m->version);
	m->version = memory_string("../1");
	assert_false(manifest_save(m, folder, "other.json", &err));
	assert_false(fs_read_file(folder, "other.json", 1,
				  &(struct buf)BUF_INIT, NULL, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_fills_its_manifest),
		cmocka_unit_test(a_file_url_is_a_folder_too),
		cmocka_unit_test(a_changed_digest_is_said),
		cmocka_unit_test(what_cannot_be_pinned_is_an_error),
		cmocka_unit_test(a_release_that_is_none_is_refused),
		cmocka_unit_test(a_folder_in_place_of_an_archive_is_refused),
		cmocka_unit_test(saving_writes_what_can_be_read),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("manifest_pin", tests, NULL, NULL);
}
