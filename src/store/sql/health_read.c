/* Reads changes of the providers' health. */
#include "store/health.h"
#include "store/sql/cells.h"

enum { CHANGES_FIRST = 64 };

/* Each provider's newest changes are read, so that a provider that changes all the time hides no other. */
static const char sql_changes[] =
	"WITH RECURSIVE p(provider) AS (SELECT min(provider) FROM provider_health UNION ALL "
	"SELECT (SELECT min(n.provider) FROM provider_health n WHERE n.provider > p.provider) FROM p "
	"WHERE p.provider IS NOT NULL) "
	"SELECT h.provider, h.at_ms, h.state FROM p CROSS JOIN provider_health h "
	"WHERE h.provider = p.provider AND h.at_ms >= coalesce((SELECT max(b.at_ms) FROM provider_health b "
	"WHERE b.provider = p.provider AND b.at_ms <= $1), $1) AND h.at_ms >= coalesce((SELECT l.at_ms "
	"FROM provider_health l WHERE l.provider = p.provider ORDER BY l.at_ms DESC LIMIT 1 OFFSET $2), 0) "
	"ORDER BY h.provider, h.at_ms";

/* changes_room: false: no memory. */
static bool changes_room(struct health_read *j, size_t *cap)
{
	if (j->change_count < *cap)
		return true;
	size_t                more = *cap ? 2 * *cap : CHANGES_FIRST;
	struct health_change *grown = arena_alloc(&j->arena, more * sizeof *grown);
	if (!grown)
		return false;
	if (j->change_count > 0)
		memcpy(grown, j->changes, j->change_count * sizeof *grown);
	j->changes = grown;
	*cap = more;
	return true;
}

/* changes_take: a provider's name is kept once. */
static bool changes_take(struct health_read *j, struct row r)
{
	struct health_change *c = &j->changes[j->change_count];
	struct str            provider = cell_str(r, 0);

	c->at_ms = cell_int(r, 1);
	if (j->change_count > 0 && str_eq(c[-1].provider, provider))
		c->provider = c[-1].provider;
	else if (!cell_keep(&j->arena, r, 0, &c->provider, &j->job.err))
		return false;
	if (!cell_keep(&j->arena, r, 2, &c->state, &j->job.err))
		return false;
	j->change_count++;
	return true;
}

static enum work_next read_health(struct query *q, struct health_read *j)
{
	struct row r;
	size_t     cap = 0;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		j->change_count = 0;
		param_int(a, j->from_ms);
		param_int(a, (int64_t)j->limit - 1);
		query_ask(q, sql_changes);
		return WORK_LAST;
	}
	while (query_row(q, 0, &r)) {
		if (!changes_room(j, &cap)) {
			cell_no_memory(&j->job.err);
			break;
		}
		if (!changes_take(j, r))
			break;
	}
	return WORK_DONE;
}

SQL_OP(health_read, WORK_SNAPSHOT, read_health);
