/* Reads the bodies of requests for runs, on the loop or on a worker. */
#include "routes/call/intake.h"

#include "base/limits.h"
#include "http/reply.h"
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
	struct work_job    job;
	struct request    *request; /* NULL: the client left */
	struct gateway    *gateway;
	struct gateway     then; /* the gateway at the start of the request; its snapshot is held */
	struct identity   *who;  /* held */
	intake_read_fn     read;
	struct run_request rq;
	struct err         err;
};

static void reading_left(void *arg)
{
	struct reading *x = arg;

	x->request = NULL;
	work_unwant(&x->job);
}

static void reading_run(struct work_job *job)
{
	struct reading *x = container_of(job, struct reading, job);

	x->err.code = x->read(x->rq.input, &x->then, &x->rq, &x->err);
}

static void serve(struct request *r, struct gateway *g, struct run_request *rq, struct err *e)
{
	if (e->code == ERR_OK) {
		intake_start(r, g, rq);
		return;
	}
	input_destroy(rq->input);
	admission_show(r, g);
	reply_error(r, e);
}

static void reading_done(struct work_job *job)
{
	struct reading *x = container_of(job, struct reading, job);

	/* The provider belongs to that snapshot, even if the configuration was loaded again
	 * meanwhile. */
	if (x->request && x->err.code == ERR_OK)
		x->rq.held = TAKE(x->then.now);
	if (x->request) {
		request_on_left(x->request, NULL, NULL);
		serve(x->request, x->gateway, &x->rq, &x->err);
	} else {
		input_destroy(x->rq.input);
	}
	snapshot_release(x->then.now);
	identity_release(x->who);
	free(x);
}

static enum errc read_aside(struct request *r, struct gateway *g, const struct run_request *rq,
			    intake_read_fn read, struct err *e)
{
	struct reading *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	*x = (struct reading){ .request = r, .gateway = g, .then = *g, .read = read, .rq = *rq };
	x->job = (struct work_job){ .loop = g->loop, .run = reading_run, .done = reading_done };
	x->who = identity_hold(rq->who);
	snapshot_hold(g->now);
	if (!work_submit(g->cpu, &x->job)) {
		snapshot_release(g->now);
		identity_release(x->who);
		free(x);
		return err_set(e, ERR_OVERLOADED, "",
			       "too many large requests are waiting; try again");
	}
	request_on_left(r, reading_left, x);
	return ERR_OK;
}

void intake_serve(struct request *r, struct gateway *g, intake_read_fn read)
{
	struct run_request rq = { .input = request_input_take(r), .who = request_key(r) };
	struct err         e = { .code = ERR_OK };

	if (rq.input->body.len <= LIMIT_LOOP_JSON)
		e.code = read(rq.input, g, &rq, &e);
	else if (read_aside(r, g, &rq, read, &e) == ERR_OK)
		return;
	serve(r, g, &rq, &e);
}
