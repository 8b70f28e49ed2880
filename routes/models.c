/* GET /v1/models and GET /v1/models/{id}: the configured models, in OpenAI's shape. */
#include "routes/models.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/gateway.h"

static bool put_model(struct buf *out, struct str name, struct str provider, int64_t created_s)
{
	return buf_text(out, "{\"id\":") && buf_json_string(out, name) &&
	       buf_fmt(out, ",\"object\":\"model\",\"created\":%lld,\"owned_by\":",
		       (long long)created_s) &&
	       buf_json_string(out, provider) && buf_text(out, "}");
}

/* put_single: those of the names a key may see that a model with a star answers. */
static bool put_single(struct buf *out, const struct snapshot *now, struct str star,
		       const struct identity *who, size_t *n)
{
	struct target target;
	struct err    e;

	for (size_t i = 0; i < who->model_count; i++) {
		struct str name = who->models[i];

		if (registry_find_for(now->registry, name, who, &target, &e) != ERR_OK ||
		    !str_eq(target.label, star) || str_eq(name, star) || name.p[name.n - 1] == '*')
			continue;
		if (((*n)++ > 0 && !buf_text(out, ",")) ||
		    !put_model(out, name, str_of(target.provider->name), now->made_s))
			return false;
	}
	return true;
}

static bool put_models(struct buf *out, const struct snapshot *now, const struct identity *who)
{
	struct str name;
	struct str provider;
	size_t     n = 0;

	if (!buf_text(out, "{\"object\":\"list\",\"data\":["))
		return false;
	for (size_t i = 0; registry_model(now->registry, i, &name, &provider); i++) {
		bool star = name.n > 0 && name.p[name.n - 1] == '*';

		if (identity_sees(who, name) &&
		    ((n++ > 0 && !buf_text(out, ",")) || !put_model(out, name, provider, now->made_s)))
			return false;
		if (star && !identity_sees(who, name) && !put_single(out, now, name, who, &n))
			return false;
	}
	return buf_text(out, "]}");
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

void models_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct buf      body;

	buf_init(&body, MIB);
	bool ok = put_models(&body, g->now, request_key(r));
	send_or_fail(r, &body, ok);
}

void models_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct str      id = request_param(r, 0);
	struct target   target;
	struct buf      body;
	struct err      e;

	if (registry_find_for(g->now->registry, id, request_key(r), &target, &e) != ERR_OK) {
		reply_error(r, &e);
		return;
	}
	buf_init(&body, 4 * KIB);
	bool ok = put_model(&body, id, str_of(target.provider->name), g->now->made_s);
	send_or_fail(r, &body, ok);
}
