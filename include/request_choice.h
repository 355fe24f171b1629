/*
 * request_choice.h - extras and targets of a request, once its manifest and
 * its app are known.
 */
#ifndef RNE_REQUEST_CHOICE_H
#define RNE_REQUEST_CHOICE_H

#include <stdbool.h>

#include "attributes.h"
#include "env.h"
#include "error.h"
#include "options.h"
#include "request.h"

/*
 * Fills choice, targets and warnings. RNET_HEADERS_ONLY with a release whose
 * manifest has no artifact for any target is a CONFIG error: it would install
 * nothing at all and call that a success.
 */
bool request_choose(struct request *request, const struct options *options,
		    const struct environment *env, enum request_need need,
		    struct error *err) NODISCARD;

#endif
