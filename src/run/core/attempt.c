/* The attempts of a call: their beginnings and ends, what a failure before the commit leads to, and the
 * waits between attempts.  run/retry decides what follows a failure. */
#include "provider/tally.h"
#include "run/retry.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "lmc/text.h"
#include "run/computer.h"

#include <stdio.h>
#include <string.h>

/* --- one attempt's end --- */

static struct health_target health_key(const struct run *r)
{
	if (r->given.route)
		return choice_health(&r->attempt.target);
	return (struct health_target){ r->provider->label, str_of(r->given.model),
				       &r->provider->health };
}

static struct str asked_model(const struct run *r)
{
	return r->given.route ? r->attempt.target.upstream_model : str_of(r->given.model);
}

static struct attempt_asked whom_asked(const struct run *r)
{
	return (struct attempt_asked){ asked_model(r), r->provider->place };
}

static void attempt_tell(struct run *r, enum health_news news, const struct err *e)
{
	struct health_target t = health_key(r);

	health_tell(&t, news, e ? e->retry_after_ms * 1000 : 0, r->attempt.target.probe,
		    clock_mono_us());
	if (r->attempt.chosen)
		choice_done(&r->attempt.target);
	r->attempt.chosen = false;
}

/* token_us: when the first content of the last attempt came; 0: none has. */
static int64_t token_us(const struct run *r)
{
	return r->computer ? r->computer->token_us : r->attempt.first_token_us;
}

/* tell_trace: sends the attempt's span.  The attributes have the names of OpenTelemetry's semantic
 * conventions for generative AI; content is never sent. */
static void tell_trace(const struct run *r, const struct err *e)
{
	const struct attempt *a = &r->attempt;
	const struct usage   *u = &r->kept.usage;
	struct str            model = { r->given.model, strnlen(r->given.model, LIMIT_MODEL) };
	const char           *what = r->given.embed  ? "embeddings"
				     : r->given.text ? "text_completion"
						     : "chat";
	struct trace_span     s;
	char                  name[128];

	if (!trace_wanted(&a->trace))
		return;
	snprintf(name, sizeof name, "%s %s", what, r->given.label);
	struct str whole = str_of(name);
	whole.n = text_whole(whole);
	trace_open(&s, &a->trace, TRACE_CLIENT, whole, clock_mono_us() - a->called_us);
	trace_str(&s, "gen_ai.operation.name", str_of(what));
	trace_str(&s, "gen_ai.provider.name", str_of(r->provider->name));
	trace_str(&s, "gen_ai.request.model", model);
	trace_bool(&s, "gen_ai.request.stream", r->given.stream);
	if (run_stored(r))
		trace_str(&s, "gen_ai.conversation.id", str_of(r->names.conversation_text));
	trace_list(&s, "gen_ai.response.finish_reasons", str_of(r->kept.finish_reason));
	if (token_us(r) >= a->called_us)
		trace_seconds(&s, "gen_ai.response.time_to_first_chunk",
			      token_us(r) - a->called_us);
	if (u->known) {
		trace_int(&s, "gen_ai.usage.input_tokens", u->in);
		trace_int(&s, "gen_ai.usage.output_tokens", u->out);
		trace_int(&s, "gen_ai.usage.cache_read.input_tokens", u->cached_read);
		trace_int(&s, "gen_ai.usage.reasoning.output_tokens", u->reasoning);
	}
	trace_int(&s, "parley.attempt", a->count);
	trace_str(&s, "parley.run", str_of(r->names.id_text));
	trace_close(&s, e ? err_code_wire(e->code) : NULL);
}

/* end_attempt: reports the end of the attempt that goes on, if there is one, to health, trace and
 * metrics. */
static void end_attempt(struct run *r, enum health_news news, const struct err *e)
{
	if (!r->attempt.on)
		return;
	r->attempt.on = false;
	attempt_tell(r, news, e);
	tally_over(registry_tally(&r->attempt.target), e, clock_wall_ms());
	if (!e && r->kept.usage.known)
		tally_used(registry_tally(&r->attempt.target), r->kept.usage.in,
			   r->kept.usage.cached_read);
	tell_trace(r, e);
	metric_add(METRIC_ATTEMPTS,
		   (const char *[]){ r->provider->name, e ? err_code_wire(e->code) : "ok", "" }, 1);
}

static void tell_healthy(struct run *r)
{
	struct health_target t;
	int64_t              now_us = clock_mono_us();

	if (cache_is_hit(r))
		return;
	t = health_key(r);
	tally_first(registry_tally(&r->attempt.target), now_us - r->attempt.called_us, now_us);
	health_tell(&t, HEALTH_GOOD, 0, false, now_us);
	r->attempt.target.probe = false; /* the probe has told health its result */
}

void attempt_content(struct run *r)
{
	run_move(r, STATE_STREAMING);
	if (r->computer) {
		r->computer->token_us = clock_mono_us();
		r->computer->token_ms = clock_wall_ms();
	}
	if (!r->attempt.first_token_us) {
		r->attempt.first_token_us = clock_mono_us();
		if (r->attempt.first_token_ms == 0) /* else it came in an earlier life */
			r->attempt.first_token_ms = clock_wall_ms();
		run_stages_news(r, false);
		if (r->live)
			live_set_first(r->live, r->attempt.first_token_ms);
	}
	tell_healthy(r);
}

void attempt_good(struct run *r)
{
	end_attempt(r, HEALTH_GOOD, NULL);
	if (r->given.route && !cache_is_hit(r))
		r->attempt.by.last = registry_mark(&r->attempt.target);
	timer_stop(run_loop(r), &r->attempt.total);
}

bool attempt_stop(struct run *r, const struct run_ending *x)
{
	struct err e = { .code = ERR_CANCELLED };

	(void)x;
	call_drop(r);
	end_attempt(r, HEALTH_NEITHER, r->failure ? r->failure : &e);
	if (r->attempt.chosen) /* the target was not asked yet: a worker had the prompt */
		attempt_tell(r, HEALTH_NEITHER, NULL);
	timer_stop(run_loop(r), &r->attempt.wait);
	timer_stop(run_loop(r), &r->attempt.total);
	err_drop(&r->attempt.last);
	r->attempt.spent |= run_stages_cut(r);
	return false;
}

void attempt_told(struct run *r, const struct usage *u)
{
	r->attempt.told = *u;
}

void attempt_commit(struct run *r)
{
	if (r->attempt.resumed) { /* else its first content says so (attempt_content) */
		r->attempt.resumed_ms = clock_wall_ms();
		tell_healthy(r);
	}
	if (r->live && r->call)
		r->live->log.http = (int16_t)r->call->http;
	r->attempt.committed = true;
}

/* --- the next attempt --- */

static bool is_later(const struct run *r)
{
	return r->attempt.count > r->attempt.before;
}

/* name_origin: a dialect names a message of the prompt; the client knows those of its request.  What
 * the dialect says of the content is left out, because parts may have moved. */
static void name_origin(const struct run *r, struct err *e)
{
	const struct prompt *p = &r->rq->what.prompt;
	size_t               place = 0;

	size_t before = p->message_count - r->rq->what.message_count; /* a default instruction */

	if (!p->origins || sscanf(e->path, "messages[%zu]", &place) != 1 ||
	    place >= p->message_count)
		return;
	if (place < before)
		e->path[0] = '\0';
	else if (p->origins[place - before] == PROMPT_SYSTEM)
		snprintf(e->path, sizeof e->path, "system");
	else
		snprintf(e->path, sizeof e->path, "messages[%u]", p->origins[place - before]);
}

static enum errc attempt_begin(struct run *r, struct err *e)
{
	const struct provider *p = r->provider;
	struct attempt        *a = &r->attempt;

	r->attempt.called_us = loop_now_us(run_loop(r));
	if (r->computer) {
		r->computer->token_us = r->computer->token_ms = 0;
		r->computer->booked = false;
	}
	trace_child(&a->trace, &r->given.trace);
	r->rq->what.prompt.trace = &a->trace;
	enum errc rc = call_ask(r, e);
	if (rc != ERR_OK) {
		name_origin(r, e);
		attempt_tell(r, HEALTH_NEITHER, NULL);
		return rc;
	}
	a->on = true;
	a->committed = false;
	a->settled = false;
	a->count++;
	struct attempt_asked whom = whom_asked(r);
	if (r->live)
		live_attempt_begun(r->live, p->name, &whom, clock_wall_ms(), a->count);
	if (a->count > 1 || cache_awaits(r))
		run_stages_news(r, true);
	if (a->count == a->before + 1 || (r->given.restarted && a->total_us == 0))
		a->total_us = p->total_us;
	if (a->count == 1)
		call_begun(r); /* may free the run */
	return ERR_OK;
}

static enum errc attempt_encode(struct run *r, struct err *e)
{
	const struct provider *p = r->provider;

	fit_cache(r);

	return p->ops->encode(p, &r->rq->what.prompt, &r->aside.body, e);
}

static bool try_targets(struct run *r, struct err *e);

static void on_encoded(struct run *r, struct err *e)
{
	if (e->code == ERR_OK) {
		r->rq->what.prompt.body = &r->aside.body;
		e->code = attempt_begin(r, e);
	} else {
		name_origin(r, e);
		attempt_tell(r, HEALTH_NEITHER, NULL);
	}
	if (e->code == ERR_OK ||
	    (r->given.route && (is_later(r) || r->attempt.warm) && try_targets(r, e)))
		return;
	run_finish(r, e);
}

/* start_attempt: begins an attempt, or lets a worker print the prompt first. */
static enum errc start_attempt(struct run *r, struct err *e)
{
	const struct provider *p = r->provider;

	if (fit_prompt(r, e) != ERR_OK)
		return e->code;
	if (!p->ops->encode || !aside_wanted(r)) {
		fit_cache(r);
		return attempt_begin(r, e);
	}
	buf_finish(&r->aside.body); /* the body of an earlier attempt that could not begin */
	aside_do(r, attempt_encode, on_encoded);
	return ERR_OK;
}

/* try_targets: asks the next target; false: no target could be asked, and e says why. */
static bool try_targets(struct run *r, struct err *e)
{
	struct choice_block block = { 0 };

	while (choose_target(r, &block)) {
		if (start_attempt(r, e) == ERR_OK)
			return true;
		/* If the first target can't be asked, the request is refused: other targets are
		 * there for failures of providers.  A later target that can't be asked is
		 * skipped. */
		if (!r->given.route || !(is_later(r) || r->attempt.warm))
			return false;
	}
	if (is_later(r))
		*e = *r->attempt.last;
	else
		choose_blocked(r, &block, e);
	return false;
}

static void on_wait(struct timer *t)
{
	struct run *r = container_of(t, struct run, attempt.wait);
	struct err  e;

	if (!try_targets(r, &e))
		run_finish(r, &e);
}

static void tell_broken(struct run *r, struct err *e);

static void on_total(struct timer *t)
{
	struct run *r = container_of(t, struct run, attempt.total);
	struct err  e;

	err_set(&e, ERR_TOTAL_TIMEOUT, "",
		"the provider '%s' did not finish within the total time limit of all attempts",
		r->provider->name);
	if (r->attempt.resumed) {
		r->attempt.settled |= !r->attempt.on; /* else it waits, and has settled them all */
		call_drop(r);
		end_attempt(r, HEALTH_NEITHER, &e);
		tell_broken(r, &e);
	}
	run_finish(r, &e);
}

void attempt_waits(struct run *r)
{
	run_stages_news(r, true); /* nobody is asked so far */
	r->attempt.total.fn = on_total;
	if (r->provider->total_us > 0)
		timer_start(run_loop(r), &r->attempt.total, r->provider->total_us);
}

void attempt_waited(struct run *r)
{
	timer_stop(run_loop(r), &r->attempt.total);
}

/* asked_mark: a target is the conversation's for the model that was asked, and no other. */
static uint64_t asked_mark(const struct run *r)
{
	return mix_str(MIX_BEGIN, r->given.asked);
}

int64_t attempt_place(const struct run *r)
{
	const struct attempt *a = &r->attempt;

	if (a->count == 0 || !a->target.model || !registry_holds(r->given.route))
		return 0;
	return (int64_t)(registry_mark(&a->target) ^ asked_mark(r));
}

/* read_affinity: a session that the client names goes where its hash says; else a stored conversation is
 * one, and stays where its last good answer came from. */
static void read_affinity(struct run *r)
{
	struct affinity *by = &r->attempt.by;

	if (r->attempt.first_us > 0 || by->session || !run_stored(r) || !r->given.route ||
	    !(registry_holds(r->given.route) || registry_caches(r->given.route)))
		return;
	by->session =
		mix_str(MIX_BEGIN ^ (uint64_t)r->given.owner, str_of(r->names.conversation_text)) |
		1;
	if (r->jobs && r->jobs->branch && r->jobs->branch->read.target)
		by->last = (uint64_t)r->jobs->branch->read.target ^ asked_mark(r);
}

enum errc attempt_first(struct run *r, struct err *e)
{
	struct attempt *a = &r->attempt;
	bool            first = a->first_us == 0;

	read_affinity(r);
	a->model = r->given.route;
	a->name = r->given.asked;
	a->wait.fn = on_wait;
	a->total.fn = on_total;
	a->first_us = loop_now_us(run_loop(r));
	a->warnings_len = (uint32_t)run_warnings(r)->json.len;
	a->warnings_count = (uint32_t)run_warnings(r)->count;
	if (first) { /* a later step has the list without what one target refuses */
		a->members = r->rq->what.prompt.members;
		a->member_count = r->rq->what.prompt.member_count;
	}
	return try_targets(r, e) ? ERR_OK : e->code;
}

/* has_signed: whether the request may have what a provider signed, which another one may refuse. */
static bool has_signed(const struct run *r)
{
	/* "signature", "thoughtSignature" and "thought_signature" */
	static const char      signature[] = "ignature\"";
	static const char      extra[] = "\"extra_content\"", details[] = "\"reasoning_details\"";
	const struct prompt   *p = r->rq ? &r->rq->what.prompt : NULL;
	const struct json_doc *own = p && p->native ? p->native->doc : NULL;

	if (own && memmem(own->text, own->len, signature, strlen(signature)))
		return true;
	for (size_t i = 0; p && i < p->message_count; i++)
		if (p->messages[i].n > 0 &&
		    (memmem(p->messages[i].p, p->messages[i].n, extra, strlen(extra)) ||
		     memmem(p->messages[i].p, p->messages[i].n, details, strlen(details))))
			return true;
	return false;
}

bool attempt_only(const struct run *r)
{
	return r->provider->retries == 0 && !(r->given.route && registry_several(r->given.route)) &&
	       !has_signed(r);
}

static int64_t left_us(const struct run *r)
{
	const struct attempt *a = &r->attempt;

	return a->total_us > 0 ? a->first_us + a->total_us - clock_mono_us() : INT64_MAX;
}

/* pass_over: the run does not end with this attempt.  Its end reports the usage of the last one, so the usage of
 * this one is counted here, and logged if another attempt follows. */
static void pass_over(struct run *r, const struct err *e, bool follows)
{
	const char     *provider = r->provider->name;
	struct usage    u = r->attempt.told;
	struct log_line l;

	if (!u.known)
		return;
	r->attempt.told.known = false;
	metric_add(METRIC_TOKENS, (const char *[]){ r->given.label, "input", "" }, u.in);
	metric_add(METRIC_TOKENS, (const char *[]){ r->given.label, "output", "" }, u.out);
	if (!follows)
		return;
	metric_add(METRIC_DROPPED_TOKENS, (const char *[]){ provider, "input", "" }, u.in);
	metric_add(METRIC_DROPPED_TOKENS, (const char *[]){ provider, "output", "" }, u.out);
	log_begin(&l, LOG_WARN, "attempt_dropped");
	log_str(&l, "run", str_of(r->names.id_text));
	log_str(&l, "upstream", str_of(provider));
	log_str(&l, "error_code", str_of(err_code_wire(e->code)));
	log_int(&l, "tokens_in", u.in);
	log_int(&l, "tokens_out", u.out);
	log_end(&l);
}

/* first_ms: when the attempt's first content came; 0: none has. */
static int64_t first_ms(const struct run *r)
{
	const struct attempt *a = &r->attempt;

	if (!a->committed)
		return 0;
	return a->resumed ? a->resumed_ms : a->first_token_ms;
}

/* attempt_give_up: another attempt follows; notes what became of this one. */
static void attempt_give_up(struct run *r, const struct err *e)
{
	struct attempt_end   x = { .how = ATTEMPT_DROPPED, .e = e };
	struct attempt_asked whom = whom_asked(r);

	run_stages_over(r, &x);
	if (!r->live)
		return;
	live_attempt_past(r->live, &whom,
			  &(struct attempt_past){
				  .provider = r->provider->name,
				  .code = err_wire(e),
				  .http = e->upstream_status,
				  .first_ms = first_ms(r),
				  .ended_ms = clock_wall_ms(),
				  .usage = x.used,
				  .costs = (x.used.known || x.used.estimated) && x.priced,
				  .nano = x.nano,
				  .price = x.price,
			  });
}

static void attempt_book(struct run *r, const char *code)
{
	const char *provider = r->provider->name;

	if (r->attempt.called_us == 0 || (r->computer && r->computer->booked))
		return;
	if (r->computer)
		r->computer->booked = true;
	metric_add(METRIC_UPSTREAM, (const char *[]){ provider, r->given.label, code }, 1);
	metric_observe(METRIC_UPSTREAM_TIME, (const char *[]){ provider, r->given.label, "" },
		       loop_now_us(run_loop(r)) - r->attempt.called_us);
	/* The first content of an answer that has gone on is the first attempt's. */
	if (token_us(r) >= r->attempt.called_us)
		metric_observe(METRIC_FIRST_TOKEN, (const char *[]){ provider, r->given.label, "" },
			       token_us(r) - r->attempt.called_us);
}

/* as_step: what is told of an attempt whose run has several steps. */
static struct attempt_past as_step(const struct run *r, const struct attempt_end *x)
{
	return (struct attempt_past){
		.provider = r->provider->name,
		.code = r->failure ? err_wire(r->failure) : "",
		.http = r->live->log.http,
		.first_ms = r->computer->token_ms,
		.ended_ms = clock_wall_ms(),
		.usage = x->used,
		.costs = x->priced,
		.nano = x->nano,
		.price = x->price,
	};
}

void attempt_step(struct run *r)
{
	struct attempt    *a = &r->attempt;
	struct attempt_end x = { .how = ATTEMPT_STEP };

	attempt_good(r);
	attempt_book(r, "ok");
	run_stages_over(r, &x);
	if (r->live) {
		struct attempt_past  p = as_step(r, &x);
		struct attempt_asked whom = whom_asked(r);

		live_attempt_past(r->live, &whom, &p);
	}
	a->before = a->count;
	a->warm = a->left = false;
	a->tried = 0;
	a->step = 0;
	a->again = 0;
	a->blamed = 0;
	a->committed = false;
	a->told = (struct usage){ 0 };
	err_drop(&a->last);
}

static void tell_last(struct run *r, const struct attempt_end *x)
{
	const struct err    *e = r->failure;
	struct attempt_asked whom = whom_asked(r);

	if (!r->live || r->attempt.count == 0 || r->attempt.settled)
		return;
	if (e && e->upstream_status > 0)
		r->live->log.http = (int16_t)e->upstream_status;
	if (r->attempt.before > 0) {
		struct attempt_past p = as_step(r, x);

		live_attempt_last_step(r->live, &whom, &p);
		return;
	}
	live_attempt_last(r->live, &whom, r->attempt.count > 1, x->priced, x->nano, &x->price);
}

bool attempt_close(struct run *r, const struct run_ending *x)
{
	struct attempt_end end = { .how = ATTEMPT_LAST, .asked = x->asked };

	run_stages_over(r, &end);
	tell_last(r, &end);
	return false;
}

void attempt_book_last(struct run *r)
{
	if (r->attempt.settled)
		return;
	attempt_book(r, r->failure ? err_code_wire(r->failure->code) : "ok");
}

/* has_served: whether the target has answered a call within the window of its failures. */
static bool has_served(const struct run *r)
{
	int64_t since_us = clock_mono_us() - r->provider->health.window_us;

	return tally_answered(registry_tally(&r->attempt.target), since_us);
}

/* blame_target: what health is told of a failed attempt.  However often a run asks a target, it tells of one
 * failure: otherwise a few faulty requests would take the target from everybody. */
static enum health_news blame_target(struct attempt *a, const struct err *e, bool served)
{
	enum health_news news = retry_news(e, a->committed, served);
	uint32_t         bit = (uint32_t)1 << (a->target.index % 32);

	if (news != HEALTH_FAILED && news != HEALTH_UNSURE)
		return news;
	if ((a->blamed & bit) && !a->target.probe)
		return HEALTH_NEITHER;
	a->blamed |= bit;
	return news;
}

bool attempt_others(const struct run *r)
{
	const struct attempt *a = &r->attempt;
	struct str            name;

	return left_us(r) > 0 && r->given.route &&
	       (a->warm || choose_fallback(r, &name) ||
		choice_untried(a->model, a->name, a->tried, clock_mono_us()));
}

/* settle_attempt: the attempt has failed, and the run does not end with its error. */
static void settle_attempt(struct run *r, const struct err *e, bool follows)
{
	attempt_give_up(r, e);
	run_stages_news(r, true);
	pass_over(r, e, follows);
	attempt_book(r, err_code_wire(e->code));
	r->attempt.settled = true;
}

/* tell_broken: the answer went on, and has failed after that: it has failed because it broke off. */
static void tell_broken(struct run *r, struct err *e)
{
	if (!r->attempt.settled)
		settle_attempt(r, e, false);
	*e = *r->attempt.last;
}

void attempt_break(struct run *r, const struct err *e)
{
	struct attempt *a = &r->attempt;

	settle_attempt(r, e, true);
	err_keep(&a->last, e);
	a->resumed = true;
	a->committed = false;
	a->again = 0;
}

void attempt_go_on(struct run *r)
{
	struct attempt *a = &r->attempt;
	int64_t         left = left_us(r);

	if (left != INT64_MAX && !timer_running(&a->total))
		timer_start(run_loop(r), &a->total, left > 0 ? left : 0);
	timer_start(run_loop(r), &a->wait, 0);
}

/* attempt_next: what follows the failure of an attempt. */
static bool attempt_next(struct run *r, const struct err *e)
{
	struct attempt *a = &r->attempt;
	struct str      name;
	bool            served = has_served(r);

	end_attempt(r, blame_target(a, e, served), e);
	a->spent |= run_stages_cut(r) && retry_costs(e);
	if (a->committed)
		return run_stages_go_on(r, e);
	if (!r->rq)
		return false;

	struct retry_case c = {
		.err = e,
		.serves = served,
		.again = a->again,
		.retries = r->provider->retries,
		.bare = r->rq->what.prompt.bare,
		.other = a->warm || (r->given.route &&
				     choice_untried(a->model, a->name, a->tried, clock_mono_us())),
		.fallback = choose_fallback(r, &name) != NULL,
		.left_us = left_us(r),
		.random = id_random(),
	};
	struct retry_step step = retry_decide(&c);
	/* The model that was asked for may take what a fallback refuses. */
	if (step.next == RETRY_STOP && a->warm && e->code != ERR_FIRST_BYTE_TIMEOUT &&
	    e->code != ERR_IDLE_TIMEOUT && c.left_us > 0)
		step = (struct retry_step){ RETRY_OTHER, 0 };
	if (step.next == RETRY_STOP)
		return false;
	if (step.next == RETRY_SAME || step.next == RETRY_BARE) {
		if (step.next == RETRY_SAME)
			a->again++;
		if (!a->warm) /* else the model's own targets follow */
			a->tried &= ~(1u << a->target.index);
		r->rq->what.prompt.bare = r->rq->what.prompt.bare || step.next == RETRY_BARE;
	} else if (step.next == RETRY_LATER && !choose_model(r)) {
		return false;
	}
	metric_add(METRIC_RETRIES, (const char *[]){ err_code_wire(e->code), "", "" }, 1);
	attempt_give_up(r, e);
	/* A kill during the wait must not take what this attempt has used. */
	run_stages_news(r, true);
	pass_over(r, e, true);
	if (!a->resumed)
		err_keep(&a->last, e);
	if (c.left_us != INT64_MAX && !timer_running(&a->total))
		timer_start(run_loop(r), &a->total, c.left_us);
	/* The next attempt must not begin within the callback of the failed one. */
	timer_start(run_loop(r), &a->wait, step.wait_us);
	return true;
}

bool attempt_again(struct run *r, struct err *e)
{
	if (attempt_next(r, e))
		return true;
	if (r->attempt.resumed)
		tell_broken(r, e);
	return false;
}
