/* A run's permitted and actual cost: the reservation against its key's budget, before anything is
 * stored and the provider is asked, and the bill at the run's end.
 *
 * The reservation is an upper bound: one token for each byte of the prompt, fixed weights for
 * media, and the tokens that the answer may have.  These are the client's limit, or else the
 * model's max_output, which the provider is then sent.  The price is the dearest of all targets and
 * fallbacks. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "json/member.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "run/computer.h"
#include "run/internal.h"
#include "run/retry.h"
#include "store/store.h"
#include "store/turn.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ANSWERS_MAX = 128, /* the highest `n` of a request */
	/* Base64 bytes of audio for one token.  A second of audio has at least 8 kbit, 1333 bytes
	 * in base64, and at most 40 tokens: 33 bytes for a token, and 24 are on the safe side. */
	AUDIO_BYTES = 24,
	/* Base64 bytes of a PDF for one token.  A page of print has rarely less than 13 kB, 18 kB in
	 * base64, and at most 3000 tokens, as text and as an image. */
	FILE_BYTES = 6,
	WALK_BYTES = 4 * KIB, /* an estimate ignores media in shorter messages */
};

/* Jobs whose bytes the store borrows. */
struct bill_jobs {
	struct run           *run;
	struct budget_reserve reserve;
	struct budget_settle  settle;
};

/* --- the prompt's size --- */

/* file_weight: a file that is no text is a PDF, whose pages are read as text and as images. */
static int64_t file_weight(const struct json_doc *d, json_at part)
{
	json_at    file = json_get(d, part, "file");
	struct str data = json_is_kind(d, file, JSON_OBJECT) ? json_get_inner(d, file, "file_data")
							     : STR_NONE;
	int64_t    w = (int64_t)data.n / FILE_BYTES;

	if (data.n == 0 || str_starts(data, STR("data:text/")))
		return -1;
	return w > LIMIT_IMAGE_TOKENS ? w : LIMIT_IMAGE_TOKENS;
}

/* part_weight: the tokens of a part of content that is media; -1: the part is no media. */
static int64_t part_weight(const struct json_doc *d, json_at part)
{
	json_at type = json_get(d, part, "type");

	if (json_kind(d, part) != JSON_OBJECT || type == JSON_ABSENT)
		return -1;
	if (json_is(d, type, "image_url") || json_is(d, type, "input_image") ||
	    json_is(d, type, "image"))
		return LIMIT_IMAGE_TOKENS;
	if (json_is(d, type, "input_audio"))
		return (int64_t)json_raw(d, part).n / AUDIO_BYTES + 1;
	return json_is(d, type, "file") ? file_weight(d, part) : -1;
}

/* parts_weight: the tokens of a list's media, less their bytes, which the caller has counted as
 * tokens. */
static int64_t parts_weight(const struct json_doc *d, json_at list)
{
	int64_t w = 0;

	if (list == JSON_ABSENT || json_kind(d, list) != JSON_ARRAY)
		return 0;
	JSON_EACH (i, d, list) {
		int64_t tokens = part_weight(d, i);

		if (tokens >= 0)
			w += tokens - (int64_t)json_raw(d, i).n;
	}
	return w;
}

/* media_weight: what the media of a message weigh more than their bytes. */
static int64_t media_weight(const struct json_doc *d, json_at message)
{
	return parts_weight(d, json_get(d, message, "content")) +
	       parts_weight(d, json_get(d, message, "images"));
}

/* message_weight: the most tokens that a message may have.  Unless exact, only long messages with
 * the words of media are looked into; the bytes of all others count.  A message of the request was
 * scanned with it. */
static int64_t message_weight(const struct run *r, struct str m, bool exact)
{
	json_at         here = JSON_ABSENT;
	struct json_doc d = { 0 };
	struct err      e;
	int64_t         w = (int64_t)m.n;

	if (!exact && m.n < WALK_BYTES)
		return w;
	if (r->rq)
		here = json_spanned(&r->rq->input->doc, m);
	if (here != JSON_ABSENT)
		return w + media_weight(&r->rq->input->doc, here);
	if (!exact && !memmem(m.p, m.n, "\"image", 6) && !memmem(m.p, m.n, "\"input_audio\"", 13) &&
	    !memmem(m.p, m.n, "\"file_data\"", 11))
		return w;
	if (json_scan(&d, m.p, m.n, &json_limits_stored, &e) == ERR_OK)
		w += media_weight(&d, 0);
	json_doc_finish(&d);
	return w;
}

/* bill_weigh: the prompt is made. */
static void bill_weigh(struct run *r)
{
	const struct prompt *p = &r->rq->what.prompt;
	int64_t              w = 0;

	for (size_t i = 0; i < p->message_count; i++)
		w += message_weight(r, p->messages[i], bill_budgeted(r));
	for (size_t i = 0; i < p->member_count; i++)
		w += (int64_t)p->members[i].n;
	if (p->native && p->message_count == 0)
		w += (int64_t)p->native->doc->len;
	r->bill.in = w;
}

static struct registry_bound bound_of(const struct run *r)
{
	struct str model = { r->given.model, strlen(r->given.model) };

	if (!r->given.route)
		return (struct registry_bound){ .unpriced = model, .unlimited = model };
	return registry_bound(r->given.route, r->given.asked);
}

/* An estimate is near enough: the store uses it only for a run that a crash has ended. */
void bill_look(struct run *r)
{
	const struct branch_read *branch = run_branch(r);
	int64_t                   w = (int64_t)r->rq->what.instruction.n;

	if (!run_stored(r))
		return;
	for (size_t i = 0; i < r->rq->what.message_count; i++)
		w += message_weight(r, r->rq->what.messages[i], false);
	for (size_t i = 0; branch && i < branch->message_count; i++)
		w += message_weight(r, branch->messages[i].body, false);
	for (size_t i = 0; i < r->rq->what.prompt.member_count; i++)
		w += (int64_t)r->rq->what.prompt.members[i].n;
	r->bill.early = w;
}

/* bill_begin: what the store keeps of a call that goes on; its spans are borrowed from the run. */
static void bill_begin(const struct run *r, struct turn_begin *t)
{
	struct price p = bound_of(r).price;

	t->bill = (struct turn_bill){
		.key = str_of(r->bill.who ? r->bill.who->id : ""),
		.model = str_of(r->given.label),
		.in = r->prepared ? r->bill.in : r->bill.early,
		.priced = p.known,
		.price_in = p.input,
		.price_out = p.output,
	};
}

static void bill_event(struct run *r, const struct event *ev)
{
	if (ev->pass != PASS_PRINT)
		r->bill.out += event_weight(ev);
	run_pass(r, STAGE_BILL, ev);
}

/* --- the bound --- */

bool bill_budgeted(const struct run *r)
{
	const struct identity *who = r->bill.who;

	return who && (who->allowance.budget_nano > 0 || who->allowance.budget_tokens > 0);
}

bool bill_wanted(const struct run *r)
{
	return bill_budgeted(r) && !r->bill.reserved;
}

/* bill_read_count: reads a JSON integer from 1 to most; false: raw is none. */
static bool bill_read_count(struct str raw, int64_t most, int64_t *ret)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = json_scan(&d, raw.p, raw.n, &json_limits_stored, &e) == ERR_OK &&
		  json_int(&d, 0, ret) && *ret >= 1 && *ret <= most;

	json_doc_finish(&d);
	return ok;
}

/* answers_by: raises *ret to the value of a member; false: the value can't be read. */
static bool answers_by(const struct prompt *p, struct str key, int64_t *ret)
{
	int64_t n = 1;

	for (size_t i = 0; i < p->member_count; i++) {
		struct str m = p->members[i];
		struct str value = json_member_is(m, key) ? json_member_value(m) : STR_NONE;

		if (value.n > 0 && !bill_read_count(value, ANSWERS_MAX, &n))
			return false;
		if (n > *ret)
			*ret = n;
	}
	return true;
}

bool bill_answers(const struct prompt *p, int64_t *ret)
{
	*ret = 1;
	if (!answers_by(p, STR("n"), ret))
		return false;
	if (p->text == 0)
		return true;
	if (!answers_by(p, STR("best_of"), ret))
		return false;
	*ret *= (int64_t)p->text;
	return true;
}

static enum errc refuse_unbound(struct str model, const char *what, struct err *e)
{
	struct str shown = { model.p, model.n < 80 ? model.n : 80 };

	shown.n = text_whole(shown);
	return err_set(
		e, ERR_NOT_BUDGETABLE, "model",
		"this key has a budget, but the most that the model '%.*s' may cost is unknown: %s",
		STR_ARG(shown), what);
}

/* answer_bound: the most tokens of all answers together.  If the request sets no limit, the model's
 * max_output becomes the limit of the prompt. */
static enum errc answer_bound(struct run *r, const struct registry_bound *b, int64_t *ret,
			      struct err *e)
{
	struct prompt *p = &r->rq->what.prompt;
	char           text[24];
	int64_t        n;

	*ret = 0;
	if (p->embed)
		return ERR_OK;
	if (!bill_answers(p, &n))
		return err_set(e, ERR_INVALID_VALUE, "n", "must be an integer from 1 to %d",
			       ANSWERS_MAX);
	if (p->max_tokens.n > 0 && !str_is(p->max_tokens, "null")) {
		if (!bill_read_count(p->max_tokens, PRICE_TOKENS, ret))
			return err_set(
				e, ERR_INVALID_VALUE,
				p->max_tokens_key ? p->max_tokens_key : "max_tokens",
				"must be an integer from 1 to 1000000000 for a key with a budget");
	} else if (b->max_output == 0) {
		return refuse_unbound(b->unlimited,
				      "set max_tokens in the request, or ask the operator to set "
				      "the model's max_output.",
				      e);
	} else {
		snprintf(text, sizeof text, "%lld", (long long)b->max_output);
		p->max_tokens = arena_str(&r->rq->input->arena, str_of(text));
		if (!p->max_tokens.p)
			return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		*ret = b->max_output;
	}
	*ret *= n;
	return ERR_OK;
}

static enum errc make_bound(struct run *r, struct budget_reserve *j, struct err *e)
{
	const struct allowance *a = &r->bill.who->allowance;
	struct registry_bound   b = bound_of(r);
	int64_t                 out;

	if (answer_bound(r, &b, &out, e) != ERR_OK)
		return e->code;
	if (a->budget_nano > 0 && !b.price.known)
		return refuse_unbound(b.unpriced, "the operator has to set its price.", e);
	j->nano = price_most(&b.price, r->bill.in, out);
	j->tokens_in = r->bill.in;
	j->tokens = r->bill.in + out;
	return ERR_OK;
}

/* --- before the call --- */

static void bill_on_reserved(struct store_job *job)
{
	struct bill_jobs *j = container_of(job, struct bill_jobs, reserve.job);
	struct run       *r = j->run;
	struct err        e = job->err;

	run_release(r);
	r->bill.reserved = e.code == ERR_OK;
	step_over(r, &e);
}

enum step_next bill_reserve(struct run *r, struct err *e)
{
	const struct allowance *a = &r->bill.who->allowance;
	struct bill_jobs       *j = r->bill.jobs ? r->bill.jobs : calloc(1, sizeof *j);
	struct store           *s = r->engine->o.store;

	if (!j) {
		err_set(e, ERR_OVERLOADED, "", "no memory for the call");
		return STEP_FAILED;
	}
	r->bill.jobs = j;
	j->run = r;
	j->reserve = (struct budget_reserve){
		.job = { .loop = run_loop(r), .done = bill_on_reserved },
		.run = r->names.id,
		.key = str_of(r->bill.who->id),
		.model = str_of(r->given.label),
		.provider = str_of(r->provider->name),
		.now_ms = clock_wall_ms(),
		.limit_nano = a->budget_nano,
		.limit_tokens = a->budget_tokens,
		.window_ms = a->budget_window_us / 1000,
	};
	if (make_bound(r, &j->reserve, e) != ERR_OK)
		return STEP_FAILED;
	run_hold(r);
	if (store_budget_reserve(s, &j->reserve))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many calls are waiting; try again");
	return STEP_FAILED;
}

/* --- between the steps of a run with a computer --- */

bool bill_booked(const struct run *r)
{
	return r->attempt.before > 0 && r->bill.reserved;
}

static void fill_note(const struct run *r, struct usage_note *n);

static void bill_on_booked(struct store_job *job)
{
	struct run  *r = container_of(job, struct bill_jobs, settle.job)->run;
	struct bill *b = &r->bill;
	struct err   e = job->err;

	run_release(r);
	if (e.code == ERR_OK) {
		b->reserved = false;
		r->computer->booked_nano = money_add(r->computer->booked_nano, b->nano);
		b->nano = 0;
		b->usage = (struct usage){ 0 };
	}
	step_over(r, &e);
}

enum step_next bill_book(struct run *r, struct err *e)
{
	struct bill_jobs *j = r->bill.jobs;

	fill_note(r, &j->settle.note);
	j->settle.job = (struct store_job){ .loop = run_loop(r), .done = bill_on_booked };
	run_hold(r);
	if (store_budget_settle(r->engine->o.store, &j->settle))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many calls are waiting; try again");
	return STEP_FAILED;
}

/* --- what it cost --- */

static struct price price_now(const struct run *r)
{
	return r->given.route && r->attempt.count > 0 ? registry_price(&r->attempt.target)
						      : (struct price){ .known = false };
}

static int64_t at_most(int64_t n)
{
	return n < 0 ? 0 : n > PRICE_TOKENS ? PRICE_TOKENS : n;
}

/* bill_charge: adds the usage of one attempt to the bill. */
static void bill_charge(struct run *r, const struct usage *u)
{
	struct bill  *b = &r->bill;
	struct price  p = price_now(r);
	struct usage *sum = &b->usage;

	b->unpriced |= !p.known;
	b->charged = true;
	b->nano = money_add(b->nano, price_cost(&p, u));
	sum->in += at_most(u->in);
	sum->out += at_most(u->out);
	sum->cached_read += at_most(u->cached_read);
	sum->cached_write += at_most(u->cached_write);
	sum->reasoning += at_most(u->reasoning);
	sum->estimated |= !u->known;
	sum->known = !sum->estimated;
}

struct usage bill_used(struct run *r, const struct usage *u)
{
	struct usage *sum = &r->computer->used;
	struct usage  all = *sum;

	if (!u)
		return all;
	all.known = u->known && !sum->estimated;
	all.estimated = !all.known;
	all.in += u->in;
	all.out += u->out;
	all.cached_read += u->cached_read;
	all.cached_write += u->cached_write;
	all.cached_hour += u->cached_hour;
	all.reasoning += u->reasoning;
	return all;
}

static struct usage estimate_usage(const struct run *r)
{
	return usage_guess(r->bill.in, r->bill.out);
}

static struct usage bill_dropped(struct run *r, const struct err *e)
{
	struct usage u = r->attempt.told;

	if (!u.known && !retry_costs(e))
		return (struct usage){ 0 };
	if (!u.known)
		u = estimate_usage(r);
	bill_charge(r, &u);
	return u;
}

static struct usage bill_close(struct run *r, bool asked)
{
	struct usage guess = estimate_usage(r);
	struct usage u = r->kept.usage;
	bool costs = asked || r->attempt.committed || r->outcome == RUN_COMPLETED || u.known ||
		     (r->failure && retry_costs(r->failure));
	bool none = r->attempt.count == 0 || !costs ||
		    (r->computer && r->attempt.count == r->attempt.before); /* no call goes on */

	if (none) {
		if (r->computer)
			keep_usage(r, &r->computer->used);
		return (struct usage){ 0 };
	}
	if (r->outcome != RUN_COMPLETED || !u.known)
		u = usage_cut(&u, &guess);
	bill_charge(r, &u);
	/* The client is told the usage that is charged. */
	struct usage all = r->computer ? bill_used(r, &u) : u;
	keep_usage(r, &all);
	return u;
}

static struct usage bill_step(struct run *r)
{
	struct usage guess = estimate_usage(r);
	struct usage u = r->kept.usage.known ? r->kept.usage : guess;

	bill_charge(r, &u);
	r->computer->used = bill_used(r, &u);
	keep_usage(r, &(struct usage){ 0 });
	r->bill.out = 0;
	return u;
}

static void fill_note(const struct run *r, struct usage_note *n)
{
	const struct bill *b = &r->bill;

	*n = (struct usage_note){
		.run = r->names.id,
		.at_ms = clock_wall_ms(),
		.usage = b->usage,
		.priced = !b->unpriced,
		.nano = b->nano,
		.reserved = b->reserved,
	};
	str_copy(n->key, sizeof n->key, str_of(b->who ? b->who->id : ""));
	str_copy(n->model, sizeof n->model, str_of(r->given.label));
	str_copy(n->provider, sizeof n->provider, str_of(r->provider->name));
}

static void bill_over_attempt(struct run *r, struct attempt_end *x)
{
	int64_t before_nano = r->bill.nano;

	switch (x->how) {
	case ATTEMPT_DROPPED: x->used = bill_dropped(r, x->e); break;
	case ATTEMPT_STEP: x->used = bill_step(r); break;
	case ATTEMPT_LAST: x->used = bill_close(r, x->asked); break;
	}
	x->nano = r->bill.nano - before_nano;
	x->priced = r->bill.charged && !r->bill.unpriced;
}

/* bill_save: what the end of the turn has to settle or to book. */
static void bill_save(struct run *r, struct run_end *x)
{
	x->turn.costs = r->bill.charged && !r->bill.unpriced;
	x->turn.cost_nano = run_cost(r);
	if (!r->bill.reserved && !r->bill.charged)
		return;
	fill_note(r, &x->note);
	x->turn.note = &x->note;
}

static void bill_saved(struct run *r, const struct run_end *x)
{
	r->bill.settled = r->bill.reserved || x->turn.later;
}

void bill_news(const struct run *r, struct run_news *n)
{
	n->used = r->bill.usage;
	n->asked = r->attempt.on;
	n->priced = !r->bill.unpriced;
	n->nano = r->bill.nano;
}

static void bill_book_metrics(const struct run *r)
{
	const struct bill *b = &r->bill;

	if (!b->unpriced && run_cost(r) > 0)
		metric_add(METRIC_COST, (const char *[]){ r->given.label, "", "" }, run_cost(r));
	if (!b->usage.estimated)
		return;
	metric_add(METRIC_TOKENS_ESTIMATED, (const char *[]){ r->given.label, "input", "" },
		   b->usage.in);
	metric_add(METRIC_TOKENS_ESTIMATED, (const char *[]){ r->given.label, "output", "" },
		   b->usage.out);
}

static void on_settled(struct store_job *job)
{
	struct run *r = container_of(job, struct bill_jobs, settle.job)->run;

	run_release(r);
	run_free_if_over(r);
}

void bill_over(struct run *r)
{
	struct bill      *b = &r->bill;
	struct store     *s = r->engine->o.store;
	struct usage_note n;

	if (b->charged)
		bill_book_metrics(r);
	if (b->settled)
		return;
	if (b->reserved) {
		fill_note(r, &b->jobs->settle.note);
		b->jobs->settle.job = (struct store_job){ .loop = run_loop(r), .done = on_settled };
		run_hold(r);
		if (!store_budget_settle(s, &b->jobs->settle))
			run_release(r);
	} else if (b->charged && s && s->usage) {
		fill_note(r, &n);
		store_usage_add(s, &n);
	}
}

void bill_finish(struct run *r)
{
	identity_release(TAKE(r->bill.who));
	free(TAKE(r->bill.jobs));
}

const struct stage bill_stage = {
	.name = "bill",
	.prepared = bill_weigh,
	.event = bill_event,
	.over = bill_over_attempt,
	.begin = bill_begin,
	.save = bill_save,
	.saved = bill_saved,
};
