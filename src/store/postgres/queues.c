/* Jobs that wait for the store's thread, and answers of reads that wait for their loops. */
#include "store/postgres/pump.h"

#include "base/limits.h"
#include "store/turn.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct waiting {
	struct store_job  *first;
	struct store_job **end;
	size_t             count;
};

struct queues {
	int             wake_fd;
	pthread_mutex_t lock; /* guards what is below */
	struct waiting  of[QUEUE__COUNT];
	size_t          open;  /* reads queued, done, or answered and not handled yet */
	size_t          held;  /* bytes of answers that are not handled yet */
	unsigned        users; /* open reads, and the owner; the last one frees */
	bool            stopping;
};

static void push_job(struct waiting *w, struct store_job *job)
{
	job->next = NULL;
	*w->end = job;
	w->end = &job->next;
	w->count++;
}

static struct store_job *pop_job(struct waiting *w)
{
	struct store_job *job = w->first;

	if (!job)
		return NULL;
	w->first = job->next;
	if (!w->first)
		w->end = &w->first;
	w->count--;
	job->next = NULL;
	return job;
}

struct queues *queues_create(void)
{
	struct queues *q = calloc(1, sizeof *q);

	if (!q)
		return NULL;
	q->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->wake_fd < 0) {
		free(q);
		return NULL;
	}
	pthread_mutex_init(&q->lock, NULL);
	for (int n = 0; n < QUEUE__COUNT; n++)
		q->of[n].end = &q->of[n].first;
	q->users = 1;
	return q;
}

/* Releases the lock. */
static void let_go(struct queues *q)
{
	bool last = --q->users == 0;

	pthread_mutex_unlock(&q->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&q->lock);
	free(q);
}

void queues_release(struct queues *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stopping = true; /* nobody wakes it any more */
	close(q->wake_fd);
	let_go(q);
}

/* --- in --- */

static enum queue queue_of(const struct store_job *job)
{
	enum job kind = job->kind->job;

	if (job->kind->lane != LANE_WRITE)
		return job->kind->lane == LANE_SEARCH ? QUEUE_SEARCH : QUEUE_READ;
	if (kind == JOB_EVENTS_APPEND)
		return container_of(job, const struct events_append, job)->sync ? QUEUE_TURNS
										: QUEUE_LOG;
	/* A crash of the server may take such a claim along: then a turn does not begin (turn_begin.c), and another
	 * call has its answer for its own client only (answer_keep.c). */
	bool light = kind == JOB_BUDGET_RESERVE || kind == JOB_CLAIM_TAKE || kind == JOB_SHARE_TAKE;

	return light ? QUEUE_LOG : QUEUE_TURNS;
}

static void queues_wake(struct queues *q)
{
	uint64_t one = 1;

	(void)!write(q->wake_fd, &one, sizeof one);
}

bool queues_add(struct queues *q, struct store_job *job)
{
	enum queue      n = queue_of(job);
	struct waiting *w = &q->of[n];

	pthread_mutex_lock(&q->lock);
	size_t count = n == QUEUE_READ ? q->open : w->count;
	bool   room = job->kind->bound == 0 || count < job->kind->bound;
	bool   first = w->first == NULL;

	if (room) {
		job->pool = q;
		push_job(w, job);
		q->open += queue_reads(n);
		q->users += queue_reads(n);
	}
	pthread_mutex_unlock(&q->lock);
	if (room && first)
		queues_wake(q);
	return room;
}

void queues_stop(struct queues *q)
{
	pthread_mutex_lock(&q->lock);
	q->stopping = true;
	pthread_mutex_unlock(&q->lock);
	queues_wake(q);
}

size_t queues_writes(struct queues *q)
{
	pthread_mutex_lock(&q->lock);
	size_t count = q->of[QUEUE_TURNS].count + q->of[QUEUE_LOG].count;
	pthread_mutex_unlock(&q->lock);
	return count;
}

/* --- out --- */

int queues_fd(const struct queues *q)
{
	return q->wake_fd;
}

void queues_woken(struct queues *q)
{
	uint64_t drained;

	(void)!read(q->wake_fd, &drained, sizeof drained);
}

bool queues_stopping(struct queues *q)
{
	pthread_mutex_lock(&q->lock);
	bool stopping = q->stopping;
	pthread_mutex_unlock(&q->lock);
	return stopping;
}

bool queues_empty(struct queues *q)
{
	bool empty = true;

	pthread_mutex_lock(&q->lock);
	for (int n = 0; n < QUEUE__COUNT; n++)
		empty = empty && !q->of[n].first;
	pthread_mutex_unlock(&q->lock);
	return empty;
}

struct store_job *queues_read(struct queues *q, enum queue n)
{
	struct store_job *job = NULL;

	pthread_mutex_lock(&q->lock);
	if (q->stopping || q->held < LIMIT_STORE_ANSWERS)
		job = pop_job(&q->of[n]);
	pthread_mutex_unlock(&q->lock);
	return job;
}

void queues_take(struct queues *q, enum queue n, bool (*take)(void *arg, struct store_job *job),
		 void *arg)
{
	struct waiting *w = &q->of[n];

	pthread_mutex_lock(&q->lock);
	while (w->first && take(arg, w->first))
		(void)pop_job(w);
	pthread_mutex_unlock(&q->lock);
}

struct store_job *queues_pick(struct queues *q, enum queue n,
			      bool (*picked)(const struct store_job *job))
{
	struct waiting   *w = &q->of[n];
	struct waiting    kept = { .end = &kept.first };
	struct waiting    gone = { .end = &gone.first };
	struct store_job *job;

	pthread_mutex_lock(&q->lock);
	while ((job = pop_job(w)))
		push_job(picked(job) ? &gone : &kept, job);
	while ((job = pop_job(&kept)))
		push_job(w, job);
	pthread_mutex_unlock(&q->lock);
	return gone.first;
}

/* --- answers of reads --- */

/* Runs on the job's loop. */
static void handle_read(struct task *task)
{
	struct store_job *job = container_of(task, struct store_job, task);
	struct queues    *q = job->pool;

	pthread_mutex_lock(&q->lock);
	bool paused = q->held >= LIMIT_STORE_ANSWERS;
	q->open--;
	q->held -= job->held;
	if (paused && q->held < LIMIT_STORE_ANSWERS && !q->stopping)
		queues_wake(q);
	let_go(q);
	job->done(job); /* may free the job */
}

void queues_answer(struct queues *q, struct store_job *job)
{
	job->held = job->kind->answer_bytes(job);
	job->task.fn = handle_read;
	pthread_mutex_lock(&q->lock);
	q->held += job->held;
	pthread_mutex_unlock(&q->lock);
	loop_post(job->loop, &job->task);
}
