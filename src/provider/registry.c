/* The providers and models of one configuration: finding a model by its name, choosing one of its
 * targets, and what a call costs. */
#include "provider/registry.h"

#include "base/arena.h"
#include "base/limits.h"
#include "provider/tally.h"

#include <pthread.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>

struct model_target {
	struct str             upstream; /* empty: the model's name, or what its star stands for */
	const struct provider *provider;
	unsigned               takes; /* enum provider_takes */
	int64_t                weight;
	struct tally          *tally; /* borrowed; NULL: none */
};

struct model {
	struct registry     *owner;
	struct str           name;    /* the configured one, with its star */
	struct str           stem;    /* the name without its star */
	struct model_target *targets; /* at least one */
	/* The targets' rows; guarded by the owner's lock; NULL: only one target. */
	struct balance_row   *rows;
	size_t                target_count;
	struct str           *fallback;
	size_t                fallback_count;
	struct price          price; /* the configured one; .known false: there is none */
	bool                  no_table;
	int64_t               max_output;
	bool                  star;
	struct model_defaults defaults;
};

struct registry {
	struct provider **providers; /* owned */
	size_t            provider_count;
	struct model     *models; /* in the arena, as all names */
	size_t            model_count;
	struct str        by_default;
	struct arena      memory;
	pthread_mutex_t   lock; /* guards the rows of all models, and nothing else */
};

void registry_destroy(struct registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->provider_count; i++)
		provider_destroy(r->providers[i]);
	free(r->providers);
	arena_finish(&r->memory);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static const struct provider *provider_named(const struct registry *r, const char *name)
{
	for (size_t i = 0; name && i < r->provider_count; i++)
		if (str_eq(str_of(r->providers[i]->name), str_of(name)))
			return r->providers[i];
	return NULL;
}

static enum errc check_providers(const struct registry *r, struct err *e)
{
	for (size_t i = 0; i < r->provider_count; i++)
		if (provider_named(r, r->providers[i]->name) != r->providers[i])
			return err_set(e, ERR_INVALID_VALUE, "providers",
				       "two providers are named \"%s\"", r->providers[i]->name);
	return ERR_OK;
}

static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static enum errc check_model(const struct model_options *m, struct err *e)
{
	size_t      n = m->name ? strlen(m->name) : 0;
	const char *star = n > 0 ? strchr(m->name, '*') : NULL;

	if (n == 0 || n > LIMIT_MODEL || has_control(m->name))
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "a model's name must have 1 to %d bytes and no control characters",
			       LIMIT_MODEL);
	if (star && star != m->name + n - 1)
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "in the model name \"%.100s\" the star must be the last character",
			       m->name);
	if (m->target_count > LIMIT_TARGETS || m->fallback_count > LIMIT_FALLBACKS)
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "the model \"%.100s\" may have at most %d targets and %d fallbacks",
			       m->name, LIMIT_TARGETS, LIMIT_FALLBACKS);
	if (m->target_count > 0 && (m->provider || m->upstream_model))
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "the model \"%.100s\" may have targets, or a provider and "
			       "upstream_model, not both",
			       m->name);
	return ERR_OK;
}

static enum errc registry_check_target(const struct model_options  *m,
				       const struct target_options *t, struct err *e)
{
	if (t->upstream_model &&
	    (!t->upstream_model[0] || strlen(t->upstream_model) > LIMIT_MODEL ||
	     has_control(t->upstream_model) || strchr(t->upstream_model, '*')))
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "the upstream_model of \"%.100s\" must have 1 to %d bytes, no star "
			       "and no control characters",
			       m->name, LIMIT_MODEL);
	if (t->weight < 1 || t->weight > 1000)
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "a weight of \"%.100s\" must be 1 to 1000", m->name);
	return ERR_OK;
}

static enum errc add_target(struct registry *r, const struct model_options *m,
			    const struct target_options *t, struct model_target *at, struct err *e)
{
	enum errc rc = registry_check_target(m, t, e);

	if (rc != ERR_OK)
		return rc;
	at->provider = provider_named(r, t->provider);
	if (!at->provider)
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "the model \"%.100s\" names the provider \"%.64s\", which is not "
			       "configured",
			       m->name, t->provider ? t->provider : "");
	at->takes = at->provider->takes &
		    (PROVIDER_EMBED | PROVIDER_TOP_K | PROVIDER_CACHE | PROVIDER_MESSAGES |
		     PROVIDER_TEXT | PROVIDER_RESPONSES | (m->images ? PROVIDER_IMAGES : 0u) |
		     (m->audio ? PROVIDER_AUDIO : 0u) |
		     (m->pdf ? PROVIDER_PDF | PROVIDER_FILE_URL : 0u));
	if (m->reasons)
		at->takes |= PROVIDER_REASONS;
	if (!m->no_sampling)
		at->takes |= PROVIDER_SAMPLING;
	at->weight = t->weight;
	at->upstream =
		t->upstream_model ? arena_str(&r->memory, str_of(t->upstream_model)) : STR_NONE;
	if (t->upstream_model && !at->upstream.p)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	at->tally = tally_of(str_of(m->name), at->provider->name, at->upstream);
	return ERR_OK;
}

static enum errc add_targets(struct registry *r, const struct model_options *m, struct model *at,
			     struct err *e)
{
	struct target_options        own = { m->provider, m->upstream_model, 1 };
	const struct target_options *list = m->target_count > 0 ? m->targets : &own;
	size_t                       count = m->target_count > 0 ? m->target_count : 1;
	enum errc                    rc = ERR_OK;

	at->targets = arena_alloc(&r->memory, count * sizeof *at->targets);
	if (count > 1)
		at->rows = arena_alloc(&r->memory, count * sizeof *at->rows);
	if (!at->targets || (count > 1 && !at->rows))
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	for (size_t i = 0; i < count && rc == ERR_OK; i++) {
		rc = add_target(r, m, &list[i], &at->targets[i], e);
		if (at->rows)
			at->rows[i] = (struct balance_row){ .weight = list[i].weight };
	}
	at->target_count = count;
	return rc;
}

static enum errc add_fallbacks(struct registry *r, const struct model_options *m, struct model *at,
			       struct err *e)
{
	if (m->fallback_count == 0)
		return ERR_OK;
	at->fallback = arena_alloc(&r->memory, m->fallback_count * sizeof *at->fallback);
	for (size_t i = 0; at->fallback && i < m->fallback_count; i++) {
		at->fallback[i] = arena_str(&r->memory, str_of(m->fallback[i]));
		if (!at->fallback[i].p)
			break;
		at->fallback_count++;
	}
	if (at->fallback_count < m->fallback_count)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	return ERR_OK;
}

/* copy_defaults: the copy has the registry's life. */
static enum errc copy_defaults(struct registry *r, const struct model_defaults *from,
			       struct model_defaults *to, struct err *e)
{
	bool ok = true;

	to->members = arena_alloc(&r->memory, (from->member_count + 1) * sizeof *to->members);
	ok = to->members;
	for (size_t i = 0; ok && i < from->member_count; i++) {
		to->members[i] = arena_str(&r->memory, from->members[i]);
		ok = to->members[i].p;
	}
	to->member_count = from->member_count;
	to->instruction = arena_str(&r->memory, from->instruction);
	to->max_tokens = arena_str(&r->memory, from->max_tokens);
	return ok && to->instruction.p && to->max_tokens.p
		       ? ERR_OK
		       : err_set(e, ERR_OVERLOADED, NULL, "out of memory");
}

static enum errc add_model(struct registry *r, const struct model_options *m, struct err *e)
{
	enum errc     rc = check_model(m, e);
	struct model *at = &r->models[r->model_count];

	if (rc != ERR_OK)
		return rc;
	for (size_t i = 0; i < r->model_count; i++)
		if (str_is(r->models[i].name, m->name))
			return err_set(e, ERR_INVALID_VALUE, "models",
				       "the model \"%.100s\" stands there twice", m->name);

	*at = (struct model){
		.owner = r, .price = m->price, .no_table = m->no_table, .max_output = m->max_output
	};
	rc = add_targets(r, m, at, e);
	if (rc == ERR_OK)
		rc = add_fallbacks(r, m, at, e);
	if (rc == ERR_OK)
		rc = copy_defaults(r, &m->defaults, &at->defaults, e);
	if (rc != ERR_OK)
		return rc;
	at->name = arena_str(&r->memory, str_of(m->name));
	if (!at->name.p)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	at->star = at->name.p[at->name.n - 1] == '*';
	at->stem = (struct str){ at->name.p, at->name.n - (at->star ? 1 : 0) };
	r->model_count++;
	return ERR_OK;
}

static enum errc set_default(struct registry *r, const char *name, struct err *e)
{
	struct target found;

	if (!name || !name[0])
		return ERR_OK;
	if (registry_find(r, str_of(name), &found, e) != ERR_OK)
		return err_set(e, ERR_INVALID_VALUE, "default_model",
			       "the default model \"%.100s\" is not configured", name);
	r->by_default = arena_str(&r->memory, str_of(name));
	if (!r->by_default.p)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	return ERR_OK;
}

/* check_fallbacks: whether each fallback leads to a model, and to another one. Called when all
 * models are known. */
static enum errc check_fallbacks(const struct registry *r, struct err *e)
{
	struct target found = { .model = NULL };

	for (size_t i = 0; i < r->model_count; i++) {
		const struct model *m = &r->models[i];

		for (size_t k = 0; k < m->fallback_count; k++) {
			struct err why;

			if (m->fallback[k].n == 0 ||
			    registry_find(r, m->fallback[k], &found, &why) != ERR_OK)
				return err_set(
					e, ERR_INVALID_VALUE, "fallback",
					"the model \"%.100s\" falls back on \"%.100s\", which "
					"is not configured",
					m->name.p, m->fallback[k].p);
			if (found.model == m && !m->star)
				return err_set(e, ERR_INVALID_VALUE, "fallback",
					       "the model \"%.100s\" falls back on itself",
					       m->name.p);
		}
	}
	return ERR_OK;
}

static enum errc registry_fill(struct registry *r, const struct model_options *models,
			       size_t model_count, const char *default_model, struct err *e)
{
	enum errc rc = check_providers(r, e);

	if (rc != ERR_OK)
		return rc;
	r->models = arena_alloc(&r->memory, (model_count + 1) * sizeof *r->models);
	if (!r->models)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	for (size_t i = 0; i < model_count; i++) {
		rc = add_model(r, &models[i], e);
		if (rc != ERR_OK)
			return rc;
	}
	rc = check_fallbacks(r, e);
	return rc == ERR_OK ? set_default(r, default_model, e) : rc;
}

enum errc registry_create_take(struct provider **providers, size_t provider_count,
			       const struct model_options *models, size_t model_count,
			       const char *default_model, struct registry **ret, struct err *e)
{
	struct registry  *r = calloc(1, sizeof *r);
	struct provider **list = calloc(provider_count + 1, sizeof *list);

	if (!r || !list) {
		for (size_t i = 0; i < provider_count; i++)
			provider_destroy(providers[i]);
		free(list);
		free(r);
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	}
	pthread_mutex_init(&r->lock, NULL);
	/* Enough for every configuration file: a model has at least some bytes there. */
	arena_init(&r->memory, (size_t)64 * LIMIT_CONFIG_FILE);
	for (size_t i = 0; i < provider_count; i++) {
		CHECK(providers[i] != NULL);
		list[i] = providers[i];
	}
	r->providers = list;
	r->provider_count = provider_count;

	enum errc rc = registry_fill(r, models, model_count, default_model, e);
	if (rc != ERR_OK) {
		registry_destroy(r);
		return rc;
	}
	*ret = r;
	return ERR_OK;
}

/* --- look-up --- */

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

static struct target target_of(const struct model *m, struct str asked, size_t i)
{
	const struct model_target *t = &m->targets[i];
	struct str                 upstream = t->upstream;

	if (upstream.n == 0 && m->star)
		upstream = (struct str){ asked.p + m->stem.n, asked.n - m->stem.n };
	else if (upstream.n == 0)
		upstream = m->name;
	return (struct target){ t->provider, upstream, m->name, t->takes,     m,
				asked,       i,        false,   m->max_output };
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

/* --- choice --- */

bool registry_several(const struct model *m)
{
	return m->target_count > 1 || m->fallback_count > 0;
}

struct tally *registry_tally(const struct target *t)
{
	return t->model ? t->model->targets[t->index].tally : NULL;
}

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
		.price = m->price,
		.own = m->price.known,
		.max_output = m->max_output,
		.fallback = m->fallback,
		.fallback_count = m->fallback_count,
		.tally = m->targets[t].tally,
	};
	if (ret->upstream.n == 0 && !m->star)
		ret->upstream = m->name;
	if (ret->own || m->no_table)
		return true;
	if (ret->upstream.n > 0)
		ret->price = price_table_find(ret->upstream);
	ret->table = ret->upstream.n == 0 || ret->price.known;
	return true;
}

struct health_target target_health(const struct target *t)
{
	return (struct health_target){ t->provider->name, t->upstream_model, &t->provider->health };
}

static void note_block(struct registry_block *block, enum health h, int64_t wait_us)
{
	bool first = !block->cooling && !block->open;

	block->cooling |= h == HEALTH_COOLING;
	block->open |= h == HEALTH_OPEN;
	block->dead |= h == HEALTH_DEAD;
	if (h != HEALTH_DEAD && (first || wait_us < block->wait_us))
		block->wait_us = wait_us;
}

/* fitting_targets: the bits of the healthy targets that are not in tried. *ret_probes: the bits of those
 * that take only a probe. */
static uint32_t fitting_targets(const struct model *m, struct str asked, uint32_t tried,
				int64_t now_us, uint32_t *ret_probes, struct registry_block *block)
{
	uint32_t fit = 0;

	*ret_probes = 0;
	for (size_t i = 0; i < m->target_count; i++) {
		struct target        t = target_of(m, asked, i);
		struct health_target who = target_health(&t);
		int64_t              wait_us;
		bool                 probe;

		if (tried >> i & 1)
			continue;
		enum health h = health_ask(&who, now_us, &wait_us, &probe);
		if (h != HEALTH_FINE) {
			note_block(block, h, wait_us);
			continue;
		}
		fit |= 1u << i;
		*ret_probes |= (uint32_t)probe << i;
	}
	return fit;
}

bool registry_untried(const struct model *m, struct str asked, uint32_t tried, int64_t now_us)
{
	struct registry_block block = { 0 };
	uint32_t              probes;

	return fitting_targets(m, asked, tried, now_us, &probes, &block) != 0;
}

static size_t registry_pick(const struct model *m, uint32_t fit)
{
	if (!m->rows)
		return 0;
	pthread_mutex_lock(&m->owner->lock);
	size_t i = balance_pick(m->rows, m->target_count, fit);
	m->rows[i].out++;
	pthread_mutex_unlock(&m->owner->lock);
	return i;
}

bool registry_choose(const struct model *m, struct str asked, uint32_t tried, int64_t now_us,
		     struct target *ret, struct registry_block *block)
{
	for (;;) {
		uint32_t probes;
		uint32_t fit = fitting_targets(m, asked, tried, now_us, &probes, block);

		if (fit == 0)
			return false;

		struct target        t = target_of(m, asked, registry_pick(m, fit));
		struct health_target who = target_health(&t);
		t.probe = probes >> t.index & 1;
		if (!t.probe || health_probe(&who, now_us)) {
			*ret = t;
			return true;
		}
		registry_done(&t); /* another call has claimed the probe */
		tried |= 1u << t.index;
		note_block(block, HEALTH_OPEN, who.rules->pause_us);
	}
}

void registry_done(const struct target *t)
{
	if (!t->model->rows)
		return;
	pthread_mutex_lock(&t->model->owner->lock);
	t->model->rows[t->index].out--;
	pthread_mutex_unlock(&t->model->owner->lock);
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

/* --- costs --- */

struct price registry_price(const struct target *t)
{
	if (!t->model || t->model->price.known || t->model->no_table)
		return t->model ? t->model->price : (struct price){ .known = false };
	return price_table_find(t->upstream_model);
}

static void bound_model(const struct model *m, struct str asked, struct registry_bound *b)
{
	for (size_t i = 0; i < m->target_count; i++) {
		struct target t = target_of(m, asked, i);
		struct price  p = registry_price(&t);

		/* Only Anthropic tells what is kept for an hour. */
		if (!(t.takes & PROVIDER_MESSAGES))
			p.cache_write_1h = 0;
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

struct registry_bound registry_bound(const struct model *m, struct str asked)
{
	struct registry_bound b = { .max_output = m->max_output, .takes = UINT_MAX };
	const struct model   *next = m;

	for (size_t i = 0; next; i++) {
		bound_model(next, asked, &b);
		next = registry_fallback(m, i, &asked);
	}
	b.price.known = b.unpriced.n == 0;
	if (b.unlimited.n > 0)
		b.max_output = 0;
	return b;
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
