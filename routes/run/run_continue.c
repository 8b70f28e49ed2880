/* Starts a new run that continues the answer of another one, or executes the code that it waits with. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/chat/chat.h"
#include "routes/call/call.h"
#include "routes/kit/gateway.h"
#include "routes/kit/lookup.h"
#include "schema/schema.h"
#include "store/job.h"
#include "store/run.h"

#include <stdlib.h>

struct resume {
	struct gateway *gateway;
	struct request *request; /* NULL: the client left */
	struct input   *input;   /* owned until the run has it */
	bool            approves;
	struct run_read read;

	/* The decision about code is noted before the run goes on. */
	struct call_request *call; /* the input's */
	struct audit_write   noted;
	struct audit_entry   entry;
};

static void continue_destroy(struct resume *x)
{
	input_destroy(x->input);
	arena_finish(&x->read.arena);
	free(x);
}

static void continue_client_left(void *arg)
{
	struct resume *x = arg;

	x->request = NULL;
	atomic_store_explicit(&x->read.job.cancelled, true, memory_order_relaxed);
}

static enum errc check_run(const struct run_read *run, struct err *e)
{
	if (run->status == RUN_QUEUED || run->status == RUN_RUNNING) {
		err_set(e, ERR_CONVERSATION_BUSY, "",
			"the run still goes on; read its events, or cancel it");
		e->retry_after_ms = 1000;
		return e->code;
	}
	return ERR_OK;
}

static enum errc read_continue(struct input *in, struct chat_request *how, struct err *e)
{
	struct run_continue body = run_continue_init;
	enum errc rc = fields_read(&run_continue_fields, &in->doc, 0, "", &in->arena, &body, e);

	how->config = body.config;
	how->stream = body.stream;
	how->background = body.background;
	how->format = body.format;
	how->lmc = body.lmc;
	how->on_disconnect = body.on_disconnect;
	return rc;
}

static enum errc read_approve(struct input *in, struct chat_request *how, struct call_request *ret,
			      struct err *e)
{
	struct run_approve     body = run_approve_init;
	struct call_computing *q = arena_alloc(&in->arena, sizeof *q);
	enum errc rc = fields_read(&run_approve_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (!q)
		return err_no_memory(e);
	if (rc == ERR_OK && body.approve && body.reason.p)
		return err_set(e, ERR_INVALID_VALUE, "reason",
			       "is allowed only beside approve: false");
	*q = (struct call_computing){ .approve = body.approve,
				      .refuse = !body.approve,
				      .waiting = true,
				      .reason = body.reason };
	ret->manner.computing = q;
	how->config = body.config;
	how->stream = body.stream;
	how->background = body.background;
	how->format = body.format;
	how->lmc = body.lmc;
	how->on_disconnect = body.on_disconnect;
	return rc;
}

/* is_waiting: the run has ended before code whose end is known. */
static bool is_waiting(const struct run_read *run)
{
	return run->status == RUN_COMPLETED && (str_is(run->finish_reason, "confirmation") ||
						str_is(run->finish_reason, "max_steps"));
}

/* wait_for_code: a run of the computer's that goes on begins with the code that waits. */
static enum errc wait_for_code(const struct resume *x, struct call_request *ret, struct err *e)
{
	struct call_computing *q;

	if (!ret->manner.computing || x->approves)
		return ERR_OK;
	q = arena_alloc(&x->input->arena, sizeof *q);
	if (!q)
		return err_no_memory(e);
	*q = *ret->manner.computing;
	q->waiting = is_waiting(&x->read);
	ret->manner.computing = q;
	return ERR_OK;
}

static enum errc continue_read_body(struct resume *x, struct call_request *ret, struct err *e)
{
	struct chat_request how = chat_request_init;
	struct input       *in = x->input;
	enum errc rc = x->approves ? read_approve(in, &how, ret, e) : read_continue(in, &how, e);

	if (rc != ERR_OK)
		return rc;
	/* The memory of the old run is freed before that of the new run's request. */
	struct str model = arena_str(&in->arena, x->read.model);
	if (!model.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	rc = chat_read_how(in, x->gateway, &how, model, ret, e);
	ret->what.answers_calls = true; /* incomplete answers have none */
	return rc == ERR_OK ? wait_for_code(x, ret, e) : rc;
}

static enum errc continue_build(struct resume *x, struct call_request *ret, struct err *e)
{
	enum errc rc = check_run(&x->read, e);

	if (rc == ERR_OK && x->approves &&
	    !(is_waiting(&x->read) && str_is(x->read.finish_reason, "confirmation")))
		rc = err_set(e, ERR_NOT_CONTINUABLE, "", "this run does not wait for an approval");
	if (rc == ERR_OK)
		rc = continue_read_body(x, ret, e);
	if (rc != ERR_OK)
		return rc;
	ret->thread.conversation = x->read.conversation;
	ret->thread.continues = x->read.run;
	return ERR_OK;
}

/* continue_start: takes the request and the input out of x. */
static void continue_start(struct resume *x)
{
	struct request *r = x->request;

	x->input = NULL;
	x->request = NULL;
	exchange_start(r, x->gateway, x->call);
}

static void continue_refuse(struct resume *x, const struct err *e)
{
	limit_headers_look(x->request, x->gateway);
	reply_error(x->request, e);
}

static void continue_on_noted(struct store_job *job)
{
	struct resume *x = container_of(job, struct resume, noted.job);

	if (x->request && job->err.code == ERR_OK)
		continue_start(x);
	else if (x->request)
		continue_refuse(x, &job->err);
	continue_destroy(x);
}

static bool continue_note(struct resume *x)
{
	bool approved = x->call->manner.computing->approve;

	x->noted.job = (struct store_job){ .loop = x->gateway->loop,
					   .done = continue_on_noted,
					   .audit = &x->entry };
	audit_request(x->request, approved ? AUDIT_CODE_APPROVE : AUDIT_CODE_REFUSE,
		      request_param(x->request, 0), &x->entry);
	return store_audit_write(x->gateway->store, &x->noted);
}

static void continue_on_read(struct store_job *job)
{
	struct resume       *x = container_of(job, struct resume, read.job);
	struct call_request *rq;
	struct err           e = job->err;

	if (!x->request) {
		continue_destroy(x);
		return;
	}
	rq = intake_request(x->request, x->input);
	if (!rq)
		err_no_memory(&e);
	x->call = rq;
	if (rq && e.code == ERR_OK && continue_build(x, rq, &e) == ERR_OK) {
		if (!x->approves)
			continue_start(x);
		else if (!continue_note(x))
			err_set(&e, ERR_OVERLOADED, "", "too many writes are waiting");
		else
			return;
	}
	if (x->request)
		continue_refuse(x, &e);
	continue_destroy(x);
}

static void continue_begin(struct request *r, struct gateway *g, bool approves)
{
	struct id id;

	if (!lookup_id(r, ID_RUN, "there is no such run", &id))
		return;
	struct resume *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the call");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->input = request_input_take(r);
	x->approves = approves;
	x->read = (struct run_read){
		.job = { .loop = g->loop, .done = continue_on_read },
		.owner = request_owner(r),
		.run = id,
	};
	arena_init(&x->read.arena, MIB);
	if (!store_run_read(g->store, &x->read)) {
		continue_destroy(x);
		reply_refuse(r, ERR_OVERLOADED, "", "too many reads are waiting");
		return;
	}
	request_on_left(r, continue_client_left, x);
}

void run_continue_post(struct request *r, void *app)
{
	continue_begin(r, app, false);
}

void run_continue_approve(struct request *r, void *app)
{
	continue_begin(r, app, true);
}
