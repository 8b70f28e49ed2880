/* routes/kit/pump: a body that workers take piece by piece, until the store makes something of it.
 *
 *   take, take, … --full--> worker: work --> resume
 *   whole ----------------> worker: work, … --> over --> store --> pump_answer
 *
 * Two buffers change places: one is filled while the other is with the worker.
 *
 * Threads: the loop's own, but for work and drop. */
#pragma once

#include "http/body.h"
#include "routes/kit/gateway.h"
#include "store/answer.h"
#include "store/job.h"

#include <stdatomic.h>

struct pump;

/* A route's way of handling a body; const. */
struct pump_kind {
	size_t size; /* bytes that the route keeps, a struct pump first */
	int    most; /* at work at once, of all loops, as count counts them; beyond: busy's 503 */
	atomic_int *count;
	const char *busy;
	/* work: on a worker, with p->piece, the last one where p->last.  Where it is whole, work is called
	 * with an empty piece until over says so.  What goes wrong is p->err. */
	void (*work)(struct pump *p);
	/* over: after work; true: there is nothing more to do, and the store was asked. */
	bool (*over)(struct pump *p);
	/* holds: there is something that drop, on a worker, gives back. */
	bool (*holds)(const struct pump *p);
	void (*drop)(struct pump *p);
	void (*finish)(struct pump *p); /* frees what else the route has */
};

/* First in what the route keeps. */
struct pump {
	const struct pump_kind *kind;
	struct gateway         *gateway;
	struct request         *request; /* NULL: answered, or gone */
	struct buf              fill;
	struct timer            retry;
	bool                    working; /* a worker, or in the end the store, has what is below */
	bool                    whole;   /* no more bytes come */

	struct work_job job;
	struct buf      piece;
	bool            last;
	struct err      err;
};

/* pump_make: zeroed; ends in pump_start or pump_refuse.  NULL: refused. */
void *pump_make(const struct pump_kind *kind, struct request *r, struct gateway *g) MUST_USE;
void  pump_start(struct pump *p);
/* pump_refuse: before pump_start, or from over. */
void pump_refuse(struct pump *p, const struct err *e);
/* pump_answer: from the store's done: the answer, made for its key or by print, or the error. */
void pump_answer(struct pump *p, struct store_job *job, struct answer_made *made,
		 bool (*print)(struct store_job *job, struct buf *out));
