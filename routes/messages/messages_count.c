/* How many tokens a request would have.  A provider that speaks the same API is asked; otherwise, or
 * if the provider can't say it, the number is an estimate, as for the limits.  Nothing is charged. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "call/admission.h"
#include "routes/kit/gateway.h"
#include "routes/messages/internal.h"
#include "schema/schema.h"

#include <stdlib.h>

/* A question that a provider is asked. */
struct count {
	struct request        *request; /* NULL: the client left */
	struct input          *input;   /* owned */
	struct snapshot       *held;    /* keeps the provider alive */
	struct provider_call  *call;    /* NULL: it is over */
	const struct provider *provider;
	struct prompt_native   native;
	int64_t                guess;
	struct buf             answer; /* the provider's, or empty */
};

static void count_free(struct count *x)
{
	if (x->call)
		x->provider->ops->cancel(x->call);
	input_destroy(x->input);
	snapshot_release(x->held);
	buf_finish(&x->answer);
	free(x);
}

static void count_estimate(struct request *r, int64_t tokens)
{
	struct buf body;

	buf_init(&body, KIB);
	reply_header(r, "x-parley-warnings",
		     STR("[{\"index\":0,\"code\":\"estimated\",\"message\":\"the number is an "
			 "estimate: a quarter of the bytes\"}]"));
	if (buf_fmt(&body, "{\"input_tokens\":%lld}", (long long)tokens))
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
	if (ev->kind == EVENT_ERROR && count_refused(ev->err))
		reply_error(x->request, ev->err);
	else if (ev->kind == EVENT_END && x->answer.len > 0)
		reply_json_take(x->request, 200, &x->answer);
	else
		count_estimate(x->request, x->guess);
	count_free(x);
}

static void count_left(void *arg)
{
	count_free(arg);
}

/* count_ask: asks the target.  Errors: it was not asked, and x is still the caller's. */
static enum errc count_ask(struct count *x, struct gateway *g, const struct target *t,
			   struct err *e)
{
	const struct provider_env env = { .loop = g->loop, .upstreams = g->upstreams };
	const struct prompt       prompt = { .model = t->upstream_model, .native = &x->native };

	x->held = snapshot_hold(g->now);
	x->provider = t->provider;
	return t->provider->ops->start(t->provider, &env, &prompt, count_take, x, &x->call, e);
}

static enum errc count_start(struct request *r, struct gateway *g, const struct target *t,
			     struct count *x, struct err *e)
{
	x->native = (struct prompt_native){
		.takes = PROVIDER_MESSAGES,
		.doc = &x->input->doc,
		.count = true,
		.version = request_header(r, family_messages.headers[MESSAGES_VERSION]),
		.beta = request_header(r, family_messages.headers[MESSAGES_BETA]),
	};
	enum errc rc = message_native_check(&x->native, e);
	if (rc != ERR_OK)
		return rc;
	if (count_ask(x, g, t, e) != ERR_OK) {
		count_estimate(r, x->guess);
		count_free(x);
		return ERR_OK;
	}
	input_drop_body(x->input);
	request_on_left(r, count_left, x);
	return ERR_OK;
}

void messages_count_post(struct request *r, void *app)
{
	struct gateway        *g = app;
	struct message_request c = message_request_init;
	struct count          *x = calloc(1, sizeof *x);
	struct target          target;
	struct err             e;

	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
		return;
	}
	x->request = r;
	x->input = request_input_take(r);
	buf_init(&x->answer, LIMIT_ERROR_BODY);
	enum errc rc = fields_read(&message_request_fields, &x->input->doc, 0, "", &x->input->arena,
				   &c, &e);
	x->guess = admission_prompt_tokens(x->input);
	if (rc == ERR_OK) {
		rc = registry_find_for(g->now->registry, c.model, request_view(r)->by.who, &target,
				       &e);
		if (rc != ERR_OK)
			err_at(&e, "model");
	}
	if (rc == ERR_OK &&
	    (!(target.takes & PROVIDER_MESSAGES) || message_native_uploads(&x->input->doc))) {
		count_estimate(r, x->guess);
		count_free(x);
		return;
	}
	if (rc == ERR_OK)
		rc = count_start(r, g, &target, x, &e);
	if (rc != ERR_OK) {
		count_free(x);
		reply_error(r, &e);
	}
}
