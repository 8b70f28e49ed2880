/* A run's reservation against the budgets of its key, of the key's group, and so on: an upper bound of what the call may cost, before anything is
 * stored and the provider is asked; or a part of it, which grows with the answer.
 *
 *   the request or the model's entry has a limit   all of it; the provider is sent it
 *   a stream of which every token can be seen      budget_reserve, and more while the answer goes on; if there is
 *                                                  no more, the answer ends with an error
 *   any other call                                 the most that the model writes, by the built-in table; if that
 *                                                  is more than half of what is left, or is not known, less, which
 *                                                  the provider is sent as a limit
 *
 * The price is the dearest of all targets and fallbacks, of the tiers that the prompt may reach, of the classes that
 * may serve the call, and of all hours. */
#include "base/clock.h"
#include "json/member.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "msg/usage_tag.h"
#include "run/computer.h"
#include "run/internal.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSION_KEPT_MS ((int64_t)24 * 60 * 60 * 1000)

enum {
	ANSWERS_MAX = 128, /* the highest `n` of a request */
	/* Bytes of an answer that count as one token.  English text has about four for each; text without words,
	 * such as base64, has about two. */
	TOKEN_BYTES = 2,
};

static bool has_budget(const struct allowance *a)
{
	return a->budget_nano > 0 || a->budget_tokens > 0 || a->each_nano > 0;
}

bool budget_any(const struct run *r)
{
	const struct identity *who = r->bill.who;

	return r->bill.capped || (who && (has_budget(&who->allowance) ||
					  (who->group && has_budget(&who->group->allowance))));
}

bool budget_wanted(const struct run *r)
{
	return budget_any(r) && (!r->bill.reserved || r->bill.again) && !cache_is_hit(r) &&
	       !r->given.refused;
}

/* --- how many answers, of which length --- */

/* budget_count: reads a JSON integer from 1 to most; false: raw is none. */
static bool budget_count(struct str raw, int64_t most, int64_t *ret)
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

		if (value.n > 0 && !budget_count(value, ANSWERS_MAX, &n))
			return false;
		if (n > *ret)
			*ret = n;
	}
	return true;
}

bool budget_answers(const struct prompt *p, int64_t *ret)
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

/* asked_limit: *ret: the limit of each answer that the request sets; 0: none. */
static enum errc asked_limit(const struct prompt *p, int64_t *ret, struct err *e)
{
	*ret = 0;
	if (p->max_tokens.n == 0 || str_is(p->max_tokens, "null") ||
	    budget_count(p->max_tokens, PRICE_TOKENS, ret))
		return ERR_OK;
	return err_set(
		e, ERR_INVALID_VALUE, p->max_tokens_key ? p->max_tokens_key : "max_tokens",
		"must be an integer from 1 to 1000000000 for a call that counts in a budget");
}

/* send_limit: the provider is sent a limit that the request does not have. */
static enum errc send_limit(struct run *r, int64_t tokens, struct err *e)
{
	char       digits[DECIMAL_MAX];
	struct str text = arena_str(&r->rq->input->arena, decimal_int(tokens, digits));

	if (!text.p)
		return err_no_memory(e);
	r->rq->what.prompt.max_tokens = text;
	return ERR_OK;
}

/* --- the plan --- */

static int64_t take_smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static enum errc refuse_unpriced(struct str model, struct err *e)
{
	struct str shown = { model.p, model.n < 80 ? model.n : 80 };

	shown.n = text_whole(shown);
	return err_set(
		e, ERR_NOT_BUDGETABLE, "model",
		"this call counts in a budget, but the most that the model '%.*s' may cost is "
		"unknown: the operator has to set its price.",
		STR_ARG(shown));
}

/* plan_open: the plan of a call that nobody has limited. */
static void plan_open(const struct run *r, struct budget_plan *p)
{
	struct registry_output o = { 0 };

	if (r->given.route)
		o = registry_output(r->given.route, r->given.asked);
	p->step = r->engine->o.settings(r->engine->o.arg)->budget_reserve;
	p->least = o.most > 0 ? take_smaller(p->step, o.least) : p->step;
	p->most = o.most;
	p->cap = o.least;
	p->open = true;
	p->grows = r->rq->what.prompt.stream && !o.thinks;
	p->each = p->grows || o.most == 0 ? p->least : o.most;
}

static bool counts_money(const struct budget_reserve *b)
{
	for (size_t i = 0; i < b->part_count; i++)
		if (b->parts[i].limit_nano > 0 || b->parts[i].kept)
			return true;
	return false;
}

static enum errc make_plan(struct run *r, struct budget_plan *p, struct err *e)
{
	struct registry_bound b = bill_bound(r, r->bill.in);
	const struct prompt  *asked = &r->rq->what.prompt;

	*p = (struct budget_plan){
		.price = b.price, .answers = 1, .asking = p->asking, .round = p->round + 1
	};
	if (!asked->embed) {
		if (!budget_answers(asked, &p->answers))
			return err_set(e, ERR_INVALID_VALUE, "n", "must be an integer from 1 to %d",
				       ANSWERS_MAX);
		if (asked_limit(asked, &p->each, e) != ERR_OK)
			return e->code;
	}
	if (counts_money(&r->bill.jobs->reserve) && !b.price.known)
		return refuse_unpriced(b.unpriced, e);
	if (asked->embed || p->each > 0)
		return ERR_OK;
	p->each = b.max_output;
	if (p->each > 0)
		return send_limit(r, p->each, e);
	plan_open(r, p);
	return ERR_OK;
}

/* plan_smaller: p->each becomes what half of the rest of the budget pays for, or at last the least; false: that
 * was tried. */
static bool plan_smaller(const struct run *r, struct budget_plan *p,
			 const struct budget_reserve *refused)
{
	/* Sums are rounded up, by less than two billionths. */
	int64_t nano =
		refused->left_nano / 2 - price_most(&p->price, r->bill.in, 0, p->answers) - 2;
	int64_t most = take_smaller(p->cap, p->each - 1);

	if (!p->open || p->grows || p->each <= p->least)
		return false;
	if (refused->left_nano < INT64_MAX)
		most = take_smaller(most, price_tokens_for(&p->price, nano) / p->answers);
	if (refused->left_tokens < INT64_MAX)
		most = take_smaller(most, (refused->left_tokens / 2 - r->bill.in) / p->answers);
	p->each = most > p->least && p->each == p->most ? most : p->least;
	return true;
}

/* --- before the call --- */

static bool budget_ask(struct run *r);

/* plan_done: the provider is told of a reservation that is less than what the model may write. */
static enum errc plan_done(struct run *r, const struct budget_plan *p, struct err *e)
{
	if (!p->open || p->grows || p->each == p->most)
		return ERR_OK;
	warnings_add(
		run_warnings(r), 0, "answer_limited",
		"the answer has at most %lld tokens: the call counts in a budget, and the request has "
		"no max_tokens",
		(long long)p->each);
	return send_limit(r, p->each, e);
}

static void on_reserved(struct store_job *job)
{
	struct bill_jobs   *j = container_of(job, struct bill_jobs, reserve.job);
	struct run         *r = j->run;
	struct budget_plan *p = &j->plan;
	struct err          e = job->err;

	run_release(r);
	if (e.code == ERR_INSUFFICIENT_QUOTA && plan_smaller(r, p, &j->reserve)) {
		if (budget_ask(r))
			return;
		err_set(&e, ERR_OVERLOADED, "", "too many calls are waiting; try again");
	}
	r->bill.reserved = e.code == ERR_OK || r->bill.again;
	r->bill.again = false;
	if (e.code == ERR_INSUFFICIENT_QUOTA && cache_forgives(r, &e)) {
		e.code = ERR_OK;
		step_over(r, &e);
		return;
	}
	if (r->state == STATE_ENDED && e.code == ERR_OK)
		bill_return(r);
	else if (e.code == ERR_OK && r->state < STATE_ENDING && plan_done(r, p, &e) == ERR_OK)
		p->given = p->each * p->answers;
	step_over(r, &e);
}

/* reserve_of: a reservation from the budgets of the call, of which nothing is asked yet. */
static struct budget_reserve reserve_of(const struct run *r)
{
	struct budget_reserve ret = r->bill.jobs->reserve;

	ret.job = (struct store_job){ .loop = run_loop(r) };
	ret.run = r->names.id;
	ret.key = str_of(r->bill.who ? r->bill.who->id : "");
	ret.model = str_of(r->given.label);
	ret.provider = str_of(r->provider->name);
	ret.tags = bill_tags_counted(r);
	ret.now_ms = clock_wall_ms();
	ret.nano = ret.tokens = ret.tokens_in = ret.spare_nano = ret.spare_tokens = 0;
	ret.more = false;
	return ret;
}

/* budget_ask: asks for what the plan says.  A call that would take more than half of what is left takes less, so
 * that others have room. */
static bool budget_ask(struct run *r)
{
	struct bill_jobs         *j = r->bill.jobs;
	const struct budget_plan *p = &j->plan;
	int64_t                   out = p->each * p->answers;
	bool                      halves = p->open && !p->grows && p->each > p->least;

	j->reserve = reserve_of(r);
	j->reserve.job.done = on_reserved;
	j->reserve.more = r->bill.again;
	j->reserve.nano = price_most(&p->price, r->bill.in, out, p->answers);
	j->reserve.tokens_in = r->bill.in;
	j->reserve.tokens = r->bill.in + out;
	j->reserve.spare_nano = halves ? j->reserve.nano : 0;
	j->reserve.spare_tokens = halves ? j->reserve.tokens : 0;
	run_hold(r);
	if (store_budget_reserve(r->engine->o.store, &j->reserve))
		return true;
	run_release(r);
	return false;
}

/* --- which budgets --- */

static void add_part(struct budget_reserve *b, const struct budget_part *p)
{
	size_t n = strlen(b->names);

	b->parts[b->part_count++] = *p;
	snprintf(b->names + n, sizeof b->names - n, "%s%s", n > 0 ? " " : "", p->name);
}

static void add_allowance(struct budget_reserve *b, const char *name, enum budget_whose whose,
			  const struct allowance *a)
{
	struct budget_part p = { .whose = whose,
				 .limit_nano = a->budget_nano,
				 .limit_tokens = a->budget_tokens,
				 .window_ms = a->budget_window_us / 1000 };

	str_copy(p.name, sizeof p.name, str_of(name));
	if (p.limit_nano > 0 || p.limit_tokens > 0)
		add_part(b, &p);
}

/* add_each: the budget of the call's value of a tag; calls without one have it together. */
static void add_each(const struct run *r, struct budget_reserve *b, const char *id,
		     enum budget_whose whose, const struct allowance *a)
{
	struct budget_part p = { .whose = whose,
				 .limit_nano = a->each_nano,
				 .window_ms = a->each_window_us / 1000,
				 .until_ms = -1,
				 .tag = str_of(a->each_tag) };

	if (a->each_nano == 0)
		return;
	p.value = usage_tags_find(bill_tags(r), p.tag);
	usage_each_name(id, p.tag, p.value, p.name);
	add_part(b, &p);
}

/* add_budgets: those of a key or of a group. */
static void add_budgets(const struct run *r, struct budget_reserve *b, const char *id, bool group,
			const struct allowance *a)
{
	add_allowance(b, id, group ? BUDGET_GROUP : BUDGET_KEY, a);
	add_each(r, b, id, group ? BUDGET_GROUP_EACH : BUDGET_EACH, a);
}

static void add_ceiling_of_conversation(struct budget_reserve *b, struct id conversation,
					int64_t most)
{
	struct budget_part p = { .whose = BUDGET_CONVERSATION, .limit_nano = most, .kept = true };

	snprintf(p.name, sizeof p.name, BUDGET_OF_CONVERSATION "%lld", (long long)conversation.key);
	add_part(b, &p);
}

static void add_ceiling_of_session(struct budget_reserve *b, const struct run *r)
{
	struct budget_part p = { .whose = BUDGET_SESSION,
				 .limit_nano = r->rq->manner.max_nano,
				 .kept = true,
				 .until_ms = clock_wall_ms() + SESSION_KEPT_MS };

	usage_session_name(r->given.owner, r->rq->caller.purse, p.name);
	add_part(b, &p);
}

/* add_ceilings: a call that is not stored counts in its conversation, too; the ceiling that it sets is its session's. */
static void add_ceilings(struct budget_reserve *b, const struct run *r)
{
	const struct call_request *rq = r->rq;

	if (run_stored(r))
		add_ceiling_of_conversation(b, r->names.conversation, rq->manner.max_nano);
	else if (r->bill.within)
		add_ceiling_of_conversation(b, rq->thread.conversation, 0);
	if (!run_stored(r) && rq->manner.max_nano > 0)
		add_ceiling_of_session(b, r);
}

/* find_parts: the budgets in which the call counts. */
static void find_parts(const struct run *r, struct budget_reserve *b)
{
	const struct identity *who = r->bill.who;

	b->part_count = 0;
	b->names[0] = '\0';
	if (who)
		add_budgets(r, b, who->id, false, &who->allowance);
	if (who && who->group)
		add_budgets(r, b, who->group->id, true, &who->group->allowance);
	if (r->bill.capped)
		add_ceilings(b, r);
}

/* jobs_of: NULL: no memory. */
static struct bill_jobs *jobs_of(struct run *r)
{
	if (!r->bill.jobs)
		r->bill.jobs = calloc(1, sizeof *r->bill.jobs);
	if (r->bill.jobs)
		r->bill.jobs->run = r;
	return r->bill.jobs;
}

enum step_next budget_start(struct run *r, struct err *e)
{
	struct bill_jobs *j = jobs_of(r);

	if (!j) {
		err_set(e, ERR_OVERLOADED, "", "no memory for the call");
		return STEP_FAILED;
	}
	find_parts(r, &j->reserve);
	if (make_plan(r, &j->plan, e) != ERR_OK)
		return STEP_FAILED;
	if (budget_ask(r))
		return STEP_PARKED;
	err_set(e, ERR_OVERLOADED, "", "too many calls are waiting; try again");
	return STEP_FAILED;
}

/* --- a kept answer --- */

/* A kept answer costs nothing, whatever is left of a budget, but the call may set a ceiling for the next ones. */

bool budget_sets(const struct run *r)
{
	return cache_is_hit(r) && r->bill.capped && r->rq->manner.max_nano > 0 && !r->bill.reserved;
}

static void budget_on_set(struct store_job *job)
{
	struct run *r = container_of(job, struct bill_jobs, reserve.job)->run;
	struct err  e = job->err;

	run_release(r);
	step_over(r, &e);
}

enum step_next budget_set(struct run *r, struct err *e)
{
	struct bill_jobs *j = jobs_of(r);

	if (!j) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	j->reserve = (struct budget_reserve){ 0 };
	add_ceilings(&j->reserve, r);
	j->reserve = reserve_of(r);
	j->reserve.job.done = budget_on_set;
	j->reserve.sets = true;
	run_hold(r);
	if (store_budget_reserve(r->engine->o.store, &j->reserve))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many calls are waiting; try again");
	return STEP_FAILED;
}

/* --- while the answer goes on --- */

void budget_more_of(const struct run *r, int64_t bytes, struct budget_reserve *ret)
{
	const struct budget_plan *p = &r->bill.jobs->plan;
	int64_t                   out = p->each * p->answers;
	int64_t                   in = r->bill.in + bytes;
	struct price              price = bill_bound(r, in).price;

	*ret = reserve_of(r);
	ret->more = true;
	ret->nano = price_most(&price, in, out, p->answers);
	ret->tokens = in + out;
}

void budget_more_given(struct run *r)
{
	struct budget_plan *p = &r->bill.jobs->plan;

	p->given += p->each * p->answers;
}

static void budget_on_more(struct store_job *job)
{
	struct bill_jobs   *j = container_of(job, struct bill_jobs, more.job);
	struct run         *r = j->run;
	struct budget_plan *p = &j->plan;
	struct err          e = job->err;
	bool                now = j->more_round == p->round;

	run_release(r);
	p->asking = false;
	if (e.code == ERR_OK && now)
		p->given += j->more.tokens;
	if (e.code != ERR_OK && now && run_called(r))
		run_finish(r, &e);
	else
		run_free_if_over(r);
}

/* ask_more: a full queue is asked again with the next event. */
static void ask_more(struct run *r, int64_t tokens)
{
	struct bill_jobs *j = r->bill.jobs;

	j->more = reserve_of(r);
	j->more.job.done = budget_on_more;
	j->more.more = true;
	j->more.nano = price_most(&j->plan.price, 0, tokens, 0);
	j->more.tokens = tokens;
	j->more_round = j->plan.round;
	run_hold(r);
	j->plan.asking = store_budget_reserve(r->engine->o.store, &j->more);
	if (!j->plan.asking)
		run_release(r);
}

void budget_grow(struct run *r, int64_t bytes)
{
	struct budget_plan *p = &r->bill.jobs->plan;
	int64_t             step = p->step * p->answers;
	int64_t             want;

	if (!p->grows || bytes == 0)
		return;
	p->seen += (bytes + TOKEN_BYTES - 1) / TOKEN_BYTES;
	want = p->seen + step / 2;
	if (p->most > 0)
		want = take_smaller(want, p->most * p->answers);
	if (!p->asking && want > p->given)
		ask_more(r, (want - p->given + step - 1) / step * step);
}
