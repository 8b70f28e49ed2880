/* Sums of usage in two tables: one gathers while the other is written. */

#include "base/hash.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/money.h"
#include "msg/price.h"
#include "store/usage.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

enum { BUCKETS = 512 };

struct table {
	struct usage_sum *buckets[BUCKETS]; /* owned */
	size_t            count;            /* sums without tags */
	size_t            tagged;           /* with tags */
};

struct usage_gather {
	pthread_mutex_t lock;    /* guards the table that gathers */
	struct table   *now;     /* owned */
	struct table   *written; /* owned; the table that is being written */
	void (*first)(void *arg);
	void *arg;
};

uint64_t usage_session(int64_t owner, struct str name)
{
	return mix_str(MIX_BEGIN ^ (uint64_t)owner, name) | 1;
}

void usage_session_name(int64_t owner, uint64_t session, char ret[BUDGET_NAME])
{
	snprintf(ret, BUDGET_NAME, "sess:%016llx:%016llx", (unsigned long long)owner,
		 (unsigned long long)session);
}

void usage_each_name(const char *id, struct str tag, struct str value, char ret[BUDGET_NAME])
{
	static const char prefix[] = "each:";
	char              text[IDENTITY_ID_MAX + LIMIT_TAG_NAME + LIMIT_TAG_VALUE + 3];
	unsigned char     sum[HASH_BYTES];
	int n = snprintf(text, sizeof text, "%s %.*s=%.*s", id, STR_ARG(tag), STR_ARG(value));

	hash_sha256(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1, sum);
	memcpy(ret, prefix, sizeof prefix - 1);
	hash_hex(sum, HASH_BYTES / 2, ret + sizeof prefix - 1);
}

bool usage_next_name(struct str *names, struct str *ret)
{
	const char *space = names->n > 0 ? memchr(names->p, ' ', names->n) : NULL;

	*ret = (struct str){ names->p, space ? (size_t)(space - names->p) : names->n };
	names->p += ret->n + (space != NULL);
	names->n -= ret->n + (space != NULL);
	return ret->n > 0;
}

struct usage_gather *usage_gather_create(void (*first)(void *arg), void *arg)
{
	struct usage_gather *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	pthread_mutex_init(&g->lock, NULL);
	g->first = first;
	g->arg = arg;
	g->now = calloc(1, sizeof *g->now);
	g->written = calloc(1, sizeof *g->written);
	if (g->now && g->written)
		return g;
	usage_gather_destroy(g);
	return NULL;
}

static void usage_gather_empty(struct table *t)
{
	for (size_t i = 0; t && i < BUCKETS; i++)
		while (t->buckets[i]) {
			struct usage_sum *s = t->buckets[i];

			t->buckets[i] = s->next;
			free(s);
		}
	if (t)
		t->count = t->tagged = 0;
}

void usage_gather_destroy(struct usage_gather *g)
{
	if (!g)
		return;
	usage_gather_empty(g->now);
	usage_gather_empty(g->written);
	free(g->now);
	free(g->written);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static uint64_t usage_gather_mix(uint64_t h, const char *text)
{
	return mix_byte(mix_str(h, str_of(text)), 0xff);
}

static struct usage_sum **usage_gather_place(struct table *t, const struct usage_note *n)
{
	uint64_t h = usage_gather_mix(
		usage_gather_mix(usage_gather_mix(MIX_BEGIN, n->key), n->model), n->provider);

	return &t->buckets[mix_str(h, n->tags) % BUCKETS];
}

static bool usage_gather_same(const struct usage_note *a, const struct usage_note *b)
{
	return a->at_ms / DAY_MS == b->at_ms / DAY_MS && strcmp(a->key, b->key) == 0 &&
	       strcmp(a->group, b->group) == 0 && strcmp(a->model, b->model) == 0 &&
	       strcmp(a->provider, b->provider) == 0 && str_eq(a->tags, b->tags);
}

static bool has_tags(const struct usage_note *n)
{
	return n->tags.n > 2;
}

static bool table_is_empty(const struct table *t)
{
	return t->count + t->tagged == 0;
}

static void usage_gather_add_count(int64_t *to, int64_t v)
{
	*to = money_add(*to, v < 0 ? 0 : v > PRICE_TOKENS ? PRICE_TOKENS : v);
}

static void add_sum(struct usage_sum *s, const struct usage_note *n, const int64_t counts[3])
{
	struct usage *u = &s->note.usage;

	s->calls += counts[0];
	s->estimated += counts[1];
	s->unpriced += counts[2];
	u->in = money_add(u->in, n->usage.in);
	u->out = money_add(u->out, n->usage.out);
	u->cached_read = money_add(u->cached_read, n->usage.cached_read);
	u->reasoning = money_add(u->reasoning, n->usage.reasoning);
	s->note.nano = money_add(s->note.nano, n->nano);
}

/* usage_gather_find: the entry, created if there is none. In a full table, further calls count for
 * no tags, then for no key. */
static struct usage_sum *usage_gather_find(struct table *t, const struct usage_note *n)
{
	struct usage_sum **at = usage_gather_place(t, n);
	struct usage_sum  *s = *at;

	while (s && !usage_gather_same(&s->note, n))
		s = s->next;
	if (s)
		return s;
	if (has_tags(n) && t->tagged >= LIMIT_USAGE_TAGGED) {
		struct usage_note bare = *n;

		bare.tags = STR("[]");
		return usage_gather_find(t, &bare);
	}
	if (!has_tags(n) && t->count >= LIMIT_USAGE_ROWS &&
	    (n->key[0] || n->model[0] || n->provider[0])) {
		struct usage_note nobody = { .at_ms = n->at_ms, .tags = n->tags };

		return usage_gather_find(t, &nobody);
	}
	s = calloc(1, sizeof *s + n->tags.n);
	if (!s)
		return NULL;
	if (n->tags.n > 0)
		s->note.tags = (struct str){ memcpy(s->tags, n->tags.p, n->tags.n), n->tags.n };
	memcpy(s->note.key, n->key, sizeof s->note.key);
	memcpy(s->note.group, n->group, sizeof s->note.group);
	memcpy(s->note.model, n->model, sizeof s->note.model);
	memcpy(s->note.provider, n->provider, sizeof s->note.provider);
	s->note.at_ms = n->at_ms;
	s->next = *at;
	*at = s;
	if (has_tags(n))
		t->tagged++;
	else
		t->count++;
	return s;
}

void usage_gather_add(struct usage_gather *g, const struct usage_note *note)
{
	struct usage_note n = *note;

	n.usage = (struct usage){ 0 };
	usage_gather_add_count(&n.usage.in, note->usage.in);
	usage_gather_add_count(&n.usage.out, note->usage.out);
	usage_gather_add_count(&n.usage.cached_read, note->usage.cached_read);
	usage_gather_add_count(&n.usage.reasoning, note->usage.reasoning);
	pthread_mutex_lock(&g->lock);
	bool              first = table_is_empty(g->now);
	struct usage_sum *s = usage_gather_find(g->now, &n);
	if (s)
		add_sum(s, &n, (const int64_t[]){ 1, note->usage.estimated, !note->priced });
	pthread_mutex_unlock(&g->lock);
	if (first)
		g->first(g->arg);
}

bool usage_gather_any(struct usage_gather *g)
{
	pthread_mutex_lock(&g->lock);
	bool any = !table_is_empty(g->now);
	pthread_mutex_unlock(&g->lock);
	return any;
}

int usage_gather_flush(struct usage_gather *g, int (*put)(void *arg, const struct usage_sum *sum),
		       void                *arg)
{
	int rc = 0;

	pthread_mutex_lock(&g->lock);
	struct table *full = g->now;
	g->now = g->written;
	g->written = full;
	pthread_mutex_unlock(&g->lock);
	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct usage_sum *s = full->buckets[i]; s && rc == 0; s = s->next)
			rc = put(arg, s);
	return rc;
}

void usage_gather_done(struct usage_gather *g, bool written)
{
	struct table *t = g->written;

	if (!written) {
		pthread_mutex_lock(&g->lock);
		for (size_t i = 0; i < BUCKETS; i++)
			for (const struct usage_sum *s = t->buckets[i]; s; s = s->next) {
				struct usage_sum *to = usage_gather_find(g->now, &s->note);

				if (to)
					add_sum(to, &s->note,
						(const int64_t[]){ s->calls, s->estimated,
								   s->unpriced });
			}
		pthread_mutex_unlock(&g->lock);
	}
	usage_gather_empty(t);
}
