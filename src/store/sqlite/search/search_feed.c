/* Fills batches for the index: first from the queue, then with messages older than the index. */
#include "store/sqlite/search/search_feed.h"

static const char sql_source[] =
	"SELECT instance, ifnull((SELECT seq FROM search_queue ORDER BY seq LIMIT 1), 0), "
	"ifnull((SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1), 0) "
	"FROM search_source";
static const char sql_queue[] =
	"SELECT seq, kind, id, text FROM search_queue WHERE seq > ? ORDER BY seq LIMIT 1";
static const char sql_message[] =
	"SELECT id, owner, conversation, run, body, prev FROM message WHERE id = ?";
static const char sql_run[] = "SELECT parent, base FROM run WHERE id = ?";
static const char sql_runs[] = "SELECT id FROM run INDEXED BY run_conversation "
			       "WHERE conversation = ? AND id > ? ORDER BY id LIMIT 1";
static const char sql_loose[] =
	"SELECT id FROM message INDEXED BY message_loose "
	"WHERE conversation = ? AND run BETWEEN -1 AND 0 AND id > ? ORDER BY id LIMIT 1";
static const char sql_all[] = "SELECT id, owner, conversation, run, body FROM message "
			      "WHERE id > ? ORDER BY id LIMIT 1";

enum errc search_feed_open(struct search_feed *f, const char *path, int64_t busy_ms, struct err *e)
{
	*f = (struct search_feed){ .at = 0 };
	search_text_init(&f->text);
	buf_init(&f->body, LIMIT_STORE_ROW);
	return conn_open(&f->conn, path, DB_READ, busy_ms, e);
}

void search_feed_close(struct search_feed *f)
{
	conn_close(&f->conn);
	search_text_finish(&f->text);
	buf_finish(&f->body);
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
	if (b->count == ARRAY_LEN(b->ops) || !buf_str(&b->texts, text)) {
		b->full = true;
		return;
	}
	b->ops[b->count++] = op;
}

static bool search_feed_spent(const struct search_batch *b)
{
	return b->read_bytes >= LIMIT_SEARCH_BATCH_READ;
}

/* --- messages --- */

/* Adds the message of the statement's row to the batch, unless the index has this message or its
 * content was removed, and resets the statement.  If there is no room, nothing is added and b->full
 * is set. */
static int search_feed_add_row(struct search_feed *f, struct search_index *x,
			       struct search_batch *b, sqlite3_stmt *st)
{
	struct search_op op = { .id = db_int(st, 0),
				.owner = db_int(st, 1),
				.conversation = db_int(st, 2) };
	bool             has = db_int(st, 3) < 0;
	int              rc = has ? SQLITE_OK : search_index_has(x, op.id, &has);

	buf_clear(&f->body);
	if (rc == SQLITE_OK && !has && !buf_str(&f->body, db_column(st, 4)))
		rc = SQLITE_NOMEM;
	(void)sqlite3_reset(st);
	if (rc != SQLITE_OK || has)
		return rc;
	b->read_bytes += f->body.len;
	if (!search_text_read(&f->text, buf_view(&f->body)))
		return SQLITE_NOMEM;
	op.role = (int)f->text.role;
	if (f->text.text.len > 0)
		search_feed_put(b, op, buf_view(&f->text.text));
	return SQLITE_OK;
}

static int search_feed_add_message(struct search_feed *f, struct search_index *x,
				   struct search_batch *b, int64_t id, int64_t *ret_prev)
{
	int rc = search_feed_find(f, sql_message, id);

	*ret_prev = 0;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc; /* the message was deleted */
	*ret_prev = db_int(conn_st(&f->conn, sql_message), 5);
	return search_feed_add_row(f, x, b, conn_st(&f->conn, sql_message));
}

/* Adds the run's answer, and the messages of its request: from the run's parent back to `base`, the
 * message that the first of them follows. */
static int search_feed_add_run(struct search_feed *f, struct search_index *x,
			       struct search_batch *b, int64_t run)
{
	int64_t prev;
	int     rc = search_feed_find(f, sql_run, run);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	int64_t at = db_int(conn_st(&f->conn, sql_run), 0);
	int64_t base = db_int(conn_st(&f->conn, sql_run), 1);
	(void)sqlite3_reset(conn_st(&f->conn, sql_run));
	rc = search_feed_add_message(f, x, b, run, &prev);
	for (size_t n = 0;
	     rc == SQLITE_OK && !b->full && at != 0 && at != base && n < LIMIT_BRANCH_LENGTH; n++) {
		rc = search_feed_add_message(f, x, b, at, &prev);
		at = prev;
	}
	return rc;
}

static int search_feed_add_conversation(struct search_feed *f, struct search_index *x,
					struct search_batch *b, int64_t seq, int64_t conversation)
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
			rc = search_feed_add_run(f, x, b, next);
		if (rc != SQLITE_OK || b->full)
			break;
		f->run = next == 0 ? INT64_MAX : next;
		b->full = search_feed_spent(b);
	}
	while (rc == SQLITE_OK && !b->full) {
		rc = find_next(f, sql_loose, conversation, f->loose, &next);
		if (rc != SQLITE_OK || next == 0)
			break;
		rc = search_feed_add_message(f, x, b, next, &prev);
		if (rc != SQLITE_OK || b->full)
			break;
		f->loose = next;
		b->full = search_feed_spent(b);
	}
	return rc;
}

/* --- the queue --- */

/* Does what the statement's row of the queue asks for, and resets the statement. */
static int search_feed_take_row(struct search_feed *f, struct search_index *x,
				struct search_batch *b, sqlite3_stmt *row)
{
	int64_t seq = db_int(row, 0);
	int64_t kind = db_int(row, 1);
	int64_t key = db_int(row, 2);
	int64_t prev;

	b->gone |= kind == SEARCH_GONE;
	if (kind == SEARCH_GONE)
		search_feed_put(b, (struct search_op){ .id = key, .gone = true },
				db_column(row, 3));
	(void)sqlite3_reset(row);
	switch (kind) {
	case SEARCH_RUN: return search_feed_add_run(f, x, b, key);
	case SEARCH_MESSAGE: return search_feed_add_message(f, x, b, key, &prev);
	case SEARCH_CONVERSATION: return search_feed_add_conversation(f, x, b, seq, key);
	}
	return SQLITE_OK;
}

static int take_queue(struct search_feed *f, struct search_index *x, struct search_batch *b,
		      size_t most)
{
	int rc = SQLITE_OK;

	for (size_t n = 0; rc == SQLITE_OK && !b->full; n++) {
		rc = search_feed_find(f, sql_queue, b->mark.seq);
		if (rc != SQLITE_ROW)
			return rc == SQLITE_DONE ? SQLITE_OK : rc;
		sqlite3_stmt *row = conn_st(&f->conn, sql_queue);
		int64_t       seq = db_int(row, 0);

		/* An import may have added a removed message again, under the same id; the index
		 * must not get both changes in one batch. */
		bool again = b->gone && db_int(row, 1) != SEARCH_GONE;
		if (again || n == most || b->count >= most || search_feed_spent(b)) {
			b->full = true;
			return sqlite3_reset(row);
		}
		rc = search_feed_take_row(f, x, b, row);
		if (rc == SQLITE_OK && !b->full)
			b->mark.seq = seq;
	}
	return rc;
}

/* --- messages older than the index --- */

static int take_old(struct search_feed *f, struct search_index *x, struct search_batch *b)
{
	sqlite3_stmt *st = conn_st(&f->conn, sql_all);
	int           rc = SQLITE_OK;

	b->read_bytes = 0;
	while (rc == SQLITE_OK && !b->full && !search_feed_spent(b)) {
		rc = search_feed_find(f, sql_all, b->mark.built);
		if (rc == SQLITE_DONE) {
			b->mark.complete = true;
			return SQLITE_OK;
		}
		if (rc != SQLITE_ROW)
			return rc;
		int64_t id = db_int(st, 0);
		rc = search_feed_add_row(f, x, b, st);
		if (rc == SQLITE_OK && !b->full)
			b->mark.built = id;
	}
	return rc;
}

static int search_feed_fill_batch(struct search_feed *f, struct search_index *x, bool rebuild,
				  struct search_batch *b)
{
	bool old = rebuild && !b->mark.complete;
	/* New messages come first, but old ones have half of each batch, so neither waits for
	 * ever. */
	int  rc = take_queue(f, x, b, old ? ARRAY_LEN(b->ops) / 2 : ARRAY_LEN(b->ops));
	bool more = b->full; /* in the queue */

	b->full = false;
	if (rc == SQLITE_OK && old && !b->gone)
		rc = take_old(f, x, b);
	b->full = more || (old && !b->mark.complete);
	return rc;
}

int search_feed_fill(struct search_feed *f, struct search_index *x, bool rebuild,
		     struct search_batch *b, int64_t *ret_waiting)
{
	struct search_source source = { .last = 0 };

	b->count = 0;
	b->read_bytes = 0;
	b->full = false;
	b->gone = false;
	b->mark = x->mark;
	buf_clear(&b->texts);
	int rc = search_feed_fill_batch(f, x, rebuild, b);
	if (rc == SQLITE_OK)
		rc = search_feed_source(f, &source);
	if (rc == SQLITE_OK)
		*ret_waiting = source.last > b->mark.seq ? source.last - b->mark.seq : 0;
	return rc;
}
