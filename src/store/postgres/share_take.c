/* Takes shares of limits.
 *
 * The first statement begins the windows that are over, and locks them in their order, so that two gateways can't
 * wait for each other; the second one sees what was taken before the lock was there, and hands out of the rest.
 *
 * A server that crashed must not hand out once more what a call has spent, so a share of a window waits for the
 * disk.  Calls at once need not: what a crash forgets of them is told again at their ends. */
#include "store/postgres/batch.h"
#include "store/postgres/postgres.h"
#include "store/share.h"

#define NOW "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

static const char sql_durable[] = "SELECT set_config('synchronous_commit', 'on', true)";
/* A server with another clock has taken over: windows of the future end, too. */
static const char sql_window[] =
	"INSERT INTO rate_share AS w (key, policy, gateway, began_ms, window_ms, taken) "
	"SELECT key, policy, 0, " NOW ", window_ms, 0 FROM unnest($1::bigint[], $2::bigint[], "
	"$3::bigint[]) AS k(key, policy, window_ms) ORDER BY key, policy "
	"ON CONFLICT (key, policy, gateway) DO UPDATE SET window_ms = excluded.window_ms, "
	"began_ms = CASE WHEN excluded.began_ms - w.began_ms BETWEEN -60000 AND "
	"excluded.window_ms - 1 THEN w.began_ms ELSE excluded.began_ms END";
/* A gateway gets a quarter of its part of what is left, or what it needs; of small limits only that. */
static const char sql_take[] =
	"WITH k AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "
	"$6::bigint[], $7::bigint[], $8::bigint[]) AS k(n, key, policy, window_ms, lim, need, more)), "
	"g AS (SELECT greatest(count(*), 1) AS gateways FROM gateway WHERE dead = 0), "
	"w AS (SELECT k.*, h.began_ms, g.gateways, (k.lim - coalesce((SELECT sum(r.taken) "
	"FROM rate_share r WHERE r.key = k.key AND r.policy = k.policy AND r.gateway <> 0 "
	"AND CASE WHEN k.window_ms > 0 THEN r.began_ms = h.began_ms ELSE EXISTS (SELECT 1 FROM "
	"gateway o WHERE o.id = r.gateway AND o.dead = 0) END), 0))::bigint AS rest "
	"FROM k JOIN rate_share h ON h.key = k.key AND h.policy = k.policy AND h.gateway = 0 "
	"CROSS JOIN g), "
	"s AS (SELECT w.*, CASE WHEN lim < 16 * gateways THEN 0 "
	"ELSE greatest(rest, 0) / (4 * gateways) END AS keep FROM w), "
	"t AS (SELECT s.*, CASE WHEN rest < need THEN 0 "
	"ELSE greatest(need, more * keep) END AS granted FROM s), "
	"put AS (INSERT INTO rate_share AS m (key, policy, gateway, began_ms, window_ms, taken) "
	"SELECT key, policy, $1, began_ms, window_ms, granted FROM t WHERE granted > 0 "
	"ON CONFLICT (key, policy, gateway) DO UPDATE SET taken = excluded.taken + CASE WHEN "
	"excluded.window_ms = 0 OR m.began_ms = excluded.began_ms THEN m.taken ELSE 0 END, "
	"began_ms = excluded.began_ms, window_ms = excluded.window_ms) "
	"SELECT n, granted, rest - granted, keep, CASE WHEN window_ms > 0 THEN began_ms ELSE $1 END, "
	"greatest(began_ms + window_ms - " NOW ", 0) FROM t";

static struct share_take *share_take_of(const struct group *g, size_t i)
{
	return container_of(g->jobs[i], struct share_take, job);
}

static size_t share_take_things(struct store_job *job, void (*add)(void *arg, int64_t thing),
				void             *arg)
{
	const struct share_take *j = container_of(job, struct share_take, job);

	for (size_t i = 0; i < j->count; i++)
		add(arg, (int64_t)((uint64_t)j->wants[i].key * 0x9e3779b97f4a7c15u) +
				 j->wants[i].policy + 1);
	return sizeof *j;
}

/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define EACH(x, add)                                                       \
	do {                                                               \
		int64_t n = 0;                                             \
                                                                           \
		param_begin(a, PARAM_INT);                                 \
		for (size_t i = 0; i < g->count; i++)                      \
			for (size_t k = 0; k < J->count; k++, n++) {       \
				const struct share_want *x = &J->wants[k]; \
                                                                           \
				(void)x;                                   \
				(void)n;                                   \
				param_int(a, add);                         \
			}                                                  \
		param_end(a);                                              \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */
#define J share_take_of(g, i)

static bool is_durable(const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < J->count; k++)
			if (J->wants[k].window_ms > 0)
				return true;
	return false;
}

static size_t share_take_ask(struct work *w, const struct group *g)
{
	bool          durable = is_durable(g);
	struct param *a = work_param(w);

	if (durable) {
		work_ask(w, sql_durable);
		a = work_param(w);
	}
	EACH(x, x->key);
	EACH(x, x->policy);
	EACH(x, x->window_ms);
	work_ask(w, sql_window);
	a = work_param(w);
	param_int(a, w->db->gateway);
	EACH(x, n);
	EACH(x, x->key);
	EACH(x, x->policy);
	EACH(x, x->window_ms);
	EACH(x, x->limit);
	EACH(x, x->least);
	EACH(x, x->more);
	work_ask(w, sql_take);
	return durable ? 3 : 2;
}

static struct share_want *want_at(const struct group *g, int64_t n)
{
	for (size_t i = 0; i < g->count; n -= (int64_t)J->count, i++)
		if (n < (int64_t)J->count)
			return &J->wants[n];
	return NULL;
}

static bool share_take_judge(struct work *w, const struct group *g)
{
	size_t result = g->at + (is_durable(g) ? 2 : 1);

	for (size_t i = 0; i < g->count; i++)
		J->order = ++w->db->share_order;

	for (int at = 0; at < work_rows(w, result); at++) {
		struct row         r = work_row(w, result, at);
		struct share_want *x = want_at(g, cell_int(r, 0));

		CHECK(x);
		x->granted = cell_int(r, 1);
		x->left = cell_int(r, 2);
		x->keep = cell_int(r, 3);
		x->window = cell_int(r, 4);
		x->rest_ms = cell_int(r, 5);
	}
	return false;
}

const struct gathered gathered_share_take = {
	.things = share_take_things,
	.ask = share_take_ask,
	.judge = share_take_judge,
};
