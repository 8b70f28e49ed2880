/* Changes the metadata of a stored completion, or deletes it. The metadata is that of its
 * conversation, so the conversation changes. */
#include "base/limits.h"
#include "store/completion.h"
#include "store/conversation.h"
#include "store/sqlite/completion_row.h"
#include "store/sqlite/conversation_write.h"
#include "store/sqlite/op.h"

static const char sql_find[] = COMPLETION_ROW_FIND;
static const char sql_others[] = "SELECT 1 FROM run WHERE conversation = ?1 AND id <> ?2 LIMIT 1";

/* True if the conversation was never continued. */
static int completion_write_is_alone(struct session *s, const struct completion_write *j,
				     int64_t conversation, bool *ret)
{
	struct db_bind b = conn_bind(s->conn, sql_others);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, conversation);
	db_bind_int(&b, j->run.key);
	int rc = db_bind_row(&b);
	*ret = rc == SQLITE_DONE;
	if (rc == SQLITE_ROW)
		rc = sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

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
				 struct id conversation, bool appended)
{
	bool alone = false;
	int  rc = completion_write_is_alone(s, j, conversation.key, &alone);

	if (rc != SQLITE_OK)
		return rc;
	return completion_write_change(s, j,
				       &(struct conversation_write){
					       .change = alone && !appended
								 ? CONVERSATION_DELETE
								 : CONVERSATION_REMOVE_MESSAGE,
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
	int            rc = completion_row_find(&b, j->run, j->owner, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	struct id conversation = db_id(db_int(st, COMPLETION_ROW_CONVERSATION), st,
				       COMPLETION_ROW_CONVERSATION_SECRET);
	bool      appended = db_int(st, COMPLETION_ROW_TIP) != 0;

	if (!j->delete) {
		size_t bytes = completion_row_bytes(st);

		if (!row_fits(&j->arena, bytes + MIB))
			err_set(e, ERR_REQUEST_TOO_LARGE, "", "the completion is too large");
		else
			(void)!completion_row_keep(st, &j->arena, &j->now, e);
	}
	rc = sqlite3_reset(st);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	return j->delete ? completion_write_drop(s, j, conversation, appended)
			 : completion_write_update(s, j, conversation);
}

OP(completion_write, write_completion);
