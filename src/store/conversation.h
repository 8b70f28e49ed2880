/* Conversations: jobs that read their branches and messages, and that change them outside of turns.
 *
 * Everything stored has an owner (0 until keys exist); an id of another owner is NOT_FOUND.
 * Results of reads point into `arena`, which the caller initialises before and finishes after
 * use. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "store/answer.h"
#include "store/job.h"
#include "store/label.h"
#include "store/run.h"

/* Retention: a conversation is removed so long after its last activity, the content of a message so long after it was
 * said.  0: never. */
struct store_keep {
	int64_t conversations_ms;
	int64_t content_ms;
	int64_t bytes; /* the limit of all bytes; the oldest inactive conversations go beyond it */
	bool    pins;  /* `keep: "true"` in its metadata holds a conversation */
};

struct store_message {
	struct id  id;
	struct str body; /* the message as a JSON object, in the API's form */
};

/* branch_read: the message that a new turn follows, and the branch up to it. */
struct branch_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	/* The run whose answer is the message to read back from; conversation and from are none
	 * then, and the conversation comes back.  Not there, or of another shape: NOT_FOUND
	 * "previous_response_id"; without an answer: NOT_CONTINUABLE.  None: no. */
	struct id    run;
	struct str   shape;
	struct id    from; /* a message to read back from; none: the newest.  It is not there, or
	                        * not in this conversation: NOT_FOUND "parent" */
	bool         root; /* nothing is read back: the turn begins a branch; from is none then */
	struct arena arena;
	/* out */
	struct id  leaf;          /* newest message to continue from; none: empty conversation */
	struct id  expected_leaf; /* to hand to turn_begin */
	bool       capped;        /* the conversation has a ceiling */
	int64_t    target; /* the mark of the target that gave the last good answer; 0: not known */
	bool       live;   /* the run at the leaf has not ended: conversation_busy; then leaf,
	                             * instruction and messages are left empty */
	bool       instruction_set;
	struct str instruction; /* set by the branch's newest turn that has one, or by a fork */
	struct store_message *messages; /* root to leaf */
	size_t                message_count;
};

/* Who gave a conversation its title: its first words are one until a user or a model gives it another. */
enum store_titled { TITLED_BY_USER, TITLED_BY_MODEL, TITLED_BY_WORDS };
/* Who made a conversation; stored numbers. */
enum store_origin { ORIGIN_PROGRAM, ORIGIN_CONSOLE, ORIGIN__COUNT };

/* The sum that the calls of a conversation, or of a session, may cost together. */
struct store_ceiling {
	int64_t limit_nano; /* 0: there is none */
	int64_t spent_nano, reserved_nano;
};

/* A conversation, as lists show it. */
struct store_conversation {
	struct id id;
	int64_t   created_ms;
	/* Increases with each change, also at the beginning of a turn; not with a title that a model makes. */
	int64_t              revision;
	struct str           title;    /* empty: none */
	struct str           metadata; /* JSON object, "{}" if none */
	struct str           opening;  /* its first words, which stand for a title; empty: none */
	enum store_titled    titled;
	enum store_origin    origin;
	bool                 pinned;
	int64_t              changed_ms; /* when its newest turn or message came */
	int64_t              keep_ms; /* how long it is kept after its last activity; 0: not said */
	struct store_ceiling ceiling;
};

struct conversation_read {
	struct store_job          job;
	int64_t                   owner;
	struct id                 conversation;
	struct arena              arena;
	struct store_conversation found; /* out */
};

enum { STORE_REVISIONS = 8 }; /* revisions that one call may name */

/* conversation_write: changes a conversation outside of its turns.
 * Errors: NOT_FOUND; CONVERSATION_BUSY with retry_after_ms while a run is live (APPEND, DELETE);
 * PRECONDITION_FAILED: the conversation has another revision.  FORK also: NOT_FOUND "at": the
 * source has no such message; REQUEST_TOO_LARGE "at". */
enum conversation_change {
	CONVERSATION_CREATE,        /* with metadata, title and messages */
	CONVERSATION_UPDATE,        /* changes metadata, title and pinned, each if it is set */
	CONVERSATION_TITLE,         /* gives it a model's title, unless it has a title */
	CONVERSATION_APPEND,        /* adds messages after the newest one */
	CONVERSATION_LABEL_MESSAGE, /* changes the member context.metadata of one message, if it is set */
	/* removes the content of one message, and the event log of its run */
	CONVERSATION_REMOVE_MESSAGE,
	CONVERSATION_DELETE, /* with its messages, its runs and their event logs */
	CONVERSATION_FORK,   /* copies source's branch up to message into a new one */
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
	bool                        pinned_set, pinned;
	bool                        keep_set;
	int64_t                     keep_ms; /* CREATE, UPDATE: as in store_conversation */
	bool                        ceiling_set;
	int64_t                     ceiling_nano; /* 0: none */
	enum store_origin           origin;       /* CREATE, FORK */
	const struct store_message *messages;
	size_t                      message_count;
	struct id                   source; /* FORK; revisions are those of the source */
	struct id
		message; /* LABEL_MESSAGE, REMOVE_MESSAGE; FORK: the last one copied; none: the newest */
	struct answer_made made;        /* CREATE, APPEND, FORK */
	bool               conditional; /* only if the revision is one of `revisions` */
	int64_t            revisions[STORE_REVISIONS];
	size_t             revision_count;
	struct arena       arena; /* init'ed and finished by the caller */
	/* out: after the change; not set by DELETE */
	struct store_conversation now;
};

/* conversations_read: an owner's conversations in the order of their creation.
 * Errors: INVALID_VALUE "after": no such conversation. */
enum conversations_of {
	CONVERSATIONS_ALL,
	CONVERSATIONS_PROGRAM, /* ORIGIN_PROGRAM */
	CONVERSATIONS_CONSOLE, /* ORIGIN_CONSOLE */
	CONVERSATIONS_RECENT,  /* the same, in the order of their newest turns */
	CONVERSATIONS_PINNED,
	CONVERSATIONS_OF__COUNT
};

/* A conversation with what its turns have written of it. */
struct conversation_line {
	struct store_conversation conversation;
	struct str                excerpt; /* the beginning of the newest message; empty: no text */
	struct str                model;   /* asked last; empty: none */
	int64_t                   messages; /* their number, on all branches */
	bool                      costs;    /* cost_nano is known */
	int64_t                   cost_nano;
};

struct conversations_read {
	struct store_job      job;
	int64_t               owner;
	enum conversations_of of;
	struct id             after; /* none: from the beginning, in the requested order */
	bool                  descending;
	size_t                limit;
	struct store_labels   labels; /* only with CONVERSATIONS_ALL */
	struct arena          arena;
	/* out */
	struct conversation_line *lines;
	size_t                    line_count;
	bool                      has_more; /* also when the arena, not limit, ended the page */
};

/* keep_count: counts what retention would remove now; it takes as long as reading everything. */
struct keep_count {
	struct store_job  job;
	int64_t           now_ms;
	struct store_keep keep;
	/* out */
	int64_t conversations, runs, messages; /* the last two are those of the conversations */
	int64_t contents;                      /* the number of other messages */
	int64_t files;
};

struct items_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct id
		leaf; /* last message of the branch; none: the newest.  Unknown: NOT_FOUND "leaf" */
	struct id run;   /* only the messages that this response brought; conversation is none
	                  * then.  Unknown: NOT_FOUND.  None: no */
	struct id after; /* none: from the beginning, in the requested order */
	bool      descending;
	size_t    limit;
	/* A page ends before the message that would make it larger, but has at least one message;
	 * 0: only the arena limits the page. */
	size_t       page_bytes;
	bool         with_instruction; /* not with run */
	struct arena arena;
	/* out: of the branch */
	struct str
		instruction; /* with_instruction: set by the newest turn that has one, or by a fork;
	                         * p NULL or empty: none */
	struct store_item {
		struct store_message message;
		int64_t              created_ms;
		enum run_status      status; /* an answer's run; COMPLETED for others */
		struct str           model;  /* model of an answer's run; empty for others */
	} * items;
	size_t item_count;
	bool   has_more; /* also when page_bytes or the arena, not limit, ended it */
};

/* tree_read: all messages of a conversation, of every branch, without their content: a page of
 * turns in the order of their making.  A turn is a run with the messages that it brought and its
 * answer, or a message that no run brought.
 * Errors: NOT_FOUND; INVALID_VALUE "after"; OVERLOADED: the arena has no room for the page. */
enum { TREE_PREVIEW = 80 }; /* characters of a preview */

struct tree_node {
	struct id   message;
	struct id   parent; /* none: it begins a branch */
	struct id   run;    /* the run that brought it or made it; none: no run did */
	bool        answer; /* the run made it */
	bool        removed;
	int64_t     created_ms;
	const char *role;    /* a literal; "other" of a removed message that is no answer */
	struct str  preview; /* the beginning of its text, in one line */
	struct str  model;   /* an answer's model; empty for others */
};

struct tree_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct id    after; /* a message: pages begin after its turn; none: from the beginning */
	size_t       limit; /* turns */
	struct arena arena;
	/* out */
	struct tree_node *nodes;
	size_t            node_count;
	bool              has_more;
};

/* item_read: one message, on any branch.  Errors: NOT_FOUND. */
struct item_read {
	struct store_job  job;
	int64_t           owner;
	struct id         conversation;
	struct id         message;
	struct arena      arena;
	struct store_item item; /* out */
};

/* messages_find: messages by their ids, in whatever conversations they are.
 * Errors: REQUEST_TOO_LARGE: they are larger than the arena together. */
struct messages_find {
	struct store_job      job;
	int64_t               owner;
	struct store_message *messages; /* in: ids; out: bodies, p NULL: there is no such message */
	size_t                count;
	struct arena          arena;
};
