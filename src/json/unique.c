/* Finds duplicate keys of an object, in a time that is linear in the number of keys. */
#include "json/internal.h"

#include "base/id.h"

#include <stdlib.h>

enum { FEW = 16, SLOTS_AT_HAND = 64 };

/* SipHash-1-3 has a secret key, so that no client can choose keys that all share one slot. */
struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate_left(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate_left(s->v1, 13) ^ s->v0;
	s->v3 = rotate_left(s->v3, 16) ^ s->v2;
	s->v0 = rotate_left(s->v0, 32) + s->v3;
	s->v2 += s->v1;
	s->v3 = rotate_left(s->v3, 21) ^ s->v0;
	s->v1 = rotate_left(s->v1, 17) ^ s->v2;
	s->v2 = rotate_left(s->v2, 32);
}

static uint32_t unique_hash(struct str key, const uint64_t secret[2])
{
	struct sip s = { secret[0] ^ 0x736f6d6570736575ull, secret[1] ^ 0x646f72616e646f6dull,
			 secret[0] ^ 0x6c7967656e657261ull, secret[1] ^ 0x7465646279746573ull };
	size_t     at = 0;
	uint64_t   w;

	for (; key.n - at >= 8; at += 8) {
		memcpy(&w, key.p + at, 8);
		s.v3 ^= w;
		sip_round(&s);
		s.v0 ^= w;
	}
	w = 0;
	if (key.n > at)
		memcpy(&w, key.p + at, key.n - at);
	w ^= (uint64_t)key.n << 56;
	s.v3 ^= w;
	sip_round(&s);
	s.v0 ^= w;
	s.v2 ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	w = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
	return (uint32_t)(w ^ w >> 32);
}

struct slot {
	uint32_t hash;
	uint32_t key; /* 0: free; no key is token 0 */
};

static json_at find_twin(const struct json_doc *d, json_at obj, struct slot *slots, uint32_t mask)
{
	const uint64_t secret[2] = { id_random(), id_random() };
	char           tmp[LIMIT_JSON_KEY];
	char           other[LIMIT_JSON_KEY];

	JSON_EACH_MEMBER (i, d, obj) {
		struct str key = json_key(d, i, tmp);
		uint32_t   h = unique_hash(key, secret);
		uint32_t   at = h & mask;

		for (; slots[at].key; at = (at + 1) & mask)
			if (slots[at].hash == h && str_eq(json_key(d, slots[at].key, other), key))
				return i;
		slots[at] = (struct slot){ h, i };
	}
	return JSON_ABSENT;
}

static enum errc unique_many(const struct json_doc *d, json_at obj, json_at *ret)
{
	struct slot  at_hand[SLOTS_AT_HAND] = { 0 };
	struct slot *slots = at_hand;
	size_t       n = SLOTS_AT_HAND;

	while (n < (size_t)d->tok[obj].count * 2)
		n *= 2;
	if (n > SLOTS_AT_HAND)
		slots = calloc(n, sizeof *slots);
	if (!slots)
		return ERR_OVERLOADED;
	*ret = find_twin(d, obj, slots, (uint32_t)(n - 1));
	if (slots != at_hand)
		free(slots);
	return ERR_OK;
}

enum errc json_unique(const struct json_doc *d, json_at obj, json_at *ret)
{
	struct str seen[FEW];
	size_t     n = 0;

	if (d->tok[obj].count > FEW)
		return unique_many(d, obj, ret);

	JSON_EACH_MEMBER (i, d, obj) {
		struct str key = json_inner(d, i);

		if (d->tok[i].flags & JSON_ESCAPED)
			return unique_many(d, obj, ret);
		for (size_t k = 0; k < n; k++)
			if (str_eq(seen[k], key)) {
				*ret = i;
				return ERR_OK;
			}
		seen[n++] = key;
	}
	*ret = JSON_ABSENT;
	return ERR_OK;
}
