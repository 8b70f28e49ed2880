/* The keys, sorted by id, under a lock that readers share. */
#include "store/key_ring.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key_ring_table {
	struct key_ring_entry *entries; /* owned; sorted by id after the last addition */
	uint64_t              *ids;     /* owned; only the ids, which need few cache lines */
	size_t                 count;
	size_t                 cap;
	struct identity      **groups; /* owned; held, sorted by id after the last addition */
	size_t                 group_count;
	size_t                 group_cap;
	struct id             *ended; /* owned; sessions, sorted after the last addition */
	size_t                 ended_count;
	size_t                 ended_cap;
	unsigned char          signing[HASH_BYTES];
};

struct key_ring {
	pthread_rwlock_t       lock;  /* guards the members below, except the atomics */
	struct key_ring_table *table; /* owned */
	int64_t                version;
	atomic_bool            any;
	atomic_bool            used;
};

/* The hash for the comparison if no key has the id. */
static const struct key_ring_entry nothing;

enum errc key_ring_create(struct key_ring **ret, struct err *e)
{
	struct key_ring *r = calloc(1, sizeof *r);

	if (r)
		r->table = key_ring_table_create((const unsigned char[HASH_BYTES]){ 0 });
	if (!r || !r->table) {
		free(r);
		return err_set(e, ERR_STORAGE, "", "out of memory");
	}
	pthread_rwlock_init(&r->lock, NULL);
	r->version = -1;
	*ret = r;
	return ERR_OK;
}

void key_ring_destroy(struct key_ring *r)
{
	if (!r)
		return;
	key_ring_table_destroy(r->table);
	pthread_rwlock_destroy(&r->lock);
	free(r);
}

/* --- making --- */

struct key_ring_table *key_ring_table_create(const unsigned char signing[HASH_BYTES])
{
	struct key_ring_table *t = calloc(1, sizeof *t);

	if (t)
		memcpy(t->signing, signing, HASH_BYTES);
	return t;
}

void key_ring_table_destroy(struct key_ring_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		identity_release(t->entries[i].who);
	for (size_t i = 0; i < t->group_count; i++)
		identity_release(t->groups[i]);
	free(t->groups);
	free(t->entries);
	free(t->ids);
	free(t->ended);
	free(t);
}

bool key_ring_add(struct key_ring_table *t, const struct key_ring_entry *e)
{
	if (t->count == t->cap) {
		size_t                 cap = t->cap ? 2 * t->cap : 16;
		struct key_ring_entry *grown = realloc(t->entries, cap * sizeof *grown);

		if (!grown) {
			identity_release(e->who);
			return false;
		}
		t->entries = grown;
		t->cap = cap;
	}
	t->entries[t->count++] = *e;
	return true;
}

bool key_ring_add_group(struct key_ring_table *t, struct identity *who)
{
	if (t->group_count == t->group_cap) {
		size_t            cap = t->group_cap ? 2 * t->group_cap : 16;
		struct identity **grown = realloc(t->groups, cap * sizeof(struct identity *));

		if (!grown) {
			identity_release(who);
			return false;
		}
		t->groups = grown;
		t->group_cap = cap;
	}
	t->groups[t->group_count++] = who;
	return true;
}

bool key_ring_end(struct key_ring_table *t, struct id session)
{
	if (t->ended_count == t->ended_cap) {
		size_t     cap = t->ended_cap ? 2 * t->ended_cap : 16;
		struct id *grown = realloc(t->ended, cap * sizeof *grown);

		if (!grown)
			return false;
		t->ended = grown;
		t->ended_cap = cap;
	}
	t->ended[t->ended_count++] = session;
	return true;
}

static int key_ring_by_session(const void *a, const void *b)
{
	const struct id *x = a;
	const struct id *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->secret < y->secret ? -1 : x->secret > y->secret;
}

static int key_ring_by_id(const void *a, const void *b)
{
	const struct key_ring_entry *x = a;
	const struct key_ring_entry *y = b;

	return memcmp(x->id, y->id, API_KEY_ID);
}

static int key_ring_by_group(const void *a, const void *b)
{
	const struct identity *const *x = a;
	const struct identity *const *y = b;

	return strcmp((*x)->group->id, (*y)->group->id);
}

static uint64_t key_ring_number_of(const char id[API_KEY_ID])
{
	uint64_t n = 0;

	for (size_t i = 0; i < API_KEY_ID; i++)
		n = n << 8 | (unsigned char)id[i];
	return n;
}

/* sort_keys: sorts the keys after the last addition; false: no memory. */
static bool sort_keys(struct key_ring_table *t)
{
	if (t->ended_count > 0)
		qsort(t->ended, t->ended_count, sizeof *t->ended, key_ring_by_session);
	if (t->group_count > 0)
		qsort(t->groups, t->group_count, sizeof(struct identity *), key_ring_by_group);
	if (t->count == 0)
		return true;
	t->ids = malloc(t->count * sizeof *t->ids);
	if (!t->ids)
		return false;
	qsort(t->entries, t->count, sizeof *t->entries, key_ring_by_id);
	for (size_t i = 0; i < t->count; i++)
		t->ids[i] = key_ring_number_of(t->entries[i].id);
	return true;
}

static struct key_ring_entry *key_ring_find_entry(const struct key_ring_table *t, struct str id)
{
	uint64_t want = key_ring_number_of(id.p);
	size_t   from = 0, to = t->count;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (t->ids[at] < want)
			from = at + 1;
		else
			to = at;
	}
	return from < t->count && t->ids[from] == want ? &t->entries[from] : NULL;
}

/* The ring knows the time of the last use better than the store. */
static void keep_use(struct key_ring_table *to, const struct key_ring_table *from)
{
	for (size_t i = 0; i < to->count; i++) {
		struct key_ring_entry       *e = &to->entries[i];
		const struct key_ring_entry *old =
			key_ring_find_entry(from, (struct str){ e->id, API_KEY_ID });

		if (old && atomic_load(&old->who->used_ms) > atomic_load(&e->who->used_ms))
			atomic_store(&e->who->used_ms, atomic_load(&old->who->used_ms));
	}
}

bool key_ring_put(struct key_ring *r, struct key_ring_table *t, int64_t version, bool any)
{
	struct key_ring_table *old = t;

	if (!sort_keys(t)) {
		key_ring_table_destroy(t);
		return false;
	}
	pthread_rwlock_wrlock(&r->lock);
	if (version > r->version) {
		old = r->table;
		keep_use(t, old);
		r->table = t;
		r->version = version;
		atomic_store(&r->any, any);
	}
	pthread_rwlock_unlock(&r->lock);
	key_ring_table_destroy(old);
	return true;
}

/* --- asking --- */

int64_t key_ring_version(struct key_ring *r)
{
	pthread_rwlock_rdlock(&r->lock);
	int64_t version = r->version;
	pthread_rwlock_unlock(&r->lock);
	return version;
}

bool key_ring_any(struct key_ring *r)
{
	return atomic_load_explicit(&r->any, memory_order_relaxed);
}

static bool is_valid(const struct key_ring_entry *e, int64_t now_ms)
{
	return (!e->revoked) & ((e->expires_ms == 0) | (now_ms < e->expires_ms));
}

struct identity *key_ring_find(struct key_ring *r, struct str id,
			       const unsigned char sha256[HASH_BYTES], int64_t now_ms)
{
	struct identity *who = NULL;

	pthread_rwlock_rdlock(&r->lock);
	const struct key_ring_entry *found = key_ring_find_entry(r->table, id);
	const struct key_ring_entry *e = found ? found : &nothing;
	/* All keys are read before any decision. */
	bool is_new = hash_equal(sha256, e->sha256, HASH_BYTES);
	bool is_old = hash_equal(sha256, e->old_sha256, HASH_BYTES) & (now_ms < e->old_until_ms);
	if ((is_new | is_old) & is_valid(e, now_ms) & (found != NULL))
		who = identity_hold(e->who);
	pthread_rwlock_unlock(&r->lock);
	if (who)
		key_ring_use(r, who, now_ms);
	return who;
}

/* The unit is seconds, so that the cache line of a busy key rarely changes. */
void key_ring_use(struct key_ring *r, struct identity *who, int64_t now_ms)
{
	if (now_ms - atomic_load_explicit(&who->used_ms, memory_order_relaxed) < 1000)
		return;
	atomic_store_explicit(&who->used_ms, now_ms, memory_order_relaxed);
	atomic_store_explicit(&r->used, true, memory_order_relaxed);
}

struct identity *key_ring_named(struct key_ring *r, struct str id, int64_t now_ms)
{
	if (id.n != API_KEY_ID)
		return NULL;
	pthread_rwlock_rdlock(&r->lock);
	const struct key_ring_entry *found = key_ring_find_entry(r->table, id);
	struct identity *who = found && is_valid(found, now_ms) ? identity_hold(found->who) : NULL;
	pthread_rwlock_unlock(&r->lock);
	return who;
}

struct identity *key_ring_group(struct key_ring *r, struct str id)
{
	struct identity_group  wanted = { 0 };
	struct identity        like = { .group = &wanted };
	const struct identity *want = &like;
	struct identity       *who = NULL;

	if (id.n != API_KEY_ID)
		return NULL;
	snprintf(wanted.id, sizeof wanted.id, "grp_%.*s", STR_ARG(id));
	pthread_rwlock_rdlock(&r->lock);
	const struct key_ring_table *t = r->table;
	struct identity *const      *found =
                t->group_count > 0 ? bsearch(&want, t->groups, t->group_count,
						  sizeof(struct identity *), key_ring_by_group)
					: NULL;
	if (found)
		who = identity_hold(*found);
	pthread_rwlock_unlock(&r->lock);
	return who;
}

struct identity *key_ring_digests(struct key_ring *r, struct str id, int64_t now_ms,
				  unsigned char ret[2][HASH_BYTES])
{
	struct identity *who = NULL;

	if (id.n != API_KEY_ID)
		return NULL;
	pthread_rwlock_rdlock(&r->lock);
	const struct key_ring_entry *found = key_ring_find_entry(r->table, id);
	if (found && is_valid(found, now_ms)) {
		bool both = now_ms < found->old_until_ms;

		memcpy(ret[0], found->sha256, HASH_BYTES);
		memcpy(ret[1], both ? found->old_sha256 : found->sha256, HASH_BYTES);
		who = identity_hold(found->who);
	}
	pthread_rwlock_unlock(&r->lock);
	return who;
}

bool key_ring_revoked(struct key_ring *r, struct str id, unsigned char ret[2][HASH_BYTES])
{
	bool revoked = false;

	if (id.n != API_KEY_ID)
		return false;
	pthread_rwlock_rdlock(&r->lock);
	const struct key_ring_entry *found = key_ring_find_entry(r->table, id);
	if (found && found->revoked) {
		memcpy(ret[0], found->sha256, HASH_BYTES);
		memcpy(ret[1], found->old_sha256, HASH_BYTES);
		revoked = true;
	}
	pthread_rwlock_unlock(&r->lock);
	return revoked;
}

bool key_ring_ended(struct key_ring *r, struct id session)
{
	pthread_rwlock_rdlock(&r->lock);
	const struct key_ring_table *t = r->table;
	bool ended = t->ended_count > 0 && bsearch(&session, t->ended, t->ended_count,
						   sizeof session, key_ring_by_session);
	pthread_rwlock_unlock(&r->lock);
	return ended;
}

void key_ring_signing(struct key_ring *r, unsigned char ret[HASH_BYTES])
{
	pthread_rwlock_rdlock(&r->lock);
	memcpy(ret, r->table->signing, HASH_BYTES);
	pthread_rwlock_unlock(&r->lock);
}

size_t key_ring_used(struct key_ring *r, struct identity **ret, size_t n)
{
	size_t count = 0;

	atomic_store(&r->used, false);
	pthread_rwlock_rdlock(&r->lock);
	for (size_t i = 0; i < r->table->count; i++) {
		struct identity *who = r->table->entries[i].who;

		if (atomic_load(&who->used_ms) <= atomic_load(&who->noted_ms))
			continue;
		if (count < n)
			ret[count++] = identity_hold(who);
		else
			atomic_store(&r->used, true);
	}
	pthread_rwlock_unlock(&r->lock);
	return count;
}

bool key_ring_is_used(struct key_ring *r)
{
	return atomic_load_explicit(&r->used, memory_order_relaxed);
}
