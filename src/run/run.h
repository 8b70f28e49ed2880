/* run: one call of a chat from admission to its durable end, as a state machine.
 *
 *   LOADING --> BEGINNING --> CALLING --> STREAMING --> ENDING --> ENDED
 *      |            |            |            |                      ^
 *      +------------+------------+------------+----------------------+
 *
 * A run with a computer executes the assistant's code and asks the model again, until there is no
 * code any more, or the code needs an approval, which ends the run:
 *
 *                  +-----------------------------------------+
 *                  v                                         |
 *   BEGINNING -> CALLING -> STREAMING --> RECORDING -----> EXECUTING
 *       |                                   ^  |  ^          |
 *       +---- code that was approved -------+  |  +----------+ the next code
 *                                              +--> CALLING, ENDING
 *
 * The steps in front of the provider's call are a table (step.c); a step that is not wanted is
 * passed over:
 *
 *   LOADING    load         the store: the branch of the conversation that goes on
 *              refer        the store: the stored messages that messages name
 *              look         what the messages name, and what they weigh; a worker, where they are long
 *              find_files   the store: the uploaded files that messages name
 *              read_files   a worker: their contents
 *              find_images  images that messages name by their path; as look
 *              read_images  a worker: images that messages name by their path
 *              computer     the runner: which languages it has
 *              weigh        the prompt, for a key with a budget; as prompt
 *              reserve      the store: the budget
 *   BEGINNING  begin        the store: the client's messages are durable
 *   LOADING    turn         the end of the loop's turn, for a run that has waited for nothing so far
 *   RECORDING  settle       the next code of the answer: it is refused, or needs an approval, or runs
 *              record       the store: the execution is durable in front of its beginning
 *   EXECUTING  execute      the runner: the code's output
 *   CALLING    prompt       instruction, branch and messages; a worker, where they are long
 *              book         the store: the budget that earlier calls of the run had
 *              reserve      the store: the budget, for a further call
 *              call         the first attempt (attempt.c)
 *
 * CALLING lasts until the provider's first content.  ENDING makes the answer durable.  A run that
 * is not stored skips BEGINNING and ENDING.
 *
 * A run owns its provider's call.  A client is only a reader of the run: when the client leaves,
 * the run goes on or is cancelled, as the request said.  A run belongs to one loop; all functions
 * here are called on that loop's thread. */
#pragma once

#include "base/beneath.h"
#include "base/id.h"
#include "base/trace.h"
#include "json/input.h"
#include "msg/origin.h"
#include "shape/context.h"
#include "shape/encoder.h"
#include "shape/family.h"
#include "loop/work.h"
#include "provider/registry.h"
#include "desk/admit.h"
#include "desk/idem.h"
#include "store/store.h"

struct run;
struct run_engine; /* one for each loop */

struct run_settings {
	int64_t commit_after_us;       /* how long a stream's status waits for the first content */
	bool    log_content;           /* prompts and answers go into the log */
	bool    strict;                /* nobody sees an event before it is in the log */
	enum reasoning_name reasoning; /* the name that it has in answers */
};

struct run_engine_options {
	struct provider_env   env;
	struct store         *store;
	struct work_pool     *work;       /* both borrowed until run_engine_destroy */
	const struct beneath *image_root; /* NULL: no image may be named by its path */
	const char *computer; /* path of the runner's socket, borrowed; NULL: no code is executed */
	/* settings: of this moment; a reload may have changed them. */
	const struct run_settings *(*settings)(void *arg);
	void *arg;
};

enum errc run_engine_create(const struct run_engine_options *o, struct run_engine **ret,
			    struct err *e) MUST_USE;
/* run_engine_destroy: no run may be alive. */
void run_engine_destroy(struct run_engine *g);
OWNABLE(run_engine);
size_t run_engine_live(const struct run_engine *g);
/* run_engine_stop: ends all live runs with an error (their readers get it, stored ones are saved);
 * they are gone when run_engine_live is 0. */
void run_engine_stop(struct run_engine *g, const struct err *why);

/* Who reads a run.  Called on the loop's thread, never from within run_start. */
struct run_observer {
	/* open: a stream's status is 200 from now on; bytes follow. */
	void (*open)(void *arg);
	/* wake: run_ready has more. */
	void (*wake)(void *arg);
	/* done: a plain call's answer is final, or the call failed before `open` (e, else NULL). */
	void (*done)(void *arg, const struct err *e);
	/* begun: the client's messages are durable and the provider is being asked; may be NULL. */
	void (*begun)(void *arg);
};

/* A message of a request that names a stored message. */
struct run_reference {
	size_t     message; /* index in the request's messages */
	struct id  id;      /* of the stored message */
	struct str path;    /* of the name, for errors */
};

/* What a request says of the computer. */
struct run_computing {
	bool               ask;       /* the run ends in front of each execution, for an approval */
	bool               approve;   /* the first code that waits in the branch is approved, */
	bool               refuse;    /* or refused */
	bool               waiting;   /* code of the branch without a result waits */
	enum context_files files;     /* where the files of messages are */
	struct str         reason;    /* of the refusal; plain text, or empty */
	const struct str  *languages; /* plain names; count 0: all that the runner has */
	size_t             language_count;
	int64_t            max_steps;
};

struct run_request {
	struct input *input; /* consumed by run_start also on failure; all spans point into it */
	void         *held;  /* keeps provider alive; given to release at the run's end */
	void (*release)(void *held);
	const struct provider *provider; /* asked first, or the only one */
	const struct model *route; /* whose targets and fallbacks are tried; NULL: provider alone */
	struct str          asked; /* the name that led to it */
	struct str          label; /* configured model name, for metrics */
	struct str          model; /* as asked */
	unsigned            takes; /* enum provider_takes: files of which kinds the model takes */
	uint8_t             scopes;         /* enum scope: of who asks, in this request */
	bool                background : 1; /* its client waits for `begun` alone */
	bool bare : 1;          /* a plain answer is a text, not JSON: the encoder prints it so */
	bool answers_calls : 1; /* calls in messages that were left without an answer get one */
	bool fence : 1;    /* LMC code reaches the provider as fenced text, not as tool calls */
	bool fences : 1;   /* fenced code of the answer becomes LMC code */
	bool logprobs : 1; /* the client asked for log probabilities, and its shape has them */
	bool store;
	bool finish;       /* what the reader's leaving does: go on, else cancel */
	bool want_usage;   /* the client asked for it */
	bool untranslated; /* there are no messages, but only prompt.native */
	bool instruction_set;
	bool instruction_once;       /* it is of this call alone: the branch does not keep it */
	bool instruction_default;    /* it is of the model's configuration, not of a client */
	struct prompt        prompt; /* messages and message_count are filled by the run */
	const struct family *family; /* how it was asked */
	const struct shape  *shape;  /* of the family: how it is answered */
	int64_t guess_in; /* tokens of the prompt, for encoders that tell them early; 0: none */
	/* What the reader of the body has left out: entries in the form of struct warnings. */
	struct str warnings;
	size_t     warning_count;
	struct str version; /* these two: as struct prompt_native's */
	struct str beta;
	struct str keep;      /* the header x-parley-store, for families that read it */
	struct id  continues; /* the run whose answer this one goes on with; none: no */
	const struct run_computing *computing; /* in the arena; NULL: no code is executed */
	struct identity            *who;       /* who asks; borrowed until run_start returns */
	int64_t                     owner;
	struct id                   conversation; /* none: a new one, if stored */
	struct id                   parent; /* message in it to branch from; none: its newest */
	/* The run whose answer is gone on with, of the same family and in whatever conversation it
	 * is; conversation and parent are none then.  None: no. */
	struct id         previous;
	struct str        instruction; /* plain text */
	struct str        metadata;    /* JSON object, or empty */
	struct str        settings;    /* JSON object: what later answers show of the request */
	const struct str *messages;    /* raw JSON objects, as they are stored */
	size_t            message_count;
	struct origins    origins; /* of messages and tools; in the arena, as the messages */
	/* Messages that name stored ones.  join: makes the whole message of the stored one and the
	 * request's; *ret is in the arena. */
	const struct run_reference *references;
	size_t                      reference_count;
	enum errc (*join)(struct str stored, struct str given, struct arena *arena, struct str *ret,
			  struct err *e);
	struct str   request_id; /* copied */
	struct trace trace;      /* the request's; attempts are spans inside it */
	/* The claim of its Idempotency-Key, or NULL; the run ends it.  Stays the caller's where
	 * run_start fails. */
	struct idem_claim *claim;
	/* Its place and what it took of limits; the run gives it back.  As the claim where
	 * run_start fails. */
	struct admit_pass pass;
};

/* run_start: begins a run; *ret is the caller's reader handle until run_leave.
 * Errors: nothing has happened (OVERLOADED when the store's queue is full, …). */
enum errc run_start(struct run_engine *g, const struct run_request *rq,
		    const struct run_observer *observer, void *arg, struct run **ret,
		    struct err *e) MUST_USE;
/* run_leave: the reader goes, for whatever reason; no callback follows.  A run that is not over is
 * cancelled, or goes on to its end. */
void run_leave(struct run *r);

/* run_ready: bytes of the stream that wait, borrowed until run_taken. */
struct str run_ready(struct run *r, bool *ret_last);
void       run_taken(struct run *r, size_t n);

/* run_whole: moves the answer of a plain call into out, in the place of what out held; once, after
 * `done`. */
bool run_whole(struct run *r, struct buf *out) MUST_USE;

/* What replies, logs and metrics say of a run; spans are borrowed until run_leave. */
struct run_view {
	struct str   id;           /* "run_…"; both empty if it failed before it was begun */
	struct str   conversation; /* "conv_…", empty if not stored */
	struct str   finish_reason;
	struct usage usage;
	/* Monotonic; 0: it did not come to that. */
	int64_t    called_us; /* the first attempt */
	int64_t    first_token_us;
	int64_t    answered_us;
	struct id  run_id;
	struct id  conversation_id; /* none: not stored */
	int64_t    created_ms;
	struct str provider; /* asked last */
	struct str warnings; /* what was not handed on: JSON objects with commas between */
	size_t     warning_count;
	unsigned   attempts; /* calls of providers; 0: none could be asked */
	bool       failed;   /* the end is an error */
	bool       cut;      /* the stream lacks its last block */
	bool       costs;    /* cost_nano is known */
	int64_t    cost_nano;
};
void run_view(const struct run *r, struct run_view *ret);
