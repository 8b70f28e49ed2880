/* Deletes a response. */
#include "msg/family.h"
#include "store/postgres/conversation_change.h"
#include "store/postgres/operation.h"
#include "store/sql/run_cell.h"
#include "store/response.h"

/* Column 3: the conversation goes too.  A run that begins a conversation has the earlier id of the two; a
 * conversation with an earlier id than its run was made by the client, and stays. */
static const char sql_find[] =
	"SELECT r.status, c.id, c.secret, (c.id > r.id AND c.tip = 0 AND NOT EXISTS "
	"(SELECT 1 FROM run o WHERE o.conversation = c.id AND o.id <> r.id))::int::bigint, m.id "
	"FROM run r JOIN conversation c ON c.id = r.conversation "
	"LEFT JOIN message m ON m.id = r.id WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 "
	"AND r.shape = '" SHAPE_RESPONSES "' AND (m.run IS NULL OR m.run >= 0)";
static const char sql_forget[] = "UPDATE run SET shape = NULL WHERE id = $1";

struct response_state {
	struct conversation_write change;
	bool                      alone;
	bool                      changes; /* the conversation */
};

static void response_delete_response_forget(struct work *w, const struct response_delete *j)
{
	param_int(work_param(w), j->run.key);
	work_ask(w, sql_forget);
}

static enum work_next response_begin(struct work *w, struct response_delete *j)
{
	struct err *e = &j->job.err;
	struct row  r = work_row(w, 0, 0);

	if (work_rows(w, 0) == 0) {
		if (w->tries == 0)
			err_set(e, ERR_NOT_FOUND, "", "there is no such response");
		return WORK_DONE;
	}
	if (cell_int(r, 0) <= RUN_RUNNING) {
		err_set(e, ERR_CONVERSATION_BUSY, "",
			"this response is still being made; cancel it, or try again when it has ended");
		e->retry_after_ms = 1000;
		return WORK_DONE;
	}
	struct response_state *s = work_state(w, sizeof *s, NULL);
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
		response_delete_response_forget(w, j);
		return WORK_LAST;
	}
	enum work_next next = conversation_change(w, &s->change, 0);
	if (!s->alone) /* behind the results that the change counts */
		response_delete_response_forget(w, j);
	return next;
}

static enum work_next response_delete_delete_response(struct work *w, struct response_delete *j)
{
	struct response_state *s = w->state;

	if (w->stage == 0) {
		struct param *a = work_param(w);

		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, j->owner);
		work_ask(w, sql_find);
		return WORK_AGAIN;
	}
	if (w->stage == 1)
		return response_begin(w, j);
	if (!s || !s->changes)
		return WORK_DONE;
	s->change.arena = j->arena; /* lent */
	enum work_next next = conversation_change(w, &s->change, w->stage - 1);
	j->arena = s->change.arena;
	j->job.err = s->change.job.err;
	return next;
}

OP(response_delete, WORK_WRITE, response_delete_delete_response);
