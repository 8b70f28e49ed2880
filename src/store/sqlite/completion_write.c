/* New metadata for a stored completion, and its end. */
#include "store/sqlite/completion_write.h"

#include "base/limits.h"
#include "store/sqlite/completion_row.h"

static const char *const sql[COMPLETION_WRITE_SQL__COUNT] = {
	[COMPLETION_WRITE_SQL_FIND] = COMPLETION_ROW_FIND,
	[COMPLETION_WRITE_SQL_OTHERS] =
		"SELECT 1 FROM run WHERE conversation = ?1 AND id <> ?2 LIMIT 1",
};

enum errc completion_write_prepare(struct completion_writes *w, sqlite3 *db,
				   struct conversations *conversations, struct err *e)
{
	w->conversations = conversations;
	return db_prepare(db, sql, COMPLETION_WRITE_SQL__COUNT, w->st, e);
}

void completion_write_finish(struct completion_writes *w)
{
	db_finalize(w->st, COMPLETION_WRITE_SQL__COUNT);
}

/* Whether its conversation was never gone on with. */
static int is_alone(struct completion_writes *w, const struct completion_write *j,
		    int64_t conversation, bool *ret)
{
	sqlite3_stmt  *st = w->st[COMPLETION_WRITE_SQL_OTHERS];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, conversation);
	db_bind_int(&b, j->run.key);
	int rc = db_bind_row(&b);
	*ret = rc == SQLITE_DONE;
	if (rc == SQLITE_ROW)
		rc = sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int change(struct completion_writes *w, struct completion_write *j,
		  struct conversation_write *change)
{
	change->owner = j->owner;
	change->now_ms = j->now_ms;
	change->arena = j->arena; /* lent */
	int rc = conversations_write(w->conversations, change);
	j->arena = change->arena;
	j->job.err = change->job.err;
	return rc;
}

static int update(struct completion_writes *w, struct completion_write *j, struct id conversation)
{
	if (j->metadata.n == 0)
		return SQLITE_OK;
	int rc = change(w, j, &(struct conversation_write){
				      .change = CONVERSATION_UPDATE,
				      .conversation = conversation,
				      .metadata_set = true,
				      .metadata = j->metadata,
			      });

	j->now.metadata = j->metadata;
	return rc;
}

static int drop(struct completion_writes *w, struct completion_write *j, struct id conversation,
		bool appended)
{
	bool alone = false;
	int  rc = is_alone(w, j, conversation.key, &alone);

	if (rc != SQLITE_OK)
		return rc;
	return change(w, j, &(struct conversation_write){
				    .change = alone && !appended ? CONVERSATION_DELETE
								 : CONVERSATION_REMOVE_MESSAGE,
				    .conversation = conversation,
				    .message = j->run, /* an answer has its run's id */
			    });
}

int completion_write(struct completion_writes *w, struct completion_write *j)
{
	sqlite3_stmt *st = w->st[COMPLETION_WRITE_SQL_FIND];
	struct err   *e = &j->job.err;
	int           rc = completion_row_find(st, j->run, j->owner, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	struct id conversation = db_id(db_int(st, COMPLETION_ROW_CONVERSATION), st,
				       COMPLETION_ROW_CONVERSATION_SECRET);
	bool      appended = db_int(st, COMPLETION_ROW_TIP) != 0;

	if (!j->delete) {
		size_t bytes = completion_row_bytes(st);

		if (!row_fits(&j->arena, bytes + MIB))
			err_set(e, ERR_REQUEST_TOO_LARGE, "", "The completion is too large.");
		else
			(void)!completion_row_keep(st, &j->arena, &j->now, e);
	}
	rc = sqlite3_reset(st);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	return j->delete ? drop(w, j, conversation, appended) : update(w, j, conversation);
}
