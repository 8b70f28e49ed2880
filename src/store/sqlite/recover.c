/* Ends the runs, idempotency keys and reservations that a dead process has left without an end. */
#include "store/sqlite/recover.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/engine.h"
#include "store/turn.h"
#include "store/common/salvage.h"
#include "store/sqlite/budgets.h"
#include "store/sqlite/session.h"
#include "store/sqlite/turn_end.h"

#include <stdlib.h>

enum {
	GROUP_RUNS = 256,                /* runs whose pieces are searched for together */
	GROUP_PIECES = 4 * 1024 * 1024,  /* pieces; a group that has more is made smaller */
	COMMIT_BYTES = 16 * 1024 * 1024, /* events and answers after which a transaction ends */
};

static const char sql_find_live[] =
	"SELECT id, secret, seq_reserved, ifnull(events_from, 0) FROM run "
	"INDEXED BY run_live WHERE status < 2 AND id > ? ORDER BY id LIMIT ?";
static const char sql_parts[] = "SELECT ifnull((SELECT part FROM event ORDER BY id LIMIT 1), 1), "
				"ifnull((SELECT part FROM event ORDER BY id DESC LIMIT 1), 0)";
static const char sql_find_pieces[] = "SELECT run, id FROM event INDEXED BY event_part "
				      "WHERE part = ? AND run BETWEEN ? AND ? ORDER BY run, last";
static const char sql_find_bill[] =
	"SELECT attempts, first_token_ms, provider, bill_key, bill_model, bill_in, "
	"bill_price_in, bill_price_out, bill_dropped ->> 0, bill_dropped ->> 1, "
	"bill_dropped ->> 2, bill_dropped ->> 3, bill_dropped ->> 4, "
	"ifnull(bill_dropped ->> 5, 1), ifnull(bill_dropped ->> 6, 1), "
	"ifnull(bill_dropped ->> 7, 0), tags "
	"FROM run WHERE id = ?";
static const char sql_highest_key[] =
	"SELECT max(ifnull((SELECT max(id) FROM conversation), 0), "
	"ifnull((SELECT max(id) FROM message), 0), ifnull((SELECT max(id) FROM run), 0), "
	"ifnull((SELECT max(id) FROM idempotency), 0), "
	"ifnull((SELECT max(id) FROM file), 0), "
	"ifnull((SELECT max(run) FROM reservation), 0))";
/* Keys of unstored calls that had no answer yet; nothing of these answers is left. */
static const char sql_find_keys[] =
	"SELECT id FROM idempotency WHERE http = 0 AND stored = 0 AND id > ? "
	"ORDER BY id LIMIT 1";
static const char sql_end_key[] = "UPDATE idempotency SET outcome = 3, http = 500 WHERE id = ?";

struct cut_off {
	struct id run;
	uint64_t  reserved;
	int64_t   from; /* column events_from; 0: the run began before there was a log */
};

struct found {
	int64_t run;
	int64_t piece;
};

struct recovery {
	struct session      session;
	struct salvage_read log;        /* used for one run after the other */
	int64_t             part_first; /* first and last part of the whole log */
	int64_t             part_last;
	int64_t             now_ms;
	struct recover_own  own;
	bool                cuts_runs; /* runs that may go on are left, for store_options.cut: */
	struct id          *cuts;      /* owned; by their keys */
	size_t              cut_count;
	size_t              cut_cap;

	/* A group of runs in the order of their keys, and the rows of their pieces. */
	struct cut_off group[GROUP_RUNS];
	size_t         group_count;
	struct found  *found; /* owned; sorted by run, then by row */
	size_t         found_count;
	size_t         found_cap;
};

static int highest_key(struct conn *c, int64_t *ret)
{
	sqlite3_stmt *st;
	int           rc = conn_row(c, sql_highest_key, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	*ret = db_int(st, 0);
	return sqlite3_reset(st);
}

/* Makes room for one more element of `bytes` bytes; false: no memory. */
static bool grow_array(void **array, size_t count, size_t *cap, size_t bytes)
{
	if (count < *cap)
		return true;

	size_t more = *cap ? 2 * *cap : 64;
	void  *grown = realloc(*array, more * bytes);
	if (!grown)
		return false;
	*array = grown;
	*cap = more;
	return true;
}

/* --- a group of runs --- */

static int by_key(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool is_own(const struct recovery *v, int64_t key)
{
	return (v->own.count > 0 &&
		bsearch(&key, v->own.keys, v->own.count, sizeof key, by_key) != NULL) ||
	       (v->cut_count > 0 &&
		bsearch(&key, v->cuts, v->cut_count, sizeof *v->cuts, by_key) != NULL);
}

/* Adds the unfinished runs above key *above to the group, except this process's own ones.  At most
 * `limit` rows are read; *above becomes the key of the last one. */
static int find_some(struct recovery *v, int64_t *above, size_t limit, size_t *ret_rows)
{
	struct db_bind b = conn_bind(v->session.conn, sql_find_live);
	sqlite3_stmt  *st = b.st;

	*ret_rows = 0;
	db_bind_int(&b, *above);
	db_bind_int(&b, (int64_t)limit);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		*above = db_int(st, 0);
		++*ret_rows;
		if (!is_own(v, *above))
			v->group[v->group_count++] = (struct cut_off){
				.run = db_id(*above, st, 1),
				.reserved = (uint64_t)db_int(st, 2),
				.from = db_int(st, 3),
			};
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int find_group(struct recovery *v, int64_t above, size_t limit)
{
	size_t rows;
	int    rc;

	v->group_count = 0;
	do {
		rc = find_some(v, &above, limit, &rows);
	} while (rc == SQLITE_OK && v->group_count == 0 && rows == limit);
	return rc;
}

static int seek_part(struct recovery *v, int64_t part, size_t at, sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(v->session.conn, sql_find_pieces);

	db_bind_int(&b, part);
	db_bind_int(&b, v->group[at].run.key);
	db_bind_int(&b, v->group[v->group_count - 1].run.key);
	*ret = b.st;
	return db_bind_row(&b);
}

/* Finds the group's pieces in one part.  The index and the group are both in the order of runs, and
 * whichever lags skips to the run of the other one.  So the search costs no more than walking
 * the shorter of the two. */
static int find_in_part(struct recovery *v, int64_t part)
{
	sqlite3_stmt *st;
	size_t        at = 0;
	int           rc = seek_part(v, part, at, &st);

	while (rc == SQLITE_ROW && v->found_count < GROUP_PIECES) {
		int64_t run = db_int(st, 0);

		while (at < v->group_count && v->group[at].run.key < run)
			at++;
		if (at == v->group_count)
			break;
		if (v->group[at].run.key != run) {
			rc = seek_part(v, part, at, &st);
			continue;
		}
		void *found = v->found;
		if (!grow_array(&found, v->found_count, &v->found_cap, sizeof *v->found))
			return SQLITE_NOMEM;
		v->found = found;
		v->found[v->found_count++] = (struct found){ run, db_int(st, 1) };
		rc = db_row(st);
	}
	(void)sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Row ids are in the order of writing, so they also order the pieces of a run. */
static int by_run(const void *a, const void *b)
{
	const struct found *x = a;
	const struct found *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->piece > y->piece) - (x->piece < y->piece);
}

static int find_pieces(struct recovery *v)
{
	int64_t from = INT64_MAX;
	int     rc = SQLITE_OK;

	v->found_count = 0;
	for (size_t i = 0; i < v->group_count; i++)
		if (v->group[i].from > 0 && v->group[i].from < from)
			from = v->group[i].from;
	if (from < v->part_first)
		from = v->part_first;
	for (; rc == SQLITE_OK && from <= v->part_last; from++)
		rc = find_in_part(v, from);
	if (v->found_count > 0)
		qsort(v->found, v->found_count, sizeof *v->found, by_run);
	return rc;
}

/* Finds the next runs above key `above` and their pieces, and halves the group while these are too
 * many.  group_count is 0 afterwards if no unfinished run is left. */
static int next_group(struct recovery *v, int64_t above)
{
	size_t limit = GROUP_RUNS;
	int    rc = find_group(v, above, limit);

	while (rc == SQLITE_OK && v->group_count > 0) {
		rc = find_pieces(v);
		if (rc != SQLITE_OK || v->found_count < GROUP_PIECES || limit == 1)
			return rc;
		limit /= 2;
		if (limit < v->group_count)
			v->group_count = limit;
	}
	return rc;
}

/* --- one run --- */

/* Reads the run's pieces into v->log.  They begin at found[*at]; *at is moved to the next
 * run's. */
static int read_pieces(struct recovery *v, struct id run, size_t *at)
{
	int rc = SQLITE_OK;

	salvage_begin(&v->log.salvage);
	for (; *at < v->found_count && v->found[*at].run == run.key; ++*at)
		if (rc == SQLITE_OK)
			rc = salvage_read_add(&v->log, run, v->found[*at].piece);
	return rc;
}

/* read_bill: a row of sql_find_bill. */
static struct cut_off_bill read_bill(sqlite3_stmt *st)
{
	return (struct cut_off_bill){
		.attempts = db_int(st, 0),
		.first_token_ms = db_int(st, 1),
		.provider = db_column(st, 2),
		.key = db_column(st, 3),
		.model = db_column(st, 4),
		.known = sqlite3_column_type(st, 5) != SQLITE_NULL,
		.in = db_int(st, 5),
		.priced = sqlite3_column_type(st, 6) != SQLITE_NULL,
		.price_in = db_int(st, 6),
		.price_out = db_int(st, 7),
		.dropped = sqlite3_column_type(st, 8) != SQLITE_NULL,
		.dropped_usage = { .in = db_int(st, 8),
				   .out = db_int(st, 9),
				   .cached_read = db_int(st, 10),
				   .reasoning = db_int(st, 11),
				   .estimated = db_int(st, 14) != 0 },
		.dropped_priced = sqlite3_column_type(st, 12) != SQLITE_NULL,
		.dropped_nano = db_int(st, 12),
		.asked = db_int(st, 13) != 0,
		.taken = db_int(st, 15) != 0,
		.tags = db_column(st, 16),
	};
}

/* leave_run: without memory, it is ended as others. */
static bool leave_run(struct recovery *v, struct id run)
{
	void *cuts = v->cuts;

	if (!grow_array(&cuts, v->cut_count, &v->cut_cap, sizeof *v->cuts))
		return false;
	v->cuts = cuts;
	v->cuts[v->cut_count++] = run;
	return true;
}

/* Estimates what the provider may have charged for the run, and settles its reservation with it, unless the run
 * may go on: then *ret_left. */
static int recover_charge(struct recovery *v, struct id run, const struct salvage_told *told,
			  struct turn_end *end, bool *ret_left)
{
	struct usage_note note = { .run = run, .at_ms = v->now_ms };
	struct db_bind    b = conn_bind(v->session.conn, sql_find_bill);
	char              tags[LIMIT_TAGS];

	db_bind_int(&b, run.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	struct cut_off_bill bill = read_bill(b.st);
	str_copy(tags, sizeof tags, bill.tags);
	bill.tags = str_of(tags);
	*ret_left = v->cuts_runs && cut_off_goes_on(&bill, told) && leave_run(v, run);
	bool known = !*ret_left && cut_off_charge(&bill, told, end, &note);
	rc = sqlite3_reset(b.st);
	return rc == SQLITE_OK && known ? budgets_settle(v->session.conn, &note) : rc;
}

/* Stores an end for the run: `incomplete`, with the answer and the usage that its log gives. */
static int end_run(struct recovery *v, const struct cut_off *c, size_t *at)
{
	struct turn_end end = {
		.run = c->run,
		.status = RUN_INCOMPLETE,
		.error = STR(CUT_OFF_ERROR),
		.completed_ms = v->now_ms,
	};
	const struct salvage *log = &v->log.salvage;
	struct salvage_told   told;
	int                   rc = read_pieces(v, c->run, at);

	if (rc != SQLITE_OK)
		return rc;
	end.answer = salvage_make(&v->log.salvage, &told);
	end.keyed = true;
	end.kept_answer.http = told.begun ? 200 : 0;
	bool left = false;
	rc = recover_charge(v, c->run, &told, &end, &left);
	if (rc != SQLITE_OK || left)
		return rc;
	uint64_t last = log->count > 0 ? log->pieces[log->count - 1].last : 0;
	events_known(&v->session.events, c->run, last);
	/* The end has the first number that no client can have seen.  A piece may be committed
	 * before the reservation of its numbers, so both count. */
	end.last_seq = (last > c->reserved ? last : c->reserved) + 1;
	rc = turn_end(&v->session, &end);
	return rc == SQLITE_OK && end.job.err.code != ERR_OK ? SQLITE_CORRUPT : rc;
}

static int end_group(struct recovery *v, int64_t above, int *runs)
{
	size_t at = 0;
	size_t bytes = 0;
	int    rc = conn_begin_write(v->session.conn);

	if (rc == SQLITE_OK)
		rc = next_group(v, above);
	for (size_t i = 0; rc == SQLITE_OK && i < v->group_count; i++) {
		if (bytes > COMMIT_BYTES) {
			bytes = 0;
			rc = session_commit(&v->session);
			if (rc == SQLITE_OK)
				rc = conn_begin_write(v->session.conn);
		}
		if (rc == SQLITE_OK)
			rc = end_run(v, &v->group[i], &at);
		bytes += v->log.salvage.bytes.len + v->log.salvage.answer.len;
	}
	if (rc == SQLITE_OK)
		rc = session_commit(&v->session);
	if (rc == SQLITE_OK)
		*runs += (int)v->group_count;
	else
		conn_rollback(v->session.conn);
	return rc;
}

/* --- all --- */

static int read_parts(struct recovery *v)
{
	sqlite3_stmt *st;
	int           rc = conn_row(v->session.conn, sql_parts, &st);

	if (rc != SQLITE_ROW)
		return rc;
	v->part_first = db_int(st, 0);
	v->part_last = db_int(st, 1);
	return sqlite3_reset(st);
}

static int end_all(struct recovery *v, int *runs)
{
	int64_t above = 0;
	int     rc = read_parts(v);

	if (rc == SQLITE_OK)
		rc = find_group(v, 0, 1); /* usually none is unfinished, so nothing is written */
	for (int i = 1; rc == SQLITE_OK && v->group_count > 0; i++) {
		rc = end_group(v, above, runs);
		/* The checkpoint thread, which copies the write-ahead log back, may not run yet. */
		if (rc == SQLITE_OK && i % 16 == 0)
			(void)sqlite3_wal_checkpoint_v2(v->session.conn->db, NULL,
							SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		if (v->group_count > 0)
			above = v->group[v->group_count - 1].run.key;
	}
	return rc;
}

static int end_keys(struct recovery *v)
{
	int64_t key = 0;
	int     rc = SQLITE_OK;

	while (rc == SQLITE_OK) {
		struct db_bind find = conn_bind(v->session.conn, sql_find_keys);
		struct db_bind end = conn_bind(v->session.conn, sql_end_key);

		db_bind_int(&find, key);
		rc = db_bind_row(&find);
		if (rc != SQLITE_ROW)
			return rc == SQLITE_DONE ? SQLITE_OK : rc;
		key = db_int(find.st, 0);
		(void)sqlite3_reset(find.st);
		db_bind_int(&end, key);
		rc = is_own(v, key) ? SQLITE_OK : db_bind_run(&end);
	}
	return rc;
}

/* Settles, with an estimate, the reservations of calls of which nothing else is stored. */
static int end_reservations(struct recovery *v)
{
	struct conn *b = v->session.conn;
	int64_t      run = 0;
	int          rc = budgets_next(b, &run);

	if (rc != SQLITE_OK || run == 0)
		return rc;
	rc = conn_begin_write(v->session.conn);
	while (rc == SQLITE_OK && run != 0) {
		if (!is_own(v, run))
			rc = budgets_guess(b, run, v->now_ms);
		if (rc == SQLITE_OK)
			rc = budgets_next(b, &run);
	}
	if (rc == SQLITE_OK)
		rc = conn_commit(v->session.conn);
	if (rc != SQLITE_OK)
		conn_rollback(v->session.conn);
	return rc;
}

static int recover_runs(struct recovery *v, int *runs, int64_t *ret_highest)
{
	int rc = end_all(v, runs);

	if (rc == SQLITE_OK)
		rc = end_keys(v);
	if (rc == SQLITE_OK)
		rc = end_reservations(v);
	if (rc == SQLITE_OK)
		rc = highest_key(v->session.conn, ret_highest);
	return rc;
}

enum errc recover_floor(struct conn *c, const char *path, struct err *e)
{
	int64_t highest = 0;
	int     rc = highest_key(c, &highest);

	id_floor(highest);
	return rc == SQLITE_OK ? ERR_OK : db_fail(c->db, rc, path, "read", e);
}

enum errc recover_run(struct conn *c, const struct store_options *o, int *ret_runs, struct err *e)
{
	return recover_others(c, o, (struct recover_own){ 0 }, ret_runs, e);
}

enum errc recover_others(struct conn *c, const struct store_options *o, struct recover_own own,
			 int *ret_runs, struct err *e)
{
	struct recovery v = { .now_ms = clock_wall_ms(), .own = own, .cuts_runs = o->cut };
	int64_t         highest = 0;
	int             runs = 0;

	session_write(&v.session, c);
	v.log.conn = c;
	salvage_init(&v.log.salvage, o->assemble);
	int rc = recover_runs(&v, &runs, &highest);
	if (rc != SQLITE_OK)
		db_fail(c->db, rc, o->path, "recover", e);
	session_finish(&v.session);
	salvage_finish(&v.log.salvage);
	for (size_t i = 0; rc == SQLITE_OK && i < v.cut_count; i++)
		o->cut(v.cuts[i]);
	free(v.found);
	free(v.cuts);
	if (rc != SQLITE_OK)
		return e->code;

	id_floor(highest);
	*ret_runs = runs - (int)v.cut_count;
	return ERR_OK;
}
