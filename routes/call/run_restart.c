/* Takes up the runs that were left without an end and may go on.
 *
 *   run_take --> its log --> the request is made again --> run_restart
 *      |                            |                          |
 *      +--> another has it          +--> it can't go on <------+
 *                                           |
 *                                           +--> its end, as recovery makes it
 *
 * A run is taken once: whatever stops the gateway from then on, recovery ends it at the next start. */
#include "routes/kit/gateway.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "call/admission.h"
#include "call/door.h"
#include "desk/admit.h"
#include "desk/cuts.h"
#include "desk/live.h"
#include "desk/watch.h"
#include "json/input.h"
#include "run/assemble.h"
#include "run/plan.h"
#include "shape/family.h"
#include "store/cut_off.h"

#include <stdlib.h>

enum {
	RESTARTS_MOST = 8,      /* on their way at once */
	RESTART_LOG = 64 * MIB, /* a longer log is not gone on with */
	RESTART_PAGE = MIB,
	RESTART_TOKEN_BYTES = 4,
	RESTART_AGAIN_US = 1000 * 1000, /* until a store that fails, or a limit, is asked again */
	RESTART_WAITS_US = 60 * RESTART_AGAIN_US, /* for a place among the calls */
};

struct restarts {
	struct restarts_options o;
	struct cuts_listener    listener;
	size_t                  busy;
	size_t                  parked; /* wait for a place among the calls */
	size_t                  parked_bytes;
	bool                    stopped;
};

struct restart {
	struct restarts     *owner;
	struct run_take      take;
	struct events_read   read;
	struct timer         again;
	struct buf           log;    /* the data of the pieces */
	struct events_piece *pieces; /* owned */
	size_t               piece_count;
	bool                 short_of; /* not all of the log is there */
	struct call_request *rq;       /* owned, as the next; NULL: not made, or a run has it */
	struct identity     *who;
	struct admit_wait    place;
	int64_t              until_us; /* the end of the wait for it */
	int64_t              tokens;   /* its part of the limits */
	struct rate_view     limits;
	bool                 parked;
	struct buf           answer;
	struct buf           error;
	struct turn_end      end;
	struct budget_settle settle;
};

static void restart_next(struct restarts *x);

static bool restarts_rest(const struct restarts *x)
{
	return x->stopped || atomic_load(x->o.gateway->draining);
}

/* restart_park: others go on while it waits, as long as the logs take no more memory than one may. */
static void restart_park(struct restart *x)
{
	struct restarts *owner = x->owner;

	if (x->parked || x->log.len > RESTART_LOG - owner->parked_bytes)
		return;
	x->parked = true;
	owner->parked++;
	owner->parked_bytes += x->log.len;
	owner->busy--;
	restart_next(owner);
}

static void restart_unpark(struct restart *x)
{
	if (!x->parked)
		return;
	x->parked = false;
	x->owner->parked--;
	x->owner->parked_bytes -= x->log.len;
	x->owner->busy++;
}

static void restart_drop_request(struct restart *x)
{
	if (x->rq) {
		snapshot_release(x->rq->held);
		input_destroy(TAKE(x->rq)->input);
	}
	if (x->who)
		identity_release(TAKE(x->who));
}

static void restart_free(struct restart *x)
{
	struct restarts *owner = x->owner;

	restart_unpark(x);
	restart_drop_request(x);
	(void)cuts_over(x->take.run, x->take.owner);
	arena_finish(&x->take.arena);
	arena_finish(&x->read.arena);
	buf_finish(&x->log);
	buf_finish(&x->answer);
	buf_finish(&x->error);
	free(x->pieces);
	free(x);
	owner->busy--;
	restart_next(owner);
}

static const struct gateway *restart_gateway(const struct restart *x)
{
	return x->owner->o.gateway;
}

/* --- its end --- */

static void restart_on_settled(struct store_job *job)
{
	restart_free(container_of(job, struct restart, settle.job));
}

static void restart_on_ended(struct store_job *job)
{
	struct restart *x = container_of(job, struct restart, end.job);

	if (job->err.code != ERR_OK)
		log_note(LOG_WARN, "run_cut", "a run's end could not be stored yet: %s",
			 job->err.text);
	watch_notify(x->take.run);
	x->settle.job =
		(struct store_job){ .loop = restart_gateway(x)->loop, .done = restart_on_settled };
	if (!store_budget_settle(restart_gateway(x)->store, &x->settle))
		restart_free(x);
}

/* restart_end: the end that the run would have without this. */
static void restart_end(struct restart *x, const struct err *why)
{
	struct salvage_told told = cut_off_look(x->pieces, x->piece_count);
	struct log_line     l;
	char                id[ID_MAX];
	uint64_t            last = x->piece_count > 0 ? x->pieces[x->piece_count - 1].last : 0;

	log_begin(&l, LOG_WARN, "run_not_taken_up");
	log_str(&l, "run", id_text(x->take.run, ID_RUN, id));
	log_str(&l, "msg", str_of(why->text));
	log_end(&l);
	x->end = (struct turn_end){
		.job = { .loop = restart_gateway(x)->loop, .done = restart_on_ended },
		.run = x->take.run,
		.status = RUN_INCOMPLETE,
		.error = STR(CUT_OFF_ERROR),
		.completed_ms = clock_wall_ms(),
		.keyed = true,
		.kept_answer = { .http = told.begun ? 200 : 0 },
	};
	if (why->code == ERR_CANCELLED && err_object(why, x->take.request_id, &x->error)) {
		x->end.status = RUN_CANCELLED;
		x->end.error = buf_view(&x->error);
	}
	x->settle.note = (struct usage_note){ .run = x->take.run, .at_ms = clock_wall_ms() };
	if (x->piece_count > 0 && assemble_answer(x->pieces, x->piece_count, &x->answer))
		x->end.answer = buf_view(&x->answer);
	(void)cut_off_charge(&x->take.bill, &told, &x->end, &x->settle.note);
	x->end.last_seq = (last > x->take.seq_reserved ? last : x->take.seq_reserved) + 1;
	if (!store_turn_end(restart_gateway(x)->store, &x->end))
		restart_free(x); /* the next start ends it */
}

/* --- its request --- */

static bool restart_keep(struct input *in, struct str s, struct str *ret)
{
	*ret = s.n > 0 ? arena_str(&in->arena, s) : STR_NONE;
	return s.n == 0 || ret->p;
}

static enum errc restart_fill(struct restart *x, struct call_request *rq, struct err *e)
{
	struct gateway *g = x->owner->o.gateway;
	struct str      name, model, shape;

	if (plan_read(rq->input, rq, &name, e) != ERR_OK)
		return e->code;
	rq->caller.who = x->owner->o.named(x->owner->o.arg, name);
	if (!rq->caller.who)
		return err_set(e, ERR_INVALID_API_KEY, "", "its API key is not valid any more");
	if (!restart_keep(rq->input, x->take.model, &model) ||
	    !restart_keep(rq->input, x->take.shape, &shape) ||
	    !restart_keep(rq->input, x->take.settings, &rq->manner.settings) ||
	    !restart_keep(rq->input, x->take.request_id, &rq->caller.request_id))
		return err_no_memory(e);
	if (door_target(g->now->registry, model, "model", rq, e) != ERR_OK)
		return e->code;
	if (!registry_restarts(rq->what.route))
		return err_set(e, ERR_NOT_CONTINUABLE, "", "its model does not go on any more");
	rq->manner.shape = family_shape(rq->manner.family, shape);
	rq->thread.conversation = x->take.conversation;
	rq->thread.parent = x->take.parent;
	rq->thread.continues = x->take.continues;
	rq->caller.owner = x->take.owner;
	rq->caller.tags = x->take.bill.tags; /* borrowed until run_restart has copied them */
	rq->caller.scopes = (uint8_t)rq->caller.who->scopes;
	return ERR_OK;
}

/* restart_ask: errors: nothing has happened. */
static enum errc restart_ask(struct restart *x, struct str plan, struct err *e)
{
	struct gateway      *g = x->owner->o.gateway;
	struct input        *in = input_create(plan.n + 1);
	struct call_request *rq = in ? arena_alloc(&in->arena, sizeof *rq) : NULL;

	if (rq)
		rq->input = in;
	if (!rq || !buf_str(&in->body, plan)) {
		input_destroy(in);
		return err_no_memory(e);
	}
	enum errc rc = restart_fill(x, rq, e);
	x->who = rq->caller.who;
	if (rc != ERR_OK) {
		input_destroy(in);
		return rc;
	}
	x->rq = rq;
	rq->held = snapshot_hold(g->now);
	rq->release = snapshot_release;
	return ERR_OK;
}

/* --- its place among the calls --- */

/* restart_unwanted: whether it was cancelled before it went on: then it ends. */
static bool restart_unwanted(struct restart *x)
{
	struct err e;

	if (!cuts_cancelled(x->take.run, x->take.owner))
		return false;
	admit_over(&x->place.pass, false, 0);
	err_set(&e, ERR_CANCELLED, "", "the run was cancelled");
	restart_end(x, &e);
	return true;
}

static void restart_go(struct restart *x)
{
	struct call_request *rq;
	struct err           e;

	if (restart_unwanted(x))
		return;
	rq = TAKE(x->rq);
	rq->caller.pass = &x->place.pass;
	if (run_restart(restart_gateway(x)->runs, rq,
			&(struct run_cut){ .run = x->take.run,
					   .created_ms = x->take.created_ms,
					   .attempt_log = x->take.attempt_log,
					   .seq_reserved = x->take.seq_reserved,
					   .reserved = x->take.reserved,
					   .pieces = x->pieces,
					   .piece_count = x->piece_count,
					   .bill = &x->take.bill },
			&e) == ERR_OK) {
		if (cuts_over(x->take.run, x->take.owner))
			(void)live_cancel(x->take.run, x->take.owner);
		restart_free(x);
		return;
	}
	admit_over(&x->place.pass, false, 0);
	restart_end(x, &e);
}

static void restart_enter(struct restart *x);

static void restart_enter_again(struct timer *t)
{
	restart_enter(container_of(t, struct restart, again));
}

/* restart_has_paid: where limits are shared, the run's first life has taken its part of their windows. */
static bool restart_has_paid(const struct restart *x, const struct err *e)
{
	if (!store_is_shared(restart_gateway(x)->store) ||
	    (e->code != ERR_RATE_LIMIT && e->code != ERR_RATE_LIMIT_NEVER))
		return false;
	for (size_t i = 0; i < RATE_WHOSE__COUNT; i++) {
		const struct rate_left *left = x->limits.of[i];

		if ((left[RATE_REQUESTS].limit > 0 && left[RATE_REQUESTS].left <= 0) ||
		    (left[RATE_TOKENS].limit > 0 && left[RATE_TOKENS].left < x->tokens))
			return true;
	}
	return false;
}

static void restart_refused(struct restart *x, const struct err *e)
{
	if (restarts_rest(x->owner)) { /* the next start ends it */
		restart_free(x);
	} else if (restart_has_paid(x, e)) {
		restart_go(x);
	} else if (e->code == ERR_RATE_LIMIT_NEVER || clock_mono_us() >= x->until_us) {
		restart_end(x, e);
	} else {
		x->again.fn = restart_enter_again;
		timer_start(restart_gateway(x)->loop, &x->again, RESTART_AGAIN_US);
		restart_park(x);
	}
}

static void restart_on_place(struct admit_wait *w, const struct err *e)
{
	struct restart *x = container_of(w, struct restart, place);

	restart_unpark(x);
	if (e)
		restart_refused(x, e);
	else
		restart_go(x);
}

static void restart_on_told(struct admit_wait *w, const struct rate_view *view)
{
	container_of(w, struct restart, place)->limits = *view;
}

/* restart_enter: it takes of the limits what its call takes, once more. */
static void restart_enter(struct restart *x)
{
	const struct gateway *g = restart_gateway(x);
	struct admit_ask      ask = {
		     .now = g->door.admit,
		     .who = x->who,
		     .bytes = x->rq->input->body.len + x->log.len,
		     .loop = g->loop,
	};
	struct err e;

	restart_unpark(x);
	x->place = (struct admit_wait){ .fn = restart_on_place, .told = restart_on_told };
	if (restart_unwanted(x))
		return;
	if (x->until_us == 0)
		x->until_us = clock_mono_us() + RESTART_WAITS_US;
	if (admit_counts_tokens(ask.now, ask.who))
		admission_estimate_of(x->rq, x->take.bill.in / RESTART_TOKEN_BYTES, &ask);
	x->tokens = ask.tokens;
	switch (admit_enter(&ask, &x->place, &x->limits, &e)) {
	case ADMIT_IN: restart_go(x); break;
	case ADMIT_WAITS: restart_park(x); break;
	case ADMIT_REFUSED: restart_refused(x, &e); break;
	}
}

static void restart_decide(struct restart *x)
{
	struct salvage_told told = cut_off_look(x->pieces, x->piece_count);
	struct err          e;

	if (x->short_of || told.plan.n == 0)
		err_set(&e, ERR_NOT_CONTINUABLE, "", "not all of its events can be read");
	else if (restart_ask(x, told.plan, &e) == ERR_OK) {
		restart_enter(x);
		return;
	}
	restart_end(x, &e);
}

/* --- its log --- */

static void restart_read(struct restart *x);

static bool restart_add(struct restart *x, const struct events_piece *p)
{
	struct events_piece *grown = realloc(x->pieces, (x->piece_count + 1) * sizeof *x->pieces);

	if (!grown)
		return false;
	x->pieces = grown;
	if (!buf_str(&x->log, p->data))
		return false;
	grown[x->piece_count++] = *p;
	return true;
}

static void restart_again(struct timer *t)
{
	restart_read(container_of(t, struct restart, again));
}

static void restart_wait(struct restart *x, void (*fn)(struct timer *t))
{
	if (restarts_rest(x->owner)) { /* the next start ends it */
		restart_free(x);
		return;
	}
	x->again.fn = fn;
	timer_start(restart_gateway(x)->loop, &x->again, RESTART_AGAIN_US);
}

static void restart_on_page(struct store_job *job)
{
	struct restart     *x = container_of(job, struct restart, read.job);
	struct events_read *j = &x->read;
	const char         *data;

	if (job->err.code == ERR_STORAGE || job->err.code == ERR_OVERLOADED) {
		restart_wait(x, restart_again);
		return;
	}
	x->short_of = job->err.code != ERR_OK || j->holed || j->swept;
	for (size_t i = 0; job->err.code == ERR_OK && i < j->piece_count && !x->short_of; i++)
		x->short_of = !restart_add(x, &j->pieces[i]);
	if (!x->short_of && j->has_more && j->piece_count > 0) {
		j->after = j->pieces[j->piece_count - 1].last;
		arena_finish(&j->arena);
		restart_read(x);
		return;
	}
	data = x->log.data;
	for (size_t i = 0; i < x->piece_count; data += x->pieces[i++].data.n)
		x->pieces[i].data.p = data;
	restart_decide(x);
}

static void restart_read(struct restart *x)
{
	x->read.job =
		(struct store_job){ .loop = restart_gateway(x)->loop, .done = restart_on_page };
	if (!store_events_read(restart_gateway(x)->store, &x->read))
		restart_wait(x, restart_again);
}

/* --- its row --- */

static void restart_take(struct restart *x);

static void restart_take_again(struct timer *t)
{
	restart_take(container_of(t, struct restart, again));
}

static void restart_on_taken(struct store_job *job)
{
	struct restart *x = container_of(job, struct restart, take.job);

	if (job->err.code == ERR_STORAGE || job->err.code == ERR_OVERLOADED) {
		x->take.again = true;
		restart_wait(x, restart_take_again);
		return;
	}
	if (job->err.code != ERR_OK || !x->take.taken) {
		restart_free(x);
		return;
	}
	x->read.owner = x->take.owner;
	x->read.run = x->take.run;
	x->read.page_bytes = RESTART_PAGE;
	restart_read(x);
}

static void restart_take(struct restart *x)
{
	arena_finish(&x->take.arena);
	x->take.job =
		(struct store_job){ .loop = restart_gateway(x)->loop, .done = restart_on_taken };
	if (!store_run_take(restart_gateway(x)->store, &x->take))
		restart_wait(x, restart_take_again);
}

/* --- all of them --- */

static void restart_one(struct restarts *owner, struct id run)
{
	struct restart *x = calloc(1, sizeof *x);

	if (!x) {
		log_note(LOG_ERROR, "run_cut",
			 "no memory: a run that could go on waits for the next start");
		(void)cuts_over(run, 0);
		return;
	}
	owner->busy++;
	x->owner = owner;
	x->take.run = run;
	arena_init(&x->take.arena, LIMIT_STORE_ROW + MIB);
	arena_init(&x->read.arena, LIMIT_STORE_ROW + 2 * MIB);
	buf_init(&x->log, RESTART_LOG);
	buf_init(&x->answer, LIMIT_BODY_MAX);
	buf_init(&x->error, 4 * KIB);
	restart_take(x);
}

static void restart_next(struct restarts *x)
{
	struct id run;

	while (!restarts_rest(x) && x->busy < RESTARTS_MOST && cuts_take(&run))
		restart_one(x, run);
}

static void restarts_news(struct cuts_listener *l)
{
	restart_next(container_of(l, struct restarts, listener));
}

enum errc restarts_create(const struct restarts_options *o, struct restarts **ret, struct err *e)
{
	struct restarts *x = calloc(1, sizeof *x);

	if (!x)
		return err_no_memory(e);
	x->o = *o;
	x->listener.loop = o->gateway->loop;
	x->listener.fn = restarts_news;
	*ret = x;
	return ERR_OK;
}

void restarts_begin(struct restarts *x)
{
	cuts_listen(&x->listener);
}

void restarts_stop(struct restarts *x)
{
	x->stopped = true;
	cuts_leave(&x->listener);
}

void restarts_destroy(struct restarts *x)
{
	free(x);
}

size_t restarts_busy(const struct restarts *x)
{
	return x ? x->busy + x->parked : 0;
}
