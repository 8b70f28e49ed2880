/* Finds messages by their ids, in whatever conversations they are. */
#include "store/conversation.h"
#include "store/sql/query.h"

#define FIND(E)                                                                          \
	"SELECT " E##_PLACE ", m.secret, m.body FROM " E##_EACH("$1", "bigint") E##_JOIN \
		"message m ON m.id = k.value AND m.owner = $2 AND m.run >= 0"
static const struct sql sql_find = SQL_EITHER(FIND);

static void messages_find_keep(struct messages_find *j, struct row r)
{
	struct store_message *m = &j->messages[cell_int(r, 0)];

	if ((uint64_t)cell_int(r, 1) != m->id.secret)
		return;
	if (cell_fits(&j->arena, cell_str(r, 2).n))
		(void)!cell_keep(&j->arena, r, 2, &m->body, &j->job.err);
	else
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"the messages that are named are too large together");
}

static enum work_next find_messages(struct query *q, struct messages_find *j)
{
	struct row r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		PARAM_EACH(a, PARAM_INT, i, j->count, param_int(a, j->messages[i].id.key));
		param_int(a, j->owner);
		query_ask_either(q, &sql_find);
		return WORK_LAST;
	}
	for (size_t i = 0; i < j->count; i++)
		j->messages[i].body = STR_NONE;
	while (j->job.err.code == ERR_OK && query_row(q, 0, &r))
		messages_find_keep(j, r);
	return WORK_DONE;
}

SQL_OP(messages_find, WORK_IMPLICIT, find_messages);
