/* One statement serves all ways of grouping: a column outside the group is the same in every
 * row. */
#include "store/sqlite/kit/row.h"
#include "store/usage.h"
#include "store/sqlite/op.h"

/* ?1 the key or NULL, ?2 the model or NULL, ?3 to ?4 days, ?5 to ?7 whether by key, model, day,
 * ?8 how many, ?9 behind how many. */
static const char sql_sum[] =
	"SELECT iif(?5, key, '') AS k, iif(?6, model, '') AS m, iif(?7, day, 0) AS d, "
	"sum(calls), sum(estimated), sum(unpriced), sum(tokens_in), sum(tokens_out), "
	"sum(cached), sum(reasoning), sum(nano) FROM usage_day "
	"WHERE day BETWEEN ?3 AND ?4 AND (?1 IS NULL OR key = ?1) "
	"AND (?2 IS NULL OR model = ?2) GROUP BY d, k, m ORDER BY d, k, m LIMIT ?8 OFFSET ?9";
static const char sql_budget[] =
	"SELECT began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens "
	"FROM budget WHERE key = ?";

static void bind_one(struct db_bind *b, struct str s)
{
	if (s.p)
		db_bind_text(b, s);
	else
		db_bind_null(b);
}

static int read_row(sqlite3_stmt *st, struct usage_read *j)
{
	struct usage_row *row = &j->rows[j->row_count];

	*row = (struct usage_row){
		.day = db_int(st, 2),
		.calls = db_int(st, 3),
		.estimated = db_int(st, 4),
		.unpriced = db_int(st, 5),
		.tokens_in = db_int(st, 6),
		.tokens_out = db_int(st, 7),
		.cached = db_int(st, 8),
		.reasoning = db_int(st, 9),
		.nano = db_int(st, 10),
	};
	if (!cell_keep(&j->arena, row_of(st), 0, &row->key, &j->job.err) ||
	    !cell_keep(&j->arena, row_of(st), 1, &row->model, &j->job.err))
		return SQLITE_DONE;
	j->row_count++;
	return db_row(st);
}

static int read_sums(struct session *s, struct usage_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_sum);
	sqlite3_stmt  *st = b.st;

	bind_one(&b, j->key);
	bind_one(&b, j->model);
	db_bind_int(&b, j->from_day);
	db_bind_int(&b, j->to_day);
	db_bind_int(&b, (j->group & USAGE_BY_KEY) != 0);
	db_bind_int(&b, (j->group & USAGE_BY_MODEL) != 0);
	db_bind_int(&b, (j->group & USAGE_BY_DAY) != 0);
	db_bind_int(&b, (int64_t)j->limit + 1);
	db_bind_int(&b, (int64_t)j->skip);
	int rc = db_bind_row(&b);
	while (rc == SQLITE_ROW && !j->has_more) {
		j->has_more = j->row_count == j->limit;
		if (!j->has_more)
			rc = read_row(st, j);
	}
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_budget(struct session *s, struct usage_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_budget);
	sqlite3_stmt  *st = b.st;

	db_bind_text(&b, j->key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	j->budgeted = true;
	j->began_ms = db_int(st, 0);
	j->spent_nano = db_int(st, 1);
	j->reserved_nano = db_int(st, 2);
	j->spent_tokens = db_int(st, 3);
	j->reserved_tokens = db_int(st, 4);
	return SQLITE_OK;
}

static int usage_read_usage(struct session *s, struct usage_read *j)
{
	j->row_count = 0;
	j->has_more = false;
	j->budgeted = false;
	j->rows = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->rows);
	if (!j->rows) {
		cell_no_memory(&j->job.err);
		return SQLITE_OK;
	}
	int rc = read_sums(s, j);
	return rc == SQLITE_OK && j->key.n > 0 ? read_budget(s, j) : rc;
}

OP(usage_read, usage_read_usage);
