/* Changes the metadata of a stored completion, or deletes it. The metadata is that of its
 * conversation, so the conversation changes. */
#include "base/limits.h"
#include "store/completion.h"
#include "store/conversation.h"
#include "store/sql/completion_cell.h"
#include "store/sqlite/conversation_write.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

static const char sql_find[] = COMPLETION_CELL_FIND(SQLITE);

static int completion_write_change(struct session *s, struct completion_write *j,
				   struct conversation_write *change)
{
	change->owner = j->owner;
	change->now_ms = j->now_ms;
	change->arena = j->arena; /* lent */
	int rc = conversation_write(s, change);
	j->arena = change->arena;
	j->job.err = change->job.err;
	return rc;
}

static int completion_write_update(struct session *s, struct completion_write *j,
				   struct id conversation)
{
	if (j->metadata.n == 0)
		return SQLITE_OK;
	int rc = completion_write_change(s, j,
					 &(struct conversation_write){
						 .change = CONVERSATION_UPDATE,
						 .conversation = conversation,
						 .metadata_set = true,
						 .metadata = j->metadata,
					 });

	j->now.metadata = j->metadata;
	return rc;
}

static int completion_write_drop(struct session *s, struct completion_write *j,
				 struct id conversation, bool alone)
{
	return completion_write_change(
		s, j,
		&(struct conversation_write){
			.change = alone ? CONVERSATION_DELETE : CONVERSATION_REMOVE_MESSAGE,
			.conversation = conversation,
			/* an answer has the id of its run */
			.message = j->run,
		});
}

static int write_completion(struct session *s, struct completion_write *j)
{
	struct db_bind b = conn_bind(s->conn, sql_find);
	sqlite3_stmt  *st = b.st;
	struct err    *e = &j->job.err;
	struct row     r = row_of(st);

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE)
		completion_cell_missing(e);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	struct id conversation = cell_id(cell_int(r, COMPLETION_CELL_CONVERSATION), r,
					 COMPLETION_CELL_CONVERSATION_SECRET);
	bool      alone = !cell_int(r, COMPLETION_CELL_END) && !cell_int(r, COMPLETION_CELL_TIP);

	if (!j->delete) {
		if (!cell_fits(&j->arena, completion_cell_bytes(r) + MIB))
			err_set(e, ERR_REQUEST_TOO_LARGE, "", "the completion is too large");
		else
			(void)!completion_cell_keep(r, &j->arena, &j->now, e);
	}
	rc = sqlite3_reset(st);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	return j->delete ? completion_write_drop(s, j, conversation, alone)
			 : completion_write_update(s, j, conversation);
}

OP(completion_write, write_completion);
