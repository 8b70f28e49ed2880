/* Writes the start of a turn before its call: a new conversation, the messages and the run. */
#include "store/sqlite/answer_row.h"
#include "store/common/excerpt.h"
#include "store/turn.h"
#include "store/sqlite/turn_end.h"
#include "store/sqlite/op.h"
#include "store/sqlite/chores.h"
#include "store/sqlite/conversation_write.h"
#include "store/sqlite/search/search_recent.h"

static const char sql_find_leaf[] = "SELECT iif(tip, tip, leaf), "
				    "ifnull((SELECT status FROM run WHERE id = leaf), 2) "
				    "FROM conversation WHERE id = ? AND secret = ? AND owner = ?";
static const char sql_find_waits[] = "SELECT 1 FROM run WHERE id = ? AND status = 2";
static const char sql_find_parent[] =
	"SELECT 1 FROM message WHERE id = ? AND secret = ? AND conversation = ?";
static const char sql_add_conversation[] =
	"INSERT INTO conversation (id, secret, owner, created_ms, leaf, metadata, opening, "
	"excerpt, model, messages, origin, recent) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)";
static const char sql_add_labels[] =
	"INSERT OR IGNORE INTO conversation_label (owner, key, value, conversation) "
	"SELECT ?1, key, value, ?2 FROM json_each(?3) WHERE type = 'text'";
static const char sql_move_leaf[] =
	"UPDATE conversation SET leaf = ?1, tip = 0, rev = rev + 1, "
	"opening = ifnull(opening, ?3), excerpt = ifnull(?4, excerpt), model = ?5, "
	"messages = messages + ?6, recent = iif(origin, ?1, NULL) WHERE id = ?2";
static const char sql_add_run[] =
	"INSERT INTO run (id, secret, owner, conversation, parent, base, status, created_ms, "
	"seq_reserved, model, provider, shape, instruction, metadata, events_from, continues, "
	"request_id, settings, bill_key, bill_model, bill_in, bill_price_in, bill_price_out, "
	"tags, attempts) VALUES (?,?,?,?,?,?,1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,1)";

static enum errc turn_begin_busy(struct err *e)
{
	err_set(e, ERR_CONVERSATION_BUSY, "conversation",
		"another turn of this conversation is still running, or came in between; "
		"try again when it has ended");
	e->retry_after_ms = 1000;
	return e->code;
}

/* The conversation must be unchanged since the caller read it, and must have no running turn. */
static int check_leaf(struct session *s, const struct turn_begin *j, struct err *e)
{
	struct db_bind b = conn_bind(s->conn, sql_find_leaf);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "conversation", "there is no such conversation");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;

	int64_t leaf = db_int(st, 0);
	bool    live = db_int(st, 1) <= RUN_RUNNING;

	(void)sqlite3_reset(st);
	if (!j->branching && (live || leaf != j->expected_leaf.key))
		turn_begin_busy(e);
	return SQLITE_OK;
}

/* check_waits: the code that the turn goes on with waits still. */
static int check_waits(struct session *s, const struct turn_begin *j, struct err *e)
{
	struct db_bind b = conn_bind(s->conn, sql_find_waits);

	db_bind_int(&b, j->continues.key);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW) {
		(void)sqlite3_reset(b.st);
		return SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		return rc;
	turn_begin_busy(e);
	return SQLITE_OK;
}

static int check_parent(struct session *s, const struct turn_begin *j, struct err *e)
{
	struct db_bind b = conn_bind(s->conn, sql_find_parent);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, j->parent.key);
	db_bind_secret(&b, j->parent.secret);
	db_bind_int(&b, j->conversation.key);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW) {
		(void)sqlite3_reset(st);
		return SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		return rc;
	err_set(e, ERR_NOT_FOUND, "parent", "this conversation has no such message");
	return SQLITE_OK;
}

static int turn_begin_check(struct session *s, const struct turn_begin *j, struct err *e)
{
	int rc = SQLITE_OK;

	if (!j->new_conversation)
		rc = check_leaf(s, j, e);
	if (rc == SQLITE_OK && e->code == ERR_OK && j->waits)
		rc = check_waits(s, j, e);
	if (rc == SQLITE_OK && e->code == ERR_OK && !id_none(j->parent))
		rc = check_parent(s, j, e);
	return rc;
}

static int add_labels(struct session *s, const struct turn_begin *j)
{
	struct db_bind b = conn_bind(s->conn, sql_add_labels);

	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	db_bind_text(&b, j->metadata);
	return db_bind_run(&b);
}

/* turn_begin_bind_row: what the turn's messages make of the conversation's row in a list. */
static void turn_begin_bind_row(struct db_bind *b, const struct turn_begin *j,
				const struct excerpt_row *row)
{
	db_bind_maybe(b, row->opening);
	db_bind_maybe(b, row->excerpt);
	db_bind_maybe(b, j->model);
	db_bind_int(b, (int64_t)j->message_count);
}

static int turn_begin_put_conversation(struct session *s, const struct turn_begin *j)
{
	struct excerpt_row row;

	excerpt_row(&row, j->messages, j->message_count);
	if (!j->new_conversation) {
		struct db_bind b = conn_bind(s->conn, sql_move_leaf);

		db_bind_int(&b, j->run.key);
		db_bind_int(&b, j->conversation.key);
		turn_begin_bind_row(&b, j, &row);
		return db_bind_run(&b);
	}

	struct db_bind b = conn_bind(s->conn, sql_add_conversation);
	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->now_ms);
	db_bind_int(&b, j->run.key);
	db_bind_maybe(&b, j->metadata);
	turn_begin_bind_row(&b, j, &row);
	db_bind_int(&b, (int64_t)j->origin);
	if (j->origin == ORIGIN_CONSOLE)
		db_bind_int(&b, j->run.key);
	else
		db_bind_null(&b);
	int rc = db_bind_run(&b);
	return rc == SQLITE_OK && j->metadata.n > 0 ? add_labels(s, j) : rc;
}

static void bind_price(struct db_bind *b, bool priced, int64_t price)
{
	if (priced)
		db_bind_int(b, price);
	else
		db_bind_null(b);
}

static void bind_bill(struct db_bind *b, const struct turn_bill *bill)
{
	db_bind_text(b, bill->key);
	db_bind_text(b, bill->model);
	db_bind_int(b, bill->in);
	bind_price(b, bill->priced, bill->price_in);
	bind_price(b, bill->priced, bill->price_out);
	db_bind_maybe(b, bill->tags);
}

/* Whoever is told that it is begun asks at once: its first attempt is counted. */
static int turn_begin_add_run(struct session *s, const struct turn_begin *j, int64_t events_from)
{
	struct db_bind b = conn_bind(s->conn, sql_add_run);
	int64_t        last = j->parent.key;

	if (j->message_count > 0)
		last = j->messages[j->message_count - 1].id.key;
	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	db_bind_int(&b, last);
	db_bind_int(&b, j->parent.key);
	db_bind_int(&b, j->now_ms);
	db_bind_int(&b, (int64_t)j->seq_reserved);
	db_bind_maybe(&b, j->model);
	db_bind_maybe(&b, j->provider);
	db_bind_maybe(&b, j->shape);
	if (j->instruction_set)
		db_bind_text(&b, j->instruction);
	else
		db_bind_null(&b);
	db_bind_maybe(&b, j->new_conversation ? STR_NONE : j->metadata);
	db_bind_int(&b, events_from);
	db_bind_int(&b, j->continues.key);
	db_bind_maybe(&b, j->request_id);
	db_bind_maybe(&b, j->settings);
	bind_bill(&b, &j->bill);
	return db_bind_run(&b);
}

static int turn_begin_put(struct session *s, struct turn_begin *j)
{
	int64_t events_from = 0;
	int     rc = turn_begin_check(s, j, &j->job.err);

	peer_own(s->peer, j->run);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;

	rc = turn_begin_put_conversation(s, j);
	if (rc == SQLITE_OK && j->keep_ms > 0)
		rc = conversation_put_keep(s->conn, j->conversation.key, j->keep_ms, j->now_ms);
	if (rc == SQLITE_OK)
		rc = events_open(&s->events, j->run, &events_from);
	if (rc == SQLITE_OK)
		rc = turn_begin_add_run(s, j, events_from);
	if (rc == SQLITE_OK)
		rc = answer_row_begin(s->conn, j);

	struct message_place at = { j->owner, j->conversation.key, j->parent.key, j->run.key,
				    j->now_ms };
	for (size_t i = 0; rc == SQLITE_OK && i < j->message_count; i++) {
		rc = message_row_add(s->conn, at, j->messages[i].id, j->messages[i].body);
		at.prev = j->messages[i].id.key;
	}
	if (rc == SQLITE_OK && !j->logged) /* search_recent.h */
		search_recent_begin(s->search.recent, j->run, j->owner, j->conversation.key,
				    j->messages, j->message_count);
	return rc;
}

OP(turn_begin, turn_begin_put);
