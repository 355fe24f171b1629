/*
 * banned.h - functions that this program does not call.
 *
 * Forced into every translation unit by the Makefile (-include). Each name is
 * either unbounded, silent about errors, or starts a shell.
 */
#ifndef RNE_BANNED_H
#define RNE_BANNED_H

/* The system headers that declare them come first, poisoned afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison sprintf vsprintf strcpy strcat strncpy strncat strtok
#pragma GCC poison atoi atol atof gmtime localtime mktemp tmpnam system popen

#endif
