/* Reads the budgets of keys and groups, those nearest to their end first. */
#include "store/sql/cells.h"
#include "store/usage.h"

/* A window that has ended has nothing spent.  A quotient with a fraction: both engines divide whole numbers wholly. */
#define BUDGET_OVER "(k.budget_window_us > 0 AND b.began_ms + k.budget_window_us / 1000 <= $1)"
#define BUDGET_PART(unit)                                                                 \
	"CASE WHEN k.budget_" unit " > 0 THEN (CASE WHEN " BUDGET_OVER                    \
	" THEN 0 ELSE b.spent_" unit " END + b.reserved_" unit ") * 1.0 / k.budget_" unit \
	" ELSE 0 END"

#define BUDGETS_OF(table, front)                                                                         \
	"SELECT '" front "' || k.id AS of_id, k.name, b.began_ms, b.spent_nano, b.reserved_nano, "       \
	"b.spent_tokens, b.reserved_tokens, " API_KEY_ALLOWANCE_OF("k.") ", " BUDGET_PART(               \
		"nano") " AS part_nano, " BUDGET_PART("tokens") " AS part_tokens FROM budget b "         \
								"JOIN " table                            \
								" k ON b.key = '" front                  \
								"' || k.id WHERE (k.budget_nano > 0 OR " \
								"k.budget_tokens > 0) "

/* $1 now, $2 how many. */
static const char sql_budgets[] =
	"SELECT of_id, name, began_ms, spent_nano, reserved_nano, spent_tokens, "
	"reserved_tokens, " API_KEY_ALLOWANCE
	" FROM (" BUDGETS_OF("api_key", "key_") "AND k.revoked_ms = 0 AND (k.expires_ms = 0 OR k.expires_ms > $1) UNION ALL " BUDGETS_OF(
		"key_group",
		"grp_") ") AS x "
			"ORDER BY CASE WHEN part_nano > part_tokens THEN part_nano ELSE part_tokens END DESC, of_id "
			"LIMIT $2";

static enum work_next read_budgets(struct query *q, struct budgets_read *j)
{
	struct row r;

	if (q->stage == 0) {
		j->row_count = 0;
		j->has_more = false;
		struct param *a = query_param(q);

		param_int(a, j->now_ms);
		param_int(a, (int64_t)j->limit + 1);
		query_ask(q, sql_budgets);
		return WORK_LAST;
	}
	j->rows = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->rows);
	if (!j->rows)
		cell_no_memory(&j->job.err);
	while (j->rows && query_row(q, 0, &r)) {
		struct budget_row *b = &j->rows[j->row_count];

		j->has_more = j->row_count == j->limit;
		if (j->has_more)
			break;
		*b = (struct budget_row){
			.allowance = api_key_cell_allowance(r, 7),
			.began_ms = cell_int(r, 2),
			.spent_nano = cell_int(r, 3),
			.reserved_nano = cell_int(r, 4),
			.spent_tokens = cell_int(r, 5),
			.reserved_tokens = cell_int(r, 6),
		};
		str_copy(b->of, sizeof b->of, cell_str(r, 0));
		if (!cell_keep(&j->arena, r, 1, &b->name, &j->job.err))
			break;
		j->row_count++;
	}
	return WORK_DONE;
}

SQL_OP(budgets_read, WORK_SNAPSHOT, read_budgets);
