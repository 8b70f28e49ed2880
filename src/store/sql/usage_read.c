/* One statement serves all ways of grouping: a column outside the group is the same in every row. */
#include "store/sql/query.h"
#include "store/usage.h"

/* $1 the key or NULL, $2 the model or NULL, $3 to $4 days, $5 to $7 whether by key, model, day, $8 how many,
 * $9 after how many. */
static const char sql_sum[] =
	"SELECT CASE WHEN $5 = 1 THEN key ELSE '' END AS k, CASE WHEN $6 = 1 THEN model ELSE '' END "
	"AS m, CASE WHEN $7 = 1 THEN day ELSE 0 END AS d, CAST(sum(calls) AS bigint), "
	"CAST(sum(estimated) AS bigint), CAST(sum(unpriced) AS bigint), CAST(sum(tokens_in) AS bigint), "
	"CAST(sum(tokens_out) AS bigint), CAST(sum(cached) AS bigint), CAST(sum(reasoning) AS bigint), CAST(sum(nano) AS bigint) "
	"FROM usage_day WHERE day BETWEEN $3 AND $4 AND ($1 IS NULL OR key = $1) "
	"AND ($2 IS NULL OR model = $2) GROUP BY d, k, m ORDER BY d, k, m LIMIT $8 OFFSET $9";
static const char sql_budget[] =
	"SELECT began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens "
	"FROM budget WHERE key = $1";

static void usage_one(struct param *a, struct str s)
{
	if (s.p)
		param_text(a, s);
	else
		param_null(a, PARAM_TEXT);
}

static void usage_ask(struct query *q, const struct usage_read *j)
{
	struct param *a = query_param(q);

	usage_one(a, j->key);
	usage_one(a, j->model);
	param_int(a, j->from_day);
	param_int(a, j->to_day);
	param_int(a, (j->group & USAGE_BY_KEY) != 0);
	param_int(a, (j->group & USAGE_BY_MODEL) != 0);
	param_int(a, (j->group & USAGE_BY_DAY) != 0);
	param_int(a, (int64_t)j->limit + 1);
	param_int(a, (int64_t)j->skip);
	query_ask(q, sql_sum);
	if (j->key.n == 0)
		return;
	param_text(query_param(q), j->key);
	query_ask(q, sql_budget);
}

static bool usage_row(struct row r, struct usage_read *j)
{
	struct usage_row *row = &j->rows[j->row_count];

	*row = (struct usage_row){
		.day = cell_int(r, 2),
		.calls = cell_int(r, 3),
		.estimated = cell_int(r, 4),
		.unpriced = cell_int(r, 5),
		.tokens_in = cell_int(r, 6),
		.tokens_out = cell_int(r, 7),
		.cached = cell_int(r, 8),
		.reasoning = cell_int(r, 9),
		.nano = cell_int(r, 10),
	};
	return cell_keep(&j->arena, r, 0, &row->key, &j->job.err) &&
	       cell_keep(&j->arena, r, 1, &row->model, &j->job.err);
}

static void usage_budget(struct row r, struct usage_read *j)
{
	j->budgeted = true;
	j->began_ms = cell_int(r, 0);
	j->spent_nano = cell_int(r, 1);
	j->reserved_nano = cell_int(r, 2);
	j->spent_tokens = cell_int(r, 3);
	j->reserved_tokens = cell_int(r, 4);
}

static enum work_next read_usage(struct query *q, struct usage_read *j)
{
	struct row r;

	if (q->stage == 0) {
		j->row_count = 0;
		j->has_more = false;
		j->budgeted = false;
		usage_ask(q, j);
		return WORK_LAST;
	}
	j->rows = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->rows);
	if (!j->rows)
		cell_no_memory(&j->job.err);
	while (j->rows && query_row(q, 0, &r)) {
		j->has_more = j->row_count == j->limit;
		if (j->has_more || !usage_row(r, j))
			break;
		j->row_count++;
	}
	if (j->key.n > 0 && query_row(q, 1, &r))
		usage_budget(r, j);
	return WORK_DONE;
}

SQL_OP(usage_read, WORK_SNAPSHOT, read_usage);
