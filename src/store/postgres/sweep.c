/* Removes old events, old idempotency keys, and contents that no file has.
 *
 * Any gateway does it; SKIP LOCKED lets each take other rows. */
#include "store/postgres/sweep.h"

#include "base/clock.h"
#include "store/postgres/postgres.h"

enum { SWEEP_KEYS = 256, SWEEP_RUNS = 64 };

static const char sql_keys[] =
	"DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency WHERE http > 0 "
	"AND created_ms < $1 ORDER BY created_ms LIMIT $2 FOR UPDATE SKIP LOCKED)";
/* A run's id is its time.  Logs of live runs stay. */
static const char sql_events[] =
	"DELETE FROM event WHERE run IN (SELECT DISTINCT e.run FROM (SELECT run FROM event "
	"WHERE run < $1 ORDER BY run, last LIMIT 4096) e WHERE NOT EXISTS (SELECT 1 FROM run r "
	"WHERE r.id = e.run AND (r.status < 2 OR r.completed_ms >= $2)) LIMIT $3)";

/* Uploads that were not finished. */
static const char sql_contents[] =
	"WITH gone AS (DELETE FROM content WHERE sha256 IN (SELECT sha256 FROM content WHERE used = 0 "
	"AND touched < now() - interval '1 hour' LIMIT 8 FOR UPDATE SKIP LOCKED) RETURNING sha256) "
	"DELETE FROM content_part p USING gone WHERE p.sha256 = gone.sha256";

enum work_next sweep_step(struct work *w)
{
	const struct store_options *o = &w->db->options;
	int64_t                     now_ms = clock_wall_ms();
	struct param               *a;

	if (w->stage > 0)
		return WORK_DONE;
	work_param(w);
	work_ask(w, sql_contents);
	if (o->idem_keep_ms > 0) {
		a = work_param(w);
		param_int(a, now_ms - o->idem_keep_ms);
		param_int(a, SWEEP_KEYS);
		work_ask(w, sql_keys);
	}
	if (o->events_keep_ms > 0) {
		a = work_param(w);
		param_int(a, id_key_at(now_ms - o->events_keep_ms));
		param_int(a, now_ms - o->events_keep_ms);
		param_int(a, SWEEP_RUNS);
		work_ask(w, sql_events);
	}
	return WORK_LAST;
}

void sweep_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
