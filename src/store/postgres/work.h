/* work: something that the store's thread does on a connection, in stages.
 *
 * In a stage, `step` asks statements (work_ask) and returns WORK_AGAIN; when their results are there, it is
 * called for the next stage.  If the connection breaks, or the server asks for another try, everything
 * begins again with stage 0, so a step must be able to find that its writes were stored already. */
#pragma once

#include "store/postgres/link.h"
#include "store/sql/query.h"

struct postgres;
struct work;

struct work_kind {
	enum work_mode mode;
	enum work_next (*step)(struct work *w);
	/* over: the work is done, or has failed for good (f not NULL). */
	void (*over)(struct work *w, const struct fault *f);
};

struct work {
	struct postgres        *db;   /* borrowed */
	struct link            *link; /* borrowed */
	const struct work_kind *kind;
	void                   *subject; /* a job, a batch, or what a chore works on; borrowed */
	unsigned                stage;
	int64_t                 op;      /* a number of the work, the same for all tries */
	bool                    refused; /* set by a step; the job's error says why */
	bool                    once;    /* set by a step: after a failure there is no other try */
	int64_t stage_us;                /* set by a step: how long a stage may take; 0: as usual */
	void   *state;                   /* the steps' (work_state) */
	void (*finish)(void *state);     /* frees what is in the state; NULL: nothing */
	/* The pump's. */
	bool     open; /* a transaction was begun */
	bool     committing, cleaning;
	int64_t  first_us;  /* start of the first try */
	int64_t  resume_us; /* pause before the next try */
	unsigned tries;
};

/* work_param: the parameters of the next statement, empty.  work_ask: asks it. */
struct param *work_param(struct work *w);
void          work_ask(struct work *w, const char *sql);
/* work_confirm: for stages of WORK_IMPLICIT that write: makes the commit of a later try wait for the synchronous
 * standby even if it has found everything stored.  WORK_WRITE does it by itself. */
void work_confirm(struct work *w);
/* work_rows: the number of rows of the n-th statement of the last stage; work_row: one of them. */
int        work_rows(const struct work *w, size_t n);
struct row work_row(const struct work *w, size_t n, int at);
/* work_state: zeroed memory that lasts until the work ends or begins again; NULL: no memory. */
void *work_state(struct work *w, size_t bytes, void (*finish)(void *state));

/* work_run: does the work to its end on w->link, for callers that may block; `over` is called. */
void work_run(struct work *w);

/* For the pump: work_start begins (again); work_move goes on when the link is IDLE or DOWN.  True: the work
 * is over, and `over` was called. */
void work_start(struct work *w, int64_t now_us);
bool work_move(struct work *w, int64_t now_us);
bool work_waits(const struct work *w, int64_t now_us); /* for a connection, or a pause */
