#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "encoder.h"
#include "fs.h"
#include "interrupt.h"
#include "memory.h"
#include "stage.h"
#include "tar_write.h"
#include "tempfile.h"
#include "unpack.h"

#define COPY_SIZE (256 * 1024)

/* The plain archive's length, which zstd wants to know beforehand. */
static uint64_t plain_size(const struct tree *tree)
{
	uint64_t size = TAR_WRITE_END;

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->entries[i];
		struct buf header CLEANUP(buf_release) = BUF_INIT;

		tar_write_header(&header, entry);
		size += header.length + entry->size +
			tar_write_padding(entry->size);
	}
	return size;
}

static bool write_zeros(struct encoder *encoder, size_t length,
			struct error *err)
{
	static const char zeros[TAR_WRITE_END];

	return encoder_write(encoder, zeros, length, err);
}

/* Exactly the bytes that the header announced. */
static bool write_data(struct encoder *encoder, int folder,
		       const struct tree_entry *entry, struct error *err)
{
	char *bytes CLEANUP(memory_release) = memory_allocate(COPY_SIZE);
	int file CLEANUP(fs_close) =
		fs_open_at(folder, entry->path, O_RDONLY, 0);
	uint64_t left = entry->size;

	if (file < 0)
		return error_system(err, errno, "cannot open %s", entry->path);
	for (;;) {
		ssize_t got = read(file, bytes, COPY_SIZE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_system(err, errno, "cannot read %s",
					    entry->path);
		if ((uint64_t)got > left || (!got && left))
			return error_set(err, ERROR_FILESYSTEM,
					 "%s changed while it was packed",
					 entry->path);
		if (!got)
			return true;
		if (!encoder_write(encoder, bytes, (size_t)got, err))
			return false;
		left -= (uint64_t)got;
	}
}

static bool write_entry(struct encoder *encoder, int folder,
			const struct tree_entry *entry, struct error *err)
{
	struct buf header CLEANUP(buf_release) = BUF_INIT;

	if (!interrupt_check(err))
		return false;
	tar_write_header(&header, entry);
	if (!encoder_write(encoder, header.data, header.length, err))
		return false;
	if (entry->kind != TREE_FILE)
		return true;
	return write_data(encoder, folder, entry, err) &&
	       write_zeros(encoder, tar_write_padding(entry->size), err);
}

static bool write_archive(int file, const char *name,
			  enum archive_format format, int folder,
			  const struct tree *tree, struct error *err)
{
	struct encoder *encoder CLEANUP(encoder_close) = NULL;

	if (!encoder_open(&encoder, file, name, format, plain_size(tree), err))
		return false;
	for (size_t i = 0; i < tree->count; i++) {
		if (!write_entry(encoder, folder, &tree->entries[i], err))
			return false;
	}
	return write_zeros(encoder, TAR_WRITE_END, err) &&
	       encoder_finish(encoder, err);
}

static bool write_sidecar(const struct manifest_archive *archive, int out,
			  struct error *err)
{
	char *name CLEANUP(memory_release) =
		memory_printf("%s.sha256", archive->file);
	char hex[DIGEST_HEX_SIZE];
	char line[DIGEST_HEX_SIZE + 1];

	digest_to_hex(&archive->digest, hex);
	snprintf(line, sizeof(line), "%s\n", hex);
	return tempfile_write(out, name, 0644, line, strlen(line),
			      TEMPFILE_SYNC, err);
}

/* As an installer will, when it knows the unpacked size. */
static bool read_back(int file, const struct manifest_artifact *artifact,
		      const struct manifest_archive *archive,
		      const struct tree *staged, struct tree *files,
		      struct error *err)
{
	struct unpack_limits limits = {
		.bytes = tree_size(staged),
		.entries = TREE_ENTRIES_MAX,
		.below = manifest_destination(artifact),
	};

	return unpack_archive(file, archive->file, archive->format, &limits, -1,
			      files, err);
}

static bool make_archive(const struct manifest_artifact *artifact,
			 struct manifest_archive *archive, int folder,
			 const struct tree *staged, int out, struct tree *files,
			 struct error *err)
{
	struct tempfile file CLEANUP(tempfile_drop) = TEMPFILE_INIT;

	if (!tempfile_create(&file, out, archive->file, 0644, err) ||
	    !write_archive(file.fd, archive->file, archive->format, folder,
			   staged, err) ||
	    !read_back(file.fd, artifact, archive, staged, files, err) ||
	    !digest_file(file.fd, &archive->digest, &archive->size, err) ||
	    !tempfile_commit(&file, TEMPFILE_SYNC, err))
		return error_prefix(err, "%s", archive->file);
	archive->pinned = true;
	return write_sidecar(archive, out, err);
}

static void replace_archives(struct manifest_artifact *artifact)
{
	static const enum archive_format formats[] = {ARCHIVE_TAR_ZST,
						      ARCHIVE_TAR_GZ};
	size_t count = ARRAY_SIZE(formats);

	for (size_t i = 0; i < artifact->archive_count; i++)
		free(artifact->archives[i].file);
	artifact->archives = memory_resize(artifact->archives, count,
					   sizeof(*artifact->archives));
	artifact->archive_count = count;
	for (size_t i = 0; i < count; i++) {
		artifact->archives[i] = (struct manifest_archive){
			.file = memory_printf("%s.%s", artifact->name,
					      manifest_format_name(formats[i])),
			.format = formats[i],
		};
	}
}

static void put_smaller_first(struct manifest_artifact *artifact)
{
	struct manifest_archive first = artifact->archives[0];

	if (first.size <= artifact->archives[1].size)
		return;
	artifact->archives[0] = artifact->archives[1];
	artifact->archives[1] = first;
}

bool pack_artifact(struct manifest_artifact *artifact, int folder, int out,
		   struct error *err)
{
	struct tree staged CLEANUP(tree_release) = TREE_INIT;

	if (!stage_read(folder, &staged, err))
		return error_prefix(err, "%s", artifact->name);
	if (!staged.count)
		return error_set(err, ERROR_CONFIG,
				 "%s: there is nothing to pack",
				 artifact->name);
	replace_archives(artifact);
	for (size_t i = 0; i < artifact->archive_count; i++) {
		struct tree files = TREE_INIT;

		if (!make_archive(artifact, &artifact->archives[i], folder,
				  &staged, out, &files, err))
			return false;
		tree_release(&artifact->files);
		artifact->files = files;
	}
	artifact->has_files = true;
	artifact->unpacked_size = tree_size(&artifact->files);
	put_smaller_first(artifact);
	return true;
}
