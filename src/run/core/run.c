/* One run as others see it: its engine, its birth, its reader. */
#include "run/run.h"

#include "base/clock.h"
#include "base/limits.h"
#include "run/computer.h"
#include "run/internal.h"
#include "store/conversation.h"

#include <stdlib.h>

/* --- engine --- */

enum errc run_engine_create(const struct run_engine_options *o, struct run_engine **ret,
			    struct err *e)
{
	struct run_engine *g = calloc(1, sizeof *g);

	if (!g)
		return err_set(e, ERR_INTERNAL, "", "out of memory for the run engine");
	g->o = *o;
	g->log.engine = g;
	run_stages_table(g->stages_with);
	*ret = g;
	return ERR_OK;
}

void run_engine_destroy(struct run_engine *g)
{
	if (!g)
		return;
	CHECK(g->live == 0);
	journal_stop(g);
	lost_stop(g);
	free(g);
}

size_t run_engine_live(const struct run_engine *g)
{
	return g->live;
}

/* --- birth --- */

static struct run_jobs *jobs_new(struct run *r)
{
	struct run_jobs *j = calloc(1, sizeof *j);

	if (!j)
		return NULL;
	j->run = r;
	/* The text, and the same text as LMC messages if the provider speaks LMC. */
	buf_init(&j->end_answer, 2 * LIMIT_ANSWER + LIMIT_ANSWER / 4);
	buf_init(&j->end_error, 4 * KIB);
	buf_init(&j->key_body, 4 * KIB);
	return j;
}

/* run_copy: copies all bytes, because a client's model name may contain NUL. */
static char *run_copy(struct str s)
{
	char *to = malloc(s.n + 1);

	if (!to)
		return NULL;
	if (s.n > 0)
		memcpy(to, s.p, s.n);
	to[s.n] = '\0';
	return to;
}

_Static_assert(sizeof(struct run) <= 2048, "mimalloc's next size is 2560, for each open stream");

/* run_resumes: whether an answer that breaks off may go on elsewhere: a stream of one answer, without a computer, of a
 * model that has another target. */
static bool run_resumes(const struct call_request *rq)
{
	const struct model *m = rq->what.route;
	int64_t             answers = 1;

	return m && rq->manner.resume != RESUME_OFF &&
	       (registry_resumes(m) || rq->manner.resume == RESUME_FALLBACK) &&
	       registry_several(m) && rq->what.prompt.stream && !rq->manner.computing &&
	       !rq->what.prompt.embed && rq->what.prompt.text == 0 &&
	       budget_answers(&rq->what.prompt, &answers) && answers == 1;
}

/* run_restarts: whether an answer may go on after the gateway's death: one that the store can be asked for. */
static bool run_restarts(const struct call_request *rq)
{
	const struct model *m = rq->what.route;
	int64_t             answers = 1;

	return m && registry_restarts(m) && rq->manner.resume != RESUME_OFF && rq->manner.store &&
	       !rq->manner.computing && !rq->what.untranslated && !rq->what.prompt.embed &&
	       rq->what.prompt.text == 0 && budget_answers(&rq->what.prompt, &answers) &&
	       answers == 1;
}

/* run_take_request: takes the request, and copies what outlives it. */
static bool run_take_request(struct run *r, struct call_request *rq)
{
	r->rq = rq;
	r->given.model = run_copy(rq->what.model);
	r->given.label = run_copy(rq->what.label);
	if (!r->given.model || !r->given.label)
		return false;
	r->given.stream = rq->what.prompt.stream;
	r->given.embed = rq->what.prompt.embed;
	r->given.text = rq->what.prompt.text > 0;
	r->given.store = rq->manner.store;
	r->given.finish = rq->manner.finish;
	r->given.resumes = run_resumes(rq);
	r->given.restarts = run_restarts(rq);
	r->given.plain = rq->manner.plain;
	r->given.fences = rq->manner.fences;
	r->given.logprobs = rq->manner.logprobs;
	r->given.held = rq->held;
	r->given.release = rq->release;
	r->provider = rq->what.provider;
	r->given.route = rq->what.route;
	r->given.family = rq->manner.family;
	r->given.asked = rq->what.asked;
	/* Attempts look at `asked` after the request's bytes are gone. */
	if (rq->what.asked.p == rq->what.model.p)
		r->given.asked.p = r->given.model;
	r->given.owner = rq->caller.owner;
	r->given.arrived_us = rq->caller.arrived_us;
	r->given.trace = rq->caller.trace;
	r->attempt.by.session = rq->caller.session;
	r->slot = rq->caller.slot;
	if (rq->caller.pass)
		r->pass = *rq->caller.pass;
	r->origins = rq->what.origins;
	return true;
}

void run_set_conversation(struct run *r, struct id conversation)
{
	r->names.conversation = conversation;
	id_text(conversation, ID_CONVERSATION, r->names.conversation_text);
}

struct run *run_new(struct run_engine *g, struct call_request *rq, struct id id, int64_t created_ms)
{
	struct run *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->engine = g;
	bool taken = run_take_request(r, rq) && bill_take_tags(r, rq);
	bool with_store = rq->manner.store || !id_none(rq->thread.conversation) ||
			  !id_none(rq->thread.previous) || rq->caller.slot;
	if (taken && with_store)
		r->jobs = jobs_new(r);
	if (taken && rq->manner.computing)
		r->computer = computer_create(r);
	if (!taken || (with_store && !r->jobs) || (rq->manner.computing && !r->computer)) {
		computer_destroy(r->computer);
		run_stages_drop(r);
		free(r->given.model);
		free(r->given.label);
		run_jobs_free(r->jobs);
		free(r);
		return NULL;
	}
	if (rq->caller.who)
		r->bill.who = identity_hold(rq->caller.who);
	r->bill.capped = rq->manner.capped;
	list_put_front(&g->runs, &r->link);
	g->live++;
	r->names.id = id;
	r->given.created_ms = created_ms;
	str_copy(r->given.request_id, sizeof r->given.request_id, rq->caller.request_id);
	id_text(r->names.id, ID_RUN, r->names.id_text);
	if (rq->manner.store)
		run_set_conversation(r, id_none(rq->thread.conversation) ? id_new()
									 : rq->thread.conversation);
	warnings_init(&r->warnings);
	answer_init(&r->kept.answer);
	if (rq->what.prompt.stream)
		reader_init(&r->feed.reader, reader_max(rq->manner.family), run_answer_recorded(r));
	else
		reader_init(&r->feed.reader, LIMIT_UPSTREAM_BODY + 4 * KIB, true);
	return r;
}

static bool choose_encoder(struct run *r)
{
	r->feed.reader.encoder = r->rq->manner.shape->encoder(&(struct encoder_about){
		.framing = r->rq->manner.family->framing,
		.want_usage = r->rq->manner.want_usage,
		.fences = r->given.fences,
		.logprobs = r->given.logprobs,
		.reasoning = r->engine->o.settings(r->engine->o.arg)->reasoning,
		.run = r->names.id,
		.conversation = r->names.conversation,
		.model = str_of(r->given.model),
		.settings = r->rq->manner.settings,
		.created_s = r->given.created_ms / 1000,
		.guess_in = r->rq->manner.guess_in,
		.warnings = &r->warnings,
	});
	return r->feed.reader.encoder;
}

bool run_settle(struct run *r)
{
	struct encoder *old = r->feed.reader.encoder;

	if (!choose_encoder(r)) {
		r->feed.reader.encoder = old;
		return false;
	}
	encoder_destroy(old);
	return true;
}

/* loading_unwant: what a run before its call waits for ends early, and the next step finds that it is over. */
static void loading_unwant(struct run *r)
{
	attach_unwant(r);
	cache_unwant(r);
	vet_unwant(r);
}

/* cancel_now: runs on the run's loop after live_cancel, which any loop may call. */
static void cancel_now(struct task *t)
{
	struct live *l = container_of(t, struct live, cancel);
	struct run  *r = l->run;
	struct err   e;

	live_taken(l);
	r->cancelled = true;
	if (run_called(r)) {
		err_set(&e, ERR_CANCELLED, "", "the run was cancelled");
		run_finish(r, &e);
	} else {
		loading_unwant(r);
		run_free_if_over(r);
	}
}

/* is_findable: clients learn the id of an unstored run if its family shows the id, or if they send
 * the idempotency key of the run again. */
static bool is_findable(const struct run *r)
{
	return run_stored(r) || r->given.family->shows_unstored || r->slot;
}

/* enlist_live: adds the run to the live runs, and makes its tape: journal_open looks at r->live. */
static bool enlist_live(struct run *r)
{
	if (is_findable(r) && !(r->live = calloc(1, sizeof *r->live)))
		return false;
	if (!journal_open(r))
		return false;
	if (!r->live)
		return true;
	*r->live = (struct live){
		.id = r->names.id,
		.owner = r->given.owner,
		.conversation = r->names.conversation,
		.stored = run_stored(r),
		.shape = r->rq->manner.shape,
		.loop = run_loop(r),
		.cancel = { .fn = cancel_now },
		.run = r,
		.tape = !run_stored(r) && r->given.stream ? r->journal.tape : NULL,
		.status = RUN_QUEUED,
		.created_ms = r->given.created_ms,
		.attempts = 1,
	};
	attempt_log_init(&r->live->log);
	str_copy(r->live->model, sizeof r->live->model, str_of(r->given.model));
	r->live->who = r->bill.who;
	str_copy(r->live->provider, sizeof r->live->provider, str_of(r->provider->name));
	live_add(r->live);
	return true;
}

bool run_enlist(struct run *r)
{
	return choose_encoder(r) && enlist_live(r);
}

enum errc run_unmade(struct call_request *rq, struct err *e)
{
	if (rq->release)
		rq->release(rq->held);
	input_destroy(rq->input);
	return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
}

enum errc run_start(struct run_engine *g, struct call_request *rq,
		    const struct run_observer *observer, void *arg, struct run **ret, struct err *e)
{
	struct run *r = run_new(g, rq, id_new(), clock_wall_ms());

	if (!r)
		return run_unmade(rq, e);
	run_stages_choose(r);
	r->observer = observer;
	r->observer_arg = arg;
	/* For a request that may be passed on as it is, each attempt tells its warnings anew. */
	bool told = (rq->what.prompt.native ||
		     warnings_join(&r->warnings, rq->what.warnings, rq->what.warning_count)) &&
		    warnings_join(&r->warnings, rq->caller.warnings, rq->caller.warning_count);
	enum errc rc = told && run_enlist(r)
			       ? step_first(r, e)
			       : err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	if (rc != ERR_OK) {
		origin_name(r, e);
		run_free(r);
		return rc;
	}
	*ret = r;
	return ERR_OK;
}

void run_engine_stop(struct run_engine *g, const struct err *why)
{
	g->stopping = *why;
	for (struct run *r = LIST_FIRST(&g->runs, struct run, link), *next; r; r = next) {
		next = LIST_NEXT(r, struct run, link);
		if (run_called(r))
			run_finish(r, why);
		else
			loading_unwant(r);
	}
}

void run_leave(struct run *r)
{
	r->observer = NULL;
	reader_leave(&r->feed.reader);
	call_pause(r, false);
	if (!r->given.finish && run_called(r)) {
		struct err e;

		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, &e);
		return;
	}
	/* A run whose provider was not asked yet goes on to the next step, where step_holds looks
	 * whether somebody still wants the run. */
	if (!r->given.finish)
		loading_unwant(r);
	run_free_if_over(r);
}

void run_leave_told(struct run *r, struct run_left *ret)
{
	run_hold(r);
	run_leave(r);
	*ret = (struct run_left){
		.outcome = r->state == STATE_ENDED ? run_outcome(r) : CALL_CLIENT_LEFT,
		.usage = r->kept.usage,
		.costs = r->bill.charged && !r->bill.unpriced,
		.cost_nano = run_cost(r),
	};
	run_release(r);
	run_free_if_over(r);
}

void run_view(const struct run *r, struct run_view *ret)
{
	bool over = r->state == STATE_ENDED;

	*ret = (struct run_view){
		.id = r->dispatched ? str_of(r->names.id_text) : STR_NONE,
		.conversation = r->dispatched ? str_of(r->names.conversation_text) : STR_NONE,
		.finish_reason = str_of(r->kept.finish_reason),
		.usage = r->kept.usage,
		.called_us = r->attempt.called_us ? r->attempt.first_us : 0,
		.first_token_us = r->attempt.first_token_us,
		.answered_us = r->answered_us,
		.run_id = r->names.id,
		.conversation_id = r->names.conversation,
		.created_ms = r->given.created_ms,
		.provider = str_of(r->provider->name),
		.target = r->attempt.count > 0 && r->given.route && registry_several(r->given.route)
				  ? str_of(r->provider->label)
				  : STR_NONE,
		.warnings = r->aside.on ? STR_NONE : buf_view(&r->warnings.json),
		.warning_count = r->aside.on ? 0 : r->warnings.count,
		.attempts = r->attempt.count,
		.failure = r->failure,
		.cut = r->feed.reader.cut,
		.over = over,
		.outcome = over ? run_outcome(r) : CALL_COMPLETED,
		.costs = r->bill.charged && !r->bill.unpriced,
		.cost_nano = run_cost(r)
	};
	cache_view(r, ret);
}
