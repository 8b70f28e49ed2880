/* Fills batches for the index: first from the queue, then with messages older than the index. */
#include "store/sqlite/search/search_feed.h"

#include <stdlib.h>

static const char sql_source[] =
	"SELECT instance, ifnull((SELECT seq FROM search_queue ORDER BY seq LIMIT 1), 0), "
	"ifnull((SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1), 0) "
	"FROM search_source";
static const char sql_queue[] =
	"SELECT seq, kind, id, text, runs FROM search_queue WHERE seq > ? ORDER BY seq";
static const char sql_waiting[] = "SELECT ifnull(sum(iif(kind = 5, id, 1)), 0) "
				  "FROM search_queue WHERE seq > ?";
static const char sql_message[] =
	"SELECT id, owner, conversation, run, body, prev FROM message WHERE id = ?";
static const char sql_run[] = "SELECT parent, base FROM run WHERE id = ?";
static const char sql_runs[] = "SELECT id FROM run INDEXED BY run_conversation "
			       "WHERE conversation = ? AND id > ? ORDER BY id LIMIT 1";
static const char sql_loose[] =
	"SELECT id FROM message INDEXED BY message_loose "
	"WHERE conversation = ? AND run BETWEEN -1 AND 0 AND id > ? ORDER BY id LIMIT 1";
static const char sql_owner[] = "SELECT owner FROM conversation WHERE id = ?";
static const char sql_titles[] = "SELECT id, owner, title FROM conversation "
				 "WHERE id > ? AND title IS NOT NULL ORDER BY id";
static const char sql_all[] = "SELECT id, owner, conversation, run, body FROM message "
			      "WHERE id > ? ORDER BY id";

enum errc search_feed_open(struct search_feed *f, const char *path, int64_t busy_ms, struct err *e)
{
	*f = (struct search_feed){ .at = 0 };
	search_text_init(&f->text);
	return conn_open(&f->conn, path, DB_READ, busy_ms, e);
}

void search_feed_close(struct search_feed *f)
{
	conn_close(&f->conn);
	search_text_finish(&f->text);
}

int search_feed_source(struct search_feed *f, struct search_source *ret)
{
	sqlite3_stmt *st;
	int           rc = conn_row(&f->conn, sql_source, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	struct str instance = db_blob(st, 0);
	bool       right = instance.n == SEARCH_INSTANCE;
	if (right)
		memcpy(ret->instance, instance.p, instance.n);
	ret->first = db_int(st, 1);
	ret->last = db_int(st, 2);
	rc = sqlite3_reset(st);
	return rc == SQLITE_OK && !right ? SQLITE_CORRUPT : rc;
}

static int search_feed_find(struct search_feed *f, const char *sql, int64_t key)
{
	struct db_bind b = conn_bind(&f->conn, sql);

	db_bind_int(&b, key);
	return db_bind_row(&b);
}

/* *ret: the next id above `above` in the conversation, or 0. */
static int find_next(struct search_feed *f, const char *sql, int64_t conversation, int64_t above,
		     int64_t *ret)
{
	struct db_bind b = conn_bind(&f->conn, sql);

	*ret = 0;
	db_bind_int(&b, conversation);
	db_bind_int(&b, above);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret = db_int(b.st, 0);
	return sqlite3_reset(b.st);
}

static void search_feed_put(struct search_batch *b, struct search_op op, struct str text)
{
	op.text_at = b->texts.len;
	op.text_n = text.n;
	if (b->count == LIMIT_SEARCH_BATCH || !buf_str(&b->texts, text)) {
		b->full = true;
		return;
	}
	b->ops[b->count++] = op;
}

static bool search_feed_spent(const struct search_batch *b)
{
	return b->read_bytes >= b->read_max;
}

/* --- messages --- */

/* Adds a message with a text to the batch.  If there is no room, nothing is added and b->full is
 * set. */
static int search_feed_add_body(struct search_feed *f, struct search_batch *b, struct search_op op,
				struct str body)
{
	b->read_bytes += body.n;
	if (!search_text_read(&f->text, body))
		return SQLITE_NOMEM;
	op.role = (int)f->text.role;
	if (f->text.text.len > 0)
		search_feed_put(b, op, buf_view(&f->text.text));
	return SQLITE_OK;
}

/* Adds the message of the statement's row, unless its content was removed or a batch before had
 * it. */
static int search_feed_add_row(struct search_feed *f, struct search_batch *b, sqlite3_stmt *st)
{
	struct search_op op = { .id = search_index_doc(db_int(st, 0), false),
				.owner = db_int(st, 1),
				.conversation = db_int(st, 2) };

	bool done = db_int(st, 3) < 0;
	int  rc = SQLITE_OK;

	if (!done && f->row != 0 && f->row == f->cut)
		rc = search_index_has(f->index, op.id, &done);
	return rc != SQLITE_OK || done ? rc : search_feed_add_body(f, b, op, db_column(st, 4));
}

static int search_feed_add_message(struct search_feed *f, struct search_batch *b, int64_t id,
				   int64_t *ret_prev)
{
	int rc = search_feed_find(f, sql_message, id);

	*ret_prev = 0;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc; /* the message was deleted */
	sqlite3_stmt *st = conn_st(&f->conn, sql_message);
	*ret_prev = db_int(st, 5);
	return search_feed_add_row(f, b, st);
}

/* Adds the run's answer, and the messages of its request: from the run's parent back to `base`, the
 * message that the first of them follows. */
static int search_feed_read_run(struct search_feed *f, struct search_batch *b, int64_t run)
{
	int64_t prev;
	int     rc = search_feed_find(f, sql_run, run);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	int64_t at = db_int(conn_st(&f->conn, sql_run), 0);
	int64_t base = db_int(conn_st(&f->conn, sql_run), 1);
	(void)sqlite3_reset(conn_st(&f->conn, sql_run));
	rc = search_feed_add_message(f, b, run, &prev);
	for (size_t n = 0;
	     rc == SQLITE_OK && !b->full && at != 0 && at != base && n < LIMIT_BRANCH_LENGTH; n++) {
		rc = search_feed_add_message(f, b, at, &prev);
		at = prev;
	}
	return rc;
}

static int search_feed_add_turn(struct search_feed *f, struct search_batch *b, int64_t run,
				const struct search_turn *t)
{
	struct search_op op = { .owner = t->owner, .conversation = t->conversation };
	int              rc = SQLITE_OK;

	if (t->answer.n > 0) {
		op.id = search_index_doc(run, false);
		rc = search_feed_add_body(f, b, op, t->answer);
	}
	for (size_t i = 0; rc == SQLITE_OK && !b->full && i < t->message_count; i++) {
		op.id = search_index_doc(t->messages[i].id.key, false);
		rc = search_feed_add_body(f, b, op, t->messages[i].body);
	}
	return rc;
}

/* A run that has ended.  One whose row is done once more may have messages in the index already; only the database is
 * asked for it then. */
static int search_feed_add_run(struct search_feed *f, struct search_batch *b, int64_t run)
{
	struct search_turn *t = f->recent ? search_recent_take(f->recent, run) : NULL;
	bool                fresh = t && (f->row == 0 || f->row != f->cut);
	int rc = fresh ? search_feed_add_turn(f, b, run, t) : search_feed_read_run(f, b, run);

	search_turn_free(t);
	return rc;
}

static int search_feed_add_conversation(struct search_feed *f, struct search_batch *b, int64_t seq,
					int64_t conversation)
{
	int64_t next = 1;
	int64_t prev;
	int     rc = SQLITE_OK;

	if (f->at != seq) {
		f->at = seq;
		f->run = 0;
		f->loose = 0;
	}
	while (rc == SQLITE_OK && !b->full && f->run != INT64_MAX) {
		rc = find_next(f, sql_runs, conversation, f->run, &next);
		if (rc == SQLITE_OK && next != 0)
			rc = search_feed_read_run(f, b, next);
		if (rc != SQLITE_OK || b->full)
			break;
		f->run = next == 0 ? INT64_MAX : next;
		b->full = search_feed_spent(b);
	}
	while (rc == SQLITE_OK && !b->full) {
		rc = find_next(f, sql_loose, conversation, f->loose, &next);
		if (rc != SQLITE_OK || next == 0)
			break;
		rc = search_feed_add_message(f, b, next, &prev);
		if (rc != SQLITE_OK || b->full)
			break;
		f->loose = next;
		b->full = search_feed_spent(b);
	}
	return rc;
}

/* --- the queue --- */

static int search_feed_add_runs(struct search_feed *f, struct search_batch *b, struct str runs)
{
	struct str rest = runs;
	int        rc = SQLITE_OK;

	while (rc == SQLITE_OK && !b->full && rest.n > 0) {
		char     *end;
		long long run = strtoll(rest.p, &end, 10); /* SQLite ends the text with a NUL */

		if (end == rest.p)
			return SQLITE_CORRUPT;
		rest.n -= (size_t)(end - rest.p);
		rest.p = end;
		rc = search_feed_add_run(f, b, run);
	}
	return rc;
}

static bool search_feed_is_gone(int64_t kind)
{
	return kind == SEARCH_GONE || kind == SEARCH_TITLE_GONE;
}

static void search_feed_put_title(struct search_batch *b, int64_t conversation, int64_t owner,
				  struct str title)
{
	if (title.n > 0)
		search_feed_put(b,
				(struct search_op){ .id = search_index_doc(conversation, true),
						    .owner = owner,
						    .conversation = conversation,
						    .role = SEARCH_ROLE_TITLE },
				title);
}

/* search_feed_add_title: the title is the row's, not the conversation's, which may be another by now:
 * what removes it has the same text. */
static int search_feed_add_title(struct search_feed *f, struct search_batch *b,
				 int64_t conversation, struct str title)
{
	int rc = search_feed_find(f, sql_owner, conversation);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc; /* the conversation was deleted */
	search_feed_put_title(b, conversation, db_int(conn_st(&f->conn, sql_owner), 0), title);
	return sqlite3_reset(conn_st(&f->conn, sql_owner));
}

/* Does what the statement's row of the queue asks for. */
static int search_feed_take_row(struct search_feed *f, struct search_batch *b, sqlite3_stmt *row)
{
	int64_t seq = db_int(row, 0);
	int64_t kind = db_int(row, 1);
	int64_t key = db_int(row, 2);
	int64_t prev;

	b->gone |= search_feed_is_gone(kind);
	if (search_feed_is_gone(kind))
		search_feed_put(
			b,
			(struct search_op){ .id = search_index_doc(key, kind == SEARCH_TITLE_GONE),
					    .gone = true },
			db_column(row, 3));
	switch (kind) {
	case SEARCH_TITLE: return search_feed_add_title(f, b, key, db_column(row, 3));
	case SEARCH_RUN: return search_feed_read_run(f, b, key);
	case SEARCH_MESSAGE: return search_feed_add_message(f, b, key, &prev);
	case SEARCH_RUNS: return search_feed_add_runs(f, b, db_column(row, 4));
	case SEARCH_CONVERSATION: return search_feed_add_conversation(f, b, seq, key);
	}
	return SQLITE_OK;
}

static int take_queue(struct search_feed *f, struct search_batch *b, size_t most)
{
	int           rc = search_feed_find(f, sql_queue, b->mark.seq);
	sqlite3_stmt *row = conn_st(&f->conn, sql_queue);

	for (size_t n = 0; rc == SQLITE_ROW; n++) {
		int64_t seq = db_int(row, 0);

		/* An import may have added a removed message again, under the same id; the index
		 * must not get both changes in one batch. */
		bool again = b->gone && !search_feed_is_gone(db_int(row, 1));
		b->full = again || n == most || b->count >= most || search_feed_spent(b);
		if (b->full)
			return SQLITE_OK;
		f->row = seq;
		rc = search_feed_take_row(f, b, row);
		f->row = 0;
		if (b->full)
			f->cut = seq;
		if (rc != SQLITE_OK || b->full)
			return rc;
		b->mark.seq = seq;
		rc = db_row(row);
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- messages older than the index --- */

/* take_old_titles: only where the queue is done: a title of now may come before rows that set and
 * remove other ones. */
static int take_old_titles(struct search_feed *f, struct search_batch *b)
{
	if (b->queued || b->gone)
		return SQLITE_OK;

	int           rc = search_feed_find(f, sql_titles, b->mark.titles);
	sqlite3_stmt *row = conn_st(&f->conn, sql_titles);

	while (rc == SQLITE_ROW && !search_feed_spent(b)) {
		int64_t id = db_int(row, 0);

		search_feed_put_title(b, id, db_int(row, 1), db_column(row, 2));
		if (b->full)
			return SQLITE_OK;
		b->read_bytes += db_column(row, 2).n;
		b->mark.titles = id;
		rc = db_row(row);
	}
	b->mark.complete = rc == SQLITE_DONE;
	return b->mark.complete || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int take_old(struct search_feed *f, struct search_batch *b)
{
	int           rc = search_feed_find(f, sql_all, b->mark.built);
	sqlite3_stmt *row = conn_st(&f->conn, sql_all);

	b->read_bytes = 0;
	while (rc == SQLITE_ROW && !search_feed_spent(b)) {
		int64_t id = db_int(row, 0);

		rc = search_feed_add_row(f, b, row);
		if (rc != SQLITE_OK || b->full)
			return rc;
		b->mark.built = id;
		rc = db_row(row);
	}
	if (rc == SQLITE_DONE)
		return take_old_titles(f, b);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int search_feed_fill_batch(struct search_feed *f, bool rebuild, struct search_batch *b)
{
	bool old = rebuild && !b->mark.complete;
	/* New messages come first, but old ones have half of each batch, so neither waits for
	 * ever. */
	b->read_max = LIMIT_SEARCH_BATCH_READ / (old ? 2 : 1);
	int  rc = take_queue(f, b, (size_t)LIMIT_SEARCH_BATCH / (old ? 2 : 1));
	bool more = b->full; /* in the queue */

	b->full = false;
	b->queued = more;
	if (rc == SQLITE_OK && old && !b->gone)
		rc = take_old(f, b);
	b->full = more || (old && !b->mark.complete);
	return rc;
}

int search_feed_waiting(struct search_feed *f, int64_t seq, int64_t *ret)
{
	int rc = search_feed_find(f, sql_waiting, seq);

	if (rc != SQLITE_ROW)
		return rc;
	*ret = db_int(conn_st(&f->conn, sql_waiting), 0);
	(void)sqlite3_reset(conn_st(&f->conn, sql_waiting));
	return SQLITE_OK;
}

int search_feed_fill(struct search_feed *f, struct search_index *x, bool rebuild,
		     struct search_batch *b, int64_t *ret_waiting)
{
	b->count = 0;
	b->read_bytes = 0;
	b->full = false;
	b->gone = false;
	b->mark = x->mark;
	f->index = x;
	buf_clear(&b->texts);
	int rc = conn_begin(&f->conn);
	if (rc == SQLITE_OK)
		rc = search_feed_fill_batch(f, rebuild, b);
	if (rc == SQLITE_OK)
		rc = search_feed_waiting(f, b->mark.seq, ret_waiting);
	conn_reset(&f->conn);
	conn_rollback(&f->conn);
	return rc;
}

/* The feed's place in a conversation is past the messages that were lost with the batch. */
void search_feed_again(struct search_feed *f)
{
	f->at = 0;
}
