/* The reader's part of a run: what is printed for it, how much may wait, when it is woken. */
#include "base/limits.h"
#include "base/log.h"
#include "run/internal.h"

/* Memory that an emptied stream keeps. */
enum { OUT_KEPT = 4096 };

void feed_wake(struct run *r)
{
	/* Numbers above the stored range must not be seen yet: after a crash they would come again. */
	if (r->seq <= r->seq_reserved) {
		bool   wait = r->state != STATE_ENDED && (journal_strict(r) || key_waits(r));
		size_t seen = wait ? r->out_stored : r->out.len;

		if (seen > r->out_seen)
			r->out_seen = seen;
	}
	if (r->observer && r->open)
		r->observer->wake(r->observer_arg);
}

void feed_open(struct run *r)
{
	if (!r->rq.prompt.stream || r->open || !r->observer)
		return;
	r->open_due = key_waits(r);
	if (r->open_due)
		return;
	r->open = true;
	timer_stop(run_loop(r), &r->commit_timer);
	r->observer->open(r->observer_arg);
	feed_wake(r);
}

void feed_release(struct run *r)
{
	if (r->open_due && !key_waits(r))
		feed_open(r);
	else
		feed_wake(r);
}

void feed_pause(struct run *r, bool pause)
{
	if (!r->call || r->paused == pause)
		return;
	r->paused = pause;
	r->call->provider->ops->pause(r->call, pause);
}

struct str run_ready(struct run *r, bool *ret_last)
{
	*ret_last = r->last && r->out_seen == r->out.len;
	return (struct str){ r->out.data ? r->out.data + r->out_at : NULL, r->out_seen - r->out_at };
}

void run_taken(struct run *r, size_t n)
{
	r->out_at += n;
	if (r->out_at == r->out.len) {
		r->out_at = r->out_seen = r->out_mark = r->out_stored = 0;
		buf_clear(&r->out);
		if (r->out.cap > OUT_KEPT)
			buf_finish(&r->out);
	} else if (r->out_at > LIMIT_FEED_LOW) {
		buf_take_front(&r->out, r->out_at);
		r->out_seen -= r->out_at;
		r->out_mark -= r->out_mark < r->out_at ? r->out_mark : r->out_at;
		r->out_stored -= r->out_stored < r->out_at ? r->out_stored : r->out_at;
		r->out_at = 0;
	}
	if (r->out.len - r->out_at < LIMIT_FEED_LOW)
		feed_pause(r, false);
}

/* print_recorded: the record is read by whoever uses the key later, also where nobody reads now. */
static bool print_recorded(struct run *r, const struct event *ev, uint64_t seq)
{
	size_t start = r->record.len;

	return r->encoder->ops->event(r->encoder, ev, seq, &r->record) &&
	       (!r->observer ||
		buf_add(&r->out, r->record.data + start, r->record.len - start));
}

void feed_print(struct run *r, const struct event *ev, uint64_t seq)
{
	bool recorded = key_recorded(r);

	if (!r->rq.prompt.stream || (!r->observer && !recorded))
		return;
	if (!(recorded ? print_recorded(r, ev, seq)
		       : r->encoder->ops->event(r->encoder, ev, seq, &r->out))) {
		run_abort_later(r, ERR_OVERLOADED, "no memory for the stream");
		return;
	}
	if (!r->observer)
		return;
	if (r->out.len - r->out_at > LIMIT_FEED_HIGH)
		feed_pause(r, true);
	if (!r->open && r->out.len > LIMIT_COMMIT_BYTES)
		feed_open(r);
	feed_wake(r);
}

void feed_unsay(struct run *r)
{
	if ((!journal_strict(r) && !key_waits(r)) || r->out.len == r->out_seen)
		return;
	r->out.len = r->out_seen;
	/* The encoder is past that and would end what nobody saw begin: the stream ends without its last
	 * block, and the client comes again and reads what there is. */
	r->closed = r->encoder->ops->nests;
}

void feed_close(struct run *r)
{
	const struct encoder_ops *ops = r->encoder->ops;
	const struct err         *e = r->failure.code != ERR_OK ? &r->failure : NULL;
	struct buf               *out = key_recorded(r) ? &r->record : &r->out;
	size_t                    start = out->len;

	if (r->closed)
		return;
	r->closed = true;
	bool ok = e ? ops->error(r->encoder, e, str_of(r->request_id), r->seq, out)
		    : ops->done(r->encoder, r->seq, out);
	if (ok && out == &r->record && r->observer)
		ok = buf_add(&r->out, out->data + start, out->len - start);
	if (!ok)
		log_note(LOG_ERROR, "stream_end_lost", "no memory for the end of a stream");
}
