/*
 * sandbox.h - locks a worker in: it can write below one folder, and do
 * nothing else to the world.
 *
 * Linux: no new privileges, Landlock (kernel 5.13: files; 6.7: TCP) limited to
 * the folder, a seccomp filter without sockets, exec and ptrace, limits on
 * memory, file size and processes. What a kernel lacks is said under -v and
 * left out; other systems get the resource limits.
 */
#ifndef RNE_SANDBOX_H
#define RNE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"

struct sandbox {
	int folder;          /* the only place to write */
	uint64_t memory_max; /* bytes of address space to add; 0: no limit */
	uint64_t file_max;   /* bytes of one file; 0: no limit */
};

/* `applied` gets words for -v: "landlock 4, seccomp, rlimits". */
bool sandbox_enter(const struct sandbox *sandbox, char applied[128],
		   struct error *err) NODISCARD;

#endif
