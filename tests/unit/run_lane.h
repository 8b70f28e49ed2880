/* A loop on its own thread, on which a test has things done. */
#pragma once

#include "loop/loop.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct lane {
	struct loop *loop;
	pthread_t    thread;
	struct task  task;
	sem_t        ran;
	void (*fn)(void *arg);
	void *arg;
};

static inline void *lane_main(void *arg)
{
	loop_run(((struct lane *)arg)->loop);
	return NULL;
}

static inline void lane_start(struct lane *l)
{
	struct err e;

	*l = (struct lane){ 0 };
	sem_init(&l->ran, 0, 0);
	assert_int_equal(loop_create(0, &l->loop, &e), ERR_OK);
	assert_int_equal(pthread_create(&l->thread, NULL, lane_main, l), 0);
}

static inline void lane_stop(struct lane *l)
{
	loop_stop(l->loop);
	pthread_join(l->thread, NULL);
	loop_destroy(l->loop);
	sem_destroy(&l->ran);
}

static inline void lane_task(struct task *t)
{
	struct lane *l = container_of(t, struct lane, task);

	l->fn(l->arg);
	sem_post(&l->ran);
}

/* on_lane: fn there; what was posted to the loop before has run by then, too. */
static inline void on_lane(struct lane *l, void (*fn)(void *arg), void *arg)
{
	l->fn = fn;
	l->arg = arg;
	l->task.fn = lane_task;
	loop_post(l->loop, &l->task);
	while (sem_wait(&l->ran) != 0) {
	}
}

static inline void nothing_there(void *arg)
{
	(void)arg;
}
