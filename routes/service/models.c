/* GET /v1/models and GET /v1/models/{id}: the configured models, in OpenAI's shape or, for clients of
 * Anthropic's API or of Gemini's, in the shape of that; and GET /api/tags, the same for Ollama's.  Instead of a name with a
 * star, the list has the models that its
 * provider lists.  The answer comes at once if something is known of every provider, however old.
 * Otherwise it waits a moment for the provider; what has not arrived by then is left out. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "provider/catalog.h"
#include "routes/kit/gateway.h"
#include "routes/kit/handlers.h"
#include "routes/kit/lookup.h"
#include "routes/service/model_facts.h"
#include "routes/service/model_tags.h"

#include <stdlib.h>
#include <time.h>

/* --- pages, as Anthropic's API has them --- */

/* Zero-initialised but for created_s. */
struct models_page {
	const struct registry *registry;
	const struct identity *who;
	int64_t                created_s; /* unix time of all models */
	size_t                 limit;
	bool                   gemini; /* Gemini's pages, which only go forwards */
	struct str             after;  /* the last model that the client has; empty: none */
	struct str             before; /* the first one; empty: none */
	struct buf             names;  /* gathered; a NUL after each */
	size_t                 count;
};

enum { PAGE_DEFAULT = 20, GEMINI_PAGE = 50, PAGE_MAX = 1000, NAMES_MAX = 16 * MIB };

/* models_page_read: reads limit (1 to 1000), after_id and before_id.  False: the request was refused
 * and answered. */
static bool models_page_read(struct models_page *p, struct request *r)
{
	buf_init(&p->names, NAMES_MAX);
	if (p->gemini) {
		(void)request_query(r, "pageToken", 0, &p->after);
		return page_size(r, "pageSize", GEMINI_PAGE, PAGE_MAX, &p->limit);
	}
	if (!page_limit(r, PAGE_DEFAULT, PAGE_MAX, &p->limit))
		return false;
	(void)request_query(r, "after_id", 0, &p->after);
	(void)request_query(r, "before_id", 0, &p->before);
	if (p->after.n == 0 || p->before.n == 0)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "before_id", "must not stand beside after_id");
	return false;
}

/* models_page_add: gathers a name.  models_page_put: appends the page.  False: no memory. */
static bool models_page_add(struct models_page *p, struct str name)
{
	/* A name with a NUL is none that a client could ask for. */
	if (memchr(name.p, '\0', name.n))
		return true;
	p->count++;
	return buf_str(&p->names, name) && buf_add(&p->names, "", 1);
}

static void models_page_finish(struct models_page *p)
{
	buf_finish(&p->names);
}

/* models_page_put_model: appends one model. */
static bool models_page_put_model(const struct models_page *p, struct buf *out, struct str name)
{
	char               text[32];
	struct tm          t;
	time_t             s = (time_t)p->created_s;
	struct model_facts f;

	if (!model_facts_find(p->registry, p->who, name, &f))
		f = (struct model_facts){ 0 }; /* it has left the configuration */
	if (!gmtime_r(&s, &t) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &t) == 0)
		text[0] = '\0';
	return buf_text(out, "{\"type\":\"model\",\"id\":") && buf_json_string(out, name) &&
	       buf_text(out, ",\"display_name\":") &&
	       buf_json_string(out, f.display[0] ? str_of(f.display) : name) &&
	       buf_fmt(out, ",\"created_at\":\"%s\",\"lifecycle\":\"active\"", text) &&
	       model_facts_put_limits(out, &f) && buf_text(out, "}");
}

/* models_page_put_gemini: appends one model in Gemini's shape. */
static bool models_page_put_gemini(const struct models_page *p, struct buf *out, struct str name)
{
	struct model_facts f;

	if (!model_facts_find(p->registry, p->who, name, &f))
		f = (struct model_facts){ 0 }; /* it has left the configuration */
	return buf_text(out, "{\"name\":\"models/") && buf_json_escape(out, name) &&
	       buf_text(out, "\",\"version\":\"1\",\"displayName\":") &&
	       buf_json_string(out, f.display[0] ? str_of(f.display) : name) &&
	       model_facts_put_google(out, &f) && buf_text(out, "}");
}

static struct str next_name(const char **at)
{
	struct str name = str_of(*at);

	*at += name.n + 1;
	return name;
}

/* model_place: the number of the model with this name; count: there is none. */
static size_t model_place(const struct models_page *p, struct str name)
{
	const char *at = p->names.data;
	size_t      i = 0;

	while (i < p->count && !str_eq(next_name(&at), name))
		i++;
	return i;
}

static bool put_model_edge(struct buf *out, const char *key, struct str name)
{
	return buf_fmt(out, ",\"%s\":", key) &&
	       (name.p ? buf_json_string(out, name) : buf_text(out, "null"));
}

static bool models_page_put(const struct models_page *p, struct buf *out)
{
	size_t begin = p->after.n > 0 ? model_place(p, p->after) + 1 : 0;
	size_t end = p->before.n > 0 ? model_place(p, p->before) : p->count;
	bool   more;

	/* No model follows one that is gone. */
	if (begin > end)
		begin = end;
	more = end - begin > p->limit;
	if (more && p->before.n > 0)
		begin = end - p->limit;
	else if (more)
		end = begin + p->limit;

	const char *at = p->names.data;
	struct str  first = STR_NONE;
	struct str  last = STR_NONE;
	bool        ok = buf_text(out, p->gemini ? "{\"models\":[" : "{\"data\":[");
	for (size_t i = 0; ok && i < end; i++) {
		struct str name = next_name(&at);

		if (i < begin)
			continue;
		ok = (i == begin || buf_text(out, ",")) &&
		     (p->gemini ? models_page_put_gemini(p, out, name)
				: models_page_put_model(p, out, name));
		if (i == begin)
			first = name;
		last = name;
	}
	if (p->gemini)
		return ok && buf_text(out, "]") &&
		       (!more || put_model_edge(out, "nextPageToken", last)) && buf_text(out, "}");
	return ok && buf_fmt(out, "],\"has_more\":%s", more ? "true" : "false") &&
	       put_model_edge(out, "first_id", first) && put_model_edge(out, "last_id", last) &&
	       buf_text(out, "}");
}

enum { WAIT_US = 1000 * 1000, LOOK_US = 10 * 1000, LIST_MAX = 16 * MIB };

/* A waiting list request. */
struct wait {
	struct gateway *gateway;
	struct request *request;
	struct timer    timer;
	int64_t         end_us;
};

static bool put_model(struct buf *out, const struct snapshot *now, const struct identity *who,
		      struct str name, struct str provider)
{
	struct model_facts f;
	bool               known = model_facts_find(now->registry, who, name, &f);

	return buf_text(out, "{\"id\":") && buf_json_string(out, name) &&
	       buf_fmt(out, ",\"object\":\"model\",\"created\":%lld,\"owned_by\":",
		       (long long)now->made_s) &&
	       buf_json_string(out, provider) && (!known || model_facts_put(out, &f)) &&
	       buf_text(out, "}");
}

static bool put_tagged(struct buf *out, const struct snapshot *now, const struct identity *who,
		       struct str name)
{
	struct model_facts f = { 0 };

	/* An unknown name has no facts, and completes texts as all do. */
	(void)model_facts_find(now->registry, who, name, &f);
	return model_tags_put(out, name, &f, now->made_s);
}

/* --- names that a star stands for --- */

struct list {
	struct buf            *out;
	const struct snapshot *now;
	const struct identity *who;
	size_t                 count;
	struct models_page    *page;   /* gathers the names; NULL: a list that has no pages */
	bool                   ollama; /* Ollama's list; else OpenAI's */
};

static bool models_put_one(struct list *l, struct str name, struct str provider)
{
	if (l->page)
		return models_page_add(l->page, name);
	if (l->count++ > 0 && !buf_text(l->out, ","))
		return false;
	return l->ollama ? put_tagged(l->out, l->now, l->who, name)
			 : put_model(l->out, l->now, l->who, name, provider);
}

/* leads_to: true if a call for the name is a call for this model. */
static bool leads_to(const struct list *l, struct str name, struct str star)
{
	struct target target;
	struct err    e;

	return registry_find_for(l->now->registry, name, l->who, &target, &e) == ERR_OK &&
	       str_eq(target.label, star);
}

/* put_known: prints the models that the provider lists. */
static bool put_known(struct list *l, struct str star, const struct catalog_names *known,
		      struct str provider)
{
	struct buf name;
	bool       ok = true;

	buf_init(&name, 2 * (size_t)LIMIT_MODEL);
	for (size_t i = 0; ok && i < known->count; i++) {
		buf_clear(&name);
		ok = buf_add(&name, star.p, star.n - 1) && buf_str(&name, known->names[i]);
		if (ok && name.len <= LIMIT_MODEL && leads_to(l, buf_view(&name), star))
			ok = models_put_one(l, buf_view(&name), provider);
	}
	buf_finish(&name);
	return ok;
}

/* put_single: prints the names that the key may see and that a model with a star answers. */
static bool put_single(struct list *l, struct str star, const struct catalog_names *known,
		       struct str provider)
{
	for (size_t i = 0; i < l->who->model_count; i++) {
		struct str name = l->who->models[i];

		if (name.n == 0 || name.p[name.n - 1] == '*' || !leads_to(l, name, star) ||
		    catalog_has(known, (struct str){ name.p + star.n - 1, name.n - (star.n - 1) }))
			continue;
		if (!models_put_one(l, name, provider))
			return false;
	}
	return true;
}

static bool put_star(struct list *l, size_t i, struct str star, struct str owner)
{
	const struct provider *p = registry_behind(l->now->registry, i);
	struct catalog_names  *known = p ? catalog_names(p->catalog, clock_mono_us()) : NULL;
	bool ok = (!known || put_known(l, star, known, owner)) && put_single(l, star, known, owner);

	catalog_release(known);
	return ok;
}

static bool put_models(struct list *l)
{
	struct str name;
	struct str provider;

	if (!l->page &&
	    !buf_text(l->out, l->ollama ? "{\"models\":[" : "{\"object\":\"list\",\"data\":["))
		return false;
	for (size_t i = 0; registry_model(l->now->registry, i, &name, &provider); i++) {
		bool star = name.n > 0 && name.p[name.n - 1] == '*';

		if (star ? !put_star(l, i, name, provider)
			 : identity_sees(l->who, name) && !models_put_one(l, name, provider))
			return false;
	}
	return l->page ? models_page_put(l->page, l->out) : buf_text(l->out, "]}");
}

/* --- answers --- */

static bool is_anthropic(const struct request *r)
{
	return request_family(r) == &family_messages;
}

static void send_or_fail(struct request *r, struct buf *body, bool ok)
{
	if (ok) {
		reply_json_take(r, 200, body);
		return;
	}
	buf_finish(body);
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
}

static void send_list(struct request *r, struct gateway *g)
{
	struct buf         body;
	struct models_page page = { .registry = g->now->registry,
				    .who = request_view(r)->by.who,
				    .created_s = g->now->made_s };
	struct list        l = { .out = &body,
				 .now = g->now,
				 .who = request_view(r)->by.who,
				 .ollama = request_family(r) == &family_ollama };

	page.gemini = request_family(r) == &family_gemini;
	if (is_anthropic(r) || page.gemini) {
		if (!models_page_read(&page, r))
			return;
		l.page = &page;
	}
	buf_init(&body, LIST_MAX);
	bool ok = put_models(&l);
	models_page_finish(&page);
	send_or_fail(r, &body, ok);
}

/* --- fetching --- */

/* fetch_one: starts the fetch of a provider's list if it is due.  The snapshot is held until the end of the fetch,
 * because it owns the provider. */
static void fetch_one(struct gateway *g, const struct provider *p, int64_t now)
{
	if (p->catalog && catalog_due(p->catalog, now))
		catalog_fetch(p->catalog, p->name, g->upstreams, snapshot_release,
			      snapshot_hold(g->now));
}

/* fetch_all: starts the fetches that are due: of what stands for a star, and of what may say of a model how much it
 * takes.  True: waiting for a moment is useful, for names are missing. */
static bool fetch_all(struct gateway *g)
{
	struct registry_view v;
	int64_t              now = clock_mono_us();
	bool                 waits = false;

	for (size_t i = 0; registry_look(g->now->registry, i, 0, &v); i++) {
		const struct provider *p = registry_behind(g->now->registry, i);

		if (p) {
			fetch_one(g, p, now);
			waits = catalog_waits(p->catalog, now) || waits;
			continue;
		}
		for (size_t t = 0; registry_look(g->now->registry, i, t, &v); t++)
			if (v.limits.context == 0)
				fetch_one(g, v.provider, now);
	}
	return waits;
}

static void models_left(void *arg)
{
	struct wait *w = arg;

	timer_stop(w->gateway->loop, &w->timer);
	free(w);
}

static void models_look(struct timer *t)
{
	struct wait    *w = container_of(t, struct wait, timer);
	struct request *r = w->request;
	struct gateway *g = w->gateway;

	if (fetch_all(g) && loop_now_us(g->loop) < w->end_us) {
		timer_start(g->loop, &w->timer, LOOK_US);
		return;
	}
	free(w);
	send_list(r, g);
}

void models_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct wait    *w = fetch_all(g) ? malloc(sizeof *w) : NULL;

	if (!w) {
		send_list(r, g);
		return;
	}
	*w = (struct wait){ g, r, { .fn = models_look }, loop_now_us(g->loop) + WAIT_US };
	request_on_left(r, models_left, w);
	timer_start(g->loop, &w->timer, LOOK_US);
}

void models_tags(struct request *r, void *app)
{
	models_list(r, app);
}

void models_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct str      id = request_param(r, 0);
	struct target   target;
	struct buf      body;
	struct err      e;

	if (registry_find_for(g->now->registry, id, request_view(r)->by.who, &target, &e) !=
	    ERR_OK) {
		reply_error(r, &e);
		return;
	}
	const struct identity   *who = request_view(r)->by.who;
	const struct models_page page = { g->now->registry, who, .created_s = g->now->made_s };

	buf_init(&body, 4 * KIB);
	bool ok = request_family(r) == &family_gemini ? models_page_put_gemini(&page, &body, id)
		  : is_anthropic(r)
			  ? models_page_put_model(&page, &body, id)
			  : put_model(&body, g->now, who, id, str_of(target.provider->name));
	send_or_fail(r, &body, ok);
}
