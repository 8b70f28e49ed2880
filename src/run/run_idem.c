/* An idempotency key's binding: to nothing until the provider begins to answer, then to the run, and
 * at the run's end to the answer.  The answer of a stored stream is in the event log.  The answer of
 * any other call, plain or streamed, is what the first client's reader has printed. */
#include "base/limits.h"
#include "run/internal.h"
#include "store/idem.h"

#include <stdlib.h>

bool run_idem_recorded(const struct run *r)
{
	return r->claim && !run_stored(r) && r->given.stream;
}

bool run_idem_waits(const struct run *r)
{
	if (!r->claim || !r->committed || !r->given.stream || r->state == STATE_ENDED)
		return false;
	return run_stored(r) ? !journal_begun(r) : r->jobs->marking;
}

struct store_idem run_idem_of(const struct run *r)
{
	if (!r->claim)
		return (struct store_idem){ .key = STR_NONE };

	const struct idem_name *name = idem_name(r->claim);
	return (struct store_idem){
		.key = str_of(name->key),
		.fingerprint = { (const char *)name->fingerprint, sizeof name->fingerprint },
		.holder = idem_holder(r->claim),
	};
}

struct run_keep {
	struct run      *run;
	struct idem_keep keep;
};

/* submit_keep: false: no memory, or the queue is full. */
static bool submit_keep(struct run *r, struct idem_answer answer, enum run_status outcome,
			void (*done)(struct store_job *job))
{
	struct run_keep *x = malloc(sizeof *x);

	if (!x)
		return false;
	x->run = r;
	x->keep = (struct idem_keep){
		.job = { .loop = run_loop(r), .done = done },
		.owner = r->given.owner,
		.created_ms = r->given.created_ms,
		.run = r->names.id,
		.key = run_idem_of(r),
		.answer = answer,
		.outcome = outcome,
	};
	if (!store_idem_keep(r->engine->o.store, &x->keep)) {
		free(x);
		return false;
	}
	run_hold(r);
	return true;
}

/* keep_back: the job is over; returns its run and the job's error. */
static struct run *keep_back(struct store_job *job, struct err *ret)
{
	struct run_keep *x = container_of(job, struct run_keep, keep.job);
	struct run      *r = x->run;

	*ret = job->err;
	free(x);
	run_release(r);
	return r;
}

static void on_marked(struct store_job *job)
{
	struct err  e;
	struct run *r = keep_back(job, &e);

	r->jobs->marking = false;
	if (r->jobs->unkept) {
		run_conclude(r);
		return;
	}
	/* Later, the answer to the end says it once more. */
	if (e.code == ERR_KEY_LOST && r->state == STATE_STREAMING && r->call) {
		/* The refusal must not become the answer of a key that is free again by now. */
		idem_over(TAKE(r->claim), IDEM_FREED, &e);
		r->feed.headers_due = false;
		run_finish(r, &e);
		return;
	}
	if (r->state != STATE_ENDED && e.code != ERR_KEY_LOST) {
		run_idem_release(r);
		feed_release(r);
	}
	run_free_if_over(r);
}

/* mark_begun: tells the store that an unstored stream has begun, so that a retry after a kill makes no
 * second call.  A stored run needs no mark, because its log says the same.  A plain call needs
 * none, because its client gets nothing before the store has the whole answer.  The claim's bytes
 * outlive this job: a later job, `keep`, comes before the run's end, or the run waits for this one. */
static void mark_begun(struct run *r)
{
	r->jobs->marking =
		submit_keep(r, (struct idem_answer){ .http = 0 }, RUN_RUNNING, on_marked);
}

void run_idem_commit(struct run *r)
{
	if (r->committed)
		return;
	r->committed = true;
	if (!r->claim)
		return;
	if (run_idem_recorded(r))
		mark_begun(r);
	run_idem_release(r);
}

void run_idem_release(struct run *r)
{
	if (r->claim && r->committed && !run_idem_waits(r))
		idem_reach(r->claim, IDEM_COMMITTED, r->names.id, r->names.conversation);
}

struct idem_answer run_idem_answer(struct run *r)
{
	struct buf *body = &r->jobs->key_body;

	if (!r->claim || !r->committed)
		return (struct idem_answer){ .http = 0 };
	/* A stream that failed before its status was sent was answered like a plain call, with an
	 * error: that answer is made below. */
	if (r->given.stream &&
	    (!r->failure || r->feed.headers_sent || r->feed.headers_due || !r->observer)) {
		if (run_stored(r))
			return (struct idem_answer){ .http = 200 };
		feed_close(r);
		return (struct idem_answer){ .http = 200, .body = buf_view(&r->feed.reader.out) };
	}
	if (!r->failure) {
		if (print_whole(r))
			return (struct idem_answer){ .http = 200,
						     .body = buf_view(&r->feed.reader.out) };
		run_fail(r, ERR_OVERLOADED, "no memory for the answer");
	}
	buf_clear(body);
	if (!r->given.family->error(r->failure, str_of(r->given.request_id), body))
		buf_clear(body);
	return (struct idem_answer){ .http = family_http(r->given.family, r->failure),
				     .body = buf_view(body) };
}

static void on_kept(struct store_job *job)
{
	struct err  e;
	struct run *r = keep_back(job, &e);

	/* The client gets its answer even if the store could not keep it, because the call did not
	 * ask to be stored.  The key is free again.  But if the key has another answer, the client is
	 * told so, unless it has a part of this one. */
	if (e.code != ERR_OK)
		r->committed = false;
	if (e.code == ERR_KEY_LOST && !r->feed.headers_sent) {
		r->feed.headers_due = false;
		err_keep(&r->failure, &e);
	}
	run_conclude(r);
}

bool run_idem_save(struct run *r, const struct run_ending *x)
{
	if (!x->called || run_stored(r) || !r->claim || !r->committed)
		return false;
	run_move(r, STATE_ENDING);
	struct idem_answer answer = run_idem_answer(r);
	/* A stream that lacks its last block is not given again. */
	if (r->feed.reader.cut || !submit_keep(r, answer, r->outcome, on_kept)) {
		r->committed = false;
		/* The writer may still read the claim, which goes with the run's end. */
		r->jobs->unkept = r->jobs->marking;
		if (!r->jobs->unkept)
			run_conclude(r);
	}
	return true;
}

void run_idem_over(struct run *r)
{
	const struct err *e = r->failure;

	if (!r->claim)
		return;
	/* An answer that could not be stored can't be replayed, so the key is free again. */
	if (r->committed && !(e && e->code == ERR_STORAGE))
		idem_over(TAKE(r->claim), IDEM_KEPT, NULL);
	else
		idem_over(TAKE(r->claim), IDEM_FREED, e);
}

bool run_idem_stops(struct run *r, const struct run_ending *x)
{
	(void)x;
	/* A retry of this request would cost again, so the idempotency key keeps this end. */
	if (r->attempt.spent)
		run_idem_commit(r);
	return false;
}
