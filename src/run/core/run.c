/* One run: its birth, the moves of the state machine that run.h draws, and its end. */
#include "run/run.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "run/computer.h"
#include "run/internal.h"
#include "store/conversation.h"

#include <stdlib.h>

/* Event numbers reserved with the run's row. */
enum { SEQ_FIRST_RANGE = 1024 };

#define TO(s) (1u << STATE_##s)
static const struct {
	const char *name;
	unsigned    next;
} state_graph[STATE__COUNT] = {
	[STATE_LOADING] = { "loading", TO(BEGINNING) | TO(CALLING) | TO(RECORDING) | TO(ENDED) },
	[STATE_BEGINNING] = { "beginning", TO(CALLING) | TO(RECORDING) | TO(ENDED) },
	[STATE_CALLING] = { "calling", TO(STREAMING) | TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_STREAMING] = { "streaming", TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_RECORDING] = { "recording", TO(EXECUTING) | TO(CALLING) | TO(ENDING) | TO(ENDED) },
	[STATE_EXECUTING] = { "executing", TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_ENDING] = { "ending", TO(ENDED) },
	[STATE_ENDED] = { "ended", 0 },
};
#undef TO

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

struct loop *run_loop(const struct run *r)
{
	return r->engine->o.env.loop;
}

void run_move(struct run *r, enum run_state to)
{
	CHECK(state_graph[r->state].next & (1u << to));
	r->state = to;
	if (to != STATE_CALLING && to != STATE_RECORDING)
		return;
	r->dispatched = true;
	if (r->live)
		live_set_status(r->live, RUN_RUNNING);
}

void run_hold(struct run *r)
{
	r->jobs_out++;
}

void run_release(struct run *r)
{
	CHECK(r->jobs_out > 0);
	r->jobs_out--;
}

bool run_stored(const struct run *r)
{
	return r->store;
}

const struct branch_read *run_branch(const struct run *r)
{
	return r->jobs && r->jobs->branch ? &r->jobs->branch->read : NULL;
}

enum context_files run_files(const struct run *r)
{
	return r->rq && r->rq->manner.computing ? r->rq->manner.computing->files : CONTEXT_PROMPT;
}

static bool is_called(const struct run *r)
{
	return r->state >= STATE_CALLING && r->state <= STATE_EXECUTING;
}

/* --- birth and death --- */

/* A stream may live long, and the large bodies of many streams would add up. */
void run_drop_request(struct run *r)
{
	if (r->jobs && r->jobs->branch) {
		arena_finish(&r->jobs->branch->read.arena);
		free(TAKE(r->jobs->branch));
	}
	refer_drop(r);
	image_drop(r);
	attach_drop(r);
	if (!r->rq)
		return;
	origin_keep(r);
	input_destroy(TAKE(r->rq)->input);
}

static void jobs_free(struct run_jobs *j)
{
	if (!j)
		return;
	buf_finish(&j->end_answer);
	buf_finish(&j->end_error);
	buf_finish(&j->key_body);
	free(j);
}

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

static void unlist_live(struct run *r)
{
	if (r->live)
		live_remove(r->live);
}

static void run_free(struct run *r)
{
	struct run_engine *g = r->engine;

	unlist_live(r);
	if (r->live)
		attempt_log_finish(&r->live->log);
	free(r->live);
	if (r->tape)
		journal_drop(r);
	tape_release(r->tape);
	list_take_out(&r->link);
	g->live--;
	reader_finish(&r->feed);
	warnings_finish(&r->warnings);
	answer_finish(&r->answer);
	err_drop(&r->failure);
	err_drop(&r->aside.err);
	err_drop(&r->aside.why);
	buf_finish(&r->aside.body);
	run_drop_request(r);
	origin_drop(r);
	attach_release(r);
	jobs_free(r->jobs);
	bill_finish(r);
	computer_destroy(TAKE(r->computer));
	free(r->model);
	free(r->label);
	if (r->release)
		r->release(r->held);
	free(r);
}

void run_free_if_over(struct run *r)
{
	if (r->state == STATE_ENDED && !r->observer && r->jobs_out == 0 && !r->aborting &&
	    !(r->live && live_posted(r->live)))
		run_free(r);
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

/* run_take_request: takes the request, and copies what outlives it. */
static bool run_take_request(struct run *r, struct call_request *rq)
{
	r->rq = rq;
	r->model = run_copy(rq->what.model);
	r->label = run_copy(rq->what.label);
	if (!r->model || !r->label)
		return false;
	r->stream = rq->what.prompt.stream;
	r->embed = rq->what.prompt.embed;
	r->text = rq->what.prompt.text > 0;
	r->store = rq->manner.store;
	r->finish = rq->manner.finish;
	r->fences = rq->manner.fences;
	r->logprobs = rq->manner.logprobs;
	r->held = rq->held;
	r->release = rq->release;
	r->provider = rq->what.provider;
	r->route = rq->what.route;
	r->family = rq->manner.family;
	r->asked = rq->what.asked;
	/* Attempts look at `asked` after the request's bytes are gone. */
	if (rq->what.asked.p == rq->what.model.p)
		r->asked.p = r->model;
	r->owner = rq->caller.owner;
	r->trace = rq->caller.trace;
	r->claim = rq->caller.claim;
	if (rq->caller.pass)
		r->pass = *rq->caller.pass;
	r->origins = rq->what.origins;
	return true;
}

static struct run *run_new(struct run_engine *g, struct call_request *rq)
{
	struct run *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->engine = g;
	bool taken = run_take_request(r, rq);
	bool with_store = rq->manner.store || !id_none(rq->thread.conversation) ||
			  !id_none(rq->thread.previous) || rq->caller.claim;
	if (taken && with_store)
		r->jobs = jobs_new(r);
	if (taken && rq->manner.computing)
		r->computer = computer_create(r);
	if (!taken || (with_store && !r->jobs) || (rq->manner.computing && !r->computer)) {
		computer_destroy(r->computer);
		free(r->model);
		free(r->label);
		jobs_free(r->jobs);
		free(r);
		return NULL;
	}
	if (rq->caller.who)
		r->bill.who = identity_hold(rq->caller.who);
	list_put_front(&g->runs, &r->link);
	g->live++;
	r->id = id_new();
	r->created_ms = clock_wall_ms();
	r->seq_reserved = rq->manner.store ? SEQ_FIRST_RANGE : UINT64_MAX;
	str_copy(r->request_id, sizeof r->request_id, rq->caller.request_id);
	id_text(r->id, ID_RUN, r->id_text);
	if (rq->manner.store) {
		r->conversation =
			id_none(rq->thread.conversation) ? id_new() : rq->thread.conversation;
		id_text(r->conversation, ID_CONVERSATION, r->conversation_text);
	}
	warnings_init(&r->warnings);
	answer_init(&r->answer);
	if (rq->what.prompt.stream)
		reader_init(&r->feed, reader_max(rq->manner.family), run_idem_recorded(r));
	else
		reader_init(&r->feed, LIMIT_UPSTREAM_BODY + 4 * KIB, true);
	return r;
}

static bool choose_encoder(struct run *r)
{
	r->feed.encoder = r->rq->manner.shape->encoder(&(struct encoder_about){
		.framing = r->rq->manner.family->framing,
		.want_usage = r->rq->manner.want_usage,
		.fences = r->fences,
		.logprobs = r->logprobs,
		.reasoning = r->engine->o.settings(r->engine->o.arg)->reasoning,
		.run = r->id,
		.conversation = r->conversation,
		.model = str_of(r->model),
		.settings = r->rq->manner.settings,
		.created_s = r->created_ms / 1000,
		.guess_in = r->rq->manner.guess_in,
		.warnings = &r->warnings,
	});
	return r->feed.encoder;
}

/* cancel_now: runs on the run's loop after live_cancel, which any loop may call. */
static void cancel_now(struct task *t)
{
	struct live *l = container_of(t, struct live, cancel);
	struct run  *r = l->run;
	struct err   e;

	live_taken(l);
	r->cancelled = true;
	if (is_called(r)) {
		err_set(&e, ERR_CANCELLED, "", "the run was cancelled");
		run_finish(r, &e);
	} else {
		attach_unwant(r);
		run_free_if_over(r);
	}
}

/* is_findable: clients learn the id of an unstored run if its family shows the id, or if they send
 * the idempotency key of the run again. */
static bool is_findable(const struct run *r)
{
	return run_stored(r) || r->family->shows_unstored || r->claim;
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
		.id = r->id,
		.owner = r->owner,
		.conversation = r->conversation,
		.stored = run_stored(r),
		.shape = r->rq->manner.shape,
		.loop = run_loop(r),
		.cancel = { .fn = cancel_now },
		.run = r,
		.tape = !run_stored(r) && r->stream ? r->tape : NULL,
		.status = RUN_QUEUED,
		.created_ms = r->created_ms,
		.attempts = 1,
	};
	attempt_log_init(&r->live->log);
	str_copy(r->live->model, sizeof r->live->model, str_of(r->model));
	r->live->who = r->bill.who;
	str_copy(r->live->provider, sizeof r->live->provider, str_of(r->provider->name));
	live_add(r->live);
	return true;
}

enum errc run_start(struct run_engine *g, struct call_request *rq,
		    const struct run_observer *observer, void *arg, struct run **ret, struct err *e)
{
	struct run *r = run_new(g, rq);

	if (!r) {
		if (rq->release)
			rq->release(rq->held);
		input_destroy(rq->input);
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	}
	run_stages_choose(r);
	r->observer = observer;
	r->observer_arg = arg;
	/* Of a request that may be passed on as it is, each attempt tells these anew. */
	bool told = rq->what.prompt.native ||
		    warnings_join(&r->warnings, rq->what.warnings, rq->what.warning_count);
	enum errc rc = told && choose_encoder(r) && enlist_live(r)
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

/* --- the end --- */

static void book_tokens(const struct run *r)
{
	const struct usage *u = &r->usage;
	const struct {
		const char *type;
		int64_t     n;
		bool        always;
	} kinds[] = {
		{ "input", u->in, true },
		{ "output", u->out, true },
		{ "cached", u->cached_read, false },
		{ "reasoning", u->reasoning, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].always || kinds[i].n > 0)
			metric_add(METRIC_TOKENS, (const char *[]){ r->label, kinds[i].type, "" },
				   kinds[i].n);
	if (r->first_token_us && r->attempt.before == 0 && r->stream && u->out > 1 &&
	    r->outcome == RUN_COMPLETED)
		metric_observe(METRIC_TOKEN_TIME,
			       (const char *[]){ r->provider->name, r->label, "" },
			       (r->answered_us - r->first_token_us) / (u->out - 1));
}

/* book_abort: counts a stream that was open and failed, by the side that is to blame. */
static void book_abort(enum errc code)
{
	bool ours = code == ERR_STORAGE || code == ERR_SHUTTING_DOWN || code == ERR_OVERLOADED ||
		    code == ERR_INTERNAL;
	const char *side = code == ERR_CANCELLED ? "client" : ours ? "gateway" : "upstream";

	metric_add(METRIC_STREAM_ABORTS, (const char *[]){ side, err_code_wire(code), "" }, 1);
}

static void run_book_metrics(struct run *r)
{
	if (r->called_us == 0)
		return;
	attempt_book(r, r->failure ? err_code_wire(r->failure->code) : "ok");
	if (r->usage.known)
		book_tokens(r);
	/* The caller of run_leave counts streams whose client left. */
	if (r->headers_sent && r->observer && r->failure)
		book_abort(r->failure->code);
	if (r->headers_sent)
		metric_add(METRIC_EVENTS, (const char *[]){ "", "", "" }, (int64_t)r->seq);
}

/* give_pass: returns the run's place and settles its tokens.  A call that failed before its first
 * content has used none, unless the provider reports some. */
static void give_pass(struct run *r)
{
	const struct usage *u = &r->usage;
	bool                nothing = r->failure && !r->first_token_us;
	int64_t             tokens = u->known || u->estimated ? u->in + u->out : nothing ? 0 : -1;

	admit_over(&r->pass, r->attempt.count > 0, tokens);
}

void run_close(struct run *r)
{
	feed_close(r);
	journal_drop(r);
	feed_open(r);
	feed_wake(r);
}

/* end_live: takes the run out of the live runs, and tells those who follow them. */
static void end_live(struct run *r)
{
	struct live_end end = {
		.completed_ms = r->ended_ms,
		.usage = r->usage,
		.costs = r->bill.charged && !r->bill.unpriced,
		.cost_nano = bill_total(r),
	};

	if (!r->live)
		return;
	if (r->outcome != RUN_CANCELLED)
		str_copy(end.finish_reason, sizeof end.finish_reason, str_of(r->finish_reason));
	if (r->failure)
		str_copy(end.code, sizeof end.code, str_of(err_wire(r->failure)));
	live_end(r->live, r->outcome, &end);
}

void run_conclude(struct run *r)
{
	const struct err *e = r->failure;

	run_move(r, STATE_ENDED);
	give_pass(r);
	attach_release(r);
	journal_end(r);
	r->seq_reserved = UINT64_MAX; /* the run's row now has its last number */
	end_live(r);
	run_book_metrics(r);
	bill_over(r);
	content_answered(r);
	run_idem_over(r);
	if (!r->observer) {
		run_free_if_over(r);
		return;
	}
	if (!r->stream || (e && !r->headers_sent && !r->headers_due)) {
		r->observer->done(r->observer_arg, e);
		return;
	}

	if (!print_last_aside(r))
		run_close(r);
}

static enum run_status outcome_of(const struct run *r, const struct err *e)
{
	if (!e)
		return RUN_COMPLETED;
	if (e->code == ERR_CANCELLED)
		return RUN_CANCELLED;
	return answer_any(&r->answer) ? RUN_INCOMPLETE : RUN_FAILED;
}

void run_drop_call(struct run *r)
{
	struct provider_call *call = TAKE(r->call);

	if (call)
		call->provider->ops->cancel(call);
}

/* run_drop: stops all that goes on for the run, but for jobs of the store or of a worker, which
 * can't be stopped: the run waits for them (run_free_if_over). */
static void run_drop(struct run *r)
{
	timer_stop(run_loop(r), &r->commit_timer);
	run_drop_call(r);
	attempt_stop(r);
	if (r->computer)
		computer_drop(r);
}

void run_finish(struct run *r, const struct err *e)
{
	bool    called = is_called(r);
	bool    asked = r->attempt.on;
	int64_t before_nano = r->bill.nano;

	if (aside_ends(r, e))
		return;
	if (e) {
		struct err named = *e;

		if (e != r->failure)
			origin_name(r, &named);
		err_keep(&r->failure, &named);
	}
	if (r->called_us)
		r->answered_us = clock_mono_us();
	if (r->ended_ms == 0)
		r->ended_ms = clock_wall_ms();
	if (called)
		run_stages_end(r, e);
	if (e && called && print_failed_aside(r))
		return;
	if (e) /* the given one may have been the old failure, and a lack of memory takes its place */
		e = r->failure;
	run_drop(r);
	/* A retry of this request would cost again, so the idempotency key keeps this end. */
	if (r->attempt.spent)
		run_idem_commit(r);
	r->outcome = outcome_of(r, e);
	struct usage used = bill_close(r, asked);
	attempt_over(r, &used, before_nano);
	r->seq++;
	if (run_stored(r) && called)
		save_end(r);
	else if (!called || !run_idem_save(r))
		run_conclude(r);
}

static void abort_now(struct task *t)
{
	struct run *r = container_of(t, struct run, later_task);

	r->aborting = false;
	if (is_called(r))
		run_finish(r, r->failure);
	else
		run_free_if_over(r);
}

void run_fail(struct run *r, enum errc code, const char *text)
{
	struct err e;

	err_set(&e, code, "", "%s", text);
	err_keep(&r->failure, &e);
}

void run_abort_later(struct run *r, enum errc code, const char *text)
{
	if (r->aborting)
		return;
	run_fail(r, code, text);
	r->aborting = true;
	r->later_task.fn = abort_now;
	loop_later(run_loop(r), &r->later_task);
}

void run_engine_stop(struct run_engine *g, const struct err *why)
{
	g->stopping = *why;
	for (struct run *r = LIST_FIRST(&g->runs, struct run, link), *next; r; r = next) {
		next = LIST_NEXT(r, struct run, link);
		if (is_called(r))
			run_finish(r, why);
		else
			attach_unwant(r);
	}
}

void run_leave(struct run *r)
{
	r->observer = NULL;
	reader_leave(&r->feed);
	feed_pause(r, false);
	if (!r->finish && is_called(r)) {
		struct err e;

		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, &e);
		return;
	}
	/* A run whose provider was not asked yet goes on to the next step, where step_holds looks
	 * whether somebody still wants the run. */
	if (!r->finish)
		attach_unwant(r);
	run_free_if_over(r);
}

void run_view(const struct run *r, struct run_view *ret)
{
	*ret = (struct run_view){ .id = r->dispatched ? str_of(r->id_text) : STR_NONE,
				  .conversation =
					  r->dispatched ? str_of(r->conversation_text) : STR_NONE,
				  .finish_reason = str_of(r->finish_reason),
				  .usage = r->usage,
				  .called_us = r->called_us ? r->attempt.first_us : 0,
				  .first_token_us = r->first_token_us,
				  .answered_us = r->answered_us,
				  .run_id = r->id,
				  .conversation_id = r->conversation,
				  .created_ms = r->created_ms,
				  .provider = str_of(r->provider->name),
				  .warnings = r->aside.on ? STR_NONE : buf_view(&r->warnings.json),
				  .warning_count = r->aside.on ? 0 : r->warnings.count,
				  .attempts = r->attempt.count,
				  .failure = r->failure,
				  .cut = r->feed.cut,
				  .costs = r->bill.charged && !r->bill.unpriced,
				  .cost_nano = bill_total(r) };
}
