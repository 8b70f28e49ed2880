/* The store's thread. */
#include "store/postgres/pump.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "store/common/answer.h"
#include "store/common/thread.h"
#include "store/postgres/batch.h"
#include "store/postgres/direct.h"
#include "store/postgres/lease.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/postgres/search_read.h"
#include "store/turn.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	CHORES = 20,
	READERS_MOST = 64,
	CONNECT_PAUSE_US = 200 * 1000, /* between two tries to connect */
	BEGINS_US = 2500 * 1000,       /* without a connection so long, new turns are refused */
	ENDS_US = 10 * 1000 * 1000,    /* and ends and everything else */
};

/* A connection and what is done on it. */
struct hand {
	struct link       link;
	struct work       work;
	struct work_kind  kind; /* of `work` */
	bool              busy;
	enum pump_lane    lane;
	int64_t           connect_us; /* when to connect again */
	struct batch     *batch;      /* owned; of the work */
	struct batch     *halves;     /* owned; the next batches */
	struct store_job *job;        /* of the work */
	int               chore;      /* of the work; -1: none */
	int64_t           began_us;
};

struct queue {
	struct store_job  *first;
	struct store_job **end;
	size_t             count;
};

struct pump {
	struct postgres         *db;
	struct pump_chore const *chores;
	int64_t                  due_us[CHORES];
	bool                     running[CHORES];
	bool                     last_done[CHORES];
	int                      wake_fd;
	pthread_t                thread;
	bool                     started;
	bool                     writable;
	struct hand             *hands; /* owned */
	size_t                   hand_count;
	atomic_bool              called;

	pthread_mutex_t    lock; /* guards what is below */
	struct queue       queues[PUMP__COUNT];
	size_t             open;  /* reads queued, done, or answered and not handled yet */
	size_t             held;  /* bytes of answers that are not handled yet */
	unsigned           users; /* those reads, and the owner; the last one frees */
	bool               stopping;
	struct store_stats stats;
};

/* --- queues --- */

static void push(struct queue *q, struct store_job *job)
{
	job->next = NULL;
	*q->end = job;
	q->end = &job->next;
	q->count++;
}

static struct store_job *pop(struct queue *q)
{
	struct store_job *job = q->first;

	if (!job)
		return NULL;
	q->first = job->next;
	if (!q->first)
		q->end = &q->first;
	q->count--;
	job->next = NULL;
	return job;
}

static enum pump_lane lane_of(const struct store_job *job)
{
	if (job->kind->lane != LANE_WRITE)
		return job->kind->lane == LANE_SEARCH ? PUMP_SEARCH : PUMP_READ;
	if (job->kind->job == JOB_EVENTS_APPEND)
		return container_of(job, struct events_append, job)->sync ? PUMP_TURNS : PUMP_LOG;
	/* A claim that a crash of the server takes along has lost its call, too. */
	enum job kind = job->kind->job;
	bool light = kind == JOB_BUDGET_RESERVE || kind == JOB_IDEM_TAKE || kind == JOB_SHARE_TAKE;

	return light ? PUMP_LOG : PUMP_TURNS;
}

static bool lane_reads(enum pump_lane lane)
{
	return lane == PUMP_READ || lane == PUMP_SEARCH;
}

static void pump_wake(struct pump *p)
{
	uint64_t one = 1;

	(void)!write(p->wake_fd, &one, sizeof one);
}

bool pump_add(struct pump *p, struct store_job *job)
{
	enum pump_lane lane = lane_of(job);
	struct queue  *q = &p->queues[lane];

	pthread_mutex_lock(&p->lock);
	size_t waiting = lane == PUMP_READ ? p->open : q->count;
	bool   room = job->kind->bound == 0 || waiting < job->kind->bound;
	bool   first = q->first == NULL;

	if (room) {
		job->pool = p;
		push(q, job);
		p->open += lane_reads(lane);
		p->users += lane_reads(lane);
	}
	pthread_mutex_unlock(&p->lock);
	if (room && first)
		pump_wake(p);
	return room;
}

void pump_call(struct pump *p)
{
	atomic_store(&p->called, true);
	pump_wake(p);
}

/* Releases the lock. */
static void let_go(struct pump *p)
{
	bool last = --p->users == 0;

	pthread_mutex_unlock(&p->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* --- answers --- */

/* Runs on the job's loop. */
static void handle_read(struct task *task)
{
	struct store_job *job = container_of(task, struct store_job, task);
	struct pump      *p = job->pool;

	pthread_mutex_lock(&p->lock);
	bool paused = p->held >= LIMIT_STORE_ANSWERS;
	p->open--;
	p->held -= job->held;
	if (paused && p->held < LIMIT_STORE_ANSWERS && !p->stopping)
		pump_wake(p);
	let_go(p);
	job->done(job); /* may free the job */
}

static void answer_read(struct pump *p, struct store_job *job)
{
	job->held = job->kind->answer_bytes(job);
	job->task.fn = handle_read;
	pthread_mutex_lock(&p->lock);
	p->held += job->held;
	pthread_mutex_unlock(&p->lock);
	loop_post(job->loop, &job->task);
}

/* unstored: what may be stored nevertheless, or must be stored later. */
static void unstored(struct pump *p, struct store_job *job)
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
		unstored(p, job);
	}
	job->next = NULL;
	answer_post(job);
}

/* What a gateway says that could not renew its lease for long. */
static const struct fault old_lease = {
	.kind = FAULT_PG_SERVER,
	.text = "the lease of this gateway can't be renewed; it begins no stored calls",
	.reason = "it may lose its place in its database",
};

static void note_state(struct pump *p, const struct fault *f, size_t turns, int64_t took_us)
{
	bool was = p->writable;

	if (f && f->kind == FAULT_PG_DATA)
		return;
	if (!f && lease_is_old(p->db))
		f = &old_lease;
	p->writable = p->db->writable = !f;
	pthread_mutex_lock(&p->lock);
	p->stats.writable = p->writable;
	p->stats.unfinished = p->db->unfinished.end_count;
	p->stats.leases_lost = p->db->leases_lost;
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
			unstored(p, job);
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

/* split: false: no memory. */
static bool split(struct hand *h, struct batch *b)
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
	if (f && f->kind == FAULT_PG_DATA && b->count > 1 && split(h, b))
		return;
	batch_finish(pump_of(w), b, f);
}

static enum work_next step_job(struct work *w)
{
	struct hand *h = hand_of(w);

	if (w->stage == 0)
		h->job->err = (struct err){ .code = ERR_OK };
	enum work_next next = operation_of(h->job->kind)->step(w, h->job);
	w->refused = h->job->err.code != ERR_OK;
	return next;
}

static void over_read(struct work *w, const struct fault *f)
{
	struct hand      *h = hand_of(w);
	struct store_job *job = TAKE(h->job);

	h->busy = false;
	if (f && h->lane == PUMP_SEARCH)
		search_read_refuse(f, &job->err);
	else if (f)
		fault_refuse(f, &job->err);
	answer_read(pump_of(w), job);
}

static void over_write(struct work *w, const struct fault *f)
{
	struct hand            *h = hand_of(w);
	struct store_job       *job = TAKE(h->job);
	const struct operation *op = operation_of(job->kind);

	h->busy = false;
	note_state(pump_of(w), f, 0, clock_mono_us() - h->began_us);
	if (!f && job->err.code == ERR_OK && op->after)
		op->after(w->db, job);
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
	if (h->lane == PUMP_TURNS)
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
	for (int n = 0; n < CHORES && p->chores[n].kind.step; n++) {
		const struct pump_chore *c = &p->chores[n];

		if (c->lane != h->lane || p->running[n])
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

/* gather: a batch from the queue's front.  *ret_job: instead the first job, which is done alone.  NULL: no
 * memory, or nothing waits. */
static struct batch *gather(struct pump *p, struct hand *h, struct store_job **ret_job)
{
	struct queue *q = &p->queues[h->lane];
	struct batch *b = NULL;

	*ret_job = NULL;
	pthread_mutex_lock(&p->lock);
	if (q->first && !operation_is_gathered(q->first->kind))
		*ret_job = pop(q);
	else if (q->first)
		b = calloc(1, sizeof *b);
	while (b && q->first && operation_is_gathered(q->first->kind) && batch_add(b, q->first))
		(void)pop(q);
	pthread_mutex_unlock(&p->lock);
	return b;
}

static void start_write(struct pump *p, struct hand *h, int64_t now_us)
{
	struct store_job *job = NULL;
	struct batch     *b = h->halves;

	if (b)
		h->halves = b->next;
	else
		b = gather(p, h, &job);
	if (b) {
		h->batch = b;
		pump_start(p, h, &(struct work_kind){ WORK_IMPLICIT, step_batch, over_batch },
			   now_us);
	} else if (job) {
		h->job = job;
		pump_start(
			p, h,
			&(struct work_kind){ operation_of(job->kind)->mode, step_job, over_write },
			now_us);
	}
}

static struct store_job *next_read(struct pump *p, enum pump_lane lane)
{
	pthread_mutex_lock(&p->lock);
	struct store_job *job =
		p->stopping || p->held < LIMIT_STORE_ANSWERS ? pop(&p->queues[lane]) : NULL;
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void start_read(struct pump *p, struct hand *h, int64_t now_us)
{
	struct store_job *job = next_read(p, h->lane);

	while (job && atomic_load_explicit(&job->cancelled, memory_order_relaxed)) {
		err_set(&job->err, ERR_CANCELLED, "", "nobody waits for this read");
		answer_read(p, job);
		job = next_read(p, h->lane);
	}
	if (!job)
		return;
	h->job = job;
	pump_start(p, h, &(struct work_kind){ operation_of(job->kind)->mode, step_job, over_read },
		   now_us);
}

/* --- a lost connection --- */

/* refuse_queued: jobs that wait for a connection that is away too long.  While it is away, ends of turns wait
 * longer than begins. */
static void refuse_queued(struct pump *p, struct hand *h, int64_t away_us)
{
	struct queue     *q = &p->queues[h->lane];
	struct queue      kept = { .end = &kept.first };
	struct queue      gone = { .end = &gone.first };
	struct store_job *job;

	pthread_mutex_lock(&p->lock);
	while ((job = pop(q)))
		push(job->kind->bound > 0 || away_us >= ENDS_US ? &gone : &kept, job);
	while ((job = pop(&kept)))
		push(q, job);
	pthread_mutex_unlock(&p->lock);
	while ((job = pop(&gone))) {
		if (lane_reads(h->lane)) {
			fault_refuse(&h->link.fault, &job->err);
			answer_read(p, job);
		} else {
			bool begins = job->kind->job == JOB_TURN_BEGIN;

			fault_refuse(&h->link.fault, &job->err);
			if (!begins) /* it was never sent */
				unstored(p, job);
			job->next = NULL;
			answer_post(job);
		}
	}
}

/* refuse_begins: what would be this gateway's own, while it may lose it. */
static void refuse_begins(struct pump *p, struct hand *h)
{
	struct queue     *q = &p->queues[h->lane];
	struct queue      kept = { .end = &kept.first };
	struct queue      gone = { .end = &gone.first };
	struct store_job *job;

	pthread_mutex_lock(&p->lock);
	while ((job = pop(q))) {
		enum job kind = job->kind->job;
		bool     begins =
			kind == JOB_TURN_BEGIN || kind == JOB_IDEM_TAKE || kind == JOB_SHARE_TAKE;

		push(begins ? &gone : &kept, job);
	}
	while ((job = pop(&kept)))
		push(q, job);
	pthread_mutex_unlock(&p->lock);
	while ((job = pop(&gone))) {
		fault_refuse(&old_lease, &job->err);
		answer_post(job);
	}
}

static void watch_lease(struct pump *p)
{
	if (!lease_is_old(p->db))
		return;
	if (p->writable)
		note_state(p, &old_lease, 0, 0);
	refuse_begins(p, &p->hands[PUMP_TURNS]);
	refuse_begins(p, &p->hands[PUMP_LOG]);
}

static void mend(struct pump *p, struct hand *h, int64_t now_us, bool stopping)
{
	struct link *l = &h->link;

	if (l->state != LINK_DOWN)
		return;
	int64_t away = l->down_us ? now_us - l->down_us : 0;
	if (stopping)
		away = ENDS_US;
	if (away >= BEGINS_US && h->lane == PUMP_TURNS)
		note_state(p, &l->fault, 0, 0);
	if (away >= BEGINS_US)
		refuse_queued(p, h, away);
	if (now_us < h->connect_us)
		return;
	h->connect_us = now_us + CONNECT_PAUSE_US;
	link_connect(l, now_us);
}

/* --- the thread --- */

/* drive: gives work to the hand, and goes on with it, until it waits for the server. */
static void drive(struct pump *p, struct hand *h, bool stopping)
{
	for (int rounds = 0; rounds < 64; rounds++) {
		int64_t now = clock_mono_us();

		/* The work must see that its connection broke, before there is another one. */
		if (h->busy && h->link.state == LINK_DOWN && now >= h->work.resume_us &&
		    work_move(&h->work, now))
			continue;
		mend(p, h, now, stopping);
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
		if (lane_reads(h->lane))
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
	/* What its connection delays is no reason to wake up. */
	for (int n = 0; n < CHORES && p->chores[n].kind.step; n++) {
		const struct hand *h = &p->hands[p->chores[n].lane];

		if (!h->busy && h->link.state == LINK_IDLE && p->due_us[n] < at)
			at = p->due_us[n];
	}
	return at;
}

static void wait(struct pump *p, bool stopping)
{
	struct pollfd fds[READERS_MOST + PUMP_READ + 1];
	int64_t       now = clock_mono_us();
	int64_t       left = next_time(p, now) - now;
	uint64_t      drained;

	fds[0] = (struct pollfd){ .fd = p->wake_fd, .events = POLLIN };
	for (size_t i = 0; i < p->hand_count; i++)
		fds[i + 1].events = link_wants(&p->hands[i].link, &fds[i + 1].fd);
	(void)stopping;
	(void)poll(fds, (nfds_t)(p->hand_count + 1), left > 0 ? (int)(left / 1000 + 1) : 0);
	if (fds[0].revents)
		(void)!read(p->wake_fd, &drained, sizeof drained);
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
	for (int n = 0; idle && n < CHORES && p->chores[n].kind.step; n++)
		idle = !p->chores[n].last || p->last_done[n] ||
		       p->hands[p->chores[n].lane].link.state != LINK_IDLE;
	pthread_mutex_lock(&p->lock);
	for (int q = 0; q < PUMP__COUNT; q++)
		idle = idle && !p->queues[q].first;
	pthread_mutex_unlock(&p->lock);
	return idle;
}

static void *serve(void *arg)
{
	struct pump *p = arg;

	for (;;) {
		pthread_mutex_lock(&p->lock);
		bool stopping = p->stopping;
		pthread_mutex_unlock(&p->lock);

		if (atomic_exchange(&p->called, false))
			memset(p->due_us, 0, sizeof p->due_us);
		watch_lease(p);
		for (size_t i = 0; i < p->hand_count; i++)
			drive(p, &p->hands[i], stopping);
		if (stopping && is_over(p))
			return NULL;
		wait(p, stopping);
	}
}

/* --- outside --- */

static void make_hands(struct pump *p)
{
	struct postgres *db = p->db;

	for (size_t i = 0; i < p->hand_count; i++) {
		struct hand *h = &p->hands[i];

		h->lane = i < PUMP_READ ? (enum pump_lane)i : PUMP_READ;
		h->chore = -1;
		link_init(&h->link, db->target,
			  &(struct link_how){
				  .relaxed = h->lane == PUMP_LOG || h->lane == PUMP_INDEX,
				  .lock_ms = db->lock_ms,
				  .statement_ms = h->lane == PUMP_SEARCH ? LIMIT_SEARCH_MS
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
	for (int q = 0; q < PUMP__COUNT; q++)
		p->queues[q].end = &p->queues[q].first;
	p->db = db;
	p->chores = chores;
	p->users = 1;
	p->writable = db->writable = p->stats.writable = true;
	p->stats.reason = "";
	p->stats.search_complete = true;
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->hands = calloc(readers + PUMP_READ, sizeof *p->hands);
	if (p->wake_fd < 0 || !p->hands) {
		err_set(e, ERR_STORAGE, "", "out of memory");
		pump_destroy(p);
		return e->code;
	}
	p->hand_count = readers + PUMP_READ;
	make_hands(p);
	db->pump = p;
	enum errc rc = connect_first(p, e);
	if (rc == ERR_OK && thread_start(&p->thread, "store", serve, p, e) != ERR_OK)
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
		pthread_mutex_lock(&p->lock);
		p->stopping = true;
		pthread_mutex_unlock(&p->lock);
		pump_wake(p);
		pthread_join(p->thread, NULL);
	}
	for (size_t i = 0; i < p->hand_count; i++)
		link_finish(&p->hands[i].link);
	free(p->hands);
	pthread_mutex_lock(&p->lock);
	p->stopping = true; /* nobody wakes it any more */
	if (p->wake_fd >= 0)
		close(p->wake_fd);
	let_go(p);
}

void pump_stats(struct pump *p, struct store_stats *ret)
{
	pthread_mutex_lock(&p->lock);
	*ret = p->stats;
	ret->queue = p->queues[PUMP_TURNS].count + p->queues[PUMP_LOG].count;
	pthread_mutex_unlock(&p->lock);
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
