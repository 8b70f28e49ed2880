/* op: an operation is the code with which this engine does one kind of job of store/job.def.  Each
 * operation is a file with the name of its job.  The file has the statements, their parameters and
 * their results, and ends with a line like
 *
 *     OP(seq_reserve, seq_reserve_take);
 *
 * A row of job.def with OWN puts the operation into the engine's table; those with SQL are done by
 * the shared operations.  Writes run on the writer's
 * thread, in its transaction; reads run on a reader's thread, in a transaction of their own. */
#pragma once

#include "store/job.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/session.h"
#include "store/store.h"

struct op {
	/* run: does the job and returns an SQLite code.  On SQLITE_OK, job->err says whether the
	 * job was refused; a refused job has written nothing.  On any other code, the transaction
	 * may have a part of the job's writes and is rolled back; then run may be called for the
	 * same job again.  Statements may be left on a row. */
	int (*run)(struct session *s, struct store_job *job);
	bool bare; /* run is called outside of any transaction */

	/* The rest is for writes only, and may be NULL.
	 * relaxed: whether the job may be lost in a power cut; then its commit does not wait for
	 * the disk. */
	bool (*relaxed)(struct store_job *job);
	/* unstored: the job was not committed; notes what must be written later (salvage.h). */
	void (*unstored)(struct session *s, struct store_job *job);
	/* settle: is called after the commit or the rollback, before the job is answered. */
	void (*settle)(struct session *s, struct store_job *job);
};

/* OP(name, fn): defines the operation of the job `name`; fn(session, struct name *) does the job.
 * OP_WITH(name, fn, .member = …) also sets other members of struct op. */
#define OP(name, fn) OP_WITH(name, fn, .bare = false)
#define OP_WITH(name, fn, ...)                                         \
	static int name##_op(struct session *s, struct store_job *job) \
	{                                                              \
		return fn(s, container_of(job, struct name, job));     \
	}                                                              \
	const struct op op_##name = { .run = name##_op, __VA_ARGS__ }

#define SQL_EXTERN(name)
#define OWN_EXTERN(name)               extern const struct op op_##name;
#define X(number, name, lane, by, ...) by##_EXTERN(name)
#include "store/job.def"
#undef X

/* op_of: the operation of a submitted job. */
const struct op *op_of(const struct store_job *job);
/* op_is_relaxed: whether the job may be lost in a power cut (op.relaxed). */
bool op_is_relaxed(struct store_job *job);

/* api_key_row: reads the valid API keys for the key ring. */
struct key_ring;
struct session;

/* api_key_row_load: fills the ring if its version is not that of the database; inside a
 * transaction.  An SQLite code. */
int api_key_row_load(struct conn *c, struct key_ring *ring) MUST_USE;
/* api_key_row_settle: settles a job that has changed what the ring has (op.settle). */
void api_key_row_settle(struct session *s, struct store_job *job);

/* audit_put: writes the entry of a job that has just been done, in its transaction.  An SQLite code. */
int audit_put(struct conn *c, const struct store_job *job) MUST_USE;
