/* One question about the tokens of a request, from the check of its body to the answer. */
#include "routes/messages/token_count.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "call/admission.h"
#include "guard/hook_check.h"
#include "guard/texts.h"
#include "provider/choice.h"
#include "routes/kit/gateway.h"
#include "run/own_texts.h"
#include "shape/gemini_texts.h"
#include "shape/proto.h"
#include "store/ledger.h"
#include "store/store.h"

#include <stdlib.h>

/* A question that a provider is asked. */
struct count {
	const struct token_count_api *api;
	struct request               *request; /* NULL: the client left */
	struct input                 *input;   /* owned */
	struct snapshot              *held;    /* keeps the provider alive */
	struct provider_call         *call;    /* NULL: it is over */
	struct gateway               *gateway; /* the next three until the provider is asked */
	struct target                 target;
	struct check                 *check; /* owned; NULL: no hook is asked */
	const struct provider        *provider;
	struct prompt_native          native;
	int64_t                       guess;
	struct buf                    answer; /* the provider's, or empty */
	/* The row in the ledger of calls is made of the rest. */
	struct store    *store;
	struct identity *who; /* held; NULL: no provider was asked */
	struct id        id;
	int64_t          owner, created_ms, arrived_us;
	char             model[LIMIT_MODEL + 1]; /* the name in the request */
	char             label[LIMIT_MODEL + 1]; /* the configured one */
};

static void count_free(struct count *x)
{
	check_cancel(x->check);
	if (x->call)
		x->provider->ops->cancel(x->call);
	input_destroy(x->input);
	identity_release(x->who);
	snapshot_release(x->held);
	buf_finish(&x->answer);
	free(x);
}

/* --- the ledger: a question that a provider was asked has a row, as a call has --- */

static void count_note_begin(struct count *x, struct gateway *g, const struct target *t)
{
	const struct request *r = x->request;

	x->store = g->store;
	x->who = identity_hold(request_view(r)->by.who);
	x->id = id_new();
	x->owner = request_owner(r);
	x->arrived_us = request_view(r)->start_us;
	x->created_ms = clock_wall_ms() - (clock_mono_us() - x->arrived_us) / 1000;
	str_copy(x->model, sizeof x->model, t->asked);
	str_copy(x->label, sizeof x->label, t->label);
}

/* count_note: http 0: the client left.  code: the provider's failure; NULL: it has answered. */
static void count_note(const struct count *x, enum call_outcome outcome, const char *code, int http)
{
	static const enum run_status statuses[CALL_OUTCOME__COUNT] = {
		[CALL_COMPLETED] = RUN_COMPLETED, [CALL_FAILED] = RUN_FAILED,
		[CALL_CANCELLED] = RUN_CANCELLED, [CALL_CLIENT_LEFT] = RUN_CANCELLED,
		[CALL_REFUSED] = RUN_FAILED,
	};

	if (!x->who)
		return;
	store_call_add(x->store, &(struct call_row){
					 .id = x->id,
					 .owner = x->owner,
					 .created_ms = x->created_ms,
					 .duration_us = clock_mono_us() - x->arrived_us,
					 .key = str_of(x->who->id),
					 .model = str_of(x->model),
					 .label = str_of(x->label),
					 .provider = str_of(x->provider->name),
					 .family = STR("count_tokens"),
					 .error = code ? str_of(code) : STR_NONE,
					 .outcome = outcome,
					 .status = statuses[outcome],
					 .http = http,
					 .attempts = 1,
				 });
}

void token_count_estimate(struct request *r, const char *before, int64_t tokens)
{
	struct buf body;

	buf_init(&body, KIB);
	reply_header(r, "x-parley-warnings",
		     STR("[{\"index\":0,\"code\":\"estimated\",\"message\":\"the number is an "
			 "estimate: a quarter of the bytes\"}]"));
	if (buf_fmt(&body, "{%s%lld}", before, (long long)tokens))
		reply_json_take(r, 200, &body);
	else
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
}

/* count_refused: whether the provider found the request wrong.  Servers that only resemble
 * Anthropic's may lack the route, and any other failure says nothing of the request. */
static bool count_refused(const struct err *e)
{
	return e->upstream_status == 400 || e->upstream_status == 413;
}

static void count_take(void *arg, const struct event *ev)
{
	struct count *x = arg;

	if (ev->kind != EVENT_ERROR && ev->kind != EVENT_END) {
		/* An answer without memory for it is as good as none. */
		(void)!buf_str(&x->answer, ev->raw);
		return;
	}
	x->call = NULL;
	if (ev->kind == EVENT_ERROR && count_refused(ev->err)) {
		count_note(x, CALL_FAILED, err_wire(ev->err), family_http(x->api->family, ev->err));
		reply_error(x->request, ev->err);
	} else if (ev->kind == EVENT_END && x->answer.len > 0) {
		count_note(x, CALL_COMPLETED, NULL, 200);
		reply_json_take(x->request, 200, &x->answer);
	} else {
		/* The client has its answer, and the operator hears of the provider. */
		count_note(x, CALL_FAILED,
			   ev->kind == EVENT_ERROR ? err_wire(ev->err) : "upstream_error", 200);
		token_count_estimate(x->request, x->api->before, x->guess);
	}
	count_free(x);
}

static void count_left(void *arg)
{
	const struct count *x = arg;

	count_note(x, CALL_CLIENT_LEFT, NULL, 0);
	count_free(arg);
}

/* count_ask: asks the target.  Errors: it was not asked, and x is still the caller's. */
static enum errc count_ask(struct count *x, struct gateway *g, const struct target *t,
			   struct err *e)
{
	const struct provider_env env = { .loop = g->loop, .upstreams = g->upstreams };
	const struct prompt       prompt = { .model = t->upstream_model, .native = &x->native };

	x->provider = t->provider;
	return t->provider->ops->start(t->provider, &env, &prompt, count_take, x, &x->call, e);
}

/* count_go_on: the hooks have let the request out, or there are none. */
static void count_go_on(struct count *x)
{
	struct err e;

	count_note_begin(x, x->gateway, &x->target);
	if (count_ask(x, x->gateway, &x->target, &e) != ERR_OK) {
		token_count_estimate(x->request, x->api->before, x->guess);
		count_free(x);
		return;
	}
	input_drop_body(x->input);
}

static void count_checked(void *arg, enum check_verdict v, const struct str *texts,
			  const struct err *e)
{
	struct count *x = arg;

	(void)texts;
	x->check = NULL;
	switch (v) {
	case CHECK_ALLOW: count_go_on(x); return;
	case CHECK_REPLACE:
		token_count_estimate(x->request, x->api->before, x->guess);
		break; /* the words are other ones */
	case CHECK_BLOCK:
	case CHECK_FAIL: reply_error(x->request, e); break;
	case CHECK__COUNT: break;
	}
	count_free(x);
}

static void count_noted(void *arg, const char *hook, enum hook_phase phase, const char *verdict,
			int64_t ms)
{
	(void)arg;
	(void)hook;
	(void)phase;
	(void)verdict;
	(void)ms;
}

/* count_check: asks the hooks about the request; *ret_asked: they are. */
static enum errc count_check(struct count *x, struct hooks *hooks, bool *ret_asked, struct err *e)
{
	const struct json_doc *d = &x->input->doc;
	struct identity       *who = request_view(x->request)->by.who;
	struct check_ask       ask = { .pool = x->gateway->upstreams,
				       .hooks = hooks,
				       .phase = HOOK_REQUEST,
				       .model = x->target.asked,
				       .key = str_of(who->id),
				       .whole = true };
	struct buf             texts, images;
	unsigned char         *kinds;
	size_t                 image_count = 0;

	*ret_asked = false;
	if (who->group && hooks_known(hooks, who->group, e) != ERR_OK)
		return e->code;
	ask.mask = hooks_for(hooks, HOOK_REQUEST, ask.model, who);
	if (!ask.mask)
		return ERR_OK;
	buf_init(&texts, LIMIT_UPSTREAM_ASK);
	buf_init(&images, LIMIT_UPSTREAM_ASK);
	kinds = x->api->takes == PROVIDER_GEMINI
			? own_texts_find(d, proto_get(d, 0, "generateContentRequest"))
			: texts_find_asked(d);
	bool ok = kinds && texts_gather(d, kinds, TEXTS_MEDIA, 0, &images, &image_count);
	JSON_EACH_MEMBER (key, d, 0)
		if (json_is(d, key, "tools"))
			ask.tools = json_raw(d, json_value(key));
		else if (!json_is(d, key, "model"))
			ok = ok && texts_gather(d, kinds, TEXTS_TEXT, json_value(key), &texts,
						&ask.count);
	enum errc rc = ok ? ERR_OK : err_no_memory(e);
	if (rc == ERR_OK && texts_hides(d, kinds))
		rc = err_set(e, ERR_CONTENT_BLOCKED, "", "%s", texts_hidden);
	free(kinds);
	ask.texts = buf_view(&texts);
	ask.images = buf_view(&images);
	if (rc == ERR_OK && (ask.count > 0 || ask.images.n > 0 || ask.tools.n > 0)) {
		rc = check_begin(&ask, count_noted, count_checked, x, &x->check, e);
		*ret_asked = true;
	}
	buf_finish(&texts);
	buf_finish(&images);
	return rc;
}

static enum errc count_start(struct request *r, struct gateway *g, struct count *x, struct err *e)
{
	bool asked;

	x->gateway = g;
	x->native = (struct prompt_native){ .takes = x->api->takes,
					    .doc = &x->input->doc,
					    .count = true };
	enum errc rc = x->api->head ? x->api->head(r, &x->native, e) : ERR_OK;
	if (rc == ERR_OK)
		rc = count_check(x, g->now->run.hooks, &asked, e);
	if (rc != ERR_OK)
		return rc;
	x->held = snapshot_hold(g->now);
	request_on_left(r, count_left, x);
	if (!asked)
		count_go_on(x);
	return ERR_OK;
}

void token_count_serve(struct request *r, struct gateway *g, const struct token_count_api *api,
		       struct str model)
{
	struct count *x = calloc(1, sizeof *x);
	bool          local = false;
	struct err    e;

	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
		return;
	}
	x->api = api;
	x->request = r;
	x->input = request_input_take(r);
	buf_init(&x->answer, LIMIT_ERROR_BODY);
	enum errc rc = api->read(x->input, &model, &local, &e);
	x->guess = admission_prompt_tokens(x->input);
	if (rc == ERR_OK) {
		rc = registry_find_for(g->now->registry, model, request_view(r)->by.who, &x->target,
				       &e);
		if (rc != ERR_OK)
			err_at(&e, "model");
		else
			choice_well(&x->target, clock_mono_us());
	}
	/* Nobody can say what the provider would read. */
	local = local ||
		(rc == ERR_OK && api->takes == PROVIDER_GEMINI && gemini_hides(&x->input->doc));
	if (rc == ERR_OK && (local || !(x->target.takes & api->takes))) {
		token_count_estimate(r, api->before, x->guess);
		count_free(x);
		return;
	}
	if (rc == ERR_OK)
		rc = count_start(r, g, x, &e);
	if (rc != ERR_OK) {
		count_free(x);
		reply_error(r, &e);
	}
}
