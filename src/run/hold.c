/* What an attempt says before it answers, held back: an attempt that fails by then was never there.
 * Events borrow their bytes, so they are copied, in the log's form. */
#include "msg/event_code.h"
#include "run/internal.h"

bool hold_event(struct run *r, const struct event *ev)
{
	struct attempt *a = &r->attempt;

	if (!event_encode(ev, 1, &a->held))
		return false;
	if (ev->kind == EVENT_USAGE)
		a->told = ev->usage;
	return true;
}

void hold_let_out(struct run *r, void (*take)(struct run *r, const struct event *ev))
{
	struct buf   held = r->attempt.held;
	struct str   rest = buf_view(&held);
	struct event ev;
	uint64_t     seq;

	buf_init(&r->attempt.held, held.max);
	while (!r->aborting && event_decode(&rest, &ev, &seq))
		take(r, &ev);
	if (rest.n > 0)
		run_abort_later(r, ERR_INTERNAL, "an event that was held back can't be read");
	buf_finish(&held);
}

void hold_drop(struct run *r)
{
	buf_finish(&r->attempt.held);
}
