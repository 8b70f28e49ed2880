/* Turns by their runs, in the order in which they began. */
#include "store/sqlite/search/search_recent.h"

#include "base/limits.h"
#include "base/list.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHAIN_BITS = 12, /* about as many chains as there are turns when the indexer comes */
	/* A larger turn would push out hundreds of others, and costs the indexer more than the read. */
	TURN_BYTES = LIMIT_SEARCH_RECENT / 16,
};

struct recent {
	struct list_link   link; /* in the order of begins */
	struct recent     *next; /* with the same hash; the newest is first */
	int64_t            run;
	size_t             bytes; /* size of all its text */
	bool               ended;
	char              *answer; /* owned */
	struct search_turn turn;
	/* turn.messages; their bodies follow. */
	struct store_message messages[];
};

struct search_recent {
	pthread_mutex_t  lock; /* guards what is below */
	bool             keep;
	struct list_head turns;
	size_t           bytes; /* size of all turns */
	size_t           fresh; /* size of those that have ended since the indexer last looked */
	struct recent   *chains[1 << CHAIN_BITS];
};

struct search_recent *search_recent_create(void)
{
	struct search_recent *r = calloc(1, sizeof *r);

	if (r)
		pthread_mutex_init(&r->lock, NULL);
	return r;
}

/* search_recent_find: where the pointer to the turn is, which may be NULL.  Keys count upwards from the
 * time in milliseconds (id.h); the factor, 2^64 by the golden ratio, spreads them. */
static struct recent **search_recent_find(struct search_recent *r, int64_t run)
{
	uint64_t        hash = (uint64_t)run * UINT64_C(0x9e3779b97f4a7c15);
	struct recent **at = &r->chains[hash >> (64 - CHAIN_BITS)];

	while (*at && (*at)->run != run)
		at = &(*at)->next;
	return at;
}

static struct recent *search_recent_take_out(struct search_recent *r, struct recent **at)
{
	struct recent *t = *at;

	CHECK(t != NULL);
	*at = t->next;
	list_take_out(&t->link);
	r->bytes -= t->bytes;
	return t;
}

static void recent_free(struct recent *t)
{
	free(t->answer);
	free(t);
}

static void search_recent_remove(struct search_recent *r, struct recent **at)
{
	recent_free(search_recent_take_out(r, at));
}

/* Leaves at most this many bytes. */
static void search_recent_shrink(struct search_recent *r, size_t most)
{
	const struct recent *t = LIST_FIRST(&r->turns, struct recent, link);

	for (; t && r->bytes > most; t = LIST_FIRST(&r->turns, struct recent, link))
		search_recent_remove(r, search_recent_find(r, t->run));
}

void search_recent_destroy(struct search_recent *r)
{
	if (!r)
		return;
	search_recent_shrink(r, 0);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* A turn with copies of the messages; NULL: they are too large, or there is no memory. */
static struct recent *recent_create(const struct store_message *messages, size_t count)
{
	size_t         bytes = 0;
	struct recent *t;

	for (size_t i = 0; i < count && bytes <= TURN_BYTES; i++)
		bytes += messages[i].body.n + sizeof messages[i];
	if (bytes > TURN_BYTES)
		return NULL;
	t = malloc(sizeof *t + bytes);
	if (!t)
		return NULL;
	*t = (struct recent){ .bytes = sizeof *t + bytes };
	t->turn.messages = t->messages;
	t->turn.message_count = count;

	char *at = (char *)&t->messages[count];
	for (size_t i = 0; i < count; i++) {
		struct str body = messages[i].body;

		t->messages[i] = (struct store_message){ messages[i].id, { at, body.n } };
		if (body.n > 0)
			memcpy(at, body.p, body.n);
		at += body.n;
	}
	return t;
}

static void search_recent_put(struct search_recent *r, struct recent *t)
{
	struct recent **at = search_recent_find(r, t->run);

	t->next = *at;
	*at = t;
	list_put_back(&r->turns, &t->link);
	r->bytes += t->bytes;
	search_recent_shrink(r, LIMIT_SEARCH_RECENT);
}

void search_recent_begin(struct search_recent *r, struct id run, int64_t owner,
			 int64_t conversation, const struct store_message *messages, size_t count)
{
	if (!r)
		return;
	search_recent_drop(r, run.key); /* its transaction was rolled back, and is repeated */

	struct recent *t = recent_create(messages, count);
	if (!t)
		return;
	t->run = run.key;
	t->turn.owner = owner;
	t->turn.conversation = conversation;
	pthread_mutex_lock(&r->lock);
	if (r->keep)
		search_recent_put(r, t);
	else
		recent_free(t);
	pthread_mutex_unlock(&r->lock);
}

/* False: the turn can't be kept. */
static bool recent_end(struct recent *t, struct str answer)
{
	char *copy = NULL;

	if (answer.n > TURN_BYTES)
		return false;
	if (answer.n > 0) {
		copy = malloc(answer.n);
		if (!copy)
			return false;
		memcpy(copy, answer.p, answer.n);
	}
	free(t->answer); /* answer of an end that was rolled back */
	t->bytes += answer.n - t->turn.answer.n;
	t->answer = copy;
	t->turn.answer = (struct str){ copy, answer.n };
	t->ended = true;
	return true;
}

void search_recent_end(struct search_recent *r, struct id run, struct str answer)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	struct recent **at = search_recent_find(r, run.key);
	if (*at) {
		struct recent *t = *at;
		size_t         had = t->bytes;

		if (recent_end(t, answer)) {
			r->bytes += t->bytes - had;
			r->fresh += t->bytes;
			search_recent_shrink(r, LIMIT_SEARCH_RECENT);
		} else {
			search_recent_remove(r, at);
		}
	}
	pthread_mutex_unlock(&r->lock);
}

struct search_turn *search_recent_take(struct search_recent *r, int64_t run)
{
	struct recent *t = NULL;

	pthread_mutex_lock(&r->lock);
	struct recent **at = search_recent_find(r, run);
	if (*at && (*at)->ended)
		t = search_recent_take_out(r, at);
	pthread_mutex_unlock(&r->lock);
	return t ? &t->turn : NULL;
}

void search_recent_drop(struct search_recent *r, int64_t run)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	struct recent **at = search_recent_find(r, run);
	if (*at)
		search_recent_remove(r, at);
	pthread_mutex_unlock(&r->lock);
}

bool search_recent_fills(struct search_recent *r)
{
	pthread_mutex_lock(&r->lock);
	bool fills = r->fresh >= LIMIT_SEARCH_RECENT / 2;
	pthread_mutex_unlock(&r->lock);
	return fills;
}

void search_recent_seen(struct search_recent *r)
{
	pthread_mutex_lock(&r->lock);
	r->fresh = 0;
	pthread_mutex_unlock(&r->lock);
}

void search_recent_keep(struct search_recent *r, bool keep)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->keep = keep;
	if (!keep)
		search_recent_shrink(r, 0);
	pthread_mutex_unlock(&r->lock);
}

void search_turn_free(struct search_turn *t)
{
	if (t)
		recent_free(container_of(t, struct recent, turn));
}
