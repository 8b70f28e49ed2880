/* Reads one message on any branch. */
#include "store/conversation.h"
#include "store/sql/query.h"
#include "store/sql/cells.h"

static const char sql_find[] =
	"SELECT m.id, m.created_ms, r.status, m.body, r.model FROM conversation c "
	"LEFT JOIN message m ON m.id = $4 AND m.secret = $5 AND m.owner = $3 "
	"AND m.conversation = c.id AND m.run >= 0 LEFT JOIN run r ON r.id = m.id AND m.run = m.id "
	"WHERE c.id = $1 AND c.secret = $2 AND c.owner = $3";

static void item_keep(struct row r, struct item_read *j)
{
	struct err *e = &j->job.err;

	j->item.message.id = j->message;
	j->item.created_ms = cell_int(r, 1);
	if (cell_keep(&j->arena, r, 3, &j->item.message.body, e) &&
	    cell_keep(&j->arena, r, 4, &j->item.model, e))
		(void)!run_cell_status(cell_null(r, 2) ? RUN_COMPLETED : cell_int(r, 2),
				       &j->item.status, e);
}

static enum work_next read_item(struct query *q, struct item_read *j)
{
	struct row r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		param_int(a, j->conversation.key);
		param_secret(a, j->conversation.secret);
		param_int(a, j->owner);
		param_int(a, j->message.key);
		param_secret(a, j->message.secret);
		query_ask(q, sql_find);
		return WORK_LAST;
	}
	if (!query_row(q, 0, &r))
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
	else if (cell_null(r, 0))
		err_set(&j->job.err, ERR_NOT_FOUND, "", "this conversation has no such message");
	else
		item_keep(r, j);
	return WORK_DONE;
}

SQL_OP(item_read, WORK_IMPLICIT, read_item);
