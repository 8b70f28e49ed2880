/* Gathers the events of an answer for the cache, as the provider has sent them: whatever later stages make of
 * them, they make it of a kept answer, too. */
#include "base/limits.h"
#include "msg/event_code.h"
#include "run/cache.h"

static bool remember_wanted(const struct run *r)
{
	return r->rq->manner.cache.asked && !r->computer && !r->given.embed;
}

bool cache_ends_well(struct str reason)
{
	return str_is(reason, "stop") || str_is(reason, "tool_calls");
}

static void remember_take(struct run_cache *c, const struct event *ev)
{
	if (ev->kind == EVENT_FINISH)
		c->finished = c->records = cache_ends_well(ev->text);
	if (c->records && event_encode(ev, 0, &c->events))
		return;
	c->records = false;
	buf_finish(&c->events);
}

static void remember_event(struct run *r, const struct event *ev)
{
	struct run_cache *c = cache_of(r);

	if (c && c->records && ev->pass != PASS_PRINT)
		remember_take(c, ev);
	run_pass(r, STAGE_REMEMBER, ev);
}

static void remember_flush(struct run *r)
{
	struct run_cache *c = cache_of(r);

	if (c)
		c->whole = c->records && c->finished;
}

/* remember_cut: a further attempt begins with nothing. */
static bool remember_cut(struct run *r)
{
	struct run_cache *c = cache_of(r);

	if (c && !c->whole)
		buf_clear(&c->events);
	if (c)
		c->finished = false;
	return false;
}

const struct stage remember_stage = {
	.name = "remember",
	.wanted = remember_wanted,
	.event = remember_event,
	.flush = remember_flush,
	.cut = remember_cut,
	.drop = cache_drop,
};
