/* A run's events in two stretches: those on their way to the store, and those after them. */
#include "desk/tape.h"

#include "base/limits.h"
#include "msg/event_code.h"
#include "store/events.h"
#include "store/run.h"

#include <pthread.h>
#include <stdlib.h>

/* Events first to last. */
struct stretch {
	uint64_t   at; /* the place of its first byte */
	struct buf data;
	uint64_t   first;
	uint64_t   last;
};

struct tape {
	pthread_mutex_t
		 lock; /* guards the holders, and of a shared tape all but what is the writer's */
	unsigned holders;
	size_t   max;
	bool     shared;
	bool     committed;
	bool     full;
	bool     resting;       /* the store has both stretches, with the run's end */
	bool     forgotten;     /* it has what was handed over for that alone */
	struct stretch  handed; /* the writer's; empty_slot: nothing is on its way */
	uint64_t        stored; /* stored, newest: the writer's */
	uint64_t        newest;
	struct stretch  open; /* is added to */
	struct buf      error;
	enum run_status status;
	uint64_t        last_seq;
};

/* --- birth and death --- */

struct tape *tape_create(size_t max, bool shared)
{
	struct tape *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->holders = 1;
	t->max = max;
	t->shared = shared;
	t->status = RUN_RUNNING;
	buf_init(&t->open.data, LIMIT_COMMIT_BYTES);
	buf_init(&t->error, 4 * KIB);
	return t;
}

struct tape *tape_hold(struct tape *t)
{
	pthread_mutex_lock(&t->lock);
	t->holders++;
	pthread_mutex_unlock(&t->lock);
	return t;
}

void tape_release(struct tape *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	bool last = --t->holders == 0;
	pthread_mutex_unlock(&t->lock);
	if (!last)
		return;
	buf_finish(&t->handed.data);
	buf_finish(&t->open.data);
	buf_finish(&t->error);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* --- the writer --- */

/* A tape that is not shared is the writer's alone, and pays for no lock. */
static void lock_tape(struct tape *t)
{
	if (t->shared)
		pthread_mutex_lock(&t->lock);
}

static void unlock_tape(struct tape *t)
{
	if (t->shared)
		pthread_mutex_unlock(&t->lock);
}

bool tape_keeps(const struct tape *t)
{
	return t->max > 0 && !t->full;
}

bool tape_add(struct tape *t, const struct event *ev, uint64_t seq)
{
	uint64_t at = tape_head(t);

	lock_tape(t);
	bool ok = !t->full && event_encode(ev, seq, &t->open.data);
	unlock_tape(t);
	if (!ok)
		return false;
	t->newest = at;
	if (t->open.first == 0)
		t->open.first = seq;
	t->open.last = seq;
	return true;
}

/* begin_open: an empty stretch at this place. */
static void begin_open(struct tape *t, uint64_t at)
{
	size_t max = t->open.data.max;

	t->open = (struct stretch){ .at = at };
	buf_init(&t->open.data, max);
	t->newest = at;
}

static void empty_slot(struct tape *t, uint64_t at)
{
	buf_finish(&t->open.data);
	begin_open(t, at);
}

void tape_lose(struct tape *t)
{
	lock_tape(t);
	t->full = true;
	empty_slot(t, tape_head(t));
	unlock_tape(t);
}

void tape_commit(struct tape *t)
{
	lock_tape(t);
	t->committed = true;
	t->open.data.max = t->max;
	unlock_tape(t);
}

void tape_cut(struct tape *t)
{
	if (!t->committed)
		empty_slot(t, t->open.at);
}

struct str tape_uncommitted(const struct tape *t)
{
	return t->committed ? STR_NONE : buf_view(&t->open.data);
}

void tape_clear(struct tape *t)
{
	lock_tape(t);
	empty_slot(t, tape_head(t));
	unlock_tape(t);
	t->resting = false;
	if (t->forgotten)
		tape_forget(t);
	t->forgotten = false;
}

uint64_t tape_head(const struct tape *t)
{
	return t->open.at + t->open.data.len;
}

uint64_t tape_newest(const struct tape *t)
{
	return t->newest;
}

bool tape_next(const struct tape *t, uint64_t *at, struct event *ret, uint64_t *ret_seq)
{
	const struct stretch *s = *at < t->open.at ? &t->handed : &t->open;

	if (!t->committed || *at < s->at || *at - s->at >= s->data.len)
		return false;

	struct str rest = { s->data.data + (*at - s->at), s->data.len - (size_t)(*at - s->at) };
	size_t     before = rest.n;
	bool       ok = event_decode_again(&rest, ret, ret_seq);
	*at += before - rest.n;
	return ok;
}

void tape_end(struct tape *t, enum run_status status, uint64_t last_seq, struct str error)
{
	lock_tape(t);
	t->status = status;
	t->last_seq = last_seq;
	/* Without memory for it the end says that the run failed, and no more. */
	if (!buf_str(&t->error, error))
		buf_clear(&t->error);
	unlock_tape(t);
}

/* --- the store --- */

static struct events_piece piece_of(const struct stretch *s)
{
	return (struct events_piece){ .first = s->first,
				      .last = s->last,
				      .data = buf_view(&s->data) };
}

void tape_hand(struct tape *t, struct events_piece *ret)
{
	CHECK(t->handed.data.len == 0);
	if (t->committed && t->open.data.len > 0) {
		t->handed = t->open;
		begin_open(t, tape_head(t));
	}
	*ret = piece_of(&t->handed);
}

uint64_t tape_handed(const struct tape *t)
{
	return t->handed.last;
}

uint64_t tape_stored(const struct tape *t)
{
	return t->stored;
}

void tape_arrived(struct tape *t)
{
	t->stored = t->handed.last;
}

void tape_forget(struct tape *t)
{
	if (t->resting)
		t->forgotten = true;
	else
		buf_finish(&t->handed.data); /* its numbers stay */
}

void tape_rest(struct tape *t, struct events_piece ret[EVENTS_REST])
{
	/* Should the job fail and be tried again, it comes too late for a run that has ended; and
	 * the events after it would follow a gap.  The store knows what it has. */
	t->resting = true;
	ret[0] = piece_of(&t->handed);
	ret[1] = piece_of(&t->open);
}

/* --- readers --- */

/* whole_records: how many of the bytes after `at` are given: to the end of a record. */
static size_t whole_records(const struct tape *t, size_t at, size_t max)
{
	struct str   rest = { t->open.data.data + at, t->open.data.len - at };
	struct event ev;
	uint64_t     seq;
	uint64_t     last = 0;
	size_t       from = rest.n;

	if (rest.n <= max)
		return rest.n;
	/* An event and what goes on with it (cont) stay together. */
	while (rest.n > 0) {
		struct str before = rest;

		if (!event_decode_again(&rest, &ev, &seq))
			break;
		if (from - before.n >= max && seq != last)
			return from - before.n;
		last = seq;
	}
	return from;
}

bool tape_read(struct tape *t, uint64_t *at, size_t max, struct buf *out, struct buf *error,
	       struct tape_state *ret)
{
	bool ok = true;

	pthread_mutex_lock(&t->lock);
	uint64_t head = tape_head(t);
	bool     here = t->committed && *at >= t->open.at;
	*ret = (struct tape_state){ .full = t->full, .status = t->status, .last_seq = t->last_seq };
	if (here && *at < head) {
		size_t from = (size_t)(*at - t->open.at);
		size_t n = whole_records(t, from, max);

		ok = buf_add(out, t->open.data.data + from, n);
		*at += ok ? n : 0;
	}
	ret->has_more = here && *at < head;
	if (ok && !ret->has_more && t->status != RUN_RUNNING)
		ok = buf_str(error, buf_view(&t->error));
	pthread_mutex_unlock(&t->lock);
	return ok;
}
