/* The key as the gateway knows it; the name and the end of a stored key are read from the store. */
#include "routes/kit/handlers.h"

#include "base/api_key.h"
#include "base/identity.h"
#include "base/limits.h"
#include "http/reply.h"
#include "json/value.h"
#include "routes/admin/api_key_body.h"
#include "routes/kit/lookup.h"
#include "store/api_key.h"

struct me {
	struct lookup        lookup;
	struct api_keys_read read;
};

static struct value *me_models(const struct identity *who)
{
	struct value *list = who->model_count > 0 ? value_array() : value_null();

	for (size_t i = 0; list && i < who->model_count; i++)
		if (!value_push_take(list, value_string(who->models[i]))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

/* put: k is NULL for callers without a stored key. */
static bool me_put(const struct request *r, const struct store_api_key *k, struct buf *out)
{
	const struct identity *who = request_key(r);
	bool                   expires = k && k->expires_ms > 0;
	struct value          *v = VALUE_OBJECT(
			 { "object", value_text_of("me") },
			 { "id", who->id[0] ? value_text_of(who->id) : value_null() },
			 { "name", k ? value_string(k->name) : value_null() },
			 { "owner", value_fmt("%lld", (long long)who->owner) },
			 { "scopes", api_key_scopes(request_scopes(r)) }, { "models", me_models(who) },
			 { "expires_at", expires ? value_int(k->expires_ms / 1000) : value_null() },
			 { "limits", allowance_body_limits_value(&who->allowance) },
			 { "budget", allowance_body_budget_value(&who->allowance) });
	bool ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

static bool me_print(struct lookup *l, struct buf *out)
{
	return me_put(l->request, container_of(l, struct me, lookup)->read.keys, out);
}

static const struct lookup_kind me_kind = { LOOKUP(struct me, read),
					    LOOKUP_ARENA(struct me, read.arena, MIB),
					    .print = me_print };

static void me_answer(struct request *r)
{
	struct buf body;

	buf_init(&body, MIB);
	if (!me_put(r, NULL, &body))
		buf_clear(&body); /* told as a lack of memory */
	reply_json_take(r, 200, &body);
}

void me_get(struct request *r, void *app)
{
	struct gateway        *g = app;
	const struct identity *who = request_key(r);
	struct str             id;

	if (who->number == 0 || !api_key_id(str_of(who->id), &id)) {
		me_answer(r);
		return;
	}
	struct me *x = lookup_make(&me_kind, r, g);
	if (!x)
		return;
	x->read.limit = 1;
	str_copy(x->read.id, sizeof x->read.id, id);
	lookup_start(&x->lookup, store_api_keys_read(g->store, &x->read));
}
