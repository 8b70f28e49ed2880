/* The event log of stored streams: events gathered for all runs of a loop, and handed to the store
 * in one job, at most LOG_US after the first of them was sent; in strict mode at the end of the
 * loop's turn, and nobody sees an event before it is in the log. */
#include "base/limits.h"
#include "run/computer.h"
#include "run/internal.h"
#include "desk/watch.h"
#include "store/events.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>

/* Event numbers reserved with the run's row. */
enum { SEQ_FIRST_RANGE = 1024 };
/* With what a commit takes it is below the 50 ms that are promised. */
enum { LOG_US = 25 * 1000, AGAIN_US = 100 * 1000 };

static void dequeue_run(struct run *r)
{
	r->engine->log_count -= r->journal.link.in != NULL;
	list_take_out(&r->journal.link);
}

static void enqueue_run(struct run *r)
{
	struct run_engine *g = r->engine;

	if (r->journal.link.in)
		return;
	if (g->log_count++ == 0)
		g->log_since_us = loop_now_us(g->o.env.loop);
	list_put_front(&g->log_runs, &r->journal.link);
}

/* --- the job --- */

static void arm_timer(struct run_engine *g);
static void journal_on_timer(struct timer *t);

static void drop_job(struct log_job *j)
{
	for (size_t i = 0; i < j->append.entry_count; i++) {
		free(j->parts[i].attempts);
		free(j->parts[i].executions);
	}
	free(j->entries);
	free(j->parts);
	*j = (struct log_job){ .engine = j->engine };
}

static void submit_events(struct run_engine *g)
{
	/* A change of the settings may have left the timer running: a job is handed over once. */
	timer_stop(g->o.env.loop, &g->log_timer);
	if (store_events_append(g->o.store, &g->log.append))
		return;
	timer_start(g->o.env.loop, &g->log_timer, AGAIN_US);
}

/* on_logged: the log has the events that were handed over. */
static void on_logged(struct run *r)
{
	bool first = tape_stored(r->journal.tape) == 0;

	tape_arrived(r->journal.tape);
	if (r->state != STATE_ENDED) {
		if (first && tape_stored(r->journal.tape) > 0)
			run_answer_release(r);
		feed_release(r);
	}
	tape_forget(r->journal.tape);
	watch_notify(r->names.id);
	if (run_stages_logged(r))
		return;
	run_free_if_over(r);
}

/* on_log_failed: the log will not have the events that were handed over, and so gets none of the events
 * after them: a log with a gap would lie.  A run that goes on ends with this failure; a run that
 * has ended learns the same from the store's answer to its end. */
static void on_log_failed(struct run *r, const struct err *why)
{
	tape_forget(r->journal.tape);
	if (r->state < STATE_CALLING || r->state > STATE_EXECUTING) {
		run_free_if_over(r);
		return;
	}
	r->journal.logged = false;
	feed_skip(r);
	dequeue_run(r);
	run_finish(r, why);
}

static void on_appended(struct store_job *job)
{
	struct log_job    *j = container_of(job, struct log_job, append.job);
	struct run_engine *g = j->engine;
	struct err         e = job->err;
	struct err         refused;

	err_set(&refused, ERR_INTERNAL, "",
		"the gateway could not store the events of this answer");
	if (e.code == ERR_STORAGE && g->stopping.code == ERR_OK) {
		/* The disk may take writes again; until then nothing more is gathered into a
		 * job. */
		timer_start(g->o.env.loop, &g->log_timer, AGAIN_US);
		for (size_t i = 0; i < j->append.entry_count; i++)
			if (j->parts[i].run->state == STATE_RECORDING)
				run_finish(j->parts[i].run, &e); /* it does not wait for the disk */
		return;
	}
	for (size_t i = 0; i < j->append.entry_count; i++) {
		struct run *r = j->parts[i].run;

		run_release(r);
		if (e.code == ERR_OK && !j->entries[i].refused)
			on_logged(r);
		else
			on_log_failed(r, e.code != ERR_OK ? &e : &refused);
	}
	drop_job(j);
	arm_timer(g);
}

/* journal_tell: the news of a run for the store, which go with the answer's first events, or alone
 * when another attempt follows: a kill must not take what is known of earlier attempts. */
static bool journal_tell(struct run *r, struct log_part *ret)
{
	struct str log = buf_view(&r->live->log.text);

	if (!r->journal.news)
		return false;
	r->journal.news = false;
	ret->attempts = malloc(log.n + 1); /* NULL: the store is not told of them now */
	if (ret->attempts)
		memcpy(ret->attempts, log.p ? log.p : "", log.n);
	ret->news = (struct run_news){
		.run = r->names.id,
		.attempts = r->attempt.count,
		.first_token_ms = r->attempt.first_token_ms,
		.provider = str_of(r->provider->name),
		.attempt_log = { ret->attempts, ret->attempts ? log.n : 0 },
	};
	bill_news(r, &ret->news);
	if (r->computer)
		ret->news.executions = executions_copy(r, &ret->executions);
	return true;
}

/* journal_fill: gathers the waiting runs' events into one job; false: no memory. */
static bool journal_fill(struct run_engine *g)
{
	struct log_job *j = &g->log;
	size_t          n = g->log_count;

	g->log_timer.fn = journal_on_timer;
	j->entries = calloc(n, sizeof *j->entries);
	j->parts = calloc(n, sizeof *j->parts);
	if (!j->entries || !j->parts) {
		drop_job(j);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct run *r = LIST_FIRST(&g->log_runs, struct run, journal.link);

		dequeue_run(r);
		tape_hand(r->journal.tape,
			  &j->entries[i].piece); /* nothing, where there is only news */
		j->entries[i].piece.run = r->names.id;
		j->parts[i].run = r;
		run_hold(r);
		if (journal_tell(r, &j->parts[i]))
			j->entries[i].news = &j->parts[i].news;
	}
	j->append = (struct events_append){
		.job = { .loop = g->o.env.loop, .done = on_appended },
		.entries = j->entries,
		.entry_count = n,
		.sync = g->log_urgent || g->o.settings(g->o.arg)->strict,
	};
	g->log_urgent = false;
	g->log_soon = false;
	return true;
}

static void flush_events(struct run_engine *g)
{
	if (g->log.append.entry_count > 0) { /* a failed job is tried again */
		submit_events(g);
		return;
	}
	if (g->log_count == 0)
		return;
	if (journal_fill(g))
		submit_events(g);
	else
		timer_start(g->o.env.loop, &g->log_timer, AGAIN_US);
}

static void journal_on_timer(struct timer *t)
{
	flush_events(container_of(t, struct run_engine, log_timer));
}

static void on_turn_end(struct task *t)
{
	struct run_engine *g = container_of(t, struct run_engine, log_task);

	g->log_task_out = false;
	if (g->log.append.entry_count == 0)
		flush_events(g);
}

/* arm_timer: sees to it that waiting events are handed over, unless a job is on its way: the answer to
 * that job arms again. */
static void arm_timer(struct run_engine *g)
{
	if (g->log_count == 0 || g->log.append.entry_count > 0)
		return;
	if (g->log_urgent || g->log_soon || g->o.settings(g->o.arg)->strict) {
		if (g->log_task_out)
			return;
		g->log_task_out = true;
		g->log_task.fn = on_turn_end;
		loop_later(g->o.env.loop, &g->log_task);
	} else if (!timer_running(&g->log_timer)) {
		/* The events may have waited already, for the job before. */
		int64_t left = g->log_since_us + LOG_US - loop_now_us(g->o.env.loop);

		g->log_timer.fn = journal_on_timer;
		timer_start(g->o.env.loop, &g->log_timer, left > 0 ? left : 0);
	}
}

/* --- what runs do --- */

/* read_again: a stream without a store may be read again, by clients who know its id or have its
 * key. */
static bool read_again(const struct run *r)
{
	return !run_stored(r) && r->given.stream && r->live;
}

bool journal_wanted(const struct run *r)
{
	/* An execution is recorded before it begins, also for a plain answer. */
	return run_stored(r) && (r->given.stream || r->computer);
}

bool journal_open(struct run *r)
{
	bool stored = journal_wanted(r);

	r->journal.seq_reserved = run_stored(r) ? SEQ_FIRST_RANGE : UINT64_MAX;
	r->journal.logged = stored && store_does(r->engine->o.store, JOB_EVENTS_APPEND);
	r->journal.tape = tape_create(stored          ? LIMIT_LOG_EVENTS
				      : read_again(r) ? LIMIT_TAPE
						      : 0,
				      read_again(r));
	return r->journal.tape;
}

bool journal_strict(const struct run *r)
{
	/* A run that goes on after a death begins where its log ends: a client that had seen more would see it twice. */
	return r->journal.logged &&
	       (r->given.restarts || r->engine->o.settings(r->engine->o.arg)->strict);
}

bool journal_begun(const struct run *r)
{
	return !r->journal.logged || tape_stored(r->journal.tape) > 0;
}

/* tell_readers: wakes readers of the tape for new events, which pass the log first where there is
 * one. */
static void tell_readers(struct run *r)
{
	if (!r->journal.logged) {
		watch_notify(r->names.id);
		return;
	}
	enqueue_run(r);
	if (r->given.restarts || (tape_handed(r->journal.tape) == 0 && run_answer_waits(r)))
		r->engine->log_urgent = true;
	arm_timer(r->engine);
}

/* number_of: the event's number: the next one, or the number of the chunk that the event belongs
 * to. */
static uint64_t number_of(const struct run *r, const struct event *ev)
{
	return r->journal.seq + (!ev->cont || ev->numbered);
}

static bool journal_add(struct run *r, const struct event *ev)
{
	uint64_t seq = number_of(r, ev);

	errno = 0;
	if (!tape_add(r->journal.tape, ev, seq))
		return false;
	r->journal.seq = seq;
	return true;
}

uint32_t journal_asked(const struct run *r)
{
	return (r->given.fences ? (uint32_t)ASKED_FENCES : 0) |
	       (r->given.logprobs ? (uint32_t)ASKED_LOGPROBS : 0);
}

/* add_asked: puts an event before the first one, with everything besides events that a shape
 * depends on; left out where all of that is as usual. */
static bool add_asked(struct run *r)
{
	uint32_t asked = journal_asked(r);
	bool     known = r->journal.base > 0 || asked == ASKED_FENCES;

	if (r->journal.seq > r->journal.base || r->journal.warned ||
	    (r->warnings.count == 0 && known) || !(r->journal.logged || read_again(r)))
		return true;
	return journal_add(r, &(struct event){
				      .kind = EVENT_ASKED,
				      .choice = (uint32_t)r->warnings.count,
				      .block = asked,
				      .text = buf_view(&r->warnings.json),
			      });
}

bool journal_hold(struct run *r, const struct event *ev)
{
	return add_asked(r) && journal_add(r, ev);
}

/* is_read: all readers have all of the tape.  Asked for stored runs whose store has no event log,
 * where only the first client reads the tape. */
static bool is_read(const struct run *r)
{
	return !r->observer || r->feed.reader.place == tape_head(r->journal.tape);
}

static bool journal_event(struct run *r, const struct event *ev)
{
	if (run_stored(r) && !r->journal.logged && is_read(r))
		tape_clear(r->journal.tape);
	if (tape_keeps(r->journal.tape) && add_asked(r) && journal_add(r, ev)) {
		tell_readers(r);
		return true;
	}
	if (r->journal.logged)
		return false;
	if (tape_keeps(r->journal.tape))
		tape_lose(r->journal.tape);
	r->journal.seq = number_of(r, ev);
	return true;
}

void journal_urge(struct run *r)
{
	enqueue_run(r);
	r->engine->log_urgent = true;
	arm_timer(r->engine);
}

static void journal_note(struct run *r, bool at_once)
{
	if (!run_stored(r) || !store_does(r->engine->o.store, JOB_EVENTS_APPEND))
		return;
	r->journal.news = true;
	if (!at_once)
		return;
	enqueue_run(r);
	r->engine->log_soon = true;
	arm_timer(r->engine);
}

void journal_again(struct run *r, uint64_t last, uint64_t reserved, bool begun)
{
	r->journal.seq = last;
	r->journal.base = begun ? 0 : (uint8_t)last;
	r->journal.warned = begun || last > 1;
	r->journal.seq_reserved = reserved > last ? reserved : last;
	if (begun)
		tape_commit(r->journal.tape);
}

void journal_committed(struct run *r)
{
	if (!tape_keeps(r->journal.tape))
		tape_clear(r->journal.tape);
	else if (r->journal.seq > r->journal.base)
		tell_readers(r);
}

static bool journal_cut(struct run *r)
{
	if (tape_uncommitted(r->journal.tape).n == 0)
		return false;
	tape_cut(r->journal.tape);
	r->journal.seq = r->journal.base;
	return true;
}

void journal_end(struct run *r)
{
	struct buf error;

	r->journal.seq_reserved = UINT64_MAX; /* the run's row now has its last number */
	if (!read_again(r))
		return;
	buf_init(&error, 4 * KIB);
	if (r->failure && !err_object(r->failure, str_of(r->given.request_id), &error))
		buf_clear(&error);
	tape_end(r->journal.tape, r->outcome, r->journal.seq, buf_view(&error));
	buf_finish(&error);
	watch_notify(r->names.id);
}

bool journal_ends(struct run *r, const struct run_ending *x)
{
	(void)x;
	r->journal.seq++;
	return false;
}

static void journal_begin(const struct run *r, struct turn_begin *t)
{
	t->seq_reserved = r->journal.seq_reserved;
	t->logged = journal_wanted(r);
}

/* journal_save: what is not known to be in the log goes with the end; borrowed until journal_drop. */
static void journal_save(struct run *r, struct run_end *x)
{
	x->turn.last_seq = r->journal.seq;
	x->turn.unlogged = !journal_wanted(r);
	x->turn.planned = x->turn.unlogged && r->journal.base > 0;
	dequeue_run(r);
	if (r->journal.logged)
		tape_rest(r->journal.tape, x->turn.events);
}

void journal_drop(struct run *r)
{
	dequeue_run(r);
	if (r->journal.logged && r->journal.tape)
		tape_clear(r->journal.tape);
}

void journal_stop(struct run_engine *g)
{
	timer_stop(g->o.env.loop, &g->log_timer);
	drop_job(&g->log);
}

/* The next range of event numbers is reserved when so many numbers of the last one are left: no
 * event should wait for the reservation. */
enum { SEQ_AHEAD = 512 };

/* --- numbers --- */

struct run_reserve {
	struct run        *run;
	struct seq_reserve seq;
};

static void reserve_ahead(struct run *r);

static void journal_on_reserved(struct store_job *job)
{
	struct run_reserve *x = container_of(job, struct run_reserve, seq.job);
	struct run         *r = x->run;
	uint64_t            upto = x->seq.upto;
	struct err          e = job->err;

	free(x);
	run_release(r);
	r->jobs->reserving = false;
	if (e.code == ERR_OK) {
		if (upto > r->journal.seq_reserved)
			r->journal.seq_reserved = upto;
		/* The provider may have been faster than the store, and the new range nearly used
		 * up. */
		if (r->call)
			reserve_ahead(r);
		feed_wake(r);
	} else if (r->state == STATE_STREAMING && r->call) {
		run_finish(r, &e);
		return;
	}
	run_free_if_over(r);
}

static void reserve_ahead(struct run *r)
{
	uint64_t used =
		r->journal.seq > r->journal.seq_reserved ? r->journal.seq : r->journal.seq_reserved;

	if (r->jobs->reserving || r->journal.seq_reserved == UINT64_MAX ||
	    r->journal.seq_reserved > r->journal.seq + SEQ_AHEAD)
		return;

	struct run_reserve *x = malloc(sizeof *x);
	if (!x)
		return; /* the next event tries again, as where the queue is full */
	x->run = r;
	x->seq = (struct seq_reserve){
		.job = { .loop = run_loop(r), .done = journal_on_reserved },
		.run = r->names.id,
		.upto = used * 2,
	};
	r->jobs->reserving = store_seq_reserve(r->engine->o.store, &x->seq);
	if (r->jobs->reserving)
		run_hold(r);
	else
		free(x);
}

/* journal_take: an event that was held has its number, and is on the tape. */
static void journal_take(struct run *r, const struct event *ev)
{
	if (ev->pass != PASS_PRINT && !r->commit.released && !journal_event(r, ev)) {
		run_overflow(r);
		return;
	}
	if (ev->pass != PASS_PRINT && run_stored(r))
		reserve_ahead(r);
	run_pass(r, STAGE_JOURNAL, ev);
}

const struct stage journal_stage = {
	.name = "journal",
	.event = journal_take,
	.cut = journal_cut,
	.news = journal_note,
	.begin = journal_begin,
	.save = journal_save,
};
