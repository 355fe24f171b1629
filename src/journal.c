#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "fs.h"
#include "json_fields.h"
#include "json_writer.h"
#include "layout.h"
#include "litter.h"
#include "log.h"
#include "memory.h"
#include "path.h"
#include "tempfile.h"

#define JOURNAL_SCHEMA    1
#define JOURNAL_BYTES_MAX (128u << 20)

static const char *const kind_names[] = {
	[JOURNAL_REMOVE] = "remove", [JOURNAL_PRUNE] = "prune",
	[JOURNAL_ASIDE] = "aside",   [JOURNAL_FOLDER] = "folder",
	[JOURNAL_PUT] = "put",       [JOURNAL_SWAP] = "swap",
};

static char *copy(const char *text)
{
	return text ? memory_string(text) : NULL;
}

void journal_add(struct journal *journal, enum journal_kind kind,
		 const char *path, const char *other, const char *aside)
{
	struct journal_step *step;

	journal->steps = memory_grow(journal->steps, journal->count,
				     sizeof(*journal->steps));
	step = &journal->steps[journal->count++];
	*step = (struct journal_step){kind, copy(path), copy(other),
				      copy(aside)};
}

void journal_release(struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		free(journal->steps[i].path);
		free(journal->steps[i].other);
		free(journal->steps[i].aside);
	}
	free(journal->steps);
	free(journal->config_between);
	free(journal->config);
	*journal = (struct journal)JOURNAL_INIT;
}

bool journal_exists(int third_party)
{
	struct error ignored = ERROR_INIT;
	struct stat st;

	return third_party >= 0 &&
	       fs_stat_at(third_party, LAYOUT_JOURNAL, &st, &ignored) == 1;
}

static void write_step(struct json_writer *writer,
		       const struct journal_step *step)
{
	json_open_object(writer, NULL, JSON_INLINE);
	json_put_string(writer, "do", kind_names[step->kind]);
	json_put_string(writer, "path", step->path);
	if (step->other)
		json_put_string(writer, "other", step->other);
	if (step->aside)
		json_put_string(writer, "aside", step->aside);
	json_close(writer);
}

static bool sync_state_folder(int third_party, struct error *err)
{
	int folder CLEANUP(fs_close) = -1;

	return fs_open_folder_at(third_party, LAYOUT_STATE, &folder, err) &&
	       fs_sync(folder, LAYOUT_STATE, err);
}

bool journal_write(const struct journal *journal, int third_party,
		   struct error *err)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct json_writer writer;

	json_writer_start(&writer, &text);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_integer(&writer, "schema", JOURNAL_SCHEMA);
	if (journal->config_between)
		json_put_string(&writer, "configBetween",
				journal->config_between);
	json_put_string(&writer, "config", journal->config);
	json_open_array(&writer, "steps", JSON_LINES);
	for (size_t i = 0; i < journal->count; i++)
		write_step(&writer, &journal->steps[i]);
	json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
	if (text.length > JOURNAL_BYTES_MAX)
		return error_set(
			err, ERROR_ARCHIVE,
			"the journal of these files would have %zu MB, "
			"and may have %u",
			text.length >> 20, JOURNAL_BYTES_MAX >> 20);
	/* What the journal speaks of is on disk before it is. */
	return fs_sync_all(third_party, LAYOUT_THIRD_PARTY, err) &&
	       tempfile_write(third_party, LAYOUT_JOURNAL, 0644, text.data,
			      text.length, TEMPFILE_SYNC, err) &&
	       sync_state_folder(third_party, err);
}

/* Under the lock, so the name may be fixed: what lies there is litter. */
static bool put_config(int package, const char *text, struct error *err)
{
	int fd CLEANUP(fs_close) = -1;

	if (!fs_remove_tree(package, LAYOUT_CONFIG_NEXT, err))
		return false;
	fd = fs_open_at(package, LAYOUT_CONFIG_NEXT,
			O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (fd < 0)
		return fs_failed(err, errno, package, "create",
				 LAYOUT_CONFIG_NEXT);
	return fs_write_all(fd, text, strlen(text), LAYOUT_CONFIG, err) &&
	       fs_sync(fd, LAYOUT_CONFIG, err) &&
	       fs_close_written(&fd, LAYOUT_CONFIG, err) &&
	       fs_rename(package, LAYOUT_CONFIG_NEXT, package, LAYOUT_CONFIG,
			 err) &&
	       fs_sync(package, ".", err);
}

static bool put_receipt(int third_party, struct error *err)
{
	struct stat st;
	int there = fs_stat_at(third_party, LAYOUT_RECEIPT_NEXT, &st, err);

	if (there <= 0)
		return there == 0;
	return fs_rename(third_party, LAYOUT_RECEIPT_NEXT, third_party,
			 LAYOUT_RECEIPT, err);
}

bool journal_run(const struct journal *journal, int package, int third_party,
		 struct error *err)
{
	if (journal->config_between &&
	    !put_config(package, journal->config_between, err))
		return false;
	if (!journal_run_steps(journal, third_party, err))
		return false;
	/* The moves are on disk before the config speaks of them and before
	 * the journal, which could repeat them, is gone. */
	return put_receipt(third_party, err) &&
	       fs_sync_all(third_party, LAYOUT_THIRD_PARTY, err) &&
	       put_config(package, journal->config, err) &&
	       litter_remove(third_party, err) &&
	       fs_remove_file(third_party, LAYOUT_JOURNAL, err);
}

static bool read_path(const struct json *object, const char *key, char **out,
		      struct error *err)
{
	struct json member = json_member(object, key);
	const char *text, *refused;

	if (!member.node)
		return true;
	if (!json_string(&member, &text, err))
		return false;
	refused = path_refused(text);
	if (refused)
		return json_fail(&member, err, "%s: %s", text, refused);
	*out = memory_string(text);
	return true;
}

static bool read_step(struct journal *journal, const struct json *object,
		      struct error *err)
{
	char *path CLEANUP(memory_release) = NULL;
	char *other CLEANUP(memory_release) = NULL;
	char *aside CLEANUP(memory_release) = NULL;
	struct json what;
	const char *name;

	if (!json_object(object, err) ||
	    !json_require(object, "do", &what, err) ||
	    !json_string(&what, &name, err) ||
	    !read_path(object, "path", &path, err) ||
	    !read_path(object, "other", &other, err) ||
	    !read_path(object, "aside", &aside, err))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++) {
		bool pair = i == JOURNAL_ASIDE || i == JOURNAL_PUT ||
			    i == JOURNAL_SWAP;

		if (strcmp(name, kind_names[i]))
			continue;
		if (!path || (pair && !other) || (i == JOURNAL_SWAP && !aside))
			return json_fail(object, err, "a path is missing");
		journal_add(journal, (enum journal_kind)i, path, other, aside);
		return true;
	}
	return json_fail(&what, err, "unknown step %s", name);
}

static bool parse(struct journal *journal, const struct buf *text,
		  struct error *err)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct json root, steps;

	if (!json_parse(&document, LAYOUT_THIRD_PARTY "/" LAYOUT_JOURNAL,
			text->data, text->length, JSON_WHOLE_NUMBERS | JSON_OWN,
			err))
		return false;
	root = json_root(&document);
	if (!json_field_schema(&root, JOURNAL_SCHEMA, err) ||
	    !json_maybe_string(&root, "configBetween", &journal->config_between,
			       err) ||
	    !json_maybe_string(&root, "config", &journal->config, err) ||
	    !json_require(&root, "steps", &steps, err) ||
	    !json_array(&steps, err))
		return false;
	if (!journal->config)
		return json_fail(&root, err, "the build config is missing");
	json_for_each (step, &steps) {
		if (!read_step(journal, &step, err))
			return false;
	}
	return true;
}

bool journal_recover(int package, int third_party, bool *did, struct error *err)
{
	struct journal journal CLEANUP(journal_release) = JOURNAL_INIT;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error why = ERROR_INIT;
	bool found;

	*did = false;
	if (!fs_read_file(third_party, LAYOUT_JOURNAL, JOURNAL_BYTES_MAX, &text,
			  &found, err))
		return false;
	if (found && parse(&journal, &text, &why)) {
		*did = true;
		return journal_run(&journal, package, third_party, err);
	}
	if (found) {
		/* It appears by rename, so this is damage from elsewhere. The
		 * receipt on disk is the old one: the survey finds the rest. */
		log_warning("%s; everything is checked again", why.text);
		if (!fs_remove_tree(third_party, LAYOUT_JOURNAL, err))
			return false;
	}
	return litter_remove(third_party, err);
}
