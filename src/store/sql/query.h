/* query: what an operation sees of its engine.
 *
 * An operation of this folder is written once for every engine.  It works in stages: in a stage, its
 * step asks statements and returns; when they have been done, it is called for the next stage, and reads
 * their rows.
 *
 *     static enum work_next read_item(struct query *q, struct item_read *j)
 *     {
 *             struct row r;
 *
 *             if (q->stage == 0) {
 *                     param_int(query_param(q), j->message.key);
 *                     query_ask(q, sql_find);
 *                     return WORK_LAST;
 *             }
 *             if (query_row(q, 0, &r))
 *                     ...
 *             return WORK_DONE;
 *     }
 *
 *     SQL_OP(item_read, WORK_IMPLICIT, read_item);
 *
 * PostgreSQL's driver sends the statements of a stage together, and calls the next stage when the server
 * has answered; a connection that breaks begins the operation again with stage 0, so it must be able to
 * find that its writes were stored already.  SQLite's driver does a statement when it is asked, on the
 * thread that has called the step, and steps on to the next row when that is wanted; its reads and writes
 * are in a transaction that other jobs may share, so a job that is refused must not have asked a write.
 *
 * A statement's text is a constant, because its address is the name under which it stays prepared.  $1 is
 * its first parameter in both engines; an engine passes over parameters that a text does not have.  Both
 * engines know CAST(x AS bigint); they know nothing else of each other's types.  Where they need different
 * words, the two texts stand side by side (query_ask_either), or are made by one macro, whose E becomes
 * SQLITE and POSTGRES.  An array is `= ANY ($1)` or `unnest($1)` in the one, and a JSON text for json_each($1) in the
 * other. */
#pragma once

#include "store/sql/cell.h"
#include "store/sql/param.h"
#include "store/store.h"

enum work_next {
	WORK_AGAIN, /* statements were asked; a further stage follows */
	WORK_LAST, /* the same, and the transaction can be committed with them; the next stage ends */
	WORK_DONE /* nothing was asked */
};

enum work_mode {
	WORK_IMPLICIT, /* each stage is a transaction */
	WORK_SNAPSHOT, /* all stages read the state of one moment */
	WORK_WRITE     /* all stages are one transaction, rolled back if the job is refused */
};

enum { QUERY_ASKED = 8 }; /* statements of a stage, at most */

struct conversation_write;
struct query;

struct query_driver {
	bool sqlite; /* which of two texts it takes */
	struct param *(*param)(struct query *q);
	void (*ask)(struct query *q, const char *sql);
	bool (*row)(struct query *q, size_t n, struct row *ret);
	void *(*state)(struct query *q, size_t bytes, void (*finish)(void *state));
	enum work_next (*change)(struct query *q, struct conversation_write *c, unsigned stage);
};

struct query {
	const struct query_driver *driver;
	unsigned                   stage;
	void                      *state; /* query_state */
	bool    again;   /* an earlier try may have stored the writes of this one */
	int64_t now_ms;  /* by the clock of the store's server; INT64_MAX: it has none */
	int64_t gateway; /* the process's number; 0: the store is its own */
};

/* A statement in the words of each engine; NULL: there it is not asked.  SQL_EITHER: those that TEXT(SQLITE) and TEXT(POSTGRES) make. */
struct sql {
	const char *sqlite, *postgres;
};
#define SQL_EITHER(TEXT)                     \
	{                                    \
		TEXT(SQLITE), TEXT(POSTGRES) \
	}
#define SQL_EITHER_OF(TEXT, ...)                                       \
	{                                                              \
		TEXT(SQLITE, __VA_ARGS__), TEXT(POSTGRES, __VA_ARGS__) \
	}

/* E##_JOIN: a join whose left side is read first.  E##_INDEX(name): an index that must be used.  Both are
 * hints for SQLite, which knows nothing of the sizes of tables. */
#define SQLITE_JOIN          "CROSS JOIN "
#define POSTGRES_JOIN        "JOIN "
#define SQLITE_INDEX(name)   "INDEXED BY " name " "
#define POSTGRES_INDEX(name) ""
/* E##_ORDER(by): an order in which SQLite finds the rows anyway: those of a recursion that is a chain, and those
 * of an array.  With the words it would gather them all before the first one. */
#define SQLITE_ORDER(by)   ""
#define POSTGRES_ORDER(by) "ORDER BY " by
/* E##_EACH(array, type): the elements k.value of an array, with their places, which count from 0. */
#define SQLITE_EACH(array, type)   "json_each(" array ") k "
#define POSTGRES_EACH(array, type) "unnest(" array "::" type "[]) WITH ORDINALITY AS k(value, key) "
/* E##_FOR_UPDATE: the rows stay locked until the end of the write. */
#define SQLITE_FOR_UPDATE   ""
#define POSTGRES_FOR_UPDATE " FOR UPDATE"
/* E##_FOR_SHARE: the rows stay as they are until then. */
#define SQLITE_FOR_SHARE   ""
#define POSTGRES_FOR_SHARE " FOR SHARE"
/* E##_SKIP_LOCKED: rows that another process removes are left to it. */
#define SQLITE_SKIP_LOCKED   ""
#define POSTGRES_SKIP_LOCKED " FOR UPDATE SKIP LOCKED"
#define SQLITE_PLACE         "k.key"
#define POSTGRES_PLACE       "k.key - 1"

/* query_param: the parameters of the next statement, empty.  query_ask: asks it. */
struct param *query_param(struct query *q);
void          query_ask(struct query *q, const char *sql);
void          query_ask_either(struct query *q, const struct sql *sql);
/* query_row: the next row of the n-th statement of the last stage; false: there is none.  What is borrowed
 * of a row lasts until the next one, or until its statement is asked again, which ends
 * its rows; in one stage, only a statement without rows is asked twice. */
bool query_row(struct query *q, size_t n, struct row *ret) MUST_USE;
/* query_state: makes q->state zeroed memory that lasts until the operation ends or begins again, and is given to
 * finish (which may be NULL) then; NULL: no memory. */
void *query_state(struct query *q, size_t bytes, void (*finish)(void *state));

/* query_change: changes a conversation with the engine's own operation, as a part of this one, which lends its
 * arena; `stage` counts from 0.  What it returns is what the step returns.  e is the change's. */
enum work_next query_change(struct query *q, struct conversation_write *c, unsigned stage,
			    struct arena *arena, struct err *e);

/* sql_op: an operation of this folder. */
struct sql_op {
	enum work_mode mode;
	enum work_next (*step)(struct query *q, struct store_job *job);
	/* keys: a write changes what the key ring has; the ring has it before the job is answered.  The step
	 * returns WORK_LAST in the stage that writes. */
	bool keys;
};

#define SQL_OP(name, mode, fn) SQL_OP_WITH(name, mode, fn, .keys = false)
#define SQL_OP_WITH(name, mode, fn, ...)                                              \
	static enum work_next name##_sql_step(struct query *q, struct store_job *job) \
	{                                                                             \
		return fn(q, container_of(job, struct name, job));                    \
	}                                                                             \
	const struct sql_op sql_op_##name = { (mode), name##_sql_step, __VA_ARGS__ }

/* The operations by their jobs; NULL: each engine has its own. */
extern const struct sql_op *const sql_ops[];
