/*
 * sandbox.h - locks a worker in: it can read and write below one folder, use
 * what is open, and do nothing else to the world.
 *
 * Linux: no new privileges; Landlock (files since kernel 5.13, TCP since 6.7,
 * signals since 6.12); a seccomp filter (x86-64, AArch64) without sockets,
 * programs, processes and new code in memory; limits on memory, file size,
 * processes and core dumps. What a kernel lacks is said under -v and left
 * out; other systems get the resource limits.
 *
 * Whatever libraries load late (locales, configuration, character sets) has
 * to be loaded before: unpack_prepare.
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

/* `applied` gets words for -v: "resource limits, landlock 4, seccomp". */
bool sandbox_enter(const struct sandbox *sandbox, char applied[128],
		   struct error *err) NODISCARD;

#endif
