/* key_ring: the valid API keys, those that were revoked lately, the groups, and the ended sessions, in memory, so that no
 * look-up waits for a disk.
 *
 * The engine fills the ring when the database is opened, and after each change of keys by this
 * process or another one.  Threads: any. */
#pragma once

#include "base/api_key.h"
#include "base/err.h"
#include "base/id.h"
#include "base/identity.h"

struct key_ring;
struct key_ring_table; /* the content of a ring, while it is being built */

enum errc key_ring_create(struct key_ring **ret, struct err *e) MUST_USE;
void      key_ring_destroy(struct key_ring *r);

struct key_ring_entry {
	struct identity *who;                    /* held */
	char             id[API_KEY_ID];         /* without key_ */
	unsigned char    sha256[HASH_BYTES];     /* hash of the key's text */
	unsigned char    old_sha256[HASH_BYTES]; /* hash of the text before a rotation */
	int64_t          old_until_ms; /* wall; end of the old text's validity; 0: there is none */
	int64_t          expires_ms;   /* wall; 0: never */
	bool             revoked;      /* good for nothing but key_ring_revoked */
};

/* key_ring_table_create: signing is the secret that signs tickets and tokens; copied.  NULL: no memory. */
struct key_ring_table *key_ring_table_create(const unsigned char signing[HASH_BYTES]) MUST_USE;
/* key_ring_add: consumes e->who.  False: no memory; e->who is consumed all the same. */
bool key_ring_add(struct key_ring_table *t, const struct key_ring_entry *e) MUST_USE;
/* key_ring_add_group: adds a group; consumes who, an identity with nothing but the group and its models.  False: no memory. */
bool key_ring_add_group(struct key_ring_table *t, struct identity *who) MUST_USE;
/* key_ring_end: adds a session that was ended.  False: no memory. */
bool key_ring_end(struct key_ring_table *t, struct id session) MUST_USE;
void key_ring_table_destroy(struct key_ring_table *t);

/* key_ring_put: consumes t, the keys of a version of the database; a table that is older than the
 * ring's is dropped.  any: a key was ever made.  False: no memory; the ring is unchanged. */
bool key_ring_put(struct key_ring *r, struct key_ring_table *t, int64_t version, bool any) MUST_USE;
int64_t key_ring_version(struct key_ring *r);
/* key_ring_any: whether a key was ever made, valid or not; then every request needs a key. */
bool key_ring_any(struct key_ring *r);

/* key_ring_find: the identity of the key with this id and digest, held; NULL: there is none.  The
 * time of the call does not show whether the id exists, or what is wrong with the key. */
struct identity *key_ring_find(struct key_ring *r, struct str id,
			       const unsigned char sha256[HASH_BYTES], int64_t now_ms) MUST_USE;
/* key_ring_named: the identity of the key with this id, held, for a caller whose right to use the
 * key was proved in another way (a ticket); NULL: there is no such key, or it is not valid any
 * more. */
struct identity *key_ring_named(struct key_ring *r, struct str id, int64_t now_ms) MUST_USE;
/* key_ring_group: what the members of the group with this id (without grp_) have of it, held: `group` and `models` of an
 * identity that is nobody's.  NULL: there is no such group. */
struct identity *key_ring_group(struct key_ring *r, struct str id) MUST_USE;
/* key_ring_digests: the identity of the key with this id, held, and the digests of the texts that are valid now:
 * one, twice, or two.  NULL: there is no such key, or it is not valid any more. */
struct identity *key_ring_digests(struct key_ring *r, struct str id, int64_t now_ms,
				  unsigned char ret[2][HASH_BYTES]) MUST_USE;
/* key_ring_revoked: whether the key with this id was revoked, after a session of it could begin that would still
 * live; ret: the digests of its texts.  For those alone who prove that they had the key. */
bool key_ring_revoked(struct key_ring *r, struct str id, unsigned char ret[2][HASH_BYTES]) MUST_USE;
/* key_ring_use: notes that the key was used. */
void key_ring_use(struct key_ring *r, struct identity *who, int64_t now_ms);
/* key_ring_ended: whether the session with this id was ended. */
bool key_ring_ended(struct key_ring *r, struct id session);
/* key_ring_signing: the secret that signs tickets and tokens of sessions; the same for all processes of a database. */
void key_ring_signing(struct key_ring *r, unsigned char ret[HASH_BYTES]);

/* key_ring_used: fills ret with at most n keys whose last use the store does not know, held;
 * returns their number. */
size_t key_ring_used(struct key_ring *r, struct identity **ret, size_t n);
/* key_ring_is_used: a cheap guess whether there are such keys. */
bool key_ring_is_used(struct key_ring *r);
