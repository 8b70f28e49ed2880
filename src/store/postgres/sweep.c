/* Removes old events, old idempotency keys, old calls of the ledger, and contents that no file has.
 *
 * Here, events are removed row by row: what is left because its table can't be dropped (partition.h).
 *
 * Any gateway does it, by the server's clock; SKIP LOCKED lets each take other rows. */
#include "store/postgres/chores.h"

#include "base/clock.h"
#include "store/ledger_block.h"
#include "store/postgres/lease.h"
#include "store/postgres/partition.h"
#include "store/postgres/postgres.h"
#include "store/health.h"
#include "store/sql/cells.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t AGED_REST_US = (int64_t)60 * 1000 * 1000;
/* No call lasts for half as long. */
#define UNBEGUN_MS ((int64_t)48 * 3600 * 1000)

enum {
	SWEEP_LOOK =
		1, /* the place of the look at ceilings among a sweep's results; those of sweep_aged follow */
	SWEEP_KEYS = 256,
	SWEEP_AGED = 1024,
	SWEEP_RUNS = 64,
	SWEEP_BLOCKS = 64,
	AGED_CACHED = 256,
	AGED_STEP = 256, /* the smallest of these steps */
	SWEEP_PIECES = 4096,
	CLOCKS_MS = 60 * 1000,       /* by which clocks of gateways may differ */
	SWEEP_REST_US = 1000 * 1000, /* when nothing more is left to remove */
	SIZE_RUNS = 1024,            /* runs in one look at the surplus */
	SIZE_STEP = 16,              /* runs in one transaction */
	SIZE_REST = 50,              /* such a look takes a fiftieth of the time at most */
};

static const char sql_keys[] =
	"DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency WHERE http > 0 "
	"AND created_ms < $1 ORDER BY created_ms LIMIT $2 FOR UPDATE SKIP LOCKED)";
/* A run's id is its time.  Logs of live runs stay.  The row says whether there may be more to remove. */
static const char sql_events[] =
	"WITH seen AS MATERIALIZED (SELECT run FROM event WHERE run < $1 ORDER BY run, last LIMIT $4), "
	"old AS MATERIALIZED (SELECT DISTINCT s.run FROM seen s WHERE NOT EXISTS (SELECT 1 FROM run r "
	"WHERE r.id = s.run AND (r.status < 2 OR r.completed_ms >= $2)) LIMIT $3), "
	"gone AS (DELETE FROM event e USING old WHERE e.run = old.run) "
	"SELECT (EXISTS (SELECT 1 FROM old) AND (SELECT count(*) FROM seen) = $4)::int::bigint";

/* Uploads that were not finished. */
static const char sql_contents[] =
	"WITH gone AS (DELETE FROM content WHERE sha256 IN (SELECT sha256 FROM content WHERE used = 0 "
	"AND touched < now() - interval '1 hour' LIMIT 8 FOR UPDATE SKIP LOCKED) RETURNING sha256, place), "
	"objects AS (INSERT INTO content_object (number, sha256, gone, after) "
	"SELECT place, sha256, 1, now() FROM gone WHERE place <> 0) "
	"DELETE FROM content_part p USING gone WHERE p.sha256 = gone.sha256";

/* ceilings_look: asks how far the next ceilings reach: the result SWEEP_LOOK of a sweep. */
static void ceilings_look(struct work *w, int64_t now_ms)
{
	char          end[BUDGET_NAME];
	struct param *a = work_param(w);

	snprintf(end, sizeof end, CEILING_CELL_OF, (long long)id_key_at(now_ms - UNBEGUN_MS));
	param_text(a, str_of(w->db->ceiling_at[0] ? w->db->ceiling_at : CEILING_CELL_FIRST));
	param_text(a, str_of(end));
	param_int(a, SWEEP_AGED);
	work_ask(w, ceiling_cell_next);
}

/* ceilings_ask: removes those among them whose conversations do not exist; false: there are no more, and the next look
 * begins anew. */
static bool ceilings_ask(struct work *w)
{
	char         *at = w->db->ceiling_at;
	struct str    last = cell_str(work_row(w, SWEEP_LOOK, 0), 0);
	struct param *a = last.n > 0 ? work_param(w) : NULL;

	if (a) {
		param_text(a, str_of(at[0] ? at : CEILING_CELL_FIRST));
		param_text(a, last);
		work_ask(w, ceiling_cell_unbegun.postgres);
	}
	str_copy(at, BUDGET_NAME, last);
	return a;
}

/* sweep_aged: asks a statement that removes a step of those before at; step 0: it has its own. */
static void sweep_aged(struct work *w, const char *sql, int64_t at, int64_t step)
{
	struct param *a = work_param(w);

	param_int(a, at);
	if (step > 0)
		param_int(a, step);
	work_ask(w, sql);
	w->db->aged++;
}

/* aged_ask: removes rows that are kept for long. */
static void aged_ask(struct work *w, int64_t now_ms)
{
	int64_t keep_ms = w->db->options.audit_keep_ms;

	w->db->aged = 0;
	if (clock_mono_us() < w->db->aged_us)
		return;
	w->db->aged_us = clock_mono_us() + AGED_REST_US;
	ceilings_look(w, now_ms);
	if (keep_ms > 0)
		sweep_aged(w, audit_cell_old.postgres, id_key_at(now_ms - keep_ms), 0);
	sweep_aged(w, health_cell_old, now_ms - HEALTH_KEEP_DAYS * (int64_t)24 * 3600 * 1000,
		   SWEEP_AGED);
	sweep_aged(w, ceiling_cell_old.postgres, now_ms - CLOCKS_MS, SWEEP_AGED);
	sweep_aged(w, cache_cell_old.postgres, now_ms, AGED_CACHED);
	sweep_aged(w, cache_cell_marks.postgres, now_ms - UNBEGUN_MS, SWEEP_AGED);
}

/* aged_again: a statement of aged_ask has removed a whole step, or the look at ceilings goes on: there may be more, and calls
 * may leave more rows in a minute than one step has. */
static bool aged_again(const struct work *w)
{
	bool ret = cell_str(work_row(w, SWEEP_LOOK, 0), 0).n > 0;

	for (size_t i = SWEEP_LOOK + 1; i <= SWEEP_LOOK + w->db->aged; i++)
		ret |= strtol(pq.PQcmdTuples(w->link->results[i]), NULL, 10) >= AGED_STEP;
	return ret;
}

/* sweep_go_on: what the answers of aged_ask ask for. */
static enum work_next sweep_go_on(struct work *w)
{
	if (aged_again(w))
		w->db->aged_us = clock_mono_us() + SWEEP_REST_US;
	return ceilings_ask(w) ? WORK_LAST : WORK_DONE;
}

/* The oldest hour of the ledger, a few blocks at a time; then its size. */
static const char sql_calls[] =
	"WITH old AS (SELECT min(hour) AS hour, sum(bytes) AS bytes FROM call_size), "
	"due AS MATERIALIZED (SELECT hour FROM old WHERE hour < $1 OR ($2 > 0 AND hour < $3 AND bytes > $2)), "
	"gone AS (DELETE FROM call_block WHERE high IN (SELECT b.high FROM call_block b "
	"WHERE b.high < (SELECT (hour + 1) * 3600000 * $4 FROM due) ORDER BY b.high LIMIT $5 "
	"FOR UPDATE SKIP LOCKED) RETURNING high) DELETE FROM call_size "
	"WHERE hour IN (SELECT hour FROM due) AND NOT EXISTS (SELECT 1 FROM gone)";
static const char sql_call_hours[] = "DELETE FROM call_hour WHERE hour < $1 "
				     "AND hour = (SELECT min(hour) FROM call_hour)";
static const char sql_call_sums[] = "DELETE FROM call_sum WHERE kind IN (0, 1, 2, 3) AND hour < $1 "
				    "AND hour = (SELECT min(hour) FROM call_sum WHERE kind = 0)";

/* sweep_calls: what is too old or too much of the ledger. */
static void sweep_calls(struct work *w, const struct store_options *o, int64_t now_ms)
{
	int64_t horizon = o->calls_keep_ms > 0 ? (now_ms - o->calls_keep_ms) / LEDGER_HOUR_MS : 0;
	struct param *a;

	if (o->calls_keep_ms <= 0 && o->calls_keep_bytes <= 0)
		return;
	a = work_param(w);
	param_int(a, horizon);
	param_int(a, o->calls_keep_bytes);
	param_int(a, now_ms / LEDGER_HOUR_MS);
	param_int(a, id_key_at(1));
	param_int(a, SWEEP_BLOCKS);
	work_ask(w, sql_calls);
	a = work_param(w);
	param_int(a, horizon);
	work_ask(w, sql_call_hours);
	param_int(work_param(w), horizon);
	work_ask(w, sql_call_sums);
}

enum work_next sweep_step(struct work *w)
{
	const struct store_options *o = &w->db->options;
	int64_t                     now_ms = lease_now_ms(w->db);
	struct param               *a;

	if (w->stage > 0) {
		/* The answer about events is the last one, and the only one that has a row. */
		size_t last = w->link->result_count - 1;
		bool   more = work_rows(w, last) > 0 && cell_int(work_row(w, last, 0), 0) != 0;

		w->db->sweep_us = clock_mono_us() + (more ? 0 : SWEEP_REST_US);
		return w->stage == 1 && w->db->aged > 0 ? sweep_go_on(w) : WORK_DONE;
	}
	work_param(w);
	work_ask(w, sql_contents);
	aged_ask(w, now_ms);
	if (o->answer_keep_ms > 0) {
		a = work_param(w);
		param_int(a, now_ms - o->answer_keep_ms);
		param_int(a, SWEEP_KEYS);
		work_ask(w, sql_keys);
	}
	sweep_calls(w, o, now_ms);
	if (o->events_keep_ms > 0 && w->db->log.settled) {
		int64_t late_ms = partition_late_ms(o->events_keep_ms);

		a = work_param(w);
		param_int(a, id_key_at(now_ms - o->events_keep_ms - late_ms));
		param_int(a, now_ms - o->events_keep_ms);
		param_int(a, SWEEP_RUNS);
		param_int(a, SWEEP_PIECES);
		work_ask(w, sql_events);
	}
	return w->db->aged > 0 ? WORK_AGAIN : WORK_LAST;
}

bool sweep_wanted(struct postgres *db)
{
	return clock_mono_us() >= db->sweep_us && !lease_unfit(db);
}

void sweep_over(struct work *w, const struct fault *f)
{
	if (f)
		w->db->sweep_us = clock_mono_us() + SWEEP_REST_US;
}

/* --- the size of the log --- */

/* The oldest ended runs that do not fit in after all newer ones.  Bytes count as they are stored. */
static const char sql_surplus[] =
	"SELECT s.run FROM (SELECT b.run, sum(b.bytes) OVER (ORDER BY b.run DESC) AS total FROM "
	"(SELECT e.run, sum(pg_column_size(e.data)) AS bytes FROM event e WHERE e.run < $3 "
	"GROUP BY e.run) b) s "
	"WHERE s.total > $1 AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = s.run AND r.status < 2) "
	"ORDER BY s.run LIMIT $2";
static const char sql_remove[] = "DELETE FROM event WHERE run = ANY($1::bigint[])";

struct size_state {
	int64_t runs[SIZE_RUNS];
	size_t  count, at;
};

bool sweep_size_wanted(struct postgres *db)
{
	return db->log.to > 0 && clock_mono_us() >= db->size_us && !lease_unfit(db);
}

static void size_look(struct work *w)
{
	struct param *a = work_param(w);

	param_int(a, w->db->log.bytes);
	param_int(a, SIZE_RUNS);
	param_int(a, w->db->log.to);
	w->db->size_us = clock_mono_us();
	work_ask(w, sql_surplus);
}

static bool size_found(struct work *w)
{
	struct size_state *s = work_state(w, sizeof *s, NULL);
	int64_t            now_us = clock_mono_us();

	w->db->size_us = now_us + SIZE_REST * (now_us - w->db->size_us);
	for (int i = 0; s && i < work_rows(w, 0) && i < SIZE_RUNS; i++)
		s->runs[s->count++] = cell_int(work_row(w, 0, i), 0);
	return s != NULL;
}

static enum work_next size_remove(struct work *w)
{
	struct size_state *s = w->state;
	size_t             left = s->count - s->at;
	size_t             n = left < SIZE_STEP ? left : SIZE_STEP;
	struct param      *a;

	if (n == 0)
		return WORK_DONE;
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, s->runs[s->at + i]));
	s->at += n;
	work_ask(w, sql_remove);
	return WORK_AGAIN;
}

enum work_next sweep_size_step(struct work *w)
{
	switch (w->stage) {
	case 0: size_look(w); return WORK_AGAIN;
	case 1: return size_found(w) ? size_remove(w) : WORK_DONE;
	default: return size_remove(w);
	}
}
