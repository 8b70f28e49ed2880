/* The table of operations, and the driver of those that all engines share (store/sql/query.h). */

#include "store/postgres/conversation_change.h"
#include "store/postgres/chores.h"
#include "store/postgres/operation.h"
#include "store/postgres/lease.h"
#include "store/postgres/postgres.h"
#include "store/sql/cells.h"

#define OP_ALONE(X)                               \
	X(BRANCH_READ, branch_read)               \
	X(EVENTS_READ, events_read)               \
	X(CONVERSATION_WRITE, conversation_write) \
	X(BUDGET_RESERVE, budget_reserve)         \
	X(FILE_ADD, file_add)                     \
	X(FILE_DELETE, file_delete)               \
	X(ARCHIVE_WRITE, archive_write)           \
	X(SEARCH_READ, search_read)

#define X(number, name) extern const struct operation pg_op_##name;
OP_ALONE(X)
#undef X

static const struct operation *const alone[JOB__COUNT] = {
#define X(number, name) [JOB_##number] = &pg_op_##name,
	OP_ALONE(X)
#undef X
};

static const bool gathered[JOB__COUNT] = {
#define X(number) [JOB_##number] = true,
	OP_GATHERED(X)
#undef X
};

struct pg_query {
	struct query query;
	struct work *work;            /* borrowed */
	int          at[QUERY_ASKED]; /* the next row of each result */
};

static struct pg_query *pg_query_of(struct query *q)
{
	return container_of(q, struct pg_query, query);
}

static struct param *pg_query_param(struct query *q)
{
	return work_param(pg_query_of(q)->work);
}

static void pg_query_ask(struct query *q, const char *sql)
{
	work_ask(pg_query_of(q)->work, sql);
}

static bool pg_query_row(struct query *q, size_t n, struct row *ret)
{
	struct pg_query *p = pg_query_of(q);

	CHECK(n < QUERY_ASKED);
	if (p->at[n] == work_rows(p->work, n))
		return false;
	*ret = work_row(p->work, n, p->at[n]++);
	return true;
}

static void *pg_query_state(struct query *q, size_t bytes, void (*finish)(void *state))
{
	return work_state(pg_query_of(q)->work, bytes, finish);
}

static enum work_next pg_query_change(struct query *q, struct conversation_write *c, unsigned stage)
{
	return conversation_change(pg_query_of(q)->work, c, stage);
}

static const struct query_driver pg_driver = { false,        pg_query_param, pg_query_ask,
					       pg_query_row, pg_query_state, pg_query_change };

enum work_mode operation_mode(const struct job_kind *kind)
{
	return sql_ops[kind->job] ? sql_ops[kind->job]->mode : alone[kind->job]->mode;
}

static void audit_ask(struct work *w, const struct audit_entry *x)
{
	CHECK(w->kind->mode == WORK_WRITE);
	audit_cell_params(work_param(w), x);
	work_ask(w, audit_cell_put);
}

enum work_next operation_step(struct work *w, struct store_job *job)
{
	const struct sql_op *shared = sql_ops[job->kind->job];
	struct pg_query      p = { .work = w,
				   .query = { .driver = &pg_driver,
					      .stage = w->stage,
					      .state = w->state,
					      .again = w->tries > 0,
					      .now_ms = lease_now_ms(w->db),
					      .gateway = w->db->gateway } };

	if (w->stage == 0) {
		job->err = (struct err){ .code = ERR_OK };
		job->unchanged = false;
	}
	enum work_next next =
		shared ? shared->step(&p.query, job) : alone[job->kind->job]->step(w, job);
	w->refused = job->err.code != ERR_OK;
	if (job->audit && next == WORK_LAST && !w->refused && !job->unchanged)
		audit_ask(w, job->audit);
	if (shared && shared->keys && next == WORK_LAST)
		keys_ask(w);
	/* The ring changes before the answer, so that a revoked key is refused after it. */
	if (shared && shared->keys && next == WORK_DONE && !w->refused)
		keys_take(w, w->link->result_count - KEYS_RESULTS);
	return next;
}

void operation_after(struct postgres *db, struct store_job *job)
{
	const struct operation *op = alone[job->kind->job];

	if (op && op->after)
		op->after(db, job);
}

bool operation_is_gathered(const struct job_kind *kind)
{
	return gathered[kind->job];
}
