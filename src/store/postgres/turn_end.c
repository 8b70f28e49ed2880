/* Ends turns after their calls: the answers and the ends.
 *
 * What the update of the run returns, has ended; all else is written for these.  A statement that looks into the
 * event log has the server lock and open all its tables, and waits while one of them is made or dropped.  So ends of
 * runs without a log have a statement of their own.
 *
 * A run that another gateway has taken up (run_take) is that one's to end. */
#include "store/postgres/turn_end.h"

#include "base/limits.h"
#include "store/common/excerpt.h"
#include "store/postgres/batch.h"
#include "store/postgres/postgres.h"

/* --- reservations of calls that are not stored --- */

static size_t settle_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	add(arg, container_of(job, const struct budget_settle, job)->note.run.key);
	return 256;
}

static const struct usage_note *settle_note(const struct store_job *job)
{
	return &container_of(job, const struct budget_settle, job)->note;
}

const struct gathered gathered_budget_settle = { .things = settle_things, .note = settle_note };

/* Stored numbers; a new status goes to the end. */
_Static_assert(RUN_QUEUED == 0 && RUN_RUNNING == 1 && RUN_COMPLETED == 2 && RUN_INCOMPLETE == 3 &&
		       RUN_FAILED == 4 && RUN_CANCELLED == 5,
	       "run.status is stored as a number");

#define SQL_END(pieces, events_to, log)                                                                                          \
	"WITH t AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], "                                \
	"$4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], "                                       \
	"$10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], "                               \
	"$16::bigint[], $17::text[], $18::bigint[], $19::text[], $20::bigint[], $21::bytea[], "                                  \
	"$22::text[], $23::text[], $24::text[], $25::bigint[], $26::bigint[]) "                                                  \
	"AS t(run, secret, status, first_token_ms, completed_ms, attempts, last_seq, finish_reason, "                            \
	"native_reason, error, usage_estimated, usage_in, usage_out, usage_cached_read, "                                        \
	"usage_cached_write, usage_reasoning, provider, cost_nano, answer, key_http, key_body, "                                 \
	"attempt_log, executions, excerpt, target, gateway)), " pieces                                                           \
	"ended AS (UPDATE run r SET status = t.status, first_token_ms = t.first_token_ms, "                                      \
	"completed_ms = t.completed_ms, attempts = t.attempts, last_seq = t.last_seq, "                                          \
	"finish_reason = t.finish_reason, native_reason = t.native_reason, error = t.error, "                                    \
	"usage_estimated = t.usage_estimated, usage_in = t.usage_in, usage_out = t.usage_out, "                                  \
	"usage_cached_read = t.usage_cached_read, usage_cached_write = t.usage_cached_write, "                                   \
	"usage_reasoning = t.usage_reasoning, provider = coalesce(t.provider, r.provider), "                                     \
	"cost_nano = t.cost_nano, attempt_log = coalesce(t.attempt_log, r.attempt_log), "                                        \
	"executions = coalesce(t.executions, r.executions), "                                                                    \
	"bill_model = NULL, bill_in = NULL, "                                                                                    \
	"bill_price_in = NULL, bill_price_out = NULL, bill_dropped = NULL, "                                                     \
	"events_to = " events_to                                                                                                 \
	" FROM t WHERE r.id = t.run AND r.secret = t.secret AND r.status < 2 "                                                   \
	"AND (r.gateway = t.gateway OR r.bill_dropped[8] IS DISTINCT FROM 1) "                                                   \
	"RETURNING r.id, r.secret, r.owner, r.conversation, r.parent, t.status, t.completed_ms, "                                \
	"t.answer, t.key_http, t.key_body, t.cost_nano, t.excerpt, t.target), "                                                  \
	"answers AS (INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, "                              \
	"body) SELECT id, secret, owner, conversation, parent, id, completed_ms, answer FROM ended "                             \
	"WHERE answer IS NOT NULL), " log                                                                                        \
	"freed AS (DELETE FROM idempotency i USING ended WHERE i.id = ended.id "                                                 \
	"AND ended.key_http = 0), "                                                                                              \
	"lines AS (UPDATE conversation c SET messages = c.messages + l.answers, "                                                \
	"excerpt = coalesce(l.excerpt, c.excerpt), target = coalesce(l.target, c.target), cost_nano = CASE WHEN l.nano IS NULL " \
	"THEN c.cost_nano ELSE coalesce(c.cost_nano, 0) + l.nano END FROM (SELECT conversation, "                                \
	"count(answer) AS answers, sum(cost_nano)::bigint AS nano, (array_agg(excerpt ORDER BY "                                 \
	"completed_ms DESC) FILTER (WHERE excerpt IS NOT NULL))[1] AS excerpt, (array_agg(target "                               \
	"ORDER BY completed_ms DESC) FILTER (WHERE target IS NOT NULL))[1] AS target FROM ended "                                \
	"GROUP BY conversation) l WHERE c.id = l.conversation), "                                                                \
	"queued AS (INSERT INTO search_queue (seq, kind, id) SELECT id, 1, id FROM ended), "                                     \
	"bound AS (UPDATE idempotency i SET outcome = ended.status, http = ended.key_http, "                                     \
	"body = ended.key_body FROM ended WHERE i.id = ended.id AND ended.key_http > 0) "                                        \
	"SELECT id FROM ended"
static const char sql_end[] = SQL_END("", "0", "");
static const char sql_end_logged[] = SQL_END(
	"p AS MATERIALIZED (SELECT * FROM unnest($27::bigint[], $28::bigint[], $29::bigint[], "
	"$30::bytea[]) AS p(run, first, last, data)), ",
	"greatest(coalesce((SELECT max(p.last) FROM p WHERE p.run = t.run), 0), "
	"coalesce((SELECT max(e.last) FROM event e WHERE e.run = t.run), 0))",
	"logged AS (INSERT INTO event (run, first, last, data) SELECT p.run, p.first, p.last, p.data "
	"FROM p JOIN ended ON ended.id = p.run ON CONFLICT DO NOTHING), ");
/* The log of a plain call: how it was asked.  That of one which another gateway has taken up has its answer. */
static const char sql_planned[] =
	"WITH ended AS (UPDATE run SET events_to = 0 WHERE id = ANY($1::bigint[]) AND status > 1 "
	"AND gateway = $2 "
	"RETURNING id) DELETE FROM event e USING ended WHERE e.run = ended.id";
static const char sql_why[] =
	"SELECT t.run, r.status, r.completed_ms, r.last_seq FROM unnest($1::bigint[], $2::bigint[]) "
	"AS t(run, secret) LEFT JOIN run r ON r.id = t.run AND r.secret = t.secret";

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, count, add)
#define E               ends[i]

static void end_estimated(struct param *a, const struct usage *u)
{
	if (u->known || u->estimated)
		param_int(a, u->known ? 0 : 1);
	else
		param_null(a, PARAM_INT);
}

static void end_cost(struct param *a, const struct turn_end *j)
{
	if (j->costs)
		param_int(a, j->cost_nano);
	else
		param_null(a, PARAM_INT);
}

static void end_target(struct param *a, const struct turn_end *j)
{
	if (j->target)
		param_int(a, j->target);
	else
		param_null(a, PARAM_INT);
}

static void end_excerpt(struct param *a, struct str answer)
{
	struct excerpt x;

	excerpt_read(&x, answer);
	param_maybe(a, excerpt_text(&x));
}

static void end_runs(struct param *a, int64_t gateway, struct turn_end *const *ends, size_t count)
{
	EACH(INT, param_int(a, E->run.key));
	EACH(INT, param_secret(a, E->run.secret));
	EACH(INT, param_int(a, (int64_t)E->status));
	EACH(INT, param_int(a, E->first_token_ms));
	EACH(INT, param_int(a, E->completed_ms));
	EACH(INT, param_int(a, E->attempts));
	EACH(INT, param_int(a, (int64_t)E->last_seq));
	EACH(TEXT, param_maybe(a, E->finish_reason));
	EACH(TEXT, param_maybe(a, E->native_reason));
	EACH(TEXT, param_maybe(a, E->error));
	EACH(INT, end_estimated(a, &E->usage));
	EACH(INT, param_int(a, E->usage.in));
	EACH(INT, param_int(a, E->usage.out));
	EACH(INT, param_int(a, E->usage.cached_read));
	EACH(INT, param_int(a, E->usage.cached_write));
	EACH(INT, param_int(a, E->usage.reasoning));
	EACH(TEXT, param_maybe(a, E->provider));
	EACH(INT, end_cost(a, E));
	EACH(TEXT, param_maybe(a, E->answer));
	EACH(INT, param_int(a, E->keyed ? E->kept_answer.http : -1));
	EACH(BYTES, param_bytes_maybe(a, E->kept_answer.body));
	EACH(TEXT, param_maybe(a, E->attempt_log));
	EACH(TEXT, param_maybe(a, E->executions));
	EACH(TEXT, end_excerpt(a, E->answer));
	EACH(INT, end_target(a, E));
	EACH(INT, param_int(a, gateway));
}

static bool end_logged(struct turn_end *const *ends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < EVENTS_REST; k++)
			if (!E->unlogged || E->events[k].data.n > 0)
				return true;
	return false;
}

static void end_pieces(struct param *a, struct turn_end *const *ends, size_t count)
{
	struct pieces p = { 0 };
	bool          ok = true;

	for (size_t i = 0; i < count; i++)
		for (int k = 0; ok && k < EVENTS_REST; k++) {
			struct events_piece own = E->events[k];

			own.run = E->run;
			ok = pieces_add(&p, own);
		}
	pieces_args(&p, a, false);
	a->failed = a->failed || !ok;
	pieces_finish(&p);
}

/* end_planned: the number of statements. */
static size_t end_planned(struct work *w, struct turn_end *const *ends, size_t count)
{
	struct param *a;
	size_t        planned = 0;

	for (size_t i = 0; i < count; i++)
		planned += E->planned;
	if (planned == 0)
		return 0;
	a = work_param(w);
	param_begin(a, PARAM_INT);
	for (size_t i = 0; i < count; i++)
		if (E->planned)
			param_int(a, E->run.key);
	param_end(a);
	param_int(a, w->db->gateway);
	work_ask(w, sql_planned);
	return 1;
}

size_t turn_end_ask(struct work *w, struct turn_end *const *ends, size_t count)
{
	struct param *a = work_param(w);
	bool          logged = end_logged(ends, count);

	end_runs(a, w->db->gateway, ends, count);
	if (logged)
		end_pieces(a, ends, count);
	work_ask(w, logged ? sql_end_logged : sql_end);
	w->db->search_noted = true;
	return 1 + end_planned(w, ends, count);
}

/* --- jobs --- */

static struct turn_end *turn_end_end_of(const struct group *g, size_t i)
{
	return container_of(g->jobs[i], struct turn_end, job);
}

static size_t end_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	const struct turn_end *j = container_of(job, struct turn_end, job);
	size_t bytes = KIB + j->answer.n + j->kept_answer.body.n + j->error.n + j->attempt_log.n +
		       j->executions.n;

	add(arg, j->run.key);
	for (int i = 0; i < EVENTS_REST; i++)
		bytes += j->events[i].data.n;
	return bytes;
}

static void end_check(const struct postgres *db, struct store_job *job)
{
	struct turn_end *j = container_of(job, struct turn_end, job);

	(void)db;

	j->later = false;
	if (j->answer.n > LIMIT_STORE_ROW)
		err_set(&job->err, ERR_REQUEST_TOO_LARGE, "",
			"a message is too large to be stored (at most %u MiB)",
			LIMIT_STORE_ROW / MIB - 1);
}

static size_t end_ask(struct work *w, const struct group *g)
{
	struct turn_end *ends[ARRAY_LEN(g->jobs)];

	for (size_t i = 0; i < g->count; i++)
		ends[i] = turn_end_end_of(g, i);
	return turn_end_ask(w, ends, g->count);
}

/* end_note: the conversation may be deleted by now, but the cost still counts. */
static const struct usage_note *end_note(const struct store_job *job)
{
	const struct usage_note *n = container_of(job, const struct turn_end, job)->note;

	return n && n->reserved ? n : NULL;
}

static bool end_judge(struct work *w, const struct group *g)
{
	return (size_t)work_rows(w, g->at) < g->count;
}

static void end_why(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	PARAM_EACH(a, PARAM_INT, i, g->count, param_int(a, turn_end_end_of(g, i)->run.key));
	PARAM_EACH(a, PARAM_INT, i, g->count, param_secret(a, turn_end_end_of(g, i)->run.secret));
	work_ask(w, sql_why);
}

/* end_is_same: the run has this very end, which was stored when it was sent before. */
static bool end_is_same(const struct turn_end *j, struct row r)
{
	return cell_int(r, 1) == (int64_t)j->status && cell_int(r, 2) == j->completed_ms &&
	       cell_int(r, 3) == (int64_t)j->last_seq;
}

static void end_explain(struct work *w, const struct group *g)
{
	for (int at = 0; at < work_rows(w, g->at); at++) {
		struct row r = work_row(w, g->at, at);

		for (size_t i = 0; i < g->count; i++) {
			struct turn_end *j = turn_end_end_of(g, i);

			if (j->run.key != cell_int(r, 0))
				continue;
			if (cell_null(r, 1))
				err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such run");
			else if (!end_is_same(j, r))
				err_set(&j->job.err, ERR_INTERNAL, "",
					"this run has ended already");
		}
	}
}

const struct gathered gathered_turn_end = {
	.things = end_things,
	.check = end_check,
	.ask = end_ask,
	.note = end_note,
	.judge = end_judge,
	.why = end_why,
	.explain = end_explain,
};
