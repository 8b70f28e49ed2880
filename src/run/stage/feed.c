/* The reader of the first client.  This reader is nearly always at the head of the run's tape, and
 * then prints each event as it comes, with the provider's own bytes.  An event that the client may
 * not see yet is read from the tape later.  This file also decides how much may wait for the client
 * before the provider is paused, and when the client is woken. */
#include "base/limits.h"
#include "base/log.h"
#include "run/computer.h"
#include "run/internal.h"

/* may_look: whether the client may see this event already.  After a crash, no number that a client
 * has seen may come again, and no retry of an idempotency key may make a second answer; in strict
 * mode, the log must have the event. */
static bool may_look(const struct run *r, uint64_t seq)
{
	if (r->state == STATE_ENDED)
		return true;
	if (run_answer_waits(r))
		return false;
	/* A number above the reserved range would come again after a crash. */
	return seq <= tape_stored(r->journal.tape) ||
	       (seq <= r->journal.seq_reserved && !journal_strict(r));
}

/* Bytes of a usual block, so that its buffer need not grow on the way. */
enum { BLOCK_BYTES = 512 };

static bool feed_event(struct run *r, const struct event *ev, uint64_t seq)
{
	if ((r->feed.reader.out.cap > 0 || buf_reserve(&r->feed.reader.out, BLOCK_BYTES)) &&
	    r->feed.reader.encoder->ops->event(r->feed.reader.encoder, ev, seq,
					       &r->feed.reader.out))
		return true;
	run_abort_later(r, ERR_OVERLOADED, "no memory for the stream");
	return false;
}

/* catch_up: prints events from the tape, as far as the client may see them.  A lack of memory
 * becomes the run's failure (run_abort_later). */
static void catch_up(struct run *r)
{
	struct event ev;
	uint64_t     seq;
	uint64_t     at = r->feed.reader.place;

	if (!r->given.stream || !run_stored(r) || !r->observer)
		return;
	while (tape_next(r->journal.tape, &at, &ev, &seq) && may_look(r, seq)) {
		if (ev.kind != EVENT_ASKED && !feed_event(r, &ev, seq))
			return;
		r->feed.reader.place = at;
	}
}

void feed_skip(struct run *r)
{
	r->feed.reader.place = tape_head(r->journal.tape);
}

static void wake_reader(struct run *r)
{
	if (r->observer && r->feed.headers_sent)
		r->observer->wake(r->observer_arg);
}

/* feed_behind: the bytes that wait for the client, as blocks or still on the tape. */
static size_t feed_behind(const struct run *r)
{
	return reader_waiting(&r->feed.reader) +
	       (run_stored(r) ? (size_t)(tape_head(r->journal.tape) - r->feed.reader.place) : 0);
}

/* resume_provider: lets the provider go on if little waits for the client. */
static void resume_provider(struct run *r)
{
	if (feed_behind(r) < LIMIT_FEED_LOW)
		call_pause(r, false);
}

void feed_wake(struct run *r)
{
	catch_up(r);
	/* An event that waited for the log may print nothing, and a client that gets nothing takes
	 * nothing: run_taken would never be called. */
	resume_provider(r);
	wake_reader(r);
}

void feed_open(struct run *r)
{
	if (!r->given.stream || r->feed.headers_sent || !r->observer)
		return;
	r->feed.headers_due = run_answer_waits(r);
	if (r->feed.headers_due)
		return;
	r->feed.headers_sent = true;
	timer_stop(run_loop(r), &r->commit.timer);
	r->observer->open(r->observer_arg);
	feed_wake(r);
}

void feed_forgo(struct run *r)
{
	r->feed.headers_due = false;
}

void feed_release(struct run *r)
{
	if (r->feed.headers_due && !run_answer_waits(r))
		feed_open(r);
	else
		feed_wake(r);
}

struct str run_ready(struct run *r, bool *ret_last)
{
	*ret_last = r->feed.closed && r->state == STATE_ENDED;
	return r->feed.reader.keeps && run_answer_waits(r) ? STR_NONE
							   : reader_ready(&r->feed.reader);
}

void run_taken(struct run *r, size_t n)
{
	reader_taken(&r->feed.reader, n);
	resume_provider(r);
}

static void feed_print(struct run *r, const struct event *ev, uint64_t seq)
{
	if (!r->given.stream || (!r->observer && !r->feed.reader.keeps))
		return;
	if (run_stored(r) &&
	    (r->feed.reader.place != tape_newest(r->journal.tape) || !may_look(r, seq)))
		catch_up(r);
	else if (feed_event(r, ev, seq))
		r->feed.reader.place = tape_head(r->journal.tape);
	else
		return;
	if (!r->observer)
		return;

	size_t behind = feed_behind(r);
	if (behind > LIMIT_FEED_HIGH)
		call_pause(r, true);
	if (!r->feed.headers_sent && behind > LIMIT_COMMIT_BYTES)
		feed_open(r);
	wake_reader(r);
}

bool feed_rests(struct run *r)
{
	catch_up(r);

	bool all = !run_stored(r) || r->feed.reader.place == tape_head(r->journal.tape);

	if (all && r->given.stream)
		encoder_over(r->feed.reader.encoder, r->failure != NULL);
	return all && r->feed.reader.encoder->rests && (r->observer || r->feed.reader.keeps);
}

bool feed_join_rest(struct run *r)
{
	bool ok = reader_join_rest(&r->feed.reader);

	wake_reader(r);
	return ok;
}

void feed_close(struct run *r)
{
	const struct encoder_ops *ops = r->feed.reader.encoder->ops;
	const struct err         *e;

	if (r->feed.closed)
		return;
	/* Blocks of a worker are left here only if the run failed while the worker printed them.
	 * So a lack of memory for them needs no report: the stream ends with an error anyway. */
	(void)!reader_join_rest(&r->feed.reader);
	catch_up(r);
	/* catch_up may have failed, and a stream that lacks an event must not end like a whole one:
	 * the failure is read after it. */
	e = r->failure;
	r->feed.reader.encoder->ended_s = r->ended_ms / 1000;
	r->feed.closed = true;
	/* A stream that lacks its last block must not end like a whole one either. */
	r->feed.reader.cut =
		!(e ? ops->error(r->feed.reader.encoder, e, str_of(r->given.request_id),
				 r->journal.seq, &r->feed.reader.out)
		    : ops->done(r->feed.reader.encoder, r->journal.seq, &r->feed.reader.out));
	if (r->feed.reader.cut)
		log_note(LOG_ERROR, "stream_end_lost", "no memory for the end of a stream");
}

void feed_finish(struct run *r)
{
	feed_close(r);
	journal_drop(r);
	feed_open(r);
	feed_wake(r);
}

bool feed_ends(struct run *r, const struct run_ending *x)
{
	(void)x;
	feed_finish(r);
	return true;
}

static void feed_take(struct run *r, const struct event *ev)
{
	if (ev->pass != PASS_KEEP)
		feed_print(r, ev, r->commit.released ? r->commit.released : r->journal.seq);
	if (r->state == STATE_CALLING && run_is_content(ev)) {
		attempt_content(r);
		feed_open(r);
	}
}

static void feed_saved(struct run *r, const struct run_end *x)
{
	if (x->turn.job.err.code != ERR_OK)
		feed_skip(r);
}

const struct stage feed_stage = {
	.name = "feed",
	.event = feed_take,
	.saved = feed_saved,
};
