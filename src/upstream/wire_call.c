/* A call over a wire of our own: prints the request, sends it, and reads the answer.
 *
 *   opening --> sending and reading --> over: the wire is kept, or closed
 *      ^                |
 *      +--- a kept wire ends before a byte of the answer: once more on a fresh one
 *
 * Reading goes on while a long request is sent, because a server may refuse it in the middle; then it
 * does not read the rest, so the wire is closed. */
#include "base/limits.h"
#include "upstream/internal.h"

#include <stdlib.h>

/* Reads of one step; a provider that sends faster than we read must not keep the loop. */
enum { READS_A_STEP = 4 };

struct wire_call {
	struct wire_user      user;
	struct upstream_call *call;
	struct wire          *wire; /* NULL: none, while the call ends */
	struct http1          answer;
	struct buf            head; /* the request's head; freed when an answer has begun */
	struct str            body; /* the request's body, borrowed */
	size_t                sent; /* bytes of head and body */
	size_t                head_len;
	struct timer          soon;   /* reads what no event of the descriptor will tell */
	bool                  broken; /* the server takes no more of the request */
};

static struct loop *wire_call_loop(const struct wire_call *w)
{
	return w->call->pool->loop;
}

static bool wire_call_sent_all(const struct wire_call *w)
{
	return w->sent == w->head_len + w->body.n;
}

static void wire_call_drop(struct upstream_call *c)
{
	struct wire_call *w = TAKE(c->on_way);

	timer_stop(c->pool->loop, &w->soon);
	wire_destroy(w->wire);
	http1_finish(&w->answer);
	buf_finish(&w->head);
	free(w);
}

static void wire_call_fail(struct wire_call *w, const struct err *e)
{
	upstream_call_end(w->call, e);
}

/* --- the request --- */

static bool wire_call_print(struct wire_call *w, const struct upstream_ask *ask)
{
	const struct upstream_target *t = w->call->target;
	const char                   *path = (ask->url ? ask->url : t->url) + t->origin;
	struct buf                   *b = &w->head;

	buf_init(b, LIMIT_UPSTREAM_HEAD);
	bool ok = buf_text(b, t->get ? "GET " : "POST ") && (*path == '/' || buf_text(b, "/")) &&
		  buf_text(b, path) && buf_text(b, " HTTP/1.1\r\n") &&
		  buf_text(b, ask->stream ? t->stream_head : t->head);
	if (ok && ask->header)
		ok = buf_text(b, ask->header) && buf_text(b, "\r\n");
	if (ok && !t->get)
		ok = buf_text(b, "Content-Length: ") && buf_int(b, (int64_t)ask->body.n) &&
		     buf_text(b, "\r\n");
	return ok && buf_text(b, "\r\n");
}

/* wire_call_send: sends what the kernel takes. An end of the connection is found by reading, where an
 * answer that came before it is found too. */
static void wire_call_send(struct wire_call *w)
{
	while (!w->broken && !wire_call_sent_all(w)) {
		struct iovec iov[2];
		int          n = 0;
		size_t       in_body = w->sent > w->head_len ? w->sent - w->head_len : 0;

		if (w->sent < w->head_len)
			iov[n++] = (struct iovec){ w->head.data + w->sent, w->head_len - w->sent };
		if (w->body.n > in_body)
			iov[n++] = (struct iovec){ (void *)(uintptr_t)(w->body.p + in_body),
						   w->body.n - in_body };

		ssize_t took = wire_send(w->wire, iov, n);
		if (took == WIRE_LATER)
			break;
		w->broken = took < 0;
		w->sent += took > 0 ? (size_t)took : 0;
	}
	/* A broken wire has room for ever: a paused call that asked for it would never sleep. */
	if (!wire_want(w->wire, !w->call->paused, !w->broken && !wire_call_sent_all(w)))
		w->broken = true;
	if (w->broken)
		timer_start(wire_call_loop(w), &w->soon, 0);
}

/* --- the answer --- */

static struct upstream_head wire_call_head(const struct wire_call *w)
{
	return (struct upstream_head){
		.status = w->answer.status,
		.content_type = w->answer.content_type,
		.retry_after = w->answer.retry_after,
		.retry_after_ms = w->answer.retry_after_ms,
		.compressed = w->answer.compressed,
	};
}

/* wire_call_may_keep: whether the connection can carry another call, as far as this answer
 * says.  Bytes that came after it may be the answer to a later call, which another tenant may
 * have made. */
static bool wire_call_may_keep(const struct wire_call *w)
{
	if (!w->answer.keeps || !wire_call_sent_all(w))
		return false;
	if (w->answer.surplus)
		target_distrust(w->call->target, loop_now_us(wire_call_loop(w)));
	return !w->answer.surplus;
}

static void wire_call_over(struct wire_call *w)
{
	struct upstream_call *c = w->call;
	struct upstream_head  head = wire_call_head(w);
	struct err            e = { 0 };

	if (!upstream_call_give_head(c, &head))
		e = *c->err;
	else if (wire_call_may_keep(w))
		wire_keep_take(TAKE(w->wire));
	upstream_call_end(c, &e);
}

static bool wire_call_open(struct wire_call *w, bool fresh)
{
	w->wire = wire_open(w->call->pool, w->call->target, fresh, &w->user);
	return w->wire != NULL;
}

static void wire_call_again(struct wire_call *w)
{
	struct err e;

	wire_destroy(TAKE(w->wire));
	w->sent = 0;
	w->broken = false;
	if (wire_call_open(w, true))
		return;
	err_set(&e, ERR_OVERLOADED, NULL, "out of memory for a call to the provider");
	wire_call_fail(w, &e);
}

/* wire_call_ended: the server has closed the connection, or, where that is not clean, it broke: then
 * an answer without a length is not whole. */
static void wire_call_ended(struct wire_call *w, bool clean)
{
	struct upstream_call *c = w->call;
	struct err            e;

	if (!http1_begun(&w->answer) && wire_was_kept(w->wire) && upstream_call_again(c)) {
		wire_call_again(w);
	} else if (clean && http1_end(&w->answer)) {
		wire_call_over(w);
	} else {
		failure_cut(c->bytes > 0, "", &e);
		wire_call_fail(w, &e);
	}
}

static bool wire_call_too_long(const struct wire_call *w)
{
	return !w->call->stream && w->answer.counted && w->answer.length > LIMIT_UPSTREAM_BODY;
}

static void wire_call_wrong(struct wire_call *w)
{
	struct err e;

	if (w->answer.starved)
		err_set(&e, ERR_OVERLOADED, NULL, "no memory for the provider's answer");
	else
		failure_wrong(w->call->bytes > 0, w->answer.wrong, &e);
	wire_call_fail(w, &e);
}

/* wire_call_take: n bytes of the answer. False: the call has ended. */
static bool wire_call_take(struct wire_call *w, size_t n)
{
	struct upstream_call *c = w->call;
	struct str            body;
	bool                  ok = http1_feed(&w->answer, c->pool->room, n, &body);
	struct upstream_head  head = wire_call_head(w);
	struct err            e;

	if (wire_call_too_long(w)) {
		failure_length(&e);
		wire_call_fail(w, &e);
		return false;
	}
	if (!upstream_call_give(c, &head, body.p, body.n)) {
		e = *c->err;
		wire_call_fail(w, &e);
		return false;
	}
	if (!ok) {
		wire_call_wrong(w);
		return false;
	}
	if (http1_over(&w->answer)) {
		wire_call_over(w);
		return false;
	}
	if (wire_call_sent_all(w)) /* and not to be sent again */
		buf_finish(&w->head);
	return true;
}

static void wire_call_read(struct wire_call *w)
{
	size_t most = w->call->stream ? READ_OF_STREAM : READ_AT_ONCE;

	for (int i = 0; i < READS_A_STEP; i++) {
		bool    more;
		ssize_t n = wire_recv(w->wire, w->call->pool->room, most, &more);

		if (n == WIRE_LATER && !w->broken)
			return;
		if (n <= 0) {
			wire_call_ended(w, n == 0 && !w->broken);
			return;
		}
		if (!wire_call_take(w, (size_t)n))
			return;
		if (!more || w->call->paused)
			return;
	}
	timer_start(wire_call_loop(w), &w->soon, 0);
}

/* --- events --- */

static void wire_call_opened(struct wire_user *u, const struct err *e)
{
	struct wire_call *w = container_of(u, struct wire_call, user);

	if (e->code != ERR_OK)
		wire_call_fail(w, e);
	else
		wire_call_send(w);
}

static void wire_call_ready(struct wire_user *u, bool readable, bool writable)
{
	struct wire_call *w = container_of(u, struct wire_call, user);

	if (writable)
		wire_call_send(w);
	if (readable && !w->call->paused)
		wire_call_read(w);
}

static void wire_call_soon(struct timer *t)
{
	struct wire_call *w = container_of(t, struct wire_call, soon);

	if (!w->call->paused)
		wire_call_read(w);
}

static bool wire_call_start(struct upstream_call *c, const struct upstream_ask *ask)
{
	struct wire_call *w = calloc(1, sizeof *w);

	if (!w)
		return false;
	c->on_way = w;
	w->user = (struct wire_user){ wire_call_opened, wire_call_ready };
	w->call = c;
	w->soon.fn = wire_call_soon;
	w->body = c->target->get ? (struct str){ NULL, 0 } : ask->body;
	http1_init(&w->answer);
	if (!wire_call_print(w, ask))
		return false;
	w->head_len = w->head.len;
	/* A kept connection that its server has closed must not cost a call that can't be sent again. */
	if (!wire_call_open(w, !upstream_call_may_again(c)))
		return false;
	if (wire_stands(w->wire))
		wire_call_send(w);
	return true;
}

/* --- pause and release --- */

/* TLS may hold bytes of which no event tells, so a resumed call reads at once. */
static void wire_call_pause(struct upstream_call *c)
{
	struct wire_call *w = c->on_way;

	if (!w->wire || !wire_stands(w->wire))
		return;
	if (!wire_want(w->wire, !c->paused, !w->broken && !wire_call_sent_all(w)))
		w->broken = true;
	if (c->paused)
		timer_stop(c->pool->loop, &w->soon);
	else
		timer_start(c->pool->loop, &w->soon, 0);
}

static bool wire_call_sent(const struct upstream_call *c, size_t len)
{
	const struct wire_call *w = c->on_way;

	(void)len;
	return wire_call_sent_all(w);
}

static bool wire_call_lingers(const struct upstream_call *c)
{
	return !c->paused;
}

const struct upstream_way wire_call_way = {
	.start = wire_call_start,
	.drop = wire_call_drop,
	.pause = wire_call_pause,
	.sent = wire_call_sent,
	.lingers = wire_call_lingers,
};
