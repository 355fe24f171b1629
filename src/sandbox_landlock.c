#include "sandbox_linux.h"

#include <errno.h>

#ifdef __linux__

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The interface as of Linux 6.12, from its documentation: headers that are
 * older than the kernel would leave out what it can do.
 */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

#define CREATE_VERSION    1u
#define RULE_PATH_BENEATH 1

enum {
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SYM = 1 << 12,
};

#define NET_ALL    UINT64_C(3) /* bind and connect TCP */
#define SCOPED_ALL UINT64_C(3) /* abstract sockets, signals */

struct ruleset {
	uint64_t fs;
	uint64_t net;    /* since version 4 */
	uint64_t scoped; /* since version 6 */
};

struct path_beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

/* All rights that a version knows are handled, that is, denied. */
static uint64_t handled_fs(int version)
{
	static const unsigned counts[] = {0, 13, 14, 15, 15, 16};
	size_t last = ARRAY_SIZE(counts) - 1;
	size_t known = (size_t)version < last ? (size_t)version : last;

	return (UINT64_C(1) << counts[known]) - 1;
}

static size_t ruleset_size(int version)
{
	if (version < 4)
		return sizeof(uint64_t);
	return version < 6 ? 2 * sizeof(uint64_t) : 3 * sizeof(uint64_t);
}

int sandbox_landlock(int folder)
{
	struct ruleset ruleset = {.net = NET_ALL, .scoped = SCOPED_ALL};
	struct path_beneath beneath = {
		.allowed = FS_WRITE_FILE | FS_READ_FILE | FS_READ_DIR |
			   FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SYM,
		.folder = folder,
	};
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
	int rules, result = (int)version;

	if (version < 0)
		return -errno;
	ruleset.fs = handled_fs((int)version);
	rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset,
			     ruleset_size((int)version), 0);
	if (rules < 0)
		return -errno;
	if (syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &beneath,
		    0) ||
	    syscall(SYS_landlock_restrict_self, rules, 0))
		result = -errno;
	close(rules);
	return result;
}

#else

int sandbox_landlock(int folder)
{
	(void)folder;
	return -ENOSYS;
}

#endif
