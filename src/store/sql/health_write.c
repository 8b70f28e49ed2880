/* Notes a change of a provider's health. */
#include "store/health.h"
#include "store/sql/cells.h"

static const char sql_put[] =
	"INSERT INTO provider_health (provider, at_ms, state) SELECT $1, $2, $3 WHERE $3 <> "
	"coalesce((SELECT state FROM provider_health WHERE provider = $1 ORDER BY at_ms DESC LIMIT 1), "
	"'') ON CONFLICT (provider, at_ms) DO UPDATE SET state = excluded.state";

/* A provider's last row stays, whatever its age; so a look passes over one row a provider at most. */
const char health_cell_old[] =
	"DELETE FROM provider_health WHERE (provider, at_ms) IN (SELECT o.provider, o.at_ms "
	"FROM provider_health o WHERE o.at_ms < $1 AND EXISTS (SELECT 1 FROM provider_health n "
	"WHERE n.provider = o.provider AND n.at_ms > o.at_ms AND n.at_ms < $1) ORDER BY o.at_ms LIMIT $2)";

static enum work_next write_health(struct query *q, struct health_write *j)
{
	struct param *a;

	if (q->stage > 0)
		return WORK_DONE;
	a = query_param(q);
	param_text(a, j->provider);
	param_int(a, j->at_ms);
	param_text(a, j->state);
	query_ask(q, sql_put);
	return WORK_LAST;
}

SQL_OP(health_write, WORK_WRITE, write_health);
