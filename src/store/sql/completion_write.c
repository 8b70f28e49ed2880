/* Changes the metadata of a stored completion, or deletes it. The metadata is that of its conversation, so
 * the conversation changes. */
#include "base/limits.h"
#include "store/conversation.h"
#include "store/sql/cells.h"

static const struct sql sql_find = SQL_EITHER(COMPLETION_CELL_FIND);

/* The change of the conversation, once it is known. */
struct completion_state {
	struct conversation_write change;
};

static enum work_next completion_begin(struct query *q, struct completion_write *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	if (!query_row(q, 0, &r)) {
		/* Otherwise it is deleted since the first try. */
		if (!j->delete || !q->again)
			completion_cell_missing(e);
		return WORK_DONE;
	}
	struct completion_state *s = query_state(q, sizeof *s, NULL);
	if (!s || (!j->delete &&!cell_fits(&j->arena, completion_cell_bytes(r) + MIB))) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "", "the completion is too large");
		return WORK_DONE;
	}
	if (!j->delete &&!completion_cell_keep(r, &j->arena, &j->now, e))
		return WORK_DONE;
	if (!j->delete &&j->metadata.n == 0)
		return WORK_DONE;

	bool alone = !cell_int(r, COMPLETION_CELL_END) && !cell_int(r, COMPLETION_CELL_TIP);
	s->change = (struct conversation_write){
		.change = CONVERSATION_UPDATE,
		.owner = j->owner,
		.now_ms = j->now_ms,
		.conversation = cell_id(cell_int(r, COMPLETION_CELL_CONVERSATION), r,
					COMPLETION_CELL_CONVERSATION_SECRET),
		.metadata_set = true,
		.metadata = j->metadata,
		.message = j->run, /* an answer has the id of its run */
	};
	if (j->delete)
		s->change.change = alone ? CONVERSATION_DELETE : CONVERSATION_REMOVE_MESSAGE;
	return query_change(q, &s->change, 0, &j->arena, e);
}

static enum work_next write_completion(struct query *q, struct completion_write *j)
{
	struct completion_state *s = q->state;

	if (q->stage == 0) {
		completion_cell_params(query_param(q), j->run, j->owner);
		query_ask_either(q, &sql_find);
		return WORK_AGAIN;
	}
	if (q->stage == 1)
		return completion_begin(q, j);
	if (!s)
		return WORK_DONE;
	enum work_next next = query_change(q, &s->change, q->stage - 1, &j->arena, &j->job.err);

	if (!j->delete)
		j->now.metadata = j->metadata;
	return next;
}

SQL_OP(completion_write, WORK_WRITE, write_completion);
