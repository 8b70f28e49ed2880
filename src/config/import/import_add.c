/* Adds providers, models, targets and fallbacks to what is made: each only if Parley's own reader takes it. */
#include "config/import/internal.h"

#include "provider/credential.h"
#include "provider/provider.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- providers --- */

static bool import_add_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool import_add_same_list(const struct import_header *a, size_t n,
				 const struct import_header *b, size_t m)
{
	bool same = n == m;

	for (size_t i = 0; same && i < n; i++)
		same = import_add_same(a[i].name, b[i].name) &&
		       import_add_same(a[i].value, b[i].value) &&
		       import_add_same(a[i].env, b[i].env);
	return same;
}

static bool import_add_same_provider(const struct import_provider *a,
				     const struct import_provider *b)
{
	return import_add_same(a->dialect, b->dialect) &&
	       import_add_same(a->base_url, b->base_url) && import_add_same(a->query, b->query) &&
	       import_add_same(a->key_env, b->key_env) &&
	       import_add_same_list(a->headers, a->header_count, b->headers, b->header_count) &&
	       import_add_same(a->hosting, b->hosting) &&
	       import_add_same_list(a->auth, a->auth_count, b->auth, b->auth_count) &&
	       a->retries == b->retries && a->wait_us == b->wait_us && a->idle_us == b->idle_us &&
	       a->failures == b->failures && a->pause_us == b->pause_us;
}

static size_t import_add_count(const struct import *im, const char *stem)
{
	size_t n = 0;

	for (const struct import_provider *p = im->providers; p; p = p->next)
		n += strcmp(p->stem, stem) == 0;
	return n;
}

static bool import_add_name_taken(const struct import *im, const char *name)
{
	for (const struct import_provider *p = im->providers; p; p = p->next)
		if (strcmp(p->name, name) == 0)
			return true;
	return strcmp(name, "echo") == 0 || strcmp(name, "upstream") == 0;
}

/* import_add_auth: whether Parley's reader takes the members of auth.  Files and profiles may be on another machine. */
static bool import_add_auth(const struct import_provider *p)
{
	OWNED(config) c = config_memory_create();
	const struct credential_options *made = NULL;
	struct config_node               members[IMPORT_AUTH] = { 0 };
	struct config_node map = { .kind = CONFIG_MAP, .count = p->auth_count, .first = members };
	struct err         e;

	for (size_t i = 0; i < p->auth_count; i++)
		members[i] = (struct config_node){
			.text = str_of(p->auth[i].value),
			.quoted = true,
			.key = p->auth[i].name,
			.up = &map,
			.next = i + 1 < p->auth_count ? &members[i + 1] : NULL,
		};
	if (c)
		c->memory->file = ""; /* for the message, which nobody reads */
	if (!c || config_auth_read(c, &map, &made, &e) != ERR_OK || c->memory->mistakes.count > 0)
		return false;

	struct credential_options own = *made;
	own.base_url = p->base_url;
	return credential_check(&own, &e) == ERR_OK;
}

/* Whether Parley can make the provider; the text of its error would have the address. */
static bool import_add_can_make(const struct import_provider *p)
{
	struct provider_header  headers[IMPORT_HEADERS];
	struct provider_options o = {
		.name = "import",
		.dialect = p->dialect,
		.base_url = p->base_url,
		.query = p->query,
		.hosting = p->hosting,
		.key = p->key_env ? "key" : NULL,
		.headers = headers,
		.header_count = p->header_count,
	};
	struct provider *made = NULL;
	struct err       e;

	/* Signing makes this line itself. */
	for (size_t i = 0; i < p->header_count; i++)
		if (p->auth_count > 0 && strcasecmp(p->headers[i].name, "authorization") == 0)
			return false;
	for (size_t i = 0; i < p->header_count; i++)
		headers[i] =
			(struct provider_header){ p->headers[i].name,
						  p->headers[i].value ? p->headers[i].value : "x",
						  p->headers[i].value == NULL };
	bool ok = (p->auth_count == 0 || import_add_auth(p)) &&
		  provider_create(&o, &made, &e) == ERR_OK;
	provider_destroy(made);
	return ok;
}

struct import_provider *import_provider_add(struct import *im, const struct import_provider *p,
					    const struct config_node *n)
{
	struct import_provider *made;

	for (made = im->providers; made; made = made->next)
		if (import_add_same_provider(made, p))
			return made;
	if (im->starved)
		return NULL;
	if (!import_add_can_make(p)) {
		import_note(
			im, n,
			"Parley can't ask a provider with this address, these headers or this auth");
		return NULL;
	}
	made = import_alloc(im, sizeof *made);
	if (!made)
		return NULL;
	*made = *p;
	made->next = NULL;
	made->name = import_text(im, "%.48s", p->stem);
	for (size_t i = import_add_count(im, p->stem) + 1;
	     import_add_name_taken(im, made->name) && !im->starved; i++)
		made->name = import_text(im, "%.48s-%zu", p->stem, i);
	*im->last_provider = made;
	im->last_provider = &made->next;
	return made;
}

/* --- models --- */

struct import_model *import_model_find(const struct import *im, const char *name)
{
	for (struct import_model *m = im->models; m; m = m->next)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

/* import_add_is_line: a name that Parley's reader takes. */
static bool import_add_is_line(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return false;
	return n > 0 && n <= LIMIT_MODEL;
}

/* import_add_wrong: why Parley takes no model of this name, or NULL. */
static const char *import_add_wrong(const char *name)
{
	const char *star = strchr(name, '*');

	if (!import_add_is_line(name))
		return "a model's name has 1 to 256 bytes, and no control characters";
	return star && star[1] ? "a * may only stand at the end of a name: write the models out"
			       : NULL;
}

static struct import_model *import_add_model(struct import *im, const char *name,
					     const struct config_node *n)
{
	struct import_model *m = import_alloc(im, sizeof *m);

	if (!m)
		return NULL;
	*m = (struct import_model){ .name = name, .node = n };
	m->last_target = &m->targets;
	price_unset(m->rates);
	*im->last_model = m;
	im->last_model = &m->next;
	return m;
}

static struct import_target *import_add_same_target(const struct import_model    *m,
						    const struct import_provider *p,
						    const char                   *upstream)
{
	for (struct import_target *t = m->targets; t; t = t->next)
		if (t->provider == p && import_add_same(t->upstream, upstream))
			return t;
	return NULL;
}

struct import_target *import_target_add(struct import *im, const char *name,
					struct import_provider *p, const char *upstream,
					const struct config_node *n, struct import_model **ret)
{
	struct import_model  *m = import_model_find(im, name);
	struct import_target *same = m ? import_add_same_target(m, p, upstream) : NULL;
	const char           *wrong = import_add_wrong(name);
	struct import_target *t = wrong || same ? NULL : import_alloc(im, sizeof *t);

	*ret = m;
	if (same)
		return same;
	if (!wrong && upstream && !import_add_is_line(upstream))
		wrong = "the provider's name of the model has 1 to 256 bytes, and no control characters";
	if (!wrong && m && m->target_count >= LIMIT_TARGETS)
		wrong = "a model has up to 16 targets";
	if (wrong)
		import_note(im, n, wrong);
	if (wrong || !t)
		return NULL;
	m = m ? m : import_add_model(im, name, n);
	if (!m)
		return NULL;
	*t = (struct import_target){ .provider = p, .upstream = upstream, .node = n };
	p->used = true;
	*m->last_target = t;
	m->last_target = &t->next;
	m->target_count++;
	*ret = m;
	return t;
}

void import_targets_drop(struct import *im)
{
	for (struct import_provider *p = im->providers; p; p = p->next)
		p->used = false;
	for (struct import_model *m = im->models; m; m = m->next) {
		bool any = false;

		for (const struct import_target *t = m->targets; t; t = t->next)
			any = any || t->weight > 0;
		m->last_target = &m->targets;
		for (struct import_target *t = m->targets; t; t = t->next) {
			if (any && t->weight == 0) {
				import_note(im, t->node,
					    "has the weight 0 beside others, so it gets no calls");
				m->target_count--;
				continue;
			}
			t->provider->used = true;
			*m->last_target = t;
			m->last_target = &t->next;
		}
		*m->last_target = NULL;
	}
}

void import_model_copy(struct import *im, const struct import_model *m, const char *name,
		       const struct config_node *n)
{
	const char *wrong = import_model_find(im, name) ? "there is a model of this name already"
							: import_add_wrong(name);
	struct import_model *copy;

	if (wrong) {
		import_note(im, n, wrong);
		return;
	}
	copy = import_add_model(im, name, n);
	if (!copy)
		return;
	struct import_model *next = copy->next;
	*copy = *m;
	copy->next = next;
	copy->name = name;
	copy->node = n;
}

/* import_add_matches: whether a request for the name reaches a model. */
static bool import_add_matches(const struct import *im, const char *name)
{
	for (const struct import_model *m = im->models; m; m = m->next) {
		size_t n = strlen(m->name);

		if (n > 0 && m->name[n - 1] == '*' ? strncmp(m->name, name, n - 1) == 0
						   : strcmp(m->name, name) == 0)
			return true;
	}
	return false;
}

void import_fallback_add(struct import *im, struct import_model *m, const char *name,
			 const struct config_node *n)
{
	if (strcmp(m->name, name) == 0)
		return;
	for (size_t i = 0; i < m->fallback_count; i++)
		if (strcmp(m->fallback[i], name) == 0)
			return;
	if (!import_add_is_line(name) || strchr(name, '*') || !import_add_matches(im, name)) {
		import_note(im, n,
			    "this model was not carried over, so nothing can fall back on it");
		return;
	}
	if (m->fallback_count >= LIMIT_FALLBACKS) {
		import_note(im, n, "a model has up to 8 fallbacks");
		return;
	}
	m->fallback[m->fallback_count++] = name;
}
