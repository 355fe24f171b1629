#include "install.h"

#include "buildconfig.h"
#include "clock.h"
#include "fs.h"
#include "journal.h"
#include "layout.h"
#include "litter.h"
#include "lock.h"
#include "log.h"
#include "memory.h"
#include "survey.h"
#include "tempfile.h"

void install_report_release(struct install_report *report)
{
	list_release(&report->lines);
	list_release(&report->removed);
	list_release(&report->commit.replaced);
}

/* Plan and survey: pure decisions, no lock, nothing written. */
static bool look(const struct request *request, struct plan **plan,
		 struct survey *survey, struct error *err)
{
	struct cache *cache CLEANUP(cache_close) = NULL;

	return plan_make(plan, request, err) &&
	       cache_look(&cache, request->cache_path, err) &&
	       survey_make(survey, *plan, request, cache, err);
}

static bool take_place(const struct request *request, int *third_party,
		       struct lock *lock, struct error *err)
{
	if (!fs_make_folders_at(request->package,
				LAYOUT_THIRD_PARTY "/" LAYOUT_STATE, err) ||
	    !fs_open_folder_at(request->package, LAYOUT_THIRD_PARTY,
			       third_party, err) ||
	    !lock_take(lock, *third_party, LAYOUT_LOCK, LOCK_EXCLUSIVE,
		       "install", request->lock_wait_ms, err))
		return error_prefix(err, "%s", request->package_path);
	return true;
}

static void add_line(struct install_report *report,
		     const struct plan_item *item,
		     const struct supplied *supplied)
{
	const char *name = item->artifact->name;

	if (!supplied->staged) {
		report->kept++;
		list_addf(&report->lines, "kept %s", name);
	} else if (supplied->source) {
		list_addf(&report->lines, "downloaded %s", name);
	} else {
		list_addf(&report->lines, "restored %s", name);
	}
}

static bool carry_out(const struct request *request, struct plan *plan,
		      const struct survey *survey, struct cache *cache,
		      struct install_report *report, struct error *err)
{
	struct supplied *supplied = supplied_start(plan->count);
	bool done = supply_run(request, plan, cache, survey->third_party,
			       supplied, &report->supply, err) &&
		    commit_run(request, plan, survey, supplied, &report->commit,
			       err);

	for (size_t i = 0; done && i < plan->count; i++)
		add_line(report, &plan->items[i], &supplied[i]);
	list_copy(&report->removed, &plan->removed);
	report->changed = report->commit.changed;
	supplied_free(supplied, plan->count);
	return done;
}

/* Leaves nothing unpacked behind; a journal on disk still needs its files. */
static void clean_up(int third_party)
{
	struct error ignored = ERROR_INIT;

	if (!journal_exists(third_party) &&
	    !litter_remove(third_party, &ignored))
		log_verbose("%s", ignored.text);
}

/* RNET_SKIP_DOWNLOAD: the flags, and no library. */
static bool write_config_only(const struct request *request,
			      struct install_report *report, struct error *err)
{
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct plan *plan CLEANUP(plan_free) = NULL;

	if (!plan_make(&plan, request, err))
		return false;
	buildconfig_render(request, plan, &text);
	report->changed = true;
	/* No lock: a younger one may be about to get its name. */
	return tempfile_sweep(request->package, ".", TEMPFILE_OLD, err) &&
	       tempfile_write(request->package, LAYOUT_CONFIG, 0644, text.data,
			      text.length, TEMPFILE_SYNC, err);
}

/* With the lock held: what is decided here is carried out. */
static bool install_alone(const struct request *request, int third_party,
			  struct install_report *report, struct error *err)
{
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct plan *plan CLEANUP(plan_free) = NULL;
	struct survey survey CLEANUP(survey_release) = SURVEY_INIT;
	bool done;

	if (!journal_recover(request->package, third_party, &report->recovered,
			     err))
		return false;
	if (report->recovered)
		log_info("finished what an interrupted run had begun");
	if (request->skip_download)
		return write_config_only(request, report, err);
	/* The disk may have changed while the lock was waited for. */
	done = cache_open(&cache, request->cache_path, third_party,
			  request->lock_wait_ms, err) &&
	       plan_make(&plan, request, err) &&
	       survey_make(&survey, plan, request, cache, err) &&
	       carry_out(request, plan, &survey, cache, report, err);
	report->changed = report->changed || report->recovered;
	if (!done)
		clean_up(third_party);
	return done;
}

static bool install_locked(const struct request *request,
			   struct install_report *report, struct error *err)
{
	struct lock lock CLEANUP(lock_release) = LOCK_INIT;
	int third_party CLEANUP(fs_close) = -1;
	bool done;

	if (!take_place(request, &third_party, &lock, err))
		return false;
	done = install_alone(request, third_party, report, err);
	lock_remove(&lock, third_party, LAYOUT_LOCK);
	return done;
}

static bool install(const struct request *request,
		    struct install_report *report, struct error *err)
{
	struct plan *plan CLEANUP(plan_free) = NULL;
	struct survey survey CLEANUP(survey_release) = SURVEY_INIT;

	if (!look(request, &plan, &survey, err))
		return false;
	if (plan_is_done(plan)) {
		for (size_t i = 0; i < plan->count; i++)
			list_addf(&report->lines, "kept %s",
				  plan->items[i].artifact->name);
		report->kept = plan->count;
		return true;
	}
	if (request->skip_download && !plan->journal)
		return write_config_only(request, report, err);
	return install_locked(request, report, err);
}

bool install_run(const struct request *request, struct install_report *report,
		 struct error *err)
{
	int64_t started = clock_ms();
	bool done = install(request, report, err);

	report->milliseconds = clock_ms() - started;
	return done;
}

bool install_warm(const struct request *request, struct install_report *report,
		  struct error *err)
{
	struct cache *cache CLEANUP(cache_close) = NULL;
	struct plan *plan CLEANUP(plan_free) = NULL;
	struct supplied *supplied;
	int64_t started = clock_ms();
	bool done;

	if (!plan_make(&plan, request, err) ||
	    !cache_open(&cache, request->cache_path, -1, request->lock_wait_ms,
			err))
		return false;
	survey_cache(plan, request, cache);
	supplied = supplied_start(plan->count);
	done = supply_run(request, plan, cache, -1, supplied, &report->supply,
			  err);
	supplied_free(supplied, plan->count);
	report->changed = report->supply.fetched > 0;
	report->milliseconds = clock_ms() - started;
	return done;
}
