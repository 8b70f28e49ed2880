/* Joins a request with its call: chooses the form of the reply, and tells each side when the other
 * one leaves. */
#include "routes/call/call.h"

#include "base/allowance.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/metric.h"
#include "base/money.h"
#include "call/idem.h"
#include "http/reply.h"
#include "http/stream.h"
#include "msg/call_note.h"
#include "routes/call/cache_ask.h"
#include "routes/call/session_of.h"
#include "routes/kit/check.h"
#include "routes/call/tags_of.h"
#include "routes/kit/gateway.h"
#include "store/run.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARNINGS_MAX = 2048, TIMING_MAX = 256 };

struct exchange {
	struct request   *request; /* NULL after a reply, or when the client has left */
	struct gateway   *gateway;
	struct door_call *call;
	struct stream    *stream; /* NULL: a plain answer, or the stream is not open yet */
	struct str        model;
	struct str        label;    /* the configured model */
	struct str        settings; /* settings of a background call */
	bool              streamed;
	bool              bare;
	bool              background; /* answered as soon as the run no longer needs the client */
	bool              replayed;
	/* answered; the exchange leaves the call at the end of the turn */
	bool        parting;
	struct task part_task;
};

static void exchange_note(struct exchange *x)
{
	struct call_note n;

	if (!door_note(x->call, request_view(x->request)->start_us, &n))
		n = (struct call_note){ .replayed = door_replays(x->call) };
	n.model = x->model;
	n.label = x->label;
	n.stream = x->stream != NULL;
	request_note(x->request, &n);
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
static void put_server_timing(struct exchange *x, const struct run_view *v)
{
	int64_t start = request_view(x->request)->start_us;
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

/* run_headers: X-Run-Id, X-Conversation-Id and Location, for the reply to come. */
static void run_headers(struct request *r, const struct run_told *told)
{
	const struct family *f = request_family(r);
	char                 location[ID_MAX + 32];

	if (told->run.n == 0 || (!told->stored && !f->shows_unstored && !request_is_listed(r)))
		return;
	reply_header(r, "X-Run-Id", told->run);
	if (told->conversation.n > 0)
		reply_header(r, "X-Conversation-Id", told->conversation);
	if (!f->locates || !told->streamed)
		return;
	snprintf(location, sizeof location, "/v1/runs/%.*s/events", STR_ARG(told->run));
	reply_header(r, "Location", str_of(location));
}

static void put_cache(struct request *r, enum call_cache cache)
{
	if (cache != CALL_CACHE_NONE)
		reply_header(r, "x-parley-cache", str_of(call_cache_name(cache)));
}

/* put_cached: what the cache of answers has done, and how old its answer is. */
static void put_cached(struct request *r, const struct run_view *v)
{
	char    seconds[DECIMAL_MAX], from[ID_MAX];
	int64_t age_ms = clock_wall_ms() - v->cached_ms;

	put_cache(r, v->cache);
	if (v->cached_ms == 0)
		return;
	reply_header(r, "Age", decimal_int(age_ms > 0 ? age_ms / 1000 : 0, seconds));
	id_text(v->cached_from, ID_RUN, from);
	reply_header(r, "x-parley-cached-from", str_of(from));
}

static void exchange_headers(struct exchange *x, struct door_view *v)
{
	door_view(x->call, v);
	x->replayed = v->replayed;
	if (v->replayed)
		reply_header(x->request, "Idempotency-Replayed", STR("true"));
	if (v->replayed && v->failed)
		reply_header(x->request, "x-should-retry", STR("false"));
	if (!x->background)
		put_server_timing(x, &v->run);
	exchange_warn(x, &v->run);
	if (v->run.attempts > 0 && !x->background) {
		char count[DECIMAL_MAX];

		reply_header(x->request, "x-parley-attempts", decimal_int(v->run.attempts, count));
	}
	if (v->run.target.n > 0 && !x->background)
		reply_header(x->request, "x-parley-target", v->run.target);
	put_cached(x->request, &v->run);
	run_headers(x->request, &(struct run_told){
					.run = v->run.id,
					.conversation = v->run.conversation,
					.stored = v->stored,
					.streamed = x->streamed || (x->background && !v->replayed),
				});
}

static void exchange_part(struct exchange *x)
{
	door_leave(x->call);
	free(x);
}

/* exchange_left: the client's request has ended, and its line says what the call has come to. */
static void exchange_left(struct exchange *x)
{
	struct request  *r = x->request;
	struct call_note n;

	door_leave_note(x->call, &n);
	request_note(r, &n);
	free(x);
}

/* --- the stream's side --- */

static struct str exchange_source_ready(void *arg, bool *ret_last)
{
	return door_ready(((struct exchange *)arg)->call, ret_last);
}

static void exchange_source_taken(void *arg, size_t n)
{
	door_taken(((struct exchange *)arg)->call, n);
}

static void exchange_source_over(void *arg, bool whole)
{
	struct exchange *x = arg;

	if (!whole && !x->replayed)
		metric_add(METRIC_STREAM_ABORTS, (const char *[]){ "client", "left", "" }, 1);
	exchange_note(x);
	exchange_left(x);
}

static bool exchange_source_broken(void *arg)
{
	const struct exchange *x = arg;
	const struct family   *f = request_family(x->request);
	bool                   abort = f->breaks && (x->gateway->now->abort_failed_streams ||
                                   family_halves(f, request_header(x->request, "User-Agent")));

	return door_broken(x->call, abort);
}

static const struct stream_source source = { exchange_source_ready, exchange_source_taken,
					     exchange_source_over, exchange_source_broken };

/* --- the call's side --- */

static void exchange_part_now(struct task *t)
{
	exchange_part(container_of(t, struct exchange, part_task));
}

/* part_later: leaves the call, which must not be left from within its callback. */
static void part_later(struct exchange *x)
{
	x->parting = true;
	x->part_task.fn = exchange_part_now;
	loop_later(x->gateway->loop, &x->part_task);
}

static void exchange_on_open(void *arg)
{
	struct exchange *x = arg;
	struct door_view v;

	if (x->parting)
		return;
	exchange_headers(x, &v);
	x->stream = stream_open(x->request, &source, x);
	if (x->stream)
		return;
	exchange_note(x);
	part_later(x);
	reply_refuse(x->request, ERR_OVERLOADED, "", "no memory for the stream");
}

static void exchange_on_wake(void *arg)
{
	struct exchange *x = arg;

	if (x->stream)
		stream_wake(x->stream);
}

static void reply_whole(struct exchange *x, int http, struct buf *body)
{
	if (http == 204)
		reply_static(x->request, http, NULL, STR_NONE);
	else if (x->bare && http == 200)
		reply_text_take(x->request, http, "text/plain; charset=utf-8", body);
	else
		reply_json_take(x->request, http, body);
}

static void exchange_on_done(void *arg, const struct err *e)
{
	struct exchange *x = arg;
	struct door_view v;
	struct buf       body;

	if (x->parting)
		return;
	exchange_note(x);
	exchange_headers(x, &v);
	buf_init(&body, LIMIT_UPSTREAM_BODY + 4 * KIB);
	if (e)
		reply_error(x->request, e);
	else if (door_whole(x->call, &body))
		reply_whole(x, v.http, &body);
	else
		reply_refuse(x->request, ERR_OVERLOADED, "", "no memory for the answer");
	buf_finish(&body);
	exchange_part(x);
}

static void reply_run(struct exchange *x, const struct run_read *run, enum reasoning_name reasoning)
{
	const struct family *f = request_family(x->request);
	struct buf           body;

	buf_init(&body, LIMIT_UPSTREAM_BODY);
	if (run_print_for(&body, f, reasoning, run))
		reply_json_take(x->request, run_print_status(f), &body);
	else
		reply_refuse(x->request, ERR_OVERLOADED, "", "no memory for the run");
	buf_finish(&body);
}

static void exchange_on_begun(void *arg)
{
	struct exchange *x = arg;
	struct door_view v;

	if (!x->background)
		return;
	exchange_note(x);
	exchange_headers(x, &v);
	reply_run(x,
		  &(struct run_read){
			  .run = v.run.run_id,
			  .status = RUN_RUNNING,
			  .conversation = v.run.conversation_id,
			  .model = x->model,
			  .provider = v.run.provider,
			  .created_ms = v.run.created_ms,
			  .settings = x->settings,
		  },
		  REASONING_NONE);
	part_later(x);
}

static void exchange_on_shown(void *arg, const struct run_read *run)
{
	struct exchange *x = arg;
	struct door_view v;

	exchange_headers(x, &v);
	reply_run(x, run, x->gateway->now->run.reasoning);
	exchange_part(x);
}

static void exchange_on_refused(void *arg, const struct err *e)
{
	struct exchange *x = arg;
	/* A call that has a part in the cache has looked for an answer first, and waited for that. */
	enum call_cache cache = e->code == ERR_NOT_CACHED ? CALL_CACHE_BYPASS : CALL_CACHE_NONE;

	request_note(x->request, &(struct call_note){ .model = x->model,
						      .label = x->label,
						      .cache = (uint8_t)cache });
	put_cache(x->request, cache);
	reply_error(x->request, e);
	free(x);
}

static void exchange_on_limits(void *arg, const struct rate_view *view)
{
	limit_headers_put(((struct exchange *)arg)->request, view);
}

static const struct door_observer observer = {
	.run = { exchange_on_open, exchange_on_wake, exchange_on_done, exchange_on_begun },
	.refused = exchange_on_refused,
	.shown = exchange_on_shown,
	.limits = exchange_on_limits,
	.logs = true,
};

static void exchange_client_left(void *arg)
{
	struct exchange *x = arg;

	exchange_note(x);
	exchange_left(x);
}

/* --- the request --- */

static enum errc exchange_read_key(struct request *r, struct call_request *rq, struct err *e)
{
	struct str           key = request_view(r)->head.idempotency_key;
	const char          *variant = request_family(r)->variant;
	struct answer_label *name;

	if (!key.p)
		return ERR_OK;
	name = arena_alloc(&rq->input->arena, sizeof *name);
	if (!name)
		return err_no_memory(e);
	rq->caller.key = name;
	enum errc rc = idem_parse(key, name, e);
	if (rc == ERR_OK)
		rc = idem_bind(str_of(variant ? variant : request_view(r)->method),
			       request_view(r)->path, input_digest(rq->input), name, e);
	return rc;
}

static struct exchange *exchange_create(struct request *r, struct gateway *g,
					const struct call_request *rq)
{
	struct exchange *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	*x = (struct exchange){
		.request = r,
		.gateway = g,
		.call = door_create(&g->door, &observer, x),
		.streamed = rq->what.prompt.stream,
		.bare = rq->manner.bare,
		.background = rq->manner.background,
		/* The request's arena lives as long as the exchange may use the request. */
		.model = arena_str(request_arena(r), rq->what.model),
		.label = arena_str(request_arena(r), rq->what.label),
	};
	if (rq->manner.background)
		x->settings = arena_str(request_arena(r), rq->manner.settings);
	if (!x->call) {
		free(x);
		return NULL;
	}
	return x;
}

static enum errc exchange_read_resume(const struct request *r, struct call_request *rq,
				      struct err *e)
{
	if (!door_resumes(rq) || rq->manner.resume != RESUME_AS_SET)
		return ERR_OK;

	struct str said = request_header(r, "x-parley-resume");
	if (said.n == 0)
		return ERR_OK;
	if (!str_is(said, "off") && !str_is(said, "fallback"))
		return err_set(e, ERR_INVALID_VALUE, "x-parley-resume", "must be off or fallback");
	rq->manner.resume = str_is(said, "off") ? RESUME_OFF : RESUME_FALLBACK;
	return ERR_OK;
}

/* exchange_read_ceiling: what the calls of the conversation, or else of the session, may cost together. */
static enum errc exchange_read_ceiling(const struct request *r, struct call_request *rq,
				       struct err *e)
{
	static const char name[] = "x-parley-max-cost";
	struct str        said = request_header(r, name);
	int64_t          *most = &rq->manner.max_nano;
	int64_t           nano = 0;

	if (said.n > 0 && !allowance_read_money(said, &nano))
		return err_set(e, ERR_INVALID_VALUE, name, "%s", check_money_must);
	if (nano > 0 && (*most == 0 || nano < *most))
		*most = nano;
	rq->manner.capped = *most > 0;
	if (*most == 0 || rq->manner.store)
		return ERR_OK;
	rq->caller.purse = session_named(r, rq);
	if (rq->caller.purse != 0)
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, said.n > 0 ? name : "config.max_cost",
		       "is the ceiling of a stored conversation or of a session: name one in "
		       "x-parley-session");
}

void exchange_start(struct request *r, struct gateway *g, struct call_request *rq)
{
	struct exchange *x = NULL;
	struct err       e;

	rq->caller.request_id = str_of(request_view(r)->id);
	rq->caller.owner = request_owner(r);
	rq->caller.arrived_us = request_view(r)->start_us;
	rq->caller.trace = request_view(r)->trace;
	rq->caller.session = session_of(r, rq);
	rq->manner.family = request_family(r);
	if (!rq->held)
		rq->held = snapshot_hold(g->now); /* keeps the provider alive */
	rq->release = snapshot_release;
	enum errc rc = exchange_read_resume(r, rq, &e);
	if (rc == ERR_OK)
		rc = exchange_read_ceiling(r, rq, &e);
	if (rc == ERR_OK)
		rc = tags_of(r, g, rq, &e);
	if (rc == ERR_OK)
		rc = exchange_read_key(r, rq, &e);
	if (rc == ERR_OK)
		rc = cache_ask_read(r, &rq->manner.cache, &e);
	if (rc != ERR_OK)
		limit_headers_look(r, g);
	else if (!(x = exchange_create(r, g, rq)))
		rc = err_no_memory(&e);
	if (rc != ERR_OK) {
		rq->release(rq->held);
		input_destroy(rq->input);
		reply_error(r, &e);
		return;
	}
	request_on_left(r, exchange_client_left, x);
	door_start(x->call, rq);
}

/* --- run_headers: The ids in an answer's headers. */
