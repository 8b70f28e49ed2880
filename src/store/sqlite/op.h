/* op: how this engine does the jobs of store/job.def.  An operation is a file, named as its job is, with
 * its statements, what it binds and what it reads; at the file's end stands
 *
 *     OP(run_read, read_run);
 *
 * and the row of job.def makes it one of the table below.  Writes run on the writer's thread, in its
 * transaction; reads on a reader's, in one of their own. */
#pragma once

#include "store/sqlite/session.h"
#include "store/store.h"

struct op {
	/* An SQLite code.  On SQLITE_OK, job->err says whether the job was refused; a refused one has
	 * written nothing.  On any other code the transaction may hold half of it, and is rolled back:
	 * then the same job may be run again.  What is read may be left on its row. */
	int (*run)(struct session *s, struct store_job *job);
	bool bare; /* it wants no transaction around it */

	/* All below may be NULL; only of writes.
	 * relaxed: a power cut may take it: it is committed without waiting for the disk. */
	bool (*relaxed)(struct store_job *job);
	/* unstored: it was not committed; what must be written all the same is remembered. */
	void (*unstored)(struct session *s, struct store_job *job);
	/* settle: after the commit or the rollback, before the answer. */
	void (*settle)(struct session *s, struct store_job *job);
};

/* OP(name, run): run(session, struct name *) is the operation of the job `name`.  OP_WITH(name, run,
 * .member = …): with some of what may be NULL. */
#define OP(name, fn) OP_WITH(name, fn, .bare = false)
#define OP_WITH(name, fn, ...)                                         \
	static int name##_op(struct session *s, struct store_job *job) \
	{                                                              \
		return fn(s, container_of(job, struct name, job));     \
	}                                                              \
	const struct op op_##name = { .run = name##_op, __VA_ARGS__ }

#define X(number, name, ...) extern const struct op op_##name;
#include "store/job.def"
#undef X

/* op_of: of a job that was handed in. */
const struct op *op_of(const struct store_job *job);
/* op_is_relaxed: a power cut may take the job. */
bool op_is_relaxed(struct store_job *job);
