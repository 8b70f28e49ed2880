/* A conversation as lines.
 *
 * What there will be is settled in the first page's transaction, as a list of parts: runs, each with its
 * messages, and messages that no run brought.  So an export is of that moment, but for what is deleted or
 * ends while it goes on.  A page is read some parts at a time.
 *
 * Parts are in the order of their ids, which is that of their making, unless one was gone on from before its id
 * was made known: then it comes first. */
#include "store/archive.h"

#include "archive/archive.h"
#include "base/limits.h"
#include "store/sql/cells.h"

#include <stdlib.h>

static const char sql_conversation[] =
	"SELECT created_ms, rev, title, metadata, leaf, "
	"(SELECT secret FROM run WHERE run.id = leaf), tip, "
	"(SELECT secret FROM message WHERE message.id = tip), owner, instruction FROM conversation "
	"WHERE id = $1 AND secret = $2 AND ($4 > 0 OR owner = $3)";
#define PARTS(E)                                                                                               \
	"SELECT r.id, CAST(0 AS bigint), r.base, m.id, m.run FROM run r " E##_INDEX(                           \
		"run_conversation") "LEFT JOIN message m ON m.id = r.base WHERE r.conversation = $1 "          \
				    "UNION ALL SELECT l.id, 1, l.prev, m.id, m.run FROM message l " E##_INDEX( \
					    "message_loose") "LEFT JOIN message m ON m.id = l.prev WHERE l.conversation = $1 AND l.run BETWEEN -1 AND 0"
static const struct sql sql_parts = SQL_EITHER(PARTS);
#define RUNS(E)                                                                                           \
	"SELECT " E##_PLACE                                                                               \
		", r.secret, r.status, r.base, m.secret, r.continues, k2.secret, "                        \
		"r.created_ms, r.first_token_ms, r.completed_ms, r.attempts, r.usage_estimated, "         \
		"r.usage_in, r.usage_out, r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, " \
		"r.model, r.provider, r.shape, r.finish_reason, r.instruction, r.metadata, r.error, "     \
		"r.settings, r.request_id, r.native_reason, r.parent FROM " E##_EACH(                     \
			"$1", "bigint") E##_JOIN                                                          \
		"run r ON r.id = k.value AND r.conversation = $2 LEFT JOIN message m ON m.id = r.base "   \
		"LEFT JOIN run k2 ON k2.id = r.continues " E##_ORDER("k.key")
static const struct sql sql_runs = SQL_EITHER(RUNS);
/* The messages of the parts, after the first $4 of them; in the end how many of its part come after each.  A server
 * sends as many as begin within $5 bytes, and says how many there are. */
#define NUMBERED(E)                                                                         \
	TURN_CELL_PARTS(E)                                                                  \
	"n AS (SELECT a.*, row_number() OVER (ORDER BY at, step DESC) AS n, count(*) OVER " \
	"(PARTITION BY at) - row_number() OVER (PARTITION BY at ORDER BY step DESC) AS after FROM a), "
static const struct sql sql_messages = {
	NUMBERED(SQLITE) "o AS (SELECT * FROM n WHERE n > $4 ORDER BY n LIMIT -1) " TURN_CELL
			 ", a.after, 0 FROM o AS a CROSS JOIN message m ON m.id = a.id "
			 "LEFT JOIN message p ON p.id = m.prev",
	NUMBERED(
		POSTGRES) "o AS (SELECT n.*, coalesce(sum(octet_length(m.body)) OVER (ORDER BY n.n "
			  "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before, count(*) OVER () AS total "
			  "FROM n JOIN message m ON m.id = n.id WHERE n.n > $4) " TURN_CELL
			  ", a.after, a.total FROM o AS a JOIN message m ON m.id = a.id "
			  "LEFT JOIN message p ON p.id = m.prev WHERE a.before < $5 ORDER BY a.n",
};

enum { ARCHIVE_STEP = 32, AFTER = TURN_CELL_END, TOTAL };

/* --- the plan --- */

struct archive_part {
	int64_t  key;
	int64_t  needs; /* the part that it continues; 0: none */
	uint32_t up;    /* while parts are sorted: the part that waits for this one */
	bool     loose;
	bool     done;
};

struct archive_plan {
	size_t  count;
	int64_t parts[]; /* key of a run, or ~key of a message without a run */
};

struct archive_parts {
	struct archive_part *at; /* owned */
	size_t               count;
	size_t               cap;
};

static void archive_gone(struct archive_read *j)
{
	err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
}

/* archive_add_part: a row of sql_parts; false: no memory, or too many. */
static bool archive_add_part(struct archive_parts *p, struct row r)
{
	int64_t run = cell_int(r, 4);

	if (p->count == p->cap) {
		size_t               cap = p->cap ? 2 * p->cap : 256;
		struct archive_part *grown = realloc(p->at, cap * sizeof *grown);

		if (!grown)
			return false;
		p->at = grown;
		p->cap = cap;
	}
	if (run < 0)
		run = ~run;
	p->at[p->count++] = (struct archive_part){ .key = cell_int(r, 0),
						   .needs = run != 0 ? run : cell_int(r, 2),
						   .loose = cell_int(r, 1) != 0 };
	return p->count <= LIMIT_ARCHIVE_LINES;
}

static int compare_parts(const void *a, const void *b)
{
	const struct archive_part *x = a;
	const struct archive_part *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* archive_needed: the part that this one continues; NULL: none, or missing. */
static struct archive_part *archive_needed(const struct archive_parts *p,
					   const struct archive_part  *part)
{
	struct archive_part key = { .key = part->needs };

	if (part->needs == 0 || part->needs == part->key)
		return NULL;
	return bsearch(&key, p->at, p->count, sizeof *p->at, compare_parts);
}

/* archive_plan_part: puts the part, and everything that must come before it; false: parts need each other. */
static bool archive_plan_part(struct archive_parts *p, struct archive_part *part,
			      struct archive_plan *plan)
{
	struct archive_part *first = part;
	size_t               steps = 0;

	for (struct archive_part *n = archive_needed(p, part); n && !n->done;
	     n = archive_needed(p, n)) {
		if (++steps > p->count)
			return false;
		n->up = (uint32_t)(first - p->at);
		first = n;
	}
	for (;;) {
		plan->parts[plan->count++] = first->loose ? ~first->key : first->key;
		first->done = true;
		if (first == part)
			return true;
		first = &p->at[first->up];
	}
}

static void archive_plan_parts(struct archive_read *j, struct archive_parts *p)
{
	j->plan = calloc(1, sizeof *j->plan + p->count * sizeof j->plan->parts[0]);
	if (!j->plan) {
		cell_no_memory(&j->job.err);
		return;
	}
	if (p->count > 0)
		qsort(p->at, p->count, sizeof *p->at, compare_parts);
	for (size_t i = 0; j->job.err.code == ERR_OK && i < p->count; i++)
		if (!p->at[i].done && !archive_plan_part(p, &p->at[i], j->plan))
			cell_damaged(&j->job.err);
}

static void archive_make_plan(struct query *q, struct archive_read *j)
{
	struct archive_parts p = { 0 };
	struct row           r;

	while (j->job.err.code == ERR_OK && query_row(q, 1, &r)) {
		if (cell_int(r, 2) != 0 && cell_null(r, 3))
			cell_damaged(&j->job.err);
		else if (!archive_add_part(&p, r))
			cell_no_memory(&j->job.err);
	}
	if (j->job.err.code == ERR_OK)
		archive_plan_parts(j, &p);
	free(p.at);
}

/* --- the first page --- */

static void archive_read_put(struct archive_read *j, const struct archive_line *line)
{
	if (!archive_line_print(&j->page, line))
		cell_no_memory(&j->job.err);
}

/* archive_text: p is NULL if the column is NULL. */
static struct str archive_text(struct row r, int column)
{
	return cell_null(r, column) ? STR_NONE : cell_str(r, column);
}

static void archive_ask_plan(struct query *q, const struct archive_read *j)
{
	struct param *a = query_param(q);

	param_int(a, j->conversation.key);
	param_secret(a, j->conversation.secret);
	param_int(a, j->owner);
	param_int(a, j->any_owner);
	query_ask(q, sql_conversation);
	param_int(query_param(q), j->conversation.key);
	query_ask_either(q, &sql_parts);
}

static void archive_put_conversation(struct query *q, struct archive_read *j)
{
	struct archive_line line = { .kind = ARCHIVE_CONVERSATION };
	struct row          r;

	if (!query_row(q, 0, &r)) {
		archive_gone(j);
		return;
	}
	line.as.conversation = (struct archive_conversation){
		.id = j->conversation,
		.owned = j->any_owner,
		.owner = cell_int(r, 8),
		.created_ms = cell_int(r, 0),
		.revision = cell_int(r, 1),
		.title = archive_text(r, 2),
		.metadata = archive_text(r, 3),
		.instruction = archive_text(r, 9),
		.leaf = cell_id(cell_int(r, 4), r, 5),
		.tip = cell_id(cell_int(r, 6), r, 7),
	};
	archive_read_put(j, &line);
}

/* --- parts --- */

/* Rows of the parts. */
struct archive_rows {
	struct query *q;
	struct row    run, message; /* the next ones */
	bool          has_run, has_message;
	int64_t left; /* number of messages that were not read yet, if a server has not sent them all */
};

static void archive_next_message(struct archive_rows *x)
{
	x->left--;
	x->has_message = query_row(x->q, 1, &x->message);
}

/* archive_is_cut: whether the page has no room for the messages that come next. */
static bool archive_is_cut(const struct archive_rows *x)
{
	return !x->has_message && x->left > 0;
}

static bool archive_has_message(const struct archive_rows *x, int64_t at)
{
	return x->has_message && cell_int(x->message, TURN_CELL_AT) == at;
}

static size_t archive_step(const struct archive_read *j)
{
	size_t left = j->plan->count - j->at;

	return left < ARCHIVE_STEP ? left : ARCHIVE_STEP;
}

static void archive_ask_parts(struct query *q, const struct archive_read *j)
{
	size_t        n = archive_step(j);
	struct param *a = query_param(q);

	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, j->plan->parts[j->at + i]));
	param_int(a, j->conversation.key);
	query_ask_either(q, &sql_runs);
	a = query_param(q);
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, j->plan->parts[j->at + i]));
	param_int(a, j->conversation.key);
	param_int(a, LIMIT_ARCHIVE_LINES);
	param_int(a, j->line > 0 ? (int64_t)j->line - 1 : 0);
	param_int(a, (int64_t)j->page_bytes + 1);
	query_ask_either(q, &sql_messages);
}

static void archive_take_run(struct row r, int64_t key, struct archive_run *ret)
{
	*ret = (struct archive_run){
		.id = cell_id(key, r, 1),
		.status = (enum archive_status)cell_int(r, 2),
		.base = cell_id(cell_int(r, 3), r, 4),
		.continues = cell_id(cell_int(r, 5), r, 6),
		.created_ms = cell_int(r, 7),
		.first_token_ms = cell_int(r, 8),
		.completed_ms = cell_int(r, 9),
		.attempts = cell_int(r, 10),
		.used = !cell_null(r, 11),
		.usage = cell_usage(r, 11),
		.model = archive_text(r, 17),
		.provider = archive_text(r, 18),
		.shape = archive_text(r, 19),
		.finish_reason = archive_text(r, 20),
		.instruction = archive_text(r, 21),
		.metadata = archive_text(r, 22),
		.error = archive_text(r, 23),
		.settings = archive_text(r, 24),
		.request_id = archive_text(r, 25),
		.native_reason = archive_text(r, 26),
	};
}

static bool archive_full(const struct archive_read *j)
{
	return j->page.len >= j->page_bytes || j->job.err.code != ERR_OK;
}

static void archive_put_message(struct archive_read *j, struct row r, struct id run)
{
	struct archive_line line = { .kind = ARCHIVE_MESSAGE };

	line.as.message = (struct archive_message){
		.id = cell_id(cell_int(r, TURN_CELL_ID), r, TURN_CELL_SECRET),
		.parent = cell_id(cell_int(r, TURN_CELL_PARENT), r, TURN_CELL_PARENT_SECRET),
		.run = run,
		.created_ms = cell_int(r, TURN_CELL_CREATED_MS),
		.body = cell_int(r, TURN_CELL_RUN) < 0 ? STR_NONE : archive_text(r, TURN_CELL_BODY),
	};
	archive_read_put(j, &line);
}

/* archive_put_messages: those of the part `at`; false: the page ends before one. */
static bool archive_put_messages(struct archive_read *j, struct archive_rows *x, int64_t at,
				 struct id run)
{
	int64_t after = -1;

	while (archive_has_message(x, at)) {
		if (archive_full(j))
			return false;
		/* The answer of a run whose line says that it is live is left out. */
		if (id_none(run) || cell_int(x->message, TURN_CELL_STEP) > 0 || !j->live)
			archive_put_message(j, x->message, run);
		after = cell_int(x->message, AFTER);
		archive_next_message(x);
		j->line++;
	}
	return after == 0 || !archive_is_cut(x);
}

static bool archive_put_loose(struct archive_read *j, struct archive_rows *x, int64_t at)
{
	j->line = 1;
	bool whole = archive_put_messages(j, x, at, (struct id){ 0 });
	if (whole && j->line == 1)
		archive_gone(j); /* it was not there, and nothing was cut off */
	return whole;
}

/* archive_put_run: false: the page ends in it. */
static bool archive_put_run(struct archive_read *j, struct archive_rows *x, int64_t key, int64_t at)
{
	struct archive_line line = { .kind = ARCHIVE_RUN };
	bool                here = archive_has_message(x, at);

	if (!x->has_run || cell_int(x->run, 0) != at) {
		archive_gone(j);
		return false;
	}
	archive_take_run(x->run, key, &line.as.run);
	int64_t parent = cell_int(x->run, 27);
	bool    brings = parent != 0 && parent != line.as.run.base.key;
	/* A message to which the run or another one refers must exist. */
	if ((unsigned)line.as.run.status >= ARCHIVE_STATUS__COUNT ||
	    (j->line == 0 && brings &&
	     (here ? !turn_cell_begins(x->message) : !archive_is_cut(x)))) {
		cell_damaged(&j->job.err);
		return false;
	}
	if (j->line == 0) {
		j->live = line.as.run.status <= ARCHIVE_RUNNING;
		archive_read_put(j, &line);
		j->line = 1;
	}
	x->has_run = query_row(x->q, 0, &x->run);
	return archive_put_messages(j, x, at, line.as.run.id);
}

static void archive_put_parts(struct query *q, struct archive_read *j)
{
	struct archive_rows x = { .q = q };
	size_t              n = archive_step(j);

	x.has_run = query_row(q, 0, &x.run);
	archive_next_message(&x);
	x.left = x.has_message ? cell_int(x.message, TOTAL) : 0;
	for (size_t i = 0; i < n && !archive_full(j); i++) {
		int64_t key = j->plan->parts[j->at];

		if (!(key < 0 ? archive_put_loose(j, &x, (int64_t)i)
			      : archive_put_run(j, &x, key, (int64_t)i)))
			return;
		j->at++;
		j->line = 0;
	}
}

/* --- pages --- */

/* archive_begin: notes where the page begins, or goes back there. */
static void archive_begin(const struct query *q, struct archive_read *j)
{
	buf_clear(&j->page);
	if (!q->again) {
		j->from.planned = j->plan != NULL;
		j->from.at = j->at;
		j->from.line = j->line;
		j->from.live = j->live;
		return;
	}
	if (!j->from.planned) {
		free(j->plan);
		j->plan = NULL;
	}
	j->at = j->from.at;
	j->line = j->from.line;
	j->live = j->from.live;
}

static enum work_next read_archive(struct query *q, struct archive_read *j)
{
	if (q->stage == 0)
		archive_begin(q, j);
	if (q->stage == 0 && !j->plan) {
		archive_ask_plan(q, j);
		return WORK_AGAIN;
	}
	if (q->stage == 1 && !j->plan) {
		archive_put_conversation(q, j);
		if (j->job.err.code == ERR_OK)
			archive_make_plan(q, j);
	} else if (q->stage > 0) {
		archive_put_parts(q, j);
	}
	j->has_more = j->job.err.code == ERR_OK && j->at < j->plan->count;
	if (!j->has_more || archive_full(j))
		return WORK_DONE;
	archive_ask_parts(q, j);
	return WORK_AGAIN;
}

SQL_OP(archive_read, WORK_SNAPSHOT, read_archive);
