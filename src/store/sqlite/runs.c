/* Reading a run, a list of runs, a page of a run's event log. */
#include "store/sqlite/runs.h"

#include "base/limits.h"
#include "store/sqlite/kit/row.h"

#define RUN                                                                                        \
	"SELECT r.status, r.conversation, c.secret, r.continues, k.secret, r.model, "              \
	"r.provider, r.finish_reason, r.error, r.usage_estimated, r.usage_in, r.usage_out, "       \
	"r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, r.created_ms, "             \
	"r.first_token_ms, r.completed_ms, r.attempts, r.id, r.secret, "             \
	"r.native_reason, r.cost_nano FROM run r "
#define RUN_JOINS                                                                                  \
	"LEFT JOIN conversation c ON c.id = r.conversation LEFT JOIN run k ON k.id = r.continues "

enum { COLUMN_ID = 19, COLUMN_SECRET, COLUMN_NATIVE, COLUMN_COST };

/* ?1 is the id in front of which the page begins, ?2 the owner, ?3 the status or -1, ?4 how many,
 * ?5 the conversation. */
#define PAGE "r.id < ?1 AND r.owner = ?2 "
#define PAGE_END "ORDER BY r.id DESC LIMIT ?4"

static const char *const sql[RUNS_SQL__COUNT] = {
	[RUNS_SQL_ONE] = RUN RUN_JOINS "WHERE r.id = ? AND r.secret = ? AND r.owner = ?",
	[RUNS_SQL_PLACE] = "SELECT conversation FROM run WHERE id = ? AND secret = ? AND owner = ?",
	[RUNS_SQL_ALL] = RUN RUN_JOINS "WHERE " PAGE "AND (?3 < 0 OR r.status = ?3) " PAGE_END,
	[RUNS_SQL_CONVERSATION] =
		RUN "INDEXED BY run_conversation " RUN_JOINS "WHERE r.conversation = ?5 AND " PAGE
		    "AND (?3 < 0 OR r.status = ?3) " PAGE_END,
	[RUNS_SQL_LIVE] = RUN "INDEXED BY run_live " RUN_JOINS "WHERE r.status < 2 AND " PAGE
			      "AND r.status = ?3 " PAGE_END,
	[RUNS_SQL_UNUSUAL] = RUN "INDEXED BY run_unusual " RUN_JOINS
				 "WHERE r.status > 2 AND r.status = ?3 AND " PAGE PAGE_END,
	[RUNS_SQL_STATE] =
		"SELECT r.status, r.conversation, c.secret, r.model, r.shape, r.error, "
		"r.finish_reason, r.usage_estimated, r.usage_in, r.usage_out, r.usage_cached_read, "
		"r.usage_cached_write, r.usage_reasoning, r.created_ms, r.last_seq, r.events_from, "
		"r.events_to FROM run r LEFT JOIN conversation c ON c.id = r.conversation "
		"WHERE r.id = ? AND r.secret = ? AND r.owner = ?",
	[RUNS_SQL_PARTS] = "SELECT ifnull((SELECT part FROM event ORDER BY id LIMIT 1), 1), "
			   "ifnull((SELECT part FROM event ORDER BY id DESC LIMIT 1), 0)",
	[RUNS_SQL_HEAD] = "SELECT head FROM event WHERE part = ? AND run = ? "
			  "ORDER BY last LIMIT 1",
	[RUNS_SQL_PIECES] = "SELECT first, last, data FROM event WHERE part = ? AND run = ? "
			    "AND last > ? ORDER BY last",
	[RUNS_SQL_ANSWER] = "SELECT body FROM message WHERE id = ?",
};

enum errc runs_prepare(struct runs *r, sqlite3 *db, struct err *e)
{
	return db_prepare(db, sql, RUNS_SQL__COUNT, r->st, e);
}

void runs_finish(struct runs *r)
{
	db_finalize(r->st, RUNS_SQL__COUNT);
}

void runs_reset(struct runs *r)
{
	for (size_t i = 0; i < RUNS_SQL__COUNT; i++)
		(void)sqlite3_reset(r->st[i]);
}

/* SQLITE_OK, with e telling of an id that isn't there. */
static int find(struct runs *r, enum runs_sql which, struct id id, int64_t owner,
                sqlite3_stmt **ret, struct err *e)
{
	sqlite3_stmt  *st = r->st[which];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	*ret = st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "There is no run with this id.");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int read_status(sqlite3_stmt *st, enum run_status *ret)
{
	int64_t status = db_int(st, 0);

	if (status < 0 || status >= RUN_STATUS__COUNT)
		return SQLITE_CORRUPT;
	*ret = (enum run_status)status;
	return SQLITE_OK;
}

/* Fills what a run_read has besides its job, from a row of RUN; texts go into a. */
static int read_run(sqlite3_stmt *st, struct arena *a, struct run_read *ret, struct err *e)
{
	int rc = read_status(st, &ret->status);

	if (rc != SQLITE_OK)
		return rc;
	if (!row_keep(a, st, 5, &ret->model, e) || !row_keep(a, st, 6, &ret->provider, e) ||
	    !row_keep(a, st, 7, &ret->finish_reason, e) || !row_keep(a, st, 8, &ret->error, e) ||
	    !row_keep(a, st, COLUMN_NATIVE, &ret->native_reason, e))
		return SQLITE_OK;
	ret->conversation = db_id(db_int(st, 1), st, 2);
	ret->continues = db_id(db_int(st, 3), st, 4);
	ret->usage = row_usage(st, 9);
	ret->created_ms = db_int(st, 15);
	ret->first_token_ms = db_int(st, 16);
	ret->completed_ms = db_int(st, 17);
	ret->attempts = db_int(st, 18);
	ret->costs = sqlite3_column_type(st, COLUMN_COST) != SQLITE_NULL;
	ret->cost_nano = db_int(st, COLUMN_COST);
	return SQLITE_OK;
}

int runs_one(struct runs *r, struct run_read *j)
{
	sqlite3_stmt *st;
	int           rc = find(r, RUNS_SQL_ONE, j->run, j->owner, &st, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	return read_run(st, &j->arena, j, &j->job.err);
}

/* --- a list --- */

/* The cursor has to be a run of the list that is asked for; its state may have changed. */
static int check_after(struct runs *r, struct runs_read *j)
{
	sqlite3_stmt *st;
	int           rc = find(r, RUNS_SQL_PLACE, j->after, j->owner, &st, &j->job.err);

	if (rc != SQLITE_OK)
		return rc;
	if (j->job.err.code == ERR_OK &&
	    (id_none(j->conversation) || db_int(st, 0) == j->conversation.key))
		return SQLITE_OK;
	err_set(&j->job.err, ERR_INVALID_VALUE, "after", "This list has no run with this id.");
	return SQLITE_OK;
}

static enum runs_sql which_list(const struct runs_read *j)
{
	if (!id_none(j->conversation))
		return RUNS_SQL_CONVERSATION;
	if (j->status == RUN_QUEUED || j->status == RUN_RUNNING)
		return RUNS_SQL_LIVE;
	/* Nearly all of the table is completed. */
	return j->status < 0 || j->status == RUN_COMPLETED ? RUNS_SQL_ALL : RUNS_SQL_UNUSUAL;
}

static int bind_list(const struct runs_read *j, sqlite3_stmt *st)
{
	struct db_bind b = db_bind(st);

	db_bind_int(&b, id_none(j->after) ? INT64_MAX : j->after.key);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->status);
	db_bind_int(&b, (int64_t)j->limit + 1);
	if (!id_none(j->conversation))
		db_bind_int(&b, j->conversation.key);
	return b.rc;
}

/* False: no room for this row. */
static bool row_has_room(const struct runs_read *j, sqlite3_stmt *st)
{
	size_t n = 4 * 64;

	for (int column = 5; column <= 8; column++)
		n += (size_t)sqlite3_column_bytes(st, column);
	return row_fits(&j->arena, n);
}

static int read_list(struct runs_read *j, sqlite3_stmt *st)
{
	int rc = db_row(st);

	for (; rc == SQLITE_ROW && j->job.err.code == ERR_OK; rc = db_row(st)) {
		struct run_read *run = &j->runs[j->run_count];

		/* Of a conversation whose key alone was right nothing may be told. */
		if (!id_none(j->conversation) && (uint64_t)db_int(st, 2) != j->conversation.secret)
			continue;
		if (j->run_count == j->limit || !row_has_room(j, st)) {
			j->has_more = true;
			break;
		}
		run->owner = j->owner;
		run->run = db_id(db_int(st, COLUMN_ID), st, COLUMN_SECRET);
		rc = read_run(st, &j->arena, run, &j->job.err);
		if (rc != SQLITE_OK)
			break;
		j->run_count++;
	}
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int runs_list(struct runs *r, struct runs_read *j)
{
	struct err *e = &j->job.err;
	int         rc = SQLITE_OK;

	j->runs = NULL;
	j->run_count = 0;
	j->has_more = false;
	if (!id_none(j->after))
		rc = check_after(r, j);
	if (rc != SQLITE_OK || e->code != ERR_OK || j->limit == 0)
		return rc;

	if (j->limit > j->arena.max / sizeof *j->runs) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "limit", "The page is too large.");
		return SQLITE_OK;
	}
	j->runs = arena_alloc(&j->arena, j->limit * sizeof *j->runs);
	if (!j->runs) {
		row_no_memory(e);
		return SQLITE_OK;
	}
	sqlite3_stmt *st = r->st[which_list(j)];
	rc = bind_list(j, st);
	return rc == SQLITE_OK ? read_list(j, st) : rc;
}

/* --- an event log --- */

/* The parts that pieces of a run may lie in, both included. */
struct span {
	int64_t from;
	int64_t to;
};

static int read_state(struct runs *r, struct events_read *j, struct span *ret, bool *ret_logged)
{
	struct err   *e = &j->job.err;
	sqlite3_stmt *st;
	int           rc = find(r, RUNS_SQL_STATE, j->run, j->owner, &st, e);

	if (rc == SQLITE_OK && e->code == ERR_OK)
		rc = read_status(st, &j->status);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!row_keep(&j->arena, st, 3, &j->model, e) ||
	    !row_keep(&j->arena, st, 4, &j->shape, e) ||
	    !row_keep(&j->arena, st, 5, &j->error, e) ||
	    !row_keep(&j->arena, st, 6, &j->finish_reason, e))
		return SQLITE_OK;
	j->conversation = db_id(db_int(st, 1), st, 2);
	j->usage = row_usage(st, 7);
	j->created_ms = db_int(st, 13);
	j->last_seq = j->status > RUN_RUNNING ? (uint64_t)db_int(st, 14) : 0;

	bool to_known = sqlite3_column_type(st, 16) != SQLITE_NULL;
	*ret = (struct span){ db_int(st, 15), to_known ? db_int(st, 16) : INT64_MAX };
	/* A run from before there was a log has lost its events like one that was swept. */
	*ret_logged = !to_known || ret->to > 0;
	return SQLITE_OK;
}

static int clamp(struct runs *r, struct span *s)
{
	sqlite3_stmt *st = r->st[RUNS_SQL_PARTS];
	int           rc = db_row(st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (s->from == 0)
		s->to = 0; /* no log */
	if (s->from < db_int(st, 0))
		s->from = db_int(st, 0);
	if (s->to > db_int(st, 1))
		s->to = db_int(st, 1);
	return SQLITE_OK;
}

static int step_part(struct runs *r, enum runs_sql which, int64_t part, const struct events_read *j)
{
	sqlite3_stmt  *st = r->st[which];
	struct db_bind b = db_bind(st);

	(void)sqlite3_reset(st);
	db_bind_int(&b, part);
	db_bind_int(&b, j->run.key);
	if (which == RUNS_SQL_PIECES)
		db_bind_int(&b, j->after > INT64_MAX ? INT64_MAX : (int64_t)j->after);
	return db_bind_row(&b);
}

/* Moves s->from on to the first piece.  *ret_head: the log's beginning is there. */
static int find_head(struct runs *r, const struct events_read *j, struct span *s, bool *ret_head)
{
	*ret_head = false;
	for (; s->from <= s->to; s->from++) {
		int rc = step_part(r, RUNS_SQL_HEAD, s->from, j);

		if (rc == SQLITE_ROW)
			*ret_head = db_int(r->st[RUNS_SQL_HEAD], 0) != 0;
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
	struct link *first;
	struct link **end;
	size_t       bytes;
	bool         full;
};

static void add_piece(struct events_read *j, sqlite3_stmt *st, struct page *p)
{
	struct str data = db_blob(st, 2);
	/* With its place in the array that all of them come into. */
	size_t     room = data.n + 2 * sizeof(struct link) +
	              (j->piece_count + 1) * sizeof(struct events_piece);

	p->full = j->piece_count > 0 &&
	          (data.n > j->page_bytes || p->bytes > j->page_bytes - data.n);
	if (p->full)
		return;
	if (!row_fits(&j->arena, room)) {
		p->full = true;
		if (j->piece_count == 0)
			err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			        "A piece of the run's events is larger than the %zu KiB that can "
			        "be read at once.",
			        j->arena.max / KIB);
		return;
	}
	struct link *l = arena_alloc(&j->arena, sizeof *l);
	struct str   copy = l ? arena_str(&j->arena, data) : STR_NONE;
	if (!l || !copy.p) {
		row_no_memory(&j->job.err);
		return;
	}
	l->piece = (struct events_piece){ j->run, (uint64_t)db_int(st, 0),
		                          (uint64_t)db_int(st, 1), copy };
	*p->end = l;
	p->end = &l->next;
	p->bytes += data.n;
	j->piece_count++;
}

static int read_pieces(struct runs *r, struct events_read *j, struct span s, struct page *p)
{
	sqlite3_stmt *st = r->st[RUNS_SQL_PIECES];

	for (int64_t part = s.from; part <= s.to; part++) {
		int rc = step_part(r, RUNS_SQL_PIECES, part, j);

		for (; rc == SQLITE_ROW; rc = db_row(st)) {
			add_piece(j, st, p);
			if (p->full || j->job.err.code != ERR_OK)
				return SQLITE_OK;
		}
		if (rc != SQLITE_DONE)
			return rc;
	}
	return SQLITE_OK;
}

static void flatten(struct events_read *j, const struct link *list)
{
	if (j->piece_count == 0)
		return;
	j->pieces = arena_alloc(&j->arena, j->piece_count * sizeof *j->pieces);
	if (!j->pieces) {
		row_no_memory(&j->job.err);
		return;
	}
	for (size_t i = 0; list; i++, list = list->next)
		j->pieces[i] = list->piece;
}

/* Only where nothing was logged: it may be as long as all pages together. */
static int read_answer(struct runs *r, struct events_read *j)
{
	sqlite3_stmt  *st = r->st[RUNS_SQL_ANSWER];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, j->run.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	if (row_fits(&j->arena, (size_t)sqlite3_column_bytes(st, 0))) {
		if (!row_keep(&j->arena, st, 0, &j->answer, &j->job.err))
			j->answer = STR_NONE;
		return SQLITE_OK;
	}
	err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
	        "The answer is larger than the %zu KiB that can be read at once.",
	        j->arena.max / KIB);
	return SQLITE_OK;
}

int runs_events(struct runs *r, struct events_read *j)
{
	struct page p = { .end = &p.first };
	struct span s = { 0 };
	struct err *e = &j->job.err;
	bool        logged = false;
	bool        head = false;

	j->pieces = NULL;
	j->piece_count = 0;
	j->has_more = j->swept = false;
	j->answer = STR_NONE;

	int rc = read_state(r, j, &s, &logged);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	rc = clamp(r, &s);
	if (rc == SQLITE_OK)
		rc = find_head(r, j, &s, &head);
	if (rc != SQLITE_OK)
		return rc;

	bool ended = j->status > RUN_RUNNING;
	j->swept = ended && logged && !head;
	if (!j->swept)
		rc = read_pieces(r, j, s, &p);
	if (rc == SQLITE_OK && e->code == ERR_OK)
		flatten(j, p.first);
	j->has_more = p.full;
	if (rc == SQLITE_OK && e->code == ERR_OK && ended && !head)
		rc = read_answer(r, j);
	return rc;
}
