/* What the tests of storage engines share: a loop that is a queue, a database in a directory of
 * its own, and jobs that are waited for.  Included once by each test program. */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/limits.h"
#include "store/engine.h"
#include "store/turn.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define HELP __attribute__((unused)) static

/* --- a loop of one queue --- */

struct loop {
	pthread_mutex_t lock;
	pthread_cond_t  wake;
	struct task    *first;
	struct task   **end;
	size_t          posts;
	size_t          done; /* jobs done; the loop's thread only */
};

void loop_post(struct loop *l, struct task *t)
{
	t->next = NULL;
	pthread_mutex_lock(&l->lock);
	*l->end = t;
	l->end = &t->next;
	l->posts++;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

HELP void loop_set_up(struct loop *l)
{
	*l = (struct loop){ .end = &l->first };
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
}

/* Runs tasks until n jobs were done since the loop was made. */
HELP void loop_until(struct loop *l, size_t n)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 60;
	while (l->done < n) {
		pthread_mutex_lock(&l->lock);
		while (!l->first)
			assert_int_equal(pthread_cond_timedwait(&l->wake, &l->lock, &deadline), 0);
		struct task *t = l->first;
		l->first = NULL;
		l->end = &l->first;
		pthread_mutex_unlock(&l->lock);
		while (t) {
			struct task *next = t->next;

			t->fn(t);
			t = next;
		}
	}
}

HELP void count_done(struct store_job *job)
{
	job->loop->done++;
}

/* --- a database --- */

struct fixture {
	char                 dir[64];
	char                 path[96]; /* as the option `database` names it */
	struct store_options options;
	struct store        *store;
	struct loop          loop;
	struct err           err;
};

/* What differs between engines: `engine`, its table; database_make and database_remove; SQL from outside, as
 * another program would do it (outside, outside_int); and another program that holds what writes need
 * (outside_hold, outside_release). */
#ifndef ENGINE_HEADER
#define ENGINE_HEADER "engine_sqlite.h"
#endif
#include ENGINE_HEADER

HELP int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	database_make(f);
	f->options = (struct store_options){
		.path = f->path, .readers = 2, .busy_ms = 2000, .migrate = true
	};
	loop_set_up(&f->loop);
	*state = f;
	return 0;
}

HELP int tear_down(void **state)
{
	struct fixture *f = *state;

	store_destroy(f->store);
	database_remove(f);
	free(f);
	return 0;
}

/* A connection has to stand within its limit, which a busy machine may exceed; then nothing was done, and it is tried
 * again. */
HELP bool connects_again(const struct err *e, int tries)
{
	return e->code == ERR_STORAGE && e->fault == FAULT_BUSY && tries < 10 &&
	       str_starts(str_of(e->text), STR("can't connect to"));
}

HELP enum errc try_open(struct fixture *f)
{
	int tries = 0;

	do {
		f->err = (struct err){ .code = ERR_OK };
		engine->open(&f->options, &f->store, &f->err);
	} while (connects_again(&f->err, tries++));
	return f->err.code;
}

HELP enum errc at_once(const struct fixture *f, enum job kind, struct store_job *job, struct err *e)
{
	int tries = 0;

	do {
		*e = (struct err){ .code = ERR_OK };
		engine->at_once(&f->options, kind, job, e);
	} while (connects_again(e, tries++));
	return e->code;
}

HELP void open_store(struct fixture *f)
{
	if (try_open(f) != ERR_OK)
		fail_msg("store_open: %s", f->err.text);
}

HELP void close_store(struct fixture *f)
{
	store_destroy(f->store);
	f->store = NULL;
}

/* --- jobs, each waited for --- */

#define SUBMIT(f, kind, j) \
	((j)->job.loop = &(f)->loop, (j)->job.done = count_done, store_##kind((f)->store, (j)))
#define DO(f, kind, j)                             \
	__extension__({                            \
		size_t want_ = (f)->loop.done + 1; \
		assert_true(SUBMIT(f, kind, j));   \
		loop_until(&(f)->loop, want_);     \
		(j)->job.err.code;                 \
	})

/* The start of a new conversation with one message. */
HELP struct turn_begin first_turn(struct store_message *m, const char *body)
{
	*m = (struct store_message){ id_new(), str_of(body) };
	return (struct turn_begin){
		.now_ms = clock_wall_ms(),
		.run = id_new(),
		.conversation = id_new(),
		.new_conversation = true,
		.model = STR("echo"),
		.provider = STR("echo"),
		.shape = STR("native"),
		.messages = m,
		.message_count = 1,
		.seq_reserved = 1000,
	};
}

/* The next turn of a conversation that was read. */
HELP struct turn_begin next_turn(const struct branch_read *b, struct store_message *m,
				 const char *body)
{
	struct turn_begin t = first_turn(m, body);

	t.owner = b->owner;
	t.conversation = b->conversation;
	t.new_conversation = false;
	t.parent = b->leaf;
	t.expected_leaf = b->expected_leaf;
	return t;
}

HELP struct turn_end end_of(struct id run, enum run_status status, const char *answer)
{
	return (struct turn_end){
		.run = run,
		.status = status,
		.answer = str_of(answer),
		.finish_reason = answer ? STR("stop") : STR_NONE,
		.completed_ms = clock_wall_ms(),
		.last_seq = 7,
		.attempts = 1,
	};
}

/* One whole turn, question and answer. */
HELP void whole_turn(struct fixture *f, struct turn_begin *t, const char *answer)
{
	assert_int_equal(DO(f, turn_begin, t), ERR_OK);
	struct turn_end end = end_of(t->run, RUN_COMPLETED, answer);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

HELP struct branch_read branch_of(struct id conversation)
{
	struct branch_read b = { .conversation = conversation };

	arena_init(&b.arena, 8 * MIB);
	return b;
}

/* Reads the branch anew; the last reading's memory goes. */
HELP void reread(struct fixture *f, struct branch_read *b)
{
	arena_finish(&b->arena);
	assert_int_equal(DO(f, branch_read, b), ERR_OK);
}

HELP enum run_status status_of(struct fixture *f, struct id run)
{
	struct run_read r = { .run = run };

	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, run_read, &r), ERR_OK);
	arena_finish(&r.arena);
	return r.status;
}

#define assert_str(s, text)                                \
	do {                                               \
		assert_int_equal((s).n, strlen(text));     \
		assert_memory_equal((s).p, (text), (s).n); \
	} while (0)
