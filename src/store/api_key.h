/* API keys, for the routes that manage them.  The key of a request is looked up in
 * store/key_ring.h. */
#pragma once

#include "base/allowance.h"
#include "base/api_key.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "store/job.h"

struct store_api_key {
	int64_t          number;
	char             id[API_KEY_ID + 1]; /* without key_ */
	int64_t          owner;
	char             group[API_KEY_ID + 1]; /* its group, without grp_; "": none */
	struct str       name;
	unsigned         scopes;   /* enum scope */
	bool             caches;   /* its calls ask for the cache of answers */
	struct str       models;   /* JSON array of strings; empty: all */
	struct str       metadata; /* JSON object, "{}" if none */
	int64_t          created_ms;
	int64_t          expires_ms; /* 0: never, as in the next four */
	int64_t          revoked_ms;
	int64_t          rotated_ms;
	int64_t          old_until_ms; /* end of the validity of the text before a rotation */
	int64_t          used_ms;
	struct allowance allowance;
	int64_t keep_ms; /* its owner's conversations are kept so long after their last activity; 0: not said */
};

/* api_key_write: a write; when it is answered, all threads of this process know the change.
 * Errors: NOT_FOUND; GONE: the key is revoked (UPDATE, ROTATE); NOT_FOUND "shares", "group"; OVERLOADED:
 * there are too many keys. */
enum api_key_change {
	API_KEY_CREATE, /* all members */
	API_KEY_UPDATE, /* the members whose ..._set is true */
	API_KEY_REVOKE,
	API_KEY_ROTATE, /* sha256, old_until_ms */
	API_KEY_CHANGE__COUNT
};

struct api_key_write {
	struct store_job    job;
	enum api_key_change change;
	int64_t             now_ms;
	char                id[API_KEY_ID + 1];
	unsigned char       sha256[HASH_BYTES]; /* hash of the new text */
	int64_t             old_until_ms;       /* end of the old text's validity; 0: at once */
	int64_t             owner;
	struct str          shares; /* id of a key, whose owner the new key gets; empty: none */
	bool name_set, scopes_set, models_set, metadata_set, expires_set, caches_set, group_set;
	struct str           group; /* id of its group, without grp_; empty: none */
	struct str           name;
	unsigned             scopes;
	bool                 caches;
	struct str           models;   /* JSON array; empty: all */
	struct str           metadata; /* JSON object; empty: none */
	int64_t              expires_ms;
	struct allowance_set allowed;
	bool                 keep_set;
	int64_t              keep_ms;
	struct arena         arena; /* init'ed and finished by the caller */
	struct store_api_key now;   /* out: the key after the change */
};

/* sign_out: a write that ends a session; when it is answered, all threads of this process know.
 * Errors: OVERLOADED: the key has ended too many. */
struct sign_out {
	struct store_job job;
	struct id        session;
	const char      *key; /* the one that the session stands for, as its tokens name it */
	int64_t          now_ms;
	int64_t          ends_ms; /* the end that the session would have had */
};

/* api_keys_read: keys of all owners, newest first.
 * Errors: INVALID_VALUE "after": no such key. */
struct api_keys_read {
	struct store_job job;
	char             id[API_KEY_ID + 1];    /* only this key (NOT_FOUND); "": all */
	char             after[API_KEY_ID + 1]; /* "": from the newest */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct store_api_key *keys;
	size_t                key_count;
	bool                  has_more;
};
