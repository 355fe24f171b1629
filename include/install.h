/*
 * install.h - the whole story.
 *
 * request -> plan -> survey -> supply (fetch, verify, unpack) -> commit ->
 * receipt -> build config.
 */
#ifndef RNE_INSTALL_H
#define RNE_INSTALL_H

#include <stdbool.h>

#include "attributes.h"
#include "commit.h"
#include "error.h"
#include "plan.h"
#include "request.h"
#include "supply.h"

struct install_report {
	bool changed;
	bool recovered; /* an interrupted run was finished first */
	size_t kept;
	struct list lines; /* one an artifact: "downloaded core-ios ..." */
	struct list removed;
	struct supply_result supply;
	struct commit_result commit;
	int64_t milliseconds;
};

#define INSTALL_REPORT_INIT                                          \
	{                                                            \
		false, false, 0, LIST_INIT, LIST_INIT, {0, 0, 0, 0}, \
			COMMIT_RESULT_INIT, 0                        \
	}

bool install_run(const struct request *request, struct install_report *report,
		 struct error *err) NODISCARD;
/* Fills the cache; no package. */
bool install_warm(const struct request *request, struct install_report *report,
		  struct error *err) NODISCARD;
void install_report_release(struct install_report *report);

#endif
