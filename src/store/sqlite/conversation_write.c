/* Changes conversations outside their turns: creates, labels, fills, cuts and deletes them. */
#include "store/sqlite/conversation_write.h"
#include "store/common/excerpt.h"
#include "store/conversation.h"

#include "store/sql/cells.h"
#include "store/sqlite/answer_row.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/op.h"

static const char sql_find[] =
	CONVERSATION_CELL "FROM conversation c WHERE c.id = ? AND c.secret = ? AND c.owner = ?";
static const char sql_add[] =
	"INSERT INTO conversation (id, secret, owner, created_ms, leaf, title, metadata, tip, "
	"titled, opening, excerpt, messages, origin, recent) "
	"VALUES (?1,?2,?3,?4,0,?5,?6,?7,?8,?9,?10,?11,?12,iif(?12, iif(?7, ?7, ?1), NULL))";
static const char sql_update[] =
	"UPDATE conversation SET title = ?2, metadata = ?3, titled = ?4, pinned = ?5, rev = ?6 "
	"WHERE id = ?1";
static const char sql_keep[] = "UPDATE conversation SET keep_ms = ?2, due_ms = ?3 WHERE id = ?1";
static const char sql_move_tip[] =
	"UPDATE conversation SET tip = ?2, rev = rev + 1, messages = messages + ?3, "
	"opening = ifnull(opening, ?4), excerpt = ifnull(?5, excerpt), recent = iif(origin, ?2, NULL) "
	"WHERE id = ?1";
static const char sql_touch[] = "UPDATE conversation SET rev = rev + 1 WHERE id = ?1";
static const char sql_add_labels[] =
	"INSERT OR IGNORE INTO conversation_label (owner, key, value, conversation) "
	"SELECT ?1, key, value, ?2 FROM json_each(?3) WHERE type = 'text'";
static const char sql_drop_labels[] =
	"DELETE FROM conversation_label WHERE owner = ?1 AND conversation = ?2 AND "
	"(key, value) IN (SELECT key, value FROM json_each(?3))";
static const char sql_turn[] =
	"SELECT status, base, EXISTS (SELECT 1 FROM message WHERE message.id = run.id) "
	"FROM run WHERE id = ?";
static const char sql_add_message[] =
	"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
	"VALUES (?,?,?,?,?,0,?,?)";
static const char sql_has_message[] = "SELECT 1 FROM message WHERE id = ? AND secret = ? AND "
				      "conversation = ? AND run >= 0";
static const char sql_label_message[] =
	"UPDATE message SET body = CASE WHEN ?4 IS NULL THEN json_remove(body, '$.context.metadata') "
	"ELSE json_set(body, '$.context.metadata', json(?4)) END "
	"WHERE id = ?1 AND secret = ?2 AND conversation = ?3 AND run >= 0";
static const char sql_empty_message[] =
	"UPDATE message SET body = '', run = ~run WHERE id = ? AND run >= 0";
/* The cache of answers has nothing of a removed message, nor of an answer to it. */
static const char sql_uncache[] =
	"DELETE FROM cached WHERE id IN (?1, (SELECT ~run FROM message WHERE id = ?1))";
static const char sql_body[] = "SELECT body FROM message WHERE id = ?";
/* Removed content is in no list any more. */
static const char sql_forget_row[] =
	"UPDATE conversation SET rev = rev + 1, messages = max(messages - 1, 0), "
	"opening = nullif(opening, ?2), excerpt = nullif(excerpt, ?3) WHERE id = ?1";
static const char sql_log[] = "SELECT events_from, events_to FROM run WHERE id = ?";
static const char sql_busy[] = "SELECT 1 FROM run WHERE conversation = ? AND status < 2";
static const char sql_runs[] = "SELECT id, parent, base, events_from, events_to FROM run "
			       "WHERE conversation = ?";
static const char sql_prev[] = "SELECT prev FROM message WHERE id = ?";
static const char sql_drop_message[] = "DELETE FROM message WHERE id = ?";
static const char sql_loose[] = "SELECT id FROM message INDEXED BY message_loose "
				"WHERE conversation = ? AND run BETWEEN -1 AND 0";
static const char sql_drop_loose[] = "DELETE FROM message INDEXED BY message_loose "
				     "WHERE conversation = ? AND run BETWEEN -1 AND 0";
static const char sql_drop_runs[] = "DELETE FROM run WHERE conversation = ?";
static const char sql_drop[] = "DELETE FROM conversation WHERE id = ?";

/* The state of the conversation before the change. */
struct before {
	int64_t leaf;
	int64_t tip;
};

static int run_keyed(struct session *s, const char *sql, int64_t key)
{
	struct db_bind b = conn_bind(s->conn, sql);

	db_bind_int(&b, key);
	return db_bind_run(&b);
}

static int conversation_write_find(struct session *s, struct conversation_write *j, struct id id,
				   struct before *ret)
{
	struct db_bind b = conn_bind(s->conn, sql_find);
	sqlite3_stmt  *st = b.st;
	struct err    *e = &j->job.err;

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "there is no such conversation");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;
	*ret = (struct before){ db_int(st, CONVERSATION_CELL_LEAF),
				db_int(st, CONVERSATION_CELL_TIP) };
	bool kept = conversation_cell_keep(row_of(st), &j->arena, &j->now, e);
	(void)sqlite3_reset(st);
	CHECK(kept || e->code != ERR_OK);
	return SQLITE_OK;
}

/* --- labels --- */

static int bind_labels(struct session *s, const char *sql, const struct conversation_write *j,
		       struct str metadata)
{
	if (metadata.n == 0)
		return SQLITE_OK;

	struct db_bind b = conn_bind(s->conn, sql);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	db_bind_text(&b, metadata);
	return db_bind_run(&b);
}

/* --- messages that no turn brings --- */

static int add_messages(struct session *s, const struct conversation_write *j, int64_t prev)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < j->message_count; i++) {
		struct db_bind b = conn_bind(s->conn, sql_add_message);

		db_bind_int(&b, j->messages[i].id.key);
		db_bind_secret(&b, j->messages[i].id.secret);
		db_bind_int(&b, j->owner);
		db_bind_int(&b, j->conversation.key);
		db_bind_int(&b, prev);
		db_bind_int(&b, j->now_ms);
		db_bind_text(&b, j->messages[i].body);
		rc = db_bind_run(&b);
		if (rc == SQLITE_OK)
			rc = search_queue_note(&s->search, SEARCH_MESSAGE, j->messages[i].id.key);
		prev = j->messages[i].id.key;
	}
	return rc;
}

/* The message that a turn would follow: see branch_read.c. */
static int find_end(struct session *s, const struct before *was, int64_t *ret_end, struct err *e)
{
	*ret_end = was->tip;
	if (was->tip != 0 || was->leaf == 0)
		return SQLITE_OK;

	struct db_bind b = conn_bind(s->conn, sql_turn);
	sqlite3_stmt  *st = b.st;
	db_bind_int(&b, was->leaf);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (db_int(st, 0) <= RUN_RUNNING)
		change_cell_busy(e);
	*ret_end = db_int(st, 2) ? was->leaf : db_int(st, 1);
	return sqlite3_reset(st);
}

static int conversation_write_append(struct session *s, struct conversation_write *j,
				     const struct before *was)
{
	int64_t end = 0;
	int     rc = find_end(s, was, &end, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->message_count == 0)
		return rc;
	rc = add_messages(s, j, end);
	if (rc != SQLITE_OK)
		return rc;
	struct excerpt_row row;
	excerpt_row(&row, j->messages, j->message_count);
	struct db_bind b = conn_bind(s->conn, sql_move_tip);
	db_bind_int(&b, j->conversation.key);
	db_bind_int(&b, j->messages[j->message_count - 1].id.key);
	db_bind_int(&b, (int64_t)j->message_count);
	db_bind_maybe(&b, row.opening);
	db_bind_maybe(&b, row.excerpt);
	j->now.revision++;
	return db_bind_run(&b);
}

/* --- create, update --- */

static int conversation_write_cap(struct session *s, const struct conversation_write *j)
{
	if (!j->ceiling_set)
		return SQLITE_OK;

	struct db_bind b = conn_bind(s->conn, ceiling_cell_put);
	db_bind_int(&b, j->conversation.key);
	db_bind_int(&b, j->now_ms);
	if (j->ceiling_nano > 0)
		db_bind_int(&b, j->ceiling_nano);
	else
		db_bind_null(&b);
	return db_bind_run(&b);
}

/* conversation_write_add: adds what c says; its opening is that of the messages, if there are any. */
static int conversation_write_add(struct session *s, struct conversation_write *j,
				  struct store_conversation c)
{
	struct db_bind     b = conn_bind(s->conn, sql_add);
	size_t             n = j->message_count;
	struct excerpt_row row;

	excerpt_row(&row, j->messages, n);
	if (row.opening.n > 0)
		c.opening = arena_str(&j->arena, row.opening);
	if (row.opening.n > 0 && !c.opening.p) {
		cell_no_memory(&j->job.err);
		return SQLITE_OK;
	}
	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->now_ms);
	db_bind_maybe(&b, c.title);
	db_bind_maybe(&b, c.metadata);
	db_bind_int(&b, n > 0 ? j->messages[n - 1].id.key : 0);
	db_bind_int(&b, c.titled == TITLED_BY_MODEL);
	db_bind_maybe(&b, c.opening);
	db_bind_maybe(&b, row.excerpt);
	db_bind_int(&b, (int64_t)n);
	db_bind_int(&b, (int64_t)j->origin);
	int rc = db_bind_run(&b);
	if (c.title.n > 0)
		search_queue_title(&s->search, false);
	if (rc == SQLITE_OK)
		rc = bind_labels(s, sql_add_labels, j, c.metadata);
	if (rc == SQLITE_OK)
		rc = conversation_write_cap(s, j);
	if (rc == SQLITE_OK)
		rc = add_messages(s, j, 0);
	j->now = change_cell_made(j, c);
	return rc;
}

int conversation_put_keep(struct conn *c, int64_t conversation, int64_t keep_ms, int64_t now_ms)
{
	struct db_bind b = conn_bind(c, sql_keep);

	db_bind_int(&b, conversation);
	db_bind_int(&b, keep_ms);
	db_bind_int(&b, now_ms + keep_ms);
	return db_bind_run(&b);
}

static int conversation_write_create(struct session *s, struct conversation_write *j)
{
	int rc = conversation_write_add(
		s, j, (struct store_conversation){ .title = j->title, .metadata = j->metadata });

	return rc == SQLITE_OK && j->keep_ms > 0
		       ? conversation_put_keep(s->conn, j->conversation.key, j->keep_ms, j->now_ms)
		       : rc;
}

/* j->now is that of the source. */
static int conversation_write_copy(struct session *s, struct conversation_write *j,
				   const struct before *was)
{
	struct fork fork = { 0 };
	int         rc = fork_plan(s->conn, j, was->leaf, was->tip, &fork);

	if (rc == SQLITE_OK && j->job.err.code == ERR_OK) {
		rc = conversation_write_add(s, j, change_cell_forked(j));
		if (rc == SQLITE_OK)
			rc = fork_copy(s->conn, j, &fork);
		if (rc == SQLITE_OK)
			rc = search_queue_note(&s->search, SEARCH_CONVERSATION,
					       j->conversation.key);
	}
	fork_finish(&fork);
	return rc;
}

static int conversation_write_update(struct session *s, struct conversation_write *j)
{
	struct str old = j->now.metadata;
	int        rc = SQLITE_OK;

	if (j->title_set)
		search_queue_title(&s->search, j->now.title.n > 0);
	change_cell_update(j);
	if (j->metadata_set) {
		rc = bind_labels(s, sql_drop_labels, j, old);
		if (rc == SQLITE_OK)
			rc = bind_labels(s, sql_add_labels, j, j->metadata);
	}
	if (rc == SQLITE_OK && j->keep_set)
		rc = conversation_put_keep(s->conn, j->conversation.key, j->keep_ms, j->now_ms);
	if (rc == SQLITE_OK)
		rc = conversation_write_cap(s, j);
	if (rc != SQLITE_OK)
		return rc;
	struct db_bind b = conn_bind(s->conn, sql_update);
	db_bind_int(&b, j->conversation.key);
	db_bind_maybe(&b, j->now.title);
	db_bind_maybe(&b, str_is(j->now.metadata, "{}") ? STR_NONE : j->now.metadata);
	db_bind_int(&b, j->now.titled == TITLED_BY_MODEL);
	db_bind_int(&b, j->now.pinned);
	db_bind_int(&b, j->now.revision);
	return db_bind_run(&b);
}

/* --- removing --- */

/* An answer is also in its run's event log. */
static int erase_log(struct session *s, int64_t run)
{
	struct db_bind b = conn_bind(s->conn, sql_log);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, run);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	int64_t from = db_int(st, 0);
	int64_t to = db_int(st, 1);
	(void)sqlite3_reset(st);
	return events_erase(&s->events, run, from, to);
}

static struct db_bind bind_message(struct session *s, const char *sql,
				   const struct conversation_write *j)
{
	struct db_bind b = conn_bind(s->conn, sql);

	db_bind_int(&b, j->message.key);
	db_bind_secret(&b, j->message.secret);
	db_bind_int(&b, j->conversation.key);
	return b;
}

/* has_message: ERR_NOT_FOUND in the job's error: it has not. */
static int has_message(struct session *s, struct conversation_write *j)
{
	struct db_bind has = bind_message(s, sql_has_message, j);
	int            rc = db_bind_row(&has);

	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "this conversation has no such item");
		return SQLITE_OK;
	}
	(void)sqlite3_reset(has.st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int label_message(struct session *s, struct conversation_write *j)
{
	int rc = has_message(s, j);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || !j->metadata_set)
		return rc;
	struct db_bind b = bind_message(s, sql_label_message, j);
	db_bind_maybe(&b, j->metadata);
	rc = db_bind_run(&b);
	j->now.revision++;
	return rc == SQLITE_OK ? run_keyed(s, sql_touch, j->conversation.key) : rc;
}

/* forget_row: takes a message, which is there still, out of the conversation's row. */
static int forget_row(struct session *s, int64_t conversation, int64_t message)
{
	struct excerpt_row row;
	struct db_bind     b = conn_bind(s->conn, sql_body);

	db_bind_int(&b, message);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	excerpt_row(&row, &(struct store_message){ .body = db_column(b.st, 0) }, 1);
	(void)sqlite3_reset(b.st);
	b = conn_bind(s->conn, sql_forget_row);
	db_bind_int(&b, conversation);
	db_bind_maybe(&b, row.opening);
	db_bind_maybe(&b, row.excerpt);
	return db_bind_run(&b);
}

int conversation_empty_message(struct session *s, int64_t conversation, int64_t message)
{
	int rc = search_queue_gone(&s->search, message);

	if (rc == SQLITE_OK)
		rc = forget_row(s, conversation, message);
	if (rc == SQLITE_OK)
		rc = run_keyed(s, sql_empty_message, message);
	if (rc == SQLITE_OK)
		rc = erase_log(s, message);
	if (rc == SQLITE_OK)
		rc = answer_row_forget(s->conn, conversation, message);
	return rc == SQLITE_OK ? run_keyed(s, sql_uncache, message) : rc;
}

static int remove_message(struct session *s, struct conversation_write *j)
{
	int rc = has_message(s, j);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	j->now.revision++;
	return conversation_empty_message(s, j->conversation.key, j->message.key);
}

int conversation_drop_message(struct session *s, int64_t key)
{
	int rc = search_queue_gone(&s->search, key);

	return rc == SQLITE_OK ? run_keyed(s, sql_drop_message, key) : rc;
}

/* From a run's last message back to what its first one hangs on.  It ends early where another run,
 * which was gone on with, has been here. */
static int drop_chain(struct session *s, int64_t key, int64_t base)
{
	while (key != 0 && key != base) {
		struct db_bind b = conn_bind(s->conn, sql_prev);

		db_bind_int(&b, key);
		int rc = db_bind_row(&b);
		if (rc != SQLITE_ROW)
			return rc == SQLITE_DONE ? SQLITE_OK : rc;
		int64_t prev = db_int(b.st, 0);
		(void)sqlite3_reset(b.st);
		rc = conversation_drop_message(s, key);
		if (rc != SQLITE_OK)
			return rc;
		key = prev;
	}
	return SQLITE_OK;
}

int conversation_drop_turn(struct session *s, const struct turn_row *t)
{
	int rc = drop_chain(s, t->parent, t->base);

	if (rc == SQLITE_OK)
		rc = conversation_drop_message(s, t->run);
	return rc == SQLITE_OK ? events_erase(&s->events, t->run, t->events_from, t->events_to)
			       : rc;
}

static int drop_runs(struct session *s, int64_t conversation)
{
	struct db_bind b = conn_bind(s->conn, sql_runs);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, conversation);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		rc = conversation_drop_turn(s, &(struct turn_row){ db_int(st, 0), db_int(st, 1),
								   db_int(st, 2), db_int(st, 3),
								   db_int(st, 4) });
		if (rc != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return rc;
		}
	}
	return rc == SQLITE_DONE ? run_keyed(s, sql_drop_runs, conversation) : rc;
}

static int drop_loose(struct session *s, int64_t conversation)
{
	struct db_bind b = conn_bind(s->conn, sql_loose);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, conversation);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		rc = search_queue_gone(&s->search, db_int(st, 0));
		if (rc != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return rc;
		}
	}
	return rc == SQLITE_DONE ? run_keyed(s, sql_drop_loose, conversation) : rc;
}

static int conversation_write_drop(struct session *s, struct conversation_write *j)
{
	struct db_bind b = conn_bind(s->conn, sql_busy);
	sqlite3_stmt  *st = b.st;
	int64_t        key = j->conversation.key;

	db_bind_int(&b, key);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW) {
		(void)sqlite3_reset(st);
		change_cell_busy(&j->job.err);
		return SQLITE_OK;
	}
	if (rc == SQLITE_DONE)
		rc = drop_runs(s, key);
	if (rc == SQLITE_OK)
		rc = drop_loose(s, key);
	if (rc == SQLITE_OK)
		rc = bind_labels(s, sql_drop_labels, j, j->now.metadata);
	if (j->now.title.n > 0)
		search_queue_title(&s->search, true);
	if (rc == SQLITE_OK)
		rc = run_keyed(s, ceiling_cell_drop, key);
	return rc == SQLITE_OK ? run_keyed(s, sql_drop, key) : rc;
}

static int conversation_write_change(struct session *s, struct conversation_write *j)
{
	struct before was = { 0 };

	if (j->change == CONVERSATION_CREATE)
		return conversation_write_create(s, j);
	int rc = conversation_write_find(
		s, j, j->change == CONVERSATION_FORK ? j->source : j->conversation, &was);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	if (!change_cell_allows(j))
		return SQLITE_OK;
	switch (j->change) {
	case CONVERSATION_UPDATE:
	case CONVERSATION_TITLE: return conversation_write_update(s, j);
	case CONVERSATION_APPEND: return conversation_write_append(s, j, &was);
	case CONVERSATION_LABEL_MESSAGE: return label_message(s, j);
	case CONVERSATION_REMOVE_MESSAGE: return remove_message(s, j);
	case CONVERSATION_DELETE: return conversation_write_drop(s, j);
	case CONVERSATION_FORK: return conversation_write_copy(s, j, &was);
	case CONVERSATION_CREATE:
	case CONVERSATION_CHANGE__COUNT: break;
	}
	return SQLITE_MISUSE;
}

/* The answer has only the added messages. */
static int keep_key(struct session *s, struct conversation_write *j)
{
	bool                 tells = j->change == CONVERSATION_APPEND && j->message_count > 0;
	struct answer_object thing = {
		.owner = j->owner,
		.now_ms = j->now_ms,
		.subject = j->conversation.key,
		.message_from = tells ? j->messages[0].id.key : 0,
		.message_to = tells ? j->messages[j->message_count - 1].id.key : 0,
		.job = &j->job,
	};

	return answer_row_made(s->conn, &thing, &j->made);
}

int conversation_write(struct session *s, struct conversation_write *j)
{
	int rc = answer_row_replay(s->conn, j->owner, &j->made, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->made.replayed)
		return rc;
	rc = conversation_write_change(s, j);
	if (j->now.metadata.n == 0)
		j->now.metadata = STR("{}");
	return rc == SQLITE_OK && j->job.err.code == ERR_OK ? keep_key(s, j) : rc;
}

OP(conversation_write, conversation_write);
