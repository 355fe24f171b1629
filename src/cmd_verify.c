#include "cli.h"

#include "json_writer.h"
#include "layout.h"
#include "log.h"
#include "manager.h"
#include "plan.h"
#include "survey.h"

/* What the receipt says was installed, held against the disk. */
static bool check_files(const struct survey *survey, bool quick,
			struct list *found, size_t *files, struct error *err)
{
	for (size_t i = 0; i < survey->receipt->artifact_count; i++) {
		const struct receipt_artifact *artifact =
			&survey->receipt->artifacts[i];
		bool whole;

		*files += artifact->files.count;
		if (!survey_artifact(artifact, survey->third_party, !quick,
				     found, &whole, NULL, err))
			return false;
	}
	return true;
}

static void check_config(const struct survey *survey, struct list *found)
{
	struct digest digest;

	if (!survey->has_config) {
		list_add(found, LAYOUT_CONFIG " is missing");
		return;
	}
	digest_bytes(&digest, survey->config.data, survey->config.length);
	if (!digest_equal(&digest, &survey->receipt->config))
		list_add(found, LAYOUT_CONFIG " was changed");
}

/* What was switched since, in the words of package.json. */
static void check_choice(const struct request *request, const struct plan *plan,
			 const struct survey *survey, struct list *found)
{
	const struct list *wanted = &request->choice.extras;
	const struct list *have = &survey->receipt->extras;
	size_t before = found->count;

	for (size_t i = 0; i < wanted->count; i++) {
		if (!list_has(have, wanted->items[i]))
			list_addf(found, "%s is asked for and not installed",
				  wanted->items[i]);
	}
	for (size_t i = 0; i < have->count; i++) {
		if (!list_has(wanted, have->items[i]))
			list_addf(found, "%s is installed and not asked for",
				  have->items[i]);
	}
	if (found->count == before &&
	    !digest_equal(&plan->fingerprint, &survey->receipt->fingerprint))
		list_add(found, "the targets or the manifest changed since "
				"the last install");
}

static bool check(const struct request *request, const struct plan *plan,
		  const struct survey *survey, bool quick, struct list *found,
		  size_t *files, struct error *err)
{
	if (plan->journal)
		list_add(found, "an interrupted install was not finished");
	if (!survey->receipt) {
		list_add(found, "nothing is installed");
		return true;
	}
	check_choice(request, plan, survey, found);
	check_config(survey, found);
	return check_files(survey, quick, found, files, err);
}

static bool print_result(const struct list *found, size_t files, bool json,
			 struct error *err)
{
	struct buf out CLEANUP(buf_release) = BUF_INIT;
	struct json_writer writer;

	if (json) {
		json_writer_start(&writer, &out);
		json_open_object(&writer, NULL, JSON_LINES);
		json_put_boolean(&writer, "ok", !found->count);
		json_put_integer(&writer, "files", (int64_t)files);
		json_put_strings(&writer, "differences", found);
		json_close(&writer);
		json_writer_finish(&writer);
		return cli_print(out.data, err);
	}
	for (size_t i = 0; i < found->count; i++) {
		log_escape(&out, found->items[i]);
		buf_byte(&out, '\n');
	}
	return cli_print(out.data, err);
}

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct plan *plan CLEANUP(plan_free) = NULL;
	struct survey survey CLEANUP(survey_release) = SURVEY_INIT;
	struct list found CLEANUP(list_release) = LIST_INIT;
	struct list plain CLEANUP(list_release) = LIST_INIT;
	size_t files = 0;

	if (!request_make(&request, options, env, REQUEST_PACKAGE, err) ||
	    !cache_look(&cache, request->cache_path, err) ||
	    !plan_make(&plan, request, err) ||
	    !survey_make(&survey, plan, request, cache, err) ||
	    !check(request, plan, &survey, options->quick, &found, &files,
		   err) ||
	    !print_result(&found, files, options->json, err))
		return false;
	if (!found.count) {
		log_info("%zu file%s %s installed", files, PLURAL(files),
			 files == 1 ? "is as it was" : "are as they were");
		return true;
	}
	error_set(err, ERROR_DRIFT,
		  "%s differs from what was asked for and "
		  "installed in %zu place%s",
		  request->package_path, found.count, PLURAL(found.count));
	if (!check(request, plan, &survey, true, &plain, &files, err))
		return false;
	if (plain.count < found.count)
		return error_hint(err, "Run `rne-libs --refresh` there to put "
				       "it right: behind an unchanged time "
				       "only that looks at the bytes.");
	return error_hint(err,
			  "Run `rne-libs` there, or `%s`, to put it right.",
			  manager_rebuild(env->user_agent));
}

const struct command cmd_verify = {
	.name = "verify",
	.arguments = "",
	.summary = "hold the installed files against the receipt",
	.text = "Hashes every installed file and compares it with the receipt, "
		"and the receipt\nwith what the app asks for now. Exits with 8 "
		"when anything differs.",
	.groups = CLI_COMMON | CLI_JSON | CLI_APP | CLI_CHOICE | CLI_CACHE |
		  CLI_QUICK,
	.run = run,
};
