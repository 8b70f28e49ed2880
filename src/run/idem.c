/* What an idempotency key is bound to: nothing until the provider begins to answer, then the run,
 * and at the run's end the answer.  The answer of a stored stream is in the event log.  The answer
 * of any other call, plain or streamed, is what the first client's reader has printed. */
#include "base/limits.h"
#include "run/internal.h"
#include "store/idem.h"

bool run_idem_recorded(const struct run *r)
{
	return r->rq.claim && !run_stored(r) && r->rq.prompt.stream;
}

bool run_idem_waits(const struct run *r)
{
	if (!r->rq.claim || !r->committed || !r->rq.prompt.stream || r->state == STATE_ENDED)
		return false;
	return run_stored(r) ? !journal_begun(r) : r->jobs->marking;
}

struct store_idem run_idem_of(const struct run *r)
{
	if (!r->rq.claim)
		return (struct store_idem){ .key = STR_NONE };

	const struct idem_name *name = idem_name(r->rq.claim);
	return (struct store_idem){
		.key = str_of(name->key),
		.fingerprint = { (const char *)name->fingerprint, sizeof name->fingerprint },
	};
}

static struct idem_keep keep_of(struct run *r, void (*done)(struct store_job *job))
{
	return (struct idem_keep){
		.job = { .loop = run_loop(r), .done = done },
		.owner = r->rq.owner,
		.created_ms = r->created_ms,
		.run = r->id,
		.key = run_idem_of(r),
		.outcome = RUN_RUNNING,
	};
}

static void on_marked(struct store_job *job)
{
	struct run *r = container_of(job, struct run_jobs, mark.job)->run;

	r->jobs_out--;
	r->jobs->marking = false;
	if (r->state != STATE_ENDED) {
		run_idem_release(r);
		feed_release(r);
	}
	run_free_if_over(r);
}

/* mark: tells the store that an unstored stream has begun, so that a retry after a kill makes no
 * second call.  A stored run needs no mark, because its log says the same.  A plain call needs
 * none, because its client gets nothing before the store has the whole answer.  The claim's bytes
 * outlive this job: a later job, `keep`, comes before the run's end. */
static void mark(struct run *r)
{
	r->jobs->mark = keep_of(r, on_marked);
	r->jobs_out++;
	r->jobs->marking = store_idem_keep(r->engine->o.store, &r->jobs->mark);
	if (!r->jobs->marking)
		r->jobs_out--;
}

void run_idem_commit(struct run *r)
{
	if (r->committed)
		return;
	r->committed = true;
	if (!r->rq.claim)
		return;
	if (run_idem_recorded(r))
		mark(r);
	run_idem_release(r);
}

void run_idem_release(struct run *r)
{
	if (r->rq.claim && r->committed && !run_idem_waits(r))
		idem_reach(r->rq.claim, IDEM_COMMITTED, r->id, r->conversation);
}

struct idem_answer run_idem_answer(struct run *r)
{
	struct buf *body = &r->jobs->key_body;

	if (!r->rq.claim || !r->committed)
		return (struct idem_answer){ .http = 0 };
	/* A stream that failed before its status was sent was answered like a plain call, with an
	 * error: that answer is made below. */
	if (r->rq.prompt.stream &&
	    (r->failure.code == ERR_OK || r->headers_sent || r->headers_due || !r->observer)) {
		if (run_stored(r))
			return (struct idem_answer){ .http = 200 };
		feed_close(r);
		return (struct idem_answer){ .http = 200, .body = buf_view(&r->feed.out) };
	}
	if (r->failure.code == ERR_OK) {
		if (print_whole(r))
			return (struct idem_answer){ .http = 200, .body = buf_view(&r->feed.out) };
		err_set(&r->failure, ERR_OVERLOADED, "", "no memory for the answer");
	}
	buf_clear(body);
	if (!r->rq.family->error(&r->failure, str_of(r->request_id), body))
		buf_clear(body);
	return (struct idem_answer){ .http = err_http(&r->failure), .body = buf_view(body) };
}

static void on_kept(struct store_job *job)
{
	struct run *r = container_of(job, struct run_jobs, keep.job)->run;

	r->jobs_out--;
	/* The client gets its answer even if the store could not keep it, because the call did not
	 * ask to be stored.  The key is free again. */
	if (job->err.code != ERR_OK)
		r->committed = false;
	run_conclude(r);
}

bool run_idem_save(struct run *r)
{
	if (run_stored(r) || !r->rq.claim || !r->committed)
		return false;
	run_move(r, STATE_ENDING);
	r->jobs->keep = keep_of(r, on_kept);
	r->jobs->keep.answer = run_idem_answer(r);
	r->jobs->keep.outcome = r->outcome;
	r->jobs_out++;
	if (!store_idem_keep(r->engine->o.store, &r->jobs->keep)) {
		r->jobs_out--;
		r->committed = false;
		run_conclude(r);
	}
	return true;
}

void run_idem_over(struct run *r)
{
	const struct err *e = r->failure.code != ERR_OK ? &r->failure : NULL;

	if (!r->rq.claim)
		return;
	/* An answer that could not be stored can't be replayed, so the key is free again. */
	if (r->committed && !(e && e->code == ERR_STORAGE))
		idem_over(TAKE(r->rq.claim), IDEM_KEPT, NULL);
	else
		idem_over(TAKE(r->rq.claim), IDEM_FREED, e);
}
