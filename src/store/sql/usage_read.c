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
/* The same by group, too: what was used in a group is taken out of what was used in none. */
#define COUNTED(from, group, sign)                                                          \
	"SELECT " group " AS g, key, model, day, " sign "calls AS calls, " sign             \
	"estimated AS estimated, " sign "unpriced AS unpriced, " sign                       \
	"tokens_in AS tokens_in, " sign "tokens_out AS tokens_out, " sign                   \
	"cached AS cached, " sign "reasoning AS reasoning, " sign "nano AS nano FROM " from \
	" WHERE day BETWEEN $3 AND $4 AND ($1 IS NULL OR key = $1) AND ($2 IS NULL OR model = $2)"
static const char sql_grouped[] =
	"SELECT CASE WHEN $5 = 1 THEN key ELSE '' END AS k, CASE WHEN $6 = 1 THEN model ELSE '' END "
	"AS m, CASE WHEN $7 = 1 THEN day ELSE 0 END AS d, CAST(sum(calls) AS bigint), "
	"CAST(sum(estimated) AS bigint), CAST(sum(unpriced) AS bigint), CAST(sum(tokens_in) AS bigint), "
	"CAST(sum(tokens_out) AS bigint), CAST(sum(cached) AS bigint), CAST(sum(reasoning) AS bigint), "
	"CAST(sum(nano) AS bigint), g FROM (" COUNTED("usage_day", "''", "") " UNION ALL " COUNTED(
		"usage_group", "''", "-") " UNION ALL " COUNTED("usage_group", "key_group",
								"") ") AS u GROUP BY d, g, k, m "
								    "HAVING sum(calls) > 0 "
								    "ORDER BY d, g, k, m LIMIT $8 "
								    "OFFSET $9";
/* The same of calls with tags: $10 to $13 names of tags to group by, or NULL, $14 to $17 pairs, or NULL, $18 whether by group.  Calls that
 * have the same tags are added up first, so that tags are read once for each combination of them. */
#define SQLITE_EACH_TAG(n, name)                                                      \
	"LEFT JOIN json_each(u.tags) g" n " ON substr(g" n ".value, 1, length($" name \
	") + 1) = $" name " || '=' "
#define POSTGRES_EACH_TAG(n, name)                                       \
	"LEFT JOIN LATERAL jsonb_array_elements_text(u.tags::jsonb) g" n \
	"(value) ON starts_with(g" n ".value, $" name "::text || '=') "
#define SQLITE_HAS_TAG(pair) \
	"AND ($" pair " IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = $" pair ")) "
#define POSTGRES_HAS_TAG(pair) "AND ($" pair "::text IS NULL OR tags::jsonb ? $" pair "::text) "
#define SQLITE_TAG_VALUE(n, name) \
	"coalesce(substr(g" n ".value, length($" name ") + 2), '') AS v" n ", "
#define POSTGRES_TAG_VALUE(n, name) \
	"coalesce(substr(g" n ".value, length($" name "::text) + 2), '') AS v" n ", "
#define ALL_SUMS                                                                                   \
	"CAST(sum(calls) AS bigint) AS calls, CAST(sum(estimated) AS bigint) AS estimated, "       \
	"CAST(sum(unpriced) AS bigint) AS unpriced, CAST(sum(tokens_in) AS bigint) AS tokens_in, " \
	"CAST(sum(tokens_out) AS bigint) AS tokens_out, CAST(sum(cached) AS bigint) AS cached, "   \
	"CAST(sum(reasoning) AS bigint) AS reasoning, CAST(sum(nano) AS bigint) AS nano "
#define TAG_SUMS(E)                                                                                                                     \
	"SELECT k, m, d, " ALL_SUMS                                                                                                     \
	", g, " E##_TAG_VALUE("1", "10") E##_TAG_VALUE("2", "11") E##_TAG_VALUE("3", "12") E##_TAG_VALUE(                               \
		"4",                                                                                                                    \
		"13") "1 FROM (SELECT CASE WHEN $5 = 1 THEN key ELSE '' END AS k, CASE WHEN $6 = 1 THEN model "                         \
		      "ELSE '' END AS m, CASE WHEN $7 = 1 THEN day ELSE 0 END AS d, CASE WHEN $18 = 1 THEN "                            \
		      "key_group ELSE '' END AS g, tags, " ALL_SUMS                                                                     \
		      "FROM usage_tag WHERE day BETWEEN $3 AND $4 AND ($1 IS NULL OR key = $1) "                                        \
		      "AND ($2 IS NULL OR model = $2) " E##_HAS_TAG("14") E##_HAS_TAG(                                                  \
			      "15") E##_HAS_TAG("16")                                                                                   \
			      E##_HAS_TAG("17") "GROUP BY 1, 2, 3, 4, 5) u " E##_EACH_TAG(                                              \
				      "1", "10") E##_EACH_TAG("2", "11") E##_EACH_TAG("3", "12")                                        \
				      E##_EACH_TAG(                                                                                     \
					      "4",                                                                                      \
					      "13") "GROUP BY d, g, k, m, v1, v2, v3, v4 ORDER BY d, g, k, m, v1, v2, v3, v4 LIMIT $8 " \
						    "OFFSET $9"
static const struct sql sql_tags = SQL_EITHER(TAG_SUMS);
static const char       sql_budgets[] =
	"SELECT key, began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens "
	"FROM budget WHERE key IN ($1, $2, $3)";

/* $2 now. */
static const char sql_ceiling[] =
	"SELECT limit_nano, spent_nano, reserved_nano, until_ms FROM budget "
	"WHERE key = $1 AND until_ms > $2";

enum { USAGE_BUDGETS = 1 + ARRAY_LEN(((struct usage_read *)0)->each) };

static struct usage_budget *usage_budget_at(struct usage_read *j, size_t i)
{
	return i == 0 ? &j->budget : &j->each[i - 1];
}

static bool usage_budgeted(const struct usage_read *j)
{
	return j->budget.name[0] || j->each[0].name[0] || j->each[1].name[0];
}

static void usage_one(struct param *a, struct str s)
{
	if (s.p)
		param_text(a, s);
	else
		param_null(a, PARAM_TEXT);
}

static void usage_ask(struct query *q, struct usage_read *j)
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
	if (j->by_tags[0].p || j->with_tags[0].p) {
		for (size_t i = 0; i < LIMIT_TAG_NAMES; i++)
			usage_one(a, j->by_tags[i]);
		for (size_t i = 0; i < LIMIT_TAG_NAMES; i++)
			usage_one(a, j->with_tags[i]);
		param_int(a, (j->group & USAGE_BY_GROUP) != 0);
		query_ask_either(q, &sql_tags);
	} else {
		query_ask(q, j->group & USAGE_BY_GROUP ? sql_grouped : sql_sum);
	}
	if (usage_budgeted(j)) {
		a = query_param(q);
		for (size_t i = 0; i < USAGE_BUDGETS; i++)
			param_text(a, str_of(usage_budget_at(j, i)->name));
		query_ask(q, sql_budgets);
	}
	if (!j->session[0])
		return;
	a = query_param(q);
	param_text(a, str_of(j->session));
	param_int(a, j->now_ms);
	query_ask(q, sql_ceiling);
}

static bool usage_row(struct row r, struct usage_read *j)
{
	struct usage_row *row = &j->rows[j->row_count];
	bool              grouped = j->group & USAGE_BY_GROUP;

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
	bool ok = (!grouped || cell_keep(&j->arena, r, 11, &row->group, &j->job.err)) &&
		  cell_keep(&j->arena, r, 0, &row->key, &j->job.err) &&
		  cell_keep(&j->arena, r, 1, &row->model, &j->job.err);
	for (int i = 0; ok && i < LIMIT_TAG_NAMES && j->by_tags[i].p; i++)
		ok = cell_keep(&j->arena, r, 12 + i, &row->tags[i], &j->job.err);
	return ok;
}

static void usage_take_budget(struct row r, struct usage_read *j)
{
	for (size_t i = 0; i < USAGE_BUDGETS; i++) {
		struct usage_budget *b = usage_budget_at(j, i);

		if (!str_is(cell_str(r, 0), b->name))
			continue;
		b->began_ms = cell_int(r, 1);
		b->spent_nano = cell_int(r, 2);
		b->reserved_nano = cell_int(r, 3);
		b->spent_tokens = cell_int(r, 4);
		b->reserved_tokens = cell_int(r, 5);
	}
}

static enum work_next read_usage(struct query *q, struct usage_read *j)
{
	struct row r;

	if (q->stage == 0) {
		j->row_count = 0;
		j->has_more = false;
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
	while (usage_budgeted(j) && query_row(q, 1, &r))
		usage_take_budget(r, j);
	if (j->session[0] && query_row(q, usage_budgeted(j) ? 2 : 1, &r)) {
		j->ceiling.limit_nano = cell_int(r, 0);
		j->ceiling.spent_nano = cell_int(r, 1);
		j->ceiling.reserved_nano = cell_int(r, 2);
		j->ceiling.until_ms = cell_int(r, 3);
	}
	return WORK_DONE;
}

SQL_OP(usage_read, WORK_SNAPSHOT, read_usage);
