/* One call for each Idempotency-Key: a client of the claims (desk/claims) and of the kept answers
 * (store/answer).
 *
 *   claim --first--> LOOKING in the store --unknown--> (TAKING it there) --> the call
 *     |                 |
 *     |                 +--known--> its answer once more
 *     +--watched--> WAITING --the call's events, its failure or its answer */
#include "base/clock.h"
#include "base/limits.h"
#include "call/idem.h"
#include "call/internal.h"
#include "desk/answer_slot.h"
#include "desk/cuts.h"
#include "desk/live.h"
#include "store/answer.h"
#include "store/store.h"

#include <stdlib.h>

enum {
	AGAIN_US = 50 * 1000,
	LEAVING = 6, /* looks for a claim that is given back just now */
};

struct keyed {
	struct door_call    *call; /* NULL: it was left, or goes on without its key */
	const struct door   *door;
	struct call_request *rq; /* owned; NULL: the call goes on with it */
	struct answer_slot
		*slot; /* owned until the call goes on; without a claim, another request has it */
	struct claim_watch watch;
	bool               watching;
	bool               leaving; /* it leaves the watch, to claim again */
	struct answer_find read;
	struct claim_take  take;
	struct timer       again;   /* until the other process has news of its call */
	bool               reading; /* a job is out */
	unsigned           looks;   /* at another request's claim */
};

/* --- ends --- */

static void keyed_destroy(struct keyed *x)
{
	if (x->rq)
		door_drop(x->rq);
	buf_finish(&x->read.bytes);
	free(x);
}

static void keyed_watch_gone(struct claim_watch *w)
{
	keyed_destroy(container_of(w, struct keyed, watch));
}

static void keyed_dispose(struct keyed *x)
{
	answer_slot_end(TAKE(x->slot), CLAIM_FREED, NULL);
	timer_stop(x->door->loop, &x->again);
	if (x->watching)
		claim_leave(&x->watch);
	else
		keyed_destroy(x);
}

void keyed_leave(struct keyed *x)
{
	x->call = NULL;
	atomic_store_explicit(&x->read.job.cancelled, true, memory_order_relaxed);
	if (!x->reading && !x->leaving)
		keyed_dispose(x);
}

static void keyed_refuse(struct keyed *x, const struct err *e)
{
	door_limits(x->call, x->rq);
	door_refuse(TAKE(x->call), e);
	keyed_dispose(x);
}

static void refuse_other(struct keyed *x)
{
	struct err e;

	answer_refuse_other(&e);
	keyed_refuse(x, &e);
}

/* --- what the store knows --- */

static void answer_kept(struct keyed *x)
{
	answer_slot_end(TAKE(x->slot), CLAIM_KEPT, NULL);
	earlier_start(TAKE(x->call), x->rq, &x->read);
	keyed_dispose(x);
}

static void keyed_call(struct keyed *x)
{
	struct call_request *rq = TAKE(x->rq);

	rq->caller.slot = TAKE(x->slot);
	door_admit(TAKE(x->call), rq);
	keyed_dispose(x);
}

static void keyed_claim(struct keyed *x);

static void keyed_look(struct keyed *x);

static void keyed_on_again(struct timer *t)
{
	keyed_look(container_of(t, struct keyed, again));
}

/* is_taken_up: the call was another process's, and goes on here, or will. */
static bool is_taken_up(const struct keyed *x)
{
	struct live live;

	return cuts_has(x->read.run) || live_look(x->read.run, x->rq->caller.owner, &live);
}

/* is_beside: the call belongs to another process that is still making its answer, which can't be
 * followed from here, or was such a one's. */
static bool is_beside(const struct keyed *x)
{
	struct store *s = x->door->store;
	bool          shown = x->rq->manner.background ? x->read.stored
						       : x->rq->what.prompt.stream && x->read.begun;

	return x->slot->claim && x->read.answer.http == 0 && x->read.outcome <= RUN_RUNNING &&
	       !shown && (store_is_shared(s) || store_peer_alive(s) || is_taken_up(x));
}

/* is_leaving: the key is claimed by another request's call that is not stored yet.  If that call has
 * failed, the key is given back within a moment. */
static bool is_leaving(struct keyed *x)
{
	return x->slot->claim && !x->read.same && x->read.answer.http == 0 &&
	       x->read.outcome == RUN_QUEUED && ++x->looks < LEAVING;
}

static void keyed_on_taken(struct store_job *job)
{
	struct keyed *x = container_of(job, struct keyed, take.job);

	x->reading = false;
	/* After an error nobody knows whether it was taken. */
	if (x->take.taken || job->err.code != ERR_OK) {
		x->slot->taken = x->take.claim;
		x->slot->holder = x->take.holder;
	}
	if (!x->call)
		keyed_dispose(x);
	else if (job->err.code != ERR_OK)
		keyed_refuse(x, &job->err);
	else if (x->take.taken)
		keyed_call(x);
	else
		timer_start(x->door->loop, &x->again, AGAIN_US);
}

/* keyed_take: where other processes may get the same key at the same moment, one of them takes it. */
static void keyed_take(struct keyed *x)
{
	struct err e;

	x->take = (struct claim_take){
		.job = { .loop = x->door->loop, .done = keyed_on_taken },
		.owner = x->rq->caller.owner,
		.created_ms = clock_wall_ms(),
		.claim = id_new(),
		.key = answer_slot_name(x->slot),
	};
	x->reading = true;
	if (store_claim_take(x->door->store, &x->take))
		return;
	x->reading = false;
	err_set(&e, ERR_OVERLOADED, "", "too many writes are waiting; try again");
	keyed_refuse(x, &e);
}

static void keyed_on_read(struct store_job *job)
{
	struct keyed *x = container_of(job, struct keyed, read.job);

	x->reading = false;
	if (!x->call)
		keyed_dispose(x);
	else if (job->err.code != ERR_OK)
		keyed_refuse(x, &job->err);
	else if (x->read.found && is_leaving(x))
		timer_start(x->door->loop, &x->again, AGAIN_US);
	else if (x->read.found && !x->read.same)
		refuse_other(x);
	else if (x->read.found && is_beside(x))
		timer_start(x->door->loop, &x->again, AGAIN_US);
	else if (x->read.found)
		answer_kept(x);
	else if (x->slot->claim && store_is_shared(x->door->store))
		keyed_take(x);
	else if (x->slot->claim)
		keyed_call(x);
	else
		keyed_claim(x); /* the key has just expired */
}

static void keyed_look(struct keyed *x)
{
	struct err e;

	buf_finish(&x->read.bytes);
	x->read = (struct answer_find){
		.job = { .loop = x->door->loop, .done = keyed_on_read },
		.owner = x->rq->caller.owner,
		.key = answer_slot_name(x->slot),
	};
	buf_init(&x->read.bytes, LIMIT_STORE_ROW);
	x->reading = true;
	if (store_answer_find(x->door->store, &x->read))
		return;
	x->reading = false;
	err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting; try again");
	keyed_refuse(x, &e);
}

/* --- another request's call --- */

/* keyed_follow: follows the run if it can be read while it is running; otherwise waits for its
 * end. */
static void keyed_follow(struct keyed *x)
{
	x->read.run = x->watch.run;
	x->read.stored = x->rq->manner.store;
	x->read.outcome = RUN_RUNNING;
	x->read.conversation = x->watch.conversation;
	if (!earlier_follow(x->call, x->rq, &x->read))
		return;
	x->call = NULL;
	keyed_dispose(x);
}

static void watch_gone_claim(struct claim_watch *w)
{
	struct keyed *x = container_of(w, struct keyed, watch);

	x->leaving = false;
	if (x->call)
		keyed_claim(x);
	else
		keyed_destroy(x);
}

static void keyed_on_news(struct claim_watch *w)
{
	struct keyed *x = container_of(w, struct keyed, watch);

	if (!x->call || x->reading)
		return;
	switch (x->watch.stage) {
	case CLAIM_STARTING: break;
	case CLAIM_DISPATCHED:
		if (x->rq->manner.background)
			keyed_follow(x);
		break;
	case CLAIM_COMMITTED: keyed_follow(x); break;
	case CLAIM_KEPT: keyed_look(x); break;
	case CLAIM_FREED:
		if (x->watch.err.code != ERR_OK)
			keyed_refuse(x, &x->watch.err);
		else
			keyed_claim(x);
		break;
	}
}

static void keyed_claim(struct keyed *x)
{
	unsigned char digest[HASH_BYTES];
	struct err    e;

	if (x->watching) {
		x->watching = false;
		x->leaving = true;
		x->watch.gone = watch_gone_claim;
		claim_leave(&x->watch);
		return;
	}
	x->watch = (struct claim_watch){ .loop = x->door->loop,
					 .fn = keyed_on_news,
					 .gone = keyed_watch_gone };
	idem_claim_name(x->rq->caller.owner, &x->slot->label, digest);
	switch (claim_digest(digest, x->slot->label.digest, &x->watch, &x->slot->claim)) {
	case CLAIM_FIRST: keyed_look(x); break;
	case CLAIM_WATCHED: x->watching = true; break;
	case CLAIM_OTHER: refuse_other(x); break;
	case CLAIM_NO_MEMORY:
		err_set(&e, ERR_OVERLOADED, "", "no memory for the call");
		keyed_refuse(x, &e);
		break;
	}
}

/* --- the request --- */

void keyed_start(struct door_call *c, struct call_request *rq)
{
	struct err    e;
	struct keyed *x = calloc(1, sizeof *x);

	if (x)
		x->slot = answer_slot_create(rq->caller.key);
	if (!x || !x->slot) {
		free(x);
		door_drop(rq);
		err_set(&e, ERR_OVERLOADED, "", "no memory for the call");
		door_refuse(c, &e);
		return;
	}
	x->call = c;
	x->door = c->door;
	x->rq = rq;
	x->again.fn = keyed_on_again;
	c->phase = DOOR_KEYED;
	c->keyed = x;
	keyed_claim(x);
}
