/* Keeps the first member of each name: the bytes in one buffer, the names in a hash table. */
#include "lmc/lmc_gather.h"

#include "base/id.h"

#include <stdlib.h>

enum { SLOTS_LEAST = 16 };

struct members_slot {
	uint64_t hash;
	size_t   at; /* offset of the name in names */
	size_t   n;  /* length of the name + 1; 0: the slot is free */
};

void members_init(struct members *m, size_t max)
{
	*m = (struct members){ 0 };
	buf_init(&m->json, max);
	buf_init(&m->names, max);
}

void members_finish(struct members *m)
{
	buf_finish(&m->json);
	buf_finish(&m->names);
	free(m->slots);
	m->slots = NULL;
	m->slot_count = 0;
	m->count = 0;
}

void members_clear(struct members *m)
{
	if (m->count == 0)
		return;
	/* A large table is freed, because clearing it for each following small message would take
	 * too long. */
	if (m->slot_count > SLOTS_LEAST) {
		members_finish(m);
		return;
	}
	memset(m->slots, 0, m->slot_count * sizeof *m->slots);
	buf_clear(&m->json);
	buf_clear(&m->names);
	m->count = 0;
}

size_t members_bytes(const struct members *m)
{
	return m->json.len + m->names.len + m->slot_count * sizeof *m->slots;
}

__extension__ typedef unsigned __int128 wide;

/* members_product: a * b modulo 2^61 - 1, for a and b below it. */
static uint64_t members_product(uint64_t a, uint64_t b)
{
	const uint64_t prime = (1ull << 61) - 1;
	wide           c = (wide)a * b;
	uint64_t       sum = (uint64_t)(c & prime) + (uint64_t)(c >> 61);

	return sum >= prime ? sum - prime : sum;
}

/* members_hash: the value of the name, as a polynomial, at a secret point. Two names can share a
 * value at no more points than they have bytes, so no client can choose names that collide. */
static uint64_t members_hash(const struct members *m, struct str name)
{
	const uint64_t prime = (1ull << 61) - 1;
	uint64_t       h = 1;

	for (size_t i = 0; i < name.n; i++) {
		h = members_product(h, m->secret[0]) + (unsigned char)name.p[i];
		h = h >= prime ? h - prime : h;
	}
	return members_product(h, m->secret[1]);
}

/* members_find: the slot of the name, or the free slot for it. */
static size_t members_find(const struct members *m, uint64_t h, struct str name)
{
	size_t at = (size_t)h & (m->slot_count - 1);

	for (; m->slots[at].n > 0; at = (at + 1) & (m->slot_count - 1)) {
		const struct members_slot *slot = &m->slots[at];

		/* The name may be empty, and then `names` may have no memory yet. */
		if (slot->hash == h && slot->n == name.n + 1 &&
		    (name.n == 0 || memcmp(m->names.data + slot->at, name.p, name.n) == 0))
			break;
	}
	return at;
}

static bool members_grow(struct members *m)
{
	struct members_slot *old = m->slots;
	size_t               old_count = old ? m->slot_count : 0;
	size_t               count = old ? old_count * 2 : SLOTS_LEAST;
	struct members_slot *slots;

	/* The table counts against the maximum, like its contents. */
	if (old && count > m->json.max / sizeof *slots)
		return false;
	slots = calloc(count, sizeof *slots);
	if (!slots)
		return false;
	if (!old) {
		m->secret[0] = id_random() >> 3;
		m->secret[1] = id_random() >> 3;
	}
	m->slots = slots;
	m->slot_count = count;
	for (size_t i = 0; i < old_count; i++) {
		size_t at = (size_t)old[i].hash & (count - 1);

		if (old[i].n == 0)
			continue;
		while (slots[at].n > 0)
			at = (at + 1) & (count - 1);
		slots[at] = old[i];
	}
	free(old);
	return true;
}

bool members_add(struct members *m, struct str name, struct str member)
{
	if (m->count + 1 > m->slot_count / 2 && !members_grow(m))
		return false;

	uint64_t h = members_hash(m, name);
	size_t   at = members_find(m, h, name);
	if (m->slots[at].n > 0)
		return true;

	size_t name_at = m->names.len;
	size_t json_start = m->json.len;
	if (!buf_str(&m->names, name) || !buf_text(&m->json, ",") || !buf_str(&m->json, member)) {
		m->names.len = name_at;
		m->json.len = json_start;
		return false;
	}
	m->slots[at] = (struct members_slot){ h, name_at, name.n + 1 };
	m->count++;
	return true;
}
