/*
 * journal.h - a commit as a list of steps that can be carried out again.
 *
 * Once journal.json is on disk the commit will happen: now, or by whoever
 * comes next. Every step is idempotent, so that carrying out a journal that
 * was half done finishes it. Order: the build config of what stays, removals,
 * what is in the way, new files, folders, receipt, build config.
 */
#ifndef RNE_JOURNAL_H
#define RNE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "error.h"

enum journal_kind {
	JOURNAL_REMOVE, /* the file or link `path` */
	JOURNAL_PRUNE,  /* the folder `path`, if it is empty */
	JOURNAL_ASIDE,  /* `path` goes to `other`; not when it is a folder */
	JOURNAL_FOLDER, /* make the folder `path` */
	JOURNAL_PUT,    /* staged `other` goes to `path`, a folder as a whole */
	JOURNAL_SWAP,   /* a file, and what is at `path` goes to `aside` */
};

struct journal_step {
	enum journal_kind kind;
	char *path;  /* below third-party/ */
	char *other; /* below third-party/; NULL where there is none */
	char *aside;
};

struct journal {
	struct journal_step *steps;
	size_t count;
	char *config_between; /* NULL: nothing is taken away */
	char *config;
};

#define JOURNAL_INIT                \
	{                           \
		NULL, 0, NULL, NULL \
	}

void journal_add(struct journal *journal, enum journal_kind kind,
		 const char *path, const char *other, const char *aside);
/* Puts it on disk; from here on it will happen. */
bool journal_write(const struct journal *journal, int third_party,
		   struct error *err) NODISCARD;
/* Carries it out and removes it, with the staging folder. */
bool journal_run(const struct journal *journal, int package, int third_party,
		 struct error *err) NODISCARD;
/* Its moves alone. A change that another relies on is synced before it. */
bool journal_run_steps(const struct journal *journal, int third_party,
		       struct error *err) NODISCARD;
bool journal_exists(int third_party);
/* Finishes what an interrupted run left, if anything; `did` tells. */
bool journal_recover(int package, int third_party, bool *did,
		     struct error *err) NODISCARD;
void journal_release(struct journal *journal);

#endif
