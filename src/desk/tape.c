/* Events of an unstored run, gathered as bytes under a lock. */
#include "desk/tape.h"

#include "base/limits.h"
#include "msg/event_code.h"

#include <pthread.h>
#include <stdlib.h>

struct tape {
	pthread_mutex_t lock; /* guards all of it */
	unsigned        holders;
	struct buf      data;
	struct buf      error;
	bool            full;
	enum run_status status;
	uint64_t        last_seq;
};

struct tape *tape_create(void)
{
	struct tape *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->holders = 1;
	t->status = RUN_RUNNING;
	buf_init(&t->data, LIMIT_TAPE);
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
	buf_finish(&t->data);
	buf_finish(&t->error);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void tape_add(struct tape *t, const struct event *ev, uint64_t seq)
{
	pthread_mutex_lock(&t->lock);
	if (!t->full && !event_encode(ev, seq, &t->data)) {
		t->full = true;
		buf_finish(&t->data);
	}
	pthread_mutex_unlock(&t->lock);
}

void tape_end(struct tape *t, enum run_status status, uint64_t last_seq, struct str error)
{
	pthread_mutex_lock(&t->lock);
	t->status = status;
	t->last_seq = last_seq;
	/* Without memory for it the end says that the run failed, and no more. */
	if (!buf_str(&t->error, error))
		buf_clear(&t->error);
	pthread_mutex_unlock(&t->lock);
}

/* whole_records: how many of the bytes behind `at` are given: to the end of a record. */
static size_t whole_records(const struct tape *t, size_t at, size_t max)
{
	struct str   rest = { t->data.data + at, t->data.len - at };
	struct event ev;
	uint64_t     seq;
	uint64_t     last = 0;
	size_t       from = rest.n;

	if (rest.n <= max)
		return rest.n;
	/* An event and what goes on with it (cont) stay together. */
	while (rest.n > 0) {
		struct str before = rest;

		if (!event_decode(&rest, &ev, &seq))
			break;
		if (from - before.n >= max && seq != last)
			return from - before.n;
		last = seq;
	}
	return from;
}

bool tape_read(struct tape *t, size_t *at, size_t max, struct buf *out, struct buf *error,
	       struct tape_state *ret)
{
	bool ok = true;

	pthread_mutex_lock(&t->lock);
	*ret = (struct tape_state){ .full = t->full, .status = t->status, .last_seq = t->last_seq };
	if (!t->full && *at < t->data.len) {
		size_t n = whole_records(t, *at, max);

		ok = buf_add(out, t->data.data + *at, n);
		*at += ok ? n : 0;
	}
	ret->has_more = !t->full && *at < t->data.len;
	if (ok && !ret->has_more && t->status != RUN_RUNNING)
		ok = buf_str(error, buf_view(&t->error));
	pthread_mutex_unlock(&t->lock);
	return ok;
}
