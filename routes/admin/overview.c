/* One answer from memory: the configuration was printed when it was read, the rest are figures. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/money.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/value.h"
#include "provider/tally.h"
#include "routes/kit/gateway.h"
#include "store/key_ring.h"

/* One moment on both clocks. */
struct now {
	int64_t mono_us;
	int64_t wall_s;
};

static struct value *overview_time(int64_t s)
{
	return s > 0 ? value_int(s) : value_null();
}

static struct value *overview_text(const char *text)
{
	return text[0] ? value_text_of(text) : value_null();
}

/* overview_list: made(arg, i) until it says by *ret_last that there are no more. */
static struct value *overview_list(struct value *(*made)(const void *arg, size_t i, bool *ret_last),
				   const void *arg)
{
	struct value *list = value_array();
	bool          last = false;

	for (size_t i = 0; list; i++) {
		struct value *v = made(arg, i, &last);

		if (last)
			return list;
		if (!value_push_take(list, v)) {
			value_destroy(list);
			return NULL;
		}
	}
	return NULL;
}

/* --- health --- */

static const char *health_word(const struct health_view *v)
{
	switch (v->state) {
	case HEALTH_FINE: return "fine";
	case HEALTH_COOLING: return "cooling";
	case HEALTH_OPEN: return v->probe ? "probe" : "open";
	case HEALTH_DEAD: return "dead_key";
	case HEALTH__COUNT: break;
	}
	return "";
}

static struct value *overview_until(const struct health_view *v, const struct now *now)
{
	int64_t us = v->until_us - now->mono_us;

	return v->until_us > 0 ? value_int(now->wall_s + (us + 999999) / 1000000) : value_null();
}

static struct value *last_error_of(const struct tally_view *t)
{
	if (t->code == ERR_OK)
		return value_null();
	return VALUE_OBJECT(
		{ "at", value_int(t->at_ms / 1000) }, { "code", value_text_of(t->wire) },
		{ "http_status", overview_time(t->http) }, { "message", value_text_of(t->text) });
}

/* --- models and providers --- */

/* Where the lists are made from. */
struct overview_place {
	const struct snapshot *now;
	struct now             at;
	size_t                 model;
};

static struct value *decimal_of(int64_t nano)
{
	char text[MONEY_TEXT];

	return value_text_of(money_print(nano, text));
}

static struct value *price_of(const struct price *p)
{
	if (!p->known)
		return value_null();
	return VALUE_OBJECT({ "input", decimal_of(p->input) }, { "output", decimal_of(p->output) },
			    { "cached", decimal_of(p->cached) },
			    { "cache_write", decimal_of(p->cache_write) },
			    { "cache_write_1h", decimal_of(p->cache_write_1h) },
			    { "reasoning", decimal_of(p->reasoning) });
}

static const char *price_source(const struct registry_view *v)
{
	if (v->own)
		return "own";
	if (!v->table)
		return "none";
	return v->price.known ? "table" : "asked";
}

static struct value *target_at(const void *arg, size_t i, bool *ret_last)
{
	const struct overview_place *x = arg;
	struct registry_view         v;
	struct tally_view            t;

	if (!registry_look(x->now->registry, x->model, i, &v)) {
		*ret_last = true;
		return NULL;
	}
	struct health_view h = health_look(v.provider->name, v.upstream, x->at.mono_us);
	tally_look(v.tally, &t);
	return VALUE_OBJECT(
		{ "provider", value_text_of(v.provider->name) },
		{ "upstream_model", v.upstream.n > 0 ? value_string(v.upstream) : value_null() },
		{ "weight", value_int(v.weight) }, { "price", price_of(&v.price) },
		{ "price_source", value_text_of(price_source(&v)) },
		{ "health", value_text_of(health_word(&h)) },
		{ "until", overview_until(&h, &x->at) }, { "failures", value_int(h.failures) },
		{ "calls", value_int(t.calls) }, { "failed", value_int(t.failed) },
		{ "first_token_ms",
		  t.begun > 0 ? value_int(t.first_us / t.begun / 1000) : value_null() },
		{ "last_error", last_error_of(&t) });
}

static struct value *fallback_at(const void *arg, size_t i, bool *ret_last)
{
	const struct registry_view *v = arg;

	*ret_last = i == v->fallback_count;
	return *ret_last ? NULL : value_string(v->fallback[i]);
}

static struct value *model_at(const void *arg, size_t i, bool *ret_last)
{
	struct overview_place x = *(const struct overview_place *)arg;
	struct registry_view  v;

	x.model = i;
	if (!registry_look(x.now->registry, i, 0, &v)) {
		*ret_last = true;
		return NULL;
	}
	return VALUE_OBJECT({ "name", value_string(v.model) },
			    { "place", value_raw(x.now->about.places[i]) },
			    { "fallback", overview_list(fallback_at, &v) },
			    { "max_output", overview_time(v.max_output) },
			    { "targets", overview_list(target_at, &x) });
}

static struct value *provider_at(const void *arg, size_t i, bool *ret_last)
{
	const struct overview_place *x = arg;
	const struct provider       *p = registry_provider(x->now->registry, i);
	struct buf                   text;
	struct value                *v = NULL;

	*ret_last = !p;
	if (!p)
		return NULL;
	struct str         known = x->now->about.providers[i];
	struct health_view h = health_look(p->name, STR_NONE, x->at.mono_us);
	buf_init(&text, known.n + KIB);
	if (buf_add(&text, known.p, known.n - 1) &&
	    buf_fmt(&text, ",\"health\":\"%s\"}", health_word(&h)))
		v = value_raw(buf_view(&text));
	buf_finish(&text);
	return v;
}

/* --- the process --- */

static struct value *reload_of(const struct gateway *g)
{
	struct process_reload r = process_look(g->process);

	if (r.at_s == 0)
		return value_null();
	return VALUE_OBJECT({ "at", value_int(r.at_s) }, { "ok", value_bool(r.ok) },
			    { "error", overview_text(r.why) });
}

static struct value *config_of(const struct gateway *g)
{
	const struct snapshot_about *a = &g->now->about;

	return VALUE_OBJECT({ "file", value_raw(a->file) }, { "read_at", value_int(a->read_s) },
			    { "reload", reload_of(g) }, { "options", value_raw(a->options) });
}

static struct value *overview_calls(const struct gateway *g)
{
	struct admit_stats s;

	admit_stats(&s);
	return VALUE_OBJECT({ "active", value_int(s.calls) },
			    { "max_calls", value_int(g->now->admit.max_calls) },
			    { "waiting", value_int(s.waiting) },
			    { "max_waiting", value_int(g->now->admit.max_waiting) });
}

static struct value *connections_of(const struct gateway *g)
{
	struct server_stats s;

	server_stats(&s);
	return VALUE_OBJECT({ "open", value_int((int64_t)s.connections) },
			    { "limit", value_int((int64_t)g->process->max_connections) },
			    { "streams", value_int((int64_t)s.streams) },
			    { "requests", value_int((int64_t)s.in_flight) });
}

static struct value *search_of(const struct store_stats *s)
{
	return VALUE_OBJECT({ "bytes", value_int(s->search_bytes) },
			    { "messages", value_int(s->search_messages) },
			    { "waiting", value_int(s->search_waiting) },
			    { "complete", value_bool(s->search_complete) });
}

static struct value *store_of(const struct gateway *g)
{
	struct store_stats s;

	store_stats(g->store, &s);
	return VALUE_OBJECT({ "engine", value_text_of(g->store->ops->name) },
			    { "writable", value_bool(s.writable) },
			    { "problem", overview_text(s.writable ? "" : s.problem) },
			    { "database_bytes", value_int(s.database_bytes) },
			    { "log_bytes", value_int(s.log_bytes) },
			    { "queue", value_int((int64_t)s.queue) }, { "search", search_of(&s) });
}

void overview_get(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct overview_place x = { .now = g->now,
				    .at = { clock_mono_us(), clock_wall_ms() / 1000 } };
	bool                  open = g->now->http.open && !key_ring_any(g->store->ring);
	struct buf            body;
	struct value         *v = VALUE_OBJECT(
			{ "object", value_text_of("overview") },
			{ "version", value_text_of(PARLEY_VERSION) },
			{ "started_at", value_int(g->process->started_s) },
			{ "now", value_int(x.at.wall_s) }, { "open", value_bool(open) },
			{ "listeners", value_raw(g->process->listeners) }, { "config", config_of(g) },
			{ "secrets", value_raw(g->now->about.secrets) },
			{ "providers", overview_list(provider_at, &x) },
			{ "models", overview_list(model_at, &x) }, { "calls", overview_calls(g) },
			{ "connections", connections_of(g) }, { "store", store_of(g) });

	buf_init(&body, LIMIT_OVERVIEW);
	if (!value_print(v, &body))
		buf_clear(&body); /* told as a lack of memory */
	value_destroy(v);
	reply_json_take(r, 200, &body);
}
