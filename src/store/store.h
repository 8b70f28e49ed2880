/* store: the interface to what is kept.  Asynchronous: a job is handed in on a loop's thread, done
 * on the store's own threads, and answered through the loop's inbox.  No engine call ever runs on a
 * loop's thread.
 *
 * A turn is two writes: `begin` makes the conversation (if new), its messages and the run durable
 * before a provider is called; `end` makes the answer, its usage and the run's end durable, in one
 * transaction, before the client sees the end.  Both are group-committed by one writer.
 *
 * Everything stored has an owner (0 until keys exist); a foreign id is NOT_FOUND. */
#pragma once

#include "base/allowance.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/limits.h"
#include "msg/event.h"
#include "store/blob.h"
#include "store/job.h"
#include "store/key_ring.h"

enum run_status {
	RUN_QUEUED,
	RUN_RUNNING,
	RUN_COMPLETED,
	RUN_INCOMPLETE,
	RUN_FAILED,
	RUN_CANCELLED,
	RUN_STATUS__COUNT
};
const char *run_status_name(enum run_status s);

struct store_message {
	struct id  id;
	struct str body; /* the message as a JSON object, as the API takes and gives it */
};

/* A stretch of a run's event log: what msg/event_code.h encodes, whole records only. */
struct events_piece {
	struct id  run;
	uint64_t   first; /* numbers of the first and the last event in it */
	uint64_t   last;
	struct str data;
};

/* A client's Idempotency-Key; key.n 0: none. */
struct store_key {
	struct str key;
	struct str fingerprint; /* of the request that it stands for */
};

/* What a key is answered with from then on. */
struct key_answer {
	int        http; /* status; 0: nothing yet, or (at an end) the key is free again */
	struct str body; /* empty: with 200 the events of the run are the answer, else it was lost: with
	                  * 500 the process ended before, with 503 it could not be stored, with 410 it
	                  * was deleted */
};

/* In a write that makes something: the key of the request, and its answer.  The key is written in the
 * transaction that makes the thing; where it is there already nothing is made, and the answer is the
 * one that was kept.  A write that is refused leaves the key free.
 * Errors of the write: KEY_REUSED; GONE: what was made has been deleted. */
struct key_made {
	struct store_key key; /* key.n 0: none; then nothing below counts */
	/* The answer's body, of status 200, appended to out once the thing is made; on the writer's thread,
	 * so it only prints what the job holds.  False: no memory. */
	bool (*print)(struct store_job *job, struct buf *out);
	struct buf answer;    /* init'ed and finished by the caller; out: what print made, or was kept */
	bool       replayed;  /* out: it was kept */
};

/* key_reused: fills e with what is said of a key that stands for another request. */
void key_reused(struct err *e);

/* What a crash leaves to estimate a call's cost by. */
struct turn_bill {
	struct str key;   /* as logs name it; "": none */
	struct str model; /* the configured name, with its star */
	int64_t    in;    /* bytes of the prompt, media in tokens */
	bool       priced;
	int64_t    price_in, price_out; /* for a million tokens: the dearest that may be asked */
};

/* Writes, on the writer's thread.  Spans are JSON values or empty (stored as NULL). */
struct turn_begin {
	struct store_job job;
	int64_t          owner;
	int64_t          now_ms;
	struct id        run;          /* also the body of the answer's message id */
	struct id        conversation;
	bool             new_conversation;
	struct str       metadata;     /* of a new conversation: JSON object, or empty; else of the run */
	struct id        parent;       /* what the messages hang on; none in a new conversation */
	struct id        expected_leaf; /* of an old conversation, as read; gone on or live since then:
	                                 * ERR_CONVERSATION_BUSY with retry_after_ms */
	bool             branching;    /* parent was chosen: whatever else goes on does not matter */
	bool             instruction_set;
	struct str       instruction;  /* plain text; only if set; empty ends an older one */
	struct str       model;        /* as asked */
	struct str       provider;
	struct str       shape;        /* SHAPE_… (msg/family.h): how it is answered */
	struct id        continues;    /* the run whose answer this one goes on with; none: no */
	struct str       request_id;   /* of a completion alone, as the next one */
	struct str       settings;     /* JSON object: what is shown again of its request; or empty */
	const struct store_message *messages;
	size_t           message_count;
	uint64_t         seq_reserved; /* event numbers up to this one may be sent */
	struct store_key key;          /* kept until turn_end says what becomes of it */
	struct turn_bill bill;         /* likewise */
};

/* What a call has used, for the books: of its key, day, model and provider. */
struct usage_note {
	char         key[IDENTITY_ID_MAX]; /* as logs name it; "": none */
	char         model[LIMIT_MODEL + 1];
	char         provider[64];
	struct id    run;
	int64_t      at_ms;    /* wall */
	struct usage usage;    /* of all its attempts; neither known nor estimated: nothing was used */
	bool         priced;
	int64_t      nano;     /* what it cost */
	bool         reserved; /* by the call, and this ends it: where it is gone, that was done before */
};

struct turn_end {
	struct store_job job;
	struct id        run;
	enum run_status  status;       /* COMPLETED, INCOMPLETE, FAILED or CANCELLED */
	struct str       answer;       /* the assistant's message object, or empty: none */
	struct str       finish_reason; /* JSON-escaped, as events carry it; so wherever it is read */
	struct str       native_reason; /* the same in the provider's own word */
	struct str       error;        /* JSON error object, or empty */
	struct usage     usage;
	int64_t          first_token_ms; /* wall; 0: none came */
	int64_t          completed_ms;
	uint64_t         last_seq;
	int64_t          attempts;
	struct str       provider;     /* asked last; empty: as it was begun */
	struct events_piece events;    /* those that no events_append brought; .data empty: none */
	bool              keyed;       /* there may be a key */
	struct key_answer key_answer;
	bool              costs;       /* cost_nano is known */
	int64_t           cost_nano;
	/* What it has used; NULL: nothing, and nothing is reserved.  A reservation ends with it, whatever
	 * becomes of the rest.  Without one, booking is the caller's (usage_add), unless the end comes
	 * later. */
	const struct usage_note *note;
	bool                     later; /* out: it could not be written.  The engine ends the run as soon as
	                                 * it can write again, or the next start does: who ends it books it */
};

/* --- budgets (a key's limits are in its identity) --- */

/* budget_reserve: a write, before a call is asked for: what it may cost at most is taken from what its
 * key has left.  One statement sees to it that nothing spent and reserved together ever passes a limit.
 * Errors: INSUFFICIENT_QUOTA with retry_after_ms; OVERLOADED: the queue is full. */
struct budget_reserve {
	struct store_job job;
	struct id        run;
	struct str       key;
	struct str       model;
	struct str       provider;
	int64_t          now_ms;
	int64_t          nano;
	int64_t          tokens;
	int64_t          tokens_in;    /* of those */
	int64_t          limit_nano;   /* 0: none, as in the next two */
	int64_t          limit_tokens;
	int64_t          window_ms;
};

/* budget_settle: a write, of a call that is stored nowhere else: its reservation ends, and what it has
 * really used takes its place.  Never refused; where it can't be written it is tried again with the
 * next writes, and its failure is no news to anybody. */
struct budget_settle {
	struct store_job  job;
	struct usage_note note;
};

/* usage_read: what was used on some days, in the order of what it is grouped by. */
enum usage_group { USAGE_BY_KEY = 1, USAGE_BY_MODEL = 2, USAGE_BY_DAY = 4 };
struct usage_row {
	struct str key;      /* of these, those that it is grouped by; "": without a key */
	struct str model;
	int64_t    day;
	int64_t    calls, estimated, unpriced;
	int64_t    tokens_in, tokens_out, cached, reasoning;
	int64_t    nano;
};
struct usage_read {
	struct store_job job;
	struct str       key;   /* of that one alone; p NULL: of all */
	struct str       model; /* likewise */
	int64_t          from_day, to_day; /* the last one is in it; since 1970, UTC */
	unsigned         group; /* enum usage_group; 0: a sum */
	size_t           skip;  /* rows in front of the page */
	size_t           limit;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out */
	struct usage_row *rows;
	size_t            row_count;
	bool              has_more;
	bool              budgeted; /* the key has a budget that was drawn on: the rest is of it */
	int64_t           began_ms;
	int64_t           spent_nano, reserved_nano, spent_tokens, reserved_tokens;
};

/* A key with the answer of a call that is stored nowhere else. */
struct key_keep {
	struct store_job  job;
	int64_t           owner;
	int64_t           created_ms;
	struct id         run;
	struct store_key  key;
	enum run_status   outcome;
	struct key_answer answer;
};

/* What is known of a run since its answer began. */
struct run_news {
	struct id    run;
	int64_t      attempts;
	int64_t      first_token_ms; /* wall; 0: none came */
	struct str   provider;       /* asked last */
	struct usage used;           /* by attempts that were given up: a run that a kill cuts off is booked with */
	bool         priced;         /* it; neither known nor estimated: nothing */
	int64_t      nano;
};

/* Events of runs that go on, all that one loop has gathered.  Never refused once its runs were begun;
 * what belongs to a run that has ended or is gone is dropped.  Committed with whatever else waits. */
struct events_append {
	struct store_job           job;
	const struct events_piece *pieces;
	size_t                     piece_count;
	const struct run_news     *news;
	size_t                     news_count;
	bool                       sync; /* done only when a power cut can't take them any more */
};

struct seq_reserve {
	struct store_job job;
	struct id        run;
	uint64_t         upto;
};

/* Reads, on the pool's threads.  Results point into `arena` (init'ed by the caller, finished by the
 * caller after use). */
struct branch_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct id        from; /* a message to read back from; none: the newest.  It is not there, or
	                        * not in this conversation: NOT_FOUND "parent" */
	struct arena     arena;
	/* out */
	struct id            leaf;  /* newest message to continue from; none: empty conversation */
	struct id            expected_leaf; /* to hand to turn_begin */
	bool                 live;  /* a run is going on at the leaf: conversation_busy; then leaf,
	                             * instruction and messages are left empty */
	bool                 instruction_set;
	struct str           instruction; /* of the branch's newest turn that set one, else a fork's */
	struct store_message *messages; /* root to leaf */
	size_t               message_count;
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
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct arena     arena;
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
	CONVERSATION_FORK,           /* a new one: source's branch to message; metadata, title: if set */
	CONVERSATION_CHANGE__COUNT
};

struct conversation_write {
	struct store_job         job;
	enum conversation_change change;
	int64_t                  owner;
	int64_t                  now_ms;
	struct id                conversation;
	bool                     metadata_set;
	struct str               metadata; /* JSON object; empty: none */
	bool                     title_set;
	struct str               title;    /* plain text; empty: none */
	const struct store_message *messages;
	size_t                   message_count;
	struct id                source;   /* FORK; revisions are its */
	struct id                message;  /* REMOVE_MESSAGE; FORK: the last one copied; none: the newest */
	struct key_made          made;     /* CREATE, APPEND, FORK */
	bool                     conditional; /* only if its revision is one of these */
	int64_t                  revisions[STORE_REVISIONS];
	size_t                   revision_count;
	struct arena             arena;    /* init'ed and finished by the caller */
	/* out: as it is then; not of DELETE */
	struct store_conversation now;
};

/* conversations_read: an owner's conversations by the time they were made.
 * Errors: INVALID_VALUE "after": no such conversation. */
struct conversations_read {
	struct store_job job;
	int64_t          owner;
	struct id        after; /* none: from the beginning, in the order asked */
	bool             descending;
	size_t           limit;
	/* Only those whose metadata has all pairs of filter, a JSON object of strings; key and value are
	 * one of them, as plain text.  key.p NULL: all. */
	struct str       key;
	struct str       value;
	struct str       filter;
	struct arena     arena;
	/* out */
	struct store_conversation *conversations;
	size_t                     conversation_count;
	bool                       has_more; /* also when the arena, not limit, ended the page */
};

struct items_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation;
	struct id        leaf;  /* a message: its branch; none: the newest.  Not there: NOT_FOUND "leaf" */
	struct id        after; /* none: from the beginning (in the order asked) */
	bool             descending;
	size_t           limit;
	/* A page ends in front of the message that would make it larger, but not without one;
	 * 0: only the arena ends it. */
	size_t           page_bytes;
	struct arena     arena;
	/* out: of the branch */
	struct store_item {
		struct store_message message;
		int64_t              created_ms;
		enum run_status      status; /* an answer's run; COMPLETED for others */
	}     *items;
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

struct run_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	struct arena     arena;
	/* out */
	enum run_status status;
	struct id       conversation;
	struct id       continues; /* none: no */
	struct str      model;
	struct str      provider;
	struct str      finish_reason; /* empty: none */
	struct str      native_reason; /* likewise */
	struct str      error;         /* JSON object, or empty */
	struct usage    usage;
	int64_t         created_ms;
	int64_t         first_token_ms; /* 0: none */
	int64_t         completed_ms;   /* 0: not yet */
	int64_t         attempts;
	bool            costs;          /* cost_nano is known */
	int64_t         cost_nano;
};

/* events_read: a page of a run's log, in order, and how far the run is.  Pieces whose last event is
 * not above `after` are left out (one that straddles it is whole).
 * Errors: NOT_FOUND. */
struct events_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	uint64_t         after;
	size_t           page_bytes; /* a page ends in front of the piece that would make it larger, but
	                              * not without one */
	struct arena     arena;
	/* out */
	struct events_piece *pieces;
	size_t               piece_count;
	bool                 has_more; /* a further page is there already */
	bool                 swept;    /* its log is gone: retention */
	enum run_status      status;   /* as of the same moment as the page */
	uint64_t             last_seq; /* of the end, once ended; else 0 */
	struct id            conversation;
	struct str           model;    /* as asked */
	struct str           shape;    /* as in turn_begin */
	struct str           error;    /* JSON object, or empty */
	struct str           finish_reason;
	/* The answer's message object, once ended and if there is one: of a run that logged nothing. */
	struct str           answer;
	struct usage         usage;
	int64_t              created_ms;
};

/* runs_read: a list of runs, newest first. */
struct runs_read {
	struct store_job job;
	int64_t          owner;
	struct id        conversation; /* none: of all */
	int              status;       /* enum run_status, or -1: of any */
	struct id        after;        /* none: from the newest; ERR_INVALID_VALUE "after": no such run */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct run_read *runs; /* id in .run; the out members filled; their arenas unused */
	size_t           run_count;
	bool             has_more;
};

/* --- stored completions: calls of SHAPE_OPENAI that ended well, and whose answer is there --- */

struct store_completion {
	struct id    run;
	int64_t      created_ms;
	struct str   model; /* as asked */
	struct str   finish_reason;
	struct usage usage;
	struct str   request_id;
	struct str   settings; /* as in turn_begin */
	struct str   answer;   /* the assistant's message object */
	struct str   metadata; /* of its conversation: JSON object, "{}" if none */
};

/* completion_read.  Errors: NOT_FOUND. */
struct completion_read {
	struct store_job        job;
	int64_t                 owner;
	struct id               run;
	struct arena            arena;
	struct store_completion found; /* out */
};

/* completions_read: an owner's completions by the time they were asked for.
 * Errors: INVALID_VALUE "after": no such run. */
struct completions_read {
	struct store_job job;
	int64_t          owner;
	struct id        after; /* none: from the beginning, in the order asked */
	bool             descending;
	size_t           limit;
	size_t           page_bytes; /* as in items_read */
	struct str       model;      /* .p NULL: of any */
	struct str       key;        /* these three as in conversations_read */
	struct str       value;
	struct str       filter;
	struct arena     arena;
	/* out */
	struct store_completion *completions;
	size_t                   completion_count;
	bool                     has_more; /* also when page_bytes or the arena ended the page */
};

/* completion_messages_read: what a completion was asked, by places from 0 on.  A message that was
 * removed from the conversation leaves its place empty.
 * Errors: NOT_FOUND; INVALID_VALUE "after": it has no such place. */
struct completion_messages_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	int64_t          after; /* a place; -1: from the beginning (in the order asked) */
	bool             descending;
	size_t           limit;
	size_t           page_bytes; /* as in items_read */
	struct arena     arena;
	/* out */
	struct completion_message {
		int64_t    place;
		struct str body;
	}     *messages;
	size_t message_count;
	bool   has_more;
};

/* completion_write: a write.  Errors: NOT_FOUND. */
struct completion_write {
	struct store_job job;
	int64_t          owner;
	int64_t          now_ms;
	struct id        run;
	/* With its conversation if that has nothing else, else its answer alone goes. */
	bool             delete;
	struct str       metadata; /* the new one: JSON object; empty: as it is */
	struct arena     arena;    /* init'ed and finished by the caller */
	struct store_completion now; /* out: as it is then; not if deleted */
};

/* key_read: what a key stands for.  No error where it is unknown. */
struct key_read {
	struct store_job job;
	int64_t          owner;
	struct store_key key;
	struct buf       bytes; /* of answer.body, at most its maximum; may be taken from here */
	/* out */
	bool              found;
	bool              same;         /* the fingerprint is the one given */
	bool              stored;       /* the run is, too */
	struct id         run;
	struct id         conversation; /* none: not stored */
	enum run_status   outcome;      /* RUNNING: the answer is not there yet */
	struct key_answer answer;
};

/* --- uploaded files --- */

struct store_file {
	struct id     id;
	int64_t       created_ms;
	int64_t       bytes;
	unsigned char sha256[HASH_BYTES]; /* of its content, in store->blobs */
	struct str    name;
	struct str    type;
	struct str    purpose;
};

/* file_add: a write; the content was placed (store/blob.h) and is the engine's to remove if this
 * fails.  Never refused by the submitter: the callers bound what is under way. */
struct file_add {
	struct store_job  job;
	int64_t           owner;
	struct store_file file; /* without sha256 */
	struct blob_name  content;
	struct key_made   made;
};

/* file_delete: a write.  Errors: NOT_FOUND. */
struct file_delete {
	struct store_job job;
	int64_t          owner;
	struct id        file;
	struct blob_name content; /* the engine's */
	bool             marked;  /* the engine's; false */
};

/* files_find: files by their ids, each of which must be the owner's.
 * Errors: NOT_FOUND, and `missing` is the place of the first that is not there. */
struct files_find {
	struct store_job job;
	int64_t          owner;
	const struct id *ids;
	size_t           count;
	bool             some; /* it is no error that one is missing: its file has no id then */
	struct arena     arena;
	/* out */
	struct store_file *files; /* in the order of ids */
	size_t             missing;
};

/* files_read: a list of files.  Errors: INVALID_VALUE "after": no such file. */
struct files_read {
	struct store_job job;
	int64_t          owner;
	struct id        after; /* none: from the beginning (in the order asked) */
	bool             ascending; /* oldest first */
	struct str       purpose;   /* empty: any */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct store_file *files;
	size_t             file_count;
	bool               has_more;
};

/* --- archives (docs/archive.md) --- */

struct archive_plan; /* the engine's: in which order a conversation's parts are given */

/* archive_read: the next page of a conversation's lines; the first call also settles which runs and
 * messages there will be.  Zero but for the first part; archive_read_finish when it is over.
 * Errors: NOT_FOUND, also when it is deleted in between. */
struct archive_read {
	struct store_job job;
	int64_t          owner;
	bool             any_owner; /* whoever owns it, and its line tells */
	struct id        conversation;
	size_t           page_bytes; /* a page ends behind the line that makes it so long */
	/* out; the caller empties page in between */
	struct buf       page;
	bool             has_more;
	/* the engine's */
	struct archive_plan *plan; /* owned */
	size_t               at;   /* the part that is next, */
	size_t               line; /* and its lines that were given */
	bool                 live; /* it is a run that went on when its line was given */
};
void archive_read_finish(struct archive_read *j);

/* archive_write: a write; all conversations of an archive that was checked (archive/archive_walk.h),
 * or none.  Errors: OVERLOADED (memory). */
struct archive_write {
	struct store_job job;
	int64_t          owner;
	bool             owners; /* those that are told own their conversations, owner the others */
	bool             quiet;  /* no results are wanted */
	int64_t          now_ms;
	struct str       text;   /* the archive */
	struct key_made  made;
	/* out */
	size_t     conversation_count;
	size_t     message_count;
	struct buf results; /* {"id":…,"source_id":…,"messages":…} of each, with commas between them */
};

/* --- search --- */

enum search_role { /* stored in the index as a number; a new one goes to the end */
	SEARCH_ROLE_OTHER,
	SEARCH_ROLE_USER,
	SEARCH_ROLE_ASSISTANT,
	SEARCH_ROLE_SYSTEM,
	SEARCH_ROLE_DEVELOPER,
	SEARCH_ROLE_TOOL,
	SEARCH_ROLE_COMPUTER,
	SEARCH_ROLE__COUNT
};
const char *search_role_name(enum search_role r);

/* A stretch of a snippet. */
struct search_segment {
	struct str text;
	bool       match;
};

struct search_hit {
	struct id        message;
	struct id        conversation;
	struct str       title; /* of the conversation; empty: none */
	int64_t          created_ms;
	enum search_role role;
	int64_t          score; /* millionths */
	struct search_segment *segments; /* the snippet, in order */
	size_t                 segment_count;
};

/* search_read: messages that match, the best ones among the newest first.
 * Errors: INVALID_VALUE "q": nothing to search for, or too much; INVALID_VALUE "after";
 * OVERLOADED with retry_after_ms: out of time; STORAGE with retry_after_ms: the index can't be read. */
struct search_read {
	struct store_job job;
	int64_t          owner;
	struct str       query;        /* as typed; UTF-8 without NUL */
	struct id        conversation; /* none: all */
	int              role;         /* enum search_role, or -1: any */
	struct str       after;        /* next of the page before, of the same query; empty: the first */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct search_hit *hits;
	size_t             hit_count;
	struct str         next;     /* empty: there is no more */
	bool               complete; /* all that was stored when it was read had been indexed */
};

/* --- API keys --- */

struct store_api_key {
	int64_t    number;
	char       id[API_KEY_ID + 1]; /* without key_ */
	int64_t    owner;
	struct str name;
	unsigned   scopes;      /* enum scope */
	struct str models;      /* JSON array of strings; empty: all */
	struct str metadata;    /* JSON object, "{}" if none */
	int64_t    created_ms;
	int64_t    expires_ms;  /* 0: never, as in the others */
	int64_t    revoked_ms;
	int64_t    rotated_ms;
	int64_t    old_until_ms; /* of the text before a rotation */
	int64_t    used_ms;
	struct allowance allowance;
};

/* api_key_write: a write; once it is answered, this process knows it everywhere.
 * Errors: NOT_FOUND; GONE: it is revoked (UPDATE, ROTATE); NOT_FOUND "shares"; OVERLOADED: there are
 * too many. */
enum api_key_change {
	API_KEY_CREATE, /* all below */
	API_KEY_UPDATE, /* what is set */
	API_KEY_REVOKE,
	API_KEY_ROTATE, /* sha256, old_until_ms */
	API_KEY_CHANGE__COUNT
};

struct api_key_write {
	struct store_job    job;
	enum api_key_change change;
	int64_t             now_ms;
	char                id[API_KEY_ID + 1];
	unsigned char       sha256[HASH_BYTES]; /* of the new text */
	int64_t             old_until_ms;       /* until when the old text is good; 0: it is not */
	int64_t             owner;
	struct str          shares; /* id of the key whose owner it gets instead; empty: none */
	bool                name_set, scopes_set, models_set, metadata_set, expires_set;
	struct str          name;
	unsigned            scopes;
	struct str          models;   /* JSON array; empty: all */
	struct str          metadata; /* JSON object; empty: none */
	int64_t             expires_ms;
	bool                limits_set, budget_set; /* which part of allowance: budget_*, or all else */
	struct allowance    allowance;
	struct arena        arena;    /* init'ed and finished by the caller */
	struct store_api_key now;     /* out: as it is then */
};

/* api_keys_read: keys, whoever owns what; newest first.
 * Errors: INVALID_VALUE "after": no such key. */
struct api_keys_read {
	struct store_job job;
	char             id[API_KEY_ID + 1];    /* that one alone (NOT_FOUND); "": all */
	char             after[API_KEY_ID + 1]; /* "": from the newest */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct store_api_key *keys;
	size_t                key_count;
	bool                  has_more;
};

/* Figures for health and metrics; any thread. */
struct store_stats {
	bool     writable;   /* false after a failed commit, until one succeeds again */
	char     problem[160]; /* why not, for the operator */
	const char *reason;    /* why not, for anybody: no path; static, "" while it is writable */
	uint64_t queue;      /* turns waiting */
	uint64_t lost;       /* runs whose end could not be stored, and that have none yet */
	uint64_t commits;
	uint64_t commit_us;  /* sum */
	uint64_t turns;
	uint64_t busy;       /* times the database was locked by others */
	int64_t  wal_bytes;
	int64_t  search_messages; /* in the index */
	int64_t  search_waiting;  /* what it has not taken up yet: turns, as a rule */
	bool     search_complete; /* false while it is made anew or can't be used */
};

/* The plug point: one engine is one table. */
struct store_ops {
	const char *name;
	/* submit: takes job->kind's job (store/job.h); false: its lane is full.  On a loop's thread. */
	bool (*submit)(struct store *s, struct store_job *job);
	bool (*does)(const struct job_kind *kind); /* NULL: every kind of job is done here */
	/* usage_add: gathered in memory and written within a second or so.  Any thread, cheap. */
	void (*usage_add)(struct store *s, const struct usage_note *note);
	void (*stats)(struct store *s, struct store_stats *ret); /* any thread, cheap; may be NULL */
	/* destroy: finishes everything queued and closes.  After all loops have stopped submitting;
	 * answers still reach loops that run. */
	void (*destroy)(struct store *s);
	const struct store_peers *peers; /* NULL: its processes need not hand over to each other */
};

/* How one process takes over what is kept from another, whose runs go on beside its own for a while.
 * The first three are of the process that serves, called in this order from one thread that is no
 * loop's. */
struct store_peers {
	/* quiesce: our background work stops.  *ret_fd (borrowed): what the other process needs
	 * (store_options.handover_fd).  Errors: OVERLOADED: it is too early for another one; STORAGE. */
	enum errc (*quiesce)(struct store *s, int *ret_fd, struct err *e);
	/* resume: the other one has given up; background work goes on. */
	enum errc (*resume)(struct store *s, struct err *e);
	/* handed_over: the other one serves; both write until our last run has ended. */
	void (*handed_over)(struct store *s);
	/* taken_over: of the process that took over, once the other one has said so.  Until then that one
	 * may go on as if nothing had been, and its runs are not ended for it. */
	void (*taken_over)(struct store *s);
	/* alive: there is a process whose runs go on beside ours.  Any thread, cheap. */
	bool (*alive)(struct store *s);
};

struct store {
	const struct store_ops *ops;
	struct blobs           *blobs; /* the engine's; contents of files, for workers */
	struct key_ring        *ring;  /* the engine's; the keys that are good */
};

/* The functions of the engine's table.  store_does: whether a kind of job is done at all.
 * store_peer_alive: false where an engine has no peers. */
bool      store_does(const struct store *s, enum job job);
void      store_stats(struct store *s, struct store_stats *ret);
void      store_usage_add(struct store *s, const struct usage_note *note);
enum errc store_quiesce(struct store *s, int *ret_fd, struct err *e) MUST_USE;
enum errc store_resume(struct store *s, struct err *e) MUST_USE;
void      store_handed_over(struct store *s);
void      store_taken_over(struct store *s);
bool      store_peer_alive(struct store *s);

struct store_options {
	const char *path;       /* database file; missing: made, with mode 0600 */
	unsigned    readers;    /* threads of the read pool */
	int64_t     busy_ms;    /* how long to wait for another process's lock */
	bool        handover;    /* from a process that serves: */
	int         handover_fd; /* what its quiesce gave; owned by the store, also when it can't be opened */
	bool        migrate;    /* apply missing migrations; false: refuse when some are missing */
	bool        existing;   /* store_at_once: a database that is not there is not made */
	/* Event logs of runs that have ended are kept so long, and no more than so many bytes in all,
	 * oldest first; 0: for ever, without bound.  Swept in small pieces between other writes. */
	int64_t     events_keep_ms;
	int64_t     events_keep_bytes;
	int64_t     keys_keep_ms; /* how long a key is known; 0: for ever */
	/* assemble: the answer (a message object, appended to out) that the logged events of a run make,
	 * for what a crash cut off or a failing disk did not take; false: they make none.  NULL: no answer is made then. */
	bool (*assemble)(const struct events_piece *pieces, size_t count, struct buf *out);
};

/* store_open: opens, checks and migrates the database, marks runs that a crash left running as
 * incomplete, starts the threads.
 * Errors: STORAGE with a text for the operator (not a database, newer schema, changed checksum,
 * locked, read-only, disk full, …). */
enum errc store_open(const struct store_options *o, struct store **ret, struct err *e) MUST_USE;
void      store_destroy(struct store *s);
OWNABLE(store);

/* store_migrate: applies migrations and closes again; *ret_applied is their number. */
enum errc store_migrate(const struct store_options *o, int *ret_applied, struct err *e) MUST_USE;

/* Beside a process that may serve the database; both wait for the disk.
 *
 * store_export: hands the lines of the conversations, of whatever owner, to put, which fails with an
 * error of its own; ids NULL: all of them.  Errors: STORAGE; NOT_FOUND: one of ids is not there, or
 * went while it was read. */
struct store_export {
	const struct id *ids;
	size_t           count; /* of ids; out: of conversations that were given */
	enum errc (*put)(void *arg, struct str lines, size_t conversations, struct err *e);
	void *arg;
};
enum errc store_export(const struct store_options *o, struct store_export *x,
                       struct err *e) MUST_USE;
/* store_at_once: does one job and waits for it; the database is made or brought up to
 * date first, if nobody serves it.  A gateway that does learns of a change of keys within
 * LIMIT_KEYS_LOOK_MS.  Errors: STORAGE; those of the job. */
enum errc store_at_once(const struct store_options *o, enum job kind, struct store_job *job,
                        struct err *e) MUST_USE;
