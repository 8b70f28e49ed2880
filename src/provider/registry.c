/* The providers and models of one configuration: finding a model by its name, and what is known of it and of
 * its targets. */
#include "provider/registry.h"

#include "base/limits.h"
#include "provider/internal.h"
#include "provider/price_file.h"
#include "provider/price_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void registry_destroy(struct registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->provider_count; i++)
		provider_destroy(r->providers[i]);
	free(r->providers);
	for (size_t i = 0; i < r->model_count; i++)
		price_file_release(r->models[i].prices);
	arena_finish(&r->memory);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static const struct model *registry_match(const struct registry *r, struct str name)
{
	const struct model *best = NULL;

	for (size_t i = 0; i < r->model_count; i++) {
		const struct model *m = &r->models[i];

		if (!m->star && str_eq(m->name, name))
			return m;
		if (m->star && name.n > m->stem.n && str_starts(name, m->stem) &&
		    (!best || m->stem.n > best->stem.n))
			best = m;
	}
	return best;
}

/* registry_cut: the length of s, cut to at most max bytes at the boundary of a character. */
static int registry_cut(struct str s, size_t max)
{
	size_t n = s.n < max ? s.n : max;

	while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;
	return (int)n;
}

/* registry_refuse: the name leads to no model; empty: the request had none, and there is no default. */
static enum errc registry_refuse(const struct registry *r, struct str name,
				 const struct identity *who, struct err *e)
{
	char   known[160] = "";
	size_t n = 0, shown = 0, seen = 0;

	for (size_t i = 0; i < r->model_count; i++) {
		struct str m = r->models[i].name;

		if (!identity_sees(who, m))
			continue;
		if (seen++ > shown || n + m.n + 3 > sizeof known)
			continue; /* after the first name without room, none is shown */
		shown++;
		n += (size_t)snprintf(known + n, sizeof known - n, "%s%.*s", n > 0 ? ", " : "",
				      STR_ARG(m));
	}
	if (name.n == 0 && r->by_default.n > 0)
		return err_set(e, ERR_MODEL_NOT_FOUND, NULL,
			       "no model was named, and this key may not use the default one");
	const char *rest = shown < seen ? ", … (GET /v1/models lists all)" : "";
	if (name.n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, NULL,
			       "is missing, and there is no default_model: name a model; there %s "
			       "%s%s",
			       seen == 1 ? "is" : "are", n > 0 ? known : "none", rest);
	return err_set(e, ERR_MODEL_NOT_FOUND, NULL,
		       "the model '%.*s' does not exist here; there %s %s%s",
		       registry_cut(name, 80), name.p, seen == 1 ? "is" : "are",
		       n > 0 ? known : "none", rest);
}

enum errc registry_find_for(const struct registry *r, struct str model, const struct identity *who,
			    struct target *ret, struct err *e)
{
	struct str named = model;

	if (model.n == 0)
		model = r->by_default;
	const struct model *m = model.n > 0 ? registry_match(r, model) : NULL;
	if (!m || !identity_sees(who, model))
		return registry_refuse(r, named, who, e);

	*ret = target_of(m, model, 0);
	return ERR_OK;
}

enum errc registry_find(const struct registry *r, struct str model, struct target *ret,
			struct err *e)
{
	return registry_find_for(r, model, &identity_open, ret, e);
}

/* --- what is known of a model and of its targets --- */

bool registry_several(const struct model *m)
{
	return m->target_count > 1 || m->fallback_count > 0;
}

bool registry_holds(const struct model *m)
{
	return m->holds && registry_several(m);
}

bool registry_caches(const struct model *m)
{
	return m->caches;
}

bool registry_resumes(const struct model *m)
{
	return m->resumes;
}

bool registry_restarts(const struct model *m)
{
	return m->restarts;
}

bool registry_prefills(const struct target *t)
{
	return t->model && t->model->prefills;
}

int64_t registry_cache_us(const struct model *m)
{
	return m->cache_us;
}

bool registry_upstream(const struct model *m, size_t i, struct str asked, struct target *ret)
{
	if (i >= m->target_count)
		return false;
	*ret = target_of(m, asked, i);
	return true;
}

struct tally *registry_tally(const struct target *t)
{
	return t->model ? t->model->targets[t->index].tally : NULL;
}

static struct price own_price(const struct model *m, unsigned takes);

bool registry_look(const struct registry *r, size_t i, size_t t, struct registry_view *ret)
{
	const struct model *m = i < r->model_count ? &r->models[i] : NULL;

	if (!m || t >= m->target_count)
		return false;
	*ret = (struct registry_view){
		.model = m->name,
		.provider = m->targets[t].provider,
		.upstream = m->targets[t].upstream,
		.weight = m->targets[t].weight,
		.max_output = m->max_output,
		.limits = { .output = m->max_output },
		.fallback = m->fallback,
		.fallback_count = m->fallback_count,
		.tally = m->targets[t].tally,
	};
	if (ret->upstream.n == 0 && !m->star)
		ret->upstream = m->name;
	if (ret->upstream.n > 0) {
		struct target asked = target_of(m, m->name, t);

		ret->limits = registry_limits(&asked);
		ret->price = registry_price(&asked);
	} else {
		ret->price = own_price(m, m->targets[t].takes);
		ret->table = !ret->price.known && (m->prices || !m->no_table);
	}
	return true;
}

uint64_t registry_mark(const struct target *t)
{
	return t->model->targets[t->index].mark;
}

uint32_t registry_bit(const struct model *m, uint64_t mark)
{
	for (size_t i = 0; i < m->target_count; i++)
		if (m->targets[i].mark == mark)
			return 1u << i;
	return 0;
}

const struct model *registry_fallback(const struct model *m, size_t i, struct str *ret_name)
{
	struct target found = { .model = NULL };
	struct err    e;

	if (i >= m->fallback_count || registry_find(m->owner, m->fallback[i], &found, &e) != ERR_OK)
		return NULL;
	*ret_name = m->fallback[i];
	return found.model;
}

const struct model *registry_marked(const struct model *m, uint64_t mark, struct str *ret_name,
				    uint32_t *ret_others)
{
	const struct model *next = m;
	uint32_t            bit;

	if (registry_bit(m, mark))
		return NULL;
	for (size_t i = 0; (next = registry_fallback(m, i, ret_name)) != NULL; i++)
		if ((bit = registry_bit(next, mark)) != 0) {
			*ret_others = ~bit;
			return next;
		}
	return NULL;
}

/* --- costs --- */

/* price_for: whole, as a provider that takes these charges it. */
static struct price price_for(struct price p, unsigned takes)
{
	/* Only Anthropic has two prices for what is written to its cache, where none is set. */
	p.hourless = !(takes & PROVIDER_MESSAGES);
	if (p.known)
		price_fill(&p);
	return p;
}

static struct price own_price(const struct model *m, unsigned takes)
{
	return price_for(m->price, takes);
}

struct price registry_price(const struct target *t)
{
	const struct model *m = t->model;
	struct price        p = { .known = false };

	if (!m)
		return p;
	if (m->price.known)
		return own_price(m, t->takes);
	if (m->prices)
		p = price_file_find(m->prices, str_of(t->provider->name), t->upstream_model);
	if (!p.known && !m->no_table)
		p = price_table_find(t->upstream_model);
	p.reported = m->price.reported;
	return price_for(p, t->takes);
}

const struct price_file *registry_prices(const struct registry *r)
{
	return r->model_count > 0 ? r->models[0].prices : NULL;
}

/* The call whose bound is looked for. */
struct bound_of {
	int64_t prompt;
	enum usage_class class;
};

/* class_at: the class that the target is asked for: one that is not sent the request's word may choose any. */
static enum usage_class class_at(const struct target *t, enum usage_class asked)
{
	return (t->takes & PROVIDER_TIER) || asked == CLASS_STANDARD ? asked : CLASS_UNTOLD;
}

static void bound_model(const struct model *m, struct str asked, const struct bound_of *call,
			struct registry_bound *b)
{
	for (size_t i = 0; i < m->target_count; i++) {
		struct target t = target_of(m, asked, i);
		struct price  p = registry_price(&t);

		p = price_dearest(&p, call->prompt, class_at(&t, call->class));
		b->takes &= t.takes;
		b->some |= t.takes;
		price_dearer(&b->price, &p);
		if (!p.known && b->unpriced.n == 0)
			b->unpriced = m->name;
	}
	if (m->max_output == 0 && b->unlimited.n == 0)
		b->unlimited = m->name;
	if (b->max_output == 0 || m->max_output < b->max_output)
		b->max_output = m->max_output;
}

struct registry_bound registry_bound(const struct model *m, struct str asked, int64_t prompt,
				     enum usage_class class)
{
	struct registry_bound b = { .max_output = m->max_output, .takes = UINT_MAX };
	struct bound_of       call = { prompt, class };
	const struct model   *next = m;

	for (size_t i = 0; next; i++) {
		bound_model(next, asked, &call, &b);
		next = registry_fallback(m, i, &asked);
	}
	b.price.known = b.unpriced.n == 0;
	if (b.unlimited.n > 0)
		b.max_output = 0;
	return b;
}

struct table_limits registry_limits(const struct target *t)
{
	struct table_limits l = { 0 };

	if (!t->model)
		return l;
	if (!t->model->no_table)
		l = price_table_limits(t->upstream_model);
	if (t->model->told.context > 0)
		l.context = t->model->told.context;
	if (t->model->max_output > 0)
		l.output = t->model->max_output;
	return l;
}

struct table_limits registry_all_limits(const struct model *m, struct str asked)
{
	struct table_limits all = { .context = INT64_MAX, .output = INT64_MAX };

	for (size_t i = 0; i < m->target_count; i++) {
		struct target       t = target_of(m, asked, i);
		struct table_limits l = registry_limits(&t);

		all.context = l.context < all.context ? l.context : all.context;
		all.output = l.output < all.output ? l.output : all.output;
		all.thinks |= l.thinks;
	}
	return all;
}

struct registry_told registry_told(const struct model *m)
{
	return m->told;
}

struct registry_output registry_output(const struct model *m, struct str asked)
{
	struct registry_output o = { .least = INT64_MAX };
	const struct model    *next = m;
	bool                   known = true;

	for (size_t i = 0; next; i++) {
		for (size_t k = 0; k < next->target_count; k++) {
			struct target       t = target_of(next, asked, k);
			struct table_limits l = registry_limits(&t);

			known &= l.output > 0;
			o.thinks |= l.thinks;
			o.least = l.output < o.least ? l.output : o.least;
			o.most = l.output > o.most ? l.output : o.most;
		}
		next = registry_fallback(m, i, &asked);
	}
	if (!known)
		o.least = o.most = 0;
	return o;
}

const struct model_defaults *registry_defaults(const struct model *m)
{
	return &m->defaults;
}

const struct provider *registry_provider(const struct registry *r, size_t i)
{
	return i < r->provider_count ? r->providers[i] : NULL;
}

const struct provider *registry_behind(const struct registry *r, size_t i)
{
	const struct model *m = i < r->model_count ? &r->models[i] : NULL;

	if (!m || !m->star || m->targets[0].upstream.n > 0 || !m->targets[0].provider->catalog)
		return NULL;
	return m->targets[0].provider;
}

bool registry_model(const struct registry *r, size_t i, struct str *ret_name,
		    struct str *ret_provider)
{
	if (i >= r->model_count)
		return false;
	*ret_name = r->models[i].name;
	*ret_provider = str_of(r->models[i].targets[0].provider->name);
	return true;
}
