#include "cli.h"

#include "plan.h"
#include "survey.h"

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct plan *plan CLEANUP(plan_free) = NULL;
	struct survey survey CLEANUP(survey_release) = SURVEY_INIT;
	struct buf out CLEANUP(buf_release) = BUF_INIT;

	if (!request_make(&request, options, env, REQUEST_PACKAGE, err) ||
	    !cache_look(&cache, request->cache_path, err) ||
	    !plan_make(&plan, request, err) ||
	    !survey_make(&survey, plan, request, cache, err))
		return false;
	if (options->json)
		plan_write_json(plan, request, &out);
	else
		plan_print(plan, request, &out);
	return cli_print(out.data, err);
}

const struct command cmd_plan = {
	.name = "plan",
	.arguments = "",
	.summary = "print what install would do, and why",
	.text = "Prints what install would do with each artifact, and why. "
		"Sends no request and\nwrites nothing. Where a manifest does "
		"not pin an archive, what its sidecar says\nmay still change a "
		"`restore` into a `download`.",
	.groups = CLI_COMMON | CLI_JSON | CLI_APP | CLI_CHOICE | CLI_NETWORK |
		  CLI_CACHE | CLI_SYNC,
	.run = run,
};
