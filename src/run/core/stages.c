/* The table of the stages, and what the core lets all of them do. */
#include "base/buf.h"
#include "run/internal.h"

#include <stdlib.h>

#define STAGE(place, stem) &stem##_stage,
const struct stage *const run_stages[STAGE__COUNT] = {
#include "run/stage.def"
};
#undef STAGE

_Static_assert(STAGE__COUNT <= 16, "the bits of struct stage_set");

/* EACH_STAGE: the wanted stages that have this member, in their order. */
#define EACH_STAGE(s, r, part)                              \
	for (unsigned left_ = run_stages_with((r), (part)); \
	     left_ && ((s) = run_stages[stage_lowest(left_)], true); left_ &= left_ - 1)

void run_stages_table(uint16_t ret[STAGE_PART__COUNT])
{
	for (unsigned i = 0; i < STAGE__COUNT; i++) {
		const struct stage *s = run_stages[i];
		const bool          has[STAGE_PART__COUNT] = {
				 [STAGE_PART_WANTED] = s->wanted,
				 [STAGE_PART_START] = s->start,
				 [STAGE_PART_PREPARED] = s->prepared,
				 [STAGE_PART_BEGUN] = s->begun,
				 [STAGE_PART_ASKS] = s->asks,
				 [STAGE_PART_GOES_ON] = s->goes_on,
				 [STAGE_PART_FLUSH] = s->flush,
				 [STAGE_PART_CUT] = s->cut,
				 [STAGE_PART_OVER] = s->over,
				 [STAGE_PART_MORE] = s->more,
				 [STAGE_PART_DRAIN] = s->drain,
				 [STAGE_PART_NEWS] = s->news,
				 [STAGE_PART_LOGGED] = s->logged,
				 [STAGE_PART_PAUSE] = s->pause,
				 [STAGE_PART_END] = s->end,
				 [STAGE_PART_BEGIN] = s->begin,
				 [STAGE_PART_SAVE] = s->save,
				 [STAGE_PART_SAVED] = s->saved,
				 [STAGE_PART_TOUCHES] = s->touches_text,
		};

		for (unsigned part = 0; part < STAGE_PART__COUNT; part++)
			ret[part] |= (uint16_t)((unsigned)has[part] << i);
	}
}

void run_stages_choose(struct run *r)
{
	const struct stage *s;

	r->stages.wanted = (uint16_t)((1u << STAGE__COUNT) - 1);
	EACH_STAGE(s, r, STAGE_PART_WANTED)
	if (!s->wanted(r))
		r->stages.wanted &= (uint16_t) ~(left_ & -left_);
}

void run_stages_leave(struct run *r, unsigned at)
{
	r->stages.wanted &= (uint16_t) ~(1u << at);
}

struct stage_own {
	struct stage_own *next;
	unsigned          at;
	max_align_t       own[];
};

void *run_stage_has(const struct run *r, unsigned at)
{
	struct stage_own *o = r->stages.own;

	while (o && o->at != at)
		o = o->next;
	return o ? o->own : NULL;
}

void *run_stage_own(struct run *r, unsigned at, size_t size)
{
	void             *own = run_stage_has(r, at);
	struct stage_own *o;

	if (own || !(o = calloc(1, sizeof *o + size)))
		return own;
	o->at = at;
	o->next = r->stages.own;
	r->stages.own = o;
	return o->own;
}

void run_stages_drop(struct run *r)
{
	while (r->stages.own) {
		struct stage_own *o = r->stages.own;

		r->stages.own = o->next;
		if (run_stages[o->at]->drop)
			run_stages[o->at]->drop(o->own);
		free(o);
	}
}

void run_enter(struct run *r, const struct event *ev)
{
	if (!r->aborting)
		run_stages[stage_lowest(r->stages.wanted)]->event(r, ev);
}

void run_overflow(struct run *r)
{
	if (buf_starved())
		run_abort_later(r, ERR_OVERLOADED, "no memory for the answer");
	else
		run_abort_later(r, ERR_UPSTREAM_BAD_RESPONSE,
				"the answer is over the size that is kept");
}

static bool ends_in(struct str s, struct str tail)
{
	return s.n > tail.n && memcmp(s.p + s.n - tail.n, tail.p, tail.n) == 0;
}

/* is_flag: whether an LMC chunk only opens or ends a segment.  Dialects print the flag as the last
 * member. */
static bool is_flag(struct str chunk)
{
	return ends_in(chunk, STR(",\"start\":true}")) || ends_in(chunk, STR(",\"end\":true}"));
}

bool run_is_content(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_MEDIA:
	case EVENT_MESSAGE: return !ev->hollow;
	case EVENT_LMC: return !is_flag(ev->text);
	case EVENT_OTHER: return ev->block > 0;
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_ASKED:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return false;
}

/* run_stages_start: when the job of a stage that has parked the run is back, the step is taken again
 * for the stages that follow. */
enum step_next run_stages_start(struct run *r, struct err *e)
{
	unsigned left;

	while ((left = run_stages_with(r, STAGE_PART_START) & ~(unsigned)r->stages.started) != 0) {
		unsigned i = stage_lowest(left);

		r->stages.started |= (uint16_t)(1u << i);
		enum step_next next = run_stages[i]->start(r, e);
		if (next != STEP_MORE)
			return next == STEP_PARKED ? STEP_AGAIN : next;
	}
	return STEP_MORE;
}

void run_stages_again(struct run *r)
{
	r->stages.started = 0;
}

void run_stages_prepared(struct run *r)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_PREPARED)
	s->prepared(r);
}

void run_stages_begun(struct run *r)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_BEGUN)
	s->begun(r);
}

enum errc run_stages_asks(struct run *r, struct err *e)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_ASKS)
	if (s->asks(r, e) != ERR_OK)
		return e->code;
	return ERR_OK;
}

bool run_stages_go_on(struct run *r, const struct err *e)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_GOES_ON)
	if (s->goes_on(r, e))
		return true;
	return false;
}

void run_stages_flush(struct run *r)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_FLUSH)
	if (!r->aborting)
		s->flush(r);
}

bool run_stages_cut(struct run *r)
{
	const struct stage *s;
	bool                held = false;

	EACH_STAGE(s, r, STAGE_PART_CUT)
	held |= s->cut(r);
	return held;
}

void run_stages_over(struct run *r, struct attempt_end *x)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_OVER)
	s->over(r, x);
}

void run_stages_news(struct run *r, bool at_once)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_NEWS)
	s->news(r, at_once);
}

void run_stages_drain(struct run *r, enum drain_then then)
{
	const struct stage *s;

	r->stages.then = (uint8_t)then;
	EACH_STAGE(s, r, STAGE_PART_DRAIN)
	if (s->drain(r))
		return;
	r->stages.then = DRAIN_NOT;
	call_drained(r, then);
}

void run_stages_drained(struct run *r)
{
	enum drain_then then = (enum drain_then)r->stages.then;

	if (then != DRAIN_NOT)
		run_stages_drain(r, then);
}

bool run_stages_more(struct run *r)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_MORE)
	if (s->more(r))
		return true;
	return false;
}

bool run_stages_logged(struct run *r)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_LOGGED)
	if (s->logged(r))
		return true;
	return false;
}

void run_stages_pause(struct run *r, bool pause)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_PAUSE)
	s->pause(r, pause);
}

void run_stages_end(struct run *r, const struct err *e)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_END)
	s->end(r, e);
}

void run_stages_begin(const struct run *r, struct turn_begin *t)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_BEGIN)
	s->begin(r, t);
}

void run_stages_save(struct run *r, struct run_end *x)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_SAVE)
	s->save(r, x);
}

void run_stages_saved(struct run *r, const struct run_end *x)
{
	const struct stage *s;

	EACH_STAGE(s, r, STAGE_PART_SAVED)
	s->saved(r, x);
}
