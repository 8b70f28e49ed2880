/* Joins a request with its run: chooses the form of the reply, and tells each side when the other
 * one leaves. */
#include "routes/call/exchange.h"

#include "base/clock.h"
#include "base/money.h"
#include "base/limits.h"
#include "base/metric.h"
#include "http/reply.h"
#include "http/stream.h"
#include "routes/kit/admission.h"
#include "routes/call/run_headers.h"
#include "routes/call/run_print.h"
#include "store/run.h"

#include <stdlib.h>

enum { WARNINGS_MAX = 2048, TIMING_MAX = 256 };

struct exchange {
	struct request *request; /* NULL after a reply, or when the client has left */
	struct run     *run;
	struct stream  *stream; /* NULL: a plain answer, or the stream is not open yet */
	struct str      model;
	struct str      settings; /* of a background call */
	/* in the words of the family; read even after the end of the request */
	bool breaks;
	bool streamed;
	bool bare;
	bool background; /* answered as soon as the run no longer needs the client */
	/* answered; the exchange leaves the run at the end of the turn */
	bool         parting;
	struct task  part_task;
	struct loop *loop;
};

static void exchange_note(struct exchange *x)
{
	struct run_view v;

	run_view(x->run, &v);
	request_note(
		x->request,
		&(struct request_note){
			.run = v.id,
			.conversation = v.conversation,
			.model = x->model,
			.provider = v.provider,
			.finish_reason = v.finish_reason,
			.tokens_in = v.usage.in,
			.tokens_out = v.usage.out,
			.first_token_us = v.first_token_us
						  ? v.first_token_us - request_start_us(x->request)
						  : 0,
			.upstream_us = v.answered_us ? v.answered_us - v.called_us : 0,
			.attempts = v.attempts,
			.stream = x->stream != NULL,
			.costs = v.costs,
			.cost_nano = v.cost_nano,
		});
}

/* exchange_put_time: adds ",name;dur=1.234" (milliseconds). */
static bool exchange_put_time(struct buf *out, const char *name, int64_t us)
{
	if (us < 0)
		us = 0;
	return (out->len == 0 || buf_text(out, ", ")) && buf_text(out, name) &&
	       buf_text(out, ";dur=") && buf_thousandths(out, us);
}

/* Server-Timing (W3C): where the time went, as far as it is known when the headers are sent. */
static void timing(struct exchange *x, const struct run_view *v)
{
	int64_t start = request_start_us(x->request);
	int64_t total = clock_mono_us() - start;
	/* The loop's time, which runs have, may be a little older than the request. */
	int64_t    called = v->called_us > start ? v->called_us : start;
	struct buf text;

	if (v->called_us == 0)
		return;
	buf_init(&text, TIMING_MAX);
	bool ok =
		buf_reserve(&text, TIMING_MAX) && exchange_put_time(&text, "queue", called - start);
	if (ok && v->first_token_us)
		ok = exchange_put_time(&text, "upstream_ttfb", v->first_token_us - called);
	if (ok && v->answered_us)
		ok = exchange_put_time(&text, "upstream", v->answered_us - called) &&
		     exchange_put_time(&text, "gateway", total - (v->answered_us - called)) &&
		     exchange_put_time(&text, "total", total);
	if (ok)
		reply_header(x->request, "Server-Timing", buf_view(&text));
	buf_finish(&text);
}

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~')
			return false;
	return true;
}

/* exchange_warn: bodies of OpenAI's shape have no place for warnings, so a header has them: the
 * array that other answers have in `warnings`, or the number of its entries if no header can hold
 * the array. */
static void exchange_warn(struct exchange *x, const struct run_view *v)
{
	struct buf text;
	bool       fits = v->warnings.n <= WARNINGS_MAX && is_ascii(v->warnings);

	if (!request_family(x->request)->warns_ahead || v->warning_count == 0)
		return;
	buf_init(&text, WARNINGS_MAX + 32);
	bool ok = fits ? buf_text(&text, "[") && buf_str(&text, v->warnings) && buf_text(&text, "]")
		       : buf_int(&text, (int64_t)v->warning_count);
	if (ok)
		reply_header(x->request, "x-parley-warnings", buf_view(&text));
	buf_finish(&text);
}

static void exchange_headers(struct exchange *x)
{
	struct run_view v;

	run_view(x->run, &v);
	if (!x->background)
		timing(x, &v);
	exchange_warn(x, &v);
	if (v.attempts > 0 && !x->background) {
		char count[DECIMAL_MAX];

		reply_header(x->request, "x-parley-attempts", decimal_int(v.attempts, count));
	}
	run_headers(x->request, &(struct run_told){
					.run = v.id,
					.conversation = v.conversation,
					.stored = v.conversation.n > 0,
					.streamed = x->streamed || x->background,
				});
}

static void exchange_part(struct exchange *x)
{
	run_leave(x->run);
	free(x);
}

/* --- the stream's side --- */

static struct str exchange_source_ready(void *arg, bool *ret_last)
{
	return run_ready(((struct exchange *)arg)->run, ret_last);
}

static void exchange_source_taken(void *arg, size_t n)
{
	run_taken(((struct exchange *)arg)->run, n);
}

static void exchange_source_over(void *arg, bool whole)
{
	struct exchange *x = arg;

	if (!whole)
		metric_add(METRIC_STREAM_ABORTS, (const char *[]){ "client", "left", "" }, 1);
	exchange_note(x);
	exchange_part(x);
}

static bool exchange_source_broken(void *arg)
{
	struct exchange *x = arg;
	struct run_view  v;

	run_view(x->run, &v);
	return v.cut || (x->breaks && v.failed);
}

static const struct stream_source source = { exchange_source_ready, exchange_source_taken,
					     exchange_source_over, exchange_source_broken };

/* --- the run's side --- */

static void exchange_part_now(struct task *t)
{
	exchange_part(container_of(t, struct exchange, part_task));
}

static void run_open(void *arg)
{
	struct exchange *x = arg;
	struct err       e;

	if (x->parting)
		return;
	exchange_headers(x);
	x->stream = stream_open(x->request, &source, x);
	if (x->stream)
		return;
	/* The run's callback must not leave the run, because leaving may end the run's call. */
	err_set(&e, ERR_OVERLOADED, "", "no memory for the stream");
	x->part_task.fn = exchange_part_now;
	loop_later(request_loop(x->request), &x->part_task);
	reply_error(x->request, &e);
}

static void run_wake(void *arg)
{
	struct exchange *x = arg;

	if (x->stream)
		stream_wake(x->stream);
}

static void run_done(void *arg, const struct err *e)
{
	struct exchange *x = arg;
	struct buf       body;
	struct err       failure;

	if (x->parting)
		return;
	exchange_note(x);
	exchange_headers(x);
	buf_init(&body, LIMIT_UPSTREAM_BODY + 4 * KIB);
	if (!e && !run_whole(x->run, &body)) {
		err_set(&failure, ERR_OVERLOADED, "", "no memory for the answer");
		e = &failure;
	}
	if (e) {
		buf_finish(&body);
		reply_error(x->request, e);
	} else if (x->bare) {
		reply_text_take(x->request, 200, "text/plain; charset=utf-8", &body);
	} else {
		reply_json_take(x->request, 200, &body);
	}
	exchange_part(x);
}

static void run_begun(void *arg)
{
	struct exchange *x = arg;
	struct run_view  v;
	struct buf       body;

	if (!x->background)
		return;
	run_view(x->run, &v);
	exchange_note(x);
	exchange_headers(x);
	buf_init(&body, x->settings.n + 16 * KIB);
	if (!run_print_for(&body, request_family(x->request), REASONING_NONE,
			   &(struct run_read){
				   .run = v.run_id,
				   .status = RUN_RUNNING,
				   .conversation = v.conversation_id,
				   .model = x->model,
				   .provider = v.provider,
				   .created_ms = v.created_ms,
				   .settings = x->settings,
			   }))
		buf_clear(&body);
	reply_json_take(x->request, run_print_status(request_family(x->request)), &body);
	x->parting = true;
	/* The run's callback must not leave the run. */
	x->part_task.fn = exchange_part_now;
	loop_later(x->loop, &x->part_task);
}

static const struct run_observer observer = { run_open, run_wake, run_done, run_begun };

static void exchange_client_left(void *arg)
{
	struct exchange *x = arg;

	exchange_note(x);
	exchange_part(x);
}

static void exchange_fail(struct request *r, struct idem_claim *claim, const struct err *e)
{
	if (claim)
		idem_over(claim, IDEM_FREED, e);
	reply_error(r, e);
}

static void exchange_drop(struct call_request *rq)
{
	input_destroy(TAKE(rq->input));
	rq->release(TAKE(rq->held));
}

/* exchange_begin: the call has its place, and begins. */
static void exchange_begin(struct request *r, struct gateway *g, struct call_request *rq,
			   struct admit_pass *pass)
{
	struct err       e;
	struct exchange *x = calloc(1, sizeof *x);

	if (!x) {
		exchange_drop(rq);
		admit_over(pass, false, 0);
		err_set(&e, ERR_OVERLOADED, "", "no memory for the call");
		exchange_fail(r, rq->caller.claim, &e);
		return;
	}
	*x = (struct exchange){
		.request = r,
		.breaks = rq->manner.family->breaks,
		.streamed = rq->what.prompt.stream && !rq->manner.background,
		.bare = rq->manner.bare,
		.background = rq->manner.background,
		.loop = g->loop,
	};
	/* The request's arena lives as long as the exchange may use the request. */
	x->model = arena_str(request_arena(r), rq->what.model);
	if (rq->manner.background)
		x->settings = arena_str(request_arena(r), rq->manner.settings);
	rq->caller.pass = pass;
	if (run_start(g->runs, rq, &observer, x, &x->run, &e) != ERR_OK) {
		free(x);
		admit_over(pass, false, 0);
		exchange_fail(r, rq->caller.claim, &e);
		return;
	}
	request_on_left(r, exchange_client_left, x);
}

/* --- in front of the run --- */

/* A call that is being admitted, and may have to wait. */
struct entry {
	struct admit_wait   wait;
	struct request     *request;
	struct gateway     *gateway;
	struct call_request rq; /* owned, claim included */
};

static void entry_answer(struct admit_wait *w, const struct err *e)
{
	struct entry *x = container_of(w, struct entry, wait);

	if (e) {
		exchange_drop(&x->rq);
		exchange_fail(x->request, x->rq.caller.claim, e);
	} else {
		exchange_begin(x->request, x->gateway, &x->rq, &w->pass);
	}
	free(x);
}

static void entry_told(struct admit_wait *w, const struct rate_view *view)
{
	admission_tell(container_of(w, struct entry, wait)->request, view);
}

static void entry_gone(struct admit_wait *w)
{
	free(container_of(w, struct entry, wait));
}

/* The run has not begun, so it does not continue without its client. */
static void entry_left(void *arg)
{
	struct entry *x = arg;

	if (x->rq.caller.claim)
		idem_over(TAKE(x->rq.caller.claim), IDEM_FREED, NULL);
	exchange_drop(&x->rq);
	if (admit_leave(&x->wait))
		free(x);
}

void exchange_call(struct request *r, struct gateway *g, struct call_request *rq)
{
	struct entry *x = calloc(1, sizeof *x);
	struct err    e;

	if (!x) {
		exchange_drop(rq);
		err_set(&e, ERR_OVERLOADED, "", "no memory for the call");
		exchange_fail(r, rq->caller.claim, &e);
		return;
	}
	*x = (struct entry){ .wait = { .fn = entry_answer, .gone = entry_gone, .told = entry_told },
			     .request = r,
			     .gateway = g,
			     .rq = *rq };
	switch (admission_enter(r, g, rq, &x->wait, &e)) {
	case ADMIT_IN: entry_answer(&x->wait, NULL); break;
	case ADMIT_REFUSED: entry_answer(&x->wait, &e); break;
	case ADMIT_WAITS: request_on_left(r, entry_left, x); break;
	}
}
