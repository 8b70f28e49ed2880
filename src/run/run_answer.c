/* The name under which a run's answer is kept: it stands for nothing until the provider begins to
 * answer, then for the run, and at the run's end for the answer.  The answer of a stored stream is in
 * the event log.  The answer of any other call, plain or streamed, is what the first client's reader
 * has printed. */
#include "base/limits.h"
#include "run/internal.h"
#include "store/answer.h"

#include <stdlib.h>

bool run_answer_waits(const struct run *r)
{
	if (!r->slot || !r->committed || !r->given.stream || r->state == STATE_ENDED)
		return false;
	return run_stored(r) ? !journal_begun(r) : r->jobs->marking;
}

/* run_answer_name: the name as the store takes it; key.n 0: none. */
static struct answer_name run_answer_name(const struct run *r)
{
	return r->slot ? answer_slot_name(r->slot) : (struct answer_name){ .key = STR_NONE };
}

void run_answer_begin(const struct run *r, struct turn_begin *t)
{
	t->key = run_answer_name(r);
}

struct run_keep {
	struct run        *run;
	struct answer_keep keep;
};

/* submit_keep: false: no memory, or the queue is full. */
static bool submit_keep(struct run *r, struct kept_answer answer, enum run_status outcome,
			void (*done)(struct store_job *job))
{
	struct run_keep *x = malloc(sizeof *x);

	if (!x)
		return false;
	x->run = r;
	x->keep = (struct answer_keep){
		.job = { .loop = run_loop(r), .done = done },
		.owner = r->given.owner,
		.created_ms = r->given.created_ms,
		.run = r->names.id,
		.key = run_answer_name(r),
		.answer = answer,
		.outcome = outcome,
	};
	if (!store_answer_keep(r->engine->o.store, &x->keep)) {
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
		/* The refusal must not become the answer of a name that is free again by now. */
		answer_slot_end(TAKE(r->slot), CLAIM_FREED, &e);
		feed_forgo(r);
		run_finish(r, &e);
		return;
	}
	if (r->state != STATE_ENDED && e.code != ERR_KEY_LOST) {
		run_answer_release(r);
		feed_release(r);
	}
	run_free_if_over(r);
}

/* mark_begun: tells the store that an unstored stream has begun, so that a retry after a kill makes no
 * second call.  A stored run needs no mark, because its log says the same.  A plain call needs
 * none, because its client gets nothing before the store has the whole answer.  The slot's bytes
 * outlive this job: a later job, `keep`, comes before the run's end, or the run waits for this one. */
static void mark_begun(struct run *r)
{
	r->jobs->marking =
		submit_keep(r, (struct kept_answer){ .http = 0 }, RUN_RUNNING, on_marked);
}

void run_answer_commit(struct run *r)
{
	if (r->committed)
		return;
	r->committed = true;
	if (!r->slot)
		return;
	if (run_answer_recorded(r))
		mark_begun(r);
	run_answer_release(r);
}

void run_answer_release(struct run *r)
{
	if (r->slot && r->committed && !run_answer_waits(r))
		claim_reach(r->slot->claim, CLAIM_COMMITTED, r->names.id, r->names.conversation);
}

/* run_answer_kept: the answer for those who ask later; empty where the name is free again. */
static struct kept_answer run_answer_kept(struct run *r)
{
	struct buf *body = &r->jobs->key_body;

	if (!r->slot || !r->committed)
		return (struct kept_answer){ .http = 0 };
	/* A stream that failed before its status was sent was answered like a plain call, with an
	 * error: that answer is made below. */
	if (r->given.stream &&
	    (!r->failure || r->feed.headers_sent || r->feed.headers_due || !r->observer)) {
		if (run_stored(r))
			return (struct kept_answer){ .http = 200 };
		feed_close(r);
		return (struct kept_answer){ .http = 200, .body = buf_view(&r->feed.reader.out) };
	}
	if (!r->failure) {
		if (print_whole(r))
			return (struct kept_answer){ .http = 200,
						     .body = buf_view(&r->feed.reader.out) };
		run_fail(r, ERR_OVERLOADED, "no memory for the answer");
	}
	buf_clear(body);
	if (!r->given.family->error(r->failure, str_of(r->given.request_id), body))
		buf_clear(body);
	return (struct kept_answer){ .http = family_http(r->given.family, r->failure),
				     .body = buf_view(body) };
}

/* run_answer_again: that of a run that was taken up: the log has its stream; a plain answer is kept in the words of
 * its client. */
static struct kept_answer run_answer_again(struct run *r)
{
	if (!r->committed || (r->given.plain && (r->failure || !print_plain(r))))
		return (struct kept_answer){ .http = 0 };
	return (struct kept_answer){ .http = 200,
				     .body = r->given.plain ? buf_view(&r->feed.reader.out)
							    : STR_NONE };
}

void run_answer_end(struct run *r, struct run_end *x)
{
	x->turn.keyed = r->slot || r->given.restarted;
	x->turn.kept_answer = r->given.restarted ? run_answer_again(r) : run_answer_kept(r);
}

static void on_kept(struct store_job *job)
{
	struct err  e;
	struct run *r = keep_back(job, &e);

	/* The client gets its answer even if the store could not keep it, because the call did not
	 * ask to be stored.  The name is free again.  But if it has another answer, the client is
	 * told so, unless it has a part of this one. */
	if (e.code != ERR_OK)
		r->committed = false;
	if (e.code == ERR_KEY_LOST && !r->feed.headers_sent) {
		feed_forgo(r);
		run_set_failure(r, &e);
	}
	run_conclude(r);
}

bool run_answer_save(struct run *r, const struct run_ending *x)
{
	if (!x->called || run_stored(r) || !r->slot || !r->committed)
		return false;
	run_move(r, STATE_ENDING);
	struct kept_answer answer = run_answer_kept(r);
	/* A stream that lacks its last block is not given again. */
	if (r->feed.reader.cut || !submit_keep(r, answer, r->outcome, on_kept)) {
		r->committed = false;
		/* The writer may still read the slot, which goes with the run's end. */
		r->jobs->unkept = r->jobs->marking;
		if (!r->jobs->unkept)
			run_conclude(r);
	}
	return true;
}

void run_answer_over(struct run *r)
{
	const struct err *e = r->failure;

	if (!r->slot)
		return;
	/* An answer that could not be stored can't be replayed, so the name is free again. */
	if (r->committed && !(e && e->code == ERR_STORAGE))
		answer_slot_end(TAKE(r->slot), CLAIM_KEPT, NULL);
	else
		answer_slot_end(TAKE(r->slot), CLAIM_FREED, e);
}

bool run_answer_stops(struct run *r, const struct run_ending *x)
{
	/* Whoever has nothing of the answer, because a hook had no verdict, is told to try again. */
	bool again = x->e && r->failure->code == ERR_HOOK_UNAVAILABLE &&
		     !(r->given.stream && r->committed);

	if (again)
		r->committed = false;
	/* A retry of any other request would cost again, so this end is kept. */
	else if (r->attempt.spent)
		run_answer_commit(r);
	return false;
}
