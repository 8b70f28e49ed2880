/* Shows the texts of an answer to hooks, before anything that keeps, logs or prints them has them.
 *
 *   events --> [ sieve ] --> events that may leave
 *                | ^
 *          texts v | verdict
 *              the hooks
 *
 * SIEVE_CHECKS checks are made at a time, and the text of the next gathers meanwhile.  Their verdicts count in the order of
 * the text: one that comes early waits for the older one.  When the provider's call is over, or the run has
 * to know what was let out, the stage drains: the rest is checked and leaves.
 *
 * Hooks of the end see what has left when nothing more of it comes, however the answer ends: the run's end waits for them. */
#include "base/limits.h"
#include "guard/sieve.h"
#include "run/computer.h"
#include "run/guard.h"
#include "run/vet.h"

#include <errno.h>

/* --- what a run has of it --- */

static struct hooks *hooks_now(const struct run *r)
{
	return r->engine->o.settings(r->engine->o.arg)->hooks;
}

enum errc guard_known(const struct run *r, struct err *e)
{
	return hooks_known(hooks_now(r), r->bill.who->group, e);
}

/* has_texts: vectors and counts are numbers. */
static bool has_texts(const struct run *r)
{
	const struct prompt_native *n = r->rq->what.prompt.native;

	return !r->given.embed && !(n && n->count);
}

/* guard_options: the largest window and overlap of the hooks that see a stream before it leaves. */
static struct sieve_options guard_options(const struct run *r, const struct run_guard *g)
{
	struct sieve_options o = { .whole = !r->given.stream,
				   .max = r->given.stream ? LIMIT_ANSWER
							  : LIMIT_ANSWER + LIMIT_UPSTREAM_BODY };

	for (uint32_t left = g->before; left; left &= left - 1) {
		const struct hook *h = &g->hooks->list[stage_lowest(left)];

		o.whole |= h->stream == HOOK_HOLD;
		o.window = h->window > o.window ? h->window : o.window;
		o.overlap = h->overlap > o.overlap ? h->overlap : o.overlap;
	}
	return o;
}

static bool guard_open(struct run *r, struct run_guard *g)
{
	struct hooks        *h = hooks_now(r);
	struct str           model = str_of(r->given.model);
	struct sieve_options o;

	buf_init(&g->segment, LIMIT_SSE_EVENT);
	buf_init(&g->log, ATTEMPT_LOG_BYTES + 16 * KIB);
	g->hooks = hooks_hold(h);
	g->asked = hooks_for(h, HOOK_REQUEST, model, r->bill.who);
	g->before = has_texts(r) ? hooks_for(h, HOOK_RESPONSE, model, r->bill.who) : 0;
	for (uint32_t left = g->before; left; left &= left - 1)
		if (h->list[stage_lowest(left)].stream == HOOK_END && r->given.stream)
			g->after |= left & -left;
	g->before &= ~g->after;
	if (g->before) {
		o = guard_options(r, g);
		g->sieve = sieve_create(&o);
	}
	if (g->after)
		g->seen =
			sieve_create(&(struct sieve_options){ .whole = true, .max = LIMIT_ANSWER });
	return (g->sieve || !g->before) && (g->seen || !g->after);
}

struct run_guard *guard_of(struct run *r)
{
	struct run_guard *g = run_stage_own(r, STAGE_GUARD, sizeof *g);

	if (g && !g->run) {
		g->run = r;
		g->failed = !guard_open(r, g);
	}
	return g && !g->failed ? g : NULL;
}

/* guard_take: the run's part, which is made when the run is born: a reload must not take the hooks away from it.  *ret: NULL:
 * memory is short, and nothing may pass.  False: there are no hooks. */
bool guard_take(const struct run *r, const struct run_guard **ret)
{
	if (!hooks_now(r))
		return false;
	*ret = guard_of((struct run *)(uintptr_t)r);
	return true;
}

static bool guard_wanted(const struct run *r)
{
	const struct run_guard *g;

	return guard_take(r, &g) && (!g || g->before || g->after);
}

bool guard_holds(const struct run *r)
{
	const struct run_guard *g = run_stage_has(r, STAGE_GUARD);

	return g && g->sieve && sieve_any(g->sieve);
}

/* guard_unask: nobody waits for the checks of what is held any more. */
static void guard_unask(struct run_guard *g)
{
	for (size_t i = 0; i < SIEVE_CHECKS; i++) {
		check_cancel(TAKE(g->asks[i].check));
		err_drop(&g->asks[i].why);
	}
	g->ask_count = 0;
}

static void guard_drop(void *own)
{
	struct run_guard *g = own;

	guard_unask(g);
	check_cancel(g->check);
	vet_free(g->vet);
	sieve_destroy(g->sieve);
	sieve_destroy(g->seen);
	hooks_release(g->hooks);
	buf_finish(&g->segment);
	buf_finish(&g->log);
	err_drop(&g->refusal);
}

void guard_fill(const struct run *r, const struct run_guard *g, struct check_ask *ret)
{
	*ret = (struct check_ask){
		.pool = r->engine->o.env.upstreams,
		.hooks = g->hooks,
		.call = str_of(r->names.id_text),
		.trace = str_of(r->names.conversation_text),
		.model = str_of(r->given.model),
		.key = str_of(r->bill.who ? r->bill.who->id : ""),
		.request = str_of(r->given.request_id),
	};
}

/* --- what is told --- */

void guard_note(void *arg, const char *hook, enum hook_phase phase, const char *verdict, int64_t ms)
{
	struct run_guard *g = arg;
	size_t            i = 0;

	while (i < g->note_count && (g->notes[i].hook != hook || g->notes[i].phase != phase ||
				     g->notes[i].verdict != verdict))
		i++;
	if (i == GUARD_NOTES)
		return;
	if (i == g->note_count)
		g->notes[g->note_count++] = (struct guard_note){ hook, phase, verdict, 0, 0 };
	g->notes[i].count++;
	g->notes[i].ms += ms;
}

static bool log_checks(const struct run_guard *g, struct str attempts, struct buf *out)
{
	bool ok = attempts.n > 2 ? buf_add(out, attempts.p, attempts.n - 1) && buf_text(out, ",")
				 : buf_text(out, "[");

	ok = ok && buf_text(out, "{\"checks\":[");
	for (size_t i = 0; ok && i < g->note_count; i++) {
		const struct guard_note *n = &g->notes[i];

		ok = buf_text(out, i > 0 ? ",{\"hook\":" : "{\"hook\":") &&
		     buf_json_string(out, str_of(n->hook)) &&
		     buf_fmt(out, ",\"phase\":\"%s\",\"verdict\":\"%s\",\"count\":%u,\"ms\":%lld}",
			     n->phase == HOOK_REQUEST ? "request" : "response", n->verdict,
			     n->count, (long long)n->ms);
	}
	return ok && buf_text(out, "]}]");
}

void guard_save(struct run *r, struct run_end *x)
{
	struct run_guard *g = guard_of(r);

	if (!g || g->note_count == 0 || (g->log.len > 0 && x->turn.attempt_log.p == g->log.data))
		return;
	buf_clear(&g->log);
	if (log_checks(g, x->turn.attempt_log, &g->log))
		x->turn.attempt_log = buf_view(&g->log);
}

/* --- what leaves --- */

static bool guard_has(const uint64_t *bits, uint32_t choice)
{
	return choice < LIMIT_CHOICES && (bits[choice / 64] >> choice % 64 & 1) != 0;
}

static void guard_add(uint64_t *bits, uint32_t choice)
{
	if (choice < LIMIT_CHOICES)
		bits[choice / 64] |= UINT64_C(1) << choice % 64;
}

/* guard_follow: which segment of LMC readers have open. */
static bool guard_follow(struct run_guard *g, const struct event *ev)
{
	static const char start[] = ",\"start\":true}", end[] = ",\"end\":true}";
	struct str        s = ev->text;

	g->said |= run_is_content(ev);
	if (ev->kind == EVENT_FINISH)
		guard_add(g->ended, ev->choice);
	if (ev->kind != EVENT_LMC)
		return true;
	if (s.n >= sizeof start &&
	    memcmp(s.p + s.n - (sizeof start - 1), start, sizeof start - 1) == 0) {
		buf_clear(&g->segment);
		return buf_add(&g->segment, s.p, s.n - (sizeof start - 1));
	}
	if (s.n >= sizeof end && memcmp(s.p + s.n - (sizeof end - 1), end, sizeof end - 1) == 0)
		buf_clear(&g->segment);
	return true;
}

/* guard_unsee: the hooks of the end do without this answer: it is too long for them, or nobody may wait for them. */
static void guard_unsee(struct run_guard *g)
{
	sieve_destroy(TAKE(g->seen));
	for (uint32_t left = g->after; left; left &= left - 1)
		guard_note(g, g->hooks->list[stage_lowest(left)].name, HOOK_RESPONSE, "error", 0);
}

static void guard_pass(struct run *r, struct run_guard *g, const struct event *ev)
{
	if (!guard_follow(g, ev)) {
		run_overflow(r);
		return;
	}
	if (g->seen && !sieve_put(g->seen, ev))
		guard_unsee(g);
	run_pass(r, STAGE_GUARD, ev);
}

/* guard_leave: passes on what may leave; in several turns of the loop, where it is long. */
static void guard_leave(struct run *r, struct run_guard *g)
{
	struct event ev;
	size_t       passed = 0;
	bool         failed = false;

	while (g->sieve && !r->aborting && passed < LIMIT_LOOP_JSON &&
	       sieve_next(g->sieve, &ev, &failed)) {
		passed += ev.text.n;
		guard_pass(r, g, &ev);
	}
	if (failed)
		run_overflow(r);
	else if (passed >= LIMIT_LOOP_JSON && !r->aborting)
		timer_start(run_loop(r), &g->soon, 0);
}

static check_done_fn guard_on_verdict, guard_on_seen;

static struct guard_ask *guard_oldest(struct run_guard *g)
{
	return g->ask_count > 0 ? &g->asks[g->ask_first] : NULL;
}

static void guard_note_ask(void *arg, const char *hook, enum hook_phase phase, const char *verdict,
			   int64_t ms)
{
	struct guard_ask *a = arg;

	guard_note(a->guard, hook, phase, verdict, ms);
}

/* guard_begin: false: nobody was asked; e->code is OK where there was nothing to ask about. */
static bool guard_begin(struct run *r, struct run_guard *g, struct sieve *s, struct check_ask *ask,
			check_note_fn *note, check_done_fn *done, void *arg, struct check **ret,
			struct err *e)
{
	struct buf texts, calls;
	bool       begun = false;

	e->code = ERR_OK;
	buf_init(&texts, LIMIT_UPSTREAM_ASK);
	buf_init(&calls, LIMIT_UPSTREAM_ASK);
	guard_fill(r, g, ask);
	ask->phase = HOOK_RESPONSE;
	ask->mask = s == g->seen ? g->after : g->before;
	ask->whole = sieve_closed(s);
	if (!sieve_take(s, &texts, &ask->count) || (ask->count > 0 && !sieve_calls(s, &calls))) {
		err_no_memory(e);
	} else if (ask->count > 0) {
		ask->texts = buf_view(&texts);
		ask->calls = buf_view(&calls);
		begun = check_begin(ask, note, done, arg, ret, e) == ERR_OK;
	}
	buf_finish(&texts);
	buf_finish(&calls);
	return begun;
}

static void guard_ask_next(struct run *r, struct run_guard *g)
{
	struct guard_ask *a = &g->asks[(g->ask_first + g->ask_count) % SIEVE_CHECKS];
	struct check_ask  ask;
	struct err        e;

	a->guard = g;
	if (guard_begin(r, g, g->sieve, &ask, guard_note_ask, guard_on_verdict, a, &a->check, &e))
		g->ask_count++;
	else if (e.code != ERR_OK)
		run_abort_later(r, e.code, e.text);
}

static void guard_ask_seen(struct run *r, struct run_guard *g)
{
	struct check_ask ask;
	struct err       e;

	if (!guard_begin(r, g, g->seen, &ask, guard_note, guard_on_seen, g, &g->check, &e) &&
	    e.code != ERR_OK)
		guard_unsee(g);
}

/* guard_work: lets out what may leave, and asks about what is due. */
static void guard_work(struct run *r, struct run_guard *g)
{
	guard_leave(r, g);
	while (g->sieve && !r->aborting && sieve_due(g->sieve)) {
		unsigned before = g->ask_count;

		guard_ask_next(r, g);
		if (g->ask_count == before)
			break;
	}
	bool drains = r->stages.then && g->seen && !(g->sieve && sieve_any(g->sieve));
	if (drains && !g->check && !r->aborting && sieve_due(g->seen))
		guard_ask_seen(r, g);
}

static bool guard_busy(const struct run_guard *g)
{
	return g->check || g->ask_count > 0 || timer_running(&g->soon) ||
	       (g->sieve && sieve_any(g->sieve));
}

static bool guard_settle_next(struct run *r, struct run_guard *g);

/* guard_go_on: outside the provider's callback; the run may be gone.  What an older check has let out leaves before the next
 * verdict counts. */
static void guard_go_on(struct run *r, struct run_guard *g)
{
	bool settled = true;

	while (settled) {
		const struct guard_ask *a;

		guard_leave(r, g);
		a = guard_oldest(g);
		settled = a && !a->check && !r->aborting && !timer_running(&g->soon);
		if (settled && !guard_settle_next(r, g))
			return;
	}
	guard_work(r, g);
	if (!r->aborting && r->stages.then && !guard_busy(g))
		run_stages_drained(r);
}

static void guard_on_soon(struct timer *t)
{
	struct run_guard *g = container_of(t, struct run_guard, soon);

	guard_go_on(g->run, g);
}

static bool guard_drain(struct run *r)
{
	struct run_guard *g = guard_of(r);

	if (!g)
		return false;
	if (g->sieve)
		sieve_close(g->sieve);
	if (g->seen)
		sieve_close(g->seen);
	guard_work(r, g);
	return r->aborting || guard_busy(g);
}

/* --- events that come --- */

static void guard_event(struct run *r, const struct event *ev)
{
	struct run_guard *g = guard_of(r);
	bool              inner =
		ev->kind == EVENT_STEP || ev->kind == EVENT_EXECUTE || ev->kind == EVENT_EXECUTED;

	if (!g) {
		errno = ENOMEM;
		run_overflow(r);
		return;
	}
	/* Members that only the provider's own words have can't be shown to a hook. */
	if (ev->pass == PASS_PRINT || ev->kind == EVENT_OTHER)
		return;
	/* An end is one: what comes after it could be blocked no more. */
	if (guard_has(g->came, ev->choice) && (run_is_content(ev) || ev->kind == EVENT_FINISH))
		return;
	if (ev->kind == EVENT_FINISH)
		guard_add(g->came, ev->choice);
	if (ev->kind == EVENT_USAGE)
		attempt_told(r, &ev->usage);
	if (ev->choice >= g->choices)
		g->choices = ev->choice + 1;
	if (g->blocked) {
		if (inner)
			run_pass(r, STAGE_GUARD, ev);
		return;
	}
	g->soon.fn = guard_on_soon;
	if (!g->sieve) {
		struct event bare = *ev;

		bare.give = NULL;
		bare.pass = PASS_ONLY;
		guard_pass(r, g, &bare);
		return;
	}
	sieve_reopen(g->sieve);
	if (!sieve_put(g->sieve, ev)) {
		run_overflow(r);
		return;
	}
	if (!timer_running(&g->soon))
		guard_work(r, g);
	if (g->ask_count > 0 && !r->aborting && !r->paused &&
	    sieve_held(g->sieve) > LIMIT_FEED_HIGH) {
		g->paused = true;
		call_pause(r, true);
	}
}

/* --- verdicts --- */

/* guard_stop: what is held is forgotten.  What has left stays to be seen. */
static void guard_stop(struct run *r, struct run_guard *g)
{
	guard_unask(g);
	timer_stop(run_loop(r), &g->soon);
	if (g->sieve)
		sieve_drop(g->sieve);
}

/* guard_end_segment: readers of LMC have a segment open, and each has an end. */
static void guard_end_segment(struct run *r, struct run_guard *g)
{
	if (g->segment.len == 0)
		return;
	if (buf_text(&g->segment, ",\"end\":true}"))
		run_pass(r, STAGE_GUARD,
			 &(struct event){ .kind = EVENT_LMC,
					  .text = buf_view(&g->segment),
					  .from_lmc = true });
	else
		run_overflow(r);
	buf_clear(&g->segment);
}

static void guard_tell_usage(struct run *r)
{
	struct usage own = bill_cut(r);
	struct usage all = r->computer ? bill_used(r, &own) : own;

	run_pass(r, STAGE_GUARD, &(struct event){ .kind = EVENT_USAGE, .usage = all });
	keep_usage(r, &own);
}

/* guard_block: the answer ends here, as one that the provider's own filter has ended. */
static void guard_block(struct run *r, struct run_guard *g)
{
	static const char empty[] = "{\"role\":\"assistant\",\"content\":\"\"}";
	bool              called = r->attempt.on;

	guard_stop(r, g);
	g->blocked = true;
	r->stages.then = DRAIN_NOT;
	call_drop(r);
	guard_end_segment(r, g);
	if (!r->given.stream && !r->computer && !g->said && !r->aborting)
		run_pass(r, STAGE_GUARD,
			 &(struct event){ .kind = r->given.text ? EVENT_TEXT : EVENT_MESSAGE,
					  .text = r->given.text ? STR_NONE : str_of(empty) });
	for (uint32_t i = 0; !r->aborting && (i == 0 || i < g->choices); i++) {
		if (guard_has(g->ended, i))
			continue;
		run_pass(r, STAGE_GUARD,
			 &(struct event){ .kind = EVENT_FINISH,
					  .choice = i,
					  .text = STR("content_filter") });
	}
	if (!r->aborting && called)
		guard_tell_usage(r);
	if (!r->aborting)
		run_stages_flush(r);
	if (!r->aborting)
		call_complete(r);
}

/* guard_settle: the verdict of the oldest check; true: the run goes on as it did. */
static bool guard_settle(struct run *r, struct run_guard *g, enum check_verdict v,
			 const struct str *texts, const struct err *e)
{
	struct sieve_passed passed;

	g->ask_first = (g->ask_first + 1) % SIEVE_CHECKS;
	g->ask_count--;
	if (v == CHECK_FAIL) {
		run_finish(r, e);
		return false;
	}
	if (v == CHECK_BLOCK) {
		guard_block(r, g);
		return false;
	}
	if (!sieve_pass(g->sieve, texts, &passed)) {
		run_overflow(r);
		return false;
	}
	/* The program would run the old code. */
	if (passed.code && r->computer) {
		guard_block(r, g);
		return false;
	}
	if (passed.next_void)
		guard_unask(g);
	return true;
}

/* guard_settle_next: the verdict of a check that was over before the older one; true: as guard_settle. */
static bool guard_settle_next(struct run *r, struct run_guard *g)
{
	struct guard_ask *a = guard_oldest(g);
	struct err        e = { .code = ERR_OK };

	if (a->verdict == CHECK_REPLACE) {
		/* Its texts were only lent: they are asked about again. */
		sieve_untake(g->sieve);
		guard_unask(g);
		return true;
	}
	if (a->why)
		e = *a->why;
	err_drop(&a->why);
	return guard_settle(r, g, a->verdict, NULL, &e);
}

static void guard_on_verdict(void *arg, enum check_verdict v, const struct str *texts,
			     const struct err *e)
{
	struct guard_ask *a = arg;
	struct run_guard *g = a->guard;
	struct run       *r = g->run;

	a->check = NULL;
	if (r->aborting || !run_called(r))
		return;
	if (a != guard_oldest(g)) {
		a->verdict = v;
		if (e)
			err_keep(&a->why, e);
		return;
	}
	if (!guard_settle(r, g, v, texts, e))
		return;
	if (g->paused)
		call_pause(r, false);
	g->paused = false;
	guard_go_on(r, g);
}

static void guard_on_seen(void *arg, enum check_verdict v, const struct str *texts,
			  const struct err *e)
{
	struct run_guard *g = arg;
	struct run       *r = g->run;

	(void)v;
	(void)texts;
	(void)e;
	g->check = NULL;
	if (g->seen)
		sieve_drop(g->seen);
	if (r->aborting || !run_called(r))
		return;
	if (g->ends)
		run_finish(r, r->failure);
	else
		guard_go_on(r, g);
}

/* --- ends --- */

static bool guard_cut(struct run *r)
{
	struct run_guard *g = guard_of(r);
	bool              held = g && g->sieve && sieve_any(g->sieve);

	if (g && !g->blocked)
		guard_stop(r, g);
	if (g)
		g->paused = false;
	return held;
}

static void guard_end(struct run *r, const struct err *e)
{
	(void)e;
	r->stages.then = DRAIN_NOT;
	(void)guard_cut(r);
}

bool guard_again(struct run *r, const struct event *ev)
{
	struct run_guard *g = hooks_now(r) ? guard_of(r) : NULL;

	return !hooks_now(r) || (g && (!g->sieve || sieve_past(g->sieve, ev)) &&
				 (!g->seen || sieve_put(g->seen, ev)));
}

/* guard_judges: an answer has broken off: its end waits until the hooks of the end have seen what has left of it. */
bool guard_judges(struct run *r)
{
	struct run_guard *g = run_stage_has(r, STAGE_GUARD);

	if (!g || !g->seen)
		return false;
	sieve_close(g->seen);
	if (r->engine->stopping.code != ERR_OK) {
		check_cancel(TAKE(g->check));
		if (g->ends || sieve_due(g->seen))
			guard_unsee(g);
		return false;
	}
	if (!g->check && sieve_due(g->seen)) {
		call_drop(r);
		timer_stop(run_loop(r), &r->attempt.wait);
		timer_stop(run_loop(r), &r->attempt.total);
		guard_ask_seen(r, g);
	}
	g->ends = g->check;
	return g->check;
}

const struct stage guard_stage = {
	.name = "guard",
	.wanted = guard_wanted,
	.event = guard_event,
	.cut = guard_cut,
	.drain = guard_drain,
	.end = guard_end,
	.save = guard_save,
	.drop = guard_drop,
	.touches_text = true,
};
