/* Deletes a response. */
#include "msg/family.h"
#include "store/conversation.h"
#include "store/run.h"
#include "store/sql/cells.h"

/* Column 3: the conversation goes too.  A run that begins a conversation has the earlier id of the two; a
 * conversation with an earlier id than its run was made by the client, and stays. */
#define FIND(E)                                                                                \
	"SELECT r.status, c.id, c.secret, CAST(CAST(c.id > r.id AND c.tip = 0 AND NOT EXISTS " \
	"(SELECT 1 FROM run o WHERE o.conversation = c.id AND o.id <> r.id) AS int) AS "       \
	"bigint), m.id FROM run r " E##_JOIN                                                   \
		"conversation c ON c.id = r.conversation "                                     \
		"LEFT JOIN message m ON m.id = r.id WHERE r.id = $1 AND r.secret = $2 "        \
		"AND r.owner = $3 AND r.shape = '" SHAPE_RESPONSES                             \
		"' AND (m.run IS NULL OR m.run >= 0)"
static const struct sql sql_find = SQL_EITHER(FIND);
static const char       sql_forget[] = "UPDATE run SET shape = NULL WHERE id = $1";

struct response_state {
	struct conversation_write change;
	bool                      alone;
	bool                      changes; /* the conversation */
};

static void response_forget(struct query *q, const struct response_delete *j)
{
	param_int(query_param(q), j->run.key);
	query_ask(q, sql_forget);
}

static enum work_next response_begin(struct query *q, struct response_delete *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	if (!query_row(q, 0, &r)) {
		if (!q->again)
			err_set(e, ERR_NOT_FOUND, "", "there is no such response");
		return WORK_DONE;
	}
	if (cell_int(r, 0) <= RUN_RUNNING) {
		err_set(e, ERR_CONVERSATION_BUSY, "",
			"this response is still being made; cancel it, or try again when it has ended");
		e->retry_after_ms = 1000;
		return WORK_DONE;
	}
	struct response_state *s = query_state(q, sizeof *s, NULL);
	if (!s) {
		cell_no_memory(e);
		return WORK_DONE;
	}
	s->alone = cell_int(r, 3) != 0;
	s->changes = s->alone || !cell_null(r, 4);
	s->change = (struct conversation_write){
		.change = s->alone ? CONVERSATION_DELETE : CONVERSATION_REMOVE_MESSAGE,
		.owner = j->owner,
		.now_ms = j->now_ms,
		.conversation = cell_id(cell_int(r, 1), r, 2),
		.message = j->run, /* an answer has the id of its run */
	};
	if (!s->changes) {
		response_forget(q, j);
		return WORK_LAST;
	}
	enum work_next next = query_change(q, &s->change, 0, &j->arena, e);
	if (!s->alone && e->code == ERR_OK) /* after the results that the change counts */
		response_forget(q, j);
	return next;
}

static enum work_next delete_response(struct query *q, struct response_delete *j)
{
	struct response_state *s = q->state;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, j->owner);
		query_ask_either(q, &sql_find);
		return WORK_AGAIN;
	}
	if (q->stage == 1)
		return response_begin(q, j);
	if (!s || !s->changes)
		return WORK_DONE;
	return query_change(q, &s->change, q->stage - 1, &j->arena, &j->job.err);
}

SQL_OP(response_delete, WORK_WRITE, delete_response);
