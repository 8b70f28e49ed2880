/* Takes the highest possible cost of a call from the budget, or refuses the call. */
#include "store/common/budget_text.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/usage.h"

/* $2 now, $3 money, $4 tokens, $5 and $6 their limits, $7 the window (0: for ever). */
#define OVER         "($7 > 0 AND $2 - b.began_ms >= $7)"
#define SPENT_NANO   "CASE WHEN " OVER " THEN 0 ELSE b.spent_nano END"
#define SPENT_TOKENS "CASE WHEN " OVER " THEN 0 ELSE b.spent_tokens END"

/* Reservations stay in a new window, because it pays for those calls. Sums are numeric, as a limit may be any
 * number. */
static const char sql_reserve[] =
	"INSERT INTO budget AS b (key, began_ms, spent_nano, reserved_nano, spent_tokens, "
	"reserved_tokens) SELECT $1, $2, 0, $3, 0, $4 WHERE $3 <= $5 AND $4 <= $6 "
	"AND NOT EXISTS (SELECT 1 FROM reservation WHERE run = $8) "
	"ON CONFLICT (key) DO UPDATE SET began_ms = CASE WHEN " OVER
	" THEN $2 ELSE b.began_ms END, "
	"spent_nano = " SPENT_NANO ", spent_tokens = " SPENT_TOKENS ", "
	"reserved_nano = b.reserved_nano + $3, reserved_tokens = b.reserved_tokens + $4 "
	"WHERE (" SPENT_NANO ")::numeric + b.reserved_nano + $3 <= $5 "
	"AND (" SPENT_TOKENS ")::numeric + b.reserved_tokens + $4 <= $6 RETURNING 1::bigint";
static const char sql_add[] =
	"INSERT INTO reservation (run, gateway, key, model, provider, nano, tokens, tokens_in, "
	"made_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
static const char sql_left[] =
	"SELECT began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens, "
	"EXISTS (SELECT 1 FROM reservation WHERE run = $2)::int::bigint FROM budget WHERE key = $1";

static int64_t limit_value(int64_t v)
{
	return v > 0 ? v : INT64_MAX;
}

static void reserve_ask(struct work *w, const struct budget_reserve *j)
{
	struct param *a = work_param(w);

	param_text(a, j->key);
	param_int(a, j->now_ms);
	param_int(a, j->nano);
	param_int(a, j->tokens);
	param_int(a, limit_value(j->limit_nano));
	param_int(a, limit_value(j->limit_tokens));
	param_int(a, j->window_ms);
	param_int(a, j->run.key);
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
	work_ask(w, sql_add);
}

static void reserve_refuse(struct work *w, struct budget_reserve *j)
{
	struct budget_left left = { 0 };

	if (work_rows(w, 0) > 0) {
		struct row r = work_row(w, 0, 0);

		if (cell_int(r, 5)) /* made by an earlier try */
			return;
		left = (struct budget_left){ .found = true,
					     .began_ms = cell_int(r, 0),
					     .spent = { cell_int(r, 1), cell_int(r, 3) },
					     .reserved = { cell_int(r, 2), cell_int(r, 4) } };
	}
	budget_text_refuse(j, &left, &j->job.err);
}

static enum work_next reserve_budget(struct work *w, struct budget_reserve *j)
{
	struct param *a;

	switch (w->stage) {
	case 0: reserve_ask(w, j); return WORK_AGAIN;
	case 1:
		if (work_rows(w, 0) > 0) {
			reserve_add(w, j);
			return WORK_LAST;
		}
		a = work_param(w);
		param_text(a, j->key);
		param_int(a, j->run.key);
		work_ask(w, sql_left);
		return WORK_AGAIN;
	default: break;
	}
	if (w->link->result_count > 0 && pq.PQnfields(w->link->results[0]) > 1)
		reserve_refuse(w, j);
	return WORK_DONE;
}

OP(budget_reserve, WORK_WRITE, reserve_budget);
