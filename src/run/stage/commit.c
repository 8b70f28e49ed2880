/* Holds the events of an attempt until the attempt is committed: by content or a finish_reason, because
 * commit_after is over, or because the tape has no room for what is held.  A client that has seen an
 * event of an attempt gets no other attempt. */
#include "base/clock.h"
#include "msg/event_code.h"
#include "run/guard.h"

#include <errno.h>

enum { ASIDE_US = 10 * 1000 }; /* the time between two looks whether a worker still has the run */

/* release_held: passes on the events that were held until the attempt was committed. */
static void release_held(struct run *r)
{
	struct str   held = tape_uncommitted(r->journal.tape);
	struct event ev;

	tape_commit(r->journal.tape);
	while (!r->aborting && event_decode_again(&held, &ev, &r->commit.released))
		if (ev.kind != EVENT_ASKED)
			run_pass(r, STAGE_COMMIT, &ev);
	r->commit.released = 0;
	if (held.n > 0)
		run_abort_later(r, ERR_INTERNAL, "an event that was held back can't be read");
	journal_committed(r);
}

/* commit_attempt: makes this attempt the run's last one, and passes its held events on.  False: the
 * run is ending.  A later call of a run with a computer needs the request, and the stage. */
static bool commit_attempt(struct run *r)
{
	attempt_commit(r);
	if (!r->computer && !r->given.resumes) {
		run_stages_leave(r, STAGE_COMMIT);
		if (!save_is_late(r))
			run_drop_request(r);
		attach_release(r);
	}
	run_answer_commit(r);
	release_held(r);
	return !r->aborting;
}

void commit_open(struct run *r)
{
	if (!r->committed) {
		run_answer_commit(r);
		release_held(r);
	}
	feed_open(r);
}

/* hold_bare: the bytes of a plain answer are copied once, to r->kept.answer, and not to the tape. */
static bool hold_bare(struct run *r, const struct event *ev)
{
	struct event held = *ev;

	held.raw = held.raw_usage = held.raw_role = held.raw_id = held.raw_created = STR_NONE;
	if (!journal_hold(r, &held))
		return false;
	errno = 0;
	if (!answer_raw(&r->kept.answer, ev))
		run_overflow(r);
	return true;
}

/* hold_until_commit: false: the event commits the attempt. */
static bool hold_until_commit(struct run *r, const struct event *ev)
{
	bool bare = !r->given.stream && ev->raw.n > 0 && !ev->cont;

	if (r->commit.due || ev->certain || ev->kind == EVENT_FINISH || run_is_content(ev))
		return false;
	if (bare ? !hold_bare(r, ev) : !journal_hold(r, ev))
		return false;
	if (ev->kind == EVENT_USAGE)
		attempt_told(r, &ev->usage);
	return true;
}

static void commit_event(struct run *r, const struct event *ev)
{
	if (r->committed && r->attempt.on && !r->attempt.committed)
		attempt_commit(r);
	if (r->committed || (!hold_until_commit(r, ev) && commit_attempt(r)))
		run_pass(r, STAGE_COMMIT, ev);
}

/* commit_flush: what a stage before this one holds may still be refused, and comes with the next flush. */
static void commit_flush(struct run *r)
{
	if (!r->committed && !guard_holds(r))
		(void)commit_attempt(r);
}

static void commit_on_timer(struct timer *t)
{
	struct run *r = container_of(t, struct run, commit.timer);

	r->commit.due = true;
	if (r->aside.on) {
		timer_start(run_loop(r), t, ASIDE_US);
		return;
	}
	/* The status of the stream goes out.  An attempt that has sent no event yet is not
	 * committed: another one may still follow. */
	if (r->committed || tape_uncommitted(r->journal.tape).n == 0 || commit_attempt(r))
		feed_open(r);
}

static void commit_begun(struct run *r)
{
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);

	if (!r->given.stream || r->feed.headers_sent || timer_running(&r->commit.timer))
		return;
	r->commit.timer.fn = commit_on_timer;
	timer_start(run_loop(r), &r->commit.timer, now->commit_after_us);
}

bool commit_stop(struct run *r, const struct run_ending *x)
{
	(void)x;
	timer_stop(run_loop(r), &r->commit.timer);
	return false;
}

const struct stage commit_stage = {
	.name = "commit",
	.begun = commit_begun,
	.event = commit_event,
	.flush = commit_flush,
};
