/* A store that has one run's log and nothing else, and readers of it: what a follower is tested
 * with.  What is read is what the test has put there; answers come at once, or when it says so. */
#pragma once

#include "base/limits.h"
#include "msg/event_code.h"
#include "run/follow.h"
#include "desk/tape.h"
#include "desk/watch.h"
#include "store/events.h"
#include "store/store.h"
#include "tests/unit/run_lane.h"

#include <stdatomic.h>

enum { DESK_PIECES = 4096, DESK_WAITING = 64 };

struct desk {
	struct store        store;
	pthread_mutex_t     lock; /* guards what is below; jobs come from several loops */
	struct events_piece pieces[DESK_PIECES]; /* data owned */
	size_t              piece_count;
	struct id           run;
	struct id           conversation;
	enum run_status     status;
	uint64_t            last_seq;
	struct str          model, shape, error, answer, finish_reason;
	struct usage        usage;
	bool                swept;
	enum errc           fails; /* instead of a page */
	bool                refuses;
	bool                overlaps; /* the piece in front of a page comes once more */
	bool                holds;    /* jobs wait for desk_answer */
	size_t page_bytes;            /* at most so many, whatever the reader allows; 0: no bound */
	struct events_read *waiting[DESK_WAITING];
	size_t              waiting_count;
	size_t              reads;
	atomic_size_t       moved; /* whatever happened; for desk_settle */
};

static inline struct desk *desk_of(struct store *s)
{
	return container_of(s, struct desk, store);
}

/* --- a page --- */

static inline void page_add(struct events_read *j, const struct events_piece *p)
{
	struct events_piece *to = &j->pieces[j->piece_count++];

	*to = *p;
	to->data = arena_str(&j->arena, p->data);
	CHECK(to->data.p);
}

static inline void page_fill(struct desk *d, struct events_read *j)
{
	size_t max = d->page_bytes && d->page_bytes < j->page_bytes ? d->page_bytes : j->page_bytes;
	size_t bytes = 0;
	size_t i = 0;

	j->pieces = arena_alloc(&j->arena, (d->piece_count + 1) * sizeof *j->pieces);
	CHECK(j->pieces);
	while (i < d->piece_count && d->pieces[i].last <= j->after)
		i++;
	if (d->overlaps && i > 0)
		page_add(j, &d->pieces[i - 1]);
	for (size_t n = 0; i < d->piece_count; i++, n++) {
		bytes += d->pieces[i].data.n;
		j->has_more = n > 0 && bytes > max;
		if (j->has_more)
			break;
		page_add(j, &d->pieces[i]);
	}
}

static inline void desk_fill(struct desk *d, struct events_read *j)
{
	if (d->fails != ERR_OK) {
		err_set(&j->job.err, d->fails, "", "the store said no");
		return;
	}
	j->swept = d->swept;
	j->status = d->status;
	j->last_seq = d->last_seq;
	j->conversation = d->conversation;
	j->usage = d->usage;
	j->created_ms = 1700000000000;
	/* All of it goes with the arena: what is used too late is found. */
	j->model = arena_str(&j->arena, d->model);
	j->shape = arena_str(&j->arena, d->shape);
	j->error = arena_str(&j->arena, d->error);
	j->finish_reason = arena_str(&j->arena, d->finish_reason);
	if (!j->swept)
		page_fill(d, j);
	if (d->answer.n > 0 && !j->has_more)
		j->answer = arena_str(&j->arena, d->answer);
}

static inline void desk_done(struct task *t)
{
	struct store_job   *job = container_of(t, struct store_job, task);
	struct events_read *j = container_of(job, struct events_read, job);
	struct desk        *d = job->pool;

	pthread_mutex_lock(&d->lock);
	desk_fill(d, j);
	pthread_mutex_unlock(&d->lock);
	atomic_fetch_add(&d->moved, 1);
	job->done(job);
}

static inline bool desk_submit(struct store *s, struct store_job *job)
{
	struct events_read *j = container_of(job, struct events_read, job);
	struct desk        *d = desk_of(s);

	pthread_mutex_lock(&d->lock);
	bool takes = !d->refuses;
	bool holds = d->holds;

	CHECK(job->kind->job == JOB_EVENTS_READ);
	CHECK(j->run.key == d->run.key && j->run.secret == d->run.secret && j->owner == 5);
	d->reads++;
	if (takes) {
		j->job.pool = d;
		j->job.task.fn = desk_done;
	}
	if (takes && holds) {
		CHECK(d->waiting_count < DESK_WAITING);
		d->waiting[d->waiting_count++] = j;
	}
	pthread_mutex_unlock(&d->lock);
	atomic_fetch_add(&d->moved, 1);
	if (takes && !holds)
		loop_post(j->job.loop, &j->job.task);
	return takes;
}

/* desk_answer: what was held is answered. */
static inline void desk_answer(struct desk *d)
{
	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; i < d->waiting_count; i++)
		loop_post(d->waiting[i]->job.loop, &d->waiting[i]->job.task);
	d->waiting_count = 0;
	pthread_mutex_unlock(&d->lock);
}

static inline bool desk_cancelled(struct desk *d)
{
	CHECK(d->waiting_count == 1);
	return atomic_load(&d->waiting[0]->job.cancelled);
}

/* --- its log --- */

static inline void desk_open(struct desk *d)
{
	static const struct store_ops ops = { .name = "desk", .submit = desk_submit };

	*d = (struct desk){ .store = { .ops = &ops },
			    .run = { 77, 0xabcdef },
			    .conversation = { 78, 0x123456 },
			    .status = RUN_RUNNING,
			    .model = STR("small"),
			    .shape = STR("native") };
	pthread_mutex_init(&d->lock, NULL);
}

static inline void desk_close(struct desk *d)
{
	for (size_t i = 0; i < d->piece_count; i++)
		free((void *)(uintptr_t)d->pieces[i].data.p);
	pthread_mutex_destroy(&d->lock);
}

static inline void desk_put_bytes(struct desk *d, uint64_t first, uint64_t last, struct str bytes)
{
	char *copy = malloc(bytes.n ? bytes.n : 1);

	CHECK(copy && d->piece_count < DESK_PIECES);
	if (bytes.n > 0)
		memcpy(copy, bytes.p, bytes.n);
	pthread_mutex_lock(&d->lock);
	d->pieces[d->piece_count++] =
		(struct events_piece){ d->run, first, last, { copy, bytes.n } };
	pthread_mutex_unlock(&d->lock);
}

/* desk_put: events[0..count) as one piece; the first is number `first`, and is no `cont`. */
static inline uint64_t desk_put(struct desk *d, const struct event *events, size_t count,
				uint64_t first)
{
	uint64_t   seq = first - 1;
	struct buf out;

	buf_init(&out, 64 * MIB);
	for (size_t i = 0; i < count; i++) {
		seq += !events[i].cont;
		CHECK(event_encode(&events[i], seq, &out));
	}
	desk_put_bytes(d, first, seq, buf_view(&out));
	buf_finish(&out);
	return seq;
}

static inline void desk_end(struct desk *d, enum run_status status, uint64_t last_seq,
			    struct str error)
{
	pthread_mutex_lock(&d->lock);
	d->status = status;
	d->last_seq = last_seq;
	d->error = error;
	pthread_mutex_unlock(&d->lock);
}

/* --- readers --- */

enum leaving { LEAVES_NEVER, LEAVES_AT_OPEN, LEAVES_AT_WAKE };

struct reader {
	struct desk          *desk;
	struct lane          *lane;
	struct follow        *follow; /* NULL: gone */
	struct buf            got;
	size_t                opens, nones, wakes;
	bool                  failed;
	struct err            err;
	bool                  last;
	enum leaving          leaving;
	bool                  takes; /* at once, whatever there is */
	struct tape          *tape;  /* borrowed; it is read instead of the store */
	struct follow_options o;
	size_t                take_max;
};

static inline void reader_take(struct reader *r, size_t max)
{
	while (r->follow && max > 0) {
		struct str s = follow_ready(r->follow, &r->last);
		size_t     n = s.n < max ? s.n : max;

		if (n == 0)
			return;
		CHECK(buf_add(&r->got, s.p, n));
		max -= n;
		follow_taken(r->follow, n);
	}
}

static inline void reader_told(struct reader *r, enum leaving at)
{
	atomic_fetch_add(&r->desk->moved, 1);
	if (r->leaving == at)
		follow_leave(TAKE(r->follow));
	else if (r->takes)
		reader_take(r, SIZE_MAX);
}

static inline void reader_opened(void *arg)
{
	struct reader *r = arg;

	CHECK(r->follow && r->opens == 0 && r->nones == 0);
	r->opens++;
	reader_told(r, LEAVES_AT_OPEN);
}

static inline void reader_has_none(void *arg, const struct err *e)
{
	struct reader *r = arg;

	CHECK(r->follow && r->opens == 0 && r->nones == 0);
	r->nones++;
	r->failed = e;
	if (e)
		r->err = *e;
	r->follow = NULL;
	atomic_fetch_add(&r->desk->moved, 1);
}

static inline void reader_woken(void *arg)
{
	struct reader *r = arg;

	CHECK(r->follow && r->opens == 1 && r->nones == 0);
	r->wakes++;
	reader_told(r, LEAVES_AT_WAKE);
}

static inline void reader_start_fn(void *arg)
{
	static const struct follow_observer observer = { reader_opened, reader_has_none,
							 reader_woken };
	struct reader                      *r = arg;

	r->o.loop = r->lane->loop;
	r->o.store = &r->desk->store;
	r->o.owner = 5;
	r->o.family = &family_chat;
	r->o.want_usage = true;
	r->o.run = r->desk->run;
	r->o.observer = &observer;
	r->o.arg = r;
	if (r->tape) {
		r->o.tape = tape_hold(r->tape);
		r->o.model = r->desk->model;
		r->o.created_ms = 1700000000000;
	}
	r->follow = follow_start(&r->o);
	CHECK(r->follow && r->opens == 0 && r->nones == 0);
}

static inline void reader_init(struct reader *r, struct desk *d, struct lane *l)
{
	*r = (struct reader){ .desk = d, .lane = l };
	buf_init(&r->got, 256 * MIB);
}

static inline void reader_leave_fn(void *arg)
{
	struct reader *r = arg;

	if (r->follow)
		follow_leave(TAKE(r->follow));
}

static inline void reader_take_fn(void *arg)
{
	struct reader *r = arg;

	reader_take(r, r->take_max);
	if (r->follow)
		(void)follow_ready(r->follow, &r->last);
}

/* desk_settle: until nothing moves any more. */
static inline void desk_settle(struct desk *d, struct lane *l)
{
	size_t before;

	do {
		before = atomic_load(&d->moved);
		for (int i = 0; i < 4; i++)
			on_lane(l, nothing_there, NULL);
	} while (before != atomic_load(&d->moved));
}

static inline void reader_start(struct reader *r)
{
	on_lane(r->lane, reader_start_fn, r);
	desk_settle(r->desk, r->lane);
}

/* reader_gets: takes up to max bytes; with what came because of that. */
static inline struct str reader_gets(struct reader *r, size_t max)
{
	r->take_max = max;
	on_lane(r->lane, reader_take_fn, r);
	desk_settle(r->desk, r->lane);
	return buf_view(&r->got);
}

/* reader_gets_all: takes as long as there is something. */
static inline struct str reader_gets_all(struct reader *r)
{
	size_t before;

	do {
		before = r->got.len;
		reader_gets(r, SIZE_MAX);
	} while (r->got.len > before);
	return buf_view(&r->got);
}

static inline void reader_finish(struct reader *r)
{
	on_lane(r->lane, reader_leave_fn, r);
	desk_settle(r->desk, r->lane);
	buf_finish(&r->got);
}
