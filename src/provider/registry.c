/* Providers and models of one configuration, and the look-up from a model's name. */
#include "provider/registry.h"

#include "base/arena.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

struct model {
	struct str             name; /* as configured, with its star */
	struct str             stem; /* without it */
	struct str             upstream; /* empty: the asked name, or what the star stands for */
	const struct provider *provider;
	unsigned               takes; /* enum provider_takes */
	bool                   star;
};

struct registry {
	struct provider **providers; /* owned */
	size_t            provider_count;
	struct model     *models; /* in the arena, as all names */
	size_t            model_count;
	struct str        by_default;
	struct arena      memory;
};

void registry_destroy(struct registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->provider_count; i++)
		provider_destroy(r->providers[i]);
	free(r->providers);
	arena_finish(&r->memory);
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
	if (m->upstream_model &&
	    (!m->upstream_model[0] || strlen(m->upstream_model) > LIMIT_MODEL ||
	     has_control(m->upstream_model) || strchr(m->upstream_model, '*')))
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "the upstream_model of \"%.100s\" must have 1 to %d bytes, no star "
			       "and no control characters",
			       m->name, LIMIT_MODEL);
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

	at->provider = provider_named(r, m->provider);
	if (!at->provider)
		return err_set(e, ERR_INVALID_VALUE, "models",
			       "the model \"%.100s\" names the provider \"%.64s\", which is not "
			       "configured",
			       m->name, m->provider ? m->provider : "");
	at->takes = at->provider->takes & ((m->images ? PROVIDER_IMAGES : 0u) |
					   (m->audio ? PROVIDER_AUDIO : 0u) |
					   (m->pdf ? PROVIDER_PDF : 0u));
	at->name = arena_str(&r->memory, str_of(m->name));
	at->upstream = m->upstream_model ? arena_str(&r->memory, str_of(m->upstream_model))
					 : STR_NONE;
	if (!at->name.p || (m->upstream_model && !at->upstream.p))
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

static enum errc fill(struct registry *r, const struct model_options *models, size_t model_count,
		      const char *default_model, struct err *e)
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
	return set_default(r, default_model, e);
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
	/* A configuration file has at most LIMIT_CONFIG_FILE bytes, and a model a few of them. */
	arena_init(&r->memory, (size_t)64 * LIMIT_CONFIG_FILE);
	for (size_t i = 0; i < provider_count; i++) {
		CHECK(providers[i] != NULL);
		list[i] = providers[i];
	}
	r->providers = list;
	r->provider_count = provider_count;

	enum errc rc = fill(r, models, model_count, default_model, e);
	if (rc != ERR_OK) {
		registry_destroy(r);
		return rc;
	}
	*ret = r;
	return ERR_OK;
}

/* --- look-up --- */

static const struct model *match(const struct registry *r, struct str name)
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

/* At most max bytes of s, cut at the border of a character. */
static int cut(struct str s, size_t max)
{
	size_t n = s.n < max ? s.n : max;

	while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;
	return (int)n;
}

static enum errc not_found(const struct registry *r, struct str name, struct err *e)
{
	char   known[160] = "";
	size_t n = 0, shown = 0;

	for (; shown < r->model_count; shown++) {
		struct str m = r->models[shown].name;

		if (n + m.n + 3 > sizeof known)
			break;
		n += (size_t)snprintf(known + n, sizeof known - n, "%s%.*s", n > 0 ? ", " : "",
				      STR_ARG(m));
	}
	return err_set(e, ERR_MODEL_NOT_FOUND, NULL,
		       "the model '%.*s' does not exist here; there %s %s%s", cut(name, 80), name.p,
		       r->model_count == 1 ? "is" : "are", n > 0 ? known : "none",
		       shown < r->model_count ? ", … (GET /v1/models lists all)" : "");
}

enum errc registry_find(const struct registry *r, struct str model, struct target *ret,
			struct err *e)
{
	if (model.n == 0)
		model = r->by_default;
	if (model.n == 0)
		return err_set(e, ERR_MODEL_NOT_FOUND, NULL,
			       "no model was named, and there is no default model");

	const struct model *m = match(r, model);
	if (!m)
		return not_found(r, model, e);

	struct str upstream = m->upstream;
	if (upstream.n == 0 && m->star)
		upstream = (struct str){ model.p + m->stem.n, model.n - m->stem.n };
	else if (upstream.n == 0)
		upstream = m->name;
	*ret = (struct target){ m->provider, upstream, m->name, m->takes };
	return ERR_OK;
}

struct str registry_default(const struct registry *r)
{
	return r->by_default;
}

bool registry_model(const struct registry *r, size_t i, struct str *ret_name,
		    struct str *ret_provider)
{
	if (i >= r->model_count)
		return false;
	*ret_name = r->models[i].name;
	*ret_provider = str_of(r->models[i].provider->name);
	return true;
}
