/*
 * buildconfig.h - rne-build-config.json, the flags that the podspec and the
 * Gradle build read (rne-libs(1), FILES).
 *
 * The flags follow the extras, not the targets of this machine. The file is a
 * function of the request and the plan alone: equal choices, equal bytes.
 */
#ifndef RNE_BUILDCONFIG_H
#define RNE_BUILDCONFIG_H

#include "buf.h"
#include "list.h"
#include "plan.h"
#include "receipt.h"
#include "request.h"

void buildconfig_render(const struct request *request, const struct plan *plan,
			struct buf *out);

/*
 * What holds while files are being moved: only the extras that are on both in
 * `before` and in the request, marked as unfinished.
 */
void buildconfig_render_between(const struct request *request,
				const struct plan *plan,
				const struct receipt *before, struct buf *out);

/* The app's files relative to the package, as config and receipt have them. */
void buildconfig_apps(const struct request *request, struct list *out);

#endif
