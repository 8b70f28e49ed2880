/* One run: the moves of the state machine that run.h draws. */
#include "run/run.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "lmc/answer.h"
#include "lmc/context.h"
#include "run/live.h"

#include <stdio.h>
#include <stdlib.h>

enum run_state {
	STATE_NEW,
	STATE_LOADING,
	STATE_BEGINNING,
	STATE_CALLING,
	STATE_STREAMING,
	STATE_ENDING,
	STATE_ENDED,
	STATE__COUNT
};

#define TO(s) (1u << STATE_##s)
static const struct {
	const char *name;
	unsigned    next;
} state_graph[STATE__COUNT] = {
	[STATE_NEW] = { "new", TO(LOADING) | TO(BEGINNING) | TO(CALLING) | TO(ENDED) },
	[STATE_LOADING] = { "loading", TO(BEGINNING) | TO(CALLING) | TO(ENDED) },
	[STATE_BEGINNING] = { "beginning", TO(CALLING) | TO(ENDED) },
	[STATE_CALLING] = { "calling", TO(STREAMING) | TO(ENDING) | TO(ENDED) },
	[STATE_STREAMING] = { "streaming", TO(ENDING) | TO(ENDED) },
	[STATE_ENDING] = { "ending", TO(ENDED) },
	[STATE_ENDED] = { "ended", 0 },
};
#undef TO

enum {
	SEQ_FIRST_RANGE = 1024, /* event numbers reserved with the run's row */
	SEQ_AHEAD = 512,        /* the next range is asked for so early that nobody waits for it */
	OUT_KEPT = 4096,        /* memory that an emptied stream keeps */
};

struct run {
	struct run_engine *engine;
	struct run        *prev;
	struct run        *next;
	enum run_state     state;
	struct run_request rq; /* input and held are owned */
	struct id          id;
	struct id          conversation;
	char               id_text[ID_MAX], conversation_text[ID_MAX];
	char               message_text[ID_MAX], completion_text[ID_MAX];
	char               request_id[ID_MAX];
	char               finish_reason[64];
	int64_t            created_ms;
	int64_t            called_us;
	int64_t            first_token_us; /* monotonic */
	int64_t            first_token_ms; /* wall */
	struct live        live; /* only for native runs that are not stored */

	struct provider_call *call; /* NULL: none is going on */
	bool                  paused;
	struct timer          commit_timer;
	struct task           abort_task; /* ends the call from outside the provider's callback */
	bool                  aborting;

	const struct run_observer *observer; /* NULL: nobody reads */
	void                      *observer_arg;
	bool                       open; /* the stream's status went out */
	bool                       last; /* everything is in out */
	struct chunk_printer      printer;
	struct buf                 out; /* printed, not yet taken */
	size_t                     out_at;

	struct answer answer;
	struct buf    raw; /* a plain call's whole answer as the provider sent it */
	struct usage  usage;
	uint64_t      seq;
	uint64_t      seq_reserved;

	enum run_status outcome;
	struct err      failure; /* code ERR_OK: none */
	bool            begun;   /* there is something to find under its id */

	/* The store's jobs; a run lives until the last of them came back. */
	unsigned              jobs;
	struct branch_read    branch;
	bool                  branch_read;
	struct turn_begin     begin;
	struct store_message *begin_messages; /* owned until begun */
	struct turn_end       end;
	struct buf            end_answer;
	struct buf            end_error;
	struct seq_reserve    reserve;
	bool                  reserving;
};

struct run_engine {
	struct run_engine_options o;
	struct run               *runs;
	size_t                    live;
};

static void run_finish(struct run *r, enum run_status outcome, const struct err *e);
static void run_call(struct run *r);
static void run_begin(struct run *r);

/* --- engine --- */

enum errc run_engine_create(const struct run_engine_options *o, struct run_engine **ret,
			    struct err *e)
{
	struct run_engine *g = calloc(1, sizeof *g);

	if (!g)
		return err_set(e, ERR_INTERNAL, "", "out of memory for the run engine");
	g->o = *o;
	*ret = g;
	return ERR_OK;
}

void run_engine_destroy(struct run_engine *g)
{
	CHECK(!g || g->live == 0);
	free(g);
}

size_t run_engine_live(const struct run_engine *g)
{
	return g->live;
}

static struct loop *run_loop(const struct run *r)
{
	return r->engine->o.env.loop;
}

/* run_move: the only writer of r->state. */
static void run_move(struct run *r, enum run_state to)
{
	CHECK(state_graph[r->state].next & (1u << to));
	r->state = to;
	if (to == STATE_CALLING && r->live.id.key)
		live_set_status(&r->live, RUN_RUNNING);
}

static bool stored(const struct run *r)
{
	return r->rq.store;
}

/* --- birth and death --- */

static void run_free(struct run *r)
{
	struct run_engine *g = r->engine;

	live_remove(&r->live);
	if (r->prev)
		r->prev->next = r->next;
	else
		g->runs = r->next;
	if (r->next)
		r->next->prev = r->prev;
	g->live--;
	timer_stop(run_loop(r), &r->commit_timer);
	chunk_finish(&r->printer);
	answer_finish(&r->answer);
	buf_finish(&r->out);
	buf_finish(&r->raw);
	buf_finish(&r->end_answer);
	buf_finish(&r->end_error);
	free(r->begin_messages);
	if (r->branch_read)
		arena_finish(&r->branch.arena);
	input_destroy(r->rq.input);
	if (r->rq.release)
		r->rq.release(r->rq.held);
	free(r);
}

static void free_if_over(struct run *r)
{
	if (r->state == STATE_ENDED && !r->observer && r->jobs == 0 && !r->aborting)
		run_free(r);
}

static struct run *run_new(struct run_engine *g, const struct run_request *rq)
{
	struct run *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->engine = g;
	r->rq = *rq;
	r->next = g->runs;
	if (r->next)
		r->next->prev = r;
	g->runs = r;
	g->live++;
	r->id = id_new();
	r->created_ms = clock_wall_ms();
	r->seq_reserved = rq->store ? SEQ_FIRST_RANGE : UINT64_MAX;
	snprintf(r->request_id, sizeof r->request_id, "%.*s", STR_ARG(rq->request_id));
	id_text(r->id, ID_RUN, r->id_text);
	id_text(r->id, ID_MESSAGE, r->message_text);
	id_text(r->id, ID_COMPLETION, r->completion_text);
	if (rq->store) {
		r->conversation = id_none(rq->conversation) ? id_new() : rq->conversation;
		id_text(r->conversation, ID_CONVERSATION, r->conversation_text);
	}
	chunk_init(&r->printer);
	r->printer.native = rq->native;
	r->printer.want_usage = rq->want_usage;
	r->printer.conversation = str_of(r->conversation_text);
	r->printer.run = str_of(r->id_text);
	r->printer.message = str_of(r->message_text);
	r->printer.completion = str_of(r->completion_text);
	r->printer.model = rq->model;
	r->printer.created_s = r->created_ms / 1000;
	answer_init(&r->answer);
	buf_init(&r->out, LIMIT_FEED_MAX);
	buf_init(&r->raw, LIMIT_UPSTREAM_BODY);
	buf_init(&r->end_answer, LIMIT_ANSWER + LIMIT_ANSWER / 4);
	buf_init(&r->end_error, 4 * KIB);
	return r;
}

static void enlist_live(struct run *r)
{
	if (stored(r) || !r->rq.native)
		return;
	r->live.id = r->id;
	r->live.owner = r->rq.owner;
	r->live.status = RUN_QUEUED;
	r->live.created_ms = r->created_ms;
	snprintf(r->live.model, sizeof r->live.model, "%.*s", STR_ARG(r->rq.model));
	snprintf(r->live.provider, sizeof r->live.provider, "%s", r->rq.provider->name);
	live_add(&r->live);
}

/* --- readers --- */

static void wake(struct run *r)
{
	if (r->observer && r->open)
		r->observer->wake(r->observer_arg);
}

static void open_stream(struct run *r)
{
	if (!r->rq.prompt.stream || r->open || !r->observer)
		return;
	r->open = true;
	timer_stop(run_loop(r), &r->commit_timer);
	r->observer->open(r->observer_arg);
	wake(r);
}

struct str run_ready(struct run *r, bool *ret_last)
{
	/* Numbers above the stored range must not be seen yet: after a crash they would come again. */
	if (r->seq > r->seq_reserved) {
		*ret_last = false;
		return STR_NONE;
	}
	*ret_last = r->last;
	return (struct str){ r->out.data ? r->out.data + r->out_at : NULL, r->out.len - r->out_at };
}

static void set_paused(struct run *r, bool pause)
{
	if (!r->call || r->paused == pause)
		return;
	r->paused = pause;
	r->call->provider->ops->pause(r->call, pause);
}

void run_taken(struct run *r, size_t n)
{
	r->out_at += n;
	if (r->out_at == r->out.len) {
		r->out_at = 0;
		buf_clear(&r->out);
		if (r->out.cap > OUT_KEPT)
			buf_finish(&r->out);
	} else if (r->out_at > LIMIT_FEED_LOW) {
		buf_take_front(&r->out, r->out_at);
		r->out_at = 0;
	}
	if (r->out.len - r->out_at < LIMIT_FEED_LOW)
		set_paused(r, false);
}

void run_leave(struct run *r)
{
	r->observer = NULL;
	buf_finish(&r->out);
	r->out_at = 0;
	set_paused(r, false);
	if (!r->rq.finish && (r->state == STATE_CALLING || r->state == STATE_STREAMING)) {
		struct err e;

		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, RUN_CANCELLED, &e);
		return;
	}
	/* In the other states the store has it: cancelled when it comes back. */
	free_if_over(r);
}

bool run_whole(struct run *r, struct buf *out)
{
	return chunk_whole(&r->printer, buf_view(&r->raw), buf_view(&r->answer.message),
			    str_of(r->finish_reason), &r->usage, out);
}

void run_view(const struct run *r, struct run_view *ret)
{
	*ret = (struct run_view){ .id = r->begun ? str_of(r->id_text) : STR_NONE,
				  .conversation = r->begun ? str_of(r->conversation_text) : STR_NONE,
				  .finish_reason = str_of(r->finish_reason),
				  .usage = r->usage,
				  .first_token_us = r->first_token_us };
}

/* --- the end --- */

static void book_metrics(const struct run *r)
{
	const char *provider = r->rq.provider->name;
	char        label[72];
	int64_t     now = loop_now_us(run_loop(r));

	if (r->called_us == 0)
		return;
	snprintf(label, sizeof label, "%.*s", STR_ARG(r->rq.label));
	metric_add(METRIC_UPSTREAM,
		   (const char *[]){ provider, label,
				     r->failure.code ? err_code_wire(r->failure.code) : "ok" }, 1);
	metric_observe(METRIC_UPSTREAM_TIME, (const char *[]){ provider, label, "" },
		       now - r->called_us);
	if (r->first_token_us)
		metric_observe(METRIC_FIRST_TOKEN, (const char *[]){ provider, label, "" },
			       r->first_token_us - r->called_us);
	if (r->usage.known) {
		metric_add(METRIC_TOKENS, (const char *[]){ label, "input", "" }, r->usage.in);
		metric_add(METRIC_TOKENS, (const char *[]){ label, "output", "" }, r->usage.out);
	}
	if (r->open)
		metric_add(METRIC_EVENTS, (const char *[]){ "", "", "" }, (int64_t)r->seq);
}

/* conclude: everything that had to be durable is: the reader gets its end. */
static void conclude(struct run *r)
{
	const struct err *e = r->failure.code ? &r->failure : NULL;

	run_move(r, STATE_ENDED);
	live_remove(&r->live);
	book_metrics(r);
	if (!r->observer) {
		free_if_over(r);
		return;
	}
	if (!r->rq.prompt.stream || (e && !r->open)) {
		r->observer->done(r->observer_arg, e);
		return;
	}

	bool ok = e ? chunk_error(&r->printer, e, str_of(r->request_id), r->seq, &r->out)
		    : chunk_done(&r->printer, r->seq, &r->out);
	if (!ok)
		log_note(LOG_ERROR, "stream_end_lost", "no memory for the end of a stream");
	r->last = true;
	open_stream(r);
	wake(r);
}

static void on_end_stored(struct store_job *job)
{
	struct run *r = container_of(job, struct run, end.job);

	r->jobs--;
	/* An answer that could not be kept is not reported as a success. */
	if (job->err.code != ERR_OK)
		r->failure = job->err;
	conclude(r);
}

static bool print_end(struct run *r)
{
	if (answer_any(&r->answer) && !answer_print(&r->answer, &r->end_answer))
		return false;
	return r->failure.code == ERR_OK ||
	       err_object(&r->failure, str_of(r->request_id), &r->end_error);
}

static void store_end(struct run *r)
{
	run_move(r, STATE_ENDING);
	if (!print_end(r)) {
		err_set(&r->failure, ERR_INTERNAL, "", "no memory to store the answer");
		r->outcome = RUN_INCOMPLETE;
	}
	r->end = (struct turn_end){
		.job = { .loop = run_loop(r), .done = on_end_stored },
		.run = r->id,
		.status = r->outcome,
		.answer = buf_view(&r->end_answer),
		.finish_reason = str_of(r->outcome == RUN_CANCELLED ? "" : r->finish_reason),
		.error = buf_view(&r->end_error),
		.usage = r->usage,
		.first_token_ms = r->first_token_ms,
		.completed_ms = clock_wall_ms(),
		.last_seq = r->seq,
		.attempts = 1,
	};
	r->jobs++;
	if (r->engine->o.store->ops->turn_end(r->engine->o.store, &r->end))
		return;
	r->jobs--;
	err_set(&r->failure, ERR_STORAGE, "", "the answer could not be stored");
	conclude(r);
}

/* run_finish: the call is over, or never began (states up to BEGINNING). */
static void run_finish(struct run *r, enum run_status outcome, const struct err *e)
{
	bool begun = r->state == STATE_CALLING || r->state == STATE_STREAMING;

	timer_stop(run_loop(r), &r->commit_timer);
	if (r->call) {
		struct provider_call *call = TAKE(r->call);

		call->provider->ops->cancel(call);
	}
	if (e)
		r->failure = *e;
	r->outcome = outcome;
	r->seq++;
	if (stored(r) && begun)
		store_end(r);
	else
		conclude(r);
}

/* fail: an error of any stage; what has already been answered stays. */
static void fail(struct run *r, const struct err *e)
{
	run_finish(r, answer_any(&r->answer) ? RUN_INCOMPLETE : RUN_FAILED, e);
}

static void abort_now(struct task *t)
{
	struct run *r = container_of(t, struct run, abort_task);

	r->aborting = false;
	if (r->state == STATE_CALLING || r->state == STATE_STREAMING)
		fail(r, &r->failure);
	else
		free_if_over(r);
}

/* abort_later: from within a provider's callback, where its call must not be ended. */
static void abort_later(struct run *r, enum errc code, const char *text)
{
	if (r->aborting)
		return;
	err_set(&r->failure, code, "", "%s", text);
	r->aborting = true;
	r->abort_task.fn = abort_now;
	loop_later(run_loop(r), &r->abort_task);
}

void run_engine_stop(struct run_engine *g, const struct err *why)
{
	for (struct run *r = g->runs, *next; r; r = next) {
		next = r->next;
		if (r->state == STATE_CALLING || r->state == STATE_STREAMING)
			fail(r, why);
	}
}

/* --- event numbers --- */

static void on_reserved(struct store_job *job)
{
	struct run *r = container_of(job, struct run, reserve.job);

	r->jobs--;
	r->reserving = false;
	if (job->err.code == ERR_OK) {
		r->seq_reserved = r->reserve.upto;
		wake(r);
	} else if (r->state == STATE_STREAMING && r->call) {
		fail(r, &job->err);
		return;
	}
	free_if_over(r);
}

static void reserve_ahead(struct run *r)
{
	if (r->reserving || r->seq_reserved - r->seq > SEQ_AHEAD || r->seq_reserved == UINT64_MAX)
		return;
	r->reserving = true;
	r->reserve = (struct seq_reserve){
		.job = { .loop = run_loop(r), .done = on_reserved },
		.run = r->id,
		.upto = r->seq_reserved * 2,
	};
	r->jobs++;
	if (r->engine->o.store->ops->seq_reserve(r->engine->o.store, &r->reserve))
		return;
	r->jobs--; /* a full queue: asked again at the next event */
	r->reserving = false;
}

/* --- the provider's events --- */

static bool is_content(enum event_kind kind)
{
	switch (kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_MEDIA:
	case EVENT_MESSAGE: return true;
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT__COUNT: break;
	}
	return false;
}

static void first_content(struct run *r)
{
	run_move(r, STATE_STREAMING);
	r->first_token_us = clock_mono_us();
	r->first_token_ms = clock_wall_ms();
	open_stream(r);
}

/* keep: what the end will store or answer with; false: over a limit. */
static bool keep(struct run *r, const struct event *ev)
{
	if (!r->rq.prompt.stream && ev->raw.n > 0 && !ev->cont && !buf_str(&r->raw, ev->raw))
		return false;
	if (ev->kind == EVENT_USAGE)
		r->usage = ev->usage;
	if (ev->kind == EVENT_FINISH && ev->choice == 0 && !r->finish_reason[0])
		snprintf(r->finish_reason, sizeof r->finish_reason, "%.*s", STR_ARG(ev->text));
	/* A plain answer that goes through as it came needs no second copy, unless it is stored. */
	if (stored(r) || (ev->kind == EVENT_MESSAGE && ev->raw.n == 0))
		return answer_add(&r->answer, ev);
	return true;
}

static void print(struct run *r, const struct event *ev)
{
	if (!r->observer || !r->rq.prompt.stream)
		return;
	if (!chunk_event(&r->printer, ev, r->seq, &r->out)) {
		abort_later(r, ERR_OVERLOADED, "no memory for the stream");
		return;
	}
	if (r->out.len - r->out_at > LIMIT_FEED_HIGH)
		set_paused(r, true);
	if (!r->open && r->out.len > LIMIT_COMMIT_BYTES)
		open_stream(r);
	wake(r);
}

static void on_event(void *arg, const struct event *ev)
{
	struct run *r = arg;

	if (ev->kind == EVENT_ERROR || ev->kind == EVENT_END) {
		r->call = NULL; /* gone by itself */
		if (r->aborting)
			fail(r, &r->failure);
		else if (ev->kind == EVENT_END)
			run_finish(r, RUN_COMPLETED, NULL);
		else
			fail(r, ev->err);
		return;
	}
	if (r->aborting)
		return;
	if (!ev->cont)
		r->seq++;
	if (stored(r))
		reserve_ahead(r);
	if (!keep(r, ev)) {
		abort_later(r, ERR_UPSTREAM_BAD_RESPONSE, "the answer is over the size that is kept");
		return;
	}
	print(r, ev);
	if (r->state == STATE_CALLING && is_content(ev->kind))
		first_content(r);
}

/* --- the call --- */

static void on_commit_timer(struct timer *t)
{
	open_stream(container_of(t, struct run, commit_timer));
}

static enum errc put_instruction(struct run *r, struct str *ret, struct err *e)
{
	struct buf text;
	struct str made = STR_NONE;

	buf_init(&text, LIMIT_BODY_MAX);
	if (buf_text(&text, "{\"role\":\"system\",\"content\":") &&
	    buf_json_string(&text, r->rq.instruction) && buf_text(&text, "}"))
		made = arena_str(&r->rq.input->arena, buf_view(&text));
	buf_finish(&text);
	if (!made.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the instruction");
	*ret = made;
	return ERR_OK;
}

/* render: one message as the provider sees it; OpenAI's requests go through untouched. */
static enum errc render(struct run *r, struct str message, struct str *ret, struct err *e)
{
	if (r->rq.native)
		return context_render(message, &r->rq.input->arena, ret, e);
	*ret = message;
	return ERR_OK;
}

/* build_prompt: instruction, the branch that is continued, the new messages. */
static enum errc build_prompt(struct run *r, struct err *e)
{
	size_t      count = r->branch.message_count + r->rq.message_count + 1;
	struct str *list = arena_alloc(&r->rq.input->arena, count * sizeof *list);
	size_t      n = 0;
	enum errc   rc = ERR_OK;

	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (r->rq.instruction.n > 0)
		rc = put_instruction(r, &list[n++], e);
	for (size_t i = 0; rc == ERR_OK && i < r->branch.message_count; i++)
		rc = render(r, r->branch.messages[i].body, &list[n++], e);
	for (size_t i = 0; rc == ERR_OK && i < r->rq.message_count; i++)
		rc = render(r, r->rq.messages[i], &list[n++], e);
	r->rq.prompt.messages = list;
	r->rq.prompt.message_count = n;
	return rc;
}

static void run_call(struct run *r)
{
	struct err                 e;
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);
	const struct provider     *p = r->rq.provider;

	run_move(r, STATE_CALLING);
	r->begun = true;
	if (!r->observer && !r->rq.finish) {
		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, RUN_CANCELLED, &e);
		return;
	}
	r->called_us = loop_now_us(run_loop(r));
	if (build_prompt(r, &e) != ERR_OK ||
	    p->ops->start(p, &r->engine->o.env, &r->rq.prompt, on_event, r, &r->call, &e) != ERR_OK) {
		fail(r, &e);
		return;
	}
	if (r->rq.prompt.stream) {
		r->commit_timer.fn = on_commit_timer;
		timer_start(run_loop(r), &r->commit_timer, now->commit_after_us);
	}
}

/* --- the store's part --- */

static void on_begun(struct store_job *job)
{
	struct run *r = container_of(job, struct run, begin.job);

	r->jobs--;
	free(TAKE(r->begin_messages));
	if (job->err.code != ERR_OK) {
		struct err e = job->err;

		fail(r, &e);
		return;
	}
	run_call(r);
}

static bool submit_begin(struct run *r)
{
	size_t n = r->rq.message_count;

	r->begin_messages = calloc(n ? n : 1, sizeof *r->begin_messages);
	if (!r->begin_messages)
		return false;
	for (size_t i = 0; i < n; i++)
		r->begin_messages[i] = (struct store_message){ id_new(), r->rq.messages[i] };
	r->begin = (struct turn_begin){
		.job = { .loop = run_loop(r), .done = on_begun },
		.owner = r->rq.owner,
		.now_ms = r->created_ms,
		.run = r->id,
		.conversation = r->conversation,
		.new_conversation = id_none(r->rq.conversation),
		.metadata = r->rq.metadata,
		.parent = r->branch.leaf,
		.expected_leaf = r->branch.expected_leaf,
		.instruction_set = r->rq.instruction_set,
		.instruction = r->rq.instruction,
		.model = r->rq.model,
		.provider = str_of(r->rq.provider->name),
		.shape = r->rq.native ? STR("native") : STR("openai"),
		.messages = r->begin_messages,
		.message_count = n,
		.seq_reserved = r->seq_reserved,
	};
	r->jobs++;
	if (r->engine->o.store->ops->turn_begin(r->engine->o.store, &r->begin))
		return true;
	r->jobs--;
	return false;
}

static void run_begin(struct run *r)
{
	struct err e;

	run_move(r, STATE_BEGINNING);
	if (submit_begin(r))
		return;
	err_set(&e, ERR_OVERLOADED, "", "too many turns are waiting to be stored");
	fail(r, &e);
}

static void on_branch(struct store_job *job)
{
	struct run *r = container_of(job, struct run, branch.job);
	struct err  e = job->err;

	r->jobs--;
	if (e.code == ERR_OK && r->branch.live) {
		err_set(&e, ERR_CONVERSATION_BUSY, "conversation",
			"an answer is being made in this conversation; try again when it has ended");
		e.retry_after_ms = 1000;
	}
	if (e.code != ERR_OK) {
		fail(r, &e);
		return;
	}
	/* The branch's instruction holds until another one is set; the run's row repeats neither. */
	if (!r->rq.instruction_set && r->branch.instruction_set)
		r->rq.instruction = r->branch.instruction;
	if (!r->observer && !r->rq.finish) {
		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, RUN_CANCELLED, &e);
	} else if (stored(r)) {
		run_begin(r);
	} else {
		run_call(r);
	}
}

static bool submit_load(struct run *r)
{
	run_move(r, STATE_LOADING);
	r->branch = (struct branch_read){
		.job = { .loop = run_loop(r), .done = on_branch },
		.owner = r->rq.owner,
		.conversation = r->rq.conversation,
	};
	arena_init(&r->branch.arena, LIMIT_BRANCH_BYTES);
	r->branch_read = true;
	r->jobs++;
	if (r->engine->o.store->ops->branch_read(r->engine->o.store, &r->branch))
		return true;
	r->jobs--;
	return false;
}

static void start_calling(struct task *t)
{
	struct run *r = container_of(t, struct run, abort_task);

	r->aborting = false;
	run_call(r);
}

enum errc run_start(struct run_engine *g, const struct run_request *rq,
		    const struct run_observer *observer, void *arg, struct run **ret, struct err *e)
{
	struct run *r = run_new(g, rq);
	bool        ok = true;

	if (!r) {
		input_destroy(rq->input);
		if (rq->release)
			rq->release(rq->held);
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	}
	r->observer = observer;
	r->observer_arg = arg;
	enlist_live(r);
	if (!id_none(rq->conversation)) {
		ok = submit_load(r);
	} else if (rq->store) {
		run_move(r, STATE_BEGINNING);
		ok = submit_begin(r);
	} else {
		/* Observers are not called from within run_start, and a call may fail at once. */
		r->aborting = true;
		r->abort_task.fn = start_calling;
		loop_later(run_loop(r), &r->abort_task);
	}
	if (!ok) {
		run_free(r);
		return err_set(e, ERR_OVERLOADED, "", "too many turns are waiting to be stored");
	}
	*ret = r;
	return ERR_OK;
}
