/* The event log of stored streams: events gathered for all runs of a loop, and handed to the store in
 * one job, at most LOG_US after the first of them was sent; in strict mode at the end of the loop's
 * turn, and nobody sees an event before it is in the log. */
#include "base/limits.h"
#include "msg/event_code.h"
#include "run/internal.h"
#include "desk/tape.h"
#include "desk/watch.h"

#include <stdlib.h>

/* With what a commit takes it is below the 50 ms that are promised. */
enum { LOG_US = 25 * 1000, AGAIN_US = 100 * 1000 };

static void unlist(struct run *r)
{
	struct run_engine *g = r->engine;

	if (!r->log_listed)
		return;
	if (r->log_prev)
		r->log_prev->log_next = r->log_next;
	else
		g->log_runs = r->log_next;
	if (r->log_next)
		r->log_next->log_prev = r->log_prev;
	r->log_listed = false;
	g->log_count--;
}

static void list(struct run *r)
{
	struct run_engine *g = r->engine;

	if (g->log_count == 0)
		g->log_since_us = loop_now_us(g->o.env.loop);
	r->log_prev = NULL;
	r->log_next = g->log_runs;
	if (r->log_next)
		r->log_next->log_prev = r;
	g->log_runs = r;
	r->log_listed = true;
	g->log_count++;
}

/* --- the job --- */

static void arm(struct run_engine *g);
static void on_timer(struct timer *t);

static void drop_job(struct log_job *j)
{
	for (size_t i = 0; i < j->append.piece_count; i++)
		buf_finish(&j->data[i]);
	free(j->pieces);
	free(j->news);
	free(j->data);
	free(j->runs);
	*j = (struct log_job){ .engine = j->engine };
}

static void submit(struct run_engine *g)
{
	/* A change of the settings may have left it running: a job is handed over once. */
	timer_stop(g->o.env.loop, &g->log_timer);
	if (store_events_append(g->o.store, &g->log.append))
		return;
	timer_start(g->o.env.loop, &g->log_timer, AGAIN_US);
}

static void on_appended(struct store_job *job)
{
	struct log_job    *j = container_of(job, struct log_job, append.job);
	struct run_engine *g = j->engine;

	if (job->err.code != ERR_OK && g->stopping.code == ERR_OK) {
		/* The disk may take writes again; until then nothing more is gathered into a job. */
		timer_start(g->o.env.loop, &g->log_timer, AGAIN_US);
		return;
	}
	for (size_t i = 0; i < j->append.piece_count; i++) {
		struct run *r = j->runs[i];

		r->jobs_out--;
		r->log_job_at = 0;
		if (r->state != STATE_ENDED) {
			r->out_stored = r->out_mark;
			if (!r->bound_stored && r->bound_seq > 0 &&
			    j->pieces[i].last >= r->bound_seq) {
				r->bound_stored = true;
				key_release(r);
			}
			feed_release(r);
		}
		watch_notify(r->id);
		run_free_if_over(r);
	}
	drop_job(j);
	arm(g);
}

/* With the first events of its answer, and for itself with another attempt: a kill must not take what is
 * known. */
static bool tell(struct run *r, struct run_news *ret)
{
	if (!r->news)
		return false;
	r->news = false;
	*ret = (struct run_news){ .run = r->id, .attempts = r->attempt.count,
				  .first_token_ms = r->first_token_ms,
				  .provider = str_of(r->rq.provider->name) };
	bill_news(r, ret);
	return true;
}

/* fill: the waiting runs' events into one job; false: no memory. */
static bool fill(struct run_engine *g)
{
	struct log_job *j = &g->log;
	size_t          n = g->log_count;
	size_t          news = 0;

	g->log_timer.fn = on_timer;
	j->pieces = calloc(n, sizeof *j->pieces);
	j->news = calloc(n, sizeof *j->news);
	j->data = calloc(n, sizeof *j->data);
	j->runs = calloc(n, sizeof(struct run *));
	if (!j->pieces || !j->news || !j->data || !j->runs) {
		drop_job(j);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct run *r = g->log_runs;

		unlist(r);
		j->data[i] = r->log;
		j->pieces[i] = (struct events_piece){ r->id, r->log_first, r->log_last,
						      buf_view(&j->data[i]) };
		j->runs[i] = r;
		r->log_job_at = i + 1;
		r->jobs_out++;
		r->out_mark = r->out.len;
		news += tell(r, &j->news[news]);
		buf_init(&r->log, LIMIT_LOG_EVENTS);
	}
	j->append = (struct events_append){
		.job = { .loop = g->o.env.loop, .done = on_appended },
		.pieces = j->pieces,
		.piece_count = n,
		.news = j->news,
		.news_count = news,
		.sync = g->log_urgent || g->o.settings(g->o.arg)->strict,
	};
	g->log_urgent = false;
	return true;
}

static void flush(struct run_engine *g)
{
	if (g->log.append.piece_count > 0) { /* one that failed is tried again */
		submit(g);
		return;
	}
	if (g->log_count == 0)
		return;
	if (fill(g))
		submit(g);
	else
		timer_start(g->o.env.loop, &g->log_timer, AGAIN_US);
}

static void on_timer(struct timer *t)
{
	flush(container_of(t, struct run_engine, log_timer));
}

static void on_turn_end(struct task *t)
{
	struct run_engine *g = container_of(t, struct run_engine, log_task);

	g->log_task_out = false;
	if (g->log.append.piece_count == 0)
		flush(g);
}

/* arm: there is something to hand over, and no job on its way. */
static void arm(struct run_engine *g)
{
	if (g->log_count == 0 || g->log.append.piece_count > 0)
		return;
	if (g->log_urgent || g->o.settings(g->o.arg)->strict) {
		if (g->log_task_out)
			return;
		g->log_task_out = true;
		g->log_task.fn = on_turn_end;
		loop_later(g->o.env.loop, &g->log_task);
	} else if (!timer_running(&g->log_timer)) {
		/* They may have waited already, for the job before. */
		int64_t left = g->log_since_us + LOG_US - loop_now_us(g->o.env.loop);

		g->log_timer.fn = on_timer;
		timer_start(g->o.env.loop, &g->log_timer, left > 0 ? left : 0);
	}
}

/* --- what runs do --- */

static struct tape *tape_of(const struct run *r)
{
	return r->live ? r->live->tape : NULL;
}

static bool logged(const struct run *r)
{
	return run_stored(r) && r->rq.prompt.stream && store_does(r->engine->o.store, JOB_EVENTS_APPEND);
}

bool journal_kept(const struct run *r)
{
	return logged(r) || tape_of(r);
}

bool journal_strict(const struct run *r)
{
	return logged(r) && r->engine->o.settings(r->engine->o.arg)->strict;
}

bool journal_begun(const struct run *r)
{
	return !logged(r) || r->bound_stored;
}

bool journal_event(struct run *r, const struct event *ev)
{
	if (tape_of(r)) {
		tape_add(tape_of(r), ev, r->seq);
		watch_notify(r->id);
	}
	if (!logged(r))
		return true;
	if (r->log.len == 0)
		r->log_first = r->seq;
	if (!event_encode(ev, r->seq, &r->log))
		return false;
	if (!r->log_listed)
		list(r);
	r->log_last = r->seq;
	if (r->bound && r->bound_seq == 0)
		r->bound_seq = r->seq;
	if (r->bound_seq == r->seq && key_waits(r))
		r->engine->log_urgent = true;
	arm(r->engine);
	return true;
}

void journal_news(struct run *r)
{
	if (!run_stored(r) || !store_does(r->engine->o.store, JOB_EVENTS_APPEND))
		return;
	r->news = true;
	if (!r->log_listed)
		list(r);
	arm(r->engine);
}

bool journal_asked(struct run *r)
{
	struct event ev = {
		.kind = EVENT_ASKED,
		.choice = (uint32_t)r->warnings.count,
		.block = r->rq.fences,
		.text = buf_view(&r->warnings.json),
	};

	if ((r->warnings.count == 0 && r->rq.fences) || !journal_kept(r))
		return true;
	r->seq++;
	return journal_event(r, &ev);
}

/* take_back: what a job has on its way goes with the run's end once more, in front: should the job fail
 * and be tried again, it comes too late for a run that has ended.  The store knows what it has.
 * False: no memory. */
static bool take_back(struct run *r)
{
	struct log_job *j = &r->engine->log;
	struct buf      all;

	if (r->log_job_at == 0 || j->pieces[r->log_job_at - 1].data.n == 0)
		return true;
	buf_init(&all, 2 * LIMIT_LOG_EVENTS); /* both may be as long as is allowed */
	if (!buf_str(&all, j->pieces[r->log_job_at - 1].data) || !buf_str(&all, buf_view(&r->log))) {
		buf_finish(&all);
		return false;
	}
	if (r->log.len == 0)
		r->log_last = j->pieces[r->log_job_at - 1].last;
	r->log_first = j->pieces[r->log_job_at - 1].first;
	buf_finish(&r->log);
	r->log = all;
	return true;
}

void journal_end(struct run *r)
{
	struct buf error;

	if (!tape_of(r))
		return;
	buf_init(&error, 4 * KIB);
	if (r->failure.code != ERR_OK &&
	    !err_object(&r->failure, str_of(r->request_id), &error))
		buf_clear(&error);
	tape_end(tape_of(r), r->outcome, r->seq, buf_view(&error));
	buf_finish(&error);
	watch_notify(r->id);
}

bool journal_rest(struct run *r, struct events_piece *ret)
{
	*ret = (struct events_piece){ 0 };
	unlist(r);
	/* Without what is on its way, what came since would stand behind a gap. */
	if (!take_back(r))
		return false;
	if (r->log.len > 0)
		*ret = (struct events_piece){ r->id, r->log_first, r->log_last, buf_view(&r->log) };
	return true;
}

void journal_drop(struct run *r)
{
	unlist(r);
	buf_finish(&r->log);
}

void journal_stop(struct run_engine *g)
{
	timer_stop(g->o.env.loop, &g->log_timer);
	drop_job(&g->log);
}
