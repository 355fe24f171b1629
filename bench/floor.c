/*
 * floor.c - the least work that an installation can be, to measure against.
 *
 *	floor THREADS FOLDER [STEPS] <LIST
 *
 * LIST has a line an archive, "<archive> <sha256> <folder below FOLDER>",
 * largest first. Each thread takes the next archive, hashes it (OpenSSL),
 * inflates it (igzip, else zlib; libzstd) and writes the files of the tar in
 * it: no check of names or sizes, no lock, no receipt, no waiting for the
 * disk. STEPS leaves steps out: "h" hashes, "i" inflates, "w" writes; "hiw" is
 * all of them. It trusts its input: nothing but the benchmark calls it.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#ifdef RNE_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#define ARCHIVES_MAX 1024
#define THREADS_MAX  64
#define BLOCK        (256 * 1024)
#define TAR_BLOCK    512
#define PATH_BYTES   4096

struct archive {
	char path[1024];
	char sha256[65];
	char folder[256];
};

static struct archive archives[ARCHIVES_MAX];
static size_t archive_count;
static atomic_size_t next_archive;
static const char *root;
static bool hashes = true, inflates = true, writes = true;

_Noreturn static void die(const char *what, const char *name)
{
	fprintf(stderr, "floor: %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

/* A tar that is read as it comes. */
struct tar {
	const char *folder;
	unsigned char head[TAR_BLOCK];
	size_t head_length;
	uint64_t left, padding; /* of the entry's bytes */
	int file;               /* where they go; -1: nowhere */
	bool is_name;           /* they are the next entry's name */
	char name[PATH_BYTES];
	size_t name_length;
};

static void make_parents(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			die("cannot make", path);
		*at = '/';
	}
}

static int create(char *path, mode_t mode)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (file < 0 && errno == ENOENT) {
		make_parents(path);
		file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			    mode);
	}
	if (file < 0)
		die("cannot create", path);
	return file;
}

static void entry_name(struct tar *tar, char *out, size_t room)
{
	const char *name = (const char *)tar->head;
	const char *prefix = (const char *)tar->head + 345;
	bool ustar = !memcmp(tar->head + 257, "ustar\0", 6);

	if (tar->name_length)
		snprintf(out, room, "%s/%s/%s", root, tar->folder, tar->name);
	else if (ustar && *prefix)
		snprintf(out, room, "%s/%s/%.155s/%.100s", root, tar->folder,
			 prefix, name);
	else
		snprintf(out, room, "%s/%s/%.100s", root, tar->folder, name);
}

static void start_entry(struct tar *tar)
{
	char type = (char)tar->head[156];
	char path[2 * PATH_BYTES];

	tar->left = strtoull((const char *)tar->head + 124, NULL, 8);
	tar->padding = (TAR_BLOCK - tar->left % TAR_BLOCK) % TAR_BLOCK;
	tar->is_name = type == 'L';
	if (type != '0' && type != '\0') {
		if (tar->is_name)
			tar->name_length = 0;
		return;
	}
	if (writes && tar->head[0]) {
		mode_t mode = strtoul((const char *)tar->head + 100, NULL, 8);

		entry_name(tar, path, sizeof(path));
		tar->file = create(path, mode & 0100 ? 0755 : 0644);
	}
	tar->name_length = 0;
}

static void end_entry(struct tar *tar)
{
	if (tar->file >= 0 && close(tar->file))
		die("cannot close a file of", tar->folder);
	tar->file = -1;
	tar->is_name = false;
}

static size_t take_body(struct tar *tar, const unsigned char *at, size_t length)
{
	size_t part = length < tar->left ? length : tar->left;

	if (tar->file >= 0 && write(tar->file, at, part) != (ssize_t)part)
		die("cannot write a file of", tar->folder);
	if (tar->is_name && tar->name_length + part < PATH_BYTES) {
		memcpy(tar->name + tar->name_length, at, part);
		tar->name_length += part;
		tar->name[tar->name_length] = '\0';
	}
	tar->left -= part;
	if (!tar->left)
		end_entry(tar);
	return part;
}

static size_t take_head(struct tar *tar, const unsigned char *at, size_t length)
{
	size_t part = TAR_BLOCK - tar->head_length;

	if (part > length)
		part = length;
	memcpy(tar->head + tar->head_length, at, part);
	tar->head_length += part;
	if (tar->head_length < TAR_BLOCK)
		return part;
	tar->head_length = 0;
	start_entry(tar);
	if (!tar->left)
		end_entry(tar);
	return part;
}

static void take(struct tar *tar, const unsigned char *at, size_t length)
{
	while (length) {
		size_t part;

		if (tar->left) {
			part = take_body(tar, at, length);
		} else if (tar->padding) {
			part = length < tar->padding ? length : tar->padding;
			tar->padding -= part;
		} else {
			part = take_head(tar, at, length);
		}
		at += part;
		length -= part;
	}
}

static void check_digest(const struct archive *archive,
			 const unsigned char *bytes, size_t length)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	char hex[65];

	EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL);
	for (size_t i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	if (memcmp(hex, archive->sha256, 64)) {
		errno = EBADMSG;
		die("wrong digest", archive->path);
	}
}

#ifdef RNE_HAVE_ISAL
static void inflate_gzip(struct tar *tar, unsigned char *bytes, size_t length,
			 unsigned char *block)
{
	struct inflate_state *state = malloc(sizeof(*state));

	isal_inflate_init(state);
	state->crc_flag = ISAL_GZIP;
	state->next_in = bytes;
	state->avail_in = (uint32_t)length;
	do {
		state->next_out = block;
		state->avail_out = BLOCK;
		if (isal_inflate(state) != ISAL_DECOMP_OK)
			die("cannot inflate", tar->folder);
		take(tar, block, BLOCK - state->avail_out);
	} while (state->block_state != ISAL_BLOCK_FINISH);
	free(state);
}
#else
static void inflate_gzip(struct tar *tar, unsigned char *bytes, size_t length,
			 unsigned char *block)
{
	z_stream stream = {.next_in = bytes, .avail_in = (uInt)length};
	int result;

	inflateInit2(&stream, 16 + MAX_WBITS);
	do {
		stream.next_out = block;
		stream.avail_out = BLOCK;
		result = inflate(&stream, Z_NO_FLUSH);
		if (result != Z_OK && result != Z_STREAM_END)
			die("cannot inflate", tar->folder);
		take(tar, block, BLOCK - stream.avail_out);
	} while (result != Z_STREAM_END);
	inflateEnd(&stream);
}
#endif

static void inflate_zstd(struct tar *tar, const unsigned char *bytes,
			 size_t length, unsigned char *block)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {bytes, length, 0};
	size_t result;

	do {
		ZSTD_outBuffer out = {block, BLOCK, 0};

		result = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(result))
			die("cannot unpack", tar->folder);
		take(tar, block, out.pos);
	} while (result);
	ZSTD_freeDStream(stream);
}

static void carry_out(const struct archive *archive, unsigned char *block)
{
	static const char zstd_ending[] = ".zst";
	size_t ending = strlen(archive->path) - strlen(zstd_ending);
	struct tar tar = {.folder = archive->folder, .file = -1};
	int file = open(archive->path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes;
	struct stat st;

	if (file < 0 || fstat(file, &st))
		die("cannot read", archive->path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ,
		     MAP_PRIVATE | MAP_POPULATE, file, 0);
	if (bytes == MAP_FAILED)
		die("cannot map", archive->path);
	if (hashes)
		check_digest(archive, bytes, (size_t)st.st_size);
	if (inflates && !strcmp(archive->path + ending, zstd_ending))
		inflate_zstd(&tar, bytes, (size_t)st.st_size, block);
	else if (inflates)
		inflate_gzip(&tar, bytes, (size_t)st.st_size, block);
	munmap(bytes, (size_t)st.st_size);
	close(file);
}

static void *run(void *unused)
{
	unsigned char *block = malloc(BLOCK);
	size_t i;

	while ((i = atomic_fetch_add(&next_archive, 1)) < archive_count)
		carry_out(&archives[i], block);
	free(block);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct archive *archive = archives;

	if (!count || count > THREADS_MAX) {
		fputs("usage: floor THREADS FOLDER [hiw] <LIST\n", stderr);
		return 2;
	}
	root = argv[2];
	if (argc > 3) {
		hashes = strchr(argv[3], 'h');
		inflates = strchr(argv[3], 'i');
		writes = strchr(argv[3], 'w');
	}
	while (archive_count < ARCHIVES_MAX &&
	       scanf("%1023s %64s %255s", archive->path, archive->sha256,
		     archive->folder) == 3)
		archive = &archives[++archive_count];
	for (size_t i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, run, NULL))
			die("cannot start", "a thread");
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
