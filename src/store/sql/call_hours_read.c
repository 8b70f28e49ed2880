/* Reads sums of calls by the hour, and makes percentiles of their histograms. */
#include "base/hash.h"
#include "base/limits.h"
#include "store/ledger.h"
#include "store/sql/query.h"

enum { NAME_BUCKETS = 256, NAMES_MOST = 4096, ROWS_FIRST = 64 };

struct call_group {
	struct str              name;
	struct str              key; /* the key's name; p NULL: not known */
	struct call_group      *next;
	struct ledger_sums      sums; /* the hour's, as the next two; calls 0: it has none yet */
	struct ledger_histogram durations, firsts;
};

/* The state of a read: the hour that is being added up, and the sums of all. */
struct hours_state {
	struct call_group *buckets[NAME_BUCKETS];
	size_t             names;
	struct call_group *open[NAMES_MOST]; /* the groups that have calls in this hour */
	size_t             open_count;
	int64_t            hour;
	struct call_group  total;
	struct call_group *last; /* the last row's; rows of a name come one after the other */
	size_t             cap;  /* room for rows of the job */
};

#define COUNTS                                                                                     \
	"calls, failed, cancelled, client_left, refused, tokens_in, tokens_out, nano, durations, " \
	"firsts"
#define TIME "hour >= $1 AND hour < $2"
/* The key of the row that has all calls of an hour, of a version that had no other sums.  Such a version may have written
 * a part of the hour only. */
#define ALL "'*'"
#define OLD "(SELECT hour FROM call_hour WHERE key = " ALL " AND " TIME ")"

#define SUMS(kind, column)                                                                         \
	"SELECT hour, " column ", " COUNTS " FROM call_hour WHERE hour IN " OLD " AND key <> " ALL \
	" UNION ALL SELECT hour, name, " COUNTS " FROM call_sum WHERE kind = " kind " AND " TIME   \
	" AND hour NOT IN " OLD " ORDER BY hour"

/* By enum call_hours_by. */
static const char *const sql_sums[] = {
	[CALLS_BY_NOTHING] = "SELECT hour, '', " COUNTS " FROM call_hour WHERE key = " ALL
			     " AND " TIME " UNION ALL SELECT hour, name, " COUNTS
			     " FROM call_sum WHERE kind = 0 AND " TIME " ORDER BY hour",
	[CALLS_BY_KEY] = SUMS("1", "key"),
	[CALLS_BY_MODEL] = SUMS("2", "model"),
	[CALLS_BY_PROVIDER] = SUMS("3", "provider"),
};
static const char sql_some[] =
	"SELECT hour, CASE $6 WHEN 1 THEN key WHEN 2 THEN model WHEN 3 THEN provider ELSE '' END, " COUNTS
	" FROM call_hour WHERE " TIME " AND key <> " ALL " AND ($3 IS NULL OR key = $3) "
	"AND ($4 IS NULL OR model = $4) AND ($5 IS NULL OR provider = $5) ORDER BY hour";
/* A key's rows, hour by hour in the index, so that a tenant's look does not read the rows of all. */
static const char sql_key[] =
	"WITH RECURSIVE h(hour) AS (SELECT CASE WHEN m > $1 THEN m ELSE $1 END "
	"FROM (SELECT min(hour) AS m FROM call_hour) AS e UNION ALL SELECT hour + 1 FROM h "
	"WHERE hour + 1 < $2 AND hour < (SELECT max(hour) FROM call_hour)) "
	"SELECT c.hour, CASE $6 WHEN 1 THEN key WHEN 2 THEN model WHEN 3 THEN provider ELSE '' END, " COUNTS
	" FROM h CROSS JOIN call_hour c WHERE c.hour = h.hour AND c.hour < $2 AND c.key = $3 "
	"AND ($4 IS NULL OR model = $4) AND ($5 IS NULL OR provider = $5) ORDER BY c.hour";
static const char sql_names[] = "SELECT id, name FROM api_key ORDER BY number DESC LIMIT 10000";

struct str call_group_name(const struct call_group *g)
{
	return g->name;
}

struct str call_group_key(const struct call_group *g)
{
	return g->key;
}

static struct call_group **hours_place(struct hours_state *s, struct str name)
{
	struct call_group **at = &s->buckets[mix_str(MIX_BEGIN, name) % NAME_BUCKETS];

	while (*at && !str_eq((*at)->name, name))
		at = &(*at)->next;
	return at;
}

static struct call_group *hours_group(struct hours_state *s, struct call_hours_read *j,
				      struct str name)
{
	if (s->last && str_eq(s->last->name, name))
		return s->last;
	struct call_group **at = hours_place(s, name);
	s->last = *at;
	if (*at)
		return *at;
	if (s->names == NAMES_MOST) {
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "by",
			"there are more than %d names; ask for a shorter time", NAMES_MOST);
		return NULL;
	}
	struct call_group *g = arena_alloc(&j->arena, sizeof *g);
	if (g)
		g->name = arena_str(&j->arena, name);
	if (!g || !g->name.p) {
		cell_no_memory(&j->job.err);
		return NULL;
	}
	s->names++;
	*at = g;
	return g;
}

/* --- rows --- */

static void hours_row(const struct call_group *g, int64_t hour, struct call_hours_row *ret)
{
	static const unsigned parts[] = { 50, 95, 99 };

	*ret = (struct call_hours_row){
		.hour = hour,
		.sums = g->sums,
	};
	ledger_histogram_parts(&g->durations, ARRAY_LEN(parts), parts,
			       (int64_t *[]){ &ret->p50_us, &ret->p95_us, &ret->p99_us });
	ledger_histogram_parts(&g->firsts, ARRAY_LEN(parts) - 1, parts,
			       (int64_t *[]){ &ret->first_p50_us, &ret->first_p95_us });
}

static bool hours_room(struct hours_state *s, struct call_hours_read *j)
{
	if (j->row_count < s->cap)
		return true;
	if (j->row_count >= LIMIT_CALL_HOURS) {
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "from",
			"the answer would have more than %d rows; ask for a shorter time",
			LIMIT_CALL_HOURS);
		return false;
	}
	size_t                 cap = s->cap ? 2 * s->cap : ROWS_FIRST;
	struct call_hours_row *rows = arena_alloc(&j->arena, cap * sizeof *rows);
	if (!rows) {
		cell_no_memory(&j->job.err);
		return false;
	}
	if (j->row_count > 0)
		memcpy(rows, j->rows, j->row_count * sizeof *rows);
	j->rows = rows;
	s->cap = cap;
	return true;
}

static void hours_merge(struct call_group *to, const struct call_group *from)
{
	ledger_sums_add(&to->sums, &from->sums);
	ledger_histogram_merge(&to->durations, &from->durations);
	ledger_histogram_merge(&to->firsts, &from->firsts);
}

/* hours_close: the hour has no further calls. */
static void hours_close(struct hours_state *s, struct call_hours_read *j)
{
	for (size_t i = 0; i < s->open_count && hours_room(s, j); i++) {
		struct call_group     *g = s->open[i];
		struct call_hours_row *row = &j->rows[j->row_count++];

		hours_row(g, s->hour, row);
		hours_merge(&s->total, g);
		row->group = j->by == CALLS_BY_NOTHING ? NULL : g;
		memset(&g->sums, 0, sizeof g->sums);
		memset(&g->durations, 0, sizeof g->durations);
		memset(&g->firsts, 0, sizeof g->firsts);
	}
	s->open_count = 0;
}

static struct ledger_sums call_hours_sums(struct row r)
{
	struct ledger_sums s = { .calls = cell_int(r, 2),
				 .tokens_in = cell_int(r, 7),
				 .tokens_out = cell_int(r, 8),
				 .nano = cell_int(r, 9) };

	s.outcomes[CALL_FAILED] = cell_int(r, 3);
	s.outcomes[CALL_CANCELLED] = cell_int(r, 4);
	s.outcomes[CALL_CLIENT_LEFT] = cell_int(r, 5);
	s.outcomes[CALL_REFUSED] = cell_int(r, 6);
	return s;
}

/* hours_add: a damaged histogram counts as far as it makes sense. */
static void hours_add(struct call_group *g, struct row r)
{
	struct ledger_sums sums = call_hours_sums(r);

	ledger_sums_add(&g->sums, &sums);
	(void)!ledger_histogram_take(&g->durations, cell_str(r, 10));
	(void)!ledger_histogram_take(&g->firsts, cell_str(r, 11));
}

static void hours_take(struct hours_state *s, struct call_hours_read *j, struct row r)
{
	if (cell_int(r, 0) != s->hour)
		hours_close(s, j);
	s->hour = cell_int(r, 0);
	struct call_group *g = hours_group(s, j, cell_str(r, 1));
	if (!g)
		return;
	if (g->sums.calls == 0)
		s->open[s->open_count++] = g;
	hours_add(g, r);
}

/* --- the operation --- */

static void hours_maybe(struct param *a, struct str s)
{
	if (s.p)
		param_text(a, s);
	else
		param_null(a, PARAM_TEXT);
}

static void hours_ask(struct query *q, const struct call_hours_read *j)
{
	struct param *a = query_param(q);
	bool          some = j->key.p || j->model.p || j->provider.p;

	param_int(a, j->from);
	param_int(a, j->to);
	if (some) {
		hours_maybe(a, j->key);
		hours_maybe(a, j->model);
		hours_maybe(a, j->provider);
		param_int(a, (int64_t)j->by);
	}
	query_ask(q, j->key.p ? sql_key : some ? sql_some : sql_sums[j->by]);
	if (!j->names || j->by != CALLS_BY_KEY)
		return;
	query_param(q);
	query_ask(q, sql_names);
}

static void hours_names(struct hours_state *s, struct call_hours_read *j, struct row r)
{
	char       text[IDENTITY_ID_MAX];
	struct str id = cell_str(r, 0);
	size_t     n = id.n < sizeof text - 5 ? id.n : sizeof text - 5;

	memcpy(text, "key_", 4);
	memcpy(text + 4, id.p, n);
	struct call_group *g = *hours_place(s, (struct str){ text, n + 4 });
	if (g && !cell_null(r, 1))
		(void)!cell_keep(&j->arena, r, 1, &g->key, &j->job.err);
}

static enum work_next read_call_hours(struct query *q, struct call_hours_read *j)
{
	struct hours_state *s = q->state;
	struct row          r;

	if (q->stage == 0) {
		j->rows = NULL;
		j->row_count = 0;
		if (query_state(q, sizeof *s, NULL))
			hours_ask(q, j);
		else
			cell_no_memory(&j->job.err);
		return j->job.err.code == ERR_OK ? WORK_LAST : WORK_DONE;
	}
	while (j->job.err.code == ERR_OK && query_row(q, 0, &r))
		hours_take(s, j, r);
	if (j->job.err.code == ERR_OK)
		hours_close(s, j);
	while (j->names && j->by == CALLS_BY_KEY && j->job.err.code == ERR_OK &&
	       query_row(q, 1, &r))
		hours_names(s, j, r);
	hours_row(&s->total, 0, &j->total);
	return WORK_DONE;
}

SQL_OP(call_hours_read, WORK_SNAPSHOT, read_call_hours);
