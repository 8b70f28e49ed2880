/* msg/call_request: what a call of a model asks for.  Plain data: readers of bodies fill it, admission and
 * idempotency look at it, and a run is begun with it.  It lives in the arena of its own input, and so goes
 * with it; spans point into the input, unless a member says otherwise. */
#pragma once

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "base/trace.h"
#include "msg/family.h"
#include "msg/prompt.h"

#include <stdbool.h>

struct admit_pass;
struct answer_label;
struct answer_slot;
struct arena;
struct err;
struct identity;
struct input;
struct model;
struct provider;
struct usage_tags;

/* Where the files of messages are: in the prompt, in the computer's sandbox, or in both. */
enum context_files { CONTEXT_PROMPT, CONTEXT_WORKSPACE, CONTEXT_BOTH };

/* A message of a request that names a stored message. */
struct call_reference {
	size_t     message; /* index in the request's messages */
	struct id  id;      /* the stored message's */
	struct str path;    /* the name's, for errors */
};

/* The part of a request that is about the computer. */
struct call_computing {
	bool               ask;       /* the run ends before each execution, for an approval */
	bool               approve;   /* the first code that waits in the branch is approved, */
	bool               refuse;    /* or refused */
	bool               waiting;   /* code of the branch without a result waits */
	enum context_files files;     /* where the files of messages are */
	struct str         reason;    /* the refusal's; plain text, or empty */
	const struct str  *languages; /* plain names; count 0: all that the runner has */
	size_t             language_count;
	int64_t            max_steps;
};

/* The prompt, and the model that it is for. */
struct call_what {
	const struct provider *provider; /* asked first, or the only one */
	const struct model *route; /* whose targets and fallbacks are tried; NULL: provider alone */
	struct str          asked; /* the name that led to it */
	struct str          label; /* configured model name, for metrics */
	struct str          model; /* the name as asked */
	unsigned            takes; /* enum provider_takes: files of which kinds the model takes */
	bool              untranslated;  /* only prompt.native says all; there may be no messages */
	bool              answers_calls; /* calls in messages without an answer get one */
	bool              instruction_set;     /* the request says something of it */
	bool              instruction_once;    /* the branch does not keep it */
	bool              instruction_default; /* it is the model's, by its configuration */
	struct str        instruction;         /* plain text */
	struct prompt     prompt;   /* messages and message_count are filled by the run */
	const struct str *messages; /* raw JSON objects, as they are stored */
	size_t            message_count;
	struct origins origins; /* origins of messages and tools; in the arena, like the messages */
	/* Parts of the body that its reader has left out: entries in the form of struct warnings. */
	struct str warnings;
	size_t     warning_count;
};

/* The place in a conversation. */
struct call_thread {
	struct id conversation; /* none: a new one, if stored */
	struct id parent;       /* message in it to branch from; none: its newest */
	bool      root;         /* nothing comes before it: a branch beside the first messages */
	/* The run whose answer is gone on with, of the same family and in whatever conversation it
	 * is; conversation and parent are none then.  None: no. */
	struct id  previous;
	struct id  continues; /* the run whose answer this one goes on with; none: no */
	struct str metadata;  /* JSON object, or empty */
	int64_t keep_ms; /* how long after its last activity the conversation is kept; 0: not said */
	/* Messages that name stored ones.  join: makes the whole message of the stored one and the
	 * request's; *ret is in the arena. */
	const struct call_reference *references;
	size_t                       reference_count;
	enum errc (*join)(struct str stored, struct str given, struct arena *arena, struct str *ret,
			  struct err *e);
};

/* The client's wishes for the cache of answers. */
struct cache_ask {
	bool    asked;
	bool    fresh;      /* a kept answer is not given, but replaced */
	bool    only;       /* no provider is asked */
	bool    unkept;     /* the answer is not kept */
	int64_t ttl_ms;     /* the answer's time; 0: the model's */
	int64_t max_age_ms; /* the age of the oldest answer that may be given */
};

/* The form of the answer, and the life of the run. */
struct call_manner {
	const struct family *family;   /* how it was asked */
	const struct shape  *shape;    /* one of the family's */
	struct str           settings; /* JSON object: what later answers show of the request */
	struct str           headers[FAMILY_HEADERS]; /* in the family's order; empty: absent */
	const struct call_computing *computing;       /* in the arena; NULL: no code is executed */
	struct cache_ask             cache;
	int64_t max_nano; /* the ceiling of its conversation, or else of its session; 0: none is set */
	int64_t guess_in; /* tokens of the prompt, for encoders that tell them early; 0: none */
	bool    store;
	bool    finish;         /* the reader's leaving ends nothing; else it cancels the run */
	bool    want_usage;     /* the client asked for it */
	bool    background : 1; /* its client waits for `begun` alone */
	bool    bare : 1;       /* a plain answer is a text, not JSON: the encoder prints it so */
	bool    fence : 1;    /* LMC code reaches the provider as fenced text, not as tool calls */
	bool    fences : 1;   /* fenced code of the answer becomes LMC code */
	bool    capped : 1;   /* a ceiling counts, its own or that of the conversation */
	bool    logprobs : 1; /* the client asked for log probabilities, and its shape has them */
	bool    plain : 1;    /* the client of a run that was taken up was to get a plain answer */
	/* An answer that breaks off goes on at another target: as the model's entry says, or the request. */
	enum { RESUME_AS_SET, RESUME_OFF, RESUME_FALLBACK } resume;
};

/* Who asks. */
struct call_caller {
	struct identity *who; /* borrowed until the call is over, or has begun a run */
	int64_t          owner;
	int64_t          arrived_us; /* monotonic; when the request came; 0: not known */
	uint8_t          scopes;     /* enum scope: in this request */
	bool             console;    /* the console asks for its user */
	struct str       request_id; /* borrowed likewise */
	struct trace     trace;      /* the request's; attempts are spans inside it */
	uint64_t
		session; /* a hash of the owner and the session's name, where the client has given one; 0: none */
	uint64_t   purse; /* likewise, where a ceiling of the session counts */
	struct str tags;  /* the text of its tags (msg/usage_tag); empty: there are none to have */
	const struct usage_tags *tags_said; /* in its body; NULL: nothing */
	/* Parts of the head that were ignored: entries in the form of struct warnings. */
	struct str warnings;
	size_t     warning_count;
	/* Its Idempotency-Key, borrowed likewise; NULL: none. */
	const struct answer_label *key;
	/* Where the answer is to be kept, or NULL; the run ends it.  Stays the caller's where run_start
	 * fails. */
	struct answer_slot *slot;
	/* Its place and what it took of limits, borrowed until run_start returns, or NULL; the run
	 * copies it and gives it back, but not where run_start fails. */
	const struct admit_pass *pass;
};

struct call_request {
	struct input *input; /* consumed by run_start, with the request; also on failure */
	void         *held;  /* keeps provider alive; given to release at the run's end */
	void (*release)(void *held);
	struct call_what   what;
	struct call_thread thread;
	struct call_manner manner;
	struct call_caller caller;
};
