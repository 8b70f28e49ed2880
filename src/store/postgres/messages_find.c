/* Finds messages by their ids, in whatever conversations they are. */
#include "store/conversation.h"
#include "store/postgres/operation.h"

static const char sql_find[] =
	"SELECT k.at - 1, m.body FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY "
	"AS k(id, secret, at) JOIN message m ON m.id = k.id AND m.secret = k.secret "
	"AND m.owner = $3 AND m.run >= 0";

static enum work_next messages_find_find_messages(struct work *w, struct messages_find *j)
{
	if (w->stage == 0) {
		struct param *a = work_param(w);

		PARAM_EACH(a, PARAM_INT, i, j->count, param_int(a, j->messages[i].id.key));
		PARAM_EACH(a, PARAM_INT, i, j->count, param_secret(a, j->messages[i].id.secret));
		param_int(a, j->owner);
		work_ask(w, sql_find);
		return WORK_LAST;
	}
	for (size_t i = 0; i < j->count; i++)
		j->messages[i].body = STR_NONE;
	for (int i = 0; i < work_rows(w, 0) && j->job.err.code == ERR_OK; i++) {
		struct row r = work_row(w, 0, i);

		if (cell_fits(&j->arena, cell_str(r, 1).n))
			(void)!cell_keep(&j->arena, r, 1, &j->messages[cell_int(r, 0)].body,
					 &j->job.err);
		else
			err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
				"the messages that are named are too large together");
	}
	return WORK_DONE;
}

OP(messages_find, WORK_IMPLICIT, messages_find_find_messages);
