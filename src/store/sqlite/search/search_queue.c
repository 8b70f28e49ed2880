/* The queue of the search index, as the writer sees it. */
#include "store/sqlite/search/search_queue.h"

#include "base/limits.h"
#include "store/sqlite/search/search_recent.h"

enum {
	CLEAR_ROWS = 256, /* rows in one call; usually takes a third of a millisecond */
	RUN_BYTES = 20,   /* an id and a blank */
};

static const char sql_note[] = "INSERT INTO search_queue (kind, id) VALUES (?,?)";
static const char sql_note_runs[] = "INSERT INTO search_queue (kind, id, runs) VALUES (5,?,?)";
static const char sql_body[] = "SELECT body, run FROM message WHERE id = ?";
static const char sql_note_gone[] = "INSERT INTO search_queue (kind, id, text) VALUES (4,?,?)";
/* The last row stays, so that its seq is not used again. */
static const char sql_clear[] = "DELETE FROM search_queue WHERE seq <= min(?1, "
				"(SELECT seq FROM search_queue ORDER BY seq LIMIT 1) + ?2, "
				"(SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1) - 1) "
				"RETURNING kind IN (4,7) AND text IS NOT NULL";
static const char sql_clear_text[] =
	"UPDATE search_queue SET text = NULL WHERE text IS NOT NULL AND seq <= ?1 AND seq = "
	"(SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1) RETURNING kind IN (4,7)";
static const char sql_first[] =
	"SELECT (SELECT seq FROM search_queue ORDER BY seq LIMIT 1) <= min(?1, "
	"(SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1) - 1)";

void search_queue_init(struct search_queue *q, struct conn *conn)
{
	q->conn = conn;
	search_text_init(&q->text);
	buf_init(&q->runs, LIMIT_STORE_BATCH * RUN_BYTES);
}

void search_queue_finish(struct search_queue *q)
{
	search_text_finish(&q->text);
	buf_finish(&q->runs);
}

void search_queue_told(struct search_queue *q)
{
	buf_clear(&q->runs);
	q->run_count = 0;
	q->noted = 0;
	q->gone = false;
}

int search_queue_note(struct search_queue *q, enum search_kind kind, int64_t key)
{
	struct db_bind b = conn_bind(q->conn, sql_note);

	db_bind_int(&b, (int64_t)kind);
	db_bind_int(&b, key);
	q->noted++;
	return db_bind_run(&b);
}

int search_queue_run(struct search_queue *q, int64_t run)
{
	/* Ends that could not be written before may add to those of a whole batch. */
	int rc = q->runs.max - q->runs.len < RUN_BYTES ? search_queue_put(q) : SQLITE_OK;

	if (rc != SQLITE_OK)
		return rc;
	if ((q->run_count > 0 && !buf_text(&q->runs, " ")) || !buf_int(&q->runs, run))
		return SQLITE_NOMEM;
	q->run_count++;
	return SQLITE_OK;
}

int search_queue_put(struct search_queue *q)
{
	if (q->run_count == 0)
		return SQLITE_OK;

	struct db_bind b = conn_bind(q->conn, sql_note_runs);
	db_bind_int(&b, q->run_count);
	db_bind_text(&b, buf_view(&q->runs));
	int rc = db_bind_run(&b);
	q->noted += q->run_count;
	buf_clear(&q->runs);
	q->run_count = 0;
	return rc;
}

/* The queue gets the message's text, which the index needs to remove the message, and nothing else
 * of the deleted body. */
int search_queue_gone(struct search_queue *q, int64_t message)
{
	struct db_bind b = conn_bind(q->conn, sql_body);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, message);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	bool read = search_text_read(&q->text, db_column(st, 0));
	/* Unless its turn has ended in an earlier transaction, it is queued after this row. */
	search_recent_drop(q->recent, db_int(st, 1));
	(void)sqlite3_reset(st);
	if (!read)
		return SQLITE_NOMEM;
	if (q->text.text.len == 0)
		return SQLITE_OK;

	struct db_bind note = conn_bind(q->conn, sql_note_gone);
	db_bind_int(&note, message);
	db_bind_text(&note, buf_view(&q->text.text));
	q->noted++;
	q->gone = true;
	return db_bind_run(&note);
}

void search_queue_title(struct search_queue *q, bool gone)
{
	q->noted++;
	q->gone |= gone;
}

/* search_queue_run_clear: runs a statement that returns of each row it clears whether it had the text of something
 * removed. */
static int search_queue_run_clear(struct search_queue *q, struct db_bind *b)
{
	int rc = db_bind_row(b);

	for (; rc == SQLITE_ROW; rc = db_row(b->st))
		q->cleared |= db_int(b->st, 0) != 0;
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int search_queue_clear(struct search_queue *q, int64_t upto, bool *ret_again)
{
	struct db_bind clear = conn_bind(q->conn, sql_clear);
	struct db_bind text = conn_bind(q->conn, sql_clear_text);
	struct db_bind first = conn_bind(q->conn, sql_first);

	*ret_again = false;
	db_bind_int(&clear, upto);
	db_bind_int(&clear, CLEAR_ROWS);
	int rc = search_queue_run_clear(q, &clear);
	if (rc != SQLITE_OK)
		return rc;
	db_bind_int(&text, upto);
	rc = search_queue_run_clear(q, &text);
	if (rc != SQLITE_OK)
		return rc;
	db_bind_int(&first, upto);
	rc = db_bind_row(&first);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret_again = db_int(first.st, 0) != 0;
	return sqlite3_reset(first.st);
}
