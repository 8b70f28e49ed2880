/* Retention of the event log, of kept answers, and of the ledger of calls (calls_sweep.c).
 *
 * A pass goes through the log from its front.  As rows stand in the order of writing, it has come
 * far enough at the first row of a run that began too late to be due.  What is passed over belongs
 * to runs that go on, or have not ended for long enough: it is looked at again in the next pass. */
#include "store/sqlite/chores.h"

#include "base/clock.h"
#include "store/engine.h"
#include "store/health.h"
#include "store/run.h"
#include "store/sql/cells.h"
#include "store/sqlite/answer_row.h"

#include <stdio.h>

enum {
	STEP_ROWS = 256,
	STEP_BYTES = 1 << 20, /* a long row is on many pages, which are freed one by one */
	/* A step holds a turn up for a millisecond at most, and takes a fifth of the thread at most. */
	AGAIN_MS = 5,
	REST_MS = 1000,
	CALLS_REST_MS = 10 * 1000,
	AGED_ROWS = 64,
	AGED_CACHED = 256,
	DAY_MS = 24 * 3600 * 1000,
};
/* No call lasts for half as long. */
#define UNBEGUN_MS ((int64_t)48 * 3600 * 1000)
static const int64_t AGED_REST_US = (int64_t)3600 * 1000 * 1000;

/* Rows without a run belong to nobody. */
static const char sql_look[] = "SELECT event.id, length(event.data), ifnull(run.status, 3), "
			       "ifnull(run.completed_ms, 0), ifnull(run.created_ms, 0) "
			       "FROM event LEFT JOIN run ON run.id = event.run WHERE event.id >= ? "
			       "ORDER BY event.id LIMIT ?";
static const char sql_remove[] = "DELETE FROM event WHERE id = ?";
static const char sql_record[] = "UPDATE event_size SET written = ?, removed = ?";

/* The result of a step. */
struct step {
	int64_t due[STEP_ROWS];
	size_t  due_count;
	int64_t due_bytes;
	int64_t next; /* 0: the pass is over */
};

void sweep_init(struct sweep *s, struct conn *conn, struct events *events,
		const struct store_options *o)
{
	*s = (struct sweep){
		.conn = conn,
		.events = events,
		.keep_ms = o->events_keep_ms,
		.keep_bytes = o->events_keep_bytes,
		.answer_keep_ms = o->answer_keep_ms,
		.audit_keep_ms = o->audit_keep_ms,
		.calls = { o->calls_keep_ms, o->calls_keep_bytes },
	};
}

/* False: the pass has come far enough. */
static bool sweep_look_at(const struct sweep *s, sqlite3_stmt *st, int64_t horizon_ms,
			  int64_t bytes, struct step *step)
{
	int64_t length = db_int(st, 1);
	bool    over = s->keep_bytes > 0 && bytes - step->due_bytes > s->keep_bytes;
	bool    ended = db_int(st, 2) > RUN_RUNNING;

	if (ended && (over || db_int(st, 3) < horizon_ms)) {
		step->due[step->due_count++] = db_int(st, 0);
		step->due_bytes += length;
	} else if (!over && db_int(st, 4) >= horizon_ms) {
		return false;
	}
	return true;
}

static int sweep_look(struct sweep *s, int64_t horizon_ms, int64_t bytes, struct step *ret)
{
	struct db_bind b = conn_bind(s->conn, sql_look);
	sqlite3_stmt  *st = b.st;
	int            rc = SQLITE_ROW;

	*ret = (struct step){ .due_count = 0 };
	db_bind_int(&b, s->next);
	db_bind_int(&b, STEP_ROWS);
	if (b.rc != SQLITE_OK)
		return b.rc;
	for (int rows = 1; rows <= STEP_ROWS; rows++) {
		rc = sqlite3_step(st);
		if (rc != SQLITE_ROW || !sweep_look_at(s, st, horizon_ms, bytes, ret))
			break;
		if (rows == STEP_ROWS || ret->due_bytes >= STEP_BYTES) {
			ret->next = db_int(st, 0) + 1;
			break;
		}
	}
	int reset = sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : reset;
}

static int sweep_record(struct sweep *s, int64_t removed)
{
	struct db_bind b = conn_bind(s->conn, sql_record);

	db_bind_int(&b, s->events->written);
	db_bind_int(&b, removed);
	return db_bind_run(&b);
}

static int take_out(struct sweep *s, const struct step *step)
{
	int64_t bytes;
	int64_t removed = 0;
	int     rc = conn_begin_write(s->conn);

	if (rc == SQLITE_OK)
		rc = events_refresh(s->events);
	if (rc == SQLITE_OK)
		rc = events_size(s->events, &bytes);
	if (rc == SQLITE_OK)
		removed = s->events->removed + step->due_bytes;
	for (size_t i = 0; rc == SQLITE_OK && i < step->due_count; i++) {
		struct db_bind b = conn_bind(s->conn, sql_remove);

		db_bind_int(&b, step->due[i]);
		rc = db_bind_run(&b);
	}
	if (rc == SQLITE_OK)
		rc = sweep_record(s, removed);
	if (rc == SQLITE_OK)
		rc = conn_commit(s->conn);
	if (rc == SQLITE_OK)
		s->events->removed = removed;
	else
		conn_rollback(s->conn);
	return rc;
}

/* One transaction of a millisecond or so, or none; on failure nothing was removed. */
static int sweep_step(struct sweep *s, int64_t now_ms, bool *ret_again)
{
	int64_t     horizon = s->keep_ms > 0 ? now_ms - s->keep_ms : INT64_MIN;
	int64_t     bytes = 0;
	struct step step;
	int         rc = events_size(s->events, &bytes);

	*ret_again = false;
	if (rc == SQLITE_OK)
		rc = sweep_look(s, horizon, bytes, &step);
	if (rc == SQLITE_OK && step.due_count > 0)
		rc = take_out(s, &step);
	if (rc != SQLITE_OK)
		return rc;
	s->next = step.next;
	*ret_again = step.next != 0;
	return SQLITE_OK;
}

/* aged_remove: removes a few rows; *again: there may be more. */
static int aged_remove(struct sweep *s, struct db_bind *bind, bool *again)
{
	int rc = db_bind_run(bind);

	*again |= rc == SQLITE_OK && sqlite3_changes(s->conn->db) > 0;
	return rc;
}

/* aged_ceilings: removes ceilings of conversations that do not exist; *again: there are more to look at. */
static int aged_ceilings(struct sweep *s, int64_t now_ms, bool *again)
{
	const char    *from = s->ceiling_at[0] ? s->ceiling_at : CEILING_CELL_FIRST;
	char           end[BUDGET_NAME], last[BUDGET_NAME] = "";
	struct db_bind look = conn_bind(s->conn, ceiling_cell_next);

	snprintf(end, sizeof end, CEILING_CELL_OF, (long long)id_key_at(now_ms - UNBEGUN_MS));
	db_bind_text(&look, str_of(from));
	db_bind_text(&look, str_of(end));
	db_bind_int(&look, AGED_ROWS);
	int rc = db_bind_row(&look);
	if (rc == SQLITE_ROW) {
		str_copy(last, sizeof last, db_column(look.st, 0));
		rc = sqlite3_reset(look.st);
	}
	if (rc == SQLITE_OK && last[0]) {
		struct db_bind gone = conn_bind(s->conn, ceiling_cell_unbegun.sqlite);

		db_bind_text(&gone, str_of(from));
		db_bind_text(&gone, str_of(last));
		rc = db_bind_run(&gone);
	}
	*again |= last[0] != '\0';
	str_copy(s->ceiling_at, sizeof s->ceiling_at, str_of(last));
	return rc;
}

/* aged_sweep: removes a few rows that are kept for long; *ret_again: there may be more. */
static int aged_sweep(struct sweep *s, int64_t now_ms, bool *ret_again)
{
	int rc = SQLITE_OK;

	*ret_again = false;
	if (clock_mono_us() < s->aged_us)
		return SQLITE_OK;
	if (s->audit_keep_ms > 0) {
		struct db_bind audit = conn_bind(s->conn, audit_cell_old.sqlite);

		db_bind_int(&audit, id_key_at(now_ms - s->audit_keep_ms));
		rc = aged_remove(s, &audit, ret_again);
	}
	if (rc == SQLITE_OK) {
		struct db_bind health = conn_bind(s->conn, health_cell_old);

		db_bind_int(&health, now_ms - HEALTH_KEEP_DAYS * (int64_t)DAY_MS);
		db_bind_int(&health, AGED_ROWS);
		rc = aged_remove(s, &health, ret_again);
	}
	if (rc == SQLITE_OK) {
		struct db_bind ceilings = conn_bind(s->conn, ceiling_cell_old.sqlite);

		db_bind_int(&ceilings, now_ms);
		db_bind_int(&ceilings, AGED_ROWS);
		rc = aged_remove(s, &ceilings, ret_again);
	}
	if (rc == SQLITE_OK) {
		struct db_bind cached = conn_bind(s->conn, cache_cell_old.sqlite);

		db_bind_int(&cached, now_ms);
		db_bind_int(&cached, AGED_CACHED);
		rc = aged_remove(s, &cached, ret_again);
	}
	if (rc == SQLITE_OK) {
		struct db_bind marks = conn_bind(s->conn, cache_cell_marks.sqlite);

		db_bind_int(&marks, now_ms - UNBEGUN_MS);
		db_bind_int(&marks, AGED_ROWS);
		rc = aged_remove(s, &marks, ret_again);
	}
	if (rc == SQLITE_OK)
		rc = aged_ceilings(s, now_ms, ret_again);
	if (!*ret_again)
		s->aged_us = clock_mono_us() + AGED_REST_US;
	return rc;
}

/* Sweeps the event log, and then a few expired idempotency keys and other old rows. */
static int sweep_some(void *sweep, int64_t *ret_again_ms)
{
	struct sweep *s = sweep;
	bool          events_again = false;
	bool          keys_again = false;
	bool          aged_again = false;
	bool          calls_again = false;
	int64_t       now_ms = clock_wall_ms();
	int           rc = SQLITE_OK;

	if (s->keep_ms > 0 || s->keep_bytes > 0)
		rc = sweep_step(s, now_ms, &events_again);
	if (rc == SQLITE_OK && s->answer_keep_ms > 0)
		rc = answer_row_sweep(s->conn, now_ms - s->answer_keep_ms, &keys_again);
	if (rc == SQLITE_OK)
		rc = aged_sweep(s, now_ms, &aged_again);
	if (rc == SQLITE_OK && now_ms >= s->calls_due_ms) {
		rc = calls_sweep(s->conn, &s->calls, now_ms, &calls_again);
		s->calls_due_ms = calls_again ? 0 : now_ms + CALLS_REST_MS;
	}
	*ret_again_ms =
		events_again || keys_again || aged_again || calls_again ? AGAIN_MS : REST_MS;
	return rc;
}

const struct chore chore_sweep = {
	.run = sweep_some,
	.event = "sweep_failed",
	.failed = "old events, keys or calls could not be removed",
	.retry_ms = REST_MS,
	.alone = true,
};
