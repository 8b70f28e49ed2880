/* Runs that wait for files: their pool has one worker and one place, and both are held as long as
 * the test wants. */
#pragma once

#include "tests/unit/run_steps.h"

#include <ftw.h>
#include <limits.h>
#include <unistd.h>

static char folder[PATH_MAX]; /* what the files of a test are in */

struct held_job {
	struct work_job job;
	sem_t           begun, go, done;
};

static struct work_pool *pool;
static struct held_job   blocker, filler;
static sem_t *const      held_sems[] = { &blocker.begun, &blocker.go, &blocker.done,
					 &filler.begun,  &filler.go,  &filler.done };

static inline void held_run(struct work_job *job)
{
	struct held_job *b = container_of(job, struct held_job, job);

	sem_post(&b->begun);
	while (sem_wait(&b->go) != 0) {
	}
}

static inline void held_done(struct work_job *job)
{
	sem_post(&container_of(job, struct held_job, job)->done);
}

static inline void block_fn(struct world *w)
{
	blocker.job = (struct work_job){ .loop = w->loop, .run = held_run, .done = held_done };
	/* The only place may still hold what the worker is about to take. */
	while (!work_submit(pool, &blocker.job))
		sched_yield();
}

/* hold_worker: the only worker is busy until let_worker. */
static inline void hold_worker(struct world *w)
{
	on_loop(w, block_fn);
	while (sem_wait(&blocker.begun) != 0) {
	}
}

static inline void let_job(struct held_job *b)
{
	sem_post(&b->go);
	while (sem_wait(&b->done) != 0) {
	}
}

static inline void let_worker(void)
{
	let_job(&blocker);
}

/* worker_is_done: what was submitted so far has been done, and its answers handled. */
static inline void worker_is_done(struct world *w)
{
	hold_worker(w);
	let_worker();
	on_loop(w, nothing);
}

static inline void fill_fn(struct world *w)
{
	filler.job = (struct work_job){ .loop = w->loop, .run = held_run, .done = held_done };
	CHECK(work_submit(pool, &filler.job));
}

/* hold_pool: the place is taken as well, until let_pool. */
static inline void hold_pool(struct world *w)
{
	hold_worker(w);
	on_loop(w, fill_fn);
}

static inline void let_pool(void)
{
	let_worker();
	let_job(&filler);
}

/* --- the world --- */

static inline void worker_world_start(struct world *w, const struct beneath *image_root)
{
	struct err e;

	assert_int_equal(work_pool_create(1, 1, &pool, &e), ERR_OK);
	for (size_t i = 0; i < ARRAY_LEN(held_sems); i++)
		sem_init(held_sems[i], 0, 0);
	world_start_with(w, pool, image_root);
}

static inline void worker_world_end(struct world *w)
{
	end_world(w);
	work_pool_destroy(pool);
	for (size_t i = 0; i < ARRAY_LEN(held_sems); i++)
		sem_destroy(held_sems[i]);
}

/* assert_asked_later: the provider is asked with this prompt, but not before the worker is let. */
static inline void assert_asked_later(struct world *w, const char *prompt)
{
	assert_trace(w, "");
	let_worker();
	worker_is_done(w);
	assert_trace(w, "start");
	assert_prompt(w, prompt);
	provider_answers(w);
	assert_trace(w, "done");
}

/* assert_asked_at_once: the provider is asked with this prompt, and the run waits for no worker. */
static inline void assert_asked_at_once(struct world *w, const char *prompt)
{
	hold_worker(w);
	ask(w);
	assert_trace(w, "start");
	assert_prompt(w, prompt);
	let_worker();
	provider_says(w, START, MESSAGE("{}"), FINISH, END);
}

/* assert_stored: the store is given these messages, and then the provider this prompt. */
static inline void assert_stored(struct world *w, const char *messages, const char *prompt)
{
	assert_true(str_starts(buf_view(&w->begun), str_of(messages)));
	store_answers(w, OP_BEGIN, ERR_OK);
	assert_trace(w, "start");
	assert_prompt(w, prompt);
	provider_answers(w);
	store_answers(w, OP_END, ERR_OK);
	assert_trace(w, "end done");
}

/* assert_refused: the reader is told why, but not where the files are. */
static inline void assert_refused(struct world *w, enum errc code, const char *path,
				  const char *text)
{
	assert_int_equal(w->done_err.code, code);
	assert_string_equal(w->done_err.path, path);
	assert_non_null(strstr(w->done_err.text, text));
	assert_null(strstr(w->done_err.text, folder));
}

/* assert_warned: the answer says that a file of an old message is missed; code NULL: it says nothing. */
static inline void assert_warned(struct world *w, const char *code)
{
	assert_int_equal(holds(reader_whole(w), "\"warnings\""), code != NULL);
	if (code)
		assert_holds(buf_view(&w->whole), code);
}

/* --- the folder --- */

static inline bool make_folder(const char *name)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/parley-%s-XXXXXX", tmp ? tmp : "/tmp", name);
	return mkdtemp(folder);
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

static inline int remove_folder(void)
{
	return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
