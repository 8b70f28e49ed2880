/* A run's cost: the weight of its prompt and of its answer, and the bill of each attempt and at the run's end. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "desk/tag_book.h"
#include "json/member.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "run/computer.h"
#include "run/internal.h"
#include "run/retry.h"
#include "store/store.h"
#include "store/turn.h"

#include <stdlib.h>
#include <string.h>

/* --- the prompt --- */

/* class_asked: the class that a request asks for, in the words of its API. */
static enum usage_class class_asked(const struct prompt *p)
{
	struct str tier = STR_NONE;

	if (p->native)
		tier = json_get_inner(p->native->doc, 0, "service_tier");
	if (tier.n == 0 && prompt_is_native(p, PROVIDER_GEMINI))
		tier = json_get_inner(p->native->doc, 0, "serviceTier");
	for (size_t i = 0; !p->native && i < p->member_count; i++)
		if (json_member_is(p->members[i], STR("service_tier")))
			tier = json_member_value(p->members[i]);
	if (p->native && json_get_is(p->native->doc, 0, "speed", "fast"))
		return CLASS_FAST;
	if (tier.n > 2 && tier.p[0] == '"')
		tier = (struct str){ tier.p + 1, tier.n - 2 };
	enum usage_class class = usage_class_of(tier);
	return class == CLASS_FAST ? CLASS_PRIORITY : class; /* OpenAI's word */
}

/* bill_weigh: the prompt is made. */
static void bill_weigh(struct run *r)
{
	const struct prompt *p = &r->rq->what.prompt;
	int64_t              w = 0, own = 0;

	for (size_t i = 0; i < p->message_count; i++)
		w += weight_message(r, p->messages[i], budget_any(r));
	for (size_t i = 0; i < p->member_count; i++)
		w += (int64_t)p->members[i].n;
	if (p->native && p->message_count == 0)
		w += (int64_t)p->native->doc->len;
	else if (p->native && budget_any(r))
		own = weight_native(p->native);
	r->bill.in = w > own ? w : own;
	r->bill.asked = (uint8_t)class_asked(p);
}

struct registry_bound bill_bound(const struct run *r, int64_t prompt)
{
	struct str model = { r->given.model, strlen(r->given.model) };

	if (!r->given.route)
		return (struct registry_bound){ .unpriced = model, .unlimited = model };
	return registry_bound(r->given.route, r->given.asked, prompt,
			      (enum usage_class)r->bill.asked);
}

/* The stage's own memory of a run: the tags of its call, whose bytes are in `text`, and what is known of its last attempt. */
struct bill_own {
	struct str   all, counted;
	struct usage last; /* usage of the last attempt that may have cost */
	bool         has_last;
	char         text[];
};

bool bill_take_tags(struct run *r, const struct call_request *rq)
{
	struct str       tags = rq->caller.tags;
	struct bill_own *t = NULL;
	struct buf       counted;

	if (tags.n == 0)
		return true;
	buf_init(&counted, LIMIT_TAGS);
	if (tag_book_count(tags, clock_wall_ms(), &counted))
		t = run_stage_own(r, STAGE_BILL, sizeof *t + tags.n + counted.len);
	if (t) {
		t->all = (struct str){ memcpy(t->text, tags.p, tags.n), tags.n };
		t->counted = (struct str){ memcpy(t->text + tags.n, counted.data, counted.len),
					   counted.len };
	}
	buf_finish(&counted);
	return t;
}

struct str bill_tags(const struct run *r)
{
	const struct bill_own *t = run_stage_has(r, STAGE_BILL);

	return t ? t->all : STR_NONE;
}

struct str bill_tags_counted(const struct run *r)
{
	const struct bill_own *t = run_stage_has(r, STAGE_BILL);

	return t ? t->counted : STR_NONE;
}

/* An estimate is near enough: the store uses it only for a run that a crash has ended. */
void bill_look(struct run *r)
{
	const struct branch_read *branch = run_branch(r);
	int64_t                   w = (int64_t)r->rq->what.instruction.n;

	if (!run_stored(r))
		return;
	for (size_t i = 0; i < r->rq->what.message_count; i++)
		w += weight_message(r, r->rq->what.messages[i], false);
	for (size_t i = 0; branch && i < branch->message_count; i++)
		w += weight_message(r, branch->messages[i].body, false);
	for (size_t i = 0; i < r->rq->what.prompt.member_count; i++)
		w += (int64_t)r->rq->what.prompt.members[i].n;
	r->bill.in = w;
	r->bill.asked = (uint8_t)class_asked(&r->rq->what.prompt);
}

/* bill_begin: what the store keeps of a call that goes on; its spans are borrowed from the run.  A kept answer costs
 * nothing, also where it is cut off. */
static void bill_begin(const struct run *r, struct turn_begin *t)
{
	bool         hit = cache_is_hit(r);
	int64_t      in = hit ? 0 : r->bill.in;
	struct price p =
		hit ? (struct price){ .known = true } : bill_bound(r, usage_guess(in, 0).in).price;

	t->bill = (struct turn_bill){
		.key = str_of(r->bill.who ? r->bill.who->id : ""),
		.model = str_of(r->given.label),
		.tags = bill_tags(r),
		.in = in,
		.priced = p.known,
		.price_in = p.input,
		.price_out = p.output,
	};
}

static void bill_event(struct run *r, const struct event *ev)
{
	if (ev->pass != PASS_PRINT) {
		int64_t w = event_weight(ev);

		r->bill.out += w;
		if (r->bill.jobs)
			budget_grow(r, w);
	}
	run_pass(r, STAGE_BILL, ev);
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

/* bill_charge: adds the usage of one attempt to the bill.  Where the provider does not tell the class, it is the one
 * that it was asked for. */
static void bill_charge(struct run *r, struct usage *u, struct attempt_price *ret)
{
	struct bill  *b = &r->bill;
	struct price  p = price_now(r);
	struct usage *sum = &b->usage;

	if (u->class == CLASS_UNTOLD && (r->attempt.target.takes & PROVIDER_TIER))
		u->class = b->asked;
	b->unpriced |= !p.known && !price_told(&p, u);
	b->charged = true;
	*ret = (struct attempt_price){
		.told = true,
		.source = price_told(&p, u) ? "reported"
					    : price_source_word((enum price_source)p.source),
		.above = price_tier(&p, u->in),
		.class = usage_class_word((enum usage_class)u->class),
	};
	b->nano = money_add(b->nano, price_cost(&p, u, clock_wall_ms()));
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
	all.cached_hour = usage_small((int64_t)all.cached_hour + u->cached_hour);
	all.reasoning += u->reasoning;
	return all;
}

static struct usage estimate_usage(const struct run *r)
{
	return usage_guess(r->bill.in, r->bill.out);
}

struct usage bill_cut(const struct run *r)
{
	struct usage guess = estimate_usage(r);

	return usage_cut(r->kept.usage.known ? &r->kept.usage : &r->attempt.told, &guess);
}

void bill_keep_last(struct run *r, const struct usage *u)
{
	struct bill_own *own = run_stage_own(r, STAGE_BILL, sizeof *own);

	if (!own)
		return;
	own->last = *u;
	own->has_last = true;
}

/* bill_last: what the last attempt that may have cost has used; where that is not known, what all of them have. */
static const struct usage *bill_last(const struct run *r)
{
	const struct bill_own *own = run_stage_has(r, STAGE_BILL);

	return own && own->has_last ? &own->last : &r->bill.usage;
}

static struct usage bill_dropped(struct run *r, const struct err *e, struct attempt_price *price)
{
	struct usage u = r->attempt.told;
	struct usage guess = estimate_usage(r);

	r->bill.out = 0;
	/* The answer goes on, with a bill of its own. */
	if (r->attempt.committed) {
		u = usage_cut(r->kept.usage.known ? &r->kept.usage : &u, &guess);
		keep_usage(r, &(struct usage){ 0 });
	} else if (!u.known && !retry_costs(e)) {
		return (struct usage){ 0 };
	}
	if (!u.known && !u.estimated)
		u = guess;
	bill_charge(r, &u, price);
	bill_keep_last(r, &u);
	return u;
}

static struct usage bill_close(struct run *r, bool asked, struct attempt_price *price)
{
	struct usage guess = estimate_usage(r);
	struct usage u = r->kept.usage;
	bool costs = asked || r->attempt.committed || r->outcome == RUN_COMPLETED || u.known ||
		     (r->failure && retry_costs(r->failure));
	bool none = r->attempt.count == 0 || !costs ||
		    (r->computer && r->attempt.count == r->attempt.before); /* no call goes on */

	if (r->attempt.settled) {
		keep_usage(r, bill_last(r));
		return (struct usage){ 0 };
	}
	if (none) {
		if (r->computer)
			keep_usage(r, &r->computer->used);
		return (struct usage){ 0 };
	}
	if (r->outcome != RUN_COMPLETED || !u.known)
		u = usage_cut(&u, &guess);
	bill_charge(r, &u, price);
	/* The client is told the usage that is charged. */
	struct usage all = r->computer ? bill_used(r, &u) : u;
	keep_usage(r, &all);
	return u;
}

static struct usage bill_step(struct run *r, struct attempt_price *price)
{
	struct usage guess = estimate_usage(r);
	struct usage u = r->kept.usage.known ? r->kept.usage : guess;

	bill_charge(r, &u, price);
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
		.tags = bill_tags_counted(r),
		.priced = !b->unpriced,
		.nano = b->nano,
		.reserved = b->reserved,
	};
	if (b->reserved)
		memcpy(n->budgets, b->jobs->reserve.names, sizeof n->budgets);
	str_copy(n->key, sizeof n->key, str_of(b->who ? b->who->id : ""));
	if (b->who && b->who->group)
		memcpy(n->group, b->who->group->id, sizeof n->group);
	str_copy(n->model, sizeof n->model, str_of(r->given.label));
	str_copy(n->provider, sizeof n->provider, str_of(r->provider->name));
}

static void bill_over_attempt(struct run *r, struct attempt_end *x)
{
	int64_t before_nano = r->bill.nano;

	switch (x->how) {
	case ATTEMPT_DROPPED: x->used = bill_dropped(r, x->e, &x->price); break;
	case ATTEMPT_STEP: x->used = bill_step(r, &x->price); break;
	case ATTEMPT_LAST: x->used = bill_close(r, x->asked, &x->price); break;
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
	r->bill.settled = (x->turn.note && x->turn.note->reserved) || x->turn.later;
}

void bill_news(const struct run *r, struct run_news *n)
{
	n->used = r->bill.usage;
	n->asked = r->attempt.on;
	n->taken = r->given.restarted;
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

static void bill_settle(struct run *r)
{
	struct bill_jobs *j = r->bill.jobs;

	j->settle.job = (struct store_job){ .loop = run_loop(r), .done = on_settled };
	run_hold(r);
	if (!store_budget_settle(r->engine->o.store, &j->settle))
		run_release(r);
}

void bill_return(struct run *r)
{
	struct usage_note *n = &r->bill.jobs->settle.note;

	fill_note(r, n);
	n->usage = (struct usage){ 0 };
	n->nano = 0;
	bill_settle(r);
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
		bill_settle(r);
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
