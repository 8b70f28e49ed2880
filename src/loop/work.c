/* A pool of threads that work for event loops, and its queue. */
#include "loop/work.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct work_pool {
	pthread_mutex_t   lock; /* guards the members down to stopping */
	pthread_cond_t    wake;
	struct work_job  *first;
	struct work_job **end;
	size_t            queued;
	bool              stopping;

	size_t    max_queue;
	unsigned  started; /* threads to be joined */
	pthread_t threads[];
};

/* NULL: the pool is stopping and its queue is empty. */
static struct work_job *work_take(struct work_pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (!p->first && !p->stopping)
		pthread_cond_wait(&p->wake, &p->lock);

	struct work_job *job = p->first;
	if (job) {
		p->first = job->next;
		if (!p->first)
			p->end = &p->first;
		p->queued--;
	}
	pthread_mutex_unlock(&p->lock);
	return job;
}

/* Runs on the job's loop. */
static void work_handle(struct task *t)
{
	struct work_job *job = container_of(t, struct work_job, task);

	loop_owe(job->loop, -1);
	job->done(job); /* may free it */
}

static void *work_serve(void *arg)
{
	struct work_pool *p = arg;
	struct work_job  *job;

	for (job = work_take(p); job; job = work_take(p)) {
		work_now_begin(&job->unwanted);
		if (!work_now_is_unwanted())
			job->run(job);
		work_now_begin(NULL);
		job->task.fn = work_handle;
		loop_post(job->loop, &job->task);
	}
	return NULL;
}

static bool work_start(struct work_pool *p)
{
	sigset_t all;
	sigset_t old;

	/* Only the main thread takes signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	bool ok = pthread_create(&p->threads[p->started], NULL, work_serve, p) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!ok)
		return false;
	(void)pthread_setname_np(p->threads[p->started], "work");
	p->started++;
	return true;
}

enum errc work_pool_create(unsigned threads, size_t max_queue, struct work_pool **ret,
			   struct err *e)
{
	struct work_pool *p = calloc(1, sizeof *p + threads * sizeof p->threads[0]);

	if (!p)
		return err_set(e, ERR_INTERNAL, "", "out of memory for a pool of threads");
	CHECK(pthread_mutex_init(&p->lock, NULL) == 0);
	CHECK(pthread_cond_init(&p->wake, NULL) == 0);
	p->end = &p->first;
	p->max_queue = max_queue;
	while (p->started < threads)
		if (!work_start(p)) {
			work_pool_destroy(p);
			return err_set(e, ERR_INTERNAL, "", "can't start a thread");
		}
	*ret = p;
	return ERR_OK;
}

bool work_submit(struct work_pool *p, struct work_job *job)
{
	pthread_mutex_lock(&p->lock);
	bool room = !p->stopping && p->queued < p->max_queue;

	if (room) {
		loop_owe(job->loop, 1);
		job->next = NULL;
		atomic_init(&job->unwanted, false);
		*p->end = job;
		p->end = &job->next;
		p->queued++;
	}
	pthread_mutex_unlock(&p->lock);
	if (room) /* not before: the thread would wake to wait for the lock */
		pthread_cond_signal(&p->wake);
	return room;
}

void work_unwant(struct work_job *job)
{
	atomic_store_explicit(&job->unwanted, true, memory_order_relaxed);
}

void work_pool_stop(struct work_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	while (p->started > 0)
		pthread_join(p->threads[--p->started], NULL);
}

void work_pool_destroy(struct work_pool *p)
{
	if (!p)
		return;
	work_pool_stop(p);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
