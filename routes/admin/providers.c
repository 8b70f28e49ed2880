/* A provider's test, which is one small call to it alone, and the models that it lists by itself. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/value.h"
#include "provider/catalog.h"
#include "routes/kit/gateway.h"
#include "routes/kit/lookup.h"

#include <stdlib.h>

enum { TEST_US = 30 * 1000 * 1000, TEXT = 400 };

/* providers_named: the entry with the name in the path; NULL: refused. */
static const struct provider *providers_named(struct request *r, const struct snapshot *now)
{
	const struct provider *p;

	for (size_t i = 0; (p = registry_provider(now->registry, i)); i++)
		if (str_is(request_param(r, 0), p->label) || str_is(request_param(r, 0), p->name))
			return p;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such provider");
	return NULL;
}

/* --- a test --- */

struct test {
	struct gateway        *gateway;
	struct snapshot       *now;     /* held; owns the provider */
	struct request        *request; /* NULL: the client left */
	const struct provider *provider;
	struct provider_call  *call; /* NULL: it is over */
	struct timer           limit;
	struct task            over;
	char                   model[LIMIT_MODEL + 1];
	int64_t                begun_us, first_us, ended_us;
	char                   text[TEXT + 1]; /* JSON-escaped */
	size_t                 text_n;
	struct err             err; /* ERR_OK: it answered */
};

/* test_whole: how many of the n bytes of escaped text can be kept without half a character. */
static size_t test_whole(struct str text, size_t max)
{
	size_t i = 0;

	while (i < text.n) {
		size_t step = text.p[i] != '\\'                        ? 1
			      : i + 1 < text.n && text.p[i + 1] == 'u' ? 6
								       : 2;

		if (i + step > max || i + step > text.n)
			break;
		i += step;
	}
	while (i > 0 && i < text.n && ((unsigned char)text.p[i] & 0xc0) == 0x80)
		i--;
	return i;
}

static void test_hear(struct test *t, struct str text)
{
	size_t n = test_whole(text, TEXT - t->text_n);

	memcpy(t->text + t->text_n, text.p, n);
	t->text_n += n;
}

static struct value *test_error(const struct test *t)
{
	if (t->err.code == ERR_OK)
		return value_null();
	return VALUE_OBJECT({ "code", value_text_of(err_wire(&t->err)) },
			    { "message", value_text_of(t->err.text) },
			    { "http_status", t->err.upstream_status > 0
						     ? value_int(t->err.upstream_status)
						     : value_null() });
}

static void test_answer(struct test *t)
{
	struct buf    body;
	struct buf    text;
	char          said[TEXT + 64];
	int64_t       first_us = t->first_us > 0 ? t->first_us - t->begun_us : 0;
	struct value *v;

	buf_init(&text, KIB);
	buf_init(&body, 16 * KIB);
	t->text[t->text_n] = '\0';
	(void)mask_text(t->provider->mask, (struct str){ t->text, t->text_n }, said, sizeof said);
	bool ok = buf_fmt(&text, "\"%s\"", said);
	v = VALUE_OBJECT(
		{ "object", value_text_of("provider.test") },
		{ "provider", value_text_of(t->provider->name) },
		{ "model", value_text_of(t->model) }, { "ok", value_bool(t->err.code == ERR_OK) },
		{ "duration_ms", value_int((t->ended_us - t->begun_us) / 1000) },
		{ "first_token_ms", first_us > 0 ? value_int(first_us / 1000) : value_null() },
		{ "text", t->text_n > 0 ? value_raw(buf_view(&text)) : value_null() },
		{ "error", test_error(t) });
	if (!ok || !value_print(v, &body))
		buf_clear(&body); /* told as a lack of memory */
	value_destroy(v);
	buf_finish(&text);
	reply_json_take(t->request, 200, &body);
}

/* A provider that has answered is well again, whatever calls had met before. */
static void test_tell(const struct test *t)
{
	struct health_target target = { t->provider->label, str_of(t->model),
					&t->provider->health };

	if (t->err.code == ERR_OK)
		health_tell(&target, HEALTH_GOOD, 0, false, clock_mono_us());
}

static void test_finish(struct test *t)
{
	timer_stop(t->gateway->loop, &t->limit);
	t->ended_us = clock_mono_us();
	test_tell(t);
	if (t->request)
		test_answer(t);
	snapshot_release(t->now);
	free(t);
}

static void test_on_over(struct task *task)
{
	test_finish(container_of(task, struct test, over));
}

static void test_on_event(void *arg, const struct event *ev)
{
	struct test *t = arg;

	switch (ev->kind) {
	case EVENT_TEXT:
		if (t->first_us == 0)
			t->first_us = clock_mono_us();
		test_hear(t, ev->text);
		return;
	case EVENT_ERROR: t->err = *ev->err; break;
	case EVENT_END: break;
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_LMC:
	case EVENT_MEDIA:
	case EVENT_MESSAGE:
		if (t->first_us == 0)
			t->first_us = clock_mono_us();
		return;
	case EVENT_START:
	case EVENT_TOOL_ARGS:
	case EVENT_BLOCK_END:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: return;
	}
	t->call = NULL;
	t->over.fn = test_on_over;
	loop_later(t->gateway->loop, &t->over);
}

static void test_cancel(struct test *t)
{
	if (t->call)
		t->provider->ops->cancel(t->call);
	else
		return; /* it is over, and test_on_over is to come */
	t->call = NULL;
	test_finish(t);
}

static void test_on_limit(struct timer *timer)
{
	struct test *t = container_of(timer, struct test, limit);

	if (t->call)
		err_set(&t->err, ERR_TOTAL_TIMEOUT, "", "no end of the answer within 30 seconds");
	test_cancel(t);
}

static void test_on_left(void *arg)
{
	struct test *t = arg;

	t->request = NULL;
	test_cancel(t);
}

/* test_model: the model of the query, else the first one that the configuration has for the provider. */
static bool test_model(struct request *r, struct test *t)
{
	struct registry_view v;
	struct str           name;

	if (request_query(r, "model", 0, &name)) {
		if (name.n <= LIMIT_MODEL && utf8_valid(name.p, name.n)) {
			str_copy(t->model, sizeof t->model, name);
			return true;
		}
		reply_refuse(r, ERR_INVALID_VALUE, "model",
			     "must be a model's name at the provider");
		return false;
	}
	for (size_t i = 0; registry_look(t->now->registry, i, 0, &v); i++)
		for (size_t n = 0; registry_look(t->now->registry, i, n, &v); n++)
			if (v.provider == t->provider && v.upstream.n > 0) {
				str_copy(t->model, sizeof t->model, v.upstream);
				return true;
			}
	reply_refuse(r, ERR_MISSING_PARAMETER, "model",
		     "is missing, and the configuration names no model of this provider");
	return false;
}

static enum errc test_start(struct test *t, struct err *e)
{
	const struct str message =
		STR("{\"role\":\"user\",\"content\":\"Say hello in one short sentence.\"}");
	const struct provider_env env = { .loop = t->gateway->loop,
					  .upstreams = t->gateway->upstreams };
	const struct prompt       prompt = { .model = str_of(t->model),
					     .messages = &message,
					     .message_count = 1,
					     .max_tokens = STR("64"),
					     .stream = true };

	t->begun_us = clock_mono_us();
	return t->provider->ops->start(t->provider, &env, &prompt, test_on_event, t, &t->call, e);
}

void providers_test(struct request *r, void *app)
{
	struct gateway        *g = app;
	const struct provider *p = providers_named(r, g->now);
	struct test           *t = p ? calloc(1, sizeof *t) : NULL;
	struct err             e;

	if (!t) {
		if (p)
			reply_refuse(r, ERR_OVERLOADED, "", "no memory for the call");
		return;
	}
	*t = (struct test){ .gateway = g,
			    .now = snapshot_hold(g->now),
			    .request = r,
			    .provider = p,
			    .limit = { .fn = test_on_limit } };
	bool named = test_model(r, t);
	if (named && test_start(t, &e) == ERR_OK) {
		request_on_left(r, test_on_left, t);
		timer_start(g->loop, &t->limit, TEST_US);
		return;
	}
	if (named) {
		t->err = e;
		t->ended_us = clock_mono_us();
		test_answer(t);
	}
	snapshot_release(t->now);
	free(t);
}

/* --- a provider's models --- */

struct models {
	struct gateway        *gateway;
	struct snapshot       *now;     /* held; owns the provider */
	struct request        *request; /* NULL: the client left */
	const struct provider *provider;
	struct timer           look; /* while another request fetches */
};

enum { MODELS_LOOK_US = 20 * 1000 };

/* models_known: whether a model of the configuration leads to this one of the provider. */
static bool models_known(const struct models *x, struct str name)
{
	struct registry_view v;

	for (size_t i = 0; registry_look(x->now->registry, i, 0, &v); i++)
		for (size_t n = 0; registry_look(x->now->registry, i, n, &v); n++)
			if (v.provider == x->provider &&
			    (v.upstream.n == 0 || str_eq(v.upstream, name)))
				return true;
	return false;
}

/* models_yaml: an entry for the configuration's models, as a JSON string. */
static bool models_yaml(struct buf *out, struct str name, const char *provider)
{
	struct buf yaml;

	buf_init(&yaml, 8 * (size_t)LIMIT_MODEL + KIB);
	/* A JSON string is one of YAML, too. */
	bool ok = buf_text(&yaml, "models:\n  - name: ") && buf_json_string(&yaml, name) &&
		  buf_text(&yaml, "\n    provider: ") && buf_json_string(&yaml, str_of(provider)) &&
		  buf_text(&yaml, "\n") && buf_json_string(out, buf_view(&yaml));

	buf_finish(&yaml);
	return ok;
}

static bool models_print(struct buf *out, const struct models *x, const struct catalog_names *names)
{
	bool ok = page_head(out, "", "", false) && buf_text(out, ",\"data\":[");

	for (size_t i = 0; ok && i < names->count; i++) {
		struct str name = names->names[i];

		ok = buf_text(out, i > 0 ? ",{\"object\":\"provider.model\",\"id\":"
					 : "{\"object\":\"provider.model\",\"id\":") &&
		     buf_json_string(out, name) &&
		     buf_fmt(out, ",\"configured\":%s,\"yaml\":",
			     models_known(x, name) ? "true" : "false") &&
		     models_yaml(out, name, x->provider->name) && buf_text(out, "}");
	}
	return ok && buf_text(out, "]}");
}

static void models_answer(const struct models *x)
{
	struct catalog_names *names = catalog_names(x->provider->catalog, clock_mono_us());
	char                  why[64];
	struct err            e;
	struct buf            body;

	if (!names) {
		catalog_why(x->provider->catalog, why);
		err_set(&e, ERR_UPSTREAM_ERROR, "", "the provider did not list its models: %s",
			why);
		reply_error(x->request, &e);
		return;
	}
	buf_init(&body, 8 * MIB);
	if (!models_print(&body, x, names))
		buf_clear(&body); /* told as a lack of memory */
	catalog_release(names);
	reply_json_take(x->request, 200, &body);
}

static void models_finish(struct models *x)
{
	if (x->request)
		models_answer(x);
	snapshot_release(x->now);
	free(x);
}

static void models_on_look(struct timer *t)
{
	struct models *x = container_of(t, struct models, look);

	if (x->request && catalog_waits(x->provider->catalog, clock_mono_us()))
		timer_start(x->gateway->loop, t, MODELS_LOOK_US);
	else
		models_finish(x);
}

static void models_fetched(void *arg)
{
	models_finish(arg);
}

static void providers_models_left(void *arg)
{
	((struct models *)arg)->request = NULL;
}

void providers_models(struct request *r, void *app)
{
	struct gateway        *g = app;
	const struct provider *p = providers_named(r, g->now);
	int64_t                now = clock_mono_us();

	if (p && !p->catalog)
		reply_refuse(r, ERR_BAD_REQUEST, "", "a provider of this dialect lists no models");
	if (!p || !p->catalog)
		return;
	struct models *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
		return;
	}
	*x = (struct models){ g, snapshot_hold(g->now), r, p, { .fn = models_on_look } };
	request_on_left(r, providers_models_left, x);
	if (catalog_due(p->catalog, now))
		catalog_fetch(p->catalog, p->name, g->upstreams, models_fetched, x);
	else
		models_on_look(&x->look);
}
