/* The store's thread. */
#include "store/postgres/pump.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "store/common/thread.h"
#include "store/postgres/batch.h"
#include "store/postgres/link.h"
#include "store/postgres/lease.h"
#include "store/postgres/logged.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/postgres/search_tools.h"
#include "store/turn.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

enum {
	READERS_MOST = 64,
	CONNECT_PAUSE_US = 200 * 1000, /* between two tries to connect */
	BEGINS_US = 2500 * 1000,       /* without a connection so long, new turns are refused */
	ENDS_US = 10 * 1000 * 1000,    /* and ends and everything else */
};

/* A connection and what is done on it. */
struct hand {
	struct link       link;
	struct work       work;
	struct work_kind  kind; /* the kind of `work` */
	bool              busy;
	enum queue        queue;      /* whose jobs it does, and whose chores */
	int64_t           connect_us; /* when to connect again */
	struct batch     *batch;      /* owned; the work's */
	struct batch     *halves;     /* owned; the next batches */
	struct store_job *job;        /* the work's */
	int               chore;      /* the work's; -1: none */
	int64_t           began_us;
};

struct pump {
	struct postgres         *db;
	struct pump_chore const *chores;
	int64_t                  due_us[PUMP_CHORES];
	bool                     running[PUMP_CHORES];
	bool                     last_done[PUMP_CHORES];
	struct queues           *queues; /* owned */
	pthread_t                thread;
	bool                     started;
	bool                     writable;
	struct hand             *hands; /* owned */
	size_t                   hand_count;
	pthread_mutex_t          lock; /* guards stats */
	struct store_stats       stats;
};

bool pump_add(struct pump *p, struct store_job *job)
{
	return queues_add(p->queues, job);
}

/* --- answers --- */

/* fail_unstored: what may be stored nevertheless, or must be stored later. */
static void fail_unstored(struct pump *p, struct store_job *job)
{
	struct unfinished *u = &p->db->unfinished;

	if (job->kind->job == JOB_TURN_END)
		unfinished_end(u, container_of(job, struct turn_end, job));
	else if (job->kind->job == JOB_BUDGET_SETTLE)
		unfinished_note(u, &container_of(job, struct budget_settle, job)->note);
	else if (job->kind->job == JOB_TURN_BEGIN && job->err.code == ERR_STORAGE) {
		const struct turn_begin *j = container_of(job, struct turn_begin, job);
		struct turn_end          end = { .run = j->run,
						 .completed_ms = clock_wall_ms(),
						 .last_seq = j->seq_reserved + 1,
						 .keyed = true };

		unfinished_end(u, &end);
	}
}

static void answer_write(struct pump *p, struct store_job *job, const struct fault *f)
{
	if (f) {
		fault_refuse(f, &job->err);
		fail_unstored(p, job);
	}
	job->next = NULL;
	answer_post(job);
}

static void note_state(struct pump *p, const struct fault *f, size_t turns, int64_t took_us)
{
	bool was = p->writable;

	if (f && f->kind == FAULT_PG_DATA)
		return;
	if (!f)
		f = lease_unfit(p->db);
	p->writable = p->db->writable = !f;
	pthread_mutex_lock(&p->lock);
	p->stats.writable = p->writable;
	p->stats.unfinished = p->db->unfinished.end_count;
	p->stats.leases_lost = p->db->leases_lost;
	p->stats.clock_off_ms = p->db->clock.off_ms;
	if (f) {
		str_copy(p->stats.problem, sizeof p->stats.problem, str_of(f->text));
		p->stats.reason = f->reason;
		p->stats.busy += strcmp(f->state, "55P03") == 0;
	} else {
		p->stats.problem[0] = '\0';
		p->stats.reason = "";
		p->stats.commits++;
		p->stats.commit_us += (uint64_t)took_us;
		p->stats.turns += turns;
	}
	pthread_mutex_unlock(&p->lock);
	if (!f)
		metric_observe(METRIC_DB_TRANSACTION, (const char *[]){ "write", "", "" }, took_us);
	if (was && f)
		log_note(LOG_ERROR, "storage_failed", "%s", f->text);
	if (!was && !f)
		log_note(LOG_INFO, "storage_recovered", "the database takes writes again");
}

/* --- works --- */

static struct hand *hand_of(struct work *w)
{
	return container_of(w, struct hand, work);
}

static struct pump *pump_of(struct work *w)
{
	return w->db->pump;
}

static void batch_finish(struct pump *p, struct batch *b, const struct fault *f)
{
	struct store_job  *list = NULL;
	struct store_job **end = &list;
	size_t             turns = 0;

	for (size_t i = 0; i < b->count; i++) {
		struct store_job *job = b->jobs[i];

		if (f) {
			fault_refuse(f, &job->err);
			fail_unstored(p, job);
		}
		turns += job->kind->job == JOB_TURN_BEGIN && job->err.code == ERR_OK;
		job->next = NULL;
		*end = job;
		end = &job->next;
	}
	pthread_mutex_lock(&p->lock);
	p->stats.turns += turns;
	pthread_mutex_unlock(&p->lock);
	answer_post(list);
	free(b);
}

/* split_batch: false: no memory. */
static bool split_batch(struct hand *h, struct batch *b)
{
	struct batch *rest = calloc(1, sizeof *rest);
	size_t        half = b->count / 2;

	if (!rest)
		return false;
	rest->count = b->count - half;
	memcpy(rest->jobs, b->jobs + half, rest->count * sizeof *rest->jobs);
	b->count = half;
	rest->next = h->halves;
	b->next = rest;
	h->halves = b;
	return true;
}

static enum work_next step_batch(struct work *w)
{
	return batch_step(w, hand_of(w)->batch);
}

static void over_batch(struct work *w, const struct fault *f)
{
	struct hand  *h = hand_of(w);
	struct batch *b = TAKE(h->batch);

	h->busy = false;
	note_state(pump_of(w), f, 0, clock_mono_us() - h->began_us);
	if (f && f->kind == FAULT_PG_DATA && b->count > 1 && split_batch(h, b))
		return;
	batch_finish(pump_of(w), b, f);
}

static enum work_next step_job(struct work *w)
{
	return operation_step(w, hand_of(w)->job);
}

static void over_read(struct work *w, const struct fault *f)
{
	struct hand      *h = hand_of(w);
	struct store_job *job = TAKE(h->job);

	h->busy = false;
	if (f && h->queue == QUEUE_SEARCH)
		search_read_refuse(f, &job->err);
	else if (f)
		fault_refuse(f, &job->err);
	queues_answer(pump_of(w)->queues, job);
}

static void over_write(struct work *w, const struct fault *f)
{
	struct hand      *h = hand_of(w);
	struct store_job *job = TAKE(h->job);

	h->busy = false;
	note_state(pump_of(w), f, 0, clock_mono_us() - h->began_us);
	if (!f && job->err.code == ERR_OK)
		operation_after(w->db, job);
	answer_write(pump_of(w), job, f);
}

static void over_chore(struct work *w, const struct fault *f)
{
	struct hand *h = hand_of(w);
	struct pump *p = pump_of(w);
	int          n = h->chore;

	h->busy = false;
	p->running[n] = false;
	p->due_us[n] = clock_mono_us() + p->chores[n].every_ms * 1000;
	if (h->queue == QUEUE_TURNS)
		note_state(p, f, 0, 0);
	if (p->chores[n].kind.over)
		p->chores[n].kind.over(w, f);
}

static void pump_start(struct pump *p, struct hand *h, const struct work_kind *kind, int64_t now_us)
{
	h->kind = *kind;
	h->busy = true;
	h->began_us = now_us;
	h->work = (struct work){ .db = p->db, .link = &h->link, .kind = &h->kind };
	work_start(&h->work, now_us);
}

static bool start_chore(struct pump *p, struct hand *h, int64_t now_us, bool stopping)
{
	for (int n = 0; n < PUMP_CHORES && p->chores[n].kind.step; n++) {
		const struct pump_chore *c = &p->chores[n];

		if (c->queue != h->queue || p->running[n])
			continue;
		if (stopping ? !c->last || p->last_done[n] : now_us < p->due_us[n])
			continue;
		if (c->wanted && !c->wanted(p->db)) {
			p->due_us[n] = now_us + c->every_ms * 1000;
			p->last_done[n] = stopping;
			continue;
		}
		p->last_done[n] = stopping;
		p->running[n] = true;
		h->chore = n;
		struct work_kind kind = c->kind;
		kind.over = over_chore;
		pump_start(p, h, &kind, now_us);
		return true;
	}
	return false;
}

/* The work that a connection takes at once: a batch, or a job that is done alone. */
struct gathering {
	struct batch     *batch;
	struct store_job *job;
};

static bool gather_job(void *arg, struct store_job *job)
{
	struct gathering *g = arg;

	if (g->job)
		return false;
	if (!operation_is_gathered(job->kind)) {
		if (!g->batch)
			g->job = job;
		return g->job;
	}
	if (!g->batch)
		g->batch = calloc(1, sizeof *g->batch);
	return g->batch && batch_add(g->batch, job); /* without memory the job waits */
}

static void start_write(struct pump *p, struct hand *h, int64_t now_us)
{
	struct gathering g = { .batch = h->halves };

	if (g.batch)
		h->halves = g.batch->next;
	else
		queues_take(p->queues, h->queue, gather_job, &g);
	if (g.batch) {
		h->batch = g.batch;
		pump_start(p, h, &(struct work_kind){ WORK_IMPLICIT, step_batch, over_batch },
			   now_us);
	} else if (g.job) {
		h->job = g.job;
		pump_start(p, h,
			   &(struct work_kind){ operation_mode(g.job->kind), step_job, over_write },
			   now_us);
	}
}

static void start_read(struct pump *p, struct hand *h, int64_t now_us)
{
	struct store_job *job = queues_read(p->queues, h->queue);

	while (job && atomic_load_explicit(&job->cancelled, memory_order_relaxed)) {
		err_set(&job->err, ERR_CANCELLED, "", "nobody waits for this read");
		queues_answer(p->queues, job);
		job = queues_read(p->queues, h->queue);
	}
	if (!job)
		return;
	h->job = job;
	pump_start(p, h, &(struct work_kind){ operation_mode(job->kind), step_job, over_read },
		   now_us);
}

/* --- a lost connection --- */

static bool any_job(const struct store_job *job)
{
	(void)job;
	return true;
}

/* Ends of turns are not, nor what else is never refused for want of room. */
static bool is_bounded(const struct store_job *job)
{
	return job->kind->bound > 0;
}

/* A claim would make something this gateway's own. */
static bool is_claim(const struct store_job *job)
{
	enum job kind = job->kind->job;

	return kind == JOB_TURN_BEGIN || kind == JOB_CLAIM_TAKE || kind == JOB_SHARE_TAKE ||
	       kind == JOB_BUDGET_RESERVE;
}

/* refuse_queued: jobs that wait for a connection that is away too long.  While it is away, ends of turns wait
 * longer than begins. */
static void refuse_queued(struct pump *p, struct hand *h, int64_t away_us)
{
	struct store_job *job =
		queues_pick(p->queues, h->queue, away_us >= ENDS_US ? any_job : is_bounded);

	while (job) {
		struct store_job *next = job->next;

		fault_refuse(&h->link.fault, &job->err);
		if (queue_reads(h->queue)) {
			queues_answer(p->queues, job);
		} else {
			if (job->kind->job != JOB_TURN_BEGIN) /* it was never sent */
				fail_unstored(p, job);
			job->next = NULL;
			answer_post(job);
		}
		job = next;
	}
}

/* refuse_claims: while this gateway may lose them. */
static void refuse_claims(struct pump *p, enum queue n, const struct fault *why)
{
	struct store_job *list = queues_pick(p->queues, n, is_claim);

	for (struct store_job *job = list; job; job = job->next)
		fault_refuse(why, &job->err);
	answer_post(list);
}

static void watch_lease(struct pump *p)
{
	const struct fault *why = lease_unfit(p->db);

	if (!why)
		return;
	if (p->writable)
		note_state(p, why, 0, 0);
	refuse_claims(p, QUEUE_TURNS, why);
	refuse_claims(p, QUEUE_LOG, why);
}

static void reconnect_if_due(struct pump *p, struct hand *h, int64_t now_us, bool stopping)
{
	struct link *l = &h->link;

	if (l->state != LINK_DOWN)
		return;
	logged_doubt(p->db);
	int64_t away = l->down_us ? now_us - l->down_us : 0;
	if (stopping)
		away = ENDS_US;
	if (away >= BEGINS_US && h->queue == QUEUE_TURNS)
		note_state(p, &l->fault, 0, 0);
	if (away >= BEGINS_US)
		refuse_queued(p, h, away);
	if (now_us < h->connect_us)
		return;
	h->connect_us = now_us + CONNECT_PAUSE_US;
	link_connect(l, now_us);
}

/* --- the thread --- */

/* run_connection: gives work to the hand, and goes on with it, until it waits for the server. */
static void run_connection(struct pump *p, struct hand *h, bool stopping)
{
	for (int rounds = 0; rounds < 64; rounds++) {
		int64_t now = clock_mono_us();

		/* The work must see that its connection broke, before there is another one. */
		if (h->busy && h->link.state == LINK_DOWN && now >= h->work.resume_us &&
		    work_move(&h->work, now))
			continue;
		reconnect_if_due(p, h, now, stopping);
		if (h->busy) {
			if (work_waits(&h->work, now) && h->link.state != LINK_DOWN)
				return;
			if (h->link.state == LINK_DOWN && now < h->work.resume_us)
				return;
			bool over = work_move(&h->work, now);
			if (!over)
				return;
			continue;
		}
		if (h->link.state != LINK_IDLE)
			return;
		if (queue_reads(h->queue))
			start_read(p, h, now);
		else if (!start_chore(p, h, now, stopping))
			start_write(p, h, now);
		if (!h->busy)
			return;
	}
}

static int64_t next_time(const struct pump *p, int64_t now_us)
{
	int64_t at = now_us + 1000 * 1000;

	for (size_t i = 0; i < p->hand_count; i++) {
		const struct hand *h = &p->hands[i];
		int64_t            t = at;

		if (h->link.state == LINK_DOWN)
			t = h->connect_us;
		else if (h->link.state != LINK_IDLE)
			t = h->link.deadline_us;
		else if (h->busy && h->work.resume_us > now_us)
			t = h->work.resume_us;
		if (h->busy && h->link.state == LINK_DOWN && h->work.resume_us < t)
			t = h->work.resume_us > now_us ? h->work.resume_us : t;
		at = t < at ? t : at;
	}
	/* A chore that its connection delays is no reason to wake up. */
	for (int n = 0; n < PUMP_CHORES && p->chores[n].kind.step; n++) {
		const struct hand *h = &p->hands[p->chores[n].queue];

		if (!h->busy && h->link.state == LINK_IDLE && p->due_us[n] < at)
			at = p->due_us[n];
	}
	return at;
}

static void wait_for_work(struct pump *p)
{
	struct pollfd fds[READERS_MOST + QUEUE_READ + 1];
	int64_t       now = clock_mono_us();
	int64_t       left = next_time(p, now) - now;

	fds[0] = (struct pollfd){ .fd = queues_fd(p->queues), .events = POLLIN };
	for (size_t i = 0; i < p->hand_count; i++)
		fds[i + 1].events = link_wants(&p->hands[i].link, &fds[i + 1].fd);
	(void)poll(fds, (nfds_t)(p->hand_count + 1), left > 0 ? (int)(left / 1000 + 1) : 0);
	if (fds[0].revents)
		queues_woken(p->queues);
	now = clock_mono_us();
	for (size_t i = 0; i < p->hand_count; i++) {
		struct link *l = &p->hands[i].link;

		if (fds[i + 1].revents || (l->state != LINK_IDLE && now >= l->deadline_us))
			link_move(l, now);
	}
}

static bool is_over(struct pump *p)
{
	bool idle = true;

	for (size_t i = 0; i < p->hand_count; i++)
		idle = idle && !p->hands[i].busy && !p->hands[i].halves;
	for (int n = 0; idle && n < PUMP_CHORES && p->chores[n].kind.step; n++)
		idle = !p->chores[n].last || p->last_done[n] ||
		       p->hands[p->chores[n].queue].link.state != LINK_IDLE;
	return idle && queues_empty(p->queues);
}

static void *run_pump(void *arg)
{
	struct pump *p = arg;

	for (;;) {
		bool stopping = queues_stopping(p->queues);

		watch_lease(p);
		for (size_t i = 0; i < p->hand_count; i++)
			run_connection(p, &p->hands[i], stopping);
		if (stopping && is_over(p))
			return NULL;
		wait_for_work(p);
	}
}

/* --- outside --- */

static void make_hands(struct pump *p)
{
	struct postgres *db = p->db;

	for (size_t i = 0; i < p->hand_count; i++) {
		struct hand *h = &p->hands[i];

		h->queue = i < QUEUE_READ ? (enum queue)i : QUEUE_READ;
		h->chore = -1;
		link_init(&h->link, db->target,
			  &(struct link_how){
				  .relaxed = h->queue == QUEUE_LOG || h->queue == QUEUE_INDEX,
				  .lock_ms = db->lock_ms,
				  .statement_ms = h->queue == QUEUE_SEARCH ? LIMIT_SEARCH_MS
									   : LINK_STATEMENT_MS,
			  });
	}
}

static enum errc connect_first(struct pump *p, struct err *e)
{
	for (size_t i = 0; i < p->hand_count; i++) {
		struct link *l = &p->hands[i].link;

		link_connect(l, clock_mono_us());
		if (!link_await(l))
			return direct_fail(l, "connect to", e);
	}
	return ERR_OK;
}

enum errc pump_create(struct postgres *db, const struct pump_chore *chores, struct err *e)
{
	size_t       readers = db->options.readers > 0 ? db->options.readers : 1;
	struct pump *p = calloc(1, sizeof *p);

	if (!p)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	if (readers > READERS_MOST)
		readers = READERS_MOST;
	pthread_mutex_init(&p->lock, NULL);
	p->db = db;
	p->chores = chores;
	p->writable = db->writable = p->stats.writable = true;
	p->stats.reason = "";
	p->stats.search_complete = true;
	p->queues = queues_create();
	p->hands = calloc(readers + QUEUE_READ, sizeof *p->hands);
	if (!p->queues || !p->hands) {
		err_set(e, ERR_STORAGE, "", "out of memory");
		pump_destroy(p);
		return e->code;
	}
	p->hand_count = readers + QUEUE_READ;
	make_hands(p);
	db->pump = p;
	enum errc rc = connect_first(p, e);
	if (rc == ERR_OK && thread_start(&p->thread, "store", run_pump, p, e) != ERR_OK)
		rc = err_blame(e, FAULT_BUSY);
	if (rc != ERR_OK) {
		db->pump = NULL;
		pump_destroy(p);
		return e->code;
	}
	p->started = true;
	return ERR_OK;
}

void pump_destroy(struct pump *p)
{
	if (!p)
		return;
	if (p->started) {
		queues_stop(p->queues);
		pthread_join(p->thread, NULL);
	}
	for (size_t i = 0; i < p->hand_count; i++)
		link_finish(&p->hands[i].link);
	free(p->hands);
	queues_release(p->queues);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void pump_stats(struct pump *p, struct store_stats *ret)
{
	pthread_mutex_lock(&p->lock);
	*ret = p->stats;
	pthread_mutex_unlock(&p->lock);
	ret->queue = queues_writes(p->queues);
}

void pump_figures(struct pump *p, const struct store_stats *figures)
{
	pthread_mutex_lock(&p->lock);
	p->stats.database_bytes = figures->database_bytes;
	p->stats.search_bytes = figures->search_bytes;
	p->stats.events_bytes = figures->events_bytes;
	p->stats.search_messages = figures->search_messages;
	p->stats.search_waiting = figures->search_waiting;
	p->stats.search_complete = figures->search_complete;
	p->stats.gateways = figures->gateways;
	pthread_mutex_unlock(&p->lock);
}
