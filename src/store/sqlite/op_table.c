/* The table of operations: one for each row of job.def. */
#include "store/sqlite/op.h"

static const struct op op_shared = { .run = query_run, .settle = query_settle };

#define OWN_ROW(name) &op_##name
#define SQL_ROW(name) &op_shared

static const struct op *const ops[JOB__COUNT] = {
#define X(number, name, lane, by, ...) [JOB_##number] = by##_ROW(name),
#include "store/job.def"
#undef X
};

const struct op *op_of(const struct store_job *job)
{
	return ops[job->kind->job];
}

bool op_is_relaxed(struct store_job *job)
{
	const struct op *op = op_of(job);

	return op->relaxed && op->relaxed(job);
}
