/* A stream that ends with its client, its key or the gateway.  The feed keeps what waits: here are at
 * most LOW bytes and a state more. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "base/money.h"
#include "desk/live.h"
#include "desk/live_feed.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/stream.h"
#include "routes/kit/gateway.h"
#include "shape/encoders.h"

#include <stdlib.h>

enum {
	LOW = 64 * KIB,
	BLOCK = 8 * KIB,        /* one state, printed */
	CHECK_US = 1000 * 1000, /* how long a revoked key still reads */
};

struct watcher {
	struct gateway        *gateway;
	struct stream         *stream;
	struct identity       *who;   /* held */
	const struct snapshot *began; /* only to be compared */
	struct live_feed       feed;
	struct buf             out;
	struct timer           check;
	bool                   last;
};

/* --- the blocks --- */

static bool runs_live_word(struct buf *out, const char *key, const char *escaped)
{
	return escaped[0] ? buf_fmt(out, ",\"%s\":\"%s\"", key, escaped)
			  : buf_fmt(out, ",\"%s\":null", key);
}

static bool runs_live_text(struct buf *out, const char *key, const char *text)
{
	return buf_fmt(out, ",\"%s\":", key) && buf_json_string(out, str_of(text));
}

static bool runs_live_time(struct buf *out, const char *key, int64_t ms)
{
	return ms > 0 ? buf_fmt(out, ",\"%s\":%lld", key, (long long)(ms / 1000))
		      : buf_fmt(out, ",\"%s\":null", key);
}

static bool runs_live_sums(struct buf *out, const struct live_end *end)
{
	const struct usage *u = &end->usage;
	char                text[MONEY_TEXT];

	return buf_text(out, ",\"usage\":") &&
	       (u->known || u->estimated ? chunk_usage(u, out) : buf_text(out, "null")) &&
	       runs_live_word(out, "usage_source",
			      u->known       ? "provider"
			      : u->estimated ? "estimated"
					     : "") &&
	       runs_live_word(out, "cost", end->costs ? money_print(end->cost_nano, text) : "");
}

static bool runs_live_key(struct buf *out, const struct live_state *s)
{
	if (!s->key[0])
		return buf_text(out, ",\"key\":null");
	return buf_text(out, ",\"key\":{\"id\":") && buf_json_string(out, str_of(s->key)) &&
	       buf_text(out, "}");
}

static bool runs_live_print(struct buf *out, const struct live_state *s, bool keyed)
{
	bool stored = !id_none(s->conversation);
	char id[ID_MAX];
	char conversation[ID_MAX] = "";

	if (stored)
		id_text(s->conversation, ID_CONVERSATION, conversation);
	return buf_text(out, "data: {\"object\":\"run\",\"id\":\"") &&
	       buf_str(out, id_text(s->id, ID_RUN, id)) &&
	       buf_fmt(out, "\",\"stored\":%s,\"status\":\"%s\"", stored ? "true" : "false",
		       run_status_name(s->status)) &&
	       runs_live_word(out, "conversation", conversation) &&
	       runs_live_text(out, "model", s->model) &&
	       runs_live_text(out, "provider", s->provider) &&
	       runs_live_time(out, "created_at", s->created_ms) &&
	       runs_live_time(out, "first_token_at", s->first_token_ms) &&
	       runs_live_time(out, "completed_at", s->end.completed_ms) &&
	       runs_live_word(out, "finish_reason", s->end.finish_reason) &&
	       runs_live_sums(out, &s->end) && runs_live_word(out, "error_code", s->end.code) &&
	       buf_fmt(out, ",\"attempts\":%u", s->attempts) && (!keyed || runs_live_key(out, s)) &&
	       buf_text(out, "}\n\n");
}

static void runs_live_finish(struct watcher *x, const struct err *e)
{
	bool ok = e ? buf_text(&x->out, "event: error\ndata: ") && err_body(e, STR_NONE, &x->out) &&
				  buf_text(&x->out, "\n")
		    : buf_text(&x->out, "event: done\ndata: [DONE]\n\n");

	(void)ok; /* without memory, the stream just ends */
	x->last = true;
}

/* --- the stream --- */

/* runs_live_fill: prints what is pending, as far as there is room. */
static void runs_live_fill(struct watcher *x)
{
	struct live_state s;
	struct err        e;

	while (!x->last && x->out.len < LOW) {
		size_t before = x->out.len;
		bool   ok = true;

		switch (live_feed_take(&x->feed, &s)) {
		case LIVE_FEED_STATE: ok = runs_live_print(&x->out, &s, x->feed.all); break;
		case LIVE_FEED_READY:
			ok = buf_text(&x->out, "data: {\"object\":\"ready\"}\n\n");
			break;
		case LIVE_FEED_NOTHING: return;
		case LIVE_FEED_LOST:
			err_set(&e, ERR_OVERLOADED, "",
				"this client reads too slowly: states of runs are lost; connect again");
			runs_live_finish(x, &e);
			break;
		case LIVE_FEED_DRAINED: runs_live_finish(x, NULL); break;
		}
		if (ok)
			continue;
		x->out.len = before;
		err_no_memory(&e);
		runs_live_finish(x, &e);
	}
}

static struct str runs_live_ready(void *arg, bool *ret_last)
{
	struct watcher *x = arg;

	*ret_last = x->last;
	return buf_view(&x->out);
}

static void runs_live_taken(void *arg, size_t n)
{
	struct watcher *x = arg;

	buf_take_front(&x->out, n);
	runs_live_fill(x);
}

static void runs_live_over(void *arg, bool whole)
{
	struct watcher *x = arg;

	(void)whole;
	timer_stop(x->gateway->loop, &x->check);
	live_feed_stop(&x->feed);
}

static const struct stream_source runs_live_source = { runs_live_ready, runs_live_taken,
						       runs_live_over, NULL };

static void runs_live_on_news(struct live_feed *f)
{
	struct watcher *x = container_of(f, struct watcher, feed);

	runs_live_fill(x);
	stream_wake(x->stream);
}

static void runs_live_gone(struct live_feed *f)
{
	struct watcher *x = container_of(f, struct watcher, feed);

	identity_release(x->who);
	buf_finish(&x->out);
	free(x);
}

/* runs_live_on_check: a stream without an end must not outlive the right to read it. */
static void runs_live_on_check(struct timer *t)
{
	struct watcher *x = container_of(t, struct watcher, check);
	struct err      e;

	if (x->last)
		return;
	timer_start(x->gateway->loop, t, CHECK_US);
	if (!gateway_allows(x->gateway, x->who, x->feed.all ? SCOPE_ADMIN : SCOPE_READ)) {
		err_set(&e, ERR_INVALID_API_KEY, "", "the API key is not valid any more");
		runs_live_finish(x, &e);
	} else if (x->who->number == 0 && x->gateway->now != x->began) {
		runs_live_finish(
			x, NULL); /* who connects again is looked at in the new configuration */
	} else {
		return;
	}
	stream_wake(x->stream);
}

static void runs_live_start(struct request *r, struct gateway *g, bool all)
{
	struct watcher *x;
	struct err      e;

	x = calloc(1, sizeof *x);
	if (!x) {
		err_no_memory(&e);
		reply_error(r, &e);
		return;
	}
	x->gateway = g;
	x->who = identity_hold(request_view(r)->by.who);
	x->began = g->now;
	x->feed = (struct live_feed){ .loop = g->loop,
				      .all = all,
				      .owner = request_owner(r),
				      .each = live_each,
				      .fn = runs_live_on_news,
				      .gone = runs_live_gone };
	x->check.fn = runs_live_on_check;
	buf_init(&x->out, LOW + BLOCK);
	if (live_feed_start(&x->feed, &e) != ERR_OK) {
		reply_error(r, &e);
		runs_live_gone(&x->feed);
		return;
	}
	x->stream = stream_open(r, &runs_live_source, x);
	if (!x->stream) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the stream");
		live_feed_stop(&x->feed);
		return;
	}
	timer_start(g->loop, &x->check, CHECK_US);
}

void runs_live_get(struct request *r, void *app)
{
	runs_live_start(r, app, false);
}

void runs_live_admin_get(struct request *r, void *app)
{
	runs_live_start(r, app, true);
}
