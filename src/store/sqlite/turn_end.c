/* Writes the end of a turn after its call: the answer and the end. */
#include "store/sqlite/turn_end.h"

#include "store/common/excerpt.h"
#include "store/common/salvage.h"
#include "store/sqlite/budgets.h"
#include "store/sqlite/answer_row.h"
#include "store/sqlite/op.h"
#include "store/sqlite/search/search_recent.h"
#include "store/turn.h"

static const char sql_add[] =
	"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
	"VALUES (?,?,?,?,?,?,?,?)";

int message_row_add(struct conn *c, struct message_place at, struct id id, struct str body)
{
	struct db_bind b = conn_bind(c, sql_add);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, at.owner);
	db_bind_int(&b, at.conversation);
	db_bind_int(&b, at.prev);
	db_bind_int(&b, at.run);
	db_bind_int(&b, at.created_ms);
	db_bind_text(&b, body);
	return db_bind_run(&b);
}

/* Stored numbers; a new status goes to the end. */
_Static_assert(RUN_QUEUED == 0 && RUN_RUNNING == 1 && RUN_COMPLETED == 2 && RUN_INCOMPLETE == 3 &&
		       RUN_FAILED == 4 && RUN_CANCELLED == 5,
	       "run.status is stored as a number");

static const char sql_find_run[] =
	"SELECT owner, conversation, parent, status, events_from FROM run "
	"WHERE id = ? AND secret = ?";
static const char sql_end_run[] =
	"UPDATE run SET status = ?2, first_token_ms = ?3, completed_ms = ?4, attempts = ?5, "
	"last_seq = ?6, finish_reason = ?7, error = ?8, usage_estimated = ?9, usage_in = ?10, "
	"usage_out = ?11, usage_cached_read = ?12, usage_cached_write = ?13, "
	"usage_reasoning = ?14, events_to = ?15, provider = coalesce(?16, provider), "
	"native_reason = ?17, cost_nano = ?18, attempt_log = coalesce(?19, attempt_log), "
	"executions = coalesce(?20, executions), "
	"bill_model = NULL, bill_dropped = NULL, "
	"bill_in = NULL, bill_price_in = NULL, bill_price_out = NULL WHERE id = ?1";

/* The conversation's row in a list.  Nothing of it is in an index. */
static const char sql_end_row[] =
	"UPDATE conversation SET messages = messages + ?2, excerpt = ifnull(?3, excerpt), "
	"cost_nano = iif(?4 IS NULL, cost_nano, ifnull(cost_nano, 0) + ?4), "
	"target = ifnull(?5, target) WHERE id = ?1";

/* The run's own columns say where the answer belongs. */
static int turn_end_find_run(struct session *s, struct turn_end *j, struct message_place *ret,
			     int64_t *ret_events_from)
{
	struct db_bind b = conn_bind(s->conn, sql_find_run);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such run");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;

	*ret = (struct message_place){ db_int(st, 0), db_int(st, 1), db_int(st, 2), j->run.key,
				       j->completed_ms };
	bool live = db_int(st, 3) <= RUN_RUNNING;
	*ret_events_from = db_int(st, 4);
	(void)sqlite3_reset(st);
	if (!live)
		err_set(&j->job.err, ERR_INTERNAL, "", "this run has ended already");
	return SQLITE_OK;
}

static int turn_end_run(struct session *s, const struct turn_end *j, int64_t events_to)
{
	const struct usage *u = &j->usage;
	struct db_bind      b = conn_bind(s->conn, sql_end_run);

	db_bind_int(&b, j->run.key);
	db_bind_int(&b, (int64_t)j->status);
	db_bind_int(&b, j->first_token_ms);
	db_bind_int(&b, j->completed_ms);
	db_bind_int(&b, j->attempts);
	db_bind_int(&b, (int64_t)j->last_seq);
	db_bind_maybe(&b, j->finish_reason);
	db_bind_maybe(&b, j->error);
	if (u->known || u->estimated)
		db_bind_int(&b, u->known ? 0 : 1);
	else
		db_bind_null(&b);
	db_bind_int(&b, u->in);
	db_bind_int(&b, u->out);
	db_bind_int(&b, u->cached_read);
	db_bind_int(&b, u->cached_write);
	db_bind_int(&b, u->reasoning);
	db_bind_int(&b, events_to);
	db_bind_maybe(&b, j->provider);
	db_bind_maybe(&b, j->native_reason);
	if (j->costs)
		db_bind_int(&b, j->cost_nano);
	else
		db_bind_null(&b);
	db_bind_maybe(&b, j->attempt_log);
	db_bind_maybe(&b, j->executions);
	return db_bind_run(&b);
}

static int turn_end_row(struct session *s, const struct turn_end *j, int64_t conversation)
{
	struct excerpt x;

	if (j->answer.n == 0 && !j->costs && !j->target)
		return SQLITE_OK;
	excerpt_read(&x, j->answer);
	struct db_bind b = conn_bind(s->conn, sql_end_row);
	db_bind_int(&b, conversation);
	db_bind_int(&b, j->answer.n > 0);
	db_bind_maybe(&b, excerpt_text(&x));
	if (j->costs)
		db_bind_int(&b, j->cost_nano);
	else
		db_bind_null(&b);
	if (j->target)
		db_bind_int(&b, j->target);
	else
		db_bind_null(&b);
	return db_bind_run(&b);
}

int turn_end(struct session *s, struct turn_end *j)
{
	struct message_place at = { 0 };
	int64_t              from = 0;
	int64_t              to = 0;
	int                  rc = SQLITE_OK;

	/* The conversation may be deleted by now, but the cost still counts. */
	if (j->note && j->note->reserved)
		rc = budgets_settle(s->conn, j->note);
	if (rc == SQLITE_OK)
		rc = turn_end_find_run(s, j, &at, &from);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	if (j->answer.n > 0)
		rc = message_row_add(s->conn, at, j->run, j->answer);
	if (rc == SQLITE_OK)
		rc = events_close(&s->events, j->run, from, j->events, &to);
	if (rc == SQLITE_OK && j->planned) {
		rc = events_erase(&s->events, j->run.key, from, to);
		to = 0;
	}
	if (rc == SQLITE_OK)
		rc = turn_end_run(s, j, to);
	if (rc == SQLITE_OK)
		rc = turn_end_row(s, j, at.conversation);
	if (rc == SQLITE_OK)
		rc = answer_row_end(s->conn, j);
	if (rc == SQLITE_OK)
		rc = search_queue_run(&s->search, j->run.key);
	if (rc == SQLITE_OK)
		search_recent_end(s->search.recent, j->run, j->answer);
	return rc;
}

/* A run without a stored end would look alive for ever, and keep its reservation. */
static void turn_end_unstored(struct session *s, struct store_job *job)
{
	unfinished_end(s->unfinished, container_of(job, struct turn_end, job));
}

OP_WITH(turn_end, turn_end, .unstored = turn_end_unstored);
