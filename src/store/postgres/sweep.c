/* Removes old events, old idempotency keys, and contents that no file has.
 *
 * Here, events are removed row by row: what is left because its table can't be dropped (partition.h).
 *
 * Any gateway does it, by the server's clock; SKIP LOCKED lets each take other rows. */
#include "store/postgres/chores.h"

#include "base/clock.h"
#include "store/postgres/lease.h"
#include "store/postgres/partition.h"
#include "store/postgres/postgres.h"

enum {
	SWEEP_KEYS = 256,
	SWEEP_RUNS = 64,
	SWEEP_PIECES = 4096,
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
		return WORK_DONE;
	}
	work_param(w);
	work_ask(w, sql_contents);
	if (o->answer_keep_ms > 0) {
		a = work_param(w);
		param_int(a, now_ms - o->answer_keep_ms);
		param_int(a, SWEEP_KEYS);
		work_ask(w, sql_keys);
	}
	if (o->events_keep_ms > 0 && w->db->log.settled) {
		int64_t late_ms = partition_late_ms(o->events_keep_ms);

		a = work_param(w);
		param_int(a, id_key_at(now_ms - o->events_keep_ms - late_ms));
		param_int(a, now_ms - o->events_keep_ms);
		param_int(a, SWEEP_RUNS);
		param_int(a, SWEEP_PIECES);
		work_ask(w, sql_events);
	}
	return WORK_LAST;
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
