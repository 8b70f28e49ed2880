/* operation: the code with which this engine does one kind of job; each operation is a file with the name of its
 * job, and ends with a line like
 *
 *     OP_READ(run_read, run_read_step);
 *
 * whose function is a step (work.h) that gets the job as its second argument. */
#pragma once

#include "store/postgres/work.h"

struct operation {
	enum work_mode mode;
	enum work_next (*step)(struct work *w, struct store_job *job);
	/* after: called before the job is answered, when it was stored; may be NULL. */
	void (*after)(struct postgres *db, struct store_job *job);
};

#define OP(name, mode_, fn) OP_WITH(name, mode_, fn, .after = NULL)
#define OP_WITH(name, mode_, fn, ...)                                               \
	static enum work_next name##_pg_step(struct work *w, struct store_job *job) \
	{                                                                           \
		return fn(w, container_of(job, struct name, job));                  \
	}                                                                           \
	const struct operation pg_op_##name = { .mode = (mode_),                    \
						.step = name##_pg_step,             \
						__VA_ARGS__ }

/* Every kind of job in job.def is one of these: done in groups (batch.h), done by an operation, or not done
 * by this engine yet. */
#define OP_GATHERED(X) \
	X(TURN_BEGIN)  \
	X(TURN_END)    \
	X(SEQ_RESERVE) X(EVENTS_APPEND) X(IDEM_KEEP) X(IDEM_TAKE) X(SHARE_TAKE) X(BUDGET_SETTLE)

/* operation_of: NULL: the engine does not do such jobs. */
const struct operation *operation_of(const struct job_kind *kind);
bool                    operation_is_gathered(const struct job_kind *kind);
