/* The state of a run: its moves in the graph that run.h draws, and what all files ask of it. */
#include "run/computer.h"
#include "run/internal.h"
#include "store/conversation.h"

#define TO(s) (1u << STATE_##s)
static const struct {
	const char *name;
	unsigned    next;
} state_graph[STATE__COUNT] = {
	[STATE_LOADING] = { "loading",
			    TO(BEGINNING) | TO(CALLING) | TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_BEGINNING] = { "beginning", TO(CALLING) | TO(RECORDING) | TO(ENDED) },
	[STATE_CALLING] = { "calling", TO(STREAMING) | TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_STREAMING] = { "streaming", TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_RECORDING] = { "recording", TO(EXECUTING) | TO(CALLING) | TO(ENDING) | TO(ENDED) },
	[STATE_EXECUTING] = { "executing", TO(RECORDING) | TO(ENDING) | TO(ENDED) },
	[STATE_ENDING] = { "ending", TO(ENDED) },
	[STATE_ENDED] = { "ended", 0 },
};
#undef TO

void run_move(struct run *r, enum run_state to)
{
	CHECK(state_graph[r->state].next & (1u << to));
	r->state = to;
	if (to != STATE_CALLING && to != STATE_RECORDING)
		return;
	r->dispatched = true;
	if (r->live)
		live_set_status(r->live, RUN_RUNNING);
}

void run_hold(struct run *r)
{
	r->jobs_out++;
}

void run_release(struct run *r)
{
	CHECK(r->jobs_out > 0);
	r->jobs_out--;
}

void run_set_failure(struct run *r, const struct err *e)
{
	err_keep(&r->failure, e);
}

void run_fail(struct run *r, enum errc code, const char *text)
{
	struct err e;

	err_set(&e, code, "", "%s", text);
	run_set_failure(r, &e);
}

int64_t run_cost(const struct run *r)
{
	return r->computer ? money_add(r->bill.nano, r->computer->booked_nano) : r->bill.nano;
}
