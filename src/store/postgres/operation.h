/* operation: the code with which this engine does one kind of job that has OWN in job.def; each operation is a file
 * with the name of its job, and ends with a line like
 *
 *     OP(file_delete, WORK_WRITE, file_delete_step);
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

/* The jobs of job.def that this engine does in groups (batch.h). */
#define OP_GATHERED(X) \
	X(TURN_BEGIN)  \
	X(TURN_END)    \
	X(SEQ_RESERVE) X(EVENTS_APPEND) X(ANSWER_KEEP) X(CLAIM_TAKE) X(SHARE_TAKE) X(BUDGET_SETTLE)

/* operations: how each kind of job is done (operation.h, store/sql/query.h). */

/* operation_mode, operation_step: of a job that is not gathered, with this engine's own operation or a shared one.
 * operation_after: what follows a job that was stored. */
enum work_mode operation_mode(const struct job_kind *kind);
enum work_next operation_step(struct work *w, struct store_job *job);
void           operation_after(struct postgres *db, struct store_job *job);
bool           operation_is_gathered(const struct job_kind *kind);
