/* Appending to the event log. */
#include "store/sqlite/events.h"

#include "base/log.h"
#include "store/common/event_cut.h"
#include "store/events.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	PART_SHIFT = 20, /* see migrations/0002_events.sql */
	/* More than one process has streams.  The last event of a run that has lost its place is
	 * read from the database. */
	LIVE_PLACES = 32768,
};

struct events_live {
	int64_t  run; /* 0: free */
	uint64_t secret;
	uint64_t last;
};

static const char sql_size[] =
	"SELECT removed, max(written, ifnull((SELECT id - 1 + length(data) FROM event "
	"ORDER BY id DESC LIMIT 1), 0)) FROM event_size";
static const char sql_find_run[] =
	"SELECT status, events_from FROM run WHERE id = ? AND secret = ?";
static const char sql_find_last[] = "SELECT last FROM event WHERE part = ? AND run = ? "
				    "ORDER BY last DESC LIMIT 1";
static const char sql_add[] = "INSERT INTO event (id, part, run, head, first, last, data) "
			      "VALUES (?,?,?,?,?,?,?)";
static const char sql_part_bytes[] = "SELECT ifnull(sum(length(data)), 0) FROM event "
				     "WHERE part = ? AND run = ?";
static const char sql_erase_part[] = "DELETE FROM event WHERE part = ? AND run = ?";
static const char sql_record[] = "UPDATE event_size SET written = ?, removed = ?";
static const char sql_news[] = "UPDATE run SET attempts = ?3, first_token_ms = ?4, "
			       "provider = coalesce(?5, provider), bill_dropped = ?6, "
			       "attempt_log = coalesce(?7, attempt_log), "
			       "executions = coalesce(?8, executions) "
			       "WHERE id = ?1 AND secret = ?2 AND status < 2";
static const char sql_version[] = "PRAGMA data_version";

void events_init(struct events *ev, struct conn *conn)
{
	ev->conn = conn;
	ev->written = -1;
}

void events_finish(struct events *ev)
{
	free(ev->live);
	ev->live = NULL;
}

void events_forget(struct events *ev)
{
	ev->written = -1;
	free(TAKE(ev->live));
}

/* --- the log as a whole --- */

int events_refresh(struct events *ev)
{
	sqlite3_stmt *st;
	int           rc = conn_row(ev->conn, sql_version, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	int64_t version = db_int(st, 0);
	if (version != ev->version)
		ev->written = -1;
	ev->version = version;
	return sqlite3_reset(st);
}

static int read_size(struct events *ev)
{
	sqlite3_stmt *st;

	if (ev->written >= 0)
		return SQLITE_OK;
	int rc = conn_row(ev->conn, sql_size, &st);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	ev->removed = db_int(st, 0);
	ev->written = db_int(st, 1);
	return sqlite3_reset(st);
}

int events_size(struct events *ev, int64_t *ret_bytes)
{
	int rc = read_size(ev);

	if (rc == SQLITE_OK)
		*ret_bytes = ev->written - ev->removed;
	return rc;
}

static int64_t part_now(const struct events *ev)
{
	return 1 + (ev->written >> PART_SHIFT);
}

int events_part(struct events *ev, int64_t *ret_part)
{
	int rc = read_size(ev);

	if (rc == SQLITE_OK)
		*ret_part = part_now(ev);
	return rc;
}

/* --- what is known of a run --- */

/* NULL: none was noted yet, or there was no memory to note it. */
static struct events_live *place_of(struct events *ev, int64_t run)
{
	if (!ev->live)
		return NULL;
	/* A run's key is a time, so concurrent runs have neighbouring keys; the multiplication
	 * spreads the keys over all places. */
	return &ev->live[((uint64_t)run * 0x9e3779b97f4a7c15u) >> 49];
}
_Static_assert(LIVE_PLACES == 1 << (64 - 49), "place_of takes the upper bits");

void events_known(struct events *ev, struct id run, uint64_t last)
{
	if (!ev->live)
		ev->live = calloc(LIVE_PLACES, sizeof *ev->live);
	if (ev->live)
		*place_of(ev, run.key) = (struct events_live){ run.key, run.secret, last };
}

static bool recall_last(struct events *ev, struct id run, uint64_t *ret_last)
{
	const struct events_live *l = place_of(ev, run.key);

	if (!l || l->run != run.key || l->secret != run.secret)
		return false;
	*ret_last = l->last;
	return true;
}

static void forget_run(struct events *ev, int64_t run)
{
	struct events_live *l = place_of(ev, run);

	if (l && l->run == run)
		*l = (struct events_live){ 0 };
}

/* *ret_last: the number of the run's last logged event; 0: none.  The parts are searched from the
 * newest one backwards, because that event is mostly in the newest part. */
static int find_last(struct events *ev, int64_t run, int64_t from, uint64_t *ret_last)
{
	int rc = SQLITE_DONE;

	*ret_last = 0;
	for (int64_t part = part_now(ev); rc == SQLITE_DONE && part >= from && from > 0; part--) {
		struct db_bind b = conn_bind(ev->conn, sql_find_last);

		db_bind_int(&b, part);
		db_bind_int(&b, run);
		rc = db_bind_row(&b);
		if (rc == SQLITE_ROW) {
			*ret_last = (uint64_t)db_int(b.st, 0);
			return sqlite3_reset(b.st);
		}
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* *ret_live: whether the run has not ended.  *ret_last: the number of its last logged event. */
static int look_up(struct events *ev, struct id run, bool *ret_live, uint64_t *ret_last)
{
	*ret_live = true;
	if (recall_last(ev, run, ret_last))
		return SQLITE_OK;

	struct db_bind b = conn_bind(ev->conn, sql_find_run);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, run.key);
	db_bind_secret(&b, run.secret);
	int rc = db_bind_row(&b);
	*ret_live = rc == SQLITE_ROW && db_int(st, 0) <= RUN_RUNNING;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;

	int64_t from = db_int(st, 1);
	(void)sqlite3_reset(st);
	if (!*ret_live)
		return SQLITE_OK;
	return find_last(ev, run.key, from, ret_last);
}

/* --- a piece --- */

static int events_add_piece(struct events *ev, const struct events_piece *p, bool head)
{
	struct db_bind b = conn_bind(ev->conn, sql_add);

	db_bind_int(&b, ev->written + 1);
	db_bind_int(&b, part_now(ev));
	db_bind_int(&b, p->run.key);
	db_bind_int(&b, head);
	db_bind_int(&b, (int64_t)p->first);
	db_bind_int(&b, (int64_t)p->last);
	db_bind_blob(&b, p->data);
	int rc = db_bind_run(&b);
	if (rc != SQLITE_OK)
		return rc;
	ev->part = part_now(ev);
	ev->written += (int64_t)p->data.n;
	return SQLITE_OK;
}

/* Logs the events of the piece that come after number *last, and sets *last to the last one logged.
 * A loop submits events again, possibly with newer ones, if their commit seemed to fail; an event
 * that is in the log already must not be logged twice. */
static int events_put(struct events *ev, const struct events_piece *piece, uint64_t *last)
{
	struct events_piece p = *piece;

	if (p.data.n == 0 || p.last <= *last)
		return SQLITE_OK;
	if (p.first <= *last && !event_cut_front(&p, *last))
		return SQLITE_OK;

	int rc = SQLITE_OK;
	while (rc == SQLITE_OK && p.data.n > 0) {
		struct events_piece row = event_cut_row(&p);

		rc = events_add_piece(ev, &row, *last == 0);
		if (rc == SQLITE_OK)
			*last = row.last;
	}
	return rc;
}

/* --- jobs --- */

int events_open(struct events *ev, struct id run, int64_t *ret_from)
{
	int rc = read_size(ev);

	if (rc != SQLITE_OK)
		return rc;
	*ret_from = part_now(ev);
	events_known(ev, run, 0);
	return SQLITE_OK;
}

int events_close(struct events *ev, struct id run, int64_t from,
		 const struct events_piece pieces[EVENTS_REST], int64_t *ret_to)
{
	uint64_t last = 0;
	int      rc = read_size(ev);

	if (rc == SQLITE_OK && !recall_last(ev, run, &last))
		rc = find_last(ev, run.key, from, &last);
	if (rc != SQLITE_OK)
		return rc;

	/* *ret_to is the part in which the run's last row begins: the row may end in the next
	 * part. */
	ev->part = part_now(ev);
	for (int i = 0; rc == SQLITE_OK && i < EVENTS_REST; i++) {
		struct events_piece own = pieces[i];

		own.run = run;
		rc = events_put(ev, &own, &last);
	}
	*ret_to = last == 0 ? 0 : ev->part;
	forget_run(ev, run.key);
	return rc;
}

static int erase_part(struct events *ev, int64_t part, int64_t run, int64_t *bytes)
{
	struct db_bind b = conn_bind(ev->conn, sql_part_bytes);

	db_bind_int(&b, part);
	db_bind_int(&b, run);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	int64_t n = db_int(b.st, 0);
	(void)sqlite3_reset(b.st);
	*bytes += n;
	if (n == 0)
		return SQLITE_OK;
	b = conn_bind(ev->conn, sql_erase_part);
	db_bind_int(&b, part);
	db_bind_int(&b, run);
	return db_bind_run(&b);
}

int events_erase(struct events *ev, int64_t run, int64_t from, int64_t to)
{
	int64_t bytes = 0;
	int     rc = read_size(ev);

	for (int64_t part = from; rc == SQLITE_OK && from > 0 && part <= to; part++)
		rc = erase_part(ev, part, run, &bytes);
	if (rc != SQLITE_OK || bytes == 0)
		return rc;
	ev->removed += bytes;

	/* The number of written bytes is otherwise computed from the last row (sql_size), which may
	 * be one of the erased rows. */
	struct db_bind b = conn_bind(ev->conn, sql_record);
	db_bind_int(&b, ev->written);
	db_bind_int(&b, ev->removed);
	return db_bind_run(&b);
}

/* print_used: n->used in the form of the column bill_dropped, a JSON array: input, output, cached and
 * reasoning tokens, the cost in nano (null: unknown), whether a provider is being asked, whether the
 * tokens are estimated, and whether the run was taken up (run_take).  Rows of earlier versions lack the last
 * three: recovery reads the first two of them as true.
 * Empty, so that the column is NULL: no usage is known, and a provider is being asked. */
static struct str print_used(const struct run_news *n, char *text, size_t size)
{
	const struct usage *u = &n->used;
	char                nano[24] = "null";

	if (!u->known && !u->estimated && n->asked && !n->taken)
		return STR_NONE;
	if (n->priced)
		snprintf(nano, sizeof nano, "%lld", (long long)n->nano);
	snprintf(text, size, "[%lld,%lld,%lld,%lld,%s,%d,%d,%d]", (long long)u->in,
		 (long long)u->out, (long long)u->cached_read, (long long)u->reasoning, nano,
		 n->asked, u->estimated, n->taken);
	return str_of(text);
}

static int events_tell(struct events *ev, const struct run_news *n)
{
	struct db_bind b = conn_bind(ev->conn, sql_news);
	char           used[128];

	db_bind_int(&b, n->run.key);
	db_bind_secret(&b, n->run.secret);
	db_bind_int(&b, n->attempts);
	db_bind_int(&b, n->first_token_ms);
	db_bind_maybe(&b, n->provider);
	db_bind_maybe(&b, print_used(n, used, sizeof used));
	db_bind_maybe(&b, n->attempt_log);
	db_bind_maybe(&b, n->executions);
	return db_bind_run(&b);
}

/* refuse_entry: marks the entry if its own data caused the error, so that the events of the other runs
 * are still logged; any other error is returned. */
static int refuse_entry(struct events_entry *x, int rc)
{
	if (!db_own_fault(rc))
		return rc;
	x->refused = true;
	log_note(LOG_ERROR, "events_refused", "the database refused events of a run: %s",
		 sqlite3_errstr(rc));
	return SQLITE_OK;
}

static int append_entry(struct events *ev, struct events_entry *x, bool sync)
{
	uint64_t last = 0;
	bool     live = false;
	int      rc = look_up(ev, x->piece.run, &live, &last);

	if (rc != SQLITE_OK || !live) {
		x->refused = sync && x->piece.data.n > 0;
		return rc;
	}
	rc = refuse_entry(x, events_put(ev, &x->piece, &last));
	if (rc == SQLITE_OK)
		events_known(ev, x->piece.run, last);
	return rc;
}

int events_append(struct events *ev, struct events_append *j)
{
	int rc = read_size(ev);

	for (size_t i = 0; rc == SQLITE_OK && i < j->entry_count; i++) {
		struct events_entry *x = &j->entries[i];

		x->refused = false;
		if (x->news)
			rc = refuse_entry(x, events_tell(ev, x->news));
		if (rc == SQLITE_OK && !x->refused)
			rc = append_entry(ev, x, j->sync);
	}
	return rc;
}
