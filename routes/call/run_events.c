/* The events of a run as a stream: from the start or after a cursor, then live. */
#include "routes/call/call.h"

#include "base/metric.h"
#include "desk/live.h"
#include "desk/tape.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/stream.h"
#include "routes/kit/gateway.h"
#include "routes/kit/handlers.h"
#include "routes/kit/lookup.h"
#include "run/follow.h"

#include <stdio.h>
#include <stdlib.h>

struct replay {
	struct request *request; /* NULL after a reply, or when the client has left */
	struct follow  *follow;  /* NULL: the reader has ended */
	struct stream  *stream;
	bool            resumed; /* the stream begins after a cursor */
};

static void run_events_part(struct replay *x)
{
	if (x->follow)
		follow_leave(x->follow);
	free(x);
}

/* --- the stream's side --- */

static struct str run_events_source_ready(void *arg, bool *ret_last)
{
	return follow_ready(((struct replay *)arg)->follow, ret_last);
}

static void run_events_source_taken(void *arg, size_t n)
{
	follow_taken(((struct replay *)arg)->follow, n);
}

static void run_events_source_over(void *arg, bool whole)
{
	(void)whole;
	run_events_part(arg);
}

static bool run_events_source_broken(void *arg)
{
	return follow_broken(((struct replay *)arg)->follow, false);
}

static const struct stream_source source = { run_events_source_ready, run_events_source_taken,
					     run_events_source_over, run_events_source_broken };

/* --- the follower's side --- */

static void run_events_count(const struct replay *x, const char *result)
{
	if (x->resumed)
		metric_add(METRIC_STREAM_RESUMES, (const char *[]){ result, "", "" }, 1);
}

static void run_events_on_open(void *arg)
{
	struct replay *x = arg;

	run_events_count(x, "ok");
	x->stream = stream_open(x->request, &source, x);
	if (!x->stream) {
		reply_refuse(x->request, ERR_OVERLOADED, "", "no memory for the stream");
		run_events_part(x);
	}
}

static void on_none(void *arg, const struct err *e)
{
	struct replay *x = arg;

	x->follow = NULL;
	run_events_count(x, e ? err_code_wire(e->code) : "nothing_left");
	if (e)
		reply_error(x->request, e);
	else
		/* an EventSource stops at this status */
		reply_static(x->request, 204, NULL, STR_NONE);
	run_events_part(x);
}

static void on_wake(void *arg)
{
	struct replay *x = arg;

	if (x->stream)
		stream_wake(x->stream);
}

static const struct follow_observer observer = { run_events_on_open, on_none, on_wake };

static void run_events_client_left(void *arg)
{
	run_events_part(arg);
}

/* --- the request --- */

static bool run_events_read_format(struct request *r, struct follow_options *ret)
{
	struct err e;
	struct str text;
	char       names[64] = "";
	size_t     n = 0;

	if (!request_query(r, "format", 0, &text))
		return true;
	ret->shape = family_format(ret->family, text);
	if (ret->shape)
		return true;
	for (const struct shape *s = ret->family->shapes; s->format && n < sizeof names; s++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "",
				      s->format);
	err_set(&e, ERR_INVALID_VALUE, "format", "must be one of: %s", names);
	reply_error(r, &e);
	return false;
}

/* read_cursor: the header has precedence, because an EventSource keeps its URL when it
 * reconnects. */
static bool read_cursor(struct request *r, struct follow_options *ret)
{
	struct str text = request_view(r)->head.last_event_id;

	if (text.n == 0 && !request_query(r, "after", 0, &text))
		return true;
	if (text.n == 0 || ret->family->cursor(text, &ret->cursor))
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of a block of this stream");
	return false;
}

void run_events_reply(struct request *r, struct follow_options *o)
{
	struct replay *x = calloc(1, sizeof *x);

	o->observer = &observer;
	if (x) {
		o->arg = x;
		x->request = r;
		x->resumed = o->cursor.seq > 0;
		x->follow = follow_start(o);
	}
	if (!x || !x->follow) {
		free(x);
		tape_release(o->tape);
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the stream");
		return;
	}
	request_on_left(r, run_events_client_left, x);
}

void run_events_get(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct live           live;
	struct follow_options o = {
		.loop = g->loop,
		.cpu = g->cpu,
		.store = g->store,
		.owner = request_owner(r),
		.family = request_family(r),
		.want_usage = true,
		.reasoning = g->now->run.reasoning,
	};

	if (!lookup_id(r, ID_RUN, "there is no such run", &o.run))
		return;
	if (!run_events_read_format(r, &o) || !read_cursor(r, &o))
		return;
	if (live_find(o.run, o.owner, &live)) {
		o.tape = live_tape(o.run, o.owner);
		o.model = arena_str(request_arena(r), str_of(live.model));
		o.created_ms = live.created_ms;
		if (!o.shape)
			o.shape = family_shape(o.family, str_of(live.shape->word));
	}
	run_events_reply(r, &o);
}
