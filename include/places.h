/*
 * places.h - where relative paths start. An option was typed in the current
 * folder; a variable was set where the package manager was started (INIT_CWD),
 * which has gone to the package's folder since.
 */
#ifndef RNE_PLACES_H
#define RNE_PLACES_H

#include <stdbool.h>

#include "attributes.h"
#include "env.h"
#include "error.h"

struct places {
	char *current;  /* absolute */
	char *init_cwd; /* absolute, without links; NULL: unset or not there */
};

bool places_read(struct places *places, const struct environment *env,
		 struct error *err) NODISCARD;
void places_release(struct places *places);
/* The absolute path of what an option or a variable names. */
char *places_of_option(const struct places *places, const char *path) NODISCARD;
char *places_of_variable(const struct places *places,
			 const char *path) NODISCARD;

#endif
