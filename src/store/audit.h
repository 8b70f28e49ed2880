/* audit: who did what to which object.
 *
 * An entry belongs to a write: store_job.audit names it, and the store writes it in the transaction of the
 * job, unless the job is refused or changes nothing.  An act that is no write of the store has a job of its
 * own, audit_write. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "store/job.h"

#define ID_AUDIT "audit_"

enum { AUDIT_ACTOR = 32, AUDIT_ADDRESS = 48, AUDIT_OBJECT = 64 };

/* Each act, one row: X(NUMBER, name). */
#define AUDIT_ACTIONS(X)                              \
	X(KEY_CREATE, "key.create")                   \
	X(KEY_UPDATE, "key.update")                   \
	X(KEY_ROTATE, "key.rotate")                   \
	X(KEY_REVOKE, "key.revoke")                   \
	X(GROUP_CREATE, "group.create")               \
	X(GROUP_UPDATE, "group.update")               \
	X(GROUP_DELETE, "group.delete")               \
	X(SESSION_BEGIN, "session.begin")             \
	X(SESSION_END, "session.end")                 \
	X(CONVERSATION_DELETE, "conversation.delete") \
	X(ITEM_DELETE, "item.delete")                 \
	X(COMPLETION_DELETE, "completion.delete")     \
	X(RESPONSE_DELETE, "response.delete")         \
	X(FILE_DELETE, "file.delete")                 \
	X(CACHE_CLEAR, "cache.clear")                 \
	X(CODE_APPROVE, "code.approve")               \
	X(CODE_REFUSE, "code.refuse")                 \
	X(CONFIGURATION_RELOAD, "configuration.reload")

enum audit_action {
#define X(number, name) AUDIT_##number,
	AUDIT_ACTIONS(X)
#undef X
		AUDIT_ACTION__COUNT
};

/* audit_action_name: the word for an action.  audit_action_find: false: there is no such word. */
const char *audit_action_name(enum audit_action action);
bool        audit_action_find(struct str name, enum audit_action *ret) MUST_USE;

/* The texts are NUL-terminated; an empty one says nothing. */
struct audit_entry {
	struct id         id; /* its key tells the time of the act */
	int64_t           at_ms;
	enum audit_action action;
	char              actor[AUDIT_ACTOR];
	char              session[ID_MAX];
	char              address[AUDIT_ADDRESS];
	char              object[AUDIT_OBJECT];
	char              request[ID_MAX];
};

/* audit_begin: a new entry of now. */
void audit_begin(struct audit_entry *ret, enum audit_action action, const char *actor);

/* audit_key: sets the action and the object, by a change of a key. */
struct api_key_write;
void audit_key(struct audit_entry *x, const struct api_key_write *w);
/* audit_group: by a change of a group. */
struct key_group_write;
void audit_group(struct audit_entry *x, const struct key_group_write *w);

/* audit_write: a write of its entry alone. */
struct audit_write {
	struct store_job job; /* its member audit is set */
};

/* A row as it was stored; its words may be those of a later version. */
struct audit_row {
	struct id  id;
	int64_t    at_ms;
	struct str actor, session, address, action, object, request;
};

/* audit_read: entries, newest first.  Errors: INVALID_VALUE "after": no such entry. */
struct audit_read {
	struct store_job job;
	struct id        after;                 /* none: from the newest */
	struct str       actor, action, object; /* empty: any */
	int64_t          from_ms, to_ms;        /* the first and the last millisecond */
	size_t           limit;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out */
	struct audit_row *rows;
	size_t            row_count;
	bool              has_more;
};
