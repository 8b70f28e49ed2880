/* The printing of an answer that has ended: for the store, and for the client of a plain call.  A
 * worker prints a long answer:
 *
 *   the provider's end --print_aside--> a worker --> run_finish, which finds the answer printed
 *
 * Before that, if the encoder of a stream has put long blocks off, a worker prints these blocks:
 *
 *   the provider's end --print_aside--> a worker --> the blocks for the client, print_aside again
 *   a failure --print_failed_aside--> a worker --> the blocks for the client, run_finish again
 *   a failure --print_failed_aside--> a worker --> the answer so far for the store, run_finish again
 *   the run's end --print_last_aside--> a worker --> the blocks for the client, feed_finish
 *
 * An answer for which the worker found no memory is printed once more by the function that needs
 * it. */
#include "base/limits.h"
#include "run/guard.h"

bool print_stored(struct run *r)
{
	struct buf *out = &r->jobs->end_answer;

	if (out->len > 0 || !answer_any(&r->kept.answer))
		return true;
	if (answer_close(&r->kept.answer) && answer_print(&r->kept.answer, out))
		return true;
	buf_clear(out); /* half an object is no JSON */
	return false;
}

static bool print_encoded(struct run *r, struct encoder_whole *whole)
{
	struct buf     *out = &r->feed.reader.out;
	struct encoder *n = r->feed.reader.encoder;

	whole->finish_reason = str_of(r->kept.finish_reason);
	whole->usage = &r->kept.usage;
	n->ended_s = r->ended_ms / 1000;
	bool ok = n->ops->whole(n, whole, out);
	if (!ok)
		buf_clear(out);
	return ok;
}

bool print_plain(struct run *r)
{
	struct encoder_whole whole = { .message = buf_view(&r->jobs->end_answer),
				       .lmc = r->kept.answer.lmc };

	return print_encoded(r, &whole);
}

bool print_whole(struct run *r)
{
	struct buf *out = &r->feed.reader.out;

	if (out->len > 0)
		return true;
	if (!answer_close(&r->kept.answer))
		return false;
	/* Vectors go through in the provider's own bytes, and are moved because they may be
	 * many. */
	if (r->given.embed && !r->feed.reader.encoder->vectors) {
		buf_finish(out);
		*out = r->kept.answer.raw;
		buf_init(&r->kept.answer.raw, 0);
		return true;
	}
	struct encoder_whole whole = answer_whole(&r->kept.answer);
	return print_encoded(r, &whole);
}

bool run_whole(struct run *r, struct buf *out)
{
	if (!print_whole(r))
		return false;
	buf_finish(out);
	*out = r->feed.reader.out;
	buf_init(&r->feed.reader.out, 0);
	return true;
}

static enum errc print_answer_aside(struct run *r, struct err *e)
{
	(void)e;
	if (run_stored(r))
		(void)!print_stored(r);
	if (!r->given.stream && print_whole(r))
		buf_finish(&r->kept.answer.raw);
	return ERR_OK;
}

static void on_answer_printed(struct run *r, struct err *e)
{
	(void)e;
	run_finish(r, NULL);
}

/* print_put_off: runs on a worker, before the answer is printed for the store, so that the client
 * gets these blocks without waiting for the store. */
static enum errc print_put_off(struct run *r, struct err *e)
{
	if (!reader_print_rest(&r->feed.reader))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the stream");
	return ERR_OK;
}

static bool print_aside(struct run *r);

static void put_off_printed(struct run *r, struct err *e)
{
	if (e->code == ERR_OK && !feed_join_rest(r))
		err_set(e, ERR_OVERLOADED, "", "no memory for the stream");
	if (e->code != ERR_OK)
		run_finish(r, e);
	else if (r->failure || !print_aside(r))
		run_finish(r, r->failure);
}

static void last_printed(struct run *r, struct err *e)
{
	if (e->code != ERR_OK || !feed_join_rest(r))
		run_fail(r, ERR_OVERLOADED, "no memory for the stream");
	feed_finish(r);
	run_free_if_over(r);
}

static bool print_rest_aside(struct run *r, void (*then)(struct run *r, struct err *e))
{
	return feed_rests(r) && r->engine->o.env.cpu && aside_submit(r, print_put_off, then);
}

bool print_last_aside(struct run *r, const struct run_ending *x)
{
	(void)x;
	return print_rest_aside(r, last_printed);
}

static enum errc print_stored_aside(struct run *r, struct err *e)
{
	(void)e;
	(void)!print_stored(r);
	return ERR_OK;
}

static void failed_printed(struct run *r, struct err *e)
{
	(void)e;
	run_finish(r, r->failure);
}

/* print_cut_aside: once a run: after a worker without memory, save_end prints the answer. */
static bool print_cut_aside(struct run *r)
{
	if (!run_stored(r) || r->jobs->cut_aside || !r->engine->o.env.cpu ||
	    r->kept.answer.bytes <= LIMIT_LOOP_JSON)
		return false;
	r->jobs->cut_aside = true;
	return aside_submit(r, print_stored_aside, failed_printed);
}

bool print_failed_aside(struct run *r, const struct run_ending *x)
{
	if (!x->e || !x->called)
		return false;
	/* Hooks come first: they may be what the end waits for longest. */
	if (guard_judges(r))
		return true;
	if (!print_rest_aside(r, put_off_printed) && !print_cut_aside(r))
		return false;
	call_drop(r);
	return true;
}

static bool print_aside(struct run *r)
{
	if (print_rest_aside(r, put_off_printed))
		return true;

	bool wanted = run_stored(r) ||
		      (!r->given.stream && (!r->given.embed || r->feed.reader.encoder->vectors));

	return wanted && r->engine->o.env.cpu &&
	       r->kept.answer.raw.len + r->kept.answer.bytes > LIMIT_LOOP_JSON &&
	       aside_submit(r, print_answer_aside, on_answer_printed);
}

bool print_whole_aside(struct run *r, const struct run_ending *x)
{
	(void)x;
	return print_aside(r);
}
