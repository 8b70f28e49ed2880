/* Finds the answer that is kept under a name. */
#include "store/answer.h"
#include "store/sql/cells.h"

/* The run of another gateway has begun when its second event is in the log. */
#define SQLITE_BEGUN "i.stored"
#define POSTGRES_BEGUN                                                                  \
	"EXISTS (SELECT 1 FROM event e WHERE i.stored = 1 AND e.run = i.id AND e.last " \
	"> 1)::int::bigint"
#define FIND(E)                                                                             \
	"SELECT i.fingerprint, i.id, i.secret, i.stored, i.outcome, i.http, i.body, c.id, " \
	"c.secret, " E##_BEGUN                                                              \
		", i.created_ms"                                                            \
		" FROM idempotency i LEFT JOIN run r ON i.stored = 1 "                      \
		"AND r.id = i.id LEFT JOIN conversation c ON c.id = r.conversation "        \
		"WHERE i.owner = $1 AND i.key = $2"
static const struct sql sql_find = SQL_EITHER(FIND);

static void answer_find_row(struct row r, struct answer_find *j)
{
	struct err *e = &j->job.err;

	j->found = true;
	j->same = str_eq(cell_str(r, 0), j->key.digest);
	j->run = cell_id(cell_int(r, 1), r, 2);
	j->stored = cell_int(r, 3) != 0;
	j->begun = cell_int(r, 9) != 0;
	j->created_ms = cell_int(r, 10);
	j->answer.http = (int)cell_int(r, 5);
	j->conversation = (struct id){ 0 };
	if (!cell_null(r, 7))
		j->conversation = cell_id(cell_int(r, 7), r, 8);
	bool wanted = run_cell_status(cell_int(r, 4), &j->outcome, e) && j->same;
	if (wanted && !buf_str(&j->bytes, cell_str(r, 6)))
		cell_no_memory(e);
	j->answer.body = wanted ? buf_view(&j->bytes) : STR_NONE;
}

static enum work_next read_key(struct query *q, struct answer_find *j)
{
	struct row r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		param_int(a, j->owner);
		param_text(a, j->key.key);
		query_ask_either(q, &sql_find);
		return WORK_LAST;
	}
	j->found = false;
	buf_clear(&j->bytes);
	if (query_row(q, 0, &r))
		answer_find_row(r, j);
	return WORK_DONE;
}

SQL_OP(answer_find, WORK_IMPLICIT, read_key);
