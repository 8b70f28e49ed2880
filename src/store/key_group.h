/* Groups of API keys.  What a group may use, all its keys use together; the group of a request's key is a part of its
 * identity. */
#pragma once

#include "base/allowance.h"
#include "base/api_key.h"
#include "base/arena.h"
#include "base/str.h"
#include "store/job.h"

struct store_key_group {
	char             id[API_KEY_ID + 1]; /* without grp_ */
	struct str       name;
	struct str       models, hooks; /* JSON arrays of strings; empty: all models, no hooks */
	struct str       metadata;      /* JSON object, "{}" if none */
	int64_t          created_ms;
	int64_t          key_count; /* keys that are not revoked */
	struct allowance allowance;
	int64_t keep_ms; /* its keys' owners' conversations are kept so long; 0: not said */
	/* The state of its budget; began_ms 0: it was never used. */
	int64_t began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens;
};

/* key_group_write: a write; when it is answered, all threads of this process know the change.
 * Errors: NOT_FOUND; GROUP_IN_USE: keys that are not revoked belong to it (DELETE); OVERLOADED: there are too many. */
enum key_group_change {
	KEY_GROUP_CREATE, /* all members */
	KEY_GROUP_UPDATE, /* the members whose ..._set is true */
	KEY_GROUP_DELETE,
	KEY_GROUP_CHANGE__COUNT
};

struct key_group_write {
	struct store_job      job;
	enum key_group_change change;
	int64_t               now_ms;
	char                  id[API_KEY_ID + 1];
	bool                  name_set, models_set, hooks_set, metadata_set;
	struct str            name;
	struct str            models, hooks; /* JSON arrays; empty: all models, no hooks */
	struct str            metadata;      /* JSON object; empty: none */
	struct allowance_set  allowed;
	bool                  keep_set;
	int64_t               keep_ms;
	struct arena          arena; /* init'ed and finished by the caller */
	struct store_key_group
		now; /* out: the group after the change; before it, if it is deleted */
};

/* key_groups_read: groups, newest first.  Errors: NOT_FOUND; INVALID_VALUE "after": no such group. */
struct key_groups_read {
	struct store_job job;
	char             id[API_KEY_ID + 1];    /* only this group; "": all */
	char             after[API_KEY_ID + 1]; /* "": from the newest */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct store_key_group *groups;
	size_t                  group_count;
	bool                    has_more;
};
