/* A conversation as lines.
 *
 * What there will be is settled in the first page's transaction, as a list of parts: runs, each with its
 * messages, and messages that no run brought.  So an export is of that moment, but for what is deleted or
 * ends while it goes on.  A page is read some parts at a time. */
#include "archive/archive_line.h"
#include "base/limits.h"
#include "store/archive.h"
#include "store/common/archive_plan.h"
#include "store/postgres/operation.h"

#include <stdlib.h>

static const char sql_conversation[] =
	"SELECT created_ms, rev, title, metadata, leaf, "
	"(SELECT secret FROM run WHERE run.id = leaf), tip, "
	"(SELECT secret FROM message WHERE message.id = tip), owner, instruction FROM conversation "
	"WHERE id = $1 AND secret = $2 AND ($4 > 0 OR owner = $3)";
static const char sql_parts[] =
	"SELECT r.id, r.base, m.id, m.run, 0::bigint FROM run r LEFT JOIN message m ON m.id = r.base "
	"WHERE r.conversation = $1 UNION ALL SELECT l.id, l.prev, m.id, m.run, 1 FROM message l "
	"LEFT JOIN message m ON m.id = l.prev WHERE l.conversation = $1 AND l.run BETWEEN -1 AND 0";
static const char sql_runs[] =
	"SELECT r.secret, r.status, t.at, r.base, m.secret, r.continues, k.secret, r.created_ms, "
	"r.first_token_ms, r.completed_ms, r.attempts, r.usage_estimated, r.usage_in, r.usage_out, "
	"r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, r.model, r.provider, r.shape, "
	"r.finish_reason, r.instruction, r.metadata, r.error, r.settings, r.request_id, "
	"r.native_reason FROM unnest($1::bigint[]) WITH ORDINALITY AS t(key, at) "
	"JOIN run r ON r.id = t.key AND r.conversation = $2 LEFT JOIN message m ON m.id = r.base "
	"LEFT JOIN run k ON k.id = r.continues ORDER BY t.at";
/* The messages of the parts, those of a run in order and its answer last (step 0), after the first $3 and
 * as many as begin within $4 bytes; in the end how many of its part come after each, and how many in all. */
static const char sql_messages[] =
	"WITH RECURSIVE t AS MATERIALIZED (SELECT * FROM unnest($1::bigint[]) WITH ORDINALITY "
	"AS t(key, at)), "
	"w AS (SELECT t.at, r.base, 1::bigint AS step, m.id, m.prev FROM t JOIN run r ON r.id = t.key "
	"AND r.conversation = $2 JOIN message m ON m.id = r.parent WHERE r.parent <> 0 "
	"AND r.parent <> r.base UNION ALL SELECT w.at, w.base, w.step + 1, m.id, m.prev FROM w "
	"JOIN message m ON m.id = w.prev WHERE w.prev <> 0 AND w.prev <> w.base AND w.step < $5), "
	"a AS (SELECT at, step, id FROM w UNION ALL SELECT t.at, 0, m.id FROM t "
	"JOIN message m ON m.id = CASE WHEN t.key < 0 THEN ~t.key ELSE t.key END "
	"AND m.conversation = $2), "
	"n AS (SELECT a.at, a.step, a.id, row_number() OVER (ORDER BY a.at, a.step DESC) AS n, "
	"count(*) OVER (PARTITION BY a.at) - row_number() OVER (PARTITION BY a.at ORDER BY a.step DESC) "
	"AS after FROM a), "
	"b AS (SELECT n.*, coalesce(sum(octet_length(m.body)) OVER (ORDER BY n.n ROWS BETWEEN "
	"UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before, count(*) OVER () AS total FROM n "
	"JOIN message m ON m.id = n.id WHERE n.n > $3) "
	"SELECT b.at, m.id, m.secret, m.prev, p.secret, m.run, m.created_ms, m.body, b.step, b.after, "
	"b.total FROM b JOIN message m ON m.id = b.id LEFT JOIN message p ON p.id = m.prev "
	"WHERE b.before < $4 ORDER BY b.n";

enum { ARCHIVE_STEP = 32, ARCHIVE_RUNS = 0, ARCHIVE_MESSAGES, STEP_COLUMN = 8, AFTER, TOTAL };

static void archive_gone(struct archive_read *j)
{
	err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
}

static void archive_damaged(struct archive_read *j)
{
	err_set(&j->job.err, ERR_STORAGE, "", "the gateway can't use its storage: it is damaged");
}

static void archive_line_put(struct archive_read *j, const struct archive_line *line)
{
	if (!archive_line_print(&j->page, line))
		cell_no_memory(&j->job.err);
}

/* p is NULL if the column is NULL. */
static struct str archive_text(struct row r, int column)
{
	return cell_null(r, column) ? STR_NONE : cell_str(r, column);
}

/* --- the first page --- */

static void archive_ask_plan(struct work *w, const struct archive_read *j)
{
	struct param *a = work_param(w);

	param_int(a, j->conversation.key);
	param_secret(a, j->conversation.secret);
	param_int(a, j->owner);
	param_int(a, j->any_owner);
	work_ask(w, sql_conversation);
	param_int(work_param(w), j->conversation.key);
	work_ask(w, sql_parts);
}

static void archive_put_conversation(struct archive_read *j, struct row r)
{
	struct archive_line line = { .kind = ARCHIVE_CONVERSATION };

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
	archive_line_put(j, &line);
}

static void archive_make_plan(struct work *w, struct archive_read *j)
{
	struct archive_parts  p = { 0 };
	enum archive_plan_end end = ARCHIVE_PLAN_MADE;

	for (int i = 0; i < work_rows(w, 1) && end == ARCHIVE_PLAN_MADE; i++) {
		struct row r = work_row(w, 1, i);

		if (cell_int(r, 1) != 0 && cell_null(r, 2))
			end = ARCHIVE_PLAN_DAMAGED;
		else if (!archive_parts_add(&p, cell_int(r, 0), cell_int(r, 4) != 0, cell_int(r, 1),
					    cell_int(r, 3)))
			end = ARCHIVE_PLAN_NO_MEMORY;
	}
	if (end == ARCHIVE_PLAN_MADE)
		end = archive_parts_plan(&p, &j->plan);
	archive_parts_finish(&p);
	if (end == ARCHIVE_PLAN_DAMAGED)
		archive_damaged(j);
	else if (end == ARCHIVE_PLAN_NO_MEMORY)
		cell_no_memory(&j->job.err);
}

/* --- parts --- */

static size_t archive_step(const struct archive_read *j)
{
	size_t left = j->plan->count - j->at;

	return left < ARCHIVE_STEP ? left : ARCHIVE_STEP;
}

static void archive_ask_parts(struct work *w, const struct archive_read *j)
{
	size_t        n = archive_step(j);
	struct param *a = work_param(w);

	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, j->plan->parts[j->at + i]));
	param_int(a, j->conversation.key);
	work_ask(w, sql_runs);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, n, param_int(a, j->plan->parts[j->at + i]));
	param_int(a, j->conversation.key);
	param_int(a, j->line > 0 ? (int64_t)j->line - 1 : 0);
	param_int(a, (int64_t)j->page_bytes + 1);
	param_int(a, LIMIT_ARCHIVE_LINES);
	work_ask(w, sql_messages);
}

static void archive_take_run(struct row r, int64_t key, struct archive_run *ret)
{
	bool any = !cell_null(r, 11);
	bool estimated = cell_int(r, 11) != 0;

	*ret = (struct archive_run){
		.id = cell_id(key, r, 0),
		.status = (enum archive_status)cell_int(r, 1),
		.base = cell_id(cell_int(r, 3), r, 4),
		.continues = cell_id(cell_int(r, 5), r, 6),
		.created_ms = cell_int(r, 7),
		.first_token_ms = cell_int(r, 8),
		.completed_ms = cell_int(r, 9),
		.attempts = cell_int(r, 10),
		.used = any,
		.usage = { .known = any && !estimated,
			   .estimated = any && estimated,
			   .in = cell_int(r, 12),
			   .out = cell_int(r, 13),
			   .cached_read = cell_int(r, 14),
			   .cached_write = cell_int(r, 15),
			   .reasoning = cell_int(r, 16) },
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

/* Rows of the parts, and how far they are printed. */
struct archive_rows {
	struct work *w;
	int          runs, run_at;
	int          messages, message_at;
	bool         cut; /* further messages were not read */
};

static bool archive_full(const struct archive_read *j)
{
	return j->page.len >= j->page_bytes || j->job.err.code != ERR_OK;
}

static void archive_put_message(struct archive_read *j, struct row r, struct id run)
{
	struct archive_line line = { .kind = ARCHIVE_MESSAGE };

	line.as.message = (struct archive_message){
		.id = cell_id(cell_int(r, 1), r, 2),
		.parent = cell_id(cell_int(r, 3), r, 4),
		.run = run,
		.created_ms = cell_int(r, 6),
		.body = cell_int(r, 5) < 0 ? STR_NONE : archive_text(r, 7),
	};
	archive_line_put(j, &line);
}

/* archive_put_messages: those of the part `at`; false: the page ends before one. */
static bool archive_put_messages(struct archive_read *j, struct archive_rows *x, int64_t at,
				 struct id run)
{
	int64_t after = -1;

	while (x->message_at < x->messages) {
		struct row r = work_row(x->w, ARCHIVE_MESSAGES, x->message_at);

		if (cell_int(r, 0) != at)
			return true;
		if (archive_full(j))
			return false;
		/* The answer of a run whose line says that it is live is left out. */
		if (id_none(run) || cell_int(r, STEP_COLUMN) > 0 || !j->live)
			archive_put_message(j, r, run);
		after = cell_int(r, AFTER);
		x->message_at++;
		j->line++;
	}
	return after == 0 || !x->cut;
}

/* archive_put_part: false: the page ends in it. */
static bool archive_put_part(struct archive_read *j, struct archive_rows *x, int64_t key,
			     int64_t at)
{
	struct archive_line line = { .kind = ARCHIVE_RUN };
	size_t              had = j->line;
	struct row          r;

	if (key < 0) {
		j->line = 1;
		bool whole = archive_put_messages(j, x, at, (struct id){ 0 });
		if (whole && j->line == 1)
			archive_gone(j); /* it was not there, and nothing was cut off */
		return whole;
	}
	r = work_row(x->w, ARCHIVE_RUNS, x->run_at < x->runs ? x->run_at : 0);
	if (x->run_at == x->runs || cell_int(r, 2) != at) {
		archive_gone(j);
		return false;
	}
	x->run_at++;
	archive_take_run(r, key, &line.as.run);
	if ((unsigned)line.as.run.status >= ARCHIVE_STATUS__COUNT) {
		archive_damaged(j);
		return false;
	}
	if (had == 0) {
		j->live = line.as.run.status <= ARCHIVE_RUNNING;
		archive_line_put(j, &line);
		j->line = 1;
	}
	return archive_put_messages(j, x, at, line.as.run.id);
}

static void archive_put_parts(struct work *w, struct archive_read *j)
{
	struct archive_rows x = { .w = w,
				  .runs = work_rows(w, ARCHIVE_RUNS),
				  .messages = work_rows(w, ARCHIVE_MESSAGES) };
	size_t              n = archive_step(j);

	x.cut = x.messages > 0 &&
		cell_int(work_row(w, ARCHIVE_MESSAGES, 0), TOTAL) > (int64_t)x.messages;
	for (size_t i = 0; i < n && !archive_full(j); i++) {
		if (!archive_put_part(j, &x, j->plan->parts[j->at], (int64_t)i + 1))
			return;
		j->at++;
		j->line = 0;
	}
}

/* archive_begin: notes where the page begins, or goes back there. */
static void archive_begin(const struct work *w, struct archive_read *j)
{
	buf_clear(&j->page);
	if (w->tries == 0) {
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

static enum work_next archive_read_step(struct work *w, struct archive_read *j)
{
	if (w->stage == 0)
		archive_begin(w, j);
	if (w->stage == 0 && !j->plan) {
		archive_ask_plan(w, j);
		return WORK_AGAIN;
	}
	if (w->stage == 1 && !j->plan) {
		if (work_rows(w, 0) == 0)
			archive_gone(j);
		else
			archive_put_conversation(j, work_row(w, 0, 0));
		if (j->job.err.code == ERR_OK)
			archive_make_plan(w, j);
	} else if (w->stage > 0) {
		archive_put_parts(w, j);
	}
	j->has_more = j->job.err.code == ERR_OK && j->at < j->plan->count;
	if (!j->has_more || archive_full(j))
		return WORK_DONE;
	archive_ask_parts(w, j);
	return WORK_AGAIN;
}

OP(archive_read, WORK_SNAPSHOT, archive_read_step);
