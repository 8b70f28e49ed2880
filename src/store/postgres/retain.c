/* Retention of conversations, of the content of messages, and of files; ../sqlite/keep.c says how.
 *
 * A work does one task, a few rows of it.  Any gateway does it, by the server's clock; SKIP LOCKED lets each take
 * other rows, and a conversation whose turn begins at this moment stays. */
#include "store/postgres/chores.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/metric.h"
#include "store/common/excerpt.h"
#include "store/conversation.h"
#include "store/sql/cells.h"
#include "store/postgres/file_drop.h"
#include "store/postgres/lease.h"
#include "store/postgres/postgres.h"
#include "store/usage.h"

#include <stdlib.h>

/* Tasks, in their order; those from TASK_ALL on are a pass over all that there is. */
enum retain_task {
	TASK_REST,    /* turns of conversations that are gone */
	TASK_DUE,     /* conversations that have a time of their own */
	TASK_FILE,    /* files that have one */
	TASK_ALL,     /* all conversations */
	TASK_OWNED,   /* the owners whose keys have a time */
	TASK_CONTENT, /* messages */
	TASK_FORGET,  /* old rows of `swept` */
	TASK__COUNT
};

/* The kinds of things that METRIC_SWEPT counts. */
enum retain_kind { KEPT_CONVERSATION, KEPT_RUN, KEPT_CONTENT, KEPT_FILE, KEPT__COUNT };

/* The subject of a work, and what it has done: its end has no other state. */
enum { RETAIN_RESTS = 8 };
struct retain_step {
	int64_t ids[RETAIN_RESTS]; /* TASK_REST */
	size_t  count;
	bool    loose; /* no turns are left */
	int64_t gone[KEPT__COUNT];
	bool    more;  /* the task goes on */
	bool    moves; /* the pass goes on at `at` */
	int64_t at;
	bool    owner_set; /* there is a next owner */
	int64_t owner, owner_keep_ms;
};

struct retain {
	enum retain_task   task;
	bool               rest;          /* conversations went since the first task */
	int64_t            wait_us;       /* when the next work may begin */
	int64_t            pass_us;       /* when the next pass may begin */
	int64_t            began_us;      /* the pass; 0: none goes on */
	int64_t            at;            /* the pass has come so far */
	int64_t            since_ms;      /* later activity holds a conversation */
	int64_t            owner, origin; /* TASK_OWNED; ORIGIN__COUNT: the owner is done */
	bool               failed;        /* the last work did, and this was logged */
	struct retain_step step;
	int64_t            shortest_ms; /* the shortest time of a key; 0: there is none */
};

enum {
	REST_TURNS = 64,
	REST_LOOSE = 256,
	LOOK_ROWS = 1024,
	GO_ROWS = 64,
	EMPTY_ROWS = 64,
	EMPTY_HEAD = 64 * 1024, /* bytes of a body that its excerpt may be in */
	FORGET_ROWS = 256,
	REST_US = 1000 * 1000,
	PASS_SHARE = 64,
	PASS_REST = 20,
	BUSY_MS = 60 * 1000,
};
static const int64_t PASS_MOST_US = (int64_t)3600 * 1000 * 1000;

/* --- the rest of conversations that are gone --- */

static const char sql_rest[] =
	"SELECT id FROM swept WHERE rest = 1 ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED";
/* Rows: the messages that went, and the runs as the messages that their answers are. */
static const char sql_drop_turns[] =
	"WITH RECURSIVE old AS MATERIALIZED (SELECT id, parent, base FROM run "
	"WHERE conversation = ANY($1::bigint[]) ORDER BY conversation, id LIMIT $2), "
	"chain AS (SELECT parent AS id, base FROM old UNION SELECT m.prev, c.base FROM chain c "
	"JOIN message m ON m.id = c.id WHERE c.id <> c.base), "
	"texts AS (SELECT id FROM chain WHERE id <> base AND id <> 0 UNION SELECT id FROM old), "
	"messages AS (DELETE FROM message m USING texts WHERE m.id = texts.id "
	"AND m.conversation = ANY($1::bigint[])), "
	"logs AS (DELETE FROM event e USING old WHERE e.run = old.id), "
	"open AS (DELETE FROM idempotency i USING old WHERE i.id = old.id AND i.http = 0), "
	"keys AS (UPDATE idempotency i SET http = 410, body = NULL FROM old WHERE i.id = old.id "
	"AND i.http <> 0), "
	"runs AS (DELETE FROM run r USING old WHERE r.id = old.id) "
	"SELECT t.id, (SELECT count(*) FROM old) FROM texts t";
static const char sql_drop_loose[] =
	"DELETE FROM message WHERE id IN (SELECT id FROM message WHERE conversation = ANY($1::bigint[]) "
	"AND run BETWEEN -1 AND 0 LIMIT $2) RETURNING id, 0::bigint";
static const char sql_drop_docs[] =
	"DELETE FROM search WHERE doc IN (SELECT k * 2 FROM unnest($1::bigint[]) k)";
static const char sql_drop_search[] = "DELETE FROM search WHERE conversation = ANY($1::bigint[])";
static const char sql_rested[] = "UPDATE swept SET rest = 0 WHERE id = ANY($1::bigint[])";
static const char sql_forget[] =
	"DELETE FROM swept WHERE id IN (SELECT id FROM swept WHERE at_ms < $1 "
	"AND rest = 0 LIMIT $2 FOR UPDATE SKIP LOCKED)";

/* --- what goes --- */

#define NEWEST "greatest(c.id, c.leaf, c.tip)"
static const char sql_due[] =
	"SELECT c.id, " NEWEST ", c.keep_ms FROM conversation c WHERE c.due_ms <= $1 "
	"ORDER BY c.due_ms LIMIT $2 FOR UPDATE SKIP LOCKED";
static const char sql_put_off[] =
	"UPDATE conversation c SET due_ms = k.due FROM unnest($1::bigint[], $2::bigint[]) AS k(id, due) "
	"WHERE c.id = k.id";

#define OF_ALL   "FROM conversation c WHERE c.id > $1 AND c.id < $2 "
#define OF_OWNER OF_ALL "AND c.owner = $5 AND c.origin = $6 "
#define SEEN(of) "SELECT max(id), count(*) FROM (SELECT c.id " of "ORDER BY c.id LIMIT $3) s"
#define OLD(of)                                                                                   \
	"SELECT o.id FROM conversation o WHERE o.id IN (SELECT s.id FROM (SELECT c.id, " NEWEST   \
	" AS newest " of "ORDER BY c.id LIMIT $3) s WHERE s.newest < $2 ORDER BY s.id LIMIT $4) " \
	"AND greatest(o.id, o.leaf, o.tip) < $2 ORDER BY o.id FOR UPDATE SKIP LOCKED"
static const char sql_seen_all[] = SEEN(OF_ALL);
static const char sql_old_all[] = OLD(OF_ALL);
static const char sql_seen_owned[] = SEEN(OF_OWNER);
static const char sql_old_owned[] = OLD(OF_OWNER);

#define PINNED(c)                                                       \
	"EXISTS (SELECT 1 FROM conversation_label l WHERE l.owner = " c \
	".owner AND l.key = 'keep' "                                    \
	"AND l.value = 'true' AND l.conversation = " c ".id)"
/* The rows are locked by an earlier statement, so no turn begins meanwhile, and this one sees all that have. */
static const char sql_drop[] =
	"WITH old AS MATERIALIZED (SELECT c.id, c.secret, c.owner FROM unnest($1::bigint[], "
	"$2::bigint[]) AS k(id, since) JOIN conversation c ON c.id = k.id WHERE NOT EXISTS (SELECT 1 FROM "
	"run r WHERE r.conversation = c.id AND (r.status < 2 OR r.completed_ms >= k.since)) "
	"AND NOT ($3 = 1 AND " PINNED(
		"c") ")), "
		     "told AS (INSERT INTO swept (id, secret, owner, at_ms, rest) SELECT id, secret, owner, $4, 1 "
		     "FROM old ON CONFLICT DO NOTHING), "
		     "keys AS (UPDATE idempotency i SET http = 410, body = NULL FROM old WHERE i.subject = old.id "
		     "AND i.subject > 0), "
		     "labels AS (DELETE FROM conversation_label l USING old WHERE l.conversation = old.id), "
		     "ceilings AS (DELETE FROM budget WHERE key IN (SELECT b.key FROM budget b WHERE b.key IN "
		     "(SELECT '" BUDGET_OF_CONVERSATION
		     "' || old.id FROM old) ORDER BY b.key FOR UPDATE)) "
		     "DELETE FROM conversation c USING old WHERE c.id = old.id RETURNING c.id";

/* --- contents --- */

static const char sql_seen_messages[] =
	"SELECT max(id), count(*) FROM (SELECT id FROM message WHERE id > $1 AND id < $2 "
	"ORDER BY id LIMIT $3) s";
static const char sql_messages[] =
	"SELECT m.id, m.conversation, m.run, left(m.body, $6::int) FROM message m WHERE m.id IN (SELECT "
	"s.id FROM (SELECT id, run FROM message WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3) s "
	"WHERE s.run >= 0) AND m.run >= 0 AND NOT EXISTS (SELECT 1 FROM run r WHERE "
	"r.conversation = m.conversation AND r.status < 2) AND NOT ($5 = 1 AND EXISTS (SELECT 1 FROM "
	"conversation c WHERE c.id = m.conversation AND " PINNED(
		"c") ")) "
		     "ORDER BY m.id LIMIT $4 FOR UPDATE OF m SKIP LOCKED";
static const char sql_empty[] =
	"WITH k AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) "
	"AS k(id, conversation, run)), "
	"messages AS (UPDATE message m SET body = '', run = ~m.run FROM k WHERE m.id = k.id), "
	"logs AS (DELETE FROM event e USING k WHERE e.run = k.id), "
	"shapes AS (UPDATE run r SET shape = CASE WHEN r.shape = 'openai' AND EXISTS (SELECT 1 FROM k "
	"WHERE k.id = r.id) THEN NULL ELSE r.shape END, instruction = CASE WHEN r.instruction = '' THEN "
	"r.instruction END, executions = NULL, settings = CASE WHEN r.settings LIKE '{%' THEN NULL "
	"ELSE r.settings END WHERE r.id IN (SELECT run FROM k) AND r.status > 1), "
	"keys AS (UPDATE idempotency i SET http = 410, body = NULL FROM k WHERE i.id = k.id OR "
	"(i.body IS NOT NULL AND i.subject = k.conversation AND i.subject > 0 "
	"AND k.id BETWEEN i.message_from AND i.message_to)) "
	"DELETE FROM cached a USING k WHERE a.id = k.id OR a.id = k.run";
static const char sql_forget_rows[] =
	"UPDATE conversation c SET rev = c.rev + 1, messages = greatest(c.messages - k.n, 0), "
	"opening = CASE WHEN c.opening = ANY(k.openings) THEN NULL ELSE c.opening END, "
	"excerpt = CASE WHEN c.excerpt = ANY(k.excerpts) THEN NULL ELSE c.excerpt END, "
	"title = CASE WHEN c.titled = 1 THEN NULL ELSE c.title END, titled = 0, "
	"instruction = NULL FROM (SELECT id, count(*) AS n, array_agg(opening) AS openings, "
	"array_agg(excerpt) AS excerpts FROM unnest($1::bigint[], $2::text[], $3::text[]) "
	"AS t(id, opening, excerpt) GROUP BY id) k WHERE c.id = k.id";

/* After the update: whoever puts a title into the index has its row locked until that is done. */
static const char sql_drop_untitled[] =
	"DELETE FROM search WHERE doc IN (SELECT c.id * 2 + 1 FROM conversation c "
	"WHERE c.id = ANY($1::bigint[]) AND c.title IS NULL)";

static const char sql_file[] =
	"SELECT id, sha256 FROM file WHERE expires_ms > 0 AND expires_ms <= $1 ORDER BY expires_ms LIMIT 1 "
	"FOR UPDATE SKIP LOCKED";
static const char sql_oldest[] = "SELECT min(id) FROM conversation";

static enum work_next retain_rest(struct work *w, struct retain_step *s)
{
	struct param *a;
	int           rows = w->stage > 0 ? work_rows(w, 0) : 0;

	switch (w->stage) {
	case 0:
		param_int(work_param(w), RETAIN_RESTS);
		work_ask(w, sql_rest);
		return WORK_AGAIN;
	case 1:
		for (int i = 0; i < rows && i < RETAIN_RESTS; i++)
			s->ids[s->count++] = cell_int(work_row(w, 0, i), 0);
		if (s->count == 0)
			return WORK_DONE;
		s->more = true;
		a = work_param(w);
		PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->ids[i]));
		param_int(a, REST_TURNS);
		work_ask(w, sql_drop_turns);
		return WORK_AGAIN;
	case 2: break;
	case 3:
		if (s->loose)
			break;
		return WORK_DONE;
	default: return WORK_DONE;
	}
	if (rows > 0) {
		s->gone[KEPT_RUN] += cell_int(work_row(w, 0, 0), 1);
		a = work_param(w);
		PARAM_EACH(a, PARAM_INT, i, (size_t)rows,
			   param_int(a, cell_int(work_row(w, 0, (int)i), 0)));
		work_ask(w, sql_drop_docs);
		return WORK_LAST;
	}
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->ids[i]));
	if (!s->loose) {
		s->loose = true;
		param_int(a, REST_LOOSE);
		work_ask(w, sql_drop_loose);
		return WORK_AGAIN;
	}
	work_ask(w, sql_drop_search);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->ids[i]));
	work_ask(w, sql_rested);
	return WORK_LAST;
}

/* retain_drop: asks to remove the conversations whose ids the n-th result has in its first column, where `goes`. */
static void retain_drop(struct work *w, size_t n, const bool *goes, const int64_t *since,
			int64_t now_ms)
{
	struct param *a = work_param(w);
	size_t        rows = (size_t)work_rows(w, n);

	param_begin(a, PARAM_INT);
	for (size_t i = 0; i < rows; i++)
		if (goes[i])
			param_int(a, cell_int(work_row(w, n, (int)i), 0));
	param_end(a);
	param_begin(a, PARAM_INT);
	for (size_t i = 0; i < rows; i++)
		if (goes[i])
			param_int(a, since[i]);
	param_end(a);
	param_int(a, w->db->options.keep.pins);
	param_int(a, now_ms);
	work_ask(w, sql_drop);
}

static enum work_next retain_due(struct work *w, struct retain_step *s, int64_t now_ms)
{
	bool          goes[GO_ROWS] = { false };
	int64_t       since[GO_ROWS] = { 0 };
	int64_t       due[GO_ROWS] = { 0 };
	int           rows = w->stage > 0 ? work_rows(w, 0) : 0;
	struct param *a = w->stage < 2 ? work_param(w) : NULL;

	switch (w->stage) {
	case 0:
		param_int(a, now_ms);
		param_int(a, GO_ROWS);
		work_ask(w, sql_due);
		return WORK_AGAIN;
	case 1: break;
	default: s->gone[KEPT_CONVERSATION] += work_rows(w, 1); return WORK_DONE;
	}
	if (rows == 0)
		return WORK_DONE;
	s->more = true;
	for (int i = 0; i < rows && i < GO_ROWS; i++) {
		struct row r = work_row(w, 0, i);
		int64_t    at = id_key_ms(cell_int(r, 1)) + cell_int(r, 2);

		goes[i] = at <= now_ms;
		since[i] = now_ms - cell_int(r, 2);
		due[i] = goes[i] ? now_ms + BUSY_MS : at;
	}
	/* The next statement removes those that go. */
	PARAM_EACH(a, PARAM_INT, i, (size_t)rows,
		   param_int(a, cell_int(work_row(w, 0, (int)i), 0)));
	PARAM_EACH(a, PARAM_INT, i, (size_t)rows, param_int(a, due[i]));
	work_ask(w, sql_put_off);
	retain_drop(w, 0, goes, since, now_ms);
	return WORK_LAST;
}

static enum work_next retain_file(struct work *w, struct retain_step *s, int64_t now_ms)
{
	switch (w->stage) {
	case 0:
		param_int(work_param(w), now_ms);
		work_ask(w, sql_file);
		return WORK_AGAIN;
	case 1: break;
	default: return WORK_DONE;
	}
	if (work_rows(w, 0) == 0)
		return WORK_DONE;
	struct row r = work_row(w, 0, 0);
	s->more = true;
	s->gone[KEPT_FILE]++;
	file_drop(w, cell_int(r, 0), cell_str(r, 1));
	return WORK_LAST;
}

/* retain_range: the parameters of a look of the pass. */
static struct param *retain_range(struct work *w, int64_t horizon, int64_t most)
{
	struct param *a = work_param(w);

	param_int(a, w->db->retain->at);
	param_int(a, horizon);
	param_int(a, LOOK_ROWS);
	param_int(a, most);
	return a;
}

/* retain_looked: where the pass goes on: results 0 and 1 are what was seen, and of it what is old. */
static void retain_looked(struct work *w, struct retain_step *s, int most)
{
	struct row seen = work_row(w, 0, 0);
	int        rows = work_rows(w, 1);

	s->moves = true;
	s->at = rows == most         ? cell_int(work_row(w, 1, rows - 1), 0)
		: cell_null(seen, 0) ? w->db->retain->at
				     : cell_int(seen, 0);
	s->more = rows == most || cell_int(seen, 1) == LOOK_ROWS;
}

static enum work_next retain_walk(struct work *w, struct retain_step *s, bool owned, int64_t now_ms)
{
	const struct retain *k = w->db->retain;
	int64_t              horizon = id_key_at(k->since_ms);
	bool                 goes[GO_ROWS];
	int64_t              since[GO_ROWS];
	struct param        *a;

	if (w->stage == 0) {
		for (int i = 0; i < 2; i++) {
			a = retain_range(w, horizon, GO_ROWS);
			if (owned) {
				param_int(a, k->owner);
				param_int(a, k->origin);
			}
			work_ask(w, owned ? i ? sql_old_owned : sql_seen_owned
				    : i   ? sql_old_all
					  : sql_seen_all);
		}
		return WORK_AGAIN;
	}
	if (w->stage > 1) {
		s->gone[KEPT_CONVERSATION] += work_rows(w, 0);
		return WORK_DONE;
	}
	retain_looked(w, s, GO_ROWS);
	if (work_rows(w, 1) == 0)
		return WORK_DONE;
	for (size_t i = 0; i < GO_ROWS; i++) {
		goes[i] = true;
		since[i] = k->since_ms;
	}
	retain_drop(w, 1, goes, since, now_ms);
	return WORK_LAST;
}

static enum work_next retain_owned(struct work *w, struct retain_step *s, int64_t now_ms)
{
	struct retain *k = w->db->retain;

	if (k->origin < ORIGIN__COUNT)
		return retain_walk(w, s, true, now_ms);
	if (w->stage == 0) {
		param_int(work_param(w), k->owner);
		work_ask(w, keep_cell_owner);
		return WORK_LAST;
	}
	s->owner_set = work_rows(w, 0) > 0;
	if (s->owner_set) {
		s->owner = cell_int(work_row(w, 0, 0), 0);
		s->owner_keep_ms = cell_int(work_row(w, 0, 0), 1);
	}
	return WORK_DONE;
}

/* retain_empty: asks to remove the contents of the messages of result 1. */
static void retain_empty(struct work *w)
{
	size_t             n = (size_t)work_rows(w, 1);
	struct param      *a = work_param(w);
	struct excerpt_row row;

#define CELL(column) cell_int(work_row(w, 1, (int)i), column)
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, CELL(0)));
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, CELL(1)));
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, CELL(2)));
	work_ask(w, sql_empty);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, CELL(0)));
	work_ask(w, sql_drop_docs);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, CELL(1)));
	for (int of = 0; of < 2; of++) {
		param_begin(a, PARAM_TEXT);
		for (size_t i = 0; i < n; i++) {
			struct str body = cell_str(work_row(w, 1, (int)i), 3);

			excerpt_row(&row, &(struct store_message){ .body = body }, 1);
			param_maybe(a, of ? row.excerpt : row.opening);
		}
		param_end(a);
	}
	work_ask(w, sql_forget_rows);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, CELL(1)));
#undef CELL
	work_ask(w, sql_drop_untitled);
}

static enum work_next retain_contents(struct work *w, struct retain_step *s)
{
	int64_t       horizon = id_key_at(w->db->retain->since_ms);
	struct param *a;

	if (w->stage == 0) {
		(void)retain_range(w, horizon, EMPTY_ROWS);
		work_ask(w, sql_seen_messages);
		a = retain_range(w, horizon, EMPTY_ROWS);
		param_int(a, w->db->options.keep.pins);
		param_int(a, EMPTY_HEAD);
		work_ask(w, sql_messages);
		return WORK_AGAIN;
	}
	if (w->stage > 1)
		return WORK_DONE;
	retain_looked(w, s, EMPTY_ROWS);
	s->gone[KEPT_CONTENT] += work_rows(w, 1);
	if (work_rows(w, 1) == 0)
		return WORK_DONE;
	retain_empty(w);
	return WORK_LAST;
}

static enum work_next retain_forget(struct work *w)
{
	int64_t       told_ms = w->db->options.events_keep_ms;
	struct param *a;

	if (w->stage == 0) {
		work_param(w);
		work_ask(w, sql_oldest);
		if (told_ms > 0) {
			a = work_param(w);
			param_int(a, lease_now_ms(w->db) - told_ms);
			param_int(a, FORGET_ROWS);
			work_ask(w, sql_forget);
		}
		return WORK_LAST;
	}
	if (work_rows(w, 0) > 0 && !cell_null(work_row(w, 0, 0), 0))
		metric_set(METRIC_OLDEST, id_key_ms(cell_int(work_row(w, 0, 0), 0)) / 1000);
	return WORK_DONE;
}

/* --- the chore --- */

static void retain_begin(struct postgres *db, enum retain_task task, int64_t now_ms)
{
	struct retain           *k = db->retain;
	const struct store_keep *o = &db->options.keep;
	int64_t keep_ms = task == TASK_CONTENT ? o->content_ms : o->conversations_ms;

	k->task = task;
	k->at = 0;
	k->owner = INT64_MIN;
	k->origin = ORIGIN__COUNT;
	k->since_ms = now_ms - keep_ms;
}

static bool retain_skips(const struct postgres *db, enum retain_task task)
{
	const struct store_keep *o = &db->options.keep;

	if (task >= TASK_ALL && clock_mono_us() < db->retain->pass_us)
		return true;
	return (task == TASK_ALL && o->conversations_ms <= 0) ||
	       (task == TASK_CONTENT && o->content_ms <= 0);
}

/* retain_next: the task after this one; false: that was the last one. */
static bool retain_next(struct postgres *db, int64_t now_ms)
{
	enum retain_task task = db->retain->task + 1;

	while (task < TASK__COUNT && retain_skips(db, task))
		task++;
	if (task == TASK_ALL || (task > TASK_ALL && db->retain->began_us == 0)) {
		db->retain->began_us = clock_mono_us();
		db->retain->shortest_ms = 0;
	}
	retain_begin(db, task < TASK__COUNT ? task : 0, now_ms);
	return task < TASK__COUNT;
}

static int64_t retain_shortest(int64_t a, int64_t b)
{
	return a > 0 && (b == 0 || a < b) ? a : b;
}

static void retain_pass_over(struct postgres *db)
{
	struct retain           *k = db->retain;
	const struct store_keep *o = &db->options.keep;
	int64_t                  now_us = clock_mono_us();
	int64_t                  keep_ms = retain_shortest(o->content_ms,
							   retain_shortest(o->conversations_ms, k->shortest_ms));
	int64_t                  rest = keep_ms > 0 ? keep_ms * 1000 / PASS_SHARE : PASS_MOST_US;
	int64_t                  own = PASS_REST * (now_us - k->began_us);

	rest = rest < PASS_MOST_US ? rest : PASS_MOST_US;
	rest = rest > own ? rest : own;
	k->pass_us = now_us + (rest > REST_US ? rest : REST_US);
	k->began_us = 0;
}

enum work_next retain_step(struct work *w)
{
	struct retain_step *s = &w->db->retain->step;
	int64_t             now_ms = lease_now_ms(w->db);

	if (w->stage == 0)
		*s = (struct retain_step){ 0 };
	switch (w->db->retain->task) {
	case TASK_REST: return retain_rest(w, s);
	case TASK_DUE: return retain_due(w, s, now_ms);
	case TASK_FILE: return retain_file(w, s, now_ms);
	case TASK_ALL: return retain_walk(w, s, false, now_ms);
	case TASK_OWNED: return retain_owned(w, s, now_ms);
	case TASK_CONTENT: return retain_contents(w, s);
	case TASK_FORGET: return retain_forget(w);
	case TASK__COUNT: break;
	}
	return WORK_DONE;
}

bool retain_wanted(struct postgres *db)
{
	return clock_mono_us() >= db->retain->wait_us && !lease_unfit(db);
}

/* retain_owner_over: a stretch of the owners' conversations is done, or there is a next owner. */
static bool retain_owner_over(struct retain *k, const struct retain_step *s, int64_t now_ms)
{
	if (k->origin < ORIGIN__COUNT) {
		k->origin++;
		k->at = 0;
		return true;
	}
	if (!s->owner_set)
		return false;
	k->owner = s->owner;
	k->origin = 0;
	k->at = 0;
	k->since_ms = now_ms - s->owner_keep_ms;
	k->shortest_ms = retain_shortest(s->owner_keep_ms, k->shortest_ms);
	return true;
}

void retain_over(struct work *w, const struct fault *f)
{
	static const char *const  names[KEPT__COUNT] = { "conversation", "run", "content", "file" };
	struct postgres          *db = w->db;
	struct retain            *k = db->retain;
	const struct retain_step *s = &k->step;
	int64_t                   now_ms = lease_now_ms(db);

	if (f && f->kind != FAULT_PG_LOST && f->kind != FAULT_PG_AGAIN && !k->failed)
		log_note(LOG_ERROR, "keep_failed",
			 "old conversations or files could not be removed: %s", f->text);
	k->failed = f != NULL;
	if (f) {
		k->wait_us = clock_mono_us() + REST_US;
		return;
	}
	for (size_t i = 0; i < KEPT__COUNT; i++)
		if (s->gone[i] > 0)
			metric_add(METRIC_SWEPT, (const char *[]){ names[i], "", "" }, s->gone[i]);
	k->rest = k->rest || s->gone[KEPT_CONVERSATION] > 0;
	if (s->moves)
		k->at = s->at;
	if (s->more || (k->task == TASK_OWNED && retain_owner_over(k, s, now_ms)))
		return;
	bool last = k->task == TASK_FORGET;
	bool passing = k->began_us != 0;
	if (retain_next(db, now_ms))
		return;
	if (last && passing)
		retain_pass_over(db);
	/* Conversations that went leave turns, and these are the first task of all. */
	k->wait_us = clock_mono_us() + (k->rest ? 0 : REST_US);
	k->rest = false;
}

struct retain *retain_create(void)
{
	return calloc(1, sizeof(struct retain));
}

void retain_destroy(struct retain *r)
{
	free(r);
}
