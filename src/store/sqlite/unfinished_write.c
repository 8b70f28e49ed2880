/* Writes waiting ends and settlements with the writer's next commit, and reads the logs of runs without an end. */
#include "base/log.h"
#include "store/common/salvage.h"
#include "store/sqlite/budgets.h"
#include "store/sqlite/recover.h"
#include "store/sqlite/turn_end.h"
#include "store/turn.h"

static const char sql_piece[] = "SELECT first, last, data FROM event WHERE id = ?";
static const char sql_run[] = "SELECT ifnull(events_from, 0) FROM run "
			      "WHERE id = ? AND secret = ? AND status < 2";
static const char sql_find[] = "SELECT id FROM event WHERE part = ? AND run = ? ORDER BY last";

int salvage_read_add(struct salvage_read *r, struct id run, int64_t piece)
{
	struct db_bind b = conn_bind(r->conn, sql_piece);
	sqlite3_stmt  *st = b.st;

	if (r->salvage.full)
		return SQLITE_OK;
	db_bind_int(&b, piece);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	bool added = salvage_add(&r->salvage, &(struct events_piece){
						      .run = run,
						      .first = (uint64_t)db_int(st, 0),
						      .last = (uint64_t)db_int(st, 1),
						      .data = db_blob(st, 2),
					      });

	rc = sqlite3_reset(st);
	return added ? rc : SQLITE_NOMEM;
}

/* *ret_from: the part in which the run's log begins, 0 if it has none; -1: the run was deleted, or
 * has an end. */
static int salvage_read_find(struct salvage_read *r, struct id run, int64_t *ret_from)
{
	struct db_bind b = conn_bind(r->conn, sql_run);
	sqlite3_stmt  *st = b.st;

	*ret_from = -1;
	db_bind_int(&b, run.key);
	db_bind_secret(&b, run.secret);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret_from = db_int(st, 0);
	return sqlite3_reset(st);
}

static int salvage_read_part(struct salvage_read *r, struct id run, int64_t part)
{
	struct db_bind b = conn_bind(r->conn, sql_find);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, part);
	db_bind_int(&b, run.key);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		int added = salvage_read_add(r, run, db_int(st, 0));

		if (added != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return added;
		}
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A log that can't be read is reported, and the run ends without an answer, because damage in the
 * log of one run must not keep the store from writing. */
static int salvage_read_pieces(struct salvage_read *r, struct id run, int64_t from, int64_t to)
{
	int rc = SQLITE_OK;

	salvage_begin(&r->salvage);
	for (int64_t part = from; rc == SQLITE_OK && from > 0 && part <= to; part++)
		rc = salvage_read_part(r, run, part);
	if (rc == SQLITE_OK || rc == SQLITE_NOMEM)
		return rc;
	log_note(LOG_ERROR, "events_damaged",
		 "the events of a run without an end can't be read: %s", sqlite3_errstr(rc));
	salvage_begin(&r->salvage);
	return SQLITE_OK;
}

/* salvage_read_run: reads all pieces of a run.  *ret_live false: the run was deleted, or has an end. */
static int salvage_read_run(struct salvage_read *r, struct events *events, struct id run,
			    bool *ret_live)
{
	int64_t from;
	int64_t to = 0;
	int     rc = salvage_read_find(r, run, &from);

	*ret_live = rc == SQLITE_OK && from >= 0;
	if (!*ret_live)
		return rc;
	rc = events_part(events, &to);
	return rc == SQLITE_OK ? salvage_read_pieces(r, run, from, to) : rc;
}

/* After so many bytes of logs and answers, a transaction takes no further end.  The jobs of the
 * batch share this transaction; if it were large, a nearly full disk would refuse them too. */
enum { END_BYTES = 1024 * 1024 };

/* A run that was deleted or has an end by now gets none. */
static int write_end(struct session *s, const struct unfinished_end *was)
{
	struct turn_end end;
	bool            live = false;
	/* The usage is booked nowhere else, so a conversation deleted meanwhile does not matter. */
	int rc = was->noted ? budgets_settle(s->conn, &was->note) : SQLITE_OK;

	if (rc == SQLITE_OK)
		rc = salvage_read_run(s->salvage, &s->events, was->run, &live);
	if (rc != SQLITE_OK || !live)
		return rc;
	unfinished_made(was, &s->salvage->salvage, &end);
	return turn_end(s, &end);
}

static int write_ends(struct session *s)
{
	struct unfinished *u = s->unfinished;
	size_t             bytes = 0;
	int                rc = SQLITE_OK;

	for (u->ends_done = 0; u->ends_done < u->end_count && bytes < END_BYTES; u->ends_done++) {
		rc = write_end(s, &u->ends[u->ends_done]);
		bytes += s->salvage->salvage.bytes.len + s->salvage->salvage.answer.len;
		if (rc == SQLITE_OK)
			continue;
		if (db_own_fault(rc)) /* the next start finds the unfinished run */
			unfinished_forget_ends(u, u->ends_done, 1);
		break;
	}
	salvage_begin(&s->salvage->salvage);
	return rc;
}

static int write_notes(struct session *s)
{
	struct unfinished *u = s->unfinished;
	int                rc = SQLITE_OK;

	for (u->notes_done = 0; rc == SQLITE_OK && u->notes_done < u->note_count; u->notes_done++)
		rc = budgets_settle(s->conn, &u->notes[u->notes_done]);
	if (rc != SQLITE_OK && db_own_fault(rc))
		unfinished_forget_notes(u, u->notes_done - 1, 1);
	return rc;
}

int unfinished_write(struct session *s)
{
	int rc = write_ends(s);

	return rc == SQLITE_OK ? write_notes(s) : rc;
}
