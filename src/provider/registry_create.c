/* A registry made of one configuration, and what such a configuration may hold. */
#include "provider/registry.h"

#include "base/hash.h"
#include "base/limits.h"
#include "provider/internal.h"
#include "provider/price_file.h"
#include "provider/tally.h"

#include <stdlib.h>
#include <string.h>

static const struct provider *provider_named(const struct registry *r, const char *name)
{
	for (size_t i = 0; name && i < r->provider_count; i++)
		if (str_eq(str_of(r->providers[i]->name), str_of(name)))
			return r->providers[i];
	return NULL;
}

/* The keys of an entry follow each other. */
static enum errc check_providers(const struct registry *r, struct err *e)
{
	for (size_t i = 0; i < r->provider_count; i++) {
		const struct provider *p = r->providers[i];

		if (p->place <= 1 && provider_named(r, p->name) != p)
			return err_set(e, ERR_INVALID_VALUE, "providers",
				       "two providers are named \"%s\"", p->name);
		for (size_t k = 0; k < r->provider_count; k++)
			if (k != i && strcmp(r->providers[k]->label, p->label) == 0)
				return err_set(
					e, ERR_INVALID_VALUE, "providers",
					"a provider is named \"%s\", as a key of another one is",
					p->label);
	}
	return ERR_OK;
}

/* keys_of: how many providers the entry of this name has been made into; 0: there is none. */
static size_t keys_of(const struct registry *r, const char *name, size_t *ret_first)
{
	size_t first = 0;

	while (first < r->provider_count &&
	       !(name && str_is(str_of(r->providers[first]->name), name)))
		first++;
	size_t end = first;
	while (end < r->provider_count && str_is(str_of(r->providers[end]->name), name))
		end++;
	*ret_first = first;
	return end - first;
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

/* target_mark: a star stands for what the session's hash has too, so the configured name is enough.  The first
 * key has the mark of an entry with one. */
static uint64_t target_mark(const char *name, struct str upstream)
{
	return mix_str(mix_byte(mix_str(MIX_BEGIN, str_of(name)), 0), upstream) | 1;
}

/* add_target: a target at one of its entry's keys. */
static enum errc add_target(struct registry *r, const struct model_options *m,
			    const struct target_options *t, const struct provider *p,
			    struct model_target *at, struct err *e)
{
	at->provider = p;
	at->takes = at->provider->takes &
		    (PROVIDER_EMBED | PROVIDER_TOP_K | PROVIDER_CACHE | PROVIDER_MESSAGES |
		     PROVIDER_TEXT | PROVIDER_RESPONSES | PROVIDER_CACHE_KEY | PROVIDER_CACHE_ALL |
		     PROVIDER_TIER | PROVIDER_GEMINI | PROVIDER_OLLAMA |
		     (m->images ? PROVIDER_IMAGES : 0u) | (m->audio ? PROVIDER_AUDIO : 0u) |
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
	at->entry = target_mark(p->name, at->upstream);
	at->mark = target_mark(p->place > 1 ? p->label : p->name, at->upstream);
	at->tally = tally_of(str_of(m->name), p->label, at->upstream);
	return ERR_OK;
}

/* count_targets: how many targets there are when each key of an entry is one. */
static enum errc count_targets(const struct registry *r, const struct model_options *m,
			       const struct target_options *list, size_t n, size_t *ret_count,
			       struct err *e)
{
	*ret_count = 0;
	for (size_t i = 0; i < n; i++) {
		size_t    first;
		size_t    keys = keys_of(r, list[i].provider, &first);
		enum errc rc = registry_check_target(m, &list[i], e);

		if (rc != ERR_OK)
			return rc;
		if (keys == 0)
			return err_set(e, ERR_INVALID_VALUE, "models",
				       "the model \"%.100s\" names the provider \"%.64s\", which "
				       "is not configured",
				       m->name, list[i].provider ? list[i].provider : "");
		*ret_count += keys;
	}
	if (*ret_count > LIMIT_TARGETS_KEYS)
		return err_set(
			e, ERR_INVALID_VALUE, "models",
			"the model \"%.100s\" has %zu targets, as each key of a provider is one; "
			"at most %d are possible",
			m->name, *ret_count, LIMIT_TARGETS_KEYS);
	return ERR_OK;
}

/* The keys of an entry share its weight; all numbers of keys divide this one. */
enum { WHOLE_WEIGHT = 720720 };
_Static_assert(LIMIT_KEYS == 16, "WHOLE_WEIGHT is the least common multiple of 1 to 16");

static enum errc add_targets(struct registry *r, const struct model_options *m, struct model *at,
			     struct err *e)
{
	struct target_options        own = { m->provider, m->upstream_model, 1 };
	const struct target_options *list = m->target_count > 0 ? m->targets : &own;
	size_t                       listed = m->target_count > 0 ? m->target_count : 1;
	size_t                       count, first;
	enum errc                    rc = count_targets(r, m, list, listed, &count, e);

	if (rc != ERR_OK)
		return rc;
	at->targets = arena_alloc(&r->memory, count * sizeof *at->targets);
	if (count > 1)
		at->rows = arena_alloc(&r->memory, count * sizeof *at->rows);
	if (!at->targets || (count > 1 && !at->rows))
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	for (size_t i = 0; i < listed && rc == ERR_OK; i++) {
		size_t keys = keys_of(r, list[i].provider, &first);

		for (size_t k = 0; k < keys && rc == ERR_OK; k++) {
			size_t n = at->target_count++;

			rc = add_target(r, m, &list[i], r->providers[first + k], &at->targets[n],
					e);
			at->targets[n].row = i;
			if (at->rows)
				at->rows[n] = (struct balance_row){
					.weight = list[i].weight * WHOLE_WEIGHT / (int64_t)keys
				};
		}
	}
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

static enum errc copy_rules(struct registry *r, const struct price_rules *from,
			    const struct price_rules **ret, struct err *e)
{
	struct price_rules *rules = arena_alloc(&r->memory, sizeof *rules);
	struct price_layer *layers = arena_alloc(&r->memory, (from->count + 1) * sizeof *layers);

	if (!rules || !layers)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	*rules = *from;
	rules->layers = layers;
	for (size_t i = 0; i < from->count; i++)
		layers[i] = from->layers[i];
	*ret = rules;
	return ERR_OK;
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
		.owner = r,
		.price = m->price,
		.prices = m->prices ? price_file_hold(m->prices) : NULL,
		.no_table = m->no_table,
		.max_output = m->max_output,
		.holds = !m->affinity || strcmp(m->affinity, "off") != 0,
		.caches = m->prompt_cache && strcmp(m->prompt_cache, "auto") == 0,
		.resumes = (m->resume & MODEL_RESUME_FALLBACK) != 0,
		.restarts = (m->resume & MODEL_RESUME_RESTART) != 0,
		.prefills = m->prefill,
		.cache_us = m->cache_ttl_us,
		.told = { .context = m->context_window,
			  .output = m->max_output,
			  .tools = m->tools },
	};
	rc = add_targets(r, m, at, e);
	if (rc == ERR_OK)
		rc = add_fallbacks(r, m, at, e);
	if (rc == ERR_OK)
		rc = copy_defaults(r, &m->defaults, &at->defaults, e);
	if (rc == ERR_OK && m->price.rules)
		rc = copy_rules(r, m->price.rules, &at->price.rules, e);
	if (rc != ERR_OK) {
		price_file_release(at->prices);
		return rc;
	}
	at->name = arena_str(&r->memory, str_of(m->name));
	if (!at->name.p)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	if (m->display_name)
		at->told.display = arena_str(&r->memory, str_of(m->display_name));
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
