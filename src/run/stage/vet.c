/* Shows the texts of a request to hooks, before anything of it is reserved, stored or sent.
 *
 *   texts of the messages and members --> the hooks --> let out, or replaced in their places, or refused
 *
 * A text that stands in several places, as in the client's own words and in the messages that were made of them, is asked about
 * once. */
#include "base/limits.h"
#include "run/guard.h"
#include "run/vet.h"

static void vet_over(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);

	vet_free(TAKE(g->vet));
	step_over(r, e);
}

/* vet_replaced: the answer is printed with the settings as they are now. */
static void vet_replaced(struct run *r, struct err *e)
{
	if (e->code == ERR_OK && guard_of(r)->vet->settles && !run_settle(r))
		e->code = err_no_memory(e);
	vet_over(r, e);
}

static bool keeps_blocked(const struct run_guard *g)
{
	for (uint32_t left = g->asked; left; left &= left - 1)
		if (g->hooks->list[stage_lowest(left)].keep_blocked)
			return true;
	return false;
}

/* The values of a response whose request was blocked, in the places of the client's own words.  NULL: what stood there; of
 * members that are not here, numbers, booleans and nulls stay. */
static const struct {
	const char *member, *value;
} bare_values[] = {
	{ "model", NULL },
	{ "conversation", NULL },
	{ "previous_response_id", NULL },
	{ "instructions", "null" },
	{ "metadata", "{}" },
	{ "tool_choice", "\"auto\"" },
	{ "prompt_cache_key", "null" },
	{ "safety_identifier", "null" },
	{ "service_tier", "\"auto\"" },
	{ "user", "null" },
	{ "tools", "[]" },
	{ "text", "{\"format\":{\"type\":\"text\"}}" },
	{ "reasoning", "{\"effort\":null,\"summary\":null}" },
	{ "truncation", "\"disabled\"" },
};

/* bare_value: what stands in a member's place; empty: the member is left out. */
static struct str bare_value(const struct json_doc *d, json_at key)
{
	json_at value = json_value(key);

	for (size_t i = 0; i < ARRAY_LEN(bare_values); i++)
		if (json_is(d, key, bare_values[i].member))
			return bare_values[i].value ? str_of(bare_values[i].value)
						    : json_raw(d, value);
	switch (json_kind(d, value)) {
	case JSON_STRING:
	case JSON_ARRAY:
	case JSON_OBJECT: return STR_NONE;
	case JSON_NUMBER:
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NULL: break;
	}
	return json_raw(d, value);
}

/* bare_settings: those of a response, without the client's words; none where memory is short. */
static struct str bare_settings(struct run *r, struct str settings)
{
	struct json_doc d = { 0 };
	struct buf      out;
	struct str      ret = STR_NONE;
	struct err      e;

	if (!str_starts(settings, STR("{")))
		return settings;
	buf_init(&out, settings.n + KIB);
	bool ok = json_scan(&d, settings.p, settings.n, &json_limits_stored, &e) == ERR_OK;
	if (ok)
		JSON_EACH_MEMBER (key, &d, 0) {
			struct str value = bare_value(&d, key);

			ok = ok && (value.n == 0 || (buf_text(&out, out.len > 0 ? "," : "{") &&
						     buf_str(&out, json_raw(&d, key)) &&
						     buf_text(&out, ":") && buf_str(&out, value)));
		}
	if (ok && out.len > 0 && buf_text(&out, "}"))
		ret = arena_str(&r->rq->input->arena, buf_view(&out));
	json_doc_finish(&d);
	buf_finish(&out);
	return ret;
}

/* vet_block: the request is refused.  Of a stored one, the run is stored, without its content. */
static void vet_block(struct run *r, struct run_guard *g, const struct err *e)
{
	struct err own = *e;

	if (!run_stored(r) || r->computer) {
		vet_over(r, &own);
		return;
	}
	err_keep(&g->refusal, e);
	r->given.refused = true;
	if (!keeps_blocked(g)) {
		r->rq->what.message_count = 0;
		r->rq->what.instruction = STR_NONE;
		r->rq->what.instruction_set = false;
		r->rq->thread.metadata = STR_NONE;
		r->rq->manner.settings = bare_settings(r, r->rq->manner.settings);
	}
	own.code = ERR_OK;
	vet_over(r, &own);
}

static void vet_on_verdict(void *arg, enum check_verdict v, const struct str *texts,
			   const struct err *e)
{
	struct run_guard *g = arg;
	struct run       *r = g->run;
	struct err        own = { .code = ERR_OK };

	g->check = NULL;
	run_release(r);
	switch (v) {
	case CHECK_BLOCK: vet_block(r, g, e); return;
	case CHECK_FAIL: own = *e; break;
	case CHECK_REPLACE:
		if (!vet_keep_words(g->vet, texts))
			own.code = err_no_memory(&own);
		else if (aside_wanted(r)) {
			aside_do(r, vet_replace, vet_replaced);
			return;
		} else {
			own.code = vet_replace(r, &own);
			vet_replaced(r, &own);
			return;
		}
		break;
	case CHECK_ALLOW:
	case CHECK__COUNT: break;
	}
	vet_over(r, &own);
}

/* vet_ask: the texts are known.  Nothing to ask about is let out. */
static enum step_next vet_ask(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);
	struct vet       *v = g->vet;
	struct check_ask  ask;

	if (v->seen_count == 0 && v->images.len == 0 && v->tools.len == 0) {
		vet_free(TAKE(g->vet));
		return STEP_MORE;
	}
	guard_fill(r, g, &ask);
	ask.phase = HOOK_REQUEST;
	ask.mask = g->asked;
	ask.texts = buf_view(&v->texts);
	ask.count = v->seen_count;
	ask.images = buf_view(&v->images);
	ask.tools = buf_view(&v->tools);
	ask.whole = true;
	if (check_begin(&ask, guard_note, vet_on_verdict, g, &g->check, e) != ERR_OK)
		return STEP_FAILED;
	run_hold(r);
	return STEP_PARKED;
}

static void vet_gathered(struct run *r, struct err *e)
{
	if (e->code == ERR_OK && guard_of(r)->vet->unwanted) {
		vet_over(r, e);
		return;
	}
	enum step_next next = e->code == ERR_OK ? vet_ask(r, e) : STEP_FAILED;

	if (next != STEP_PARKED)
		vet_over(r, e);
}

static enum step_next vet_start(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);

	/* The further calls of a run with a computer have nothing new of the client's. */
	if (g && (r->attempt.before > 0 || g->note_count > 0))
		return STEP_MORE;
	if (!g || !(g->vet = vet_new())) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	if (!aside_wanted(r))
		return vet_gather(r, e) == ERR_OK ? vet_ask(r, e) : STEP_FAILED;
	if (aside_submit(r, vet_gather, vet_gathered))
		return STEP_PARKED;
	err_set(e, ERR_OVERLOADED, "", "too many large requests are waiting; try again");
	return STEP_FAILED;
}

static void vet_on_unwanted(struct timer *t)
{
	struct run_guard *g = container_of(t, struct run_guard, soon);
	struct err        e = { .code = ERR_OK };

	run_release(g->run);
	vet_over(g->run, &e);
}

/* vet_unwant: the run goes on in the next turn of the loop, as the caller is within it. */
void vet_unwant(struct run *r)
{
	struct run_guard *g = run_stage_has(r, STAGE_GUARD);

	if (!g || !g->vet || g->vet->unwanted)
		return;
	g->vet->unwanted = true;
	if (!g->check)
		return;
	check_cancel(TAKE(g->check));
	g->soon.fn = vet_on_unwanted;
	timer_start(run_loop(r), &g->soon, 0);
}

static bool vet_wanted(const struct run *r)
{
	const struct run_guard *g;

	return guard_take(r, &g) && (!g || g->asked);
}

bool vet_refused(const struct run *r)
{
	return r->given.refused;
}

enum step_next vet_refuse(struct run *r, struct err *e)
{
	const struct run_guard *g = guard_of(r);

	*e = *g->refusal;
	return STEP_FAILED;
}

static void vet_event(struct run *r, const struct event *ev)
{
	run_pass(r, STAGE_VET, ev);
}

const struct stage vet_stage = {
	.name = "vet",
	.wanted = vet_wanted,
	.start = vet_start,
	.event = vet_event,
	.save = guard_save,
};
