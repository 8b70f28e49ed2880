/* Which target an attempt asks: one of the model's, or of its fallbacks', and what is said if there is none.
 * provider/choice chooses among a model's. */
#include "run/internal.h"

#include "base/clock.h"
#include "base/metric.h"
#include "lmc/text.h"

#include <string.h>

const struct model *choose_fallback(const struct run *r, struct str *ret_name)
{
	return r->given.route ? registry_fallback(r->given.route, r->attempt.step, ret_name) : NULL;
}

bool choose_model(struct run *r)
{
	struct attempt     *a = &r->attempt;
	const struct model *m = choose_fallback(r, &a->name);

	if (!m)
		return false;
	a->model = m;
	a->step++;
	a->tried = a->left ? registry_bit(m, a->by.last) : 0;
	a->again = 0;
	a->blamed = 0;
	return true;
}

/* takes_less: whether the target takes fewer kinds of files than the first target, for which the
 * request's files were checked, makes no embeddings or no completions of a prompt for a request for
 * them, or does not take the client's own words where there is nothing else. */
static bool takes_less(const struct run *r, const struct target *t)
{
	unsigned needed =
		(r->given.embed ? PROVIDER_EMBED : 0u) | (r->given.text ? PROVIDER_TEXT : 0u);

	/* a provider that speaks LMC has a computer of its own */
	if (r->computer && strcmp(t->provider->ops->dialect, "lmc") == 0)
		return true;
	if (resume_refuses(r, t))
		return true;
	return (r->attach && (r->rq->what.takes & PROVIDER_FILES & ~t->takes) != 0) ||
	       (needed & ~t->takes) != 0 ||
	       (r->rq->what.untranslated && !prompt_is_native(&r->rq->what.prompt, t->takes));
}

/* choose_warm: the conversation's last good answer came from a fallback's target, which has what the
 * conversation begins with in its cache: it is asked before the model's own targets. */
static bool choose_warm(struct run *r, struct choice_block *block)
{
	struct attempt     *a = &r->attempt;
	uint32_t            others;
	struct str          name;
	const struct model *m;

	if (a->count > a->before || a->left || !a->by.last || !registry_holds(a->model) ||
	    !(m = registry_marked(a->model, a->by.last, &name, &others)) ||
	    !choice_make(m, name, others, &a->by, clock_mono_us(), &a->target, block))
		return false;
	if (!takes_less(r, &a->target))
		return true;
	choice_done(&a->target);
	return false;
}

static bool choose_next(struct run *r, struct choice_block *block)
{
	struct attempt *a = &r->attempt;

	for (;;) {
		struct target t;

		if (!choice_make(a->model, a->name, a->tried, &a->by, clock_mono_us(), &t, block)) {
			if (choose_model(r))
				continue;
			return false;
		}
		a->tried |= 1u << t.index;
		if (!takes_less(r, &t)) {
			a->target = t;
			return true;
		}
		choice_done(&t);
	}
}

static void note_affinity(const struct run *r)
{
	static const char *const results[] = {
		[AFFINITY_NONE] = "none", [AFFINITY_KEPT] = "kept", [AFFINITY_MOVED] = "moved"
	};
	const struct attempt *a = &r->attempt;

	if (a->count == 0 && !a->left && registry_holds(r->given.route))
		metric_add(METRIC_AFFINITY,
			   (const char *[]){
				   results[choice_affinity(r->given.route, &a->target, &a->by)], "",
				   "" },
			   1);
}

bool choose_target(struct run *r, struct choice_block *block)
{
	struct attempt *a = &r->attempt;

	if (!r->given.route)
		return true;
	if (a->warm) {
		a->left = true;
		a->blamed = 0;
	}
	a->warm = choose_warm(r, block);
	if (!a->warm && !choose_next(r, block))
		return false;
	note_affinity(r);
	a->chosen = true;
	r->provider = a->target.provider;
	r->rq->what.prompt.model = a->target.upstream_model;
	r->rq->what.prompt.max_output = a->target.max_output;
	return true;
}

void choose_blocked(const struct run *r, const struct choice_block *b, struct err *e)
{
	struct str model = { r->given.model, strnlen(r->given.model, 100) };
	int64_t    ms = (b->wait_us + 999) / 1000;

	model.n = text_whole(model);
	if (b->open)
		err_set(e, ERR_NO_UPSTREAM, "",
			"no provider of the model '%.*s' is healthy; the next try is in %lld s",
			STR_ARG(model), (long long)(ms + 999) / 1000);
	else if (b->cooling)
		err_set(e, ERR_UPSTREAM_COOLING, "",
			"the provider's limit for the model '%.*s' is reached; try again in %lld s",
			STR_ARG(model), (long long)(ms + 999) / 1000);
	else
		err_set(e, ERR_UPSTREAM_KEYS, "",
			"the provider of the model '%.*s' refused the gateway's own key a moment ago; the "
			"key of this request is not at fault",
			STR_ARG(model));
	e->retry_after_ms = b->open || b->cooling ? (ms > 0 ? ms : 1) : 0;
}
