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
 * The steps before the provider's call are a table (rows.c); a step that is not wanted is
 * passed over:
 *
 *   LOADING    load         the store: the branch of the conversation that goes on
 *              refer        the store: the stored messages that messages name
 *              look         what the messages name, and what they weigh; a worker, where they are long
 *              find_files   the store: the uploaded files that messages name
 *              read_files   a worker: their contents
 *              find_images  images that messages name by their path; as look
 *              read_images  a worker: images that messages name by their path
 *              stages       what stages of the way out need first: of the runner, its languages
 *              cache        whether the run has a part in the cache of answers (cache.h)
 *              prompt       the prompt, which is compared with earlier ones
 *              digest       its digest; a worker, where it is long
 *              look_up      the store: a kept answer; or an equal call goes on
 *              weigh        the prompt, for a key with a budget; as prompt
 *              reserve      the store: the budget
 *              ceiling      the store: the ceiling that a call with a kept answer sets
 *   BEGINNING  begin        the store: the client's messages are durable
 *   CALLING    refuse       a request that a hook has blocked ends, as a run without content
 *              plan         the store: how it is asked, for whoever takes it up after a kill
 *   LOADING    turn         the end of the loop's turn, for a run that has waited for nothing so far
 *   RECORDING  pass_on      what stages hold of the answer is passed on; once more after settle
 *              settle       the next code of the answer: it is refused, or needs an approval, or runs
 *              gather       the files of the messages, which the sandbox is to have
 *              record       the store: the execution is durable before it begins
 *   EXECUTING  execute      the runner: the code's output
 *   CALLING    stages       as before, for a further call
 *              await        the end of the equal call, and another look
 *              ceiling      as before, where the equal call's answer was kept
 *              prompt       instruction, branch and messages; a worker, where they are long
 *              book         the store: the budget that earlier calls of the run had
 *              reserve      the store: the budget, for a further call
 *              call         the first attempt (attempt.c)
 *
 * CALLING lasts until the provider's first content.  ENDING makes the answer durable.  A run that
 * is not stored skips BEGINNING and ENDING.  docs/internals/run.md has the reasons.
 *
 * A run owns its provider's call.  A client is only a reader of the run: when the client leaves,
 * the run goes on or is cancelled, as the request said.  A run belongs to one loop; all functions
 * here are called on that loop's thread. */
#pragma once

#include "base/beneath.h"
#include "base/id.h"
#include "base/trace.h"
#include "json/input.h"
#include "msg/call_request.h"
#include "shape/context.h"
#include "shape/encoder.h"
#include "shape/family.h"
#include "loop/work.h"
#include "provider/registry.h"
#include "desk/admit.h"
#include "desk/answer_slot.h"
#include "store/ledger.h"
#include "store/store.h"

struct cut_off_bill;
struct events_piece;
struct hooks;
struct run;
struct run_engine; /* one for each loop */

struct run_settings {
	int64_t commit_after_us;       /* how long a stream's status waits for the first content */
	int64_t budget_reserve;        /* tokens of an answer that nobody has limited */
	int64_t cache_keep_ms;         /* the longest that an answer is kept in the cache */
	int64_t cache_bytes;           /* all its answers together; 0: none is kept */
	bool    log_content;           /* prompts and answers go into the log */
	bool    strict;                /* nobody sees an event before it is in the log */
	enum reasoning_name reasoning; /* the name that it has in answers */
	struct hooks       *hooks;     /* asked about the texts of calls; NULL: none */
};

struct run_engine_options {
	struct provider_env   env;
	struct store         *store;
	struct work_pool     *work;       /* both borrowed until run_engine_destroy */
	const struct beneath *image_root; /* NULL: no image may be named by its path */
	const char *computer; /* path of the runner's socket, borrowed; NULL: no code is executed */
	/* settings: of this moment; a reload may have changed them. */
	const struct run_settings *(*settings)(void *arg);
	/* opened: a stored run has ended well that brought the first messages of its conversation; may be
	 * NULL.  Called on the loop's thread; who and the run's tags are borrowed. */
	void (*opened)(void *arg, struct identity *who, int64_t owner, struct id conversation,
		       struct str tags);
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

/* run_start: begins a run; *ret is the caller's reader handle until run_leave.
 * Errors: nothing has happened (OVERLOADED when the store's queue is full, …). */
enum errc run_start(struct run_engine *g, struct call_request *rq,
		    const struct run_observer *observer, void *arg, struct run **ret,
		    struct err *e) MUST_USE;
/* A run that its gateway has left without an end (store/cut_off.h), as its row and its log have it; borrowed for
 * the call. */
struct run_cut {
	struct id                  run;
	int64_t                    created_ms;
	struct str                 attempt_log; /* msg/attempt_log */
	uint64_t                   seq_reserved;
	bool                       reserved; /* it has a reservation of budgets */
	const struct events_piece *pieces;   /* with data */
	size_t                     piece_count;
	const struct cut_off_bill *bill;
};
/* run_restart: goes on with such a run, under its id and without a reader.  rq: what it was asked, whose messages
 * are those of its branch; consumed.  Errors: nothing has happened: the caller ends the run. */
enum errc run_restart(struct run_engine *g, struct call_request *rq, const struct run_cut *cut,
		      struct err *e) MUST_USE;
/* run_leave: the reader goes, for whatever reason; no callback follows.  A run that is not over is
 * cancelled, or goes on to its end. */
void run_leave(struct run *r);
/* run_leave_told: the same; *ret: what the run has come to by that. */
struct run_left {
	enum call_outcome outcome; /* CALL_CLIENT_LEFT where the run goes on, too */
	struct usage      usage;
	bool              costs; /* cost_nano is known */
	int64_t           cost_nano;
};
void run_leave_told(struct run *r, struct run_left *ret);

/* run_ready: bytes of the stream that wait, borrowed until run_taken. */
struct str run_ready(struct run *r, bool *ret_last);
void       run_taken(struct run *r, size_t n);

/* run_whole: moves the answer of a plain call into out, in the place of what out held; once, after
 * `done`. */
bool run_whole(struct run *r, struct buf *out) MUST_USE;

/* The facts of a run for replies, logs and metrics; spans are borrowed until run_leave. */
struct run_view {
	struct str   id;           /* "run_…"; both empty if it failed before it was begun */
	struct str   conversation; /* "conv_…", empty if not stored */
	struct str   finish_reason;
	struct usage usage;
	/* Monotonic; 0: it did not come to that. */
	int64_t           called_us; /* the first attempt */
	int64_t           first_token_us;
	int64_t           answered_us;
	struct id         run_id;
	struct id         conversation_id; /* none: not stored */
	int64_t           created_ms;
	struct str        provider; /* asked last */
	struct str        target;   /* the same, and its key's place; empty: there was no choice */
	struct str        warnings; /* things not handed on: JSON objects with commas between */
	size_t            warning_count;
	unsigned          attempts; /* calls of providers; 0: none could be asked */
	const struct err *failure;  /* the end is an error; NULL: it isn't */
	bool              cut;      /* the stream lacks its last block */
	bool              over;     /* outcome is known */
	enum call_outcome outcome;
	bool              costs; /* cost_nano is known */
	int64_t           cost_nano;
	enum call_cache   cache; /* never STORED: a client is told of an answer before it is kept */
	struct id         cached_from; /* a hit: the run whose answer it is */
	int64_t           cached_ms;   /* and when that was kept */
};
void run_view(const struct run *r, struct run_view *ret);

/* run_cache_look: reads what the cache of answers has done in this process. */
struct run_cache_counts {
	int64_t hits, misses, bypassed;
	int64_t stored; /* answers that were kept */
	int64_t bytes;  /* all kept answers take so many, when last counted */
};
void run_cache_look(struct run_cache_counts *ret);
