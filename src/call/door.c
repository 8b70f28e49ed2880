/* A call's way from its request to its run, and the reader of the answer. */
#include "call/door.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "call/admission.h"
#include "call/internal.h"
#include "desk/answer_slot.h"
#include "msg/call_note.h"
#include "msg/family.h"
#include "provider/registry.h"

#include <stdlib.h>

/* --- the request --- */

enum errc door_target(const struct registry *registry, struct str model, const char *path,
		      struct call_request *rq, struct err *e)
{
	struct target target;
	enum errc     rc = registry_find_for(registry, model, rq->caller.who, &target, e);

	if (rc != ERR_OK) {
		/* Who looks for the reason sees the name that was asked for. */
		rq->what.model = model;
		err_at(e, path);
		return rc;
	}
	rq->what.model = target.asked;
	rq->what.provider = target.provider;
	rq->what.route = target.model;
	rq->what.asked = target.asked;
	rq->what.label = target.label;
	rq->what.takes = target.takes;
	rq->what.prompt.model = target.upstream_model;
	return ERR_OK;
}

/* same_key: whether two members `"key":value` have one key. */
static bool same_key(struct str a, struct str b)
{
	const char *colon = memchr(b.p, ':', b.n);

	return str_starts(a, (struct str){ b.p, (size_t)(colon - b.p) });
}

static bool door_has(const struct prompt *p, struct str member)
{
	for (size_t i = 0; i < p->member_count; i++)
		if (same_key(p->members[i], member))
			return true;
	return false;
}

/* door_defaults: adds what the configuration says for a model and the request does not.  An
 * instruction of the conversation has priority (run/core/save), and so has a system message
 * (run/core/prompt). */
static enum errc door_defaults(struct call_request *rq, struct err *e)
{
	const struct model_defaults *d = rq->what.route ? registry_defaults(rq->what.route) : NULL;
	struct prompt               *p = &rq->what.prompt;
	struct str                  *list;

	if (!d || p->embed || p->text)
		return ERR_OK;
	if (!rq->what.instruction_set && d->instruction.n > 0) {
		rq->what.instruction = d->instruction;
		rq->what.instruction_default = true;
	}
	if (p->max_tokens.n == 0)
		p->max_tokens = d->max_tokens;
	if (d->member_count == 0)
		return ERR_OK;
	list = arena_alloc(&rq->input->arena, (p->member_count + d->member_count) * sizeof *list);
	if (!list)
		return err_no_memory(e);
	if (p->member_count > 0)
		memcpy(list, p->members, p->member_count * sizeof *list);
	size_t n = p->member_count;
	for (size_t i = 0; i < d->member_count; i++)
		if (!door_has(p, d->members[i]))
			list[n++] = d->members[i];
	p->members = list;
	p->member_count = n;
	return ERR_OK;
}

bool door_has_choice(const struct call_request *rq)
{
	return rq->what.route && registry_several(rq->what.route);
}

bool door_resumes(const struct call_request *rq)
{
	return door_has_choice(rq) || (rq->what.route && registry_restarts(rq->what.route));
}

bool door_has_sessions(const struct call_request *rq)
{
	const struct model *m = rq->what.route;

	return m && (registry_holds(m) || registry_caches(m));
}

void door_drop(struct call_request *rq)
{
	if (rq->release)
		rq->release(rq->held);
	input_destroy(rq->input);
}

/* --- the log --- */

/* The members of a call's log line that its run does not know. */
struct door_line {
	int64_t start_us;
	char    request_id[ID_MAX];
	char    key[IDENTITY_ID_MAX];
	char    model[LIMIT_MODEL + 1];
	bool    stream;
};

static bool line_begin(struct door_call *c, const struct call_request *rq)
{
	if (c->observer->logs || !log_on(LOG_INFO))
		return true;
	c->line = calloc(1, sizeof *c->line);
	if (!c->line)
		return false;
	c->line->start_us = clock_mono_us();
	c->line->stream = rq->what.prompt.stream;
	str_copy(c->line->request_id, sizeof c->line->request_id, rq->caller.request_id);
	str_copy(c->line->key, sizeof c->line->key, str_of(rq->caller.who->id));
	str_copy(c->line->model, sizeof c->line->model, rq->what.model);
	return true;
}

static struct call_note note_of(const struct run_view *v, int64_t start_us)
{
	return (struct call_note){
		.run = v->id,
		.conversation = v->conversation,
		.provider = v->provider,
		.finish_reason = v->finish_reason,
		.cache = (uint8_t)v->cache,
		.outcome = v->over ? str_of(call_outcome_name(v->outcome)) : STR_NONE,
		.error_code = v->failure ? str_of(err_wire(v->failure)) : STR_NONE,
		.tokens_in = v->usage.in,
		.tokens_out = v->usage.out,
		.first_token_us = v->first_token_us ? v->first_token_us - start_us : 0,
		.upstream_us = v->answered_us ? v->answered_us - v->called_us : 0,
		.attempts = v->attempts,
		.costs = v->costs,
		.cost_nano = v->cost_nano,
	};
}

bool door_note(const struct door_call *c, int64_t start_us, struct call_note *ret)
{
	struct run_view v;

	if (c->phase != DOOR_RUNS)
		return false;
	run_view(c->run, &v);
	*ret = note_of(&v, start_us);
	return true;
}

bool door_replays(const struct door_call *c)
{
	return c->phase == DOOR_EARLIER;
}

/* line_end: e: why there is no answer, or NULL. */
static void line_end(struct door_call *c, const struct err *e)
{
	struct door_line *l = TAKE(c->line);
	struct call_note  note = { 0 };
	struct door_view  v;
	struct log_line   line;

	if (!l)
		return;
	if (!e && (c->phase == DOOR_RUNS || c->phase == DOOR_EARLIER)) {
		door_view(c, &v);
		note = note_of(&v.run, l->start_us);
		e = v.run.failure;
	}
	if (note.outcome.n == 0)
		note.outcome = str_of(call_outcome_name(e ? CALL_REFUSED : CALL_CLIENT_LEFT));
	note.model = str_of(l->model);
	note.stream = l->stream;
	log_begin(&line, LOG_INFO, "call");
	log_str(&line, "request_id", str_of(l->request_id));
	log_ms(&line, "duration_ms", clock_mono_us() - l->start_us);
	if (c->observer->purpose)
		log_str(&line, "purpose", str_of(c->observer->purpose));
	if (l->key[0])
		log_str(&line, "key_id", str_of(l->key));
	call_note_log(&note, &line);
	if (e)
		log_str(&line, "error_code", str_of(err_wire(e)));
	log_end(&line);
	free(l);
}

/* --- the way in --- */

void door_refuse(struct door_call *c, const struct err *e)
{
	line_end(c, e);
	c->observer->refused(c->arg, e);
	free(c);
}

void door_limits(const struct door_call *c, const struct call_request *rq)
{
	struct rate_view view;

	if (!c->observer->limits)
		return;
	admit_look(c->door->admit, rq->caller.who, &view);
	c->observer->limits(c->arg, &view);
}

static void door_told(struct admit_wait *w, const struct rate_view *view)
{
	struct door_call *c = container_of(w, struct door_call, wait);

	if (c->observer->limits)
		c->observer->limits(c->arg, view);
}

static void door_gone(struct admit_wait *w)
{
	free(container_of(w, struct door_call, wait));
}

/* door_end: the call ends without a run, and so does its slot. */
static void door_end(struct door_call *c, struct answer_slot *slot, const struct err *e)
{
	answer_slot_end(slot, CLAIM_FREED, e);
	door_refuse(c, e);
}

/* door_begin: the call has its place. */
static void door_begin(struct door_call *c)
{
	struct admit_pass    pass = c->wait.pass;
	struct call_request *rq = TAKE(c->rq);
	struct answer_slot  *slot = rq->caller.slot;
	struct run          *run;
	struct err           e;

	rq->caller.pass = &pass;
	if (run_start(c->door->runs, rq, &c->observer->run, c->arg, &run, &e) != ERR_OK) {
		admit_over(&pass, false, 0);
		door_end(c, slot, &e);
		return;
	}
	c->phase = DOOR_RUNS;
	c->run = run;
}

static void door_answer(struct admit_wait *w, const struct err *e)
{
	struct door_call *c = container_of(w, struct door_call, wait);

	if (!e) {
		door_begin(c);
		return;
	}
	struct call_request *rq = TAKE(c->rq);
	struct answer_slot  *slot = rq->caller.slot;

	door_drop(rq);
	door_end(c, slot, e);
}

void door_admit(struct door_call *c, struct call_request *rq)
{
	const struct json_doc *doc = &rq->input->doc;
	struct admit_ask       ask = {
		      .now = c->door->admit,
		      .who = rq->caller.who,
		      .bytes = rq->input->body.len + doc->count * sizeof *doc->tok,
		      .loop = c->door->loop,
	};
	struct rate_view view;
	struct err       e;

	if (admit_counts_tokens(ask.now, ask.who))
		admission_estimate(rq, &ask);
	c->phase = DOOR_WAITS;
	c->rq = rq;
	c->wait = (struct admit_wait){ .fn = door_answer, .gone = door_gone, .told = door_told };
	enum admit_answer answer = admit_enter(&ask, &c->wait, &view, &e);
	door_told(&c->wait, &view);
	switch (answer) {
	case ADMIT_IN: door_begin(c); break;
	case ADMIT_REFUSED: door_answer(&c->wait, &e); break;
	case ADMIT_WAITS: break;
	}
}

/* --- the observer --- */

struct door_call *door_create(const struct door *d, const struct door_observer *o, void *arg)
{
	struct door_call *c = calloc(1, sizeof *c);

	if (c) {
		c->door = d;
		c->observer = o;
		c->arg = arg;
		c->phase = DOOR_WAITS;
	}
	return c;
}

void door_start(struct door_call *c, struct call_request *rq)
{
	struct err e;

	if (!rq->manner.shape)
		rq->manner.shape = rq->manner.family->shapes;
	enum errc rc = line_begin(c, rq) ? door_defaults(rq, &e) : err_no_memory(&e);
	if (rc != ERR_OK) {
		door_drop(rq);
		door_refuse(c, &e);
	} else if (rq->caller.key) {
		keyed_start(c, rq);
	} else {
		door_admit(c, rq);
	}
}

/* leave_waiting: what has not begun does not go on without its observer.  False: admission still has c. */
static bool leave_waiting(struct door_call *c)
{
	struct call_request *rq = TAKE(c->rq);

	if (!rq)
		return true; /* it was not started */
	answer_slot_end(TAKE(rq->caller.slot), CLAIM_FREED, NULL);
	door_drop(rq);
	return admit_leave(&c->wait);
}

void door_leave_note(struct door_call *c, struct call_note *ret)
{
	struct run_left left;

	*ret = (struct call_note){ 0 };
	if (c->phase != DOOR_RUNS) {
		door_leave(c);
		return;
	}
	line_end(c, NULL);
	run_leave_told(c->run, &left);
	free(c);
	*ret = (struct call_note){
		.outcome = str_of(call_outcome_name(left.outcome)),
		.tokens_in = left.usage.in,
		.tokens_out = left.usage.out,
		.costs = left.costs,
		.cost_nano = left.cost_nano,
	};
}

void door_leave(struct door_call *c)
{
	bool mine = true;

	line_end(c, NULL);
	switch (c->phase) {
	case DOOR_KEYED: keyed_leave(c->keyed); break;
	case DOOR_WAITS: mine = leave_waiting(c); break;
	case DOOR_RUNS: run_leave(c->run); break;
	case DOOR_EARLIER: earlier_leave(c->earlier); break;
	}
	if (mine)
		free(c);
}

struct str door_ready(struct door_call *c, bool *ret_last)
{
	return c->phase == DOOR_RUNS ? run_ready(c->run, ret_last)
				     : earlier_ready(c->earlier, ret_last);
}

void door_taken(struct door_call *c, size_t n)
{
	if (c->phase == DOOR_RUNS)
		run_taken(c->run, n);
	else
		earlier_taken(c->earlier, n);
}

bool door_broken(const struct door_call *c, bool abort)
{
	struct run_view v;

	if (c->phase != DOOR_RUNS)
		return earlier_broken(c->earlier, abort);
	run_view(c->run, &v);
	return v.cut || (abort && v.failure);
}

bool door_whole(struct door_call *c, struct buf *out)
{
	if (c->phase == DOOR_RUNS)
		return run_whole(c->run, out);
	earlier_whole(c->earlier, out);
	return true;
}

void door_view(const struct door_call *c, struct door_view *ret)
{
	if (c->phase != DOOR_RUNS) {
		earlier_view(c->earlier, ret);
		return;
	}
	run_view(c->run, &ret->run);
	ret->replayed = false;
	ret->failed = ret->run.failure != NULL;
	ret->stored = ret->run.conversation.n > 0;
	ret->http = 200;
}
