/* Counts the cost of calls. */
#include "store/postgres/turn_end.h"

#include "base/money.h"
#include "msg/price.h"
#include "store/postgres/batch.h"

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* Rows of budgets are locked in the order of their keys, so that two gateways can't wait for each other.
 *
 * What has no reservation any more was settled before.  But a server that crashes while a turn waits to begin may
 * lose its reservation, whose commit did not wait for the disk; such a call counts when this very transaction has
 * ended its run.  Each step of a run with executions is settled by itself, and so could count twice. */
static const char sql_settle[] =
	"WITH n AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], "
	"$4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], "
	"$10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[]) AS n(run, "
	"reserved, key, day, model, provider, used, estimated, tokens_in, tokens_out, cached, "
	"reasoning, nano, unpriced)), "
	"gone AS (DELETE FROM reservation r USING n WHERE r.run = n.run "
	"RETURNING r.run, r.key, r.nano, r.tokens), "
	"lost AS (SELECT n.run, n.key, 0::bigint AS nano, 0::bigint AS tokens FROM n JOIN run x "
	"ON x.id = n.run WHERE n.reserved = 1 AND x.xmin = pg_current_xact_id()::xid "
	"AND x.executions IS NULL AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.run = n.run)), "
	"settled AS (SELECT * FROM gone UNION ALL SELECT * FROM lost), "
	"sums AS (SELECT s.key, sum(s.nano)::bigint AS was_nano, sum(s.tokens)::bigint AS "
	"was_tokens, least(sum(n.nano), $15)::bigint AS nano, least(sum(n.tokens_in::numeric + "
	"n.tokens_out), $15)::bigint AS tokens FROM settled s JOIN n USING (run) GROUP BY s.key), "
	"locked AS MATERIALIZED (SELECT b.key FROM budget b WHERE b.key IN (SELECT key FROM settled) "
	"ORDER BY b.key FOR UPDATE), "
	"spent AS (UPDATE budget b SET reserved_nano = greatest(b.reserved_nano - s.was_nano, 0), "
	"reserved_tokens = greatest(b.reserved_tokens - s.was_tokens, 0), "
	"spent_nano = least(b.spent_nano::numeric + s.nano, $15)::bigint, "
	"spent_tokens = least(b.spent_tokens::numeric + s.tokens, $15)::bigint "
	"FROM sums s JOIN locked l USING (key) WHERE b.key = s.key) "
	"INSERT INTO usage_day (key, day, model, provider, calls, estimated, tokens_in, tokens_out, "
	"cached, reasoning, nano, unpriced) SELECT key, day, model, provider, count(*), "
	"sum(estimated), sum(tokens_in), sum(tokens_out), sum(cached), sum(reasoning), sum(nano), "
	"sum(unpriced) FROM n WHERE used = 1 AND (reserved = 0 OR run IN (SELECT run FROM settled)) "
	"GROUP BY key, day, model, provider ORDER BY key, day, model, provider "
	"ON CONFLICT (key, day, model, provider) DO UPDATE SET "
	"calls = usage_day.calls + excluded.calls, "
	"estimated = usage_day.estimated + excluded.estimated, "
	"tokens_in = usage_day.tokens_in + excluded.tokens_in, "
	"tokens_out = usage_day.tokens_out + excluded.tokens_out, "
	"cached = usage_day.cached + excluded.cached, "
	"reasoning = usage_day.reasoning + excluded.reasoning, "
	"nano = usage_day.nano + excluded.nano, unpriced = usage_day.unpriced + excluded.unpriced";

/* A provider may report any number. */
static int64_t settle_tokens(int64_t n)
{
	return n < 0 ? 0 : n > PRICE_TOKENS ? PRICE_TOKENS : n;
}

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, count, add)
#define N               notes[i]

void settle_ask(struct work *w, const struct usage_note *const *notes, size_t count)
{
	struct param *a = work_param(w);

	EACH(INT, param_int(a, N->run.key));
	EACH(INT, param_int(a, N->reserved));
	EACH(TEXT, param_text(a, str_of(N->key)));
	EACH(INT, param_int(a, N->at_ms / DAY_MS));
	EACH(TEXT, param_text(a, str_of(N->model)));
	EACH(TEXT, param_text(a, str_of(N->provider)));
	EACH(INT, param_int(a, N->usage.known || N->usage.estimated));
	EACH(INT, param_int(a, N->usage.estimated));
	EACH(INT, param_int(a, settle_tokens(N->usage.in)));
	EACH(INT, param_int(a, settle_tokens(N->usage.out)));
	EACH(INT, param_int(a, settle_tokens(N->usage.cached_read)));
	EACH(INT, param_int(a, settle_tokens(N->usage.reasoning)));
	EACH(INT, param_int(a, N->nano));
	EACH(INT, param_int(a, !N->priced));
	param_int(a, MONEY_MOST);
	work_ask(w, sql_settle);
}

/* --- reservations of calls that are not stored --- */

static size_t settle_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	add(arg, container_of(job, const struct budget_settle, job)->note.run.key);
	return 256;
}

static size_t settle_group(struct work *w, const struct group *g)
{
	const struct usage_note *notes[ARRAY_LEN(g->jobs)];

	for (size_t i = 0; i < g->count; i++)
		notes[i] = &container_of(g->jobs[i], const struct budget_settle, job)->note;
	settle_ask(w, notes, g->count);
	return 1;
}

const struct gathered gathered_budget_settle = { .things = settle_things, .ask = settle_group };
