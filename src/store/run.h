/* Runs: their states, and the jobs that read one run or a list.  turn_begin (store/turn.h) makes
 * runs. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"

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

/* A run as the ledger of calls (store/ledger.h) knows it. */
struct run_call {
	bool       known;    /* it has a row of the run */
	bool       unstored; /* and nothing else has */
	int        outcome;  /* enum call_outcome */
	int        http;     /* the answer's status; 0: none */
	int64_t    duration_us;
	int64_t    first_us;     /* until the first token; 0: none */
	int64_t    weight;       /* the calls that the row stands for */
	unsigned   provider_key; /* the place of the provider's key, from 1; 0: it has one */
	struct str family;
	struct str error; /* wire code, or empty */
	struct str group; /* the group of the key; empty: none */
	int        cache; /* enum call_cache */
	struct id  cached_from;
};

struct run_read {
	struct store_job job;
	int64_t          owner;
	bool      any_owner; /* a run of any owner, with its key; `owner` becomes whose it is */
	struct id run;
	/* Also calls that are not stored, if the ledger has them; fills `call`. */
	bool calls;
	/* Only a run of this shape (SHAPE_…), with its settings and its answer; a run whose answer
	 * was removed is not found.  Empty, but p not NULL: a run of any shape, with them; p NULL: a
	 * run of any shape, without them. */
	struct str   shape;
	struct arena arena;
	/* out */
	struct str      settings; /* same as in turn_begin */
	struct str      answer;   /* the assistant's message object, or empty */
	enum run_status status;
	struct id       conversation;
	struct id       continues; /* the run whose answer this one continues; none: it does not */
	struct str      model;
	struct str      provider;
	struct str      finish_reason; /* empty: none */
	struct str      native_reason; /* empty: none */
	struct str      error;         /* JSON object, or empty */
	struct usage    usage;
	int64_t         created_ms;
	int64_t         first_token_ms; /* 0: none */
	int64_t         completed_ms;   /* 0: not yet */
	int64_t         attempts;
	struct str attempt_log; /* msg/attempt_log; empty: not known.  Not of a run in a list */
	struct str executions;  /* JSON array, or empty; likewise */
	bool       costs;       /* cost_nano is known */
	int64_t    cost_nano;
	/* Only where runs_read.keys or any_owner is set: whose run it was, as logs name it; empty: not known, or
	 * nobody's.  key_name: p NULL: the key is not stored. */
	struct str      key;
	struct str      key_name;
	struct run_call call; /* only where runs_read.calls or `calls` is set */
};

/* run_withdraw: a write that makes a run CANCELLED that has ended with code waiting for an
 * approval (finish_reason `confirmation`), so that it can't be approved any more.  Another run, or one
 * that something came after, stays as it is. */
struct run_withdraw {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	struct str       error; /* JSON error object, as in turn_end; borrowed */
};

enum runs_stores { RUNS_ALL, RUNS_STORED, RUNS_UNSTORED };

/* runs_read: a list of runs, in the order of their beginnings. */
struct runs_read {
	struct store_job job;
	int64_t          owner;
	bool             any_owner;    /* runs of all owners */
	bool             keyed;        /* all keys of the owner are stored ones */
	bool             keys;         /* with their keys */
	struct id        conversation; /* none: runs of all conversations */
	struct str       model;        /* only runs that asked for it; empty: any */
	struct str       key;          /* only runs of this key; empty: any */
	struct str       group; /* only those in the ledger of keys in this group; empty: any */
	size_t           most; /* runs that are looked at, unless a conversation is named; 0: all */
	bool             of_known; /* an unknown conversation is NOT_FOUND, and not an empty list */
	int              status;   /* enum run_status; -1: any */
	/* none: from the first; an id without a secret: a place between runs, as `end`;
	 * ERR_INVALID_VALUE "after": no such run */
	struct id after;
	bool      ascending; /* oldest first; false: newest first */
	int64_t   from_ms;   /* only runs that were made at this time or later; 0: of any time */
	int64_t   to_ms;     /* and before this; 0: no end */
	/* calls: with the calls that the ledger alone has; what it knows of the others is in `call`.  The next
	 * members count only then. */
	bool             calls;
	enum runs_stores stores;
	struct str       provider; /* only runs whose last attempt was this one's; empty: any */
	int              outcome;  /* enum call_outcome, and 1; 0: any */
	struct str       error;    /* only runs that ended with this code; empty: any */
	int64_t          min_ms;   /* only runs that lasted so long */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct run_read *runs; /* id in .run; the out members filled; their arenas unused */
	size_t           run_count;
	bool             has_more;
	struct id end; /* has_more, and where the next page begins; none: after the last run */
};

/* Stored responses: runs of the Responses API.  run_read (store/run.h) reads them. */

/* response_delete: deletes a response: with the conversation that it began if that has nothing else,
 * otherwise only the answer.  Errors: NOT_FOUND; CONVERSATION_BUSY with retry_after_ms: it has not
 * ended. */
struct response_delete {
	struct store_job job;
	int64_t          owner;
	int64_t          now_ms;
	struct id        run;
	struct arena     arena; /* init'ed and finished by the caller */
};
