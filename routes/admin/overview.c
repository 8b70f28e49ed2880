/* One answer from memory: the configuration was printed when it was read, the rest are figures. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "base/money.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/value.h"
#include "provider/credential.h"
#include "provider/price_file.h"
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

/* overview_count: a number of which 0 says that it is not known. */
static struct value *overview_count(int64_t n)
{
	return n > 0 ? value_int(n) : value_null();
}

static struct value *overview_text(const char *text)
{
	struct value *v = NULL;
	struct buf    json;

	buf_init(&json, 8 * KIB);
	if (err_text(text, &json))
		v = value_raw(buf_view(&json));
	buf_finish(&json);
	return v;
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

static struct value *overview_until(const struct health_view *v, const struct now *now)
{
	int64_t us = v->until_us - now->mono_us;

	return v->until_us > 0 ? value_int(now->wall_s + (us + 999999) / 1000000) : value_null();
}

static struct value *last_error_of(const struct tally_view *t)
{
	if (t->code == ERR_OK)
		return value_null();
	return VALUE_OBJECT({ "at", value_int(t->at_ms / 1000) },
			    { "code", overview_text(t->wire) },
			    { "http_status", overview_time(t->http) },
			    { "message", overview_text(t->text[0] ? t->text : "unknown error") });
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

/* rules_list: words or tokens that a price depends on, each from one of the rules. */
static struct value *rules_list(const struct price_rules *rules, size_t count,
				struct value *(*made)(const struct price_rules *rules, size_t i))
{
	struct value *list = value_array();

	for (size_t i = 0; list && rules && i < count; i++) {
		struct value *v = made(rules, i);

		if (v && !value_push_take(list, v)) {
			value_destroy(list);
			return NULL;
		}
	}
	return list;
}

static struct value *rules_tier(const struct price_rules *rules, size_t i)
{
	const struct price_layer *l = &rules->layers[i];

	return l->above > 0 && l->class == CLASS_UNTOLD ? value_int(l->above) : NULL;
}

static struct value *rules_class(const struct price_rules *rules, size_t i)
{
	bool any = rules->factor[i] > 0;

	for (size_t k = 0; k < rules->count && i != CLASS_UNTOLD; k++)
		any = any || (size_t)rules->layers[k].class == i;
	return any ? value_text_of(usage_class_word((enum usage_class)i)) : NULL;
}

static bool rules_timed(const struct price_rules *rules)
{
	bool any = false;

	for (size_t i = 0; rules && i < rules->count; i++)
		any = any || rules->layers[i].days;
	return any;
}

static struct value *price_of(const struct price *p)
{
	size_t layers = p->rules ? p->rules->count : 0;

	if (!p->known)
		return value_null();
	return VALUE_OBJECT(
		{ "input", decimal_of(p->input) }, { "output", decimal_of(p->output) },
		{ "cached", decimal_of(p->cached) }, { "cache_write", decimal_of(p->cache_write) },
		{ "cache_write_1h", decimal_of(p->cache_write_1h) },
		{ "reasoning", decimal_of(p->reasoning) }, { "audio_in", decimal_of(p->audio_in) },
		{ "audio_out", decimal_of(p->audio_out) }, { "image", decimal_of(p->image) },
		{ "call", decimal_of(p->call) },
		{ "tiers", rules_list(p->rules, layers, rules_tier) },
		{ "classes", rules_list(p->rules, CLASS__COUNT, rules_class) },
		{ "hours", value_bool(rules_timed(p->rules)) },
		{ "reported", value_bool(p->reported) });
}

static const char *price_source(const struct registry_view *v)
{
	return v->table ? "asked" : price_source_word((enum price_source)v->price.source);
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
	struct health_view h = health_look(v.provider->label, v.upstream, x->at.mono_us);
	tally_look(v.tally, &t);
	return VALUE_OBJECT(
		{ "provider", value_text_of(v.provider->name) },
		{ "key", v.provider->place > 0 ? value_int(v.provider->place) : value_null() },
		{ "upstream_model", v.upstream.n > 0 ? value_string(v.upstream) : value_null() },
		{ "weight", value_int(v.weight) }, { "price", price_of(&v.price) },
		{ "price_source", value_text_of(price_source(&v)) },
		{ "context", overview_count(v.limits.context) },
		{ "max_output", overview_count(v.limits.output) },
		{ "health", value_text_of(health_word(&h)) },
		{ "until", overview_until(&h, &x->at) }, { "failures", value_int(h.failures) },
		{ "calls", value_int(t.calls) }, { "failed", value_int(t.failed) },
		{ "tokens_in", value_int(t.tokens_in) }, { "cached_tokens", value_int(t.cached) },
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
			    { "max_output", overview_count(v.max_output) },
			    { "targets", overview_list(target_at, &x) });
}

/* overview_entry: the i-th entry: the provider of its first key. */
static const struct provider *overview_entry(const struct registry *r, size_t i)
{
	const struct provider *p;

	for (size_t n = 0; (p = registry_provider(r, n)) != NULL; n++)
		if (p->place <= 1 && i-- == 0)
			return p;
	return NULL;
}

/* entry_health: the best of an entry's keys: calls go there. */
static struct health_view entry_health(const struct overview_place *x, const struct provider *entry)
{
	struct health_view     best = health_look(entry->label, STR_NONE, x->at.mono_us);
	const struct provider *p;

	for (size_t i = 0; (p = registry_provider(x->now->registry, i)) != NULL; i++) {
		struct health_view h;

		if (strcmp(p->name, entry->name) != 0)
			continue;
		h = health_look(p->label, STR_NONE, x->at.mono_us);
		if (h.state < best.state)
			best = h;
	}
	return best;
}

/* put_credential: "auth": where the keys come from, and until when they are good; never the keys. */
static bool put_credential(struct buf *out, const struct provider *p)
{
	struct credential_about a;

	if (!p->credential)
		return buf_text(out, ",\"auth\":null");
	credential_look(p->credential, &a);
	return buf_fmt(out, ",\"auth\":{\"kind\":\"%s\",\"source\":", a.kind) &&
	       err_text(a.source, out) && buf_text(out, ",\"expires_at\":") &&
	       (a.expires_s > 0 ? buf_int(out, a.expires_s) : buf_text(out, "null")) &&
	       buf_text(out, ",\"error\":") && err_text(a.why, out) && buf_text(out, "}");
}

static struct value *provider_at(const void *arg, size_t i, bool *ret_last)
{
	const struct overview_place *x = arg;
	const struct provider       *p = overview_entry(x->now->registry, i);
	struct buf                   text;
	struct value                *v = NULL;

	*ret_last = !p;
	if (!p)
		return NULL;
	struct str         known = x->now->about.providers[i];
	struct health_view h = entry_health(x, p);
	buf_init(&text, known.n + 4 * KIB);
	if (buf_add(&text, known.p, known.n - 1) && put_credential(&text, p) &&
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

/* prices_of: the file with prices. */
static struct value *prices_of(const struct gateway *g)
{
	const struct price_file *f = registry_prices(g->now->registry);

	if (!f)
		return value_null();
	struct price_file_about a = price_file_look(f);
	return VALUE_OBJECT({ "file", value_text_of(a.path) }, { "form", value_text_of(a.form) },
			    { "models", value_int((int64_t)a.count) },
			    { "changed_at", value_int(a.date_s) });
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

static struct value *cache_counts(void)
{
	struct run_cache_counts c;

	run_cache_look(&c);
	return VALUE_OBJECT({ "hits", value_int(c.hits) }, { "misses", value_int(c.misses) },
			    { "bypassed", value_int(c.bypassed) },
			    { "stored", value_int(c.stored) }, { "bytes", value_int(c.bytes) });
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
	int64_t            oldest = metric_gauge(METRIC_OLDEST);

	store_stats(g->store, &s);
	return VALUE_OBJECT(
		{ "engine", value_text_of(g->store->ops->name) },
		{ "writable", value_bool(s.writable) },
		{ "problem", overview_text(s.writable ? "" : s.problem) },
		{ "database_bytes", value_int(s.database_bytes) },
		{ "log_bytes", value_int(s.log_bytes) }, { "queue", value_int((int64_t)s.queue) },
		{ "oldest_conversation_at", oldest > 0 ? value_int(oldest) : value_null() },
		{ "search", search_of(&s) });
}

static struct value *alert_at(const void *arg, size_t i, bool *ret_last)
{
	const struct gateway *g = arg;
	struct process_alert  a;

	*ret_last = !process_alert_at(g->process, i, &a);
	if (*ret_last)
		return NULL;
	return VALUE_OBJECT({ "type", value_text_of(a.type) },
			    { "subject", overview_text(a.subject) }, { "at", value_int(a.at_s) },
			    { "text", value_text_of(a.text) });
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
			{ "models", overview_list(model_at, &x) }, { "prices", prices_of(g) },
			{ "calls", overview_calls(g) }, { "cache", cache_counts() },
			{ "connections", connections_of(g) }, { "store", store_of(g) },
			{ "alerts", overview_list(alert_at, g) });

	buf_init(&body, LIMIT_OVERVIEW);
	if (!value_print(v, &body))
		buf_clear(&body); /* told as a lack of memory */
	value_destroy(v);
	reply_json_take(r, 200, &body);
}
