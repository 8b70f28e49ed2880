/* Takes the highest possible cost of a call from the budget, or refuses the call. */
#include "store/common/budget_text.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/usage.h"

/* $1 the names, $2 now, $3 money, $4 tokens, $5 the run, $6 to $10 of each budget: its limits, its window, whether a
 * stored ceiling counts, and when it is forgotten; $11 and $12 what has to be left beside, $13 whether the run's
 * reservation grows, $14 whether only ceilings are set.  Sums are numeric, as a limit may be any number. */
#define NONE "9223372036854775807"

/* With the first ceiling of a conversation, what its stored calls have cost counts as spent. */
#define SPENT(of)                                                                                \
	"CASE WHEN starts_with(" of ".key, '" BUDGET_OF_CONVERSATION "') AND " of                \
	".limit_nano IS NULL "                                                                   \
	"THEN greatest(" of ".spent_nano, (SELECT c.cost_nano FROM conversation c WHERE c.id = " \
	"substr(" of ".key, 6)::bigint)) ELSE " of ".spent_nano END"

/* So that there is a row to lock.  Rows are made, and below locked, in the order of their names, so that two gateways can't
 * wait for each other.  If the call is refused, its transaction is rolled back. */
static const char sql_make[] =
	"INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens) "
	"SELECT name, $2, 0, 0, 0, 0 FROM unnest($1::text[]) AS w(name) ORDER BY name "
	"ON CONFLICT (key) DO NOTHING";
/* The reservation is locked before the budgets, as by the end of the run.  Reservations stay in a new window, because it
 * pays for those calls. */
static const char sql_reserve[] =
	"WITH own AS MATERIALIZED (SELECT coalesce(budgets, key) AS names FROM reservation "
	"WHERE run = $5 FOR UPDATE), "
	"told AS MATERIALIZED (SELECT * FROM unnest($1::text[], $6::bigint[], $7::bigint[], "
	"$8::bigint[], $9::bigint[], $10::bigint[]) AS t(name, lim_nano, lim_tokens, window_ms, kept, "
	"until)), "
	"w AS MATERIALIZED (SELECT * FROM told WHERE $13 = 0 AND NOT EXISTS (SELECT 1 FROM own) "
	"UNION ALL SELECT k.name, coalesce(t.lim_nano, " NONE "), coalesce(t.lim_tokens, " NONE
	"), "
	"coalesce(t.window_ms, 0), coalesce(t.kept, 1), coalesce(t.until, 0) FROM own "
	"CROSS JOIN LATERAL unnest(string_to_array(own.names, ' ')) AS k(name) "
	"LEFT JOIN told t USING (name) WHERE $13 = 1), "
	"b AS MATERIALIZED (SELECT b.*, w.lim_nano, w.lim_tokens, w.window_ms, w.kept, w.until "
	"FROM budget b JOIN w ON w.name = b.key ORDER BY b.key FOR UPDATE OF b), "
	"s AS MATERIALIZED (SELECT b.*, coalesce(b.until_ms <= $2, false) AS gone, "
	"coalesce(b.until_ms <= $2, false) OR (window_ms > 0 AND $2 - began_ms >= window_ms) AS over "
	"FROM b), "
	"now AS MATERIALIZED (SELECT key, until, kept, window_ms, reserved_nano, reserved_tokens, lim_tokens, "
	"CASE WHEN over THEN $2 ELSE began_ms END AS began_ms, "
	"CASE WHEN over THEN 0 WHEN lim_nano = " NONE " THEN spent_nano ELSE " SPENT(
		"s") " END AS spent_nano, "
		     "CASE WHEN over THEN 0 ELSE spent_tokens END AS spent_tokens, "
		     "CASE WHEN kept = 1 AND NOT gone THEN least(lim_nano, limit_nano) ELSE lim_nano END "
		     "AS lim_nano FROM s), "
		     "met AS MATERIALIZED (SELECT $13 = 0 AND (SELECT count(*) FROM now) < (SELECT count(*) "
		     "FROM w) AS lost), "
		     "fits AS MATERIALIZED (SELECT lost, EXISTS (SELECT 1 FROM w) AND NOT lost AND "
		     "coalesce((SELECT bool_and($14 = 1 OR "
		     "spent_nano::numeric + reserved_nano + $3 + $11 <= lim_nano AND "
		     "spent_tokens::numeric + reserved_tokens + $4 + $12 <= lim_tokens) "
		     "FROM now), true) AS ok FROM met), "
		     "put AS (UPDATE budget b SET began_ms = n.began_ms, spent_nano = n.spent_nano, "
		     "spent_tokens = n.spent_tokens, reserved_nano = b.reserved_nano + $3, "
		     "reserved_tokens = b.reserved_tokens + $4, limit_nano = CASE WHEN n.kept = 1 AND "
		     "n.lim_nano < " NONE
		     " THEN n.lim_nano END, until_ms = CASE WHEN n.until > 0 THEN n.until "
		     "WHEN n.until < 0 THEN n.began_ms + n.window_ms ELSE b.until_ms END FROM now n, fits WHERE fits.ok AND b.key = n.key) "
		     "SELECT ok::int::bigint, lost::int::bigint FROM fits";
static const char sql_grow[] =
	"UPDATE reservation SET nano = nano + $2, tokens = tokens + $3 WHERE run = $1";
static const char sql_add[] =
	"INSERT INTO reservation (run, gateway, key, model, provider, nano, tokens, tokens_in, "
	"made_ms, budgets, tags) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
static const char sql_left[] = "SELECT b.key, began_ms, " SPENT(
	"b") ", reserved_nano, spent_tokens, reserved_tokens, "
	     "coalesce(limit_nano, 0), coalesce(until_ms, 0), "
	     "EXISTS (SELECT 1 FROM reservation WHERE run = $2)::int::bigint "
	     "FROM unnest($1::text[]) WITH ORDINALITY AS w(name, place) LEFT JOIN budget b "
	     "ON b.key = w.name ORDER BY place";

/* The columns of sql_reserve tell whether it has reserved, and whether a row is gone. */
enum { RESERVE_COLUMNS = 2, RESERVE_TRIES = 8 };

static int64_t limit_value(int64_t v)
{
	return v > 0 ? v : INT64_MAX;
}

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, j->part_count, add)
#define P               (&j->parts[i])

static void reserve_ask(struct work *w, const struct budget_reserve *j)
{
	struct param *a = work_param(w);

	if (!j->more) {
		EACH(TEXT, param_text(a, str_of(P->name)));
		param_int(a, j->now_ms);
		work_ask(w, sql_make);
		a = work_param(w);
	}
	EACH(TEXT, param_text(a, str_of(P->name)));
	param_int(a, j->now_ms);
	param_int(a, j->nano);
	param_int(a, j->tokens);
	param_int(a, j->run.key);
	EACH(INT, param_int(a, limit_value(P->limit_nano)));
	EACH(INT, param_int(a, limit_value(P->limit_tokens)));
	EACH(INT, param_int(a, P->window_ms));
	EACH(INT, param_int(a, P->kept));
	EACH(INT, param_int(a, P->until_ms));
	param_int(a, j->spare_nano);
	param_int(a, j->spare_tokens);
	param_int(a, j->more);
	param_int(a, j->sets);
	work_ask(w, sql_reserve);
}

static void reserve_add(struct work *w, const struct budget_reserve *j)
{
	struct param *a = work_param(w);

	param_int(a, j->run.key);
	param_int(a, w->db->gateway);
	param_text(a, j->key);
	param_text(a, j->model);
	param_text(a, j->provider);
	param_int(a, j->nano);
	param_int(a, j->tokens);
	param_int(a, j->tokens_in);
	param_int(a, j->now_ms);
	param_maybe(a, str_is(j->key, j->names) ? STR_NONE : str_of(j->names));
	param_maybe(a, j->tags);
	work_ask(w, sql_add);
}

static void reserve_grow(struct work *w, const struct budget_reserve *j)
{
	struct param *a = work_param(w);

	param_int(a, j->run.key);
	param_int(a, j->nano);
	param_int(a, j->tokens);
	work_ask(w, sql_grow);
}

static void reserve_refuse(struct work *w, struct budget_reserve *j)
{
	struct budget_left left[BUDGET_PARTS] = { { .found = false } };

	for (int i = 0; i < work_rows(w, 0) && i < (int)j->part_count; i++) {
		struct row r = work_row(w, 0, i);

		if (cell_int(r, 8) && !j->more) /* made by an earlier try */
			return;
		left[i] = (struct budget_left){ .found = !cell_null(r, 0),
						.began_ms = cell_int(r, 1),
						.spent = { cell_int(r, 2), cell_int(r, 4) },
						.reserved = { cell_int(r, 3), cell_int(r, 5) },
						.limit_nano = cell_int(r, 6),
						.until_ms = cell_int(r, 7) };
	}
	budget_text_refuse(j, left, &j->job.err);
}

/* budget_reserve_judge: the answer of sql_reserve.  A row that another transaction has removed since it was made, is made again. */
static enum work_next budget_reserve_judge(struct work *w, const struct budget_reserve *j,
					   struct row r)
{
	struct param *a;

	if (cell_int(r, 0) && j->sets)
		return WORK_DONE;
	if (cell_int(r, 0)) {
		if (j->more)
			reserve_grow(w, j);
		else
			reserve_add(w, j);
		return WORK_LAST;
	}
	if (cell_int(r, 1) && w->stage <= RESERVE_TRIES) {
		reserve_ask(w, j);
		return WORK_AGAIN;
	}
	a = work_param(w);
	EACH(TEXT, param_text(a, str_of(P->name)));
	param_int(a, j->run.key);
	work_ask(w, sql_left);
	return WORK_AGAIN;
}

static int reserve_columns(const struct work *w, size_t n)
{
	return w->link->result_count > n ? pq.PQnfields(w->link->results[n]) : 0;
}

static enum work_next reserve_budget(struct work *w, struct budget_reserve *j)
{
	size_t n = j->more ? 0 : 1; /* the statement that has reserved */

	if (w->stage == 0) {
		reserve_ask(w, j);
		return WORK_AGAIN;
	}
	if (reserve_columns(w, n) == RESERVE_COLUMNS && work_rows(w, n) > 0)
		return budget_reserve_judge(w, j, work_row(w, n, 0));
	if (reserve_columns(w, 0) > RESERVE_COLUMNS)
		reserve_refuse(w, j);
	return WORK_DONE;
}

OP(budget_reserve, WORK_WRITE, reserve_budget);
