/* The table of operations, and the calls through an engine's driver. */
#include "store/sql/query.h"

#include "store/conversation.h"

#define SQL_DECLARE(name) extern const struct sql_op sql_op_##name;
#define OWN_DECLARE(name)
#define X(number, name, lane, by, ...) by##_DECLARE(name)
#include "store/job.def"
#undef X

#define SQL_ROW(name) &sql_op_##name
#define OWN_ROW(name) NULL

const struct sql_op *const sql_ops[JOB__COUNT] = {
#define X(number, name, lane, by, ...) [JOB_##number] = by##_ROW(name),
#include "store/job.def"
#undef X
};

struct param *query_param(struct query *q)
{
	return q->driver->param(q);
}

void query_ask(struct query *q, const char *sql)
{
	q->driver->ask(q, sql);
}

void query_ask_either(struct query *q, const struct sql *sql)
{
	const char *text = q->driver->sqlite ? sql->sqlite : sql->postgres;

	if (text)
		q->driver->ask(q, text);
}

bool query_row(struct query *q, size_t n, struct row *ret)
{
	return q->driver->row(q, n, ret);
}

void *query_state(struct query *q, size_t bytes, void (*finish)(void *state))
{
	q->state = q->driver->state(q, bytes, finish);
	return q->state;
}

enum work_next query_change(struct query *q, struct conversation_write *c, unsigned stage,
			    struct arena *arena, struct err *e)
{
	c->arena = *arena;
	enum work_next next = q->driver->change(q, c, stage);

	*arena = c->arena;
	*e = c->job.err;
	return next;
}
