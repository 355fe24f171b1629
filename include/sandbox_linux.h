/*
 * sandbox_linux.h - Linux's two ways to give up rights for good. Part of
 * sandbox.c; elsewhere both answer ENOSYS.
 */
#ifndef RNE_SANDBOX_LINUX_H
#define RNE_SANDBOX_LINUX_H

#include "attributes.h"

/*
 * Landlock (landlock(7)): files can be read, made and written below `folder`
 * and nowhere else; no TCP, no signals to others. The version that the kernel
 * has, or -errno.
 */
int sandbox_landlock(int folder) NODISCARD;

/*
 * A seccomp filter (seccomp(2)): the system calls that reading an archive and
 * writing files take; those that reach for the network, programs or other
 * processes end the process with SIGSYS; all others are not there (ENOSYS).
 * 0, or -errno.
 */
int sandbox_seccomp(void) NODISCARD;

#endif
