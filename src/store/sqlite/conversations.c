/* Changing conversations outside their turns: made, labelled, filled, cut back, deleted. */
#include "store/sqlite/conversations.h"

#include "store/sqlite/kit/row.h"

static const char *const sql[CONVERSATIONS_SQL__COUNT] = {
	[CONVERSATIONS_SQL_FIND] = "SELECT leaf, tip, created_ms, title, metadata, rev "
				   "FROM conversation WHERE id = ? AND secret = ? AND owner = ?",
	[CONVERSATIONS_SQL_ADD] =
		"INSERT INTO conversation (id, secret, owner, created_ms, leaf, title, metadata, tip) "
		"VALUES (?,?,?,?,0,?,?,?)",
	[CONVERSATIONS_SQL_UPDATE] =
		"UPDATE conversation SET title = ?2, metadata = ?3, rev = rev + 1 WHERE id = ?1",
	[CONVERSATIONS_SQL_MOVE_TIP] =
		"UPDATE conversation SET tip = ?2, rev = rev + 1 WHERE id = ?1",
	[CONVERSATIONS_SQL_TOUCH] = "UPDATE conversation SET rev = rev + 1 WHERE id = ?1",
	[CONVERSATIONS_SQL_ADD_LABELS] =
		"INSERT OR IGNORE INTO conversation_label (owner, key, value, conversation) "
		"SELECT ?1, key, value, ?2 FROM json_each(?3) WHERE type = 'text'",
	[CONVERSATIONS_SQL_DROP_LABELS] =
		"DELETE FROM conversation_label WHERE owner = ?1 AND conversation = ?2 AND "
		"(key, value) IN (SELECT key, value FROM json_each(?3))",
	[CONVERSATIONS_SQL_TURN] =
		"SELECT status, base, EXISTS (SELECT 1 FROM message WHERE message.id = run.id) "
		"FROM run WHERE id = ?",
	[CONVERSATIONS_SQL_ADD_MESSAGE] =
		"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
		"VALUES (?,?,?,?,?,0,?,?)",
	[CONVERSATIONS_SQL_HAS_MESSAGE] = "SELECT 1 FROM message WHERE id = ? AND secret = ? AND "
					  "conversation = ? AND run >= 0",
	[CONVERSATIONS_SQL_EMPTY_MESSAGE] =
		"UPDATE message SET body = '', run = ~run "
		"WHERE id = ? AND secret = ? AND conversation = ? AND run >= 0",
	[CONVERSATIONS_SQL_LOG] = "SELECT events_from, events_to FROM run WHERE id = ?",
	[CONVERSATIONS_SQL_BUSY] = "SELECT 1 FROM run WHERE conversation = ? AND status < 2",
	[CONVERSATIONS_SQL_RUNS] = "SELECT id, parent, base, events_from, events_to FROM run "
				   "WHERE conversation = ?",
	[CONVERSATIONS_SQL_PREV] = "SELECT prev FROM message WHERE id = ?",
	[CONVERSATIONS_SQL_DROP_MESSAGE] = "DELETE FROM message WHERE id = ?",
	[CONVERSATIONS_SQL_LOOSE] = "SELECT id FROM message INDEXED BY message_loose "
				    "WHERE conversation = ? AND run BETWEEN -1 AND 0",
	[CONVERSATIONS_SQL_DROP_LOOSE] = "DELETE FROM message INDEXED BY message_loose "
					 "WHERE conversation = ? AND run BETWEEN -1 AND 0",
	[CONVERSATIONS_SQL_DROP_RUNS] = "DELETE FROM run WHERE conversation = ?",
	[CONVERSATIONS_SQL_DROP] = "DELETE FROM conversation WHERE id = ?",
};

enum errc conversations_prepare(struct conversations *c, sqlite3 *db, struct events *events,
                                struct claims *claims, struct search_queue *search,
                                struct err *e)
{
	/* What is deleted is also wiped from the pages it lay on. */
	int rc = db_exec(db, "PRAGMA secure_delete = ON");

	if (rc != SQLITE_OK)
		return err_set(e, ERR_STORAGE, "", "secure_delete can't be set: %s",
		               sqlite3_errmsg(db));
	c->events = events;
	c->claims = claims;
	c->search = search;
	if (forks_prepare(&c->forks, db, e) != ERR_OK)
		return e->code;
	return db_prepare(db, sql, CONVERSATIONS_SQL__COUNT, c->st, e);
}

void conversations_finish(struct conversations *c)
{
	db_finalize(c->st, CONVERSATIONS_SQL__COUNT);
	forks_finish(&c->forks);
}

/* What is known of the conversation before the change. */
struct before {
	int64_t leaf;
	int64_t tip;
};

static int run_keyed(struct conversations *c, enum conversations_sql which, int64_t key)
{
	struct db_bind b = db_bind(c->st[which]);

	db_bind_int(&b, key);
	return db_bind_run(&b);
}

static int find(struct conversations *c, struct conversation_write *j, struct id id,
                struct before *ret)
{
	sqlite3_stmt  *st = c->st[CONVERSATIONS_SQL_FIND];
	struct db_bind b = db_bind(st);
	struct err    *e = &j->job.err;

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "There is no conversation with this id.");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;
	*ret = (struct before){ db_int(st, 0), db_int(st, 1) };
	j->now.id = id;
	j->now.created_ms = db_int(st, 2);
	j->now.revision = db_int(st, 5);
	bool kept = row_keep(&j->arena, st, 3, &j->now.title, e) &&
	            row_keep(&j->arena, st, 4, &j->now.metadata, e);
	(void)sqlite3_reset(st);
	CHECK(kept || e->code != ERR_OK);
	return SQLITE_OK;
}

static int busy(struct err *e)
{
	err_set(e, ERR_CONVERSATION_BUSY, "conversation",
	        "A turn of this conversation is still being answered. Try again when it has ended.");
	e->retry_after_ms = 1000;
	return SQLITE_OK;
}

/* --- labels --- */

static int bind_labels(struct conversations *c, enum conversations_sql which,
                       const struct conversation_write *j, struct str metadata)
{
	struct db_bind b = db_bind(c->st[which]);

	if (metadata.n == 0)
		return SQLITE_OK;
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	db_bind_text(&b, metadata);
	return db_bind_run(&b);
}

/* --- messages that no turn brings --- */

static int add_messages(struct conversations *c, const struct conversation_write *j, int64_t prev)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < j->message_count; i++) {
		struct db_bind b = db_bind(c->st[CONVERSATIONS_SQL_ADD_MESSAGE]);

		db_bind_int(&b, j->messages[i].id.key);
		db_bind_secret(&b, j->messages[i].id.secret);
		db_bind_int(&b, j->owner);
		db_bind_int(&b, j->conversation.key);
		db_bind_int(&b, prev);
		db_bind_int(&b, j->now_ms);
		db_bind_text(&b, j->messages[i].body);
		rc = db_bind_run(&b);
		if (rc == SQLITE_OK)
			rc = search_queue_note(c->search, SEARCH_MESSAGE, j->messages[i].id.key);
		prev = j->messages[i].id.key;
	}
	return rc;
}

/* Where a turn would go on from: see branch() in read.c. */
static int find_end(struct conversations *c, const struct before *was, int64_t *ret_end,
                    struct err *e)
{
	sqlite3_stmt  *st = c->st[CONVERSATIONS_SQL_TURN];
	struct db_bind b = db_bind(st);

	*ret_end = was->tip;
	if (was->tip != 0 || was->leaf == 0)
		return SQLITE_OK;
	db_bind_int(&b, was->leaf);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (db_int(st, 0) <= RUN_RUNNING)
		(void)busy(e);
	*ret_end = db_int(st, 2) ? was->leaf : db_int(st, 1);
	return sqlite3_reset(st);
}

static int append(struct conversations *c, struct conversation_write *j, const struct before *was)
{
	int64_t end = 0;
	int     rc = find_end(c, was, &end, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->message_count == 0)
		return rc;
	rc = add_messages(c, j, end);
	if (rc != SQLITE_OK)
		return rc;
	struct db_bind b = db_bind(c->st[CONVERSATIONS_SQL_MOVE_TIP]);
	db_bind_int(&b, j->conversation.key);
	db_bind_int(&b, j->messages[j->message_count - 1].id.key);
	j->now.revision++;
	return db_bind_run(&b);
}

/* --- create, update --- */

static int add(struct conversations *c, struct conversation_write *j, struct str title,
               struct str metadata)
{
	struct db_bind b = db_bind(c->st[CONVERSATIONS_SQL_ADD]);
	size_t         n = j->message_count;

	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->now_ms);
	db_bind_maybe(&b, title);
	db_bind_maybe(&b, metadata);
	db_bind_int(&b, n > 0 ? j->messages[n - 1].id.key : 0);
	int rc = db_bind_run(&b);
	if (rc == SQLITE_OK)
		rc = bind_labels(c, CONVERSATIONS_SQL_ADD_LABELS, j, metadata);
	if (rc == SQLITE_OK)
		rc = add_messages(c, j, 0);
	j->now = (struct store_conversation){ j->conversation, j->now_ms, 1, title, metadata };
	return rc;
}

static int create(struct conversations *c, struct conversation_write *j)
{
	return add(c, j, j->title, j->metadata);
}

/* j->now is the source. */
static int copy(struct conversations *c, struct conversation_write *j, const struct before *was)
{
	struct fork fork = { 0 };
	int         rc = fork_plan(&c->forks, j, was->leaf, was->tip, &fork);

	if (rc == SQLITE_OK && j->job.err.code == ERR_OK) {
		rc = add(c, j, j->title_set ? j->title : j->now.title,
		         j->metadata_set ? j->metadata : j->now.metadata);
		if (rc == SQLITE_OK)
			rc = fork_copy(&c->forks, j, &fork);
		if (rc == SQLITE_OK)
			rc = search_queue_note(c->search, SEARCH_CONVERSATION, j->conversation.key);
	}
	fork_finish(&fork);
	return rc;
}

static int update(struct conversations *c, struct conversation_write *j)
{
	struct str old = j->now.metadata;
	int        rc = SQLITE_OK;

	if (j->title_set)
		j->now.title = j->title;
	if (j->metadata_set) {
		j->now.metadata = j->metadata;
		rc = bind_labels(c, CONVERSATIONS_SQL_DROP_LABELS, j, old);
		if (rc == SQLITE_OK)
			rc = bind_labels(c, CONVERSATIONS_SQL_ADD_LABELS, j, j->metadata);
	}
	if (rc != SQLITE_OK)
		return rc;
	struct db_bind b = db_bind(c->st[CONVERSATIONS_SQL_UPDATE]);
	db_bind_int(&b, j->conversation.key);
	db_bind_maybe(&b, j->now.title);
	db_bind_maybe(&b, j->now.metadata);
	j->now.revision++;
	return db_bind_run(&b);
}

/* --- removing --- */

/* An answer is also in its run's event log. */
static int erase_log(struct conversations *c, int64_t run)
{
	sqlite3_stmt  *st = c->st[CONVERSATIONS_SQL_LOG];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, run);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	int64_t from = db_int(st, 0);
	int64_t to = db_int(st, 1);
	(void)sqlite3_reset(st);
	return events_erase(c->events, run, from, to);
}

static struct db_bind bind_message(struct conversations *c, enum conversations_sql which,
                                   const struct conversation_write *j)
{
	struct db_bind b = db_bind(c->st[which]);

	db_bind_int(&b, j->message.key);
	db_bind_secret(&b, j->message.secret);
	db_bind_int(&b, j->conversation.key);
	return b;
}

static int remove_message(struct conversations *c, struct conversation_write *j)
{
	struct db_bind has = bind_message(c, CONVERSATIONS_SQL_HAS_MESSAGE, j);
	int            rc = db_bind_row(&has);

	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_NOT_FOUND, "",
		        "This conversation has no item with this id.");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;
	(void)sqlite3_reset(has.st);
	rc = search_queue_gone(c->search, j->message.key);
	struct db_bind b = bind_message(c, CONVERSATIONS_SQL_EMPTY_MESSAGE, j);
	if (rc == SQLITE_OK)
		rc = db_bind_run(&b);
	if (rc == SQLITE_OK)
		rc = erase_log(c, j->message.key);
	if (rc == SQLITE_OK)
		rc = claim_forget(c->claims, j->conversation.key, j->message.key);
	j->now.revision++;
	return rc == SQLITE_OK ? run_keyed(c, CONVERSATIONS_SQL_TOUCH, j->conversation.key) : rc;
}

static int drop_message(struct conversations *c, int64_t key)
{
	int rc = search_queue_gone(c->search, key);

	return rc == SQLITE_OK ? run_keyed(c, CONVERSATIONS_SQL_DROP_MESSAGE, key) : rc;
}

/* From a run's last message back to what its first one hangs on.  It ends early where another run,
 * which was gone on with, has been here. */
static int drop_chain(struct conversations *c, int64_t key, int64_t base)
{
	sqlite3_stmt *st = c->st[CONVERSATIONS_SQL_PREV];

	while (key != 0 && key != base) {
		struct db_bind b = db_bind(st);

		db_bind_int(&b, key);
		int rc = db_bind_row(&b);
		if (rc != SQLITE_ROW)
			return rc == SQLITE_DONE ? SQLITE_OK : rc;
		int64_t prev = db_int(st, 0);
		(void)sqlite3_reset(st);
		rc = drop_message(c, key);
		if (rc != SQLITE_OK)
			return rc;
		key = prev;
	}
	return SQLITE_OK;
}

static int drop_runs(struct conversations *c, int64_t conversation)
{
	sqlite3_stmt  *st = c->st[CONVERSATIONS_SQL_RUNS];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, conversation);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		int64_t run = db_int(st, 0);

		rc = drop_chain(c, db_int(st, 1), db_int(st, 2));
		if (rc == SQLITE_OK)
			rc = drop_message(c, run);
		if (rc == SQLITE_OK)
			rc = events_erase(c->events, run, db_int(st, 3), db_int(st, 4));
		if (rc != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return rc;
		}
	}
	return rc == SQLITE_DONE ? run_keyed(c, CONVERSATIONS_SQL_DROP_RUNS, conversation) : rc;
}

static int drop_loose(struct conversations *c, int64_t conversation)
{
	sqlite3_stmt  *st = c->st[CONVERSATIONS_SQL_LOOSE];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, conversation);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		rc = search_queue_gone(c->search, db_int(st, 0));
		if (rc != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return rc;
		}
	}
	return rc == SQLITE_DONE ? run_keyed(c, CONVERSATIONS_SQL_DROP_LOOSE, conversation) : rc;
}

static int drop(struct conversations *c, struct conversation_write *j)
{
	sqlite3_stmt  *st = c->st[CONVERSATIONS_SQL_BUSY];
	struct db_bind b = db_bind(st);
	int64_t        key = j->conversation.key;

	db_bind_int(&b, key);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW) {
		(void)sqlite3_reset(st);
		return busy(&j->job.err);
	}
	if (rc == SQLITE_DONE)
		rc = drop_runs(c, key);
	if (rc == SQLITE_OK)
		rc = drop_loose(c, key);
	if (rc == SQLITE_OK)
		rc = bind_labels(c, CONVERSATIONS_SQL_DROP_LABELS, j, j->now.metadata);
	return rc == SQLITE_OK ? run_keyed(c, CONVERSATIONS_SQL_DROP, key) : rc;
}

static bool has_revision(const struct conversation_write *j)
{
	for (size_t i = 0; i < j->revision_count; i++)
		if (j->revisions[i] == j->now.revision)
			return true;
	return false;
}

static int change(struct conversations *c, struct conversation_write *j)
{
	struct before was = { 0 };

	if (j->change == CONVERSATION_CREATE)
		return create(c, j);
	int rc = find(c, j, j->change == CONVERSATION_FORK ? j->source : j->conversation, &was);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	if (j->conditional && !has_revision(j)) {
		err_set(&j->job.err, ERR_PRECONDITION_FAILED, "",
		        "The conversation has changed: it is now \"%lld\".",
		        (long long)j->now.revision);
		return SQLITE_OK;
	}
	switch (j->change) {
	case CONVERSATION_UPDATE: return update(c, j);
	case CONVERSATION_APPEND: return append(c, j, &was);
	case CONVERSATION_REMOVE_MESSAGE: return remove_message(c, j);
	case CONVERSATION_DELETE: return drop(c, j);
	case CONVERSATION_FORK: return copy(c, j, &was);
	case CONVERSATION_CREATE:
	case CONVERSATION_CHANGE__COUNT: break;
	}
	return SQLITE_MISUSE;
}

/* The answer tells the messages that were added, nothing else that was said. */
static int keep_key(struct conversations *c, struct conversation_write *j)
{
	bool               tells = j->change == CONVERSATION_APPEND && j->message_count > 0;
	struct claim_thing thing = {
		.owner = j->owner,
		.now_ms = j->now_ms,
		.subject = j->conversation.key,
		.message_from = tells ? j->messages[0].id.key : 0,
		.message_to = tells ? j->messages[j->message_count - 1].id.key : 0,
		.job = &j->job,
	};

	return claim_made(c->claims, &thing, &j->made);
}

int conversations_write(struct conversations *c, struct conversation_write *j)
{
	int rc = claim_replay(c->claims, j->owner, &j->made, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->made.replayed)
		return rc;
	rc = change(c, j);
	if (j->now.metadata.n == 0)
		j->now.metadata = STR("{}");
	return rc == SQLITE_OK && j->job.err.code == ERR_OK ? keep_key(c, j) : rc;
}
