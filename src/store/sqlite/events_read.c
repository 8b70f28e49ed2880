/* Reads a page of a run's event log, and the state of the run. */
#include "base/limits.h"
#include "store/events.h"
#include "store/sql/cells.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/op.h"

static const char sql_state[] = EVENTS_CELL ", r.events_from, r.events_to " EVENTS_CELL_FROM;
static const char sql_parts[] = "SELECT ifnull((SELECT part FROM event ORDER BY id LIMIT 1), 1), "
				"ifnull((SELECT part FROM event ORDER BY id DESC LIMIT 1), 0)";
static const char sql_head[] = "SELECT head FROM event WHERE part = ? AND run = ? "
			       "ORDER BY last LIMIT 1";
static const char sql_pieces[] = "SELECT first, last, data FROM event WHERE part = ? AND run = ? "
				 "AND last > ? ORDER BY last";
static const char sql_answer[] = "SELECT body FROM message WHERE id = ?";

/* The parts that pieces of a run may lie in, both included. */
struct span {
	int64_t from;
	int64_t to;
};

static int events_read_state(struct session *s, struct events_read *j, struct span *ret,
			     bool *ret_logged)
{
	struct db_bind b = conn_bind(s->conn, sql_state);

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE)
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such run");
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	if (!events_cell_keep(row_of(b.st), j))
		return SQLITE_OK;
	bool to_known = sqlite3_column_type(b.st, EVENTS_CELL_END + 1) != SQLITE_NULL;
	*ret = (struct span){ db_int(b.st, EVENTS_CELL_END),
			      to_known ? db_int(b.st, EVENTS_CELL_END + 1) : INT64_MAX };
	/* A run that is older than the log has no events, like a swept one. */
	*ret_logged = !to_known || ret->to > 0;
	return SQLITE_OK;
}

static int clamp_span(struct session *s, struct span *p)
{
	sqlite3_stmt *st;
	int           rc = conn_row(s->conn, sql_parts, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (p->from == 0)
		p->to = 0; /* no log */
	if (p->from < db_int(st, 0))
		p->from = db_int(st, 0);
	if (p->to > db_int(st, 1))
		p->to = db_int(st, 1);
	return SQLITE_OK;
}

/* Moves p->from on to the first piece.  *ret_head: the log's beginning is there. */
static int find_head(struct session *s, const struct events_read *j, struct span *p, bool *ret_head)
{
	*ret_head = false;
	for (; p->from <= p->to; p->from++) {
		struct db_bind b = conn_bind(s->conn, sql_head);

		db_bind_int(&b, p->from);
		db_bind_int(&b, j->run.key);
		int rc = db_bind_row(&b);
		if (rc == SQLITE_ROW)
			*ret_head = db_int(b.st, 0) != 0;
		if (rc != SQLITE_DONE)
			return rc == SQLITE_ROW ? SQLITE_OK : rc;
	}
	return SQLITE_OK;
}

struct link {
	struct link        *next;
	struct events_piece piece;
};

struct page {
	struct link  *first;
	struct link **end;
	size_t        bytes;
	bool          full;
};

static void events_read_add_piece(struct events_read *j, sqlite3_stmt *st, struct page *p)
{
	struct str data = db_blob(st, 2);
	/* With its place in the array that all of them come into. */
	size_t room = data.n + 2 * sizeof(struct link) +
		      (j->piece_count + 1) * sizeof(struct events_piece);

	p->full =
		j->piece_count > 0 && (data.n > j->page_bytes || p->bytes > j->page_bytes - data.n);
	if (p->full)
		return;
	if (!cell_fits(&j->arena, room)) {
		p->full = true;
		if (j->piece_count == 0)
			err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
				"a piece of the run's events is larger than the %zu KiB that can "
				"be read at once",
				j->arena.max / KIB);
		return;
	}
	struct link *l = arena_alloc(&j->arena, sizeof *l);
	struct str   copy = l ? arena_str(&j->arena, data) : STR_NONE;
	if (!l || !copy.p) {
		cell_no_memory(&j->job.err);
		return;
	}
	l->piece = (struct events_piece){ j->run, (uint64_t)db_int(st, 0), (uint64_t)db_int(st, 1),
					  copy };
	*p->end = l;
	p->end = &l->next;
	p->bytes += data.n;
	j->piece_count++;
}

static int events_read_pieces(struct session *s, struct events_read *j, struct span span,
			      struct page *p)
{
	for (int64_t part = span.from; part <= span.to; part++) {
		struct db_bind b = conn_bind(s->conn, sql_pieces);

		db_bind_int(&b, part);
		db_bind_int(&b, j->run.key);
		db_bind_int(&b, j->after > INT64_MAX ? INT64_MAX : (int64_t)j->after);
		int rc = db_bind_row(&b);
		for (; rc == SQLITE_ROW; rc = db_row(b.st)) {
			events_read_add_piece(j, b.st, p);
			if (p->full || j->job.err.code != ERR_OK)
				return SQLITE_OK;
		}
		if (rc != SQLITE_DONE)
			return rc;
	}
	return SQLITE_OK;
}

static void events_read_flatten(struct events_read *j, const struct link *list)
{
	if (j->piece_count == 0)
		return;
	j->pieces = arena_alloc(&j->arena, j->piece_count * sizeof *j->pieces);
	if (!j->pieces) {
		cell_no_memory(&j->job.err);
		return;
	}
	for (size_t i = 0; list; i++, list = list->next)
		j->pieces[i] = list->piece;
}

/* Only if nothing was logged, because the answer may be as long as all pages together. */
static int read_answer(struct session *s, struct events_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_answer);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, j->run.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	if (cell_fits(&j->arena, (size_t)sqlite3_column_bytes(st, 0))) {
		if (!cell_keep(&j->arena, row_of(st), 0, &j->answer, &j->job.err))
			j->answer = STR_NONE;
		return SQLITE_OK;
	}
	err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
		"the answer is larger than the %zu KiB that can be read at once",
		j->arena.max / KIB);
	return SQLITE_OK;
}

static int read_events(struct session *s, struct events_read *j)
{
	struct page p = { .end = &p.first };
	struct span span = { 0 };
	struct err *e = &j->job.err;
	bool        logged = false;
	bool        head = false;

	j->pieces = NULL;
	j->piece_count = 0;
	j->has_more = j->swept = false;
	j->answer = STR_NONE;

	int rc = events_read_state(s, j, &span, &logged);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	rc = clamp_span(s, &span);
	if (rc == SQLITE_OK)
		rc = find_head(s, j, &span, &head);
	if (rc != SQLITE_OK)
		return rc;

	bool ended = j->status > RUN_RUNNING;
	j->swept = ended && logged && !head;
	if (!j->swept)
		rc = events_read_pieces(s, j, span, &p);
	if (rc == SQLITE_OK && e->code == ERR_OK)
		events_read_flatten(j, p.first);
	j->has_more = p.full;
	if (rc == SQLITE_OK && e->code == ERR_OK && ended && !head)
		rc = read_answer(s, j);
	return rc;
}

OP(events_read, read_events);
