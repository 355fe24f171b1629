/*
 * interrupt.h - SIGINT, SIGTERM and SIGHUP set one flag, nothing else.
 */
#ifndef RNE_INTERRUPT_H
#define RNE_INTERRUPT_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"

/* Installs the handlers; SIGPIPE is ignored. */
void interrupt_install(void);
/* The signal that arrived, or 0. */
int interrupt_signal(void);
/* False with SIGNAL set when one arrived. Long loops ask between steps. */
bool interrupt_check(struct error *err) NODISCARD;

#endif
