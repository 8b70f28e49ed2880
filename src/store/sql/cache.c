/* Answers that are given again: they are looked for, kept and removed. */
#include "store/cache.h"
#include "store/sql/cells.h"

enum {
	CACHE_STEP = 128, /* answers that a statement removes: others write between two of them */
	CACHE_ROW = 512,  /* bytes that an answer has in the database besides its events */
};

/* --- finding --- */

/* Calls of these answers began after everything that went before was removed. */
#define NOT_CLEARED(name_is, began) \
	"NOT EXISTS (SELECT 1 FROM cached_clear WHERE name = " name_is " AND at_ms >= " began ")"
#define AFTER_CLEAR(owner, key, began) \
	NOT_CLEARED("'o' || " owner, began) " AND " NOT_CLEARED(key, began)

static const char sql_find[] =
	"SELECT id, secret, created_ms, stream, nano, body, size FROM cached c "
	"WHERE owner = $1 AND digest = $2 AND expires_ms > $3 AND created_ms >= $4 "
	"AND (apart = 0 OR stream = $5) AND " AFTER_CLEAR("c.owner", "c.key", "c.began_ms");

static struct str digest_of(const unsigned char *digest)
{
	return (struct str){ (const char *)digest, HASH_BYTES };
}

static enum work_next find_cached(struct query *q, struct cache_find *j)
{
	struct row r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		param_int(a, j->owner);
		param_bytes(a, digest_of(j->digest));
		param_int(a, j->now_ms);
		param_int(a, j->since_ms);
		param_int(a, j->for_stream);
		query_ask(q, sql_find);
		return WORK_LAST;
	}
	buf_clear(&j->events);
	j->found = query_row(q, 0, &r);
	if (!j->found)
		return WORK_DONE;
	j->run = cell_id(cell_int(r, 0), r, 1);
	j->created_ms = cell_int(r, 2);
	j->stream = cell_int(r, 3) != 0;
	j->nano = cell_int(r, 4);
	if (!buf_str(&j->events, cell_str(r, 5)))
		cell_no_memory(&j->job.err);
	else if (cell_int(r, 6) != (int64_t)j->events.len + CACHE_ROW)
		j->found = false; /* a part of it is lost */
	return WORK_DONE;
}

SQL_OP(cache_find, WORK_IMPLICIT, find_cached);

/* --- keeping --- */

/* $14: the answer is stored, too; if its message was deleted meanwhile, it is not kept. */
#define KEEP(E)                                                                                                                        \
	"INSERT INTO cached (id, secret, owner, key, digest, began_ms, created_ms, expires_ms, stream, apart, nano, "                  \
	"size, body) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 WHERE ($14 = 0 OR EXISTS "                          \
	"(SELECT 1 FROM message WHERE id = $1 AND run >= 0" E##_FOR_SHARE ")) AND " AFTER_CLEAR(                                       \
		"CAST($3 AS bigint)", "CAST($4 AS text)",                                                                              \
		"CAST($6 AS bigint)") " ON CONFLICT (owner, digest) DO UPDATE SET "                                                    \
				      "id = excluded.id, secret = excluded.secret, key = excluded.key, began_ms = excluded.began_ms, " \
				      "created_ms = excluded.created_ms, expires_ms = excluded.expires_ms, stream = excluded.stream, " \
				      "apart = excluded.apart, nano = excluded.nano, size = excluded.size, body = excluded.body "      \
				      "WHERE cached.began_ms <= excluded.began_ms"
static const struct sql sql_keep = SQL_EITHER(KEEP);
#define EXPIRED(E)                                                                            \
	"DELETE FROM cached WHERE id IN (SELECT id FROM cached WHERE expires_ms <= $1 ORDER " \
	"BY expires_ms LIMIT $2" E##_SKIP_LOCKED ")"
const struct sql cache_cell_old = SQL_EITHER(EXPIRED);
/* No call lasts for a day: none that began before such a mark can be kept any more, and those that were are gone. */
#define MARKS(E)                                                                                    \
	"DELETE FROM cached_clear WHERE name IN (SELECT name FROM cached_clear m WHERE at_ms < $1 " \
	"AND NOT EXISTS (SELECT 1 FROM cached WHERE id < (m.at_ms + 86400000) << 20) "              \
	"LIMIT $2" E##_SKIP_LOCKED ")"
const struct sql cache_cell_marks = SQL_EITHER(MARKS);
#define OLDEST(E)                                                                                         \
	"DELETE FROM cached WHERE id IN (SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id) - size " \
	"AS older FROM (SELECT id, size FROM cached ORDER BY id LIMIT $2" E##_SKIP_LOCKED                 \
		") few) sums WHERE older < (SELECT sum(bytes) FROM cached_size) - $1)"
static const struct sql sql_oldest = SQL_EITHER(OLDEST);
static const struct sql sql_gather = {
	.sqlite = "SELECT 1",
	.postgres =
		"WITH gone AS (DELETE FROM cached_size WHERE ctid IN (SELECT ctid FROM cached_size "
		"FOR UPDATE SKIP LOCKED) RETURNING bytes) "
		"INSERT INTO cached_size SELECT sum(bytes) FROM gone HAVING count(*) > 0",
};
static const char sql_bytes[] = "SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM cached_size";

static void cache_ask_keep(struct query *q, const struct cache_keep *j)
{
	struct param *a = query_param(q);

	param_int(a, j->run.key);
	param_secret(a, j->run.secret);
	param_int(a, j->owner);
	param_text(a, j->key);
	param_bytes(a, digest_of(j->digest));
	param_int(a, j->began_ms);
	param_int(a, j->created_ms);
	param_int(a, j->expires_ms);
	param_int(a, j->stream);
	param_int(a, j->apart);
	param_int(a, j->nano);
	param_int(a, (int64_t)j->events.n + CACHE_ROW);
	param_bytes(a, j->events);
	param_int(a, j->stored);
	query_ask_either(q, &sql_keep);
}

static void cache_ask_weigh(struct query *q, const struct cache_keep *j)
{
	struct param *a = query_param(q);

	param_int(a, j->created_ms);
	param_int(a, CACHE_STEP);
	query_ask_either(q, &cache_cell_old);
	a = query_param(q);
	param_int(a, j->most);
	param_int(a, CACHE_STEP);
	query_ask_either(q, &sql_oldest);
	query_param(q);
	query_ask_either(q, &sql_gather);
	query_param(q);
	query_ask(q, sql_bytes);
}

static enum work_next keep_cached(struct query *q, struct cache_keep *j)
{
	struct row r;

	if (q->stage > 0) {
		if (j->most > 0 && query_row(q, j->events.n > 0 ? 4 : 3, &r))
			j->bytes = cell_int(r, 0);
		return WORK_DONE;
	}
	j->bytes = -1;
	if (j->events.n > 0)
		cache_ask_keep(q, j);
	if (j->most > 0)
		cache_ask_weigh(q, j);
	return WORK_LAST;
}

SQL_OP(cache_keep, WORK_WRITE, keep_cached);

/* --- removing --- */

static const char sql_mark[] =
	"INSERT INTO cached_clear (name, at_ms) SELECT CASE WHEN $1 = '' THEN 'o' || CAST($2 AS bigint) ELSE $1 END, "
	"CAST($3 AS bigint) WHERE true "
	"ON CONFLICT (name) DO UPDATE SET at_ms = excluded.at_ms WHERE cached_clear.at_ms < excluded.at_ms";
#define CLEAR(E, column)                                                      \
	"DELETE FROM cached WHERE id IN (SELECT id FROM cached WHERE " column \
	" = $1 AND began_ms <= $2 LIMIT $3" E##_SKIP_LOCKED ") RETURNING id"
#define CLEAR_OWNER(E) CLEAR(E, "owner")
#define CLEAR_KEY(E)   CLEAR(E, "key")
static const struct sql sql_clear = SQL_EITHER(CLEAR_OWNER);
static const struct sql sql_clear_key = SQL_EITHER(CLEAR_KEY);

/* Only what could still be given counts. */
#define COUNT(whose)                                                                        \
	"SELECT count(*) FROM cached c WHERE " whose                                        \
	" = $1 AND began_ms <= $2 AND expires_ms > $2 AND " AFTER_CLEAR("c.owner", "c.key", \
									"c.began_ms")
static const char sql_count[] = COUNT("owner");
static const char sql_count_key[] = COUNT("key");

static struct param *cache_param_whose(struct query *q, const struct cache_clear *j)
{
	struct param *a = query_param(q);

	if (j->key.n > 0)
		param_text(a, j->key);
	else
		param_int(a, j->owner);
	return a;
}

static void cache_ask_mark(struct query *q, const struct cache_clear *j)
{
	struct param *a = cache_param_whose(q, j);

	param_int(a, j->now_ms);
	query_ask(q, j->key.n > 0 ? sql_count_key : sql_count);
	a = query_param(q);
	param_text(a, j->key);
	param_int(a, j->owner);
	param_int(a, j->now_ms);
	query_ask(q, sql_mark);
}

static void cache_ask_clear(struct query *q, const struct cache_clear *j)
{
	struct param *a = cache_param_whose(q, j);

	param_int(a, j->now_ms);
	param_int(a, CACHE_STEP);
	query_ask_either(q, j->key.n > 0 ? &sql_clear_key : &sql_clear);
}

static enum work_next clear_cached(struct query *q, struct cache_clear *j)
{
	struct row r;
	int64_t    n = 0;

	if (q->stage == 0 && !j->rest) {
		cache_ask_mark(q, j);
		return WORK_AGAIN;
	}
	if (q->stage == (j->rest ? 0 : 1)) {
		if (!j->rest && query_row(q, 0, &r))
			j->removed = cell_int(r, 0);
		j->job.unchanged = !j->rest && j->removed == 0;
		cache_ask_clear(q, j);
		return WORK_LAST;
	}
	while (query_row(q, 0, &r))
		n++;
	j->more = n == CACHE_STEP;
	return WORK_DONE;
}

SQL_OP(cache_clear, WORK_WRITE, clear_cached);
