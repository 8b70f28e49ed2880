/* job: a piece of work for the store, as data.  Each kind of job is a row of job.def; the rows make
 * the enum, the table of kinds, and the functions that submit jobs.
 *
 * A job is submitted on a loop's thread, done on another thread, and answered on its loop. */
#pragma once

#include "base/err.h"
#include "loop/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct audit_entry;
struct store;
struct store_job;

enum job {
#define X(number, ...) JOB_##number,
#include "store/job.def"
#undef X
	JOB__COUNT
};

enum job_lane { LANE_WRITE, LANE_READ, LANE_SEARCH, LANE__COUNT };

struct job_kind {
	enum job      job;
	const char   *name;
	enum job_lane lane;
	size_t        bound; /* refused if so many jobs of its lane wait; 0: never refused */
	size_t (*answer_bytes)(struct store_job *job); /* memory that the answer takes */
};
extern const struct job_kind job_kinds[]; /* by their jobs */

/* The common part of every job.  The caller owns the job and lends it to the store from submission
 * until done runs on `loop`; everything that the job points to must live as long. */
struct store_job {
	struct task            task; /* the store's */
	const struct job_kind *kind; /* set at submission */
	struct loop           *loop;
	void (*done)(struct store_job *job);
	struct err err;       /* out: code ERR_OK on success */
	bool       unchanged; /* out, of a write: there was nothing to change */
	bool       beside;    /* out, of at_once: gateways may serve the database meanwhile */
	/* Set by the submitter, on its loop, when the answer is not wanted any more: a read that
	 * has not begun is then answered at once, with an error that nobody sees.  Writes are done
	 * all the same. */
	atomic_bool cancelled;
	/* The write's entry in the audit (store/audit.h), stored in its transaction unless it is
	 * refused or changes nothing; borrowed as the job is.  NULL: none. */
	const struct audit_entry *audit;
	struct store_job *next; /* the store's: for queues, and for answers that travel together */
	void  *pool; /* the store's: the pool that counts the answer until it is handled */
	size_t held; /* the store's: bytes of the answer in this count */
};

/* store_turn_begin(s, j) and so on: submits j, on j's loop, and never blocks.  False: the lane is
 * full; nothing has happened, and the caller answers 503. */
#define X(number, name, ...) \
	struct name;         \
	bool store_##name(struct store *s, struct name *j) MUST_USE;
#include "store/job.def"
#undef X
