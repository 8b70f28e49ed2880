/* The queue of the search index, as the writer sees it. */
#include "store/sqlite/search/search_queue.h"

enum { CLEAR_ROWS = 256 }; /* at once: a third of a millisecond, as a rule */

static const char *const sql[SEARCH_QUEUE_SQL__COUNT] = {
	[SEARCH_QUEUE_SQL_NOTE] = "INSERT INTO search_queue (kind, id) VALUES (?,?)",
	[SEARCH_QUEUE_SQL_BODY] = "SELECT body FROM message WHERE id = ?",
	[SEARCH_QUEUE_SQL_NOTE_GONE] = "INSERT INTO search_queue (kind, id, text) VALUES (4,?,?)",
	/* The last row stays: its seq must not be used again. */
	[SEARCH_QUEUE_SQL_CLEAR] =
		"DELETE FROM search_queue WHERE seq <= min(?1, "
		"(SELECT seq FROM search_queue ORDER BY seq LIMIT 1) + ?2, "
		"(SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1) - 1)",
	[SEARCH_QUEUE_SQL_CLEAR_TEXT] =
		"UPDATE search_queue SET text = NULL WHERE text IS NOT NULL AND seq <= ?1 AND seq = "
		"(SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1)",
	[SEARCH_QUEUE_SQL_FIRST] =
		"SELECT (SELECT seq FROM search_queue ORDER BY seq LIMIT 1) <= min(?1, "
		"(SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1) - 1)",
};

enum errc search_queue_prepare(struct search_queue *q, sqlite3 *db, struct err *e)
{
	search_text_init(&q->text);
	return db_prepare(db, sql, SEARCH_QUEUE_SQL__COUNT, q->st, e);
}

void search_queue_finish(struct search_queue *q)
{
	db_finalize(q->st, SEARCH_QUEUE_SQL__COUNT);
	search_text_finish(&q->text);
}

int search_queue_note(struct search_queue *q, enum search_kind kind, int64_t key)
{
	struct db_bind b = db_bind(q->st[SEARCH_QUEUE_SQL_NOTE]);

	db_bind_int(&b, (int64_t)kind);
	db_bind_int(&b, key);
	q->noted = true;
	return db_bind_run(&b);
}

/* The text, not the body: nothing else of it has to stay, were it for a moment. */
int search_queue_gone(struct search_queue *q, int64_t message)
{
	sqlite3_stmt  *st = q->st[SEARCH_QUEUE_SQL_BODY];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, message);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	bool read = search_text_read(&q->text, db_column(st, 0));
	(void)sqlite3_reset(st);
	if (!read)
		return SQLITE_NOMEM;
	if (q->text.text.len == 0)
		return SQLITE_OK;

	struct db_bind note = db_bind(q->st[SEARCH_QUEUE_SQL_NOTE_GONE]);
	db_bind_int(&note, message);
	db_bind_text(&note, buf_view(&q->text.text));
	q->noted = true;
	return db_bind_run(&note);
}

int search_queue_clear(struct search_queue *q, int64_t upto, bool *ret_again)
{
	struct db_bind clear = db_bind(q->st[SEARCH_QUEUE_SQL_CLEAR]);
	struct db_bind text = db_bind(q->st[SEARCH_QUEUE_SQL_CLEAR_TEXT]);
	struct db_bind first = db_bind(q->st[SEARCH_QUEUE_SQL_FIRST]);

	*ret_again = false;
	db_bind_int(&clear, upto);
	db_bind_int(&clear, CLEAR_ROWS);
	int rc = db_bind_run(&clear);
	if (rc != SQLITE_OK)
		return rc;
	db_bind_int(&text, upto);
	rc = db_bind_run(&text);
	if (rc != SQLITE_OK)
		return rc;
	db_bind_int(&first, upto);
	rc = db_bind_row(&first);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret_again = db_int(first.st, 0) != 0;
	return sqlite3_reset(first.st);
}
