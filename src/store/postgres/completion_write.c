/* Changes the metadata of a stored completion, or deletes it. The metadata is that of its conversation, so
 * the conversation changes. */
#include "base/limits.h"
#include "store/completion.h"
#include "store/sql/completion_cell.h"
#include "store/postgres/conversation_change.h"
#include "store/postgres/operation.h"

static const char sql_find[] = COMPLETION_CELL_FIND(POSTGRES);

/* The change of the conversation, once it is known. */
struct completion_state {
	struct conversation_write change;
};

static enum work_next completion_begin(struct work *w, struct completion_write *j)
{
	struct err *e = &j->job.err;

	if (work_rows(w, 0) == 0) {
		/* Otherwise it is deleted since the first try. */
		if (!j->delete || w->tries == 0)
			completion_cell_missing(e);
		return WORK_DONE;
	}
	struct row               r = work_row(w, 0, 0);
	struct completion_state *s = work_state(w, sizeof *s, NULL);
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
	return conversation_change(w, &s->change, 0);
}

static enum work_next completion_write_write_completion(struct work *w, struct completion_write *j)
{
	struct completion_state *s = w->state;

	if (w->stage == 0) {
		completion_cell_params(work_param(w), j->run, j->owner);
		work_ask(w, sql_find);
		return WORK_AGAIN;
	}
	if (w->stage == 1)
		return completion_begin(w, j);
	if (!s)
		return WORK_DONE;
	s->change.arena = j->arena; /* lent */
	enum work_next next = conversation_change(w, &s->change, w->stage - 1);
	j->arena = s->change.arena;
	j->job.err = s->change.job.err;
	if (!j->delete)
		j->now.metadata = j->metadata;
	return next;
}

OP(completion_write, WORK_WRITE, completion_write_write_completion);
