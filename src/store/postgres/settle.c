/* Ends reservations and books what their calls have used. */
#include "store/postgres/settle.h"

#include "base/money.h"
#include "msg/price.h"
#include "store/sql/param.h"

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* Rows of budgets are locked in the order of their keys, so that two gateways can't wait for each other.
 *
 * What has no reservation any more was settled before.  But a server that crashes while a turn waits to begin may
 * lose its reservation, whose commit did not wait for the disk; such a call counts when this very transaction has
 * ended its run.  Each step of a run with executions is settled by itself, and so could count twice. */
#define SUMS                                                                         \
	", count(*), sum(estimated), sum(tokens_in), sum(tokens_out), sum(cached), " \
	"sum(reasoning), sum(nano), sum(unpriced)"
static const char sql_settle[] =
	"WITH n AS MATERIALIZED (SELECT m.*, coalesce(told_group, (SELECT " SETTLE_GROUP
	" FROM (SELECT m.key, (SELECT v.budgets FROM reservation v WHERE v.run = m.run) AS budgets) "
	"r), '') AS key_group "
	"FROM unnest($1::bigint[], $2::bigint[], $3::text[], "
	"$4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], "
	"$10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $16::text[], "
	"$17::text[], $18::text[]) AS m(run, "
	"reserved, key, day, model, provider, used, estimated, tokens_in, tokens_out, cached, "
	"reasoning, nano, unpriced, told_group, budgets, tags)), "
	"gone AS (DELETE FROM reservation r USING n WHERE r.run = n.run "
	"RETURNING r.run, coalesce(r.budgets, r.key) AS names, r.nano, r.tokens), "
	"lost AS (SELECT n.run, coalesce(nullif(n.budgets, ''), n.key) AS names, 0::bigint AS nano, "
	"0::bigint AS tokens FROM n JOIN run x ON x.id = n.run WHERE n.reserved = 1 AND x.xmin = pg_current_xact_id()::xid "
	"AND x.executions IS NULL AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.run = n.run)), "
	"settled AS (SELECT * FROM gone UNION ALL SELECT * FROM lost), "
	"parts AS (SELECT s.run, k.key, s.nano, s.tokens FROM settled s CROSS JOIN LATERAL "
	"unnest(string_to_array(s.names, ' ')) AS k(key)), "
	"sums AS (SELECT s.key, sum(s.nano)::bigint AS was_nano, sum(s.tokens)::bigint AS "
	"was_tokens, least(sum(n.nano), $15)::bigint AS nano, least(sum(n.tokens_in::numeric + "
	"n.tokens_out), $15)::bigint AS tokens FROM parts s JOIN n USING (run) GROUP BY s.key), "
	"locked AS MATERIALIZED (SELECT b.key FROM budget b WHERE b.key IN (SELECT key FROM parts) "
	"ORDER BY b.key FOR UPDATE), "
	"spent AS (UPDATE budget b SET reserved_nano = greatest(b.reserved_nano - s.was_nano, 0), "
	"reserved_tokens = greatest(b.reserved_tokens - s.was_tokens, 0), "
	"spent_nano = least(b.spent_nano::numeric + s.nano, $15)::bigint, "
	"spent_tokens = least(b.spent_tokens::numeric + s.tokens, $15)::bigint "
	"FROM sums s JOIN locked l USING (key) WHERE b.key = s.key), "
	"used AS MATERIALIZED (SELECT * FROM n WHERE used = 1 AND (reserved = 0 OR run IN "
	"(SELECT run FROM settled))), "
	"grouped AS (" USAGE_INTO(
		"usage_group", USAGE_GROUP_OF, SUMS, "used WHERE key_group <> ''",
		USAGE_GROUP_ADDS) "), "
				  "tagged AS (" USAGE_INTO(
					  "usage_tag", USAGE_TAG_OF, SUMS,
					  "used WHERE tags IS NOT NULL",
					  USAGE_TAG_ADDS) ") " USAGE_INTO("usage_day", USAGE_DAY_OF,
									  SUMS, "used",
									  USAGE_DAY_ADDS);

/* A provider may report any number. */
static int64_t settle_tokens(int64_t n)
{
	return n < 0 ? 0 : n > PRICE_TOKENS ? PRICE_TOKENS : n;
}

static void settle_group_name(struct param *a, const struct usage_note *n)
{
	if (n->ungrouped)
		param_maybe(a, STR_NONE);
	else
		param_text(a, str_of(n->group));
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
	EACH(TEXT, settle_group_name(a, N));
	EACH(TEXT, param_text(a, str_of(N->budgets)));
	EACH(TEXT, param_maybe(a, N->tags));
	work_ask(w, sql_settle);
}
