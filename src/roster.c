#include "roster.h"

#include <stdint.h>

#include "memory.h"
#include "path.h"
#include "random.h"

/* A Mersenne prime: hashing is evaluating a polynomial modulo this. */
#define HASH_PRIME ((UINT64_C(1) << 61) - 1)

#define SLOTS_FIRST 256

struct roster {
	uint64_t key;
	struct roster_name *names;
	size_t count;
	size_t length;    /* of all paths together */
	uint64_t *hashes; /* of each name */
	size_t *slots;    /* index + 1; 0: free; a power of two of them */
	size_t slot_count;
	char *last_parent; /* entered before: files lie in runs */
};

struct roster *roster_start(void)
{
	struct roster *roster = memory_allocate(sizeof(*roster));

	roster->key = random_bits() % (HASH_PRIME - 256) + 256;
	roster->slot_count = SLOTS_FIRST;
	roster->slots = memory_allocate(SLOTS_FIRST * sizeof(*roster->slots));
	return roster;
}

void roster_free(struct roster **roster)
{
	struct roster *old = *roster;

	if (!old)
		return;
	for (size_t i = 0; i < old->count; i++)
		free(old->names[i].path);
	free(old->names);
	free(old->hashes);
	free(old->slots);
	free(old->last_parent);
	memory_release(roster);
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum =
		(uint64_t)(product & HASH_PRIME) + (uint64_t)(product >> 61);

	return sum >= HASH_PRIME ? sum - HASH_PRIME : sum;
}

static uint64_t hash_path(const struct roster *roster, const char *path)
{
	char *key CLEANUP(memory_release) = path_collision_key(path);
	uint64_t hash = 1;

	for (const char *at = key; *at; at++)
		hash = multiply(hash, roster->key) + (unsigned char)*at;
	return hash % HASH_PRIME;
}

/* The slot that has this hash, or the free one where it would go. */
static size_t *find_slot(const struct roster *roster, uint64_t hash)
{
	size_t mask = roster->slot_count - 1;
	size_t at = (size_t)hash & mask;

	while (roster->slots[at] &&
	       roster->hashes[roster->slots[at] - 1] != hash)
		at = (at + 1) & mask;
	return &roster->slots[at];
}

static void grow(struct roster *roster)
{
	free(roster->slots);
	roster->slot_count *= 2;
	roster->slots =
		memory_allocate(roster->slot_count * sizeof(*roster->slots));
	for (size_t i = 0; i < roster->count; i++)
		*find_slot(roster, roster->hashes[i]) = i + 1;
}

static struct roster_name *enter(struct roster *roster, size_t *slot,
				 uint64_t hash, const char *path,
				 enum tree_kind kind)
{
	struct roster_name *name;

	roster->length += strlen(path);
	roster->names = memory_grow(roster->names, roster->count,
				    sizeof(*roster->names));
	roster->hashes = memory_grow(roster->hashes, roster->count,
				     sizeof(*roster->hashes));
	roster->hashes[roster->count] = hash;
	name = &roster->names[roster->count++];
	*name = (struct roster_name){
		.path = memory_string(path),
		.kind = kind,
	};
	*slot = roster->count;
	if (roster->count * 2 > roster->slot_count)
		grow(roster);
	return name;
}

/* Before memory is taken, and folders are made on a disk. */
static bool has_room(const struct roster *roster, const char *path,
		     struct error *err)
{
	if (roster->count < ROSTER_NAMES_MAX &&
	    roster->length + strlen(path) <= ROSTER_LENGTH_MAX)
		return true;
	return error_set(err, ERROR_ARCHIVE,
			 "the entry \"%.300s\" makes more than the %u names, "
			 "or the %u MB of names, folders included, that an "
			 "archive may have",
			 path, ROSTER_NAMES_MAX, ROSTER_LENGTH_MAX >> 20);
}

static bool collides(const struct roster_name *name, const char *path,
		     const char *full, struct error *err)
{
	if (strcmp(name->path, path))
		return error_set(err, ERROR_ARCHIVE,
				 "the entry \"%s\" and the entry \"%s\" are "
				 "one name where case or Unicode's normal "
				 "forms do not count",
				 full, name->path);
	if (strcmp(path, full))
		return error_set(err, ERROR_ARCHIVE,
				 "the entry \"%s\" lies below \"%s\", which is "
				 "not a folder",
				 full, path);
	if (name->said)
		return error_set(err, ERROR_ARCHIVE,
				 "the entry \"%s\" is there twice", path);
	return error_set(err, ERROR_ARCHIVE,
			 "the entry \"%s\" is not a folder, but has entries "
			 "below it",
			 path);
}

/* One folder above `full`. */
static bool add_parent(struct roster *roster, const char *parent,
		       const char *full, struct error *err)
{
	uint64_t hash = hash_path(roster, parent);
	size_t *slot = find_slot(roster, hash);
	struct roster_name *name;

	if (*slot) {
		name = &roster->names[*slot - 1];
		if (name->kind != TREE_FOLDER || strcmp(name->path, parent))
			return collides(name, parent, full, err);
	} else {
		if (!has_room(roster, parent, err))
			return false;
		name = enter(roster, slot, hash, parent, TREE_FOLDER);
	}
	name->parent = true;
	return true;
}

static bool add_parents(struct roster *roster, const char *path,
			struct error *err)
{
	char *parent CLEANUP(memory_release) = path_parent(path);

	if (!*parent ||
	    (roster->last_parent && !strcmp(roster->last_parent, parent)))
		return true;
	for (char *at = parent;; at++) {
		char kept = *at;

		if (kept && kept != '/')
			continue;
		*at = '\0';
		if (!add_parent(roster, parent, path, err))
			return false;
		*at = kept;
		if (!kept)
			break;
	}
	free(roster->last_parent);
	roster->last_parent = parent;
	parent = NULL;
	return true;
}

bool roster_add(struct roster *roster, const char *path, enum tree_kind kind,
		size_t index, struct error *err)
{
	struct roster_name *name;
	uint64_t hash;
	size_t *slot;

	if (!add_parents(roster, path, err))
		return false;
	hash = hash_path(roster, path);
	slot = find_slot(roster, hash);
	if (*slot) {
		name = &roster->names[*slot - 1];
		if (name->said || kind != TREE_FOLDER ||
		    strcmp(name->path, path))
			return collides(name, path, path, err);
	} else {
		if (!has_room(roster, path, err))
			return false;
		name = enter(roster, slot, hash, path, kind);
	}
	name->said = true;
	name->index = index;
	return true;
}

const struct roster_name *roster_find(const struct roster *roster,
				      const char *path)
{
	size_t slot = *find_slot(roster, hash_path(roster, path));

	return slot ? &roster->names[slot - 1] : NULL;
}

const struct roster_name *roster_at(const struct roster *roster, size_t index)
{
	return index < roster->count ? &roster->names[index] : NULL;
}
