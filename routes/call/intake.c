/* Reads the bodies of requests for runs, on the loop or on a worker. */
#include "routes/call/call.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "lmc/text.h"
#include "msg/call_note.h"
#include "routes/call/tags_of.h"
#include "routes/kit/gateway.h"

#include <stdlib.h>

enum errc intake_model(const struct gateway *g, struct str model, struct call_request *ret,
		       struct err *e)
{
	if (ret->what.asked.n > LIMIT_MODEL)
		return err_set(e, ERR_INVALID_VALUE, "model", "must have at most %d bytes",
			       LIMIT_MODEL);
	return door_target(g->now->registry, ret->what.asked.n > 0 ? ret->what.asked : model,
			   "model", ret, e);
}

/* A body on its way to a run; a worker reads a long one. */
struct reading {
	struct request_aside aside;
	struct gateway      *gateway;
	struct gateway   then; /* the gateway at the start of the request; its snapshot is held */
	struct identity *who;  /* held */
	const struct family *family;
	intake_read_fn       read;
	struct call_request *rq; /* owned */
};

static enum errc intake_read(struct call_request *rq, const struct gateway *g,
			     const struct family *f, intake_read_fn read, struct err *e)
{
	return tags_of_body(rq->input, g, f, rq, e) == ERR_OK ? read(rq->input, g, rq, e) : e->code;
}

static enum errc reading_run(struct request_aside *a, struct err *e)
{
	struct reading *x = container_of(a, struct reading, aside);

	return intake_read(x->rq, &x->then, x->family, x->read, e);
}

/* note_model: the model that was asked for, whether there is one of that name or not. */
static void note_model(struct request *r, const struct call_request *rq)
{
	struct str model = rq->what.model;

	if (model.n > LIMIT_MODEL)
		model.n = text_whole((struct str){ model.p, LIMIT_MODEL });
	request_note(r, &(struct call_note){ .model = model, .label = rq->what.label });
}

static void intake_start_or_refuse(struct request *r, struct gateway *g, struct call_request *rq,
				   struct err *e)
{
	if (e->code == ERR_OK) {
		exchange_start(r, g, rq);
		return;
	}
	note_model(r, rq);
	input_destroy(rq->input);
	limit_headers_look(r, g);
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
		x->rq->held = TAKE(x->then.now);
	if (a->request)
		intake_start_or_refuse(a->request, x->gateway, x->rq, &a->err);
	else
		input_destroy(x->rq->input);
	reading_free(x);
}

static enum errc read_aside(struct request *r, struct gateway *g, struct call_request *rq,
			    intake_read_fn read, struct err *e)
{
	struct reading *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	*x = (struct reading){
		.gateway = g, .then = *g, .read = read, .rq = rq, .family = request_family(r)
	};
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
	intake_serve_model(r, g, request_view(r)->named, read);
}

struct call_request *intake_request(struct request *r, struct input *in)
{
	struct call_request *rq = arena_alloc(&in->arena, sizeof *rq);

	if (rq) {
		rq->input = in;
		rq->caller.who = request_view(r)->by.who;
		rq->caller.scopes = (uint8_t)request_view(r)->by.scopes;
		rq->caller.console = gateway_is_console(r);
	}
	return rq;
}

void intake_serve_model(struct request *r, struct gateway *g, struct str named, intake_read_fn read)
{
	struct input        *in = request_input_take(r);
	struct call_request *rq = intake_request(r, in);
	struct err           e = { .code = ERR_OK };

	if (!rq) {
		input_destroy(in);
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the call");
		return;
	}
	/* A worker that reads the body may outlive the request. */
	if (!intake_keep(rq, named, &rq->what.asked) || !intake_keep_headers(rq, r))
		err_no_memory(&e);
	else if (in->body.len <= LIMIT_LOOP_JSON)
		e.code = intake_read(rq, g, request_family(r), read, &e);
	else if (read_aside(r, g, rq, read, &e) == ERR_OK)
		return;
	intake_start_or_refuse(r, g, rq, &e);
}
