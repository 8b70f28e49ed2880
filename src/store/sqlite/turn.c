/* What a turn writes: its conversation, messages and run before the call; answer and end after. */
#include "store/sqlite/turn.h"

/* Stored numbers; a new status goes to the end. */
_Static_assert(RUN_QUEUED == 0 && RUN_RUNNING == 1 && RUN_COMPLETED == 2 && RUN_INCOMPLETE == 3 &&
                       RUN_FAILED == 4 && RUN_CANCELLED == 5,
               "run.status is stored as a number");

static const char *const sql[TURN_SQL__COUNT] = {
	[TURN_SQL_FIND_LEAF] =
		"SELECT iif(tip, tip, leaf), "
		"ifnull((SELECT status FROM run WHERE id = leaf), 2) "
		"FROM conversation WHERE id = ? AND secret = ? AND owner = ?",
	[TURN_SQL_FIND_PARENT] =
		"SELECT 1 FROM message WHERE id = ? AND secret = ? AND conversation = ?",
	[TURN_SQL_FIND_RUN] =
		"SELECT owner, conversation, parent, status, events_from FROM run "
		"WHERE id = ? AND secret = ?",
	[TURN_SQL_ADD_CONVERSATION] =
		"INSERT INTO conversation (id, secret, owner, created_ms, leaf, metadata) "
		"VALUES (?,?,?,?,?,?)",
	[TURN_SQL_ADD_LABELS] =
		"INSERT OR IGNORE INTO conversation_label (owner, key, value, conversation) "
		"SELECT ?1, key, value, ?2 FROM json_each(?3) WHERE type = 'text'",
	[TURN_SQL_MOVE_LEAF] =
		"UPDATE conversation SET leaf = ?, tip = 0, rev = rev + 1 WHERE id = ?",
	[TURN_SQL_ADD_RUN] =
		"INSERT INTO run (id, secret, owner, conversation, parent, base, status, created_ms, "
		"seq_reserved, model, provider, shape, instruction, metadata, events_from, continues, "
		"request_id, settings, bill_key, bill_model, bill_in, bill_price_in, bill_price_out, "
		"attempts) VALUES (?,?,?,?,?,?,1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,1)",
	[TURN_SQL_ADD_MESSAGE] =
		"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
		"VALUES (?,?,?,?,?,?,?,?)",
	[TURN_SQL_END_RUN] =
		"UPDATE run SET status = ?2, first_token_ms = ?3, completed_ms = ?4, attempts = ?5, "
		"last_seq = ?6, finish_reason = ?7, error = ?8, usage_estimated = ?9, usage_in = ?10, "
		"usage_out = ?11, usage_cached_read = ?12, usage_cached_write = ?13, "
		"usage_reasoning = ?14, events_to = ?15, provider = coalesce(?16, provider), "
		"native_reason = ?17, cost_nano = ?18, bill_key = NULL, bill_model = NULL, "
		"bill_dropped = NULL, "
		"bill_in = NULL, bill_price_in = NULL, bill_price_out = NULL WHERE id = ?1",
	[TURN_SQL_RESERVE] =
		"UPDATE run SET seq_reserved = max(seq_reserved, ?) WHERE id = ? AND secret = ?",
};

enum errc turns_prepare(struct turns *t, sqlite3 *db, struct err *e)
{
	if (events_prepare(&t->events, db, e) != ERR_OK ||
	    claims_prepare(&t->claims, db, e) != ERR_OK ||
	    search_queue_prepare(&t->search, db, e) != ERR_OK ||
	    budgets_prepare(&t->budgets, db, e) != ERR_OK)
		return e->code;
	return db_prepare(db, sql, TURN_SQL__COUNT, t->st, e);
}

void turns_finish(struct turns *t)
{
	db_finalize(t->st, TURN_SQL__COUNT);
	events_finish(&t->events);
	claims_finish(&t->claims);
	search_queue_finish(&t->search);
	budgets_finish(&t->budgets);
}

static enum errc busy(struct err *e)
{
	err_set(e, ERR_CONVERSATION_BUSY, "conversation",
	        "Another turn of this conversation is still being answered, or came in between. "
	        "Try again when it has ended.");
	e->retry_after_ms = 1000;
	return e->code;
}

/* The conversation must still be as the caller read it, and nothing may be going on in it. */
static int check_leaf(struct turns *t, const struct turn_begin *j, struct err *e)
{
	sqlite3_stmt  *st = t->st[TURN_SQL_FIND_LEAF];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "conversation", "There is no conversation with this id.");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;

	int64_t leaf = db_int(st, 0);
	bool    live = db_int(st, 1) <= RUN_RUNNING;

	(void)sqlite3_reset(st);
	if (!j->branching && (live || leaf != j->expected_leaf.key))
		busy(e);
	return SQLITE_OK;
}

static int check_parent(struct turns *t, const struct turn_begin *j, struct err *e)
{
	sqlite3_stmt  *st = t->st[TURN_SQL_FIND_PARENT];
	struct db_bind b = db_bind(st);

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
	err_set(e, ERR_NOT_FOUND, "parent", "This conversation has no message with this id.");
	return SQLITE_OK;
}

static int check(struct turns *t, const struct turn_begin *j, struct err *e)
{
	int rc = SQLITE_OK;

	if (!j->new_conversation)
		rc = check_leaf(t, j, e);
	if (rc == SQLITE_OK && e->code == ERR_OK && !id_none(j->parent))
		rc = check_parent(t, j, e);
	return rc;
}

static int add_labels(struct turns *t, const struct turn_begin *j)
{
	struct db_bind b = db_bind(t->st[TURN_SQL_ADD_LABELS]);

	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	db_bind_text(&b, j->metadata);
	return db_bind_run(&b);
}

static int put_conversation(struct turns *t, const struct turn_begin *j)
{
	if (!j->new_conversation) {
		struct db_bind b = db_bind(t->st[TURN_SQL_MOVE_LEAF]);

		db_bind_int(&b, j->run.key);
		db_bind_int(&b, j->conversation.key);
		return db_bind_run(&b);
	}

	struct db_bind b = db_bind(t->st[TURN_SQL_ADD_CONVERSATION]);
	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->now_ms);
	db_bind_int(&b, j->run.key);
	db_bind_maybe(&b, j->metadata);
	int rc = db_bind_run(&b);
	return rc == SQLITE_OK && j->metadata.n > 0 ? add_labels(t, j) : rc;
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
}

/* Whoever is told that it is begun asks at once: its first attempt is counted. */
static int add_run(struct turns *t, const struct turn_begin *j, int64_t events_from)
{
	struct db_bind b = db_bind(t->st[TURN_SQL_ADD_RUN]);
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

struct place {
	int64_t owner;
	int64_t conversation;
	int64_t prev;
	int64_t run;
	int64_t created_ms;
};

static int add_message(struct turns *t, struct place at, struct id id, struct str body)
{
	struct db_bind b = db_bind(t->st[TURN_SQL_ADD_MESSAGE]);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, at.owner);
	db_bind_int(&b, at.conversation);
	db_bind_int(&b, at.prev);
	db_bind_int(&b, at.run);
	db_bind_int(&b, at.created_ms);
	db_bind_text(&b, body);
	return db_bind_run(&b);
}

int turn_begin(struct turns *t, const struct turn_begin *j, struct err *e)
{
	int64_t events_from = 0;
	int     rc = check(t, j, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;

	rc = put_conversation(t, j);
	if (rc == SQLITE_OK)
		rc = events_open(&t->events, j->run, &events_from);
	if (rc == SQLITE_OK)
		rc = add_run(t, j, events_from);
	if (rc == SQLITE_OK)
		rc = claim_begin(&t->claims, j);

	struct place at = { j->owner, j->conversation.key, j->parent.key, j->run.key, j->now_ms };
	for (size_t i = 0; rc == SQLITE_OK && i < j->message_count; i++) {
		rc = add_message(t, at, j->messages[i].id, j->messages[i].body);
		at.prev = j->messages[i].id.key;
	}
	return rc;
}

/* The run's own columns say where the answer belongs. */
static int find_run(struct turns *t, const struct turn_end *j, struct place *ret,
                    int64_t *ret_events_from, struct err *e)
{
	sqlite3_stmt  *st = t->st[TURN_SQL_FIND_RUN];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "There is no run with this id.");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;

	*ret = (struct place){ db_int(st, 0), db_int(st, 1), db_int(st, 2), j->run.key,
		               j->completed_ms };
	bool live = db_int(st, 3) <= RUN_RUNNING;
	*ret_events_from = db_int(st, 4);
	(void)sqlite3_reset(st);
	if (!live)
		err_set(e, ERR_INTERNAL, "", "This run has ended already.");
	return SQLITE_OK;
}

static int end_run(struct turns *t, const struct turn_end *j, int64_t events_to)
{
	const struct usage *u = &j->usage;
	struct db_bind      b = db_bind(t->st[TURN_SQL_END_RUN]);

	db_bind_int(&b, j->run.key);
	db_bind_int(&b, (int64_t)j->status);
	db_bind_int(&b, j->first_token_ms);
	db_bind_int(&b, j->completed_ms);
	db_bind_int(&b, j->attempts);
	db_bind_int(&b, (int64_t)j->last_seq);
	db_bind_maybe(&b, j->finish_reason);
	db_bind_maybe(&b, j->error);
	if (u->known || u->estimated)
		db_bind_int(&b, u->known ? 0 : 1);
	else
		db_bind_null(&b);
	db_bind_int(&b, u->in);
	db_bind_int(&b, u->out);
	db_bind_int(&b, u->cached_read);
	db_bind_int(&b, u->cached_write);
	db_bind_int(&b, u->reasoning);
	db_bind_int(&b, events_to);
	db_bind_maybe(&b, j->provider);
	db_bind_maybe(&b, j->native_reason);
	if (j->costs)
		db_bind_int(&b, j->cost_nano);
	else
		db_bind_null(&b);
	return db_bind_run(&b);
}

int turn_end(struct turns *t, const struct turn_end *j, struct err *e)
{
	struct place at;
	int64_t      from = 0;
	int64_t      to = 0;
	int          rc = SQLITE_OK;

	/* Its conversation may be deleted by now: what it cost is owed all the same. */
	if (j->note && j->note->reserved)
		rc = budgets_settle(&t->budgets, j->note);
	if (rc == SQLITE_OK)
		rc = find_run(t, j, &at, &from, e);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (j->answer.n > 0)
		rc = add_message(t, at, j->run, j->answer);
	if (rc == SQLITE_OK)
		rc = events_close(&t->events, j->run, from, &j->events, &to);
	if (rc == SQLITE_OK)
		rc = end_run(t, j, to);
	if (rc == SQLITE_OK)
		rc = claim_end(&t->claims, j);
	if (rc == SQLITE_OK)
		rc = search_queue_note(&t->search, SEARCH_RUN, j->run.key);
	return rc;
}

int turn_reserve(struct turns *t, const struct seq_reserve *j, struct err *e)
{
	sqlite3_stmt  *st = t->st[TURN_SQL_RESERVE];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, (int64_t)j->upto);
	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	int rc = db_bind_run(&b);
	if (rc == SQLITE_OK && sqlite3_changes(sqlite3_db_handle(st)) == 0)
		err_set(e, ERR_NOT_FOUND, "", "There is no run with this id.");
	return rc;
}
