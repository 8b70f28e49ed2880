/* The parts that both ways of a call share: deadlines, the hand-over of the answer, the end. */
#include "upstream/upstream.h"

#include "base/limits.h"
#include "upstream/internal.h"

#include <stdlib.h>

/* The time for a released call to end by itself, before its connection is closed. */
enum { LINGER_US = 200 * 1000 };

/* Within this time after its start, the end of a call means that an idle connection was closed.
 * Later, the provider may have worked on the call. */
enum { AGAIN_US = 1000 * 1000 };

static struct loop *loop_of(const struct upstream_call *c)
{
	return c->pool->loop;
}

/* --- the end --- */

/* Everything is freed before `done`, because `done` may free the owner's memory. */
void upstream_call_end(struct upstream_call *c, const struct err *why)
{
	struct upstream_callbacks cb = c->cb;
	void                     *arg = c->arg;
	bool                      silent = c->released || !why;
	struct err                e = why ? *why : (struct err){ 0 };

	if (c->on_way)
		c->way->drop(c);
	timer_stop(loop_of(c), &c->timer);
	list_take_out(&c->link);
	upstream_target_destroy(c->target);
	buf_finish(&c->body);
	err_drop(&c->err);
	free(c);
	if (!silent)
		cb.done(arg, &e);
}

void upstream_cancel(struct upstream_call *c)
{
	upstream_call_end(c, NULL);
}

/* --- deadlines --- */

struct deadline {
	int64_t     at_us; /* INT64_MAX: none */
	enum errc   code;
	const char *text;
};

static struct deadline next_deadline(const struct upstream_call *c)
{
	struct deadline d = { INT64_MAX, ERR_TOTAL_TIMEOUT,
			      "the provider did not finish within the total time limit" };

	if (c->limits.total_us > 0)
		d.at_us = c->start_us + c->limits.total_us;
	if (c->paused)
		return d;

	bool    begun = c->bytes > 0;
	int64_t limit_us = begun ? c->limits.idle_us : c->limits.first_byte_us;
	int64_t at_us = (begun ? c->last_us : c->start_us) + limit_us;
	if (limit_us <= 0 || at_us >= d.at_us)
		return d;
	if (begun)
		return (struct deadline){
			at_us, ERR_IDLE_TIMEOUT,
			"the provider fell silent for longer than the idle time limit"
		};
	return (struct deadline){ at_us, ERR_FIRST_BYTE_TIMEOUT,
				  "the provider sent nothing within the first-byte time limit" };
}

/* Moves the timer only to an earlier time. A later deadline is found when the timer fires. */
static void deadline_arm(struct upstream_call *c)
{
	int64_t at_us = next_deadline(c).at_us;

	if (at_us == INT64_MAX || (timer_running(&c->timer) && c->timer.at_us <= at_us))
		return;

	int64_t after_us = at_us - loop_now_us(loop_of(c));
	timer_start(loop_of(c), &c->timer, after_us > 0 ? after_us : 0);
}

static void on_deadline(struct timer *t)
{
	struct upstream_call *c = container_of(t, struct upstream_call, timer);
	struct deadline       d = next_deadline(c);
	struct err            e;

	if (d.at_us > loop_now_us(loop_of(c))) {
		deadline_arm(c);
		return;
	}
	err_set(&e, d.code, NULL, "%s", d.text);
	upstream_call_end(c, &e);
}

/* --- the answer --- */

static bool upstream_refuse(struct upstream_call *c, const struct err *e)
{
	err_keep(&c->err, e);
	return false;
}

/* Retry-After is a number of seconds, or a date (RFC 9110, section 10.2.3). */
static int64_t upstream_retry_after_ms(const struct upstream_head *h)
{
	const int64_t max_ms = (int64_t)24 * 3600 * 1000;
	const char   *ms = h->retry_after_ms;
	const char   *text = h->retry_after;
	double        after = 0;

	if (ms && ms[0] >= '0' && ms[0] <= '9')
		after = strtod(ms, NULL);
	else if (text && text[0] >= '0' && text[0] <= '9')
		after = strtod(text, NULL) * 1000;
	else if (text && text[0])
		after = difftime(curl_getdate(text, NULL), time(NULL)) * 1000;
	if (after <= 0)
		return 0;
	return after < (double)max_ms ? (int64_t)after : max_ms;
}

bool upstream_call_give_head(struct upstream_call *c, const struct upstream_head *head)
{
	struct err e;

	if (c->head_given || c->released)
		return true;
	c->head_given = true;
	if (head->compressed) {
		err_set(&e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider compressed its answer, which it was not asked for");
		return upstream_refuse(c, &e);
	}
	c->cb.head(c->arg, head->status, head->content_type, upstream_retry_after_ms(head));
	return true;
}

bool upstream_call_give(struct upstream_call *c, const struct upstream_head *head,
			const char *bytes, size_t n)
{
	bool       first = c->bytes == 0;
	struct err e;

	if (c->released || n == 0)
		return true;
	c->last_us = loop_now_us(loop_of(c));
	c->bytes += n;
	if (first)
		deadline_arm(c);
	if (!upstream_call_give_head(c, head))
		return false;
	if (!c->stream && c->bytes > LIMIT_UPSTREAM_BODY) {
		failure_length(&e);
		return upstream_refuse(c, &e);
	}
	if (c->cb.data(c->arg, bytes, n))
		return true;
	err_set(&e, ERR_CANCELLED, NULL, "the call was ended by its owner");
	return upstream_refuse(c, &e);
}

bool upstream_call_switch(struct upstream_call *c, const struct upstream_way *way,
			  const struct upstream_ask *ask)
{
	struct err e;

	c->way->drop(c);
	c->way = way;
	if (way->start(c, ask))
		return true;
	err_set(&e, ERR_OVERLOADED, NULL, "out of memory for a call to the provider");
	upstream_call_end(c, &e);
	return false;
}

bool upstream_call_may_again(const struct upstream_call *c)
{
	return !c->again && !c->released && !c->err && c->bytes == 0 &&
	       loop_now_us(loop_of(c)) - c->start_us <= AGAIN_US;
}

bool upstream_call_again(struct upstream_call *c)
{
	bool again = upstream_call_may_again(c);

	c->again = true;
	return again;
}

/* --- the start --- */

/* libcurl's client has the calls that HTTP/2 serves, and those to an http server through a proxy, which have
 * another request line, and the proxy's password. */
static const struct upstream_way *way_of(const struct upstream_target *t,
					 const struct upstream_ask *ask, int64_t now_us)
{
	bool shares = target_offers_http2(t, now_us) && !ask->stream;

	CHECK(!ask->url || strncmp(ask->url, t->url, t->origin) == 0);
	return shares || (t->proxy && !t->tls) ? &curl_call_way : &wire_call_way;
}

enum errc upstream_start(struct upstream_pool *pool, const struct upstream_target *target,
			 const struct upstream_ask *ask, const struct upstream_limits *limits,
			 const struct upstream_callbacks *cb, void *arg, struct upstream_call **ret,
			 struct err *e)
{
	struct upstream_call *c = calloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	*c = (struct upstream_call){
		.way = way_of(target, ask, loop_now_us(pool->loop)),
		.pool = pool,
		.target = target_ref(target),
		.cb = *cb,
		.arg = arg,
		.limits = *limits,
		.timer = { .fn = on_deadline },
		.start_us = loop_now_us(pool->loop),
		.stream = ask->stream,
	};
	list_put_front(&pool->calls, &c->link);
	if (!c->way->start(c, ask)) {
		upstream_call_end(c, NULL);
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory for a call to the provider");
	}
	deadline_arm(c);
	*ret = c;
	return ERR_OK;
}

/* --- pause and release --- */

bool upstream_sent(const struct upstream_call *c, size_t len)
{
	return c->way->sent(c, len);
}

void upstream_pause(struct upstream_call *c, bool pause)
{
	if (c->paused == pause)
		return;
	c->paused = pause;
	if (!pause) {
		c->last_us = loop_now_us(loop_of(c));
		deadline_arm(c);
	}
	c->way->pause(c);
}

static void on_linger_end(struct timer *t)
{
	upstream_call_end(container_of(t, struct upstream_call, timer), NULL);
}

void upstream_release_take(struct upstream_call *c, struct buf *body)
{
	c->released = true;
	c->body = *body;
	*body = (struct buf){ .max = body->max };
	if (!c->way->lingers(c)) {
		upstream_cancel(c);
		return;
	}
	c->timer.fn = on_linger_end;
	timer_start(loop_of(c), &c->timer, LINGER_US);
}
