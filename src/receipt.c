#include "receipt.h"

#include "fs.h"
#include "json_fields.h"
#include "json_writer.h"
#include "layout.h"
#include "log.h"
#include "memory.h"

struct receipt_artifact *receipt_add(struct receipt *receipt, const char *name)
{
	struct receipt_artifact *artifact;

	receipt->artifacts =
		memory_grow(receipt->artifacts, receipt->artifact_count,
			    sizeof(*receipt->artifacts));
	artifact = &receipt->artifacts[receipt->artifact_count++];
	memset(artifact, 0, sizeof(*artifact));
	artifact->name = memory_string(name);
	return artifact;
}

const struct receipt_artifact *receipt_find(const struct receipt *receipt,
					    const char *name)
{
	for (size_t i = 0; receipt && i < receipt->artifact_count; i++) {
		if (!strcmp(receipt->artifacts[i].name, name))
			return &receipt->artifacts[i];
	}
	return NULL;
}

void receipt_free(struct receipt **receipt)
{
	struct receipt *old = *receipt;

	if (!old)
		return;
	for (size_t i = 0; i < old->artifact_count; i++) {
		struct receipt_artifact *artifact = &old->artifacts[i];

		free(artifact->name);
		free(artifact->target);
		free(artifact->extra);
		free(artifact->archive);
		free(artifact->destination);
		free(artifact->source);
		tree_release(&artifact->files);
	}
	free(old->artifacts);
	free(old->product);
	free(old->version);
	list_release(&old->apps);
	list_release(&old->extras);
	list_release(&old->targets);
	free(old);
	*receipt = NULL;
}

static bool read_artifact(struct receipt *receipt, const struct json *object,
			  struct error *err)
{
	struct receipt_artifact *artifact;
	struct json name, files;
	const char *text;

	if (!json_object(object, err) ||
	    !json_require(object, "name", &name, err) ||
	    !json_string(&name, &text, err))
		return false;
	if (receipt_find(receipt, text))
		return json_fail(&name, err, "is there twice");
	artifact = receipt_add(receipt, text);
	return json_maybe_string(object, "target", &artifact->target, err) &&
	       json_maybe_string(object, "extra", &artifact->extra, err) &&
	       json_field_string(object, "archive", &artifact->archive, err) &&
	       json_maybe_string(object, "destination", &artifact->destination,
				 err) &&
	       json_field_digest(object, "sha256", &artifact->digest, err) &&
	       json_maybe_string(object, "source", &artifact->source, err) &&
	       json_require(object, "files", &files, err) &&
	       tree_read_json(&artifact->files, &files, err);
}

static bool read_fields(struct receipt *receipt, const struct json *root,
			struct error *err)
{
	struct json artifacts, manifest;

	if (!json_field_schema(root, RECEIPT_SCHEMA, err) ||
	    !json_require(root, "manifest", &manifest, err) ||
	    !json_object(&manifest, err) ||
	    !json_field_string(&manifest, "product", &receipt->product, err) ||
	    !json_field_string(&manifest, "version", &receipt->version, err) ||
	    !json_field_digest(&manifest, "sha256", &receipt->manifest, err) ||
	    !json_field_strings(root, "apps", &receipt->apps, err) ||
	    !json_field_strings(root, "extras", &receipt->extras, err) ||
	    !json_field_strings(root, "targets", &receipt->targets, err) ||
	    !json_field_digest(root, "fingerprint", &receipt->fingerprint,
			       err) ||
	    !json_field_digest(root, "buildConfig", &receipt->config, err) ||
	    !json_require(root, "artifacts", &artifacts, err) ||
	    !json_array(&artifacts, err))
		return false;
	json_for_each (artifact, &artifacts) {
		if (!read_artifact(receipt, &artifact, err))
			return false;
	}
	return true;
}

static bool parse(struct receipt *receipt, const struct buf *text,
		  struct error *err)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct json root;

	if (!json_parse(&document, LAYOUT_THIRD_PARTY "/" LAYOUT_RECEIPT,
			text->data, text->length, JSON_WHOLE_NUMBERS | JSON_OWN,
			err))
		return false;
	root = json_root(&document);
	return read_fields(receipt, &root, err);
}

/* An install reads it twice: before the lock is taken, and with it. */
static void say_useless(const struct error *why)
{
	static bool said;

	if (!said)
		log_warning("the receipt of what is installed cannot be used "
			    "(%s); an install checks and installs everything "
			    "again",
			    why->text);
	said = true;
}

bool receipt_read(struct receipt **out, int third_party, struct error *err)
{
	struct receipt *receipt CLEANUP(receipt_free) = NULL;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct error why = ERROR_INIT;
	bool found = false;

	*out = NULL;
	if (third_party < 0)
		return true;
	if (!fs_read_file(third_party, LAYOUT_RECEIPT, RECEIPT_BYTES_MAX, &text,
			  &found, err))
		return false;
	if (!found)
		return true;
	receipt = memory_allocate(sizeof(*receipt));
	if (!parse(receipt, &text, &why)) {
		say_useless(&why);
		return true;
	}
	*out = receipt;
	receipt = NULL;
	return true;
}

static void write_artifact(const struct receipt_artifact *artifact,
			   struct json_writer *writer)
{
	json_open_object(writer, NULL, JSON_LINES);
	json_put_string(writer, "name", artifact->name);
	if (artifact->target)
		json_put_string(writer, "target", artifact->target);
	if (artifact->extra)
		json_put_string(writer, "extra", artifact->extra);
	json_put_string(writer, "archive", artifact->archive);
	if (artifact->destination)
		json_put_string(writer, "destination", artifact->destination);
	json_put_digest(writer, "sha256", &artifact->digest);
	if (artifact->source)
		json_put_string(writer, "source", artifact->source);
	tree_write_json(&artifact->files, writer, "files");
	json_close(writer);
}

void receipt_write(const struct receipt *receipt, struct buf *out)
{
	struct json_writer writer;

	json_writer_start(&writer, out);
	json_open_object(&writer, NULL, JSON_LINES);
	json_put_integer(&writer, "schema", RECEIPT_SCHEMA);
	json_open_object(&writer, "manifest", JSON_LINES);
	json_put_string(&writer, "product", receipt->product);
	json_put_string(&writer, "version", receipt->version);
	json_put_digest(&writer, "sha256", &receipt->manifest);
	json_close(&writer);
	json_put_strings(&writer, "apps", &receipt->apps);
	json_put_strings(&writer, "extras", &receipt->extras);
	json_put_strings(&writer, "targets", &receipt->targets);
	json_put_digest(&writer, "fingerprint", &receipt->fingerprint);
	json_put_digest(&writer, "buildConfig", &receipt->config);
	json_open_array(&writer, "artifacts", JSON_LINES);
	for (size_t i = 0; i < receipt->artifact_count; i++)
		write_artifact(&receipt->artifacts[i], &writer);
	json_close(&writer);
	json_close(&writer);
	json_writer_finish(&writer);
}
