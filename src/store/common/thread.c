/* Threads, timed waits and answers of the storage engine. */
#include "store/common/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum errc thread_start(pthread_t *ret, const char *name, void *(*fn)(void *), void *arg,
		       struct err *e)
{
	sigset_t all;
	sigset_t old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(ret, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return err_set(e, ERR_STORAGE, "", "can't start the thread %s (error %d)", name,
			       rc);
	(void)pthread_setname_np(*ret, name);
	return ERR_OK;
}

void thread_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	CHECK(pthread_condattr_init(&attr) == 0);
	CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	CHECK(pthread_cond_init(c, &attr) == 0);
	pthread_condattr_destroy(&attr);
}

void thread_wait_ms(pthread_cond_t *c, pthread_mutex_t *m, int64_t ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	(void)pthread_cond_timedwait(c, m, &t);
}

static void run_chain(struct task *task)
{
	struct store_job *next = container_of(task, struct store_job, task);

	while (next) {
		struct store_job *job = next;

		next = job->next; /* done may free the job */
		job->done(job);
	}
}

/* Moves the jobs of head's loop from *rest to the chain after head. */
static void answer_gather(struct store_job *head, struct store_job **rest)
{
	struct store_job *tail = head;

	while (*rest) {
		struct store_job *job = *rest;

		if (job->loop != head->loop) {
			rest = &job->next;
			continue;
		}
		*rest = job->next;
		tail->next = job;
		tail = job;
	}
	tail->next = NULL;
}

void answer_post(struct store_job *list)
{
	while (list) {
		struct store_job *head = list;

		list = head->next;
		answer_gather(head, &list);
		head->task.fn = run_chain;
		loop_post(head->loop, &head->task);
	}
}
