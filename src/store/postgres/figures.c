/* The server's own figures: its estimate of the rows, where there are many. */
#include "store/postgres/chores.h"

#include "base/clock.h"
#include "base/id.h"
#include "store/postgres/partition.h"
#include "store/postgres/postgres.h"
#include "store/postgres/pump.h"

/* A row that waits longer than this for its place in the index was not written a moment ago. */
enum { FIGURES_LATE_MS = 60 * 1000 };

static const char sql_figures[] =
	"SELECT pg_database_size(current_database()), pg_total_relation_size('search'), "
	"(SELECT CASE WHEN reltuples < 10000 THEN (SELECT count(*) FROM search) ELSE reltuples END"
	"::bigint FROM pg_class WHERE oid = 'search'::regclass), "
	"(SELECT count(*) FROM (SELECT 1 FROM search_queue LIMIT 100000) q), "
	"EXISTS (SELECT 1 FROM search_queue WHERE seq < $1)::int::bigint, "
	"(SELECT count(*) FROM gateway WHERE dead = 0 AND lease_until > now()), "
	"(SELECT coalesce(sum(" PARTITION_BYTES
	"), 0)::bigint FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
	"WHERE i.inhparent = 'event'::regclass)";

enum work_next figures_step(struct work *w)
{
	if (w->stage == 0) {
		param_int(work_param(w), id_key_at(clock_wall_ms() - FIGURES_LATE_MS));
		work_ask(w, sql_figures);
		return WORK_LAST;
	}
	struct row r = work_row(w, 0, 0);
	pump_figures(w->db->pump, &(struct store_stats){ .database_bytes = cell_int(r, 0),
							 .search_bytes = cell_int(r, 1),
							 .search_messages = cell_int(r, 2),
							 .search_waiting = cell_int(r, 3),
							 .search_complete = !cell_int(r, 4),
							 .gateways = cell_int(r, 5),
							 .events_bytes = cell_int(r, 6) });
	return WORK_DONE;
}

void figures_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
