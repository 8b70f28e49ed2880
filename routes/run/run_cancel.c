/* Cancels a run and answers with the run: at once if it has ended already, otherwise at its end.  A run
 * that has ended before code which waits for an approval is withdrawn. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/call/call.h"
#include "desk/watch.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/run.h"

#include <stdlib.h>

struct cancel {
	struct gateway     *gateway;
	struct request     *request; /* NULL: answered, or the client has left */
	struct run_read     read;
	struct watch_run    watch;
	struct run_withdraw withdraw;
	struct buf          error; /* for it */
	bool                reading;
	bool                withdrawn; /* it was asked for */
	bool                news;      /* arrived during the read */
	bool                asked;     /* the run was told to end */
};

static void cancel_gone(struct watch_run *w)
{
	struct cancel *x = container_of(w, struct cancel, watch);

	arena_finish(&x->read.arena);
	buf_finish(&x->error);
	free(x);
}

static void cancel_answer(struct cancel *x, const struct err *e)
{
	struct buf body;
	struct err failure = *e;

	buf_init(&body, LIMIT_UPSTREAM_BODY);
	if (failure.code == ERR_OK && x->request &&
	    !run_print_for(&body, request_family(x->request), x->gateway->now->run.reasoning,
			   &x->read))
		err_set(&failure, ERR_OVERLOADED, "", "no memory for the run");
	if (x->request && failure.code != ERR_OK)
		reply_error(x->request, &failure);
	else if (x->request)
		reply_json_take(x->request, 200, &body);
	buf_finish(&body);
	x->request = NULL;
	watch_stop(&x->watch);
}

static void cancel_look(struct cancel *x);

/* cancel_ask: tells the run to end.  Clients of OpenAI may cancel background responses only. */
static enum errc cancel_ask(struct cancel *x, struct err *e)
{
	const struct family *f = request_family(x->request);

	x->asked = true;
	if (f->cancels && !f->cancels(x->read.settings))
		return err_set(e, ERR_BAD_REQUEST, "",
			       "only a response with background set to true can be cancelled");
	(void)live_cancel(x->watch.run, request_owner(x->request));
	return ERR_OK;
}

static void cancel_on_withdrawn(struct store_job *job)
{
	struct cancel *x = container_of(job, struct cancel, withdraw.job);
	struct err     e = job->err;

	x->reading = false;
	if (x->request && e.code == ERR_OK)
		cancel_look(x);
	else
		cancel_answer(x, &e);
}

/* cancel_withdraw: the run has ended, but waits for an approval.  False: it does not. */
static bool cancel_withdraw(struct cancel *x, struct err *e)
{
	struct err why;

	if (x->withdrawn || x->read.status != RUN_COMPLETED ||
	    !str_is(x->read.finish_reason, "confirmation"))
		return false;
	x->withdrawn = true;
	err_set(&why, ERR_CANCELLED, "", "the run was cancelled");
	x->withdraw = (struct run_withdraw){
		.job = { .loop = x->gateway->loop, .done = cancel_on_withdrawn },
		.owner = request_owner(x->request),
		.run = x->watch.run,
	};
	if (!err_object(&why, str_of(request_view(x->request)->id), &x->error)) {
		err_set(e, ERR_OVERLOADED, "", "no memory for the call");
		return false;
	}
	x->withdraw.error = buf_view(&x->error);
	x->reading = store_run_withdraw(x->gateway->store, &x->withdraw);
	if (!x->reading)
		err_set(e, ERR_OVERLOADED, "", "too many writes are waiting; try again");
	return x->reading;
}

static void cancel_on_read(struct store_job *job)
{
	struct cancel *x = container_of(job, struct cancel, read.job);
	bool           over = x->read.status != RUN_QUEUED && x->read.status != RUN_RUNNING;
	struct err     e = job->err;

	x->reading = false;
	if (x->request && e.code == ERR_OK && !x->asked)
		(void)!cancel_ask(x, &e);
	if (x->request && e.code == ERR_OK && cancel_withdraw(x, &e))
		return;
	if (!x->request || e.code != ERR_OK || over)
		cancel_answer(x, &e);
	else if (x->news)
		cancel_look(x);
}

static void cancel_look(struct cancel *x)
{
	struct err e;

	x->news = false;
	arena_finish(&x->read.arena);
	x->read = (struct run_read){
		.job = { .loop = x->gateway->loop, .done = cancel_on_read },
		.owner = request_owner(x->request),
		.run = x->watch.run,
		.shape = run_print_shape(request_family(x->request)),
	};
	arena_init(&x->read.arena, RUN_PRINT_ARENA);
	x->reading = true;
	if (store_run_read(x->gateway->store, &x->read))
		return;
	x->reading = false;
	err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting; try again");
	cancel_answer(x, &e);
}

static void cancel_on_news(struct watch_run *w)
{
	struct cancel *x = container_of(w, struct cancel, watch);

	if (x->reading)
		x->news = true;
	else
		cancel_look(x);
}

static void cancel_client_left(void *arg)
{
	struct cancel *x = arg;

	x->request = NULL;
	if (!x->reading)
		watch_stop(&x->watch);
}

/* cancel_unstored: a run that is not stored is answered at once.  The run may be gone as soon as it is told to end, so the
 * caller has read its log before. */
static void cancel_unstored(struct request *r, struct live *live, struct str log)
{
	struct buf body;

	if (live_cancel(live->id, live->owner))
		live->status = RUN_CANCELLED;
	buf_init(&body, 64 * KIB);
	if (!run_print_live(&body, live, log))
		buf_clear(&body);
	reply_json_take(r, 200, &body);
}

void run_cancel_post(struct request *r, void *app)
{
	struct gateway      *g = app;
	const struct family *f = request_family(r);
	struct live          live;
	struct str           log;
	struct id            id;

	if (!lookup_id(r, f->run_id,
		       f->object ? "there is no such response" : "there is no such run", &id))
		return;
	if (f->shows_unstored &&
	    live_look_log(id, request_owner(r), &live, request_arena(r), &log) && !live.stored) {
		cancel_unstored(r, &live, log);
		return;
	}
	struct cancel *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the call");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->watch = (struct watch_run){
		.loop = g->loop, .run = id, .fn = cancel_on_news, .gone = cancel_gone
	};
	arena_init(&x->read.arena, RUN_PRINT_ARENA);
	buf_init(&x->error, 4 * KIB);
	request_on_left(r, cancel_client_left, x);
	watch_start(&x->watch);
	/* Without a rule of the family, the run is told at once; if it has ended, the row says
	 * how. */
	x->asked = !f->cancels;
	if (x->asked)
		(void)live_cancel(id, request_owner(r));
	cancel_look(x);
}
