/* GET /v1/admin/providers: how each provider is doing, and how it was in the last 24 hours. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "provider/health.h"
#include "routes/kit/lookup.h"
#include "store/health.h"

enum {
	HOURS = 24,
	CHANGES = 20000, /* the providers share them */
	SHARE_LEAST = 64,
};

struct provider_list {
	struct lookup      lookup;
	struct health_read read;
};

static const char *provider_state(const char *name)
{
	struct health_view v = health_look(name, STR_NONE, clock_mono_us());

	switch (v.state) {
	case HEALTH_FINE: return "fine";
	case HEALTH_COOLING: return "cooling";
	case HEALTH_OPEN: return v.probe ? "probe" : "open";
	case HEALTH_DEAD: return "dead_key";
	case HEALTH__COUNT: break;
	}
	return "";
}

static bool provider_interval(struct buf *out, bool first, int64_t from_ms, int64_t to_ms,
			      struct str state)
{
	return buf_fmt(out, "%s{\"from\":%lld,\"to\":%lld,\"state\":", first ? "" : ",",
		       (long long)(from_ms / 1000), (long long)(to_ms / 1000)) &&
	       buf_json_string(out, state) && buf_text(out, "}");
}

/* provider_history: the intervals of one provider; the time before its first entry is in none. */
static bool provider_history(struct buf *out, const struct health_read *read, const char *name,
			     int64_t now_ms)
{
	bool first = true;
	bool ok = true;

	for (size_t i = 0; ok && i < read->change_count; i++) {
		const struct health_change *c = &read->changes[i];
		bool    next = i + 1 < read->change_count && str_eq(c[1].provider, c->provider);
		int64_t from = c->at_ms > read->from_ms ? c->at_ms : read->from_ms;
		int64_t to = next ? c[1].at_ms : now_ms;

		if (!str_is(c->provider, name) || to <= read->from_ms)
			continue;
		ok = provider_interval(out, first, from, to, c->state);
		first = false;
	}
	return ok;
}

static bool provider_list_print(struct lookup *l, struct buf *out)
{
	const struct health_read *read = &container_of(l, struct provider_list, lookup)->read;
	const struct provider    *p;
	int64_t                   now_ms = read->from_ms + HOURS * (int64_t)3600 * 1000;
	bool                      ok = page_head(out, "", "", false) &&
		  buf_fmt(out, ",\"from\":%lld,\"to\":%lld,\"data\":[",
			  (long long)(read->from_ms / 1000), (long long)(now_ms / 1000));

	for (size_t i = 0; ok && (p = registry_provider(l->gateway->now->registry, i)); i++)
		ok = buf_text(out, i > 0 ? ",{\"object\":\"provider\",\"name\":"
					 : "{\"object\":\"provider\",\"name\":") &&
		     buf_json_string(out, str_of(p->label)) &&
		     buf_fmt(out, ",\"health\":\"%s\",\"history\":[", provider_state(p->label)) &&
		     provider_history(out, read, p->label, now_ms) && buf_text(out, "]}");
	return ok && buf_text(out, "]}");
}

static const struct lookup_kind provider_list_kind = {
	LOOKUP(struct provider_list, read),
	LOOKUP_ARENA(struct provider_list, read.arena, 16 * MIB),
	.print = provider_list_print,
};

/* provider_share: the changes of each provider that are looked at. */
static size_t provider_share(const struct gateway *g)
{
	size_t n = 0;

	while (registry_provider(g->now->registry, n))
		n++;
	return n * SHARE_LEAST > CHANGES ? SHARE_LEAST : CHANGES / (n + 1);
}

void provider_list_get(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct provider_list *x = lookup_make(&provider_list_kind, r, g);

	if (!x)
		return;
	x->read.from_ms = clock_wall_ms() - HOURS * (int64_t)3600 * 1000;
	x->read.limit = provider_share(g);
	lookup_start(&x->lookup, store_health_read(g->store, &x->read));
}
