/* The pool of threads: order, a full queue, several loops, and its end. */
#include "loop/work.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct job {
	struct work_job job;
	size_t          number;
	size_t         *order;    /* where run writes its number, if at all */
	atomic_size_t  *runs;     /* how many have run */
	size_t         *dones;    /* how many are handled; their loop's */
	size_t          last;     /* the loop stops at so many; 0: never */
	bool            unwanted; /* before it was begun */
	sem_t          *begun;    /* posted by run, if there is one, */
	sem_t          *gate;     /* before it waits for this one */
	pthread_t       worker;
	bool            has_run;
	bool            blocked; /* SIGTERM, where it ran */
};

static void run(struct work_job *work)
{
	struct job *j = container_of(work, struct job, job);
	sigset_t    mask;

	if (j->begun)
		sem_post(j->begun);
	if (j->gate)
		while (sem_wait(j->gate) != 0) {
		}

	size_t n = atomic_fetch_add(j->runs, 1);
	if (j->order)
		j->order[n] = j->number;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	j->blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGUSR1) == 1;
	j->worker = pthread_self();
	j->has_run = true;
}

static void done(struct work_job *work)
{
	struct job *j = container_of(work, struct job, job);

	CHECK(j->has_run != j->unwanted);
	if (++*j->dones == j->last)
		loop_stop(j->job.loop);
}

/* What the tests have in common. */
struct world {
	struct loop      *loop;
	struct work_pool *pool;
	atomic_size_t     runs;
	size_t            dones;
	size_t            order[64];
	struct job        jobs[64];
	sem_t             begun;
	sem_t             gate;
};

static void world_start(struct world *w, unsigned threads, size_t max_queue)
{
	struct err e;

	memset(w, 0, sizeof *w);
	assert_int_equal(loop_create(0, &w->loop, &e), ERR_OK);
	assert_int_equal(work_pool_create(threads, max_queue, &w->pool, &e), ERR_OK);
	assert_int_equal(sem_init(&w->begun, 0, 0), 0);
	assert_int_equal(sem_init(&w->gate, 0, 0), 0);
	for (size_t i = 0; i < ARRAY_LEN(w->jobs); i++)
		w->jobs[i] = (struct job){
			.job = { .loop = w->loop, .run = run, .done = done },
			.number = i,
			.order = w->order,
			.runs = &w->runs,
			.dones = &w->dones,
		};
}

static void world_end(struct world *w)
{
	work_pool_destroy(w->pool);
	loop_destroy(w->loop);
	sem_destroy(&w->begun);
	sem_destroy(&w->gate);
}

/* The first job holds the only thread until the gate opens. */
static void hold_the_thread(struct world *w)
{
	w->jobs[0].begun = &w->begun;
	w->jobs[0].gate = &w->gate;
	assert_true(work_submit(w->pool, &w->jobs[0].job));
	while (sem_wait(&w->begun) != 0) {
	}
}

static void jobs_begin_in_the_order_of_submitting(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 1, 64);
	for (size_t i = 0; i < 64; i++)
		w.jobs[i].last = 64;
	hold_the_thread(&w);
	for (size_t i = 1; i < 64; i++)
		assert_true(work_submit(w.pool, &w.jobs[i].job));
	sem_post(&w.gate);
	loop_run(w.loop);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(w.order[i], i);
	world_end(&w);
}

static void a_job_runs_on_a_worker_with_signals_blocked_and_is_done_on_its_loop(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 2, 4);
	w.jobs[0].last = 1;
	assert_true(work_submit(w.pool, &w.jobs[0].job));
	loop_run(w.loop); /* done counts here, without a lock */
	assert_int_equal(w.dones, 1);
	assert_true(w.jobs[0].blocked);
	assert_false(pthread_equal(w.jobs[0].worker, pthread_self()));
	world_end(&w);
}

static void a_full_queue_refuses_and_leaves_the_job_alone(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 1, 2);
	for (size_t i = 0; i < 3; i++)
		w.jobs[i].last = 3;
	hold_the_thread(&w);
	assert_true(work_submit(w.pool, &w.jobs[1].job));
	assert_true(work_submit(w.pool, &w.jobs[2].job));

	assert_false(work_submit(w.pool, &w.jobs[3].job));
	assert_null(w.jobs[3].job.next);
	assert_null(w.jobs[3].job.task.fn);
	assert_int_equal(loop_owed(w.loop), 3);

	sem_post(&w.gate);
	loop_run(w.loop);
	assert_int_equal(loop_owed(w.loop), 0);
	assert_int_equal(atomic_load(&w.runs), 3);
	assert_false(w.jobs[3].has_run);
	assert_true(work_submit(w.pool, &w.jobs[3].job));
	world_end(&w);
	assert_true(w.jobs[3].has_run);
}

/* --- jobs that submit themselves again, or free what they are in --- */

struct chain {
	struct work_job   job;
	struct work_pool *pool;
	size_t            left;
	size_t           *total;
};

static void chain_run(struct work_job *work)
{
	struct chain *c = container_of(work, struct chain, job);

	--c->left;
	++*c->total;
}

static void chain_done(struct work_job *work)
{
	struct chain *c = container_of(work, struct chain, job);

	if (c->left > 0) {
		CHECK(work_submit(c->pool, &c->job));
		return;
	}
	loop_stop(c->job.loop);
	free(c);
}

static void done_may_submit_the_job_again_and_free_it(void **state)
{
	struct world  w;
	size_t        total = 0;
	struct chain *c = calloc(1, sizeof *c);

	(void)state;
	world_start(&w, 2, 1);
	*c = (struct chain){
		{ .loop = w.loop, .run = chain_run, .done = chain_done }, w.pool, 200, &total
	};
	assert_true(work_submit(w.pool, &c->job));
	loop_run(w.loop);
	assert_int_equal(total, 200);
	world_end(&w);
}

/* --- two loops --- */

enum { MANY = 5000 };

struct side {
	struct task       task;
	struct loop      *loop;
	struct work_pool *pool;
	pthread_t         thread;
	struct job       *jobs;
	size_t            sent;
	size_t            dones;
	size_t            refused;
	atomic_size_t    *runs;
};

/* As many as there is room for; then again, when others have had their turn. */
static void send(struct task *t)
{
	struct side *s = container_of(t, struct side, task);

	for (; s->sent < MANY; s->sent++)
		if (!work_submit(s->pool, &s->jobs[s->sent].job)) {
			s->refused++;
			loop_later(s->loop, &s->task);
			return;
		}
}

static void *side_main(void *arg)
{
	struct side *s = arg;

	loop_run(s->loop);
	return NULL;
}

static void side_start(struct side *s, struct work_pool *pool, atomic_size_t *runs)
{
	struct err e;

	*s = (struct side){ .task = { .fn = send }, .pool = pool, .runs = runs };
	assert_int_equal(loop_create(0, &s->loop, &e), ERR_OK);
	s->jobs = calloc(MANY, sizeof *s->jobs);
	assert_non_null(s->jobs);
	for (size_t i = 0; i < MANY; i++)
		s->jobs[i] = (struct job){
			.job = { .loop = s->loop, .run = run, .done = done },
			.runs = runs,
			.dones = &s->dones,
			.last = MANY,
		};
	loop_post(s->loop, &s->task);
	assert_int_equal(pthread_create(&s->thread, NULL, side_main, s), 0);
}

static void many_jobs_of_two_loops_are_all_answered_where_they_came_from(void **state)
{
	struct work_pool *pool = NULL;
	atomic_size_t     runs = 0;
	struct side       sides[2];
	struct err        e;

	(void)state;
	assert_int_equal(work_pool_create(2, 16, &pool, &e), ERR_OK);
	for (size_t i = 0; i < 2; i++)
		side_start(&sides[i], pool, &runs);
	for (size_t i = 0; i < 2; i++) {
		pthread_join(sides[i].thread, NULL);
		assert_int_equal(sides[i].dones, MANY);
		loop_destroy(sides[i].loop);
		free(sides[i].jobs);
	}
	assert_int_equal(atomic_load(&runs), 2 * MANY);
	work_pool_destroy(pool);
}

/* --- the end --- */

static void *open_the_gate(void *arg)
{
	struct world *w = arg;

	sem_post(&w->gate);
	return NULL;
}

static void destroying_finishes_what_is_queued_and_its_answers_still_come(void **state)
{
	struct world w;
	pthread_t    opener;

	(void)state;
	world_start(&w, 1, 64);
	hold_the_thread(&w);
	for (size_t i = 1; i < 20; i++)
		assert_true(work_submit(w.pool, &w.jobs[i].job));
	assert_int_equal(pthread_create(&opener, NULL, open_the_gate, &w), 0);
	work_pool_destroy(w.pool);
	w.pool = NULL;
	pthread_join(opener, NULL);
	assert_int_equal(atomic_load(&w.runs), 20);
	assert_int_equal(w.dones, 0);

	/* As a worker of the app ends: one turn of a stopped loop, without the pool. */
	loop_stop(w.loop);
	loop_run(w.loop);
	assert_int_equal(w.dones, 20);
	world_end(&w);
}

static void what_nobody_wants_any_more_is_done_without_being_run(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 1, 4);
	w.jobs[0].last = w.jobs[1].last = w.jobs[2].last = 3;
	hold_the_thread(&w);
	assert_true(work_submit(w.pool, &w.jobs[1].job));
	assert_true(work_submit(w.pool, &w.jobs[2].job));
	work_unwant(&w.jobs[0].job); /* it is too late for the first */
	work_unwant(&w.jobs[1].job);
	w.jobs[1].unwanted = true;
	sem_post(&w.gate);
	loop_run(w.loop);
	assert_int_equal(w.dones, 3);
	assert_int_equal(atomic_load(&w.runs), 2);
	world_end(&w);
}

static void a_stopped_pool_refuses(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 2, 4);
	work_pool_stop(w.pool);
	assert_false(work_submit(w.pool, &w.jobs[0].job));
	work_pool_stop(w.pool);
	assert_false(work_submit(w.pool, &w.jobs[0].job));
	assert_int_equal(atomic_load(&w.runs), 0);
	world_end(&w);
}

static void no_pool_is_fine_to_end(void **state)
{
	(void)state;
	work_pool_stop(NULL);
	work_pool_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_begin_in_the_order_of_submitting),
		cmocka_unit_test(
			a_job_runs_on_a_worker_with_signals_blocked_and_is_done_on_its_loop),
		cmocka_unit_test(a_full_queue_refuses_and_leaves_the_job_alone),
		cmocka_unit_test(done_may_submit_the_job_again_and_free_it),
		cmocka_unit_test(many_jobs_of_two_loops_are_all_answered_where_they_came_from),
		cmocka_unit_test(destroying_finishes_what_is_queued_and_its_answers_still_come),
		cmocka_unit_test(what_nobody_wants_any_more_is_done_without_being_run),
		cmocka_unit_test(a_stopped_pool_refuses),
		cmocka_unit_test(no_pool_is_fine_to_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
