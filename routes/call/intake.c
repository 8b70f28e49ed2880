/* Reads the bodies of requests for runs, on the loop or on a worker. */
#include "routes/call/intake.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request_aside.h"
#include "routes/call/exchange.h"
#include "routes/call/keyed.h"
#include "routes/kit/admission.h"

#include <stdlib.h>

enum errc intake_target(const struct gateway *g, struct str model, const char *path,
			struct run_request *ret, struct err *e)
{
	struct target target;
	enum errc     rc = registry_find_for(g->now->registry, model, ret->who, &target, e);

	if (rc != ERR_OK) {
		err_at(e, path);
		return rc;
	}
	ret->model = target.asked;
	ret->provider = target.provider;
	ret->route = target.model;
	ret->asked = target.asked;
	ret->label = target.label;
	ret->takes = target.takes;
	ret->prompt.model = target.upstream_model;
	return ERR_OK;
}

void intake_start(struct request *r, struct gateway *g, struct run_request *rq)
{
	rq->request_id = request_id(r);
	rq->family = request_family(r);
	if (!rq->shape)
		rq->shape = rq->family->shapes;
	rq->who = request_key(r);
	rq->owner = request_owner(r);
	rq->trace = *request_trace(r);
	if (!rq->held)
		rq->held = snapshot_hold(g->now); /* keeps the provider alive */
	rq->release = snapshot_release;
	if (request_idempotency_key(r).p)
		keyed_start(r, g, rq);
	else
		exchange_call(r, g, rq);
}

/* A body on its way to a run; a worker reads a long one. */
struct reading {
	struct request_aside aside;
	struct gateway      *gateway;
	struct gateway     then; /* the gateway at the start of the request; its snapshot is held */
	struct identity   *who;  /* held */
	intake_read_fn     read;
	struct run_request rq;
};

static enum errc reading_run(struct request_aside *a, struct err *e)
{
	struct reading *x = container_of(a, struct reading, aside);

	return x->read(x->rq.input, &x->then, &x->rq, e);
}

static void intake_start_or_refuse(struct request *r, struct gateway *g, struct run_request *rq,
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

static enum errc read_aside(struct request *r, struct gateway *g, const struct run_request *rq,
			    intake_read_fn read, struct err *e)
{
	struct reading *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	*x = (struct reading){ .gateway = g, .then = *g, .read = read, .rq = *rq };
	x->who = identity_hold(rq->who);
	snapshot_hold(g->now);
	enum errc rc = request_aside_start(&x->aside, r, g->cpu, reading_run, reading_done, e);
	if (rc != ERR_OK)
		reading_free(x);
	return rc;
}

void intake_serve(struct request *r, struct gateway *g, intake_read_fn read)
{
	struct run_request rq = { .input = request_input_take(r), .who = request_key(r) };
	struct err         e = { .code = ERR_OK };

	if (rq.input->body.len <= LIMIT_LOOP_JSON)
		e.code = read(rq.input, g, &rq, &e);
	else if (read_aside(r, g, &rq, read, &e) == ERR_OK)
		return;
	intake_start_or_refuse(r, g, &rq, &e);
}
