/* Keeps of each event what the end of the run stores or answers with. */
#include "run/internal.h"

#include <errno.h>

static void keep_finish(struct run *r, const struct event *ev)
{
	/* A longer word is none of OpenAI's, and is left out: a word that was cut inside an escape
	 * would break the JSON around it. */
	if (ev->choice != 0 || r->kept.finish_reason[0] ||
	    ev->text.n >= sizeof r->kept.finish_reason)
		return;
	str_copy(r->kept.finish_reason, sizeof r->kept.finish_reason, ev->text);
	if (ev->name.n < sizeof r->kept.native_reason)
		str_copy(r->kept.native_reason, sizeof r->kept.native_reason, ev->name);
}

static bool keep_raw(struct run *r, const struct event *ev)
{
	errno = 0;
	return answer_raw(&r->kept.answer, ev);
}

/* keeps_answer: a plain answer in the provider's own bytes needs no second copy, unless it is
 * stored.  Only that to a prompt comes as text instead of a message. */
static bool keeps_answer(const struct run *r, const struct event *ev)
{
	if (r->given.store || r->content || r->computer || cache_is_hit(r))
		return true;
	if (r->given.stream ||
	    (ev->kind != EVENT_MESSAGE && ev->kind != EVENT_LMC && ev->kind != EVENT_TEXT))
		return false;
	return !(r->feed.reader.encoder->raws & 1u << ev->form && (ev->raw.n > 0 || ev->cont));
}

/* keep_take: false: the answer is over a limit, or memory is short. */
static bool keep_take(struct run *r, const struct event *ev)
{
	if (!r->given.stream && ev->raw.n > 0 && !ev->cont && !keep_raw(r, ev))
		return false;
	if (ev->kind == EVENT_USAGE)
		r->kept.usage = ev->usage;
	else if (ev->kind == EVENT_FINISH)
		keep_finish(r, ev);
	if (!keeps_answer(r, ev))
		return true;
	errno = 0;
	return answer_add(&r->kept.answer, ev);
}

bool keep_again(struct run *r, const struct event *ev)
{
	errno = 0;
	return answer_add(&r->kept.answer, ev);
}

void keep_usage(struct run *r, const struct usage *u)
{
	r->kept.usage = *u;
}

/* keep_stops: the events of an attempt that is not committed were dropped, but the usage that it has
 * reported counts. */
bool keep_stops(struct run *r, const struct run_ending *x)
{
	(void)x;
	if (!r->kept.usage.known && r->attempt.told.known)
		r->kept.usage = r->attempt.told;
	return false;
}

static void keep_event(struct run *r, const struct event *ev)
{
	if (ev->pass == PASS_PRINT || keep_take(r, ev))
		run_pass(r, STAGE_KEEP, ev);
	else
		run_overflow(r);
}

static bool keep_cut(struct run *r)
{
	bool held = tape_uncommitted(r->journal.tape).n > 0;

	if (held)
		buf_clear(&r->kept.answer.raw);
	return held;
}

static void keep_save(struct run *r, struct run_end *x)
{
	bool cancelled = r->outcome == RUN_CANCELLED;

	x->turn.finish_reason = str_of(cancelled ? "" : r->kept.finish_reason);
	x->turn.native_reason = str_of(cancelled ? "" : r->kept.native_reason);
	x->turn.usage = r->kept.usage;
}

const struct stage keep_stage = {
	.name = "keep",
	.event = keep_event,
	.cut = keep_cut,
	.save = keep_save,
};
