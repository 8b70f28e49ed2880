/* A table of the ids that the calls of a request had so far. */
#include "provider/anthropic/anthropic.h"

#include "base/hash.h"
#include "base/limits.h"

#include <ctype.h>
#include <stdint.h>

#define PREFIX "toolu_"

enum { FIRST_CAP = 32, DIGITS = 24 };

struct anthropic_id {
	struct str id; /* p is NULL in an empty slot */
	uint64_t   hash;
	size_t     message; /* the newest message with such a call */
	uint32_t   calls;   /* with this id, so far */
	uint32_t   first;   /* the number of that message's first call with this id */
	uint32_t   results; /* results of that message's calls with this id, so far */
};

void anthropic_ids_init(struct anthropic_ids *s)
{
	*s = (struct anthropic_ids){ 0 };
	arena_init(&s->arena, LIMIT_UPSTREAM_ASK);
}

void anthropic_ids_finish(struct anthropic_ids *s)
{
	arena_finish(&s->arena);
}

/* The digest keeps a client from choosing ids that all meet in one slot. */
static uint64_t ids_hash(struct str id)
{
	unsigned char digest[HASH_BYTES];
	uint64_t      h;

	hash_sha256(id.p, id.n, digest);
	memcpy(&h, digest, sizeof h);
	return h;
}

static struct anthropic_id *ids_slot(const struct anthropic_ids *s, struct str id, uint64_t hash)
{
	size_t i = hash & (s->cap - 1);

	while (s->table[i].id.p && (s->table[i].hash != hash || !str_eq(s->table[i].id, id)))
		i = (i + 1) & (s->cap - 1);
	return &s->table[i];
}

static bool ids_grow(struct anthropic_ids *s)
{
	struct anthropic_ids more = { .cap = s->cap ? 2 * s->cap : FIRST_CAP };

	if (2 * s->count < s->cap)
		return true;
	more.table = arena_alloc(&s->arena, more.cap * sizeof *more.table);
	if (!more.table)
		return false;
	for (size_t i = 0; i < s->cap; i++)
		if (s->table[i].id.p)
			*ids_slot(&more, s->table[i].id, s->table[i].hash) = s->table[i];
	s->table = more.table;
	s->cap = more.cap;
	return true;
}

static bool ids_fit(struct str id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!isalnum((unsigned char)id.p[i]) && id.p[i] != '_' && id.p[i] != '-')
			return false;
	return id.n > 0;
}

/* name: the id that the nth call with this id is sent with. */
static bool ids_name(struct anthropic_ids *s, struct str id, uint32_t n, struct str *ret)
{
	unsigned char both[2 * HASH_BYTES] = { 0 };
	unsigned char digest[HASH_BYTES];
	char          text[sizeof PREFIX + HASH_HEX] = PREFIX;

	*ret = id;
	if (n == 0 && ids_fit(id))
		return true;
	hash_sha256(id.p, id.n, both);
	for (size_t i = 0; i < sizeof n; i++)
		both[HASH_BYTES + i] = (unsigned char)(n >> 8 * i);
	hash_sha256(both, sizeof both, digest);
	hash_hex(digest, DIGITS / 2, text + sizeof PREFIX - 1);
	*ret = arena_str(&s->arena, str_of(text));
	return ret->p != NULL;
}

bool anthropic_ids_call(struct anthropic_ids *s, size_t message, struct str id, struct str *ret)
{
	if (!id.p)
		id = STR("");

	uint64_t hash = ids_hash(id);
	if (!ids_grow(s))
		return false;
	struct anthropic_id *t = ids_slot(s, id, hash);
	if (!t->id.p) {
		*t = (struct anthropic_id){ .id = id, .hash = hash };
		s->count++;
	}
	if (t->calls == 0 || t->message != message) {
		t->message = message;
		t->first = t->calls;
		t->results = 0;
	}
	return ids_name(s, id, t->calls++, ret);
}

bool anthropic_ids_result(struct anthropic_ids *s, struct str id, struct str *ret)
{
	if (!id.p)
		id = STR("");

	struct anthropic_id *t = s->cap ? ids_slot(s, id, ids_hash(id)) : NULL;
	if (!t || !t->id.p) /* no call has it, which the provider will say */
		return ids_name(s, id, 0, ret);
	uint32_t n = t->first + t->results;
	if (n + 1 < t->calls)
		t->results++;
	return ids_name(s, id, n, ret);
}
