/* A run's surroundings for tests: a real loop on its own thread, a store and a provider that do
 * only what the test says, and a reader.  What they are asked is written down, a word each. */
#pragma once

#include "base/limits.h"
#include "msg/event_code.h"
#include "desk/live.h"
#include "run/run.h"
#include "store/store.h"
#include "store/turn.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum op { OP_LOAD, OP_BEGIN, OP_END, OP_RESERVE, OP_APPEND, OP__COUNT };

/* A run's events as the store has them. */
struct world_log {
	struct id  run;
	struct buf data;
	uint64_t   last;
	bool       ended;
};

struct world {
	struct loop *loop;
	pthread_t    thread;
	sem_t        ran;
	struct task  task;
	void (*fn)(struct world *w);

	struct buf trace; /* "begin start open …" */

	struct store      store;
	struct store_job *waiting[OP__COUNT];
	bool              refuse[OP__COUNT];
	uint64_t          upto;     /* of the last reservation asked for */
	uint64_t          last_seq; /* of the end, as it was handed in */
	enum run_status   status;
	struct usage      end_usage;
	size_t            end_key_bytes;                    /* kept for the key beside the events */
	struct buf        answer, end_error, finish_reason; /* of the end */
	struct buf        begun; /* messages and what else the beginning was given */
	enum op           op;    /* to be answered */
	enum errc         with;
	struct world_log logs[4]; /* kept after world_logs was called; in the order of their runs */
	size_t           log_count;
	size_t           append_pieces; /* of the newest job */
	bool             append_sync;
	int64_t          append_us;      /* when it was handed over, in the loop's time */
	bool             append_kept;    /* a job that failed did so only seemingly */
	const char      *append_refuses; /* text that the log takes of no run; NULL: none */
	const char      *branch;         /* what a load brings: one message; NULL: none */
	const char      *branch_instruction;
	bool             branch_live;

	struct provider      provider;
	struct provider_call call;
	provider_event_fn    on_event;
	void                *on_event_arg;
	bool                 start_fails;
	struct buf           prompt; /* messages, one a line */
	const struct event  *events;
	size_t               event_count;
	size_t               times;

	struct run_engine  *engine;
	struct run_settings settings;
	struct call_request rq;
	const struct target
		*target; /* of a model: asked first, then as its route says; NULL: provider alone */
	const char *message;
	const char *more; /* a second message; NULL: none */
	struct run *run;
	enum errc   start_rc;
	struct err  start_err;
	bool        leave_when_done;
	bool        hears_begun; /* its reader wants to */
	bool        leave_when_begun;
	struct err  done_err;
	size_t      wakes;
	size_t      released;
	struct buf  got; /* bytes read from the stream */
	bool        last;
	struct buf  whole;
	size_t      live;
	bool        over;
	size_t      take_max;
};

static inline void said(struct world *w, const char *word)
{
	CHECK(buf_text(&w->trace, word) && buf_text(&w->trace, " "));
}

/* --- the loop's thread --- */

static inline void world_task(struct task *t)
{
	struct world *w = container_of(t, struct world, task);

	w->fn(w);
	sem_post(&w->ran);
}

static inline void nothing(struct world *w)
{
	w->live = run_engine_live(w->engine);
}

static inline void post_and_wait(struct world *w, void (*fn)(struct world *w))
{
	w->fn = fn;
	w->task.fn = world_task;
	loop_post(w->loop, &w->task);
	while (sem_wait(&w->ran) != 0) {
	}
}

/* on_loop: fn on the loop's thread; then two rounds, for what it left for later. */
static inline void on_loop(struct world *w, void (*fn)(struct world *w))
{
	post_and_wait(w, fn);
	post_and_wait(w, nothing);
	post_and_wait(w, nothing);
}

static inline void *world_main(void *arg)
{
	loop_run(((struct world *)arg)->loop);
	return NULL;
}

/* --- the store --- */

static inline struct world *world_of_store(struct store *s)
{
	return container_of(s, struct world, store);
}

static inline struct world_log *log_of(struct world *w, struct id run)
{
	for (size_t i = 0; i < w->log_count; i++)
		if (w->logs[i].run.key == run.key && w->logs[i].run.secret == run.secret)
			return &w->logs[i];
	CHECK(w->log_count < ARRAY_LEN(w->logs));
	w->logs[w->log_count] = (struct world_log){ .run = run };
	buf_init(&w->logs[w->log_count].data, 64 * MIB);
	return &w->logs[w->log_count++];
}

/* log_piece: what is there already is left out; nothing may be missing in between, and the piece is
 * what it says it is. */
static inline void log_piece(struct world *w, const struct events_piece *p)
{
	struct world_log *log = log_of(w, p->run);
	struct str        rest = p->data;
	struct event      ev;
	uint64_t          before = log->last;
	uint64_t          seq = 0;
	uint64_t          at = p->first - 1;

	CHECK(p->first > 0 && p->first <= p->last && rest.n > 0);
	while (rest.n > 0) {
		CHECK(event_decode(&rest, &ev, &seq));
		CHECK(seq == at + !ev.cont);
		at = seq;
		if (log->ended || seq <= before)
			continue;
		CHECK(seq == log->last + 1 || (seq == log->last && ev.cont));
		CHECK(event_encode(&ev, seq, &log->data));
		log->last = seq;
	}
	CHECK(seq == p->last);
}

static inline bool store_takes(struct world *w, enum op op, struct store_job *job, const char *word)
{
	said(w, word);
	if (w->refuse[op]) {
		said(w, "refused");
		return false;
	}
	w->waiting[op] = job;
	return true;
}

static inline bool begin_asked(struct world *w, struct turn_begin *j)
{
	buf_clear(&w->begun);
	for (size_t i = 0; i < j->message_count; i++)
		CHECK(buf_str(&w->begun, j->messages[i].body) && buf_text(&w->begun, "\n"));
	CHECK(buf_fmt(&w->begun, "%s %.*s %.*s %.*s %s", j->new_conversation ? "new" : "old",
		      STR_ARG(j->model), STR_ARG(j->shape),
		      j->instruction_set ? (int)j->instruction.n : 3,
		      j->instruction_set ? j->instruction.p : "---",
		      j->seq_reserved == 1024 ? "1024" : "?"));
	return store_takes(w, OP_BEGIN, &j->job, "begin");
}

static inline bool end_asked(struct world *w, struct turn_end *j)
{
	buf_clear(&w->answer);
	buf_clear(&w->end_error);
	buf_clear(&w->finish_reason);
	CHECK(buf_str(&w->answer, j->answer) && buf_str(&w->end_error, j->error) &&
	      buf_str(&w->finish_reason, j->finish_reason));
	w->status = j->status;
	w->last_seq = j->last_seq;
	w->end_usage = j->usage;
	w->end_key_bytes = j->kept_answer.body.n;
	return store_takes(w, OP_END, &j->job, "end");
}

static inline bool reserve_asked(struct world *w, struct seq_reserve *j)
{
	w->upto = j->upto;
	return store_takes(w, OP_RESERVE, &j->job, "reserve");
}

static inline bool append_asked(struct world *w, struct events_append *j)
{
	/* One job at a time. */
	CHECK(!w->waiting[OP_APPEND] && j->entry_count > 0);
	w->append_pieces = j->entry_count;
	w->append_sync = j->sync;
	w->append_us = loop_now_us(w->loop);
	return store_takes(w, OP_APPEND, &j->job, "append");
}

static inline void append_done(struct world *w, struct events_append *j)
{
	for (size_t i = 0; (w->with == ERR_OK || w->append_kept) && i < j->entry_count; i++) {
		struct events_piece *p = &j->entries[i].piece;

		j->entries[i].refused =
			w->append_refuses && p->data.n > 0 &&
			memmem(p->data.p, p->data.n, w->append_refuses, strlen(w->append_refuses));
		if (!j->entries[i].refused && p->data.n > 0) /* else there is only news */
			log_piece(w, p);
	}
}

static inline void end_done(struct world *w, const struct turn_end *j)
{
	if (w->with != ERR_OK || !store_does(&w->store, JOB_EVENTS_APPEND))
		return;
	for (int i = 0; i < EVENTS_REST; i++) {
		struct events_piece p = j->events[i];

		p.run = j->run;
		if (p.data.n > 0)
			log_piece(w, &p);
	}
	log_of(w, j->run)->ended = true;
}

static inline bool world_submit(struct store *s, struct store_job *job)
{
	struct world *w = world_of_store(s);

	switch ((int)job->kind->job) {
	case JOB_TURN_BEGIN: return begin_asked(w, container_of(job, struct turn_begin, job));
	case JOB_TURN_END: return end_asked(w, container_of(job, struct turn_end, job));
	case JOB_SEQ_RESERVE: return reserve_asked(w, container_of(job, struct seq_reserve, job));
	case JOB_EVENTS_APPEND:
		return append_asked(w, container_of(job, struct events_append, job));
	case JOB_BRANCH_READ: return store_takes(w, OP_LOAD, job, "load");
	}
	fail_msg("%s was not expected", job->kind->name);
	return false;
}

static inline bool world_does(const struct job_kind *kind)
{
	return kind->job != JOB_EVENTS_APPEND;
}

static inline void bring_branch(struct world *w, struct branch_read *j)
{
	j->live = w->branch_live;
	j->expected_leaf = (struct id){ 7, 7 };
	if (w->branch_instruction) {
		j->instruction_set = true;
		j->instruction = arena_str(&j->arena, str_of(w->branch_instruction));
		CHECK(j->instruction.p);
	}
	if (!w->branch)
		return;
	j->messages = arena_alloc(&j->arena, sizeof *j->messages);
	CHECK(j->messages);
	j->leaf = j->expected_leaf;
	j->messages[0].body = arena_str(&j->arena, str_of(w->branch));
	CHECK(j->messages[0].body.p);
	j->message_count = 1;
}

static inline void answer_fn(struct world *w)
{
	struct store_job *job = TAKE(w->waiting[w->op]);

	CHECK(job);
	job->err.code = ERR_OK;
	if (w->with != ERR_OK)
		err_set(&job->err, w->with, "", "the store said no");
	if (w->op == OP_APPEND)
		append_done(w, container_of(job, struct events_append, job));
	else if (w->op == OP_END)
		end_done(w, container_of(job, struct turn_end, job));
	else if (w->with == ERR_OK && w->op == OP_LOAD)
		bring_branch(w, container_of(job, struct branch_read, job));
	job->done(job);
}

/* store_answers: what was asked has been done, or has failed. */
static inline void store_answers(struct world *w, enum op op, enum errc with)
{
	w->op = op;
	w->with = with;
	on_loop(w, answer_fn);
}

/* --- the provider --- */

static inline struct world *world_of_provider(const struct provider *p)
{
	return container_of(p, struct world, provider);
}

static inline enum errc provider_start(const struct provider *p, const struct provider_env *env,
				       const struct prompt *prompt, provider_event_fn on_event,
				       void *arg, struct provider_call **ret, struct err *e)
{
	struct world *w = world_of_provider(p);

	(void)env;
	said(w, "start");
	buf_clear(&w->prompt);
	for (size_t i = 0; i < prompt->message_count; i++)
		CHECK(buf_str(&w->prompt, prompt->messages[i]) && buf_text(&w->prompt, "\n"));
	if (w->start_fails)
		return err_set(e, ERR_UPSTREAM_CONNECT, "", "no provider there");
	w->on_event = on_event;
	w->on_event_arg = arg;
	w->call.provider = p;
	*ret = &w->call;
	return ERR_OK;
}

static inline void provider_cancel(struct provider_call *call)
{
	struct world *w = container_of(call, struct world, call);

	said(w, "cancel");
	w->on_event = NULL;
}

static inline void provider_pause(struct provider_call *call, bool pause)
{
	said(container_of(call, struct world, call), pause ? "pause" : "go");
}

/* After the last event the call is gone: what the test says then is not heard. */
static inline void give_event(struct world *w, const struct event *ev)
{
	provider_event_fn fn = w->on_event;

	if (ev->kind == EVENT_END || ev->kind == EVENT_ERROR)
		w->on_event = NULL;
	if (fn)
		fn(w->on_event_arg, ev);
}

static inline void events_fn(struct world *w)
{
	for (size_t n = 0; n < w->times; n++)
		for (size_t i = 0; i < w->event_count; i++)
			give_event(w, &w->events[i]);
}

/* provider_says: these events, again and again, in one turn of the loop. */
static inline void provider_says_often(struct world *w, const struct event *events, size_t count,
				       size_t times)
{
	w->events = events;
	w->event_count = count;
	w->times = times;
	on_loop(w, events_fn);
}
#define provider_says(w, ...)                                           \
	provider_says_often((w), (const struct event[]){ __VA_ARGS__ }, \
			    ARRAY_LEN(((const struct event[]){ __VA_ARGS__ })), 1)

/* --- the reader --- */

static inline void reader_open(void *arg)
{
	said(arg, "open");
}

static inline void reader_wake(void *arg)
{
	((struct world *)arg)->wakes++;
}

static inline void reader_done(void *arg, const struct err *e)
{
	struct world *w = arg;

	said(w, e ? "failed" : "done");
	if (e)
		w->done_err = *e;
	if (w->leave_when_done)
		run_leave(TAKE(w->run));
}

static inline void reader_begun(void *arg)
{
	struct world *w = arg;

	said(w, "begun");
	if (w->leave_when_begun)
		run_leave(TAKE(w->run));
}

static const struct run_observer reader = { reader_open, reader_wake, reader_done, NULL };
static const struct run_observer reader_of_begun = { reader_open, reader_wake, reader_done,
						     reader_begun };

static inline void leave_fn(struct world *w)
{
	CHECK(w->run);
	run_leave(TAKE(w->run));
}

static inline void reader_leaves(struct world *w)
{
	on_loop(w, leave_fn);
}

static inline void read_fn(struct world *w)
{
	CHECK(w->run);

	struct str s = run_ready(w->run, &w->last);

	if (s.n > w->take_max)
		s.n = w->take_max;
	CHECK(buf_str(&w->got, s));
	run_taken(w->run, s.n);
}

/* reader_reads: up to max bytes of what is ready. */
static inline struct str reader_reads(struct world *w, size_t max)
{
	buf_clear(&w->got);
	w->take_max = max;
	on_loop(w, read_fn);
	return buf_view(&w->got);
}

static inline void whole_fn(struct world *w)
{
	buf_clear(&w->whole);
	CHECK(w->run);
	CHECK(run_whole(w->run, &w->whole));
}

static inline struct str reader_whole(struct world *w)
{
	on_loop(w, whole_fn);
	return buf_view(&w->whole);
}

/* --- from start to end --- */

static inline const struct run_settings *world_settings(void *arg)
{
	return &((struct world *)arg)->settings;
}

static inline void world_release(void *held)
{
	((struct world *)held)->released++;
}

/* The socket of a runner, for engines that are started from now on. */
static const char *world_computer;

/* world_start_with: with a pool and a directory that images are read from. */
static inline void world_start_with(struct world *w, struct work_pool *work,
				    const struct beneath *image_root)
{
	static const struct store_ops store_ops = {
		.name = "fake",
		.submit = world_submit,
		.does = world_does,
	};
	static const struct provider_ops provider_ops = {
		.dialect = "fake",
		.start = provider_start,
		.cancel = provider_cancel,
		.pause = provider_pause,
	};
	struct buf *bufs[] = { &w->trace,  &w->answer, &w->end_error, &w->finish_reason,
			       &w->prompt, &w->got,    &w->whole,     &w->begun };
	struct err  e;

	*w = (struct world){ .provider = { .ops = &provider_ops, .name = "fake" },
			     .store = { .ops = &store_ops },
			     .settings = { .commit_after_us = 600 * 1000000ll },
			     .message = "{\"role\":\"user\",\"content\":\"hi\"}" };
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_init(bufs[i], 64 * MIB);
	w->rq.manner.family = &family_chat;
	w->rq.manner.fences = true;
	sem_init(&w->ran, 0, 0);
	assert_int_equal(loop_create(0, &w->loop, &e), ERR_OK);

	struct run_engine_options o = { .env = { .loop = w->loop, .cpu = work },
					.store = &w->store,
					.work = work,
					.image_root = image_root,
					.computer = world_computer,
					.settings = world_settings,
					.arg = w };
	assert_int_equal(run_engine_create(&o, &w->engine, &e), ERR_OK);
	assert_int_equal(pthread_create(&w->thread, NULL, world_main, w), 0);
}

static inline void world_start(struct world *w)
{
	world_start_with(w, NULL, NULL);
}

/* world_logs: from now on its store takes events, too. */
static inline void world_logs(struct world *w)
{
	static const struct store_ops logging_ops = { .name = "fake", .submit = world_submit };

	w->store.ops = &logging_ops;
}

/* world_stop: every run must be gone by then. */
static inline void world_stop(struct world *w)
{
	struct buf *bufs[] = { &w->trace,  &w->answer, &w->end_error, &w->finish_reason,
			       &w->prompt, &w->got,    &w->whole,     &w->begun };

	loop_stop(w->loop);
	pthread_join(w->thread, NULL);
	run_engine_destroy(w->engine);
	loop_destroy(w->loop);
	sem_destroy(&w->ran);
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_finish(bufs[i]);
	for (size_t i = 0; i < w->log_count; i++)
		buf_finish(&w->logs[i].data);
}

/* All that the run is given stands in the input's memory: what is used too late is found. */
static inline void ask_fn(struct world *w)
{
	struct input        *in = input_create(MIB);
	struct call_request *rq;
	struct arena        *a;
	struct str          *list;

	CHECK(in);
	a = &in->arena;
	rq = arena_alloc(a, sizeof *rq);
	CHECK(rq);
	*rq = w->rq;
	rq->input = in;
	list = arena_alloc(a, 2 * sizeof *list);
	CHECK(list);
	list[0] = arena_str(a, str_of(w->message));
	if (w->more)
		list[1] = arena_str(a, str_of(w->more));
	CHECK(!w->more || list[1].p);
	rq->what.messages = list;
	rq->what.message_count = w->more ? 2 : 1;
	rq->what.model = arena_str(a, STR("small"));
	rq->what.label = arena_str(a, STR("small"));
	rq->caller.request_id = arena_str(a, STR("req_1"));
	if (rq->what.instruction.n > 0)
		rq->what.instruction = arena_str(a, rq->what.instruction);
	CHECK(rq->what.instruction.n == 0 || rq->what.instruction.p);
	CHECK(list[0].p && rq->what.model.p && rq->what.label.p && rq->caller.request_id.p);
	rq->what.provider = w->target ? w->target->provider : &w->provider;
	rq->what.route = w->target ? w->target->model : NULL;
	rq->what.asked = w->target ? w->target->asked : STR_NONE;
	rq->held = w;
	rq->release = world_release;
	if (!rq->manner.shape)
		rq->manner.shape = rq->manner.family->shapes;
	rq->manner.want_usage = rq->manner.family == &family_chat;
	w->start_rc = run_start(w->engine, rq, w->hears_begun ? &reader_of_begun : &reader, w,
				&w->run, &w->start_err);
}

static inline void ask(struct world *w)
{
	on_loop(w, ask_fn);
}

/* The trace so far, without the last blank; it is then begun anew. */
static inline void assert_trace(struct world *w, const char *want)
{
	char got[4096];

	snprintf(got, sizeof got, "%.*s", w->trace.len ? (int)w->trace.len - 1 : 0,
		 w->trace.data ? w->trace.data : "");
	buf_clear(&w->trace);
	assert_string_equal(got, want);
}

static inline bool holds(struct str s, const char *part)
{
	return s.n > 0 && memmem(s.p, s.n, part, strlen(part));
}

static inline void over_fn(struct world *w)
{
	w->over = w->waiting[OP_END] || holds(buf_view(&w->trace), "failed ");
}

/* comes: whether s was posted, which a run that is over does no more. */
static inline bool comes(struct world *w, sem_t *s)
{
	struct timespec until;

	for (int i = 0; i < 2000; i++) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 10 * 1000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (sem_timedwait(s, &until) == 0)
			return true;
		on_loop(w, over_fn);
		if (w->over)
			return sem_trywait(s) == 0;
	}
	return false;
}
