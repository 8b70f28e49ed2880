/* Reads the bodies of requests for runs, on the loop or on a worker. */
#include "routes/call/intake.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request_aside.h"
#include "routes/call/exchange.h"
#include "routes/call/keyed.h"
#include "routes/kit/admission.h"

#include <stdlib.h>
#include <string.h>

enum errc intake_target(const struct gateway *g, struct str model, const char *path,
			struct call_request *ret, struct err *e)
{
	struct target target;
	enum errc     rc = registry_find_for(g->now->registry, model, ret->caller.who, &target, e);

	if (rc != ERR_OK) {
		err_at(e, path);
		return rc;
	}
	ret->what.model = target.asked;
	ret->what.provider = target.provider;
	ret->what.route = target.model;
	ret->what.asked = target.asked;
	ret->what.label = target.label;
	ret->what.takes = target.takes;
	ret->what.prompt.model = target.upstream_model;
	return ERR_OK;
}

enum errc intake_model(const struct gateway *g, struct str model, struct call_request *ret,
		       struct err *e)
{
	if (ret->what.asked.n > LIMIT_MODEL)
		return err_set(e, ERR_INVALID_VALUE, "model", "must have at most %d bytes",
			       LIMIT_MODEL);
	return intake_target(g, ret->what.asked.n > 0 ? ret->what.asked : model, "model", ret, e);
}

/* same_key: whether two members `"key":value` have one key. */
static bool same_key(struct str a, struct str b)
{
	const char *colon = memchr(b.p, ':', b.n);

	return str_starts(a, (struct str){ b.p, (size_t)(colon - b.p) });
}

static bool intake_has(const struct prompt *p, struct str member)
{
	for (size_t i = 0; i < p->member_count; i++)
		if (same_key(p->members[i], member))
			return true;
	return false;
}

/* intake_defaults: adds what the configuration says for a model and the client does not.  An
 * instruction of the conversation has priority (run/save), and so has a system message (run/call). */
static enum errc intake_defaults(struct call_request *rq, struct err *e)
{
	const struct model_defaults *d = rq->what.route ? registry_defaults(rq->what.route) : NULL;
	struct prompt               *p = &rq->what.prompt;
	struct str                  *list;

	if (!d || p->embed || p->text)
		return ERR_OK;
	if (!rq->what.instruction_set && d->instruction.n > 0) {
		rq->what.instruction = d->instruction;
		rq->what.instruction_default = true;
	}
	if (p->max_tokens.n == 0)
		p->max_tokens = d->max_tokens;
	if (d->member_count == 0)
		return ERR_OK;
	list = arena_alloc(&rq->input->arena, (p->member_count + d->member_count) * sizeof *list);
	if (!list)
		return err_no_memory(e);
	if (p->member_count > 0)
		memcpy(list, p->members, p->member_count * sizeof *list);
	size_t n = p->member_count;
	for (size_t i = 0; i < d->member_count; i++)
		if (!intake_has(p, d->members[i]))
			list[n++] = d->members[i];
	p->members = list;
	p->member_count = n;
	return ERR_OK;
}

void intake_start(struct request *r, struct gateway *g, struct call_request *rq)
{
	struct err e;

	rq->caller.request_id = request_id(r);
	rq->manner.family = request_family(r);
	if (!rq->manner.shape)
		rq->manner.shape = rq->manner.family->shapes;
	rq->caller.who = request_key(r);
	rq->caller.owner = request_owner(r);
	rq->caller.trace = *request_trace(r);
	if (!rq->held)
		rq->held = snapshot_hold(g->now); /* keeps the provider alive */
	rq->release = snapshot_release;
	if (intake_defaults(rq, &e) != ERR_OK) {
		input_destroy(TAKE(rq->input));
		rq->release(TAKE(rq->held));
		reply_error(r, &e);
		return;
	}
	if (request_idempotency_key(r).p)
		keyed_start(r, g, rq);
	else
		exchange_call(r, g, rq);
}

/* A body on its way to a run; a worker reads a long one. */
struct reading {
	struct request_aside aside;
	struct gateway      *gateway;
	struct gateway   then; /* the gateway at the start of the request; its snapshot is held */
	struct identity *who;  /* held */
	intake_read_fn   read;
	struct call_request rq;
};

static enum errc reading_run(struct request_aside *a, struct err *e)
{
	struct reading *x = container_of(a, struct reading, aside);

	return x->read(x->rq.input, &x->then, &x->rq, e);
}

static void intake_start_or_refuse(struct request *r, struct gateway *g, struct call_request *rq,
				   struct err *e)
{
	if (e->code == ERR_OK) {
		intake_start(r, g, rq);
		return;
	}
	input_destroy(rq->input);
	admission_show(r, g);
	reply_error(r, e);
}

static void reading_free(struct reading *x)
{
	snapshot_release(x->then.now);
	identity_release(x->who);
	free(x);
}

static void reading_done(struct request_aside *a)
{
	struct reading *x = container_of(a, struct reading, aside);

	/* The provider belongs to that snapshot, even if the configuration was loaded again
	 * meanwhile. */
	if (a->request && a->err.code == ERR_OK)
		x->rq.held = TAKE(x->then.now);
	if (a->request)
		intake_start_or_refuse(a->request, x->gateway, &x->rq, &a->err);
	else
		input_destroy(x->rq.input);
	reading_free(x);
}

static enum errc read_aside(struct request *r, struct gateway *g, const struct call_request *rq,
			    intake_read_fn read, struct err *e)
{
	struct reading *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	*x = (struct reading){ .gateway = g, .then = *g, .read = read, .rq = *rq };
	x->who = identity_hold(rq->caller.who);
	snapshot_hold(g->now);
	enum errc rc = request_aside_start(&x->aside, r, g->cpu, reading_run, reading_done, e);
	if (rc != ERR_OK)
		reading_free(x);
	return rc;
}

static bool intake_keep(struct call_request *rq, struct str s, struct str *ret)
{
	if (s.n > 0)
		*ret = arena_str(&rq->input->arena, s);
	return s.n == 0 || ret->p;
}

static bool intake_keep_headers(struct call_request *rq, const struct request *r)
{
	const char *const *names = request_family(r)->headers;
	bool               ok = true;

	for (size_t i = 0; ok && names && names[i]; i++)
		ok = intake_keep(rq, request_header(r, names[i]), &rq->manner.headers[i]);
	return ok;
}

void intake_serve(struct request *r, struct gateway *g, intake_read_fn read)
{
	intake_serve_model(r, g, request_named(r), read);
}

void intake_serve_model(struct request *r, struct gateway *g, struct str named, intake_read_fn read)
{
	struct call_request rq = { .input = request_input_take(r),
				   .caller.who = request_key(r),
				   .caller.scopes = (uint8_t)request_scopes(r) };
	struct err          e = { .code = ERR_OK };

	/* A worker that reads the body may outlive the request. */
	if (!intake_keep(&rq, named, &rq.what.asked) || !intake_keep_headers(&rq, r))
		err_no_memory(&e);
	else if (rq.input->body.len <= LIMIT_LOOP_JSON)
		e.code = read(rq.input, g, &rq, &e);
	else if (read_aside(r, g, &rq, read, &e) == ERR_OK)
		return;
	intake_start_or_refuse(r, g, &rq, &e);
}
