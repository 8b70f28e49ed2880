/* key_ring: the API keys that are good, in memory: no look-up waits for a disk.
 *
 * The engine fills it when the database is opened, after each change of its own, and when another
 * process has made one.  Threads: any. */
#pragma once

#include "base/api_key.h"
#include "base/err.h"
#include "base/identity.h"

struct key_ring;
struct key_ring_table; /* what a ring holds, being put together */

enum errc key_ring_create(struct key_ring **ret, struct err *e) MUST_USE;
void      key_ring_destroy(struct key_ring *r);

struct key_ring_entry {
	struct identity *who;                    /* held */
	char             id[API_KEY_ID];         /* without key_ */
	unsigned char    sha256[HASH_BYTES];     /* of the key's text */
	unsigned char    old_sha256[HASH_BYTES]; /* of the text before a rotation */
	int64_t          old_until_ms; /* wall; until when that is good; 0: there is none */
	int64_t          expires_ms;   /* wall; 0: never */
};

/* key_ring_table_create: with what tickets are signed with, copied. */
struct key_ring_table *key_ring_table_create(const unsigned char signing[HASH_BYTES]) MUST_USE;
/* key_ring_add: consumes e->who, also when it fails for want of memory. */
bool key_ring_add(struct key_ring_table *t, const struct key_ring_entry *e) MUST_USE;
void key_ring_table_destroy(struct key_ring_table *t);

/* key_ring_put: consumes t, the keys as of a version of the database; one that is older than what is
 * there is dropped.  any: a key was ever made.  False: no memory, and nothing is changed. */
bool key_ring_put(struct key_ring *r, struct key_ring_table *t, int64_t version, bool any) MUST_USE;
int64_t key_ring_version(struct key_ring *r);
/* key_ring_any: was a key ever made, good or not?  Then nobody is let in without one. */
bool key_ring_any(struct key_ring *r);

/* key_ring_find: who holds the key with this id and digest, held; NULL: nobody.  How long it takes
 * does not tell whether there is such an id, or what is wrong with the key. */
struct identity *key_ring_find(struct key_ring *r, struct str id,
			       const unsigned char sha256[HASH_BYTES], int64_t now_ms) MUST_USE;
/* key_ring_named: who holds the key with this id, held, for those whose right to speak for the key was
 * proved otherwise; NULL: there is no such key, or the key is not good any more. */
struct identity *key_ring_named(struct key_ring *r, struct str id, int64_t now_ms) MUST_USE;
/* key_ring_signing: what tickets are signed with; the same for all processes of a database. */
void key_ring_signing(struct key_ring *r, unsigned char ret[HASH_BYTES]);

/* key_ring_used: up to n keys that were used since the store last heard of it, held; how many. */
size_t key_ring_used(struct key_ring *r, struct identity **ret, size_t n);
/* key_ring_is_used: a cheap guess whether there are any. */
bool key_ring_is_used(struct key_ring *r);
