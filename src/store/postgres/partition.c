/* The tables of the event log. */
#include "store/postgres/partition.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/postgres/lease.h"
#include "store/postgres/postgres.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- changes of the log's tables: statements, each in the open transaction of a work ---
 *
 * Locks that can't be had at once, and tables that are not as they were, end it. */

enum { LOG_NAME = 136 }; /* 63 bytes, each quoted, and what is around them */

struct log_table {
	char    name[LOG_NAME];
	int64_t from,
		to;   /* its runs: the first one, and the first one after them; INT64_MAX: no end */
	int64_t heap; /* bytes that the server reads to look at each row */
	int64_t bytes;  /* heap, and the bytes of long values; without indexes */
	int64_t until;  /* its constraint: no run is as late as this one; 0: it has none */
	bool    proven; /* the server has found that this is so */
};

enum { SQL = 4096, PROVE_US = 65 * 1000 * 1000, WAIT_LATER_US = 5 * 1000 * 1000 };

/* Vacuum makes way for those who have waited for a second. */
static const char wait_for_vacuum[] = "SET LOCAL lock_timeout = '3s'";
/* All streams wait meanwhile, and the turns that end with them.  Where transactions take longer than that, later tries wait longer. */
static const char wait_first[] = "SET LOCAL lock_timeout = '50ms'";
static const char wait_later[] = "SET LOCAL lock_timeout = '200ms'";
static const char no_long_lock[] = "SET LOCAL statement_timeout = '2s'";
static const char long_check[] = "SET LOCAL statement_timeout = '60s'";
static const char lock_log[] = "LOCK TABLE ONLY event IN ACCESS EXCLUSIVE MODE";

PRINTF(2, 3) static void change_ask(struct work *w, const char *format, ...)
{
	char    sql[SQL];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(sql, sizeof sql, format, args);
	va_end(args);
	CHECK(n > 0 && n < SQL);
	link_control(w->link, sql);
}

/* change_lock: locks table t, and then the log.  Where a bound changes, rest is given and locked as well, because
 * the change moves what belongs there.  One of them may be NULL. */
static void change_lock(struct work *w, const struct log_table *rest, const struct log_table *t)
{
	bool both = rest && t && rest != t;

	CHECK(rest || t);
	link_control(w->link, wait_for_vacuum);
	change_ask(w, "LOCK TABLE %s%s%s IN SHARE UPDATE EXCLUSIVE MODE", rest ? rest->name : "",
		   both ? ", " : "", both || !rest ? t->name : "");
	link_control(w->link, w->db->log.pause_us > WAIT_LATER_US ? wait_later : wait_first);
	link_control(w->link, no_long_lock);
	link_control(w->link, lock_log);
}

/* partition_next: makes the table that begins at `at`; tail: the one without an end, which ends there; NULL: there is
 * none yet.  rest: the table for runs without another; NULL: there is none. */
static void partition_next(struct work *w, const struct log_table *rest,
			   const struct log_table *tail, int64_t at)
{
	change_lock(w, rest, tail);
	if (tail) {
		change_ask(w, "ALTER TABLE event DETACH PARTITION %s", tail->name);
		change_ask(w,
			   "ALTER TABLE event ATTACH PARTITION %s FOR VALUES FROM (%lld) TO (%lld)",
			   tail->name, (long long)tail->from, (long long)at);
	}
	change_ask(
		w,
		"CREATE TABLE event_%lld PARTITION OF event FOR VALUES FROM (%lld) TO (MAXVALUE)",
		(long long)id_key_ms(at), (long long)at);
}

/* partition_bind: adds a constraint. */
static void partition_bind(struct work *w, const struct log_table *t, int64_t until)
{
	change_lock(w, NULL, t);
	change_ask(
		w,
		"ALTER TABLE %s ADD CONSTRAINT event_until_%lld CHECK (run >= %lld AND run < %lld) "
		"NOT VALID",
		t->name, (long long)until, (long long)t->from, (long long)until);
}

/* No turn waits for this lock. */
static void partition_prove(struct work *w, const struct log_table *t)
{
	w->stage_us = PROVE_US;
	link_control(w->link, wait_for_vacuum);
	link_control(w->link, long_check);
	change_ask(w, "ALTER TABLE %s VALIDATE CONSTRAINT event_until_%lld", t->name,
		   (long long)t->until);
}

static void change_unbind(struct work *w, const struct log_table *t)
{
	change_ask(w, "ALTER TABLE %s DROP CONSTRAINT event_until_%lld", t->name,
		   (long long)t->until);
}

/* partition_unbind: removes the constraint. */
static void partition_unbind(struct work *w, const struct log_table *t)
{
	change_lock(w, NULL, t);
	change_unbind(w, t);
}

/* remove_check: a run that was made long ago may have begun a moment ago. */
static void remove_check(struct work *w, const struct log_table *t, const char *also)
{
	change_ask(w,
		   "WITH live AS MATERIALIZED (SELECT id FROM run WHERE status < 2) SELECT 1 / "
		   "(NOT EXISTS (SELECT 1 FROM live WHERE id >= %lld AND id < %lld)%s)::int",
		   (long long)t->from, (long long)t->to, also);
}

/* remove_rest: runs that have lost their table are in rest, too, and may be later ones. */
static void remove_rest(struct work *w, const struct log_table *t)
{
	char later[SQL / 4];

	snprintf(later, sizeof later, " AND NOT EXISTS (SELECT 1 FROM %s WHERE run >= %lld)",
		 t->name, (long long)t->to);
	remove_check(w, t, later);
	change_ask(w, "TRUNCATE %s", t->name);
}

/* partition_remove: drops the table, or empties it if it is rest, which loses its constraint in any case.  A live
 * run in the table ends the transaction. */
static void partition_remove(struct work *w, const struct log_table *rest,
			     const struct log_table *t)
{
	w->stage_us = PROVE_US; /* the answer comes when the server has deleted the files */
	change_lock(w, rest, t);
	/* A constraint would refuse what is still written of runs that lose their table. */
	if (rest && rest->until > 0)
		change_unbind(w, rest);
	if (t == rest) {
		remove_rest(w, rest);
	} else {
		remove_check(w, t, "");
		change_ask(w, "DROP TABLE %s", t->name);
	}
}

enum {
	TABLES = 80,       /* tables read at most */
	TABLES_MOST = 72,  /* tables made at most */
	PARTS = 16,        /* tables of a whole log, by its age and by its size */
	PARTS_LARGE = 32,  /* tables of a large log, each of LARGE at least */
	TABLES_LARGE = 36, /* with so many, twice 17 for sixteenths still fit in */
	LOOK_US = 2 * 1000 * 1000,
	PAUSE_MOST_US = 60 * 1000 * 1000,
	REMOVED_REST = 4,
	REST = 50,            /* a search for runs takes a fiftieth of the time at most */
	AHEAD_MS = 15 * 1000, /* a table begins so long after now: no id is as far ahead */
	SPAN_LEAST_MS = 60 * 1000,
	SCAN = 32 * (int)MIB,      /* a table that has grown so much gets its end: 12 to 25 ms */
	SCAN_MOST = 96 * (int)MIB, /* bytes read under the lock, at most */
	LARGE = 256 * (int)MIB,
	REST_LEAST = (int)MIB, /* event_rest is emptied as a whole above this, and by rows below */
};
#define PROOF_MS   ((int64_t)24 * 3600 * 1000)
#define BYTES_MOST 1e15 /* size of a log, for the arithmetic */

/* "Plog": a lock among all gateways of a database. */
static const char sql_lock[] = "SELECT pg_try_advisory_xact_lock(1349283687)::int::bigint";
static const char sql_tables[] =
	"SELECT i.inhrelid::regclass::text, "
	"coalesce(substring(b.bound FROM 'FROM \\(''(\\d+)''\\)')::bigint, 0), "
	"coalesce(substring(b.bound FROM 'TO \\(''(\\d+)''\\)')::bigint, 9223372036854775807), "
	"coalesce(pg_relation_size(c.oid), 0), " PARTITION_BYTES ", "
	"coalesce(substring(k.conname::text FROM '\\d+$')::bigint, 0), "
	"coalesce(k.convalidated, false)::int::bigint "
	"FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
	"CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b "
	"LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'c' "
	"AND k.conname::text LIKE 'event\\_until\\_%' "
	"WHERE i.inhparent = 'event'::regclass ORDER BY 2 LIMIT 80";
/* A table that need not stay: one without a live run, and, if it goes by its age, without one that ended too late. */
static const char sql_check[] =
	"WITH live AS MATERIALIZED (SELECT id FROM run WHERE status < 2) SELECT t.n FROM "
	"unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS t(a, b, aged, n) "
	"WHERE NOT EXISTS (SELECT 1 FROM live l WHERE l.id >= t.a AND l.id < t.b) "
	"AND NOT (t.aged = 1 AND EXISTS (SELECT 1 FROM run r WHERE r.id >= t.a AND r.id < t.b "
	"AND r.completed_ms >= $4)) LIMIT 1";

struct look {
	struct log_table
		tables[TABLES]; /* by their runs; the one that is without bounds is the first */
	size_t  count;
	int64_t bytes;          /* size of all tables */
	struct log_table *rest; /* event_rest; NULL: somebody has dropped it */
	struct log_table *tail; /* the one without an end; NULL: there is none yet */
	int64_t           now_ms;
	int64_t began_us; /* start of the search for runs, and of the removal; 0: there is none */
	int64_t room[TABLES]; /* bytes that this table may have, so that all are not too many */
	bool    surplus[TABLES];
	bool    stays[TABLES];
	size_t  asked[TABLES]; /* tables to drop if no run is in the way */
	size_t  asked_count;
	bool    acted;
};

/* --- what there is --- */

static bool log_tables_read(struct work *w, struct look *s)
{
	for (int i = 0; i < work_rows(w, 1) && i < TABLES; i++) {
		struct row        r = work_row(w, 1, i);
		struct log_table *t = &s->tables[s->count++];

		if (cell_str(r, 0).n >= sizeof t->name)
			return false;
		str_copy(t->name, sizeof t->name, cell_str(r, 0));
		t->from = cell_int(r, 1);
		t->to = cell_int(r, 2);
		t->heap = cell_int(r, 3);
		t->bytes = cell_int(r, 4);
		t->until = cell_int(r, 5);
		t->proven = cell_int(r, 6) != 0;
		s->bytes += t->bytes;
	}
	if (s->count == 0)
		return false;
	struct log_table *last = &s->tables[s->count - 1];
	if (s->tables[0].from == 0)
		s->rest = &s->tables[0];
	if (last != s->rest && last->to == INT64_MAX)
		s->tail = last;
	if (s->rest && s->count > 1)
		s->rest->to = s->tables[1].from;
	return true;
}

static bool log_is_limited(const struct store_options *o)
{
	return o->events_keep_ms > 0 || o->events_keep_bytes > 0;
}

static int64_t span_ms(const struct store_options *o)
{
	int64_t span = o->events_keep_ms / PARTS;

	if (o->events_keep_ms <= 0)
		return INT64_MAX / 2;
	return span > SPAN_LEAST_MS ? span : SPAN_LEAST_MS;
}

/* bytes_expected: what will be kept, if the log goes on to grow as it has grown since its oldest table. */
static double bytes_expected(const struct look *s, const struct store_options *o)
{
	const struct log_table *oldest = s->count > 1 && s->rest ? &s->tables[1] : &s->tables[0];
	double                  age = (double)(s->now_ms - id_key_ms(oldest->from));
	double                  keep = (double)o->events_keep_ms;
	double bytes = (double)(s->bytes - (oldest != s->rest && s->rest ? s->rest->bytes : 0));

	if (keep > age && age > 0)
		bytes = fmin(bytes * (keep / age), BYTES_MOST);
	if (o->events_keep_bytes > 0 && (keep <= 0 || bytes > (double)o->events_keep_bytes))
		bytes = (double)o->events_keep_bytes;
	return bytes;
}

static int64_t share_bytes(const struct look *s, const struct store_options *o)
{
	int64_t most = INT64_MAX / 2;
	int64_t share = o->events_keep_bytes / PARTS;

	if (s->count < TABLES_LARGE) {
		most = (int64_t)(bytes_expected(s, o) / (double)PARTS_LARGE);
		most = most > LARGE ? most : LARGE;
	}
	if (o->events_keep_bytes <= 0 || share > most)
		return most;
	return share > (int64_t)MIB ? share : (int64_t)MIB;
}

int64_t partition_late_ms(int64_t keep_ms)
{
	return keep_ms / PARTS < SPAN_LEAST_MS ? 0 : 2 * (keep_ms / PARTS);
}

/* --- the next table --- */

/* next_due: whether the tail gets an end, and when. */
static bool next_due(const struct look *s, const struct store_options *o, int64_t *ret_ms)
{
	const struct log_table *t = s->tail;
	int64_t                 share = share_bytes(s, o);
	int64_t                 age = s->now_ms - id_key_ms(t->from);
	int64_t                 left = span_ms(o) - age;
	int64_t                 end = AHEAD_MS;

	if (t->heap == 0 || age <= 0)
		return false;
	if (t->bytes < share) {
		/* So long until the share is reached, if the log grows as it has grown. */
		double more = (double)age * (double)(share - t->bytes) / (double)t->bytes;

		if (t->heap < SCAN && left > AHEAD_MS)
			return false;
		end = more < (double)left ? (int64_t)more : left;
	}
	*ret_ms = s->now_ms + (end > AHEAD_MS ? end : AHEAD_MS);
	return true;
}

/* next_prove: false: it is proven that no run is as late as `until`, or soon found out. */
static bool next_prove(struct work *w, struct log_table *t, int64_t until)
{
	if (t->heap <= SCAN_MOST || t->proven)
		return false;
	if (t->until == 0)
		partition_bind(w, t, until);
	else
		partition_prove(w, t);
	return true;
}

/* next_make: makes the next table, or does what must come before.  False: there is nothing to do. */
static bool next_make(struct work *w, struct look *s)
{
	struct log_table *open = s->tail ? s->tail : s->rest;
	int64_t           at_ms = s->now_ms + AHEAD_MS;
	int64_t           at;

	if (s->tail && s->rest && s->rest->until > 0 && s->rest->heap <= SCAN_MOST) {
		partition_unbind(w, s->rest); /* nothing is to be proven any more */
		return true;
	}
	if (open && open->until > 0 && id_key_ms(open->until) - s->now_ms < PROOF_MS / 2) {
		partition_unbind(w, open);
		return true;
	}
	if (!open || !log_is_limited(&w->db->options) || s->count >= TABLES_MOST ||
	    (s->tail && !next_due(s, &w->db->options, &at_ms) && open->until == 0))
		return false;
	if (next_prove(w, open, id_key_at(s->now_ms + PROOF_MS)))
		return true;
	/* The tail has all later runs. */
	if (s->rest && s->tail && next_prove(w, s->rest, s->tail->from))
		return true;
	at = open->until > 0 ? open->until : id_key_at(at_ms);
	if (!s->tail && s->count > 1 && at < s->tables[s->count - 1].to)
		at = s->tables[s->count - 1].to;
	partition_next(w, s->rest, s->tail, at);
	return true;
}

/* --- removal --- */

/* If much of what may be kept is in the table that has more than fits in, the log is removed by rows. */
static bool remove_whole(const struct look *s, size_t i, int64_t keep_bytes)
{
	const struct log_table *t = &s->tables[i];

	if (t->to == INT64_MAX || (s->surplus[i] && s->room[i] > 0 && t->bytes > keep_bytes / 2))
		return false;
	return t != s->rest || t->bytes >= REST_LEAST;
}

static void remove_plan(struct look *s, const struct store_options *o)
{
	int64_t room = o->events_keep_bytes > 0 ? o->events_keep_bytes : INT64_MAX;
	int64_t old = o->events_keep_ms > 0 ? id_key_at(s->now_ms - o->events_keep_ms) : 0;

	for (size_t i = s->count; i-- > 0;) {
		s->surplus[i] = s->tables[i].bytes > room;
		s->room[i] = room;
		room = s->surplus[i] ? 0 : room - s->tables[i].bytes;
	}
	for (size_t i = 0; i < s->count; i++) {
		s->stays[i] = true;
		if ((s->surplus[i] || s->tables[i].to <= old) &&
		    remove_whole(s, i, o->events_keep_bytes))
			s->asked[s->asked_count++] = i;
	}
}

static void remove_ask(struct work *w, struct look *s)
{
	struct param *a = work_param(w);

#define EACH(add) PARAM_EACH(a, PARAM_INT, i, s->asked_count, param_int(a, add))
	EACH(s->tables[s->asked[i]].from);
	EACH(s->tables[s->asked[i]].to);
	EACH(!s->surplus[s->asked[i]]);
#undef EACH
	param_int(a, s->now_ms - w->db->options.events_keep_ms);
	s->began_us = clock_mono_us();
	work_ask(w, sql_check);
}

/* remove_table: false: none. */
static bool remove_table(struct work *w, struct look *s)
{
	if (work_rows(w, 0) == 0)
		return false;

	size_t at = s->asked[cell_int(work_row(w, 0, 0), 0) - 1];
	s->stays[at] = false;
	partition_remove(w, s->rest, &s->tables[at]);
	return true;
}

/* remove_rows: what is too much although no table can be dropped. */
static void remove_rows(struct work *w, const struct look *s)
{
	w->db->log.to = w->db->log.bytes = 0;
	for (size_t i = s->count; i-- > 0 && w->db->log.to == 0;)
		if (s->surplus[i] && s->stays[i]) {
			w->db->log.to = s->tables[i].to;
			w->db->log.bytes = s->room[i];
		}
}

/* --- the chore --- */

bool partition_wanted(struct postgres *db)
{
	return clock_mono_us() >= db->log.look_us && !lease_unfit(db);
}

static enum work_next partition_act(struct work *w, struct look *s)
{
	s->acted = true;
	w->db->log.settled = false;
	w->db->log.look_us = 0; /* there may be more to do */
	return WORK_LAST;
}

static enum work_next partition_look(struct work *w)
{
	bool         ours = cell_int(work_row(w, 0, 0), 0) != 0;
	struct look *s;

	w->db->log.look_us = clock_mono_us() + LOOK_US;
	w->db->log.settled = w->db->log.settled && ours;
	if (!ours)
		return WORK_DONE;
	s = work_state(w, sizeof *s, NULL);
	if (!s || !log_tables_read(w, s))
		return WORK_DONE;
	s->now_ms = lease_now_ms(w->db);
	remove_plan(s, &w->db->options);
	bool rests = s->asked_count > 0 && clock_mono_us() < w->db->log.remove_us;
	if (!rests)
		remove_rows(w, s);
	if (next_make(w, s))
		return partition_act(w, s);
	if (rests) { /* the surplus goes with its table, later */
		if (w->db->log.look_us > w->db->log.remove_us)
			w->db->log.look_us = w->db->log.remove_us;
		return WORK_DONE;
	}
	w->db->log.settled = s->asked_count == 0;
	if (w->db->log.settled)
		return WORK_DONE;
	remove_ask(w, s);
	return WORK_AGAIN;
}

static enum work_next partition_look_again(struct work *w, struct look *s)
{
	int64_t now_us = clock_mono_us();
	bool    some = remove_table(w, s);
	int64_t rest_us = REST * (now_us - s->began_us);

	remove_rows(w, s);
	if (some)
		return partition_act(w, s);
	w->db->log.settled = true;
	w->db->log.look_us = now_us + (rest_us > LOOK_US ? rest_us : LOOK_US);
	return WORK_DONE;
}

/* partition_rest: the server takes as long as a second to delete a file of a GB.  After each removal, this
 * gateway removes none for four times as long as that has taken, so its disk and processors are left to turns.  New
 * tables are made meanwhile: one that is too large to be cut off would have to stay for a day. */
static void partition_rest(struct postgres *db, const struct look *s)
{
	int64_t now_us = clock_mono_us();

	if (s && s->began_us > 0)
		db->log.remove_us = now_us + REMOVED_REST * (now_us - s->began_us);
}

enum work_next partition_step(struct work *w)
{
	struct look *s = w->state;

	switch (w->stage) {
	case 0:
		w->once = true;
		work_param(w);
		work_ask(w, sql_lock);
		work_param(w);
		work_ask(w, sql_tables);
		return WORK_AGAIN;
	case 1: return partition_look(w);
	default:
		if (s && !s->acted)
			return partition_look_again(w, s);
		w->db->log.pause_us = w->db->log.to = 0;
		partition_rest(w->db, s);
		return WORK_DONE;
	}
}

void partition_over(struct work *w, const struct fault *f)
{
	int64_t pause = w->db->log.pause_us * 2;

	if (!f)
		return;
	if (w->db->log.pause_us == 0 && f->kind == FAULT_PG_SERVER)
		log_note(LOG_WARN, "database", "the tables of the event log can't be changed: %s",
			 f->text);
	pause = pause < LOOK_US ? LOOK_US : pause < PAUSE_MOST_US ? pause : PAUSE_MOST_US;
	if (pause < PAUSE_MOST_US) /* soon it is done without rows */
		w->db->log.to = 0;
	else
		w->db->log.settled = true;
	w->db->log.pause_us = pause;
	w->db->log.look_us = clock_mono_us() + pause;
}
