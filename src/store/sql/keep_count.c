/* Counts what retention would remove now; it reads everything that there is. */
#include "store/sql/cells.h"

#define SQLITE_LEAST      "min"
#define POSTGRES_LEAST    "least"
#define SQLITE_GREATEST   "max"
#define POSTGRES_GREATEST "greatest"

/* Longer than anything is kept. */
#define EVER "4000000000000000"
/* A key's time in milliseconds: base/id.h. */
#define KEY_MS(key) "(" key " >> 20)"

/* $1 the time, $2 and $4 how long conversations and contents are kept (0: for ever), $3 whether there are pins. */
#define DUE(E)                                                                                                                   \
	"WITH k AS (SELECT owner, min(keep_ms) AS keep FROM (SELECT owner, keep_ms FROM api_key WHERE keep_ms > 0 "              \
	"UNION ALL SELECT a.owner, g.keep_ms FROM key_group g JOIN api_key a ON a.key_group = g.id "                             \
	"WHERE g.keep_ms > 0) o GROUP BY owner), "                                                                               \
	"held AS (SELECT conversation AS id FROM conversation_label WHERE $3 = 1 AND key = 'keep' "                              \
	"AND value = 'true' UNION SELECT conversation FROM run WHERE status < 2), "                                              \
	"t AS (SELECT c.id, " E##_GREATEST "(c.id, c.leaf, c.tip) AS newest, $1 - " E##_LEAST                                    \
		"(coalesce(nullif($2, 0), " EVER "), coalesce(k.keep, " EVER                                                     \
		"), coalesce(c.keep_ms, " EVER                                                                                   \
		")) AS since FROM conversation c LEFT JOIN k ON k.owner = c.owner), "                                            \
		"due AS (SELECT t.id FROM t WHERE " KEY_MS(                                                                      \
			"t.newest") " < t.since AND t.id NOT IN "                                                                \
				    "(SELECT id FROM held) AND NOT EXISTS (SELECT 1 FROM run r WHERE r.conversation = t.id AND " \
				    "r.completed_ms >= t.since)) "
#define COUNT(E)                                                                                         \
	DUE(E)                                                                                           \
	"SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM run WHERE conversation IN "            \
	"(SELECT id FROM due)), (SELECT count(*) FROM message WHERE conversation IN (SELECT id "         \
	"FROM due)), (SELECT count(*) FROM message WHERE $4 > 0 AND run >= 0 AND " KEY_MS(               \
		"id") " < $1 - $4 AND conversation NOT IN (SELECT id FROM due) AND conversation NOT IN " \
		      "(SELECT id FROM held)), (SELECT count(*) FROM file WHERE expires_ms > 0 AND "     \
		      "expires_ms <= $1)"
static const struct sql sql_count = SQL_EITHER(COUNT);

static enum work_next count_kept(struct query *q, struct keep_count *j)
{
	struct param *a;
	struct row    r;

	if (q->stage == 0) {
		a = query_param(q);
		param_int(a, j->now_ms);
		param_int(a, j->keep.conversations_ms);
		param_int(a, j->keep.pins);
		param_int(a, j->keep.content_ms);
		query_ask_either(q, &sql_count);
		return WORK_LAST;
	}
	if (query_row(q, 0, &r)) {
		j->conversations = cell_int(r, 0);
		j->runs = cell_int(r, 1);
		j->messages = cell_int(r, 2);
		j->contents = cell_int(r, 3);
		j->files = cell_int(r, 4);
	}
	return WORK_DONE;
}

SQL_OP(keep_count, WORK_SNAPSHOT, count_kept);
