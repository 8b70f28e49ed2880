/* What an answer that has ended is printed as: for the store, and for the client of a plain call.
 * A long one is printed by a worker:
 *
 *   the provider's end --print_aside--> a worker --> run_finish, which finds it printed
 *
 * What could not be printed there, for want of memory, is tried once more by who needs it. */
#include "base/limits.h"
#include "run/internal.h"

bool print_stored(struct run *r)
{
	struct buf *out = &r->jobs->end_answer;

	if (out->len > 0 || !answer_any(&r->answer))
		return true;
	if (answer_close(&r->answer) && answer_print(&r->answer, out))
		return true;
	buf_clear(out); /* half of it would be no JSON */
	return false;
}

bool print_whole(struct run *r)
{
	struct buf *out = &r->feed.out;

	if (out->len > 0)
		return true;
	if (!answer_close(&r->answer))
		return false;
	/* Vectors go through as they came, and there may be many. */
	if (r->rq.prompt.embed) {
		buf_finish(out);
		*out = r->answer.raw;
		buf_init(&r->answer.raw, 0);
		return true;
	}
	struct encoder_whole whole = answer_whole(&r->answer);
	whole.finish_reason = str_of(r->finish_reason);
	whole.usage = &r->usage;
	bool ok = r->feed.encoder->ops->whole(r->feed.encoder, &whole, out);
	if (!ok)
		buf_clear(out);
	return ok;
}

bool run_whole(struct run *r, struct buf *out)
{
	if (!print_whole(r))
		return false;
	buf_finish(out);
	*out = r->feed.out;
	buf_init(&r->feed.out, 0);
	return true;
}

static enum errc print_answer_aside(struct run *r, struct err *e)
{
	(void)e;
	if (run_stored(r))
		(void)!print_stored(r);
	if (!r->rq.prompt.stream && print_whole(r))
		buf_finish(&r->answer.raw);
	return ERR_OK;
}

static void printed(struct run *r, struct err *e)
{
	(void)e;
	run_finish(r, NULL);
}

bool print_aside(struct run *r)
{
	bool wanted = run_stored(r) || (!r->rq.prompt.stream && !r->rq.prompt.embed);

	return wanted && r->engine->o.env.cpu &&
	       r->answer.raw.len + r->answer.bytes > LIMIT_LOOP_JSON &&
	       aside_submit(r, print_answer_aside, printed);
}
