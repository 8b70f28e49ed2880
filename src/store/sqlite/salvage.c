/* Reads the pieces of a run, and makes an answer of them. */
#include "store/sqlite/salvage.h"

#include "base/limits.h"
#include "base/log.h"
#include "msg/event_code.h"
#include "store/events.h"

#include <stdlib.h>

/* LOG_BYTES: of one run's log, more is not read; the answer is then made of the beginning.
 * KEPT_BYTES: a larger buffer is freed after its run. */
enum { LOG_BYTES = 256 * 1024 * 1024, KEPT_BYTES = 1024 * 1024 };

static const char sql_piece[] = "SELECT first, last, data FROM event WHERE id = ?";
static const char sql_run[] = "SELECT ifnull(events_from, 0) FROM run "
			      "WHERE id = ? AND secret = ? AND status < 2";
static const char sql_find[] = "SELECT id FROM event WHERE part = ? AND run = ? ORDER BY last";

void salvage_init(struct salvage *v, struct conn *conn, salvage_assemble_fn *assemble)
{
	*v = (struct salvage){ .conn = conn, .assemble = assemble };
	buf_init(&v->bytes, LOG_BYTES);
	buf_init(&v->answer, LIMIT_BODY_MAX);
}

void salvage_finish(struct salvage *v)
{
	buf_finish(&v->bytes);
	buf_finish(&v->answer);
	free(v->pieces);
	v->pieces = NULL;
}

/* --- pieces --- */

static void salvage_empty(struct buf *b)
{
	if (b->cap > KEPT_BYTES)
		buf_finish(b);
	else
		buf_clear(b);
}

void salvage_begin(struct salvage *v)
{
	v->count = 0;
	v->full = false;
	salvage_empty(&v->bytes);
	salvage_empty(&v->answer);
}

static bool salvage_grow(struct salvage *v)
{
	if (v->count < v->cap)
		return true;

	size_t               cap = v->cap ? 2 * v->cap : 64;
	struct events_piece *grown = realloc(v->pieces, cap * sizeof *grown);
	if (!grown)
		return false;
	v->pieces = grown;
	v->cap = cap;
	return true;
}

int salvage_add(struct salvage *v, struct id run, int64_t piece)
{
	struct db_bind b = conn_bind(v->conn, sql_piece);
	sqlite3_stmt  *st = b.st;

	if (v->full)
		return SQLITE_OK;
	db_bind_int(&b, piece);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (!salvage_grow(v)) {
		(void)sqlite3_reset(st);
		return SQLITE_NOMEM;
	}

	struct str data = db_blob(st, 2);
	v->full = !buf_str(&v->bytes, data);
	if (!v->full)
		v->pieces[v->count++] = (struct events_piece){
			.run = run,
			.first = (uint64_t)db_int(st, 0),
			.last = (uint64_t)db_int(st, 1),
			.data = { NULL, data.n },
		};
	return sqlite3_reset(st);
}

/* EVENT_ASKED comes from the gateway, so this record does not show that the provider answered. */
static struct salvage_told look_through(const struct salvage *v)
{
	struct salvage_told told = { 0 };
	struct event        ev;
	uint64_t            seq;

	for (size_t i = 0; i < v->count; i++) {
		struct str data = v->pieces[i].data;

		while (event_decode(&data, &ev, &seq)) {
			told.begun |= ev.kind != EVENT_ASKED;
			told.bytes += event_weight(&ev);
			if (ev.kind == EVENT_USAGE)
				told.usage = ev.usage;
		}
	}
	return told;
}

struct str salvage_make(struct salvage *v, struct salvage_told *ret)
{
	const char *data = v->bytes.data;

	for (size_t i = 0; i < v->count; data += v->pieces[i++].data.n)
		v->pieces[i].data.p = data;
	*ret = look_through(v);
	buf_clear(&v->answer);
	if (v->assemble && v->count > 0 && v->assemble(v->pieces, v->count, &v->answer))
		return buf_view(&v->answer);
	return STR_NONE;
}

/* --- a run whose end was lost --- */

/* *ret_from: the part in which the run's log begins, 0 if it has none; -1: the run was deleted, or
 * has an end. */
static int salvage_find_run(struct salvage *v, struct id run, int64_t *ret_from)
{
	struct db_bind b = conn_bind(v->conn, sql_run);
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

static int salvage_read_part(struct salvage *v, struct id run, int64_t part)
{
	struct db_bind b = conn_bind(v->conn, sql_find);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, part);
	db_bind_int(&b, run.key);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		int added = salvage_add(v, run, db_int(st, 0));

		if (added != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return added;
		}
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A log that can't be read is reported, and the run ends without an answer, because damage in the
 * log of one run must not keep the store from writing. */
static int salvage_read_pieces(struct salvage *v, struct id run, int64_t from, int64_t to)
{
	int rc = SQLITE_OK;

	salvage_begin(v);
	for (int64_t part = from; rc == SQLITE_OK && from > 0 && part <= to; part++)
		rc = salvage_read_part(v, run, part);
	if (rc == SQLITE_OK || rc == SQLITE_NOMEM)
		return rc;
	log_note(LOG_ERROR, "events_damaged",
		 "the events of a run without an end can't be read: %s", sqlite3_errstr(rc));
	salvage_begin(v);
	return SQLITE_OK;
}

int salvage_run(struct salvage *v, struct events *events, struct id run, bool *ret_live)
{
	int64_t from;
	int64_t to = 0;
	int     rc = salvage_find_run(v, run, &from);

	*ret_live = rc == SQLITE_OK && from >= 0;
	if (!*ret_live)
		return rc;
	rc = events_part(events, &to);
	return rc == SQLITE_OK ? salvage_read_pieces(v, run, from, to) : rc;
}
