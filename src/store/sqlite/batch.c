/* One transaction of the writer, repeated without the jobs whose own data makes it fail. */
#include "store/sqlite/threads.h"

#include "base/clock.h"
#include "store/sqlite/op.h"
#include "store/common/salvage.h"
#include "store/sqlite/turn_end.h"

/* A probe needs about as much room as a batch, so that its success promises that of a batch. */
static const char sql_put_probe[] =
	"INSERT OR REPLACE INTO probe (id, data) VALUES (1, zeroblob(65536))";
static const char sql_clear_probe[] = "DELETE FROM probe";

/* A removed file accepts writes, but nobody can find them again; they must not be acknowledged. */
static int commit_batch(struct batch *b)
{
	struct session *s = b->session;

	if (moved_look(b->moved))
		return SQLITE_READONLY_DBMOVED;

	int64_t from = clock_mono_us();
	int     rc = session_commit(s);

	if (rc != SQLITE_OK)
		return rc;
	b->commit_us = clock_mono_us() - from;
	unfinished_written(s->unfinished);
	if (s->search.noted > 0)
		search_wake(b->search, s->search.noted, s->search.gone);
	s->erased |= s->search.gone;
	search_queue_told(&s->search);
	return SQLITE_OK;
}

static bool may_relax(const struct batch *b)
{
	if (b->probe || unfinished_count(b->session->unfinished) > 0)
		return false;
	for (size_t i = 0; i < b->count; i++)
		if (!op_is_relaxed(b->jobs[i]))
			return false;
	return true;
}

static void roll_back(struct session *s)
{
	conn_rollback(s->conn);
	session_forget(s);
}

static int run_job(struct session *s, struct store_job *job)
{
	job->err = (struct err){ .code = ERR_OK };
	job->unchanged = false;
	int rc = op_of(job)->run(s, job);
	return rc == SQLITE_OK && job->audit ? audit_put(s->conn, job) : rc;
}

/* On an error, *ret_at is the index of the job that caused it, or b->count if no job did. */
static int try_batch(struct batch *b, size_t *ret_at)
{
	struct session *s = b->session;
	int             rc = conn_relax(s->conn, may_relax(b));

	*ret_at = b->count;
	if (rc == SQLITE_OK)
		rc = conn_begin_write(s->conn);
	if (rc == SQLITE_OK)
		rc = events_refresh(&s->events);
	if (rc == SQLITE_OK && b->probe)
		rc = conn_run(s->conn, sql_put_probe);
	for (size_t i = 0; rc == SQLITE_OK && i < b->count; i++) {
		rc = run_job(s, b->jobs[i]);
		if (rc != SQLITE_OK)
			*ret_at = i;
	}
	if (rc == SQLITE_OK)
		rc = unfinished_write(s);
	if (rc == SQLITE_OK)
		rc = commit_batch(b);
	if (rc == SQLITE_OK && b->probe)
		rc = conn_run(s->conn, sql_clear_probe);
	return rc;
}

static void note_problem(struct batch *b, int rc)
{
	b->reason = db_reason(rc);
	if (rc == SQLITE_READONLY_DBMOVED)
		moved_problem(b->moved, b->problem, sizeof b->problem);
	else
		db_problem(b->session->conn->db, rc, b->problem, sizeof b->problem);
}

static void finish_job(struct batch *b, struct store_job *job, int rc)
{
	const struct op *op = op_of(job);

	if (rc != SQLITE_OK) {
		db_refuse(rc, &job->err);
		if (op->unstored)
			op->unstored(b->session, job);
	}
	job->next = NULL;
	*b->done_end = job;
	b->done_end = &job->next;
}

int batch_run(struct batch *b)
{
	const struct unfinished *u = b->session->unfinished;
	size_t                   at;
	size_t                   left = unfinished_count(u);

	b->probe = b->count == 0;
	b->done = NULL;
	b->done_end = &b->done;

	int rc = try_batch(b, &at);
	/* Repeats the transaction without the culprit: a job, or an unfinished end or settlement,
	 * which unfinished_write has forgotten. */
	while (rc != SQLITE_OK && db_own_fault(rc) &&
	       (at < b->count || unfinished_count(u) < left)) {
		roll_back(b->session);
		if (at < b->count) {
			finish_job(b, b->jobs[at], rc);
			b->count--;
			memmove(&b->jobs[at], &b->jobs[at + 1], (b->count - at) * sizeof *b->jobs);
		}
		left = unfinished_count(u);
		rc = try_batch(b, &at);
	}
	if (rc != SQLITE_OK) {
		note_problem(b, rc);
		roll_back(b->session);
	}
	for (size_t i = 0; i < b->count; i++)
		finish_job(b, b->jobs[i], rc);
	return rc;
}
