/* job: a piece of work for the store, as data.  Each kind is one row of job.def, from which the enum,
 * the table of kinds, and for each kind the function that hands a job in are made.
 *
 * A job is handed in on a loop's thread, done elsewhere, and answered on its loop. */
#pragma once

#include "base/err.h"
#include "loop/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

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
	size_t        bound; /* jobs of its lane that may wait already; 0: any number */
	size_t (*answer_bytes)(struct store_job *job);
};
extern const struct job_kind job_kinds[JOB__COUNT];

/* First in every job.  The job is owned by the caller and lent to the store from submission until
 * done runs on `loop`; everything it points to must live as long. */
struct store_job {
	struct task            task; /* the store's */
	const struct job_kind *kind; /* set as it is handed in */
	struct loop           *loop;
	void (*done)(struct store_job *job);
	struct err err; /* out: code ERR_OK on success */
	/* Set by the submitter, on its loop, when nobody waits any more: a read that has not begun is
	 * then answered at once, with an error nobody sees.  Writes are done all the same. */
	atomic_bool       cancelled;
	struct store_job *next; /* the store's: queues, and answers that travel together */
	void             *pool; /* the store's: where its answer is counted until it is handled */
	size_t            held; /* the store's: bytes of the answer, as counted there */
};

/* store_turn_begin(s, j) and so on: hands j in; on j's loop, never blocks.  False: its lane is full;
 * nothing happened, and the caller answers 503. */
#define X(number, name, ...) \
	struct name;         \
	bool store_##name(struct store *s, struct name *j) MUST_USE;
#include "store/job.def"
#undef X
