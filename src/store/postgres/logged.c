/* Event logs that the server's disk may not have yet. */
#include "store/postgres/logged.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/postgres/postgres.h"

#include <stdlib.h>

enum {
	LOOK_US = 500 * 1000,
	/* So long it is kept in any case: a standby gets what is on the disk already. */
	KEEP_US = 2 * 1000 * 1000,
	KEEP_MOST_US = 60 * 1000 * 1000, /* and no longer, unless something may be lost */
	REST_US = 10 * 1000 * 1000,      /* after a look that has failed */
	STEP = 16,                       /* statements at once */
};

/* The server's log: where the next record goes, and how far it is on the disk. */
static const char sql_disk[] = "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint, "
			       "(pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint";
/* One row stands for all of its statement. */
static const char sql_missing[] =
	"SELECT k.n FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS k(run, last, n) "
	"WHERE (SELECT max(e.last) FROM event e WHERE e.run = k.run AND e.last = k.last) IS NULL "
	"ORDER BY k.n";
/* The run may have ended since, but not by another gateway.  Not written again is the log of an answer that was deleted,
 * and one that was there at the run's end and is no longer: retention has removed it.  Whoever deletes the answer or
 * the conversation locks the conversation first; the answer is locked to see what was done before. */
static const char sql_again[] =
	"WITH live AS MATERIALIZED (SELECT r.id, r.secret, r.status, r.events_to FROM conversation c "
	"JOIN run r ON r.conversation = c.id WHERE r.id = ANY($2::bigint[]) AND r.gateway = $1 "
	"AND EXISTS (SELECT 1 FROM gateway g WHERE g.id = $1 AND g.dead = 0) FOR KEY SHARE OF c, r), "
	"answers AS MATERIALIZED (SELECT m.id, m.run FROM live l JOIN message m ON m.id = l.id "
	"FOR SHARE OF m) "
	"INSERT INTO event (run, first, last, data) SELECT p.run, p.first, p.last, p.data FROM "
	"unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[]) "
	"AS p(run, secret, first, last, data) JOIN live l ON l.id = p.run AND l.secret = p.secret "
	"WHERE (cardinality($7::bigint[]) = 0 OR p.run = ANY($7::bigint[])) "
	"AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.id = p.run AND a.run < 0) "
	"AND (l.status < 2 OR l.events_to = 0 OR EXISTS (SELECT 1 FROM event e WHERE e.run = p.run)) "
	"ON CONFLICT DO NOTHING RETURNING run, last";

struct entry {
	struct entry *next;
	struct param
		args; /* the statement's; and the runs that it has added rows for, if not for all */
	int64_t run, last; /* a row of it */
	int64_t stored_us;
	int64_t place; /* the server's log had it before this place; 0: nobody has looked */
	bool    missing;
	bool    chosen; /* the arguments have the runs */
};

struct logged {
	struct entry  *sent; /* owned; not committed yet */
	struct entry  *first;
	struct entry **end;
	size_t         bytes;
	uint64_t       doubts, settled;
	uint64_t       doubts_seen; /* when the look began */
	int64_t        look_us;     /* when the next one is due */
	size_t         asked; /* how many of those that are missing were sent with the last stage */
	bool           single; /* one is sent at once, to find the one that the server refuses */
	bool           mended; /* something was written again */
};

struct logged *logged_create(void)
{
	struct logged *l = calloc(1, sizeof *l);

	if (l)
		l->end = &l->first;
	return l;
}

static void entry_free(struct entry *x)
{
	if (x)
		param_finish(&x->args);
	free(x);
}

/* entry_drop: frees the entry at the place. */
static void entry_drop(struct logged *l, struct entry **at)
{
	struct entry *x = *at;

	*at = x->next;
	if (!x->next)
		l->end = at;
	l->bytes -= sizeof *x + x->args.data.cap;
	entry_free(x);
}

void logged_destroy(struct logged *l)
{
	if (!l)
		return;
	while (l->first)
		entry_drop(l, &l->first);
	entry_free(l->sent);
	free(l);
}

/* --- what was stored --- */

void logged_sends(struct work *w)
{
	struct logged *l = w->db->logged;
	struct entry  *x = calloc(1, sizeof *x);

	entry_free(l->sent); /* it was sent in vain */
	if (x)
		param_copy(&x->args, &w->link->args);
	l->sent = x;
}

/* entry_choose: what was dropped must not come later, so the runs of the n-th result are noted. */
static void entry_choose(struct entry *x, const struct work *w, size_t n)
{
	struct param *a = &x->args;

	x->chosen = true;
	PARAM_EACH(a, PARAM_INT, i, (size_t)work_rows(w, n),
		   param_int(a, cell_int(work_row(w, n, (int)i), 0)));
}

void logged_stored(struct work *w, size_t n)
{
	struct logged *l = w->db->logged;
	struct entry  *x = TAKE(l->sent);
	int            rows = work_rows(w, n);

	if (x && rows > 0 && rows < x->args.elements)
		entry_choose(x, w, n);
	if (!x || rows == 0 || x->args.failed) {
		entry_free(x);
		return;
	}
	x->run = cell_int(work_row(w, n, 0), 0);
	x->last = cell_int(work_row(w, n, 0), 1);
	x->stored_us = clock_mono_us();
	if (!l->first)
		l->look_us = x->stored_us + LOOK_US;
	*l->end = x;
	l->end = &x->next;
	l->bytes += sizeof *x + x->args.data.cap;
	while (l->first && l->bytes > LIMIT_LOG_KEPT)
		entry_drop(l, &l->first);
}

/* --- looks --- */

void logged_doubt(struct postgres *db)
{
	db->logged->doubts++;
}

bool logged_doubtful(const struct postgres *db)
{
	return db->logged->first && db->logged->doubts != db->logged->settled;
}

bool logged_wanted(struct postgres *db)
{
	return logged_doubtful(db) || (db->logged->first && clock_mono_us() >= db->logged->look_us);
}

static void logged_look(struct work *w)
{
	struct logged *l = w->db->logged;
	struct param  *a;

	l->doubts_seen = l->doubts;
	l->asked = 0;
	l->mended = false;
	work_param(w);
	work_ask(w, sql_disk);
	a = work_param(w);
	param_begin(a, PARAM_INT);
	for (const struct entry *x = l->first; x; x = x->next)
		param_int(a, x->run);
	param_end(a);
	param_begin(a, PARAM_INT);
	for (const struct entry *x = l->first; x; x = x->next)
		param_int(a, x->last);
	param_end(a);
	work_ask(w, sql_missing);
}

/* logged_judge: what was found twice is on the disk if the disk has what the server's log had at the first time.  If
 * there was a crash in between, it has come through. */
static void logged_judge(struct work *w)
{
	struct logged *l = w->db->logged;
	int64_t        now_us = clock_mono_us();
	int64_t        to = cell_int(work_row(w, 0, 0), 0);
	int64_t        on_disk = cell_int(work_row(w, 0, 0), 1);
	bool           doubtful = l->doubts_seen != l->settled;
	struct entry **at = &l->first;
	int            missing = 0;

	for (int64_t n = 1; *at; n++) {
		struct entry *x = *at;
		int64_t       age_us = now_us - x->stored_us;

		x->missing = missing < work_rows(w, 1) && cell_int(work_row(w, 1, missing), 0) == n;
		missing += x->missing;
		if (doubtful && x->missing)
			x->stored_us = now_us;
		else if (age_us >= KEEP_MOST_US || (!x->missing && x->place > 0 &&
						    on_disk >= x->place && age_us >= KEEP_US)) {
			entry_drop(l, at);
			continue;
		}
		x->place = x->missing ? 0 : x->place > 0 ? x->place : to;
		at = &x->next;
	}
}

static enum work_next logged_again(struct work *w)
{
	struct logged *l = w->db->logged;

	l->asked = 0;
	for (const struct entry *x = l->first; x && l->asked < (l->single ? 1 : STEP);
	     x = x->next) {
		struct param *a;

		if (!x->missing)
			continue;
		a = work_param(w);
		param_copy(a, &x->args);
		if (!x->chosen) {
			param_begin(a, PARAM_INT);
			param_end(a);
		}
		work_ask(w, sql_again);
		l->asked++;
	}
	return l->asked > 0 ? WORK_AGAIN : WORK_DONE;
}

/* logged_written: what has added nothing belongs to nobody any more. */
static void logged_written(struct work *w)
{
	struct logged *l = w->db->logged;
	struct entry **at = &l->first;

	for (size_t n = 0; *at && n < l->asked;) {
		struct entry *x = *at;
		size_t        result = n;

		if (!x->missing) {
			at = &x->next;
			continue;
		}
		n++;
		if (work_rows(w, result) == 0) {
			entry_drop(l, at);
			continue;
		}
		x->missing = false;
		x->run = cell_int(work_row(w, result, 0), 0);
		x->last = cell_int(work_row(w, result, 0), 1);
		l->mended = true;
		at = &x->next;
	}
}

/* logged_refused: the server refuses one of those that were asked.  True: there is another look at once, which asks
 * one at a time, or without the one that was refused. */
static bool logged_refused(struct logged *l)
{
	struct entry **at = &l->first;

	if (l->asked == 0)
		return false;
	if (l->asked == 1) {
		while (!(*at)->missing)
			at = &(*at)->next;
		entry_drop(l, at);
	}
	l->single = true;
	return true;
}

enum work_next logged_step(struct work *w)
{
	switch (w->stage) {
	case 0: logged_look(w); return WORK_AGAIN;
	case 1: logged_judge(w); return logged_again(w);
	default: logged_written(w); return logged_again(w);
	}
}

void logged_over(struct work *w, const struct fault *f)
{
	struct logged *l = w->db->logged;

	bool refused = f && f->kind == FAULT_PG_DATA && logged_refused(l);

	l->look_us = clock_mono_us() + (refused ? 0 : f ? REST_US : LOOK_US);
	l->single = refused;
	/* Ends of runs wait for it, but not for ever. */
	if (!f || (f->kind == FAULT_PG_DATA && !refused) || f->kind == FAULT_PG_SERVER)
		l->settled = l->doubts_seen;
	if (l->mended)
		log_note(
			LOG_WARN, "events_lost",
			"the database had lost events of the last moment, which were written again");
	l->mended = false;
}
