/* Conversations: their branches and messages, and what changes them outside of turns.
 *
 * Everything stored has an owner (0 until keys exist); a foreign id is NOT_FOUND.  Results of reads point into
 * `arena`, which the caller init's before and finishes after use. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "store/idem.h"
#include "store/job.h"
#include "store/label.h"
#include "store/run.h"

struct store_message {
	struct id  id;
	struct str body; /* the message as a JSON object, as the API takes and gives it */
};

/* branch_read: what a turn goes on from, and its history. */
struct branch_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct id    from; /* a message to read back from; none: the newest.  It is not there, or
	                        * not in this conversation: NOT_FOUND "parent" */
	struct arena arena;
	/* out */
	struct id  leaf;          /* newest message to continue from; none: empty conversation */
	struct id  expected_leaf; /* to hand to turn_begin */
	bool       live;          /* a run is going on at the leaf: conversation_busy; then leaf,
	                             * instruction and messages are left empty */
	bool       instruction_set;
	struct str instruction; /* of the branch's newest turn that set one, else a fork's */
	struct store_message *messages; /* root to leaf */
	size_t                message_count;
};

/* A conversation as it is listed. */
struct store_conversation {
	struct id  id;
	int64_t    created_ms;
	int64_t    revision; /* goes up with every change, a turn's beginning included */
	struct str title;    /* empty: none */
	struct str metadata; /* JSON object, "{}" if none */
};

struct conversation_read {
	struct store_job          job;
	int64_t                   owner;
	struct id                 conversation;
	struct arena              arena;
	struct store_conversation found; /* out */
};

enum { STORE_REVISIONS = 8 }; /* that one call may name */

/* conversation_write: what changes a conversation outside its turns.
 * Errors: NOT_FOUND; CONVERSATION_BUSY with retry_after_ms while a run goes on (APPEND, DELETE);
 * PRECONDITION_FAILED: it has another revision.  Of FORK: NOT_FOUND "at": the source has no such
 * message; REQUEST_TOO_LARGE "at". */
enum conversation_change {
	CONVERSATION_CREATE,         /* metadata, title, messages */
	CONVERSATION_UPDATE,         /* metadata, title, each if set */
	CONVERSATION_APPEND,         /* messages, behind what a turn would go on from */
	CONVERSATION_REMOVE_MESSAGE, /* the content of one message, and the event log of its run */
	CONVERSATION_DELETE,         /* it, its messages, its runs, their event logs */
	CONVERSATION_FORK, /* a new one: source's branch to message; metadata, title: if set */
	CONVERSATION_CHANGE__COUNT
};

struct conversation_write {
	struct store_job            job;
	enum conversation_change    change;
	int64_t                     owner;
	int64_t                     now_ms;
	struct id                   conversation;
	bool                        metadata_set;
	struct str                  metadata; /* JSON object; empty: none */
	bool                        title_set;
	struct str                  title; /* plain text; empty: none */
	const struct store_message *messages;
	size_t                      message_count;
	struct id                   source; /* FORK; revisions are its */
	struct id        message; /* REMOVE_MESSAGE; FORK: the last one copied; none: the newest */
	struct idem_made made;    /* CREATE, APPEND, FORK */
	bool             conditional; /* only if its revision is one of these */
	int64_t          revisions[STORE_REVISIONS];
	size_t           revision_count;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out: as it is then; not of DELETE */
	struct store_conversation now;
};

/* conversations_read: an owner's conversations by the time they were made.
 * Errors: INVALID_VALUE "after": no such conversation. */
struct conversations_read {
	struct store_job    job;
	int64_t             owner;
	struct id           after; /* none: from the beginning, in the order asked */
	bool                descending;
	size_t              limit;
	struct store_labels labels;
	struct arena        arena;
	/* out */
	struct store_conversation *conversations;
	size_t                     conversation_count;
	bool                       has_more; /* also when the arena, not limit, ended the page */
};

struct items_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct id leaf;  /* a message: its branch; none: the newest.  Not there: NOT_FOUND "leaf" */
	struct id after; /* none: from the beginning (in the order asked) */
	bool      descending;
	size_t    limit;
	/* A page ends in front of the message that would make it larger, but not without one;
	 * 0: only the arena ends it. */
	size_t       page_bytes;
	struct arena arena;
	/* out: of the branch */
	struct store_item {
		struct store_message message;
		int64_t              created_ms;
		enum run_status      status; /* an answer's run; COMPLETED for others */
	} * items;
	size_t item_count;
	bool   has_more; /* also when page_bytes or the arena, not limit, ended it */
};

/* item_read: one message, on whatever branch.  Errors: NOT_FOUND. */
struct item_read {
	struct store_job  job;
	int64_t           owner;
	struct id         conversation;
	struct id         message;
	struct arena      arena;
	struct store_item item; /* out */
};
