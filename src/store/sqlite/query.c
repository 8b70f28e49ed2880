/* The table of operations, and the driver of shared ones. */
#include "base/limits.h"
#include "store/sql/query.h"
#include "store/sqlite/conversation_write.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/op.h"

#include <endian.h>
#include <stdlib.h>

/* The statements of one stage; each is on a row, or is over. */
struct query_asked {
	size_t        count;
	sqlite3_stmt *st[QUERY_ASKED];    /* borrowed; NULL: it has no row left */
	bool          fresh[QUERY_ASKED]; /* nobody has seen the row that it is on */
};

struct lite_query {
	struct query       query;
	struct session    *session;     /* borrowed */
	struct conn       *conn;        /* borrowed */
	int                rc;          /* the first failure */
	struct query_asked asked, last; /* in this stage, and in the one before */
	void (*finish)(void *state);
};

static struct lite_query *lite_of(struct query *q)
{
	return container_of(q, struct lite_query, query);
}

static struct param *lite_param(struct query *q)
{
	struct param *a = &lite_of(q)->conn->args;

	param_clear(a);
	return a;
}

static int64_t lite_decode(const char *p)
{
	uint64_t be;

	memcpy(&be, p, sizeof be);
	return (int64_t)be64toh(be);
}

/* lite_bind_array: numbers become a JSON text; no statement takes other arrays. */
static int lite_bind_array(sqlite3_stmt *st, int to, const struct param *a, int i)
{
	struct buf text;
	int        n = a->lengths[i] > PARAM_EMPTY ? (a->lengths[i] - PARAM_HEAD) / PARAM_STEP : 0;
	bool       ok;

	CHECK(a->kinds[i] == PARAM_INT);
	buf_init(&text, LIMIT_STORE_ROW);
	ok = buf_add(&text, "[", 1);
	for (int k = 0; ok && k < n; k++) {
		const char *at = a->data.data + a->at[i] + PARAM_HEAD + k * PARAM_STEP + 4;

		ok = (k == 0 || buf_add(&text, ",", 1)) && buf_int(&text, lite_decode(at));
	}
	ok = ok && buf_add(&text, "]", 1);
	int rc =
		ok ? sqlite3_bind_text64(st, to, text.data, text.len, SQLITE_TRANSIENT, SQLITE_UTF8)
		   : SQLITE_NOMEM;
	buf_finish(&text);
	return rc;
}

static int lite_bind_one(sqlite3_stmt *st, int to, const struct param *a, int i)
{
	const char *p = a->data.data + a->at[i];
	uint64_t    n = (uint64_t)a->lengths[i];

	if (a->lengths[i] < 0)
		return sqlite3_bind_null(st, to);
	if (a->arrays[i])
		return lite_bind_array(st, to, a, i);
	switch (a->kinds[i]) {
	case PARAM_INT: return sqlite3_bind_int64(st, to, lite_decode(p));
	case PARAM_TEXT:
	case PARAM_RAW: return sqlite3_bind_text64(st, to, p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
	case PARAM_BYTES: return sqlite3_bind_blob64(st, to, p, n, SQLITE_TRANSIENT);
	case PARAM_TYPES: break;
	}
	return SQLITE_MISUSE;
}

static int lite_bind(sqlite3_stmt *st, const struct param *a)
{
	int count = sqlite3_bind_parameter_count(st);
	int rc = a->failed ? SQLITE_NOMEM : SQLITE_OK;

	CHECK(count <= a->count);
	for (int i = 0; rc == SQLITE_OK && i < count; i++)
		rc = lite_bind_one(st, i + 1, a, i);
	return rc;
}

/* lite_again: a statement that was asked before has no more rows than those that were seen. */
static void lite_again(struct lite_query *l, const sqlite3_stmt *st)
{
	for (size_t i = 0; i < l->last.count; i++)
		if (l->last.st[i] == st)
			l->last.st[i] = NULL;
	for (size_t i = 0; i < l->asked.count; i++)
		CHECK(!st || l->asked.st[i] != st);
}

static void lite_ask(struct query *q, const char *sql)
{
	struct lite_query *l = lite_of(q);
	struct db_bind     b = conn_bind(l->conn, sql);

	lite_again(l, b.st);
	size_t n = l->asked.count++;
	CHECK(n < QUERY_ASKED);
	l->asked.st[n] = NULL;
	if (l->rc == SQLITE_OK)
		l->rc = b.rc;
	if (l->rc == SQLITE_OK)
		l->rc = lite_bind(b.st, &l->conn->args);
	if (l->rc != SQLITE_OK)
		return;
	int rc = db_row(b.st);
	if (rc == SQLITE_ROW) {
		l->asked.st[n] = b.st;
		l->asked.fresh[n] = true;
	} else if (rc != SQLITE_DONE) {
		l->rc = rc;
	}
}

static bool lite_row(struct query *q, size_t n, struct row *ret)
{
	struct lite_query  *l = lite_of(q);
	struct query_asked *from = &l->last;
	int                 rc = SQLITE_ROW;

	CHECK(n < from->count);
	if (!from->st[n])
		return false;
	if (!from->fresh[n])
		rc = db_row(from->st[n]);
	from->fresh[n] = false;
	if (rc == SQLITE_ROW) {
		*ret = row_of(from->st[n]);
		return true;
	}
	from->st[n] = NULL;
	if (rc != SQLITE_DONE && l->rc == SQLITE_OK)
		l->rc = rc;
	return false;
}

static void *lite_state(struct query *q, size_t bytes, void (*finish)(void *state))
{
	struct lite_query *l = lite_of(q);

	if (l->query.state && l->finish)
		l->finish(l->query.state);
	free(l->query.state);
	l->query.state = calloc(1, bytes);
	l->finish = finish;
	return l->query.state;
}

/* The first stage does it all. */
static enum work_next lite_change(struct query *q, struct conversation_write *c, unsigned stage)
{
	struct lite_query *l = lite_of(q);

	if (stage > 0)
		return WORK_DONE;
	if (l->rc == SQLITE_OK)
		l->rc = conversation_write(l->session, c);
	return WORK_AGAIN;
}

static const struct query_driver lite_driver = { true,     lite_param, lite_ask,
						 lite_row, lite_state, lite_change };

static void lite_reset(const struct query_asked *asked)
{
	for (size_t i = 0; i < asked->count; i++)
		if (asked->st[i])
			(void)sqlite3_reset(asked->st[i]);
}

/* query_run: does a job whose operation is in store/sql, a statement at a time, on the thread of a session. */
static int query_run(struct session *s, struct store_job *job)
{
	const struct sql_op *op = sql_ops[job->kind->job];
	struct lite_query    l = { .query = { .driver = &lite_driver, .now_ms = INT64_MAX },
				   .session = s,
				   .conn = s->conn };
	enum work_next       next = WORK_AGAIN;
	sqlite3_int64        changes = sqlite3_total_changes(s->conn->db);

	while (l.rc == SQLITE_OK && next != WORK_DONE) {
		next = op->step(&l.query, job);
		lite_reset(&l.last);
		l.last = l.asked;
		l.asked.count = 0;
		l.query.stage++;
	}
	lite_reset(&l.last);
	if (l.query.state && l.finish)
		l.finish(l.query.state);
	free(l.query.state);
	/* A job is refused before it writes, or when memory is short afterwards: then the batch, which
	 * has what it wrote, is given up. */
	if (l.rc == SQLITE_OK && job->err.code != ERR_OK &&
	    sqlite3_total_changes(s->conn->db) != changes) {
		CHECK(job->err.code == ERR_OVERLOADED);
		return SQLITE_NOMEM;
	}
	return l.rc;
}

static void query_settle(struct session *s, struct store_job *job)
{
	if (sql_ops[job->kind->job]->keys)
		api_key_row_settle(s, job);
}

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
