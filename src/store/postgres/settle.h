/* settle: ends the reservations of calls, and books their usage; also for whole groups of calls. */
#pragma once

#include "store/postgres/work.h"
#include "store/usage.h"

/* The end of statements that add usage to a day: a row that is there already grows.  Rows are written in the order of
 * their keys, which are `of`, so that two gateways can't wait for each other. */
#define USAGE_ADDS(table, of)                                       \
	"ON CONFLICT (" of ") DO UPDATE SET "                       \
	"calls = " table ".calls + excluded.calls, "                \
	"estimated = " table ".estimated + excluded.estimated, "    \
	"tokens_in = " table ".tokens_in + excluded.tokens_in, "    \
	"tokens_out = " table ".tokens_out + excluded.tokens_out, " \
	"cached = " table ".cached + excluded.cached, "             \
	"reasoning = " table ".reasoning + excluded.reasoning, "    \
	"nano = " table ".nano + excluded.nano, unpriced = " table ".unpriced + excluded.unpriced"
#define USAGE_DAY_OF     "key, day, model, provider"
#define USAGE_DAY_ADDS   USAGE_ADDS("usage_day", USAGE_DAY_OF)
#define USAGE_GROUP_OF   "key_group, key, day, model, provider"
#define USAGE_GROUP_ADDS USAGE_ADDS("usage_group", USAGE_GROUP_OF)
#define USAGE_TAG_OF     "day, key, model, key_group, tags"
#define USAGE_TAG_ADDS   USAGE_ADDS("usage_tag", "day, key, model, key_group, md5(tags)")
#define USAGE_COUNTS     ", calls, estimated, tokens_in, tokens_out, cached, reasoning, nano, unpriced"

/* USAGE_INTO: adds what is in `from` to a table of usage; sums: of the counts. */
#define USAGE_INTO(table, of, sums, from, adds)                                     \
	"INSERT INTO " table " (" of USAGE_COUNTS ") SELECT " of sums " FROM " from \
	" GROUP BY " of " ORDER BY " of " " adds

/* SETTLE_GROUP: the group of the call r, from its key and budgets: the key's; of the holder of a token, who has no row, the one
 * whose budget the call has reserved. */
#define SETTLE_GROUP                                                               \
	"CASE WHEN starts_with(r.key, 'key_') THEN (SELECT 'grp_' || k.key_group " \
	"FROM api_key k WHERE k.id = substr(r.key, 5)) "                           \
	"ELSE substring(' ' || r.budgets FROM ' (grp_[^ ]+)') END"

/* settle_ask: asks one statement for these notes.  A note whose reservation is gone was booked before, and
 * does nothing; one that says that there was none, is only booked. */
void settle_ask(struct work *w, const struct usage_note *const *notes, size_t count);
