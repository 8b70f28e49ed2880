/* Internals that the files of run/ share: a run laid open, and the steps that lead from file to file.
 * Not for other folders.
 *
 * rows.c          the tables by which the core does what other files know
 * core/run.c      engine, birth, reader    core/state.c    its moves, and what all ask of it
 * core/end.c      its end                  core/call.c     the provider's call
 * core/step.c     the steps before the call
 * core/prompt.c   the prompt               core/call_messages.c  the messages for it
 * core/stages.c   the table of the stages (run/stage.h) that an answer's events pass
 * core/save.c     the store's part
 * core/attempt.c  the attempts of a call, and when another one follows
 * core/choose.c   whom an attempt asks     core/fit.c      the prompt as that target takes it
 * core/aside.c    what workers do of that
 * lost.c  ends that the store did not take
 * run_answer.c  the name under which the answer is kept
 * image.c images that messages name by their path
 * refer.c stored messages that messages name
 * guard.h what stages that ask hooks share
 * attach.c uploaded files that messages name
 * cache.c the cache of answers (run/cache.h)
 * content.c what was said, in the log
 * budget.c what is reserved of the key's budget
 * ledger.c its row in the ledger of calls
 * print.c  the answer's end, printed       origin.c  the client's own place in an error
 * reader.c  what the client has not read   follow.c later readers
 * retry.c  what follows a failed attempt
 * plan.c   how to ask again after the gateway's death; core/restart.c  a run that is taken up after it
 * assemble.c  the answer of a run that a crash cut off, made from its events
 * computer/  the part of runs that have a computer (computer.h)
 *   equip.c which languages there are; the model is told of them
 *   waiting.c code of earlier answers that waits
 *   settle.c which code runs, and when the model is asked again
 *   execute.c one execution; hear.c what the runner says of it; output.c that, as chunks of LMC
 *   gather.c the files of messages, for the sandbox; forget.c the end of a session that nothing can go on with
 *   executions.c the list of executions; computer.c the state of all this */
#pragma once

#include "base/list.h"
#include "desk/tape.h"
#include "shape/answer.h"
#include "shape/transcript.h"
#include "desk/live.h"
#include "provider/choice.h"
#include "run/reader.h"
#include "run/run.h"
#include "run/stage.h"
#include "store/ledger.h"
#include "store/turn.h"

enum run_state {
	STATE_LOADING,
	STATE_BEGINNING,
	STATE_CALLING,
	STATE_STREAMING,
	STATE_RECORDING,
	STATE_EXECUTING,
	STATE_ENDING,
	STATE_ENDED,
	STATE__COUNT
};

struct run_branch {
	struct run        *run;
	struct branch_read read;
};

/* The run's part in the store.  The store borrows bytes of a job until the job is back.  Each job is
 * allocated when it is submitted, so that an open stream does not hold it. */
struct run_jobs {
	struct run        *run;
	struct run_branch *branch;   /* owned, until run_drop_request; NULL: none was read */
	struct list_link   end_turn; /* in the engine's end_waits, while no run_end is free */
	bool       marking;    /* a job says that an unstored stream has begun, and is not back */
	bool       unkept;     /* the answer can't be kept; the run ends when it was marked */
	bool       cut_aside;  /* a worker was asked to print end_answer of a failed run */
	bool       reserving;  /* a job reserves the next event numbers */
	bool       late;       /* the client's messages are stored with the answer (save.c) */
	bool       unbegun;    /* they could not be */
	struct buf key_body;   /* the failure that is kept as the answer */
	struct buf end_answer; /* the answer as it is stored, once print_stored was called */
	struct buf end_error;
};

/* The job that stores a run's end. */
struct run_end {
	struct run       *run;
	struct turn_end   turn;
	struct usage_note note;
};

/* Images on their way from files; owned by the run until they were printed into the prompt. */
struct run_images;
/* Stored messages on their way into messages. */
struct run_refer;
/* Uploaded files on their way into messages; likewise. */
struct run_attach;

/* A call's part of its key's budget, in tokens of the answers. */
struct budget_plan {
	struct price price;
	int64_t      answers;
	int64_t      each;  /* reserved, or asked for, for each answer before the call */
	int64_t      least; /* the smallest amount that is asked for, in place of more */
	int64_t      most;  /* the most tokens that the model writes; 0: not known */
	int64_t      cap;   /* the highest limit that every target takes; 0: not known */
	int64_t      step;  /* the option budget_reserve */
	int64_t      given; /* reserved, for all answers */
	int64_t      seen;  /* about as many have come */
	unsigned     round; /* counts the reservations of a run with a computer */
	bool         open;  /* neither the request nor the model's entry has a limit */
	bool         grows; /* the reservation grows with the answer */
	bool         asking;
};

/* Jobs whose bytes the store borrows. */
struct bill_jobs {
	struct run           *run;
	struct budget_plan    plan;
	struct budget_reserve reserve;
	struct budget_reserve more; /* while plan.asking */
	unsigned              more_round;
	struct budget_settle  settle;
};

/* A run's cost. */
struct bill {
	struct identity  *who;  /* held; whose budget it is */
	struct bill_jobs *jobs; /* owned; NULL: nothing was reserved */
	bool              reserved;
	bool              again;    /* reserved in an earlier life of the run: more is to be */
	bool              settled;  /* with the end of its turn, or whenever the store makes that */
	bool              charged;  /* something was used */
	bool              unpriced; /* by a target whose price is not known */
	bool              capped;   /* a ceiling of its conversation or session counts */
	bool              within; /* its conversation has one, whether the call is stored or not */
	uint8_t           asked;  /* enum usage_class: the one that the request asks for */
	int64_t      in, out; /* bytes of the prompt, and of the answer so far; media in tokens */
	struct usage usage;   /* sum of all attempts that may have cost */
	int64_t      nano;
};

/* Where a call stands among those that could be made for it. */
struct attempt {
	const struct model *model;  /* the one asked for, then its fallbacks */
	struct str          name;   /* the name that led to it */
	struct target       target; /* asked now, or last */
	uint32_t            tried;  /* bits of the model's targets */
	uint32_t blamed;        /* bits of those whose health was told of a failure of this run */
	unsigned count;         /* calls made */
	unsigned before;        /* calls made for earlier steps of a run with a computer */
	uint8_t  step;          /* fallbacks gone to */
	uint8_t  again;         /* retries of this model */
	bool     chosen : 1;    /* target was chosen, and health was not told yet what came of it */
	bool     on : 1;        /* an attempt goes on */
	bool     committed : 1; /* it has begun to answer: no other attempt follows */
	bool     spent : 1; /* an attempt ended after it had begun to answer, which may have cost */
	bool warm : 1; /* target is a fallback's: the last good one, chosen before the model's own */
	bool left : 1;    /* and was given up: the model's own targets follow */
	bool resumed : 1; /* the answer goes on after an attempt that broke off; `last` is its error */
	bool settled : 1; /* the last attempt is billed, booked and listed, and none was made since */
	struct trace trace; /* its span */
	int64_t      first_us;
	int64_t      called_us;      /* the last one */
	int64_t      first_token_us; /* monotonic; the run's */
	int64_t      first_token_ms; /* wall */
	int64_t resumed_ms; /* wall; the first content of an attempt with which the answer goes on */
	int64_t  total_us;  /* for all of them; 0: no limit */
	uint32_t warnings_len, warnings_count; /* the warnings as they stood before any attempt */
	const struct str *members;             /* the prompt's, likewise before any attempt */
	size_t            member_count;
	struct affinity   by;   /* the session, and the target to stay at */
	struct err       *last; /* owned; of the attempt before; NULL: none */
	struct usage      told; /* usage that an attempt tells before the run is committed */
	struct timer      wait; /* until the next */
	struct timer      total;
};

/* The stages of a run; written by core/stages.c. */
struct stage_set {
	struct stage_own *own;     /* owned; what stages keep for the run; NULL: nothing */
	uint16_t          wanted;  /* bits, by their places */
	uint16_t          started; /* stages that were asked to start */
	uint8_t           then;    /* enum drain_then: what follows when no stage holds anything */
};

/* A worker's job for a run whose prompt or answer is long.  While the worker has the run,
 * nobody else touches what the worker reads, and an end of the run waits. */
struct aside {
	struct work_job job;
	bool            on;
	bool            ends;                            /* the run is to end meanwhile */
	enum errc (*work)(struct run *r, struct err *e); /* on the worker */
	void (*then)(struct run *r, struct err *e); /* on the loop; code ERR_OK: it went well */
	struct err *err;  /* owned (err_keep), as the next; NULL: it went well */
	struct buf  body; /* the bytes that were made */
	struct err *why;  /* why the run is to end; NULL: no failure */
};

/* The request's words that outlive it; written by run.c, at the run's birth. */
struct run_given {
	void *held; /* owned, by release */
	void (*release)(void *held);
	const struct model  *route;
	const struct family *family;
	struct str           asked; /* its bytes are model's, or the configuration's */
	int64_t              owner;
	int64_t              created_ms;
	int64_t              arrived_us; /* monotonic; the request's arrival; 0: not known */
	char        *model; /* owned copies: the request's own bytes go when they were sent */
	char        *label;
	struct trace trace;
	char         request_id[40]; /* id_request makes it */
	/* Bits, as a byte more would make a run 8 longer; the first three are copies from the prompt. */
	bool stream : 1, embed : 1, text : 1;
	bool store : 1, finish : 1, fences : 1, logprobs : 1;
	bool resumes : 1;  /* an answer that breaks off goes on at another target */
	bool restarts : 1; /* after the death of this gateway, too: its log says how it was asked */
	bool restarted : 1; /* it was taken up after such a death */
	bool plain : 1;   /* and its client was to get a plain answer, though it is a stream now */
	bool refused : 1; /* vet.c: a hook has blocked it, and the run is only stored */
	bool opens : 1;   /* save.c: its conversation had no messages before */
};

/* The run's names; written by run.c, at its birth, and the conversation once more where it is the previous
 * run's. */
struct run_names {
	struct id id;
	struct id conversation; /* none: the run is not stored */
	char      id_text[ID_MAX], conversation_text[ID_MAX];
};

/* The next four, and the bill, belong to the stages of the same name (run/stage), which write them. */
struct commit_state {
	struct timer timer;    /* until nothing is held back any more */
	uint64_t     released; /* the number of the held event that is passed on; 0: none */
	bool         due;      /* the timer went off */
};

struct keep_state {
	struct answer answer;
	struct usage  usage; /* the last call's; at the end the run's */
	char          finish_reason[64];
	char          native_reason[64]; /* the provider's own word */
};

struct journal_state {
	struct tape     *tape; /* held */
	struct list_link link; /* while events or news wait for the store */
	uint64_t         seq;  /* the newest event's number */
	uint64_t         seq_reserved;
	bool             logged; /* the store has a log, and gets its events */
	bool             news;   /* the store does not know all of its attempts yet */
	bool             warned; /* the log has the warnings of an earlier life of the run */
	uint8_t          base;   /* the number of the last event before those of attempts */
};

struct feed_state {
	struct reader reader;      /* for a plain call: the whole answer, once printed */
	bool          headers_due; /* the stream's status would be out, but that run_answer_waits */
	bool          headers_sent; /* it is out */
	bool          closed;       /* the stream's last block was printed */
};

/* The unit beside a member writes it, by functions that others call; run.c sets some of them at the birth
 * of a run, and end.c frees what is owned. */
struct run {
	struct run_engine *engine;
	struct list_link   link; /* in the engine's list */
	/* Small members stand together: the allocator's next size is half a KB larger. */
	enum run_state   state;    /* state.c */
	enum run_status  outcome;  /* end.c */
	unsigned         jobs_out; /* state.c: with the store or a worker */
	unsigned         step;     /* step.c: the place of the next one in run_steps */
	struct stage_set stages;   /* stages.c */
	bool             starting; /* step.c: within run_start, from where no observer is called */
	bool             dispatched; /* state.c: there is something to find under its id */
	bool             prepared;   /* prompt.c: the prompt is made */
	bool             content;    /* call.c: prompt and answer are logged */
	bool             paused;     /* call.c: the call, while its reader is slow */
	bool             committed;  /* run_answer.c: the run has begun to answer */
	bool cancelled; /* run.c: somebody asked for it before the call could be ended */
	bool aborting;  /* end.c: the call is to end; no event of it counts any more */
	struct run_given       given;
	struct run_names       names;
	const struct provider *provider; /* attempt.c: asked now, or last */
	struct answer_slot    *slot;     /* run_answer.c; owned; NULL: none, or it is over */
	struct admit_pass      pass;     /* end.c */
	/* run.c, and end.c when it has gone: NULL (run_drop_request).  Owned, in the memory of its
	 * input. */
	struct call_request *rq;
	int64_t              ended_ms;    /* end.c; 0: not yet */
	int64_t              answered_us; /* end.c; monotonic; 0: not yet */
	struct live         *live; /* run.c; owned; NULL: nobody can ask for the run by its id */

	/* Waits for the end of the loop's turn, before the call (step.c), or ends the call from outside
	 * the provider's callback (end.c). */
	struct task later_task;

	struct attempt        attempt; /* attempt.c */
	struct aside          aside;   /* aside.c */
	struct provider_call *call;    /* call.c; NULL: none is going on */

	struct commit_state  commit;
	struct keep_state    kept;
	struct journal_state journal;
	struct bill          bill;
	struct feed_state    feed;

	const struct run_observer *observer; /* run.c; NULL: nobody reads */
	void                      *observer_arg;
	struct warnings            warnings; /* by run_warnings: what was not handed on */
	struct err                *failure;  /* state.c; owned (err_keep); NULL: none */

	struct origins origins;     /* origin.c: of the prompt */
	struct origin *origin_list; /* owned; the list in origins, once the request has gone */

	struct run_computer *computer; /* computer.c; owned; NULL: no code is executed */
	struct run_refer    *refer;    /* refer.c; owned; NULL: none */
	struct run_attach
		*attach; /* attach.c; owned; NULL: none are named, or they are in the prompt */
	size_t   attach_counted; /* attach.c: bytes of them that are counted among all runs' */
	struct run_images
		*images; /* image.c; owned; NULL: none were looked for, or they are in the prompt */
	struct run_jobs *jobs; /* run.c; owned; NULL: the store has no part in this run */
};

/* A run's part in a job for the log. */
struct log_part {
	struct run     *run;
	struct run_news news;
	char           *attempts; /* owned; the text of news.attempt_log, which changes meanwhile */
	char           *executions; /* owned; the same of news.executions; NULL: there are none */
};

/* All events that wait, on their way to the store; one job at a time. */
struct log_job {
	struct run_engine   *engine;
	struct events_append append;  /* entry_count 0: no job is on its way */
	struct events_entry *entries; /* parallel to parts; both owned; the bytes are the tapes' */
	struct log_part     *parts;
};

struct run_engine {
	struct run_engine_options o;
	struct list_head          runs;
	struct list_head          log_runs; /* whose events wait */
	size_t                    log_count;
	int64_t                   log_since_us; /* when the first of them began to wait */
	struct log_job            log;
	struct timer              log_timer;
	struct task               log_task;
	bool                      log_task_out;
	bool                      log_urgent; /* somebody waits for what is gathered */
	bool                      log_soon; /* there is news among it that a kill should not take */
	struct run_end            end_first; /* for one end at a time, which so needs no memory */
	bool                      end_taken; /* a run has end_first */
	struct list_head          end_waits; /* runs whose end waits for memory */
	struct lost              *lost;      /* runs without a stored end; owned */
	struct timer              lost_timer;
	size_t                    live;
	uint16_t                  stages_with[STAGE_PART__COUNT]; /* bits, by their places */
	int64_t                   cache_new;      /* bytes kept since all were counted */
	int64_t                   cache_weigh_us; /* when they are counted next */
	struct err                stopping;       /* why no run goes on; code ERR_OK: runs go on */
};

static inline unsigned stage_lowest(unsigned stages)
{
	return (unsigned)__builtin_ctz(stages);
}

static inline void run_pass(struct run *r, unsigned at, const struct event *ev)
{
	run_stages[stage_lowest(r->stages.wanted & ~1u << at)]->event(r, ev);
}

/* run_stages_with: those of the wanted stages that have this member. */
static inline unsigned run_stages_with(const struct run *r, enum stage_part part)
{
	return r->stages.wanted & r->engine->stages_with[part];
}

/* --- rows.c: what the core does through other files --- */

/* The things that steps may need of their run. */
enum run_has {
	RUN_STORED = 1 << 0,     /* its conversation is stored */
	RUN_FILES = 1 << 1,      /* uploaded files that messages name */
	RUN_IMAGES = 1 << 2,     /* images that messages name */
	RUN_IMAGE_ROOT = 1 << 3, /* a folder, whose images messages may name by their path */
	RUN_STAGES = 1 << 4,     /* stages that have to start */
	RUN_STARTING = 1 << 5,   /* a caller, within run_start */
	RUN_UNPREPARED = 1 << 6, /* no prompt yet */
	RUN_COMPUTER = 1 << 7,
	RUN_CACHE = 1 << 8, /* a client who asks for the cache */
};

struct step {
	const char    *name;
	enum run_state state;                /* the run's, while it takes the step */
	unsigned       needs;                /* bits of enum run_has: all of them, and */
	bool (*wanted)(const struct run *r); /* whether the run needs the step; NULL: it does */
	enum step_next (*start)(struct run *r, struct err *e);
};

extern const struct step run_steps[];
extern const unsigned    run_step_count;

/* How an attempt has ended, and, by the stage that bills, what it has used. */
struct attempt_end {
	enum {
		ATTEMPT_DROPPED, /* it has failed, and another one follows */
		ATTEMPT_STEP,    /* it was good, and another step of the run follows */
		ATTEMPT_LAST,    /* none follows */
	} how;
	const struct err    *e;     /* DROPPED: its failure */
	bool                 asked; /* LAST: it went on, and was cut off by us */
	struct usage         used;
	int64_t              nano;   /* its cost */
	bool                 priced; /* a cost may be told: each attempt so far had a price */
	struct attempt_price price;
};

/* How a run ends. */
struct run_ending {
	const struct err *e;      /* NULL: success */
	bool              called; /* the end comes in CALLING, or later */
	bool              asked;  /* an attempt went on */
};

/* Rows, up to NULL.  A run_end_fn returns true if it has taken the end over, or made it; then no row
 * follows. */
typedef bool run_end_fn(struct run *r, const struct run_ending *x);
typedef void run_part_fn(struct run *r);
typedef void run_begin_fn(const struct run *r, struct turn_begin *t);
typedef void run_save_fn(struct run *r, struct run_end *x);

extern run_end_fn *const   run_completes[]; /* the answer is complete */
extern run_end_fn *const   run_stops[];     /* all that goes on is stopped, in the end's order */
extern run_end_fn *const   run_stores[];    /* the outcome is known, and is billed and stored */
extern run_part_fn *const  run_tells[];     /* the end is durable: followers are told, */
extern run_part_fn *const  run_overs[];     /* and then all others */
extern run_end_fn *const   run_closings[];  /* the stream's last block */
extern run_begin_fn *const run_begins[];    /* the store gets the client's messages, */
extern run_save_fn *const  run_saves[];     /* and the end: told besides what stages tell */
extern run_part_fn *const  run_drops[];     /* freed with the request */
extern run_part_fn *const  run_frees[];     /* freed with the run */

/* state.c */
static inline struct loop *run_loop(const struct run *r)
{
	return r->engine->o.env.loop;
}
static inline bool run_stored(const struct run *r)
{
	return r->given.store;
}
/* run_branch: the turns before this one; NULL: there are none, or they were dropped. */
static inline const struct branch_read *run_branch(const struct run *r)
{
	return r->jobs && r->jobs->branch ? &r->jobs->branch->read : NULL;
}
/* run_files: where the files of messages are. */
static inline enum context_files run_files(const struct run *r)
{
	return r->rq && r->rq->manner.computing ? r->rq->manner.computing->files : CONTEXT_PROMPT;
}
/* run_move: the only writer of r->state. */
void run_move(struct run *r, enum run_state to);
/* run_hold: a job of the run goes to the store, to a worker or to the end of the loop's turn, and
 * the run lives until the job is back.  run_release: it is back, or was not taken; whoever leaves the
 * run as it is calls run_free_if_over next.  Both are the only writers of r->jobs_out. */
void run_hold(struct run *r);
void run_release(struct run *r);
/* run_called: the provider was asked, or would be next, and the end is not reached. */
static inline bool run_called(const struct run *r)
{
	return r->state >= STATE_CALLING && r->state <= STATE_EXECUTING;
}
/* run_cost: of all calls so far. */
int64_t run_cost(const struct run *r);
/* run_fail, run_set_failure: make this the run's failure; e may be the old one. */
void run_fail(struct run *r, enum errc code, const char *text);
void run_set_failure(struct run *r, const struct err *e);

/* run.c */
/* run_new: NULL: no memory; then run_unmade consumes rq.  run_enlist: makes its encoder, its tape and its place
 * among the live runs; false: no memory. */
struct run *run_new(struct run_engine *g, struct call_request *rq, struct id id,
		    int64_t created_ms) MUST_USE;
enum errc   run_unmade(struct call_request *rq, struct err *e);
bool        run_enlist(struct run *r) MUST_USE;
/* run_settle: the request's settings are other ones, and nothing of the answer was printed.  False: no memory. */
bool run_settle(struct run *r) MUST_USE;
/* run_set_conversation: the one that the run is stored in. */
void run_set_conversation(struct run *r, struct id conversation);

/* end.c */
/* run_finish: the call is over, or never began (states up to BEGINNING).  e: NULL: success;
 * ERR_CANCELLED: nobody wants the answer; else the failure, and the answer so far stays.  A run
 * that a worker has ends when the worker is done. */
void run_finish(struct run *r, const struct err *e);
/* run_complete: the answer is complete; then as run_finish. */
void run_complete(struct run *r);
/* run_set_incomplete: there is no memory to store the answer. */
void run_set_incomplete(struct run *r);
/* run_abort_later: ends the run after the current callback of its provider, within which the call
 * must not be ended. */
void run_abort_later(struct run *r, enum errc code, const char *text);
/* run_conclude: the answer is as durable as it has to be, and the reader gets its end. */
void run_conclude(struct run *r);
/* run_drop_request: frees the request, once it is in the provider's hands.  Repeating it is fine. */
void run_drop_request(struct run *r);

/* origin_keep: takes the origins of the prompt out of the request, before it is freed; origin_name:
 * puts the client's own place into an error; origin_drop: frees what was kept. */
void origin_keep(struct run *r);
void origin_name(const struct run *r, struct err *e);
void origin_drop(struct run *r);
void run_free_if_over(struct run *r);
void run_free(struct run *r);
void run_jobs_free(struct run_jobs *j); /* NULL is fine */

/* step.c */
/* step_first: begins the first step, from within run_start; errors: nothing has happened. */
enum errc step_first(struct run *r, struct err *e) MUST_USE;
/* step_over: the job that parked the run is back, with success (code ERR_OK) or not.  The run may
 * be gone after the call. */
void step_over(struct run *r, struct err *e);
/* step_again: the run takes the steps from the first of RECORDING on once more. */
void step_again(struct run *r);
/* step_aside: a step that computes does `work` on the loop, or on a worker where `work` would hold
 * the loop. */
enum step_next step_aside(struct run *r, enum errc (*work)(struct run *r, struct err *e),
			  struct err *e) MUST_USE;

/* aside.c */
/* aside_wanted: work on a prompt of this length would hold the loop. */
bool aside_wanted(const struct run *r);
/* aside_submit: a worker does `work`, then the loop `then`; false: no worker takes it.  aside_do:
 * then `then` gets an error in this call. */
bool aside_submit(struct run *r, enum errc (*work)(struct run *r, struct err *e),
		  void (*then)(struct run *r, struct err *e)) MUST_USE;
void aside_do(struct run *r, enum errc (*work)(struct run *r, struct err *e),
	      void (*then)(struct run *r, struct err *e));
/* aside_ends: a worker has the run, which ends when the worker is done; false: no worker has the
 * run, and the caller ends it now. */
bool aside_ends(struct run *r, const struct err *e);

/* call.c, after the first attempt's start.  call_waits: what of it is done where somebody else makes the answer:
 * those who wait for the run may be told of it. */
void call_begun(struct run *r);
void call_waits(struct run *r);
/* print.c */
/* print_stored: the answer so far, as it is stored, into jobs->end_answer.  print_whole: the answer
 * of a plain call into r->feed.reader.  print_plain: the same of a stream whose answer print_stored has printed, and
 * which nobody reads.  Each once; false: there is no memory. */
bool print_stored(struct run *r) MUST_USE;
bool print_whole(struct run *r) MUST_USE;
bool print_plain(struct run *r) MUST_USE;
/* print_whole_aside: the answer has ended well and is long: a worker prints it, then run_finish is
 * called.  print_failed_aside: the answer ends by a failure, and is long, or the encoder holds a long
 * part of it: the provider's call is over, a worker prints that part, or the answer for the store,
 * then run_finish is called again.  print_last_aside: the run has ended, and the encoder, which sees
 * the last events only now that the log has them, holds a long part of the answer: a worker prints
 * that part, then feed_finish is called. */
run_end_fn print_whole_aside, print_failed_aside, print_last_aside;

/* choose.c */
/* choose_target: chooses a healthy target of the model or of its fallbacks; false: there is none, and
 * *block says why.  choose_blocked: that as an error.  choose_fallback: the fallback that would be
 * next; NULL: there is none.  choose_model: goes on to it; false: likewise. */
bool choose_target(struct run *r, struct choice_block *block);
void choose_blocked(const struct run *r, const struct choice_block *b, struct err *e);
const struct model *choose_fallback(const struct run *r, struct str *ret_name);
bool                choose_model(struct run *r);

/* fit.c */
/* fit_prompt: makes the prompt as the chosen target takes it.  fit_cache: adds the member by which its
 * provider keeps the beginning; any thread.  Without it, the call is only dearer. */
enum errc fit_prompt(struct run *r, struct err *e) MUST_USE;
void      fit_cache(struct run *r);

/* attempt.c */
/* attempt_first: asks, or lets a worker print the prompt and asks then (call_begun follows either
 * way); errors: nobody was asked. */
enum errc attempt_first(struct run *r, struct err *e) MUST_USE;
/* attempt_place: the target that has answered, as the conversation keeps it; 0: there was no choice, or no call. */
int64_t attempt_place(const struct run *r);
/* attempt_only: no second attempt can follow, so the request's bytes may go. */
bool attempt_only(const struct run *r);
/* attempt_again: the call has failed; true: another attempt follows, and the run goes on; else *e becomes the
 * error to tell. */
bool attempt_again(struct run *r, struct err *e);
/* prompt.c: the message that asks to go on with an answer that broke off. */
extern const struct str prompt_go_on;
/* prompt_ends_in_answer: the client's own last message is an assistant's, which the model goes on with. */
bool prompt_ends_in_answer(const struct run *r);
/* attempt_others: whether there is a target that was not asked yet.  attempt_break: the attempt has broken off, and
 * its answer goes on: attempt_go_on asks the next target. */
bool attempt_others(const struct run *r);
void attempt_break(struct run *r, const struct err *e);
void attempt_go_on(struct run *r);
/* stage/resume.c: resume_refuses: the target can't go on with the answer. */
bool resume_refuses(const struct run *r, const struct target *t);
/* resume_again: an event of an earlier life of the run.  resume_take_up: after all of them: the next attempt goes on
 * with the answer; false: it can't. */
void resume_again(struct run *r, const struct event *ev);
bool resume_take_up(struct run *r) MUST_USE;
/* stage/guard.c: guard_known: the hooks that the key's group asks for are there. */
enum errc guard_known(const struct run *r, struct err *e) MUST_USE;
/* restart.c: restart_failure: the error of a run that was taken up and could not go on. */
void restart_failure(struct err *e);
/* plan.c */
bool           plan_wanted(const struct run *r);
enum step_next plan_start(struct run *r, struct err *e) MUST_USE;
/* attempt_told: the provider has reported this usage, before the attempt is committed, or of a call of a run
 * with a computer.  attempt_commit: the attempt has begun to answer. */
void attempt_told(struct run *r, const struct usage *u);
void attempt_commit(struct run *r);
/* attempt_content: the first content was passed on to the reader. */
void attempt_content(struct run *r);
void attempt_good(struct run *r); /* the answer is complete */
/* attempt_waits: somebody else's call is waited for, as long as one of the run's own may last; until attempt_waited. */
void attempt_waits(struct run *r);
void attempt_waited(struct run *r);
void attempt_step(struct run *r); /* it was, and another step of the run follows */
/* attempt_stop: ends the attempt that goes on; none follows.  attempt_close: its bill, and what the
 * list of attempts tells of it.  attempt_book_last: counts it. */
run_end_fn  attempt_stop, attempt_close;
run_part_fn attempt_book_last;

/* call.c */
/* call_drained: no stage holds anything; the run may be gone. */
void call_drained(struct run *r, enum drain_then then);
/* call_pass_on: a step that waits until no stage holds anything.  call_complete: the answer is complete, as soon as that is
 * so; the run may be gone. */
enum step_next call_pass_on(struct run *r, struct err *e) MUST_USE;
void           call_complete(struct run *r);
/* call_event: takes one event of the provider. */
void call_event(void *arg, const struct event *ev);
/* call_ask: asks r->provider; errors: it was not asked.  call_drop: cancels the provider's call, if there
 * is one.  call_pause: the client is slow, or not slow any more. */
enum errc call_ask(struct run *r, struct err *e) MUST_USE;
void      call_drop(struct run *r);
void      call_pause(struct run *r, bool pause);
/* call_start: asks the first target. */
enum step_next call_start(struct run *r, struct err *e) MUST_USE;

/* prompt.c */
/* call_prompt: makes the prompt.  call_prompt_again: the next call has another one. */
enum step_next call_prompt(struct run *r, struct err *e) MUST_USE;
void           call_prompt_again(struct run *r);

/* call_messages.c */
/* call_messages: all messages of the prompt in the request's arena, those of the branch first. */
enum errc call_messages(struct run *r, struct str **ret, size_t *ret_count, size_t *ret_old,
			struct err *e) MUST_USE;

/* commit.c */
/* commit_open: the run begins to answer, before any provider does. */
void       commit_open(struct run *r);
run_end_fn commit_stop;

/* keep.c */
/* keep_again: an event of an earlier life of the run; false: no memory. */
bool keep_again(struct run *r, const struct event *ev) MUST_USE;
/* keep_usage: the last call's usage, or at the end the run's. */
void       keep_usage(struct run *r, const struct usage *u);
run_end_fn keep_stops;

/* budget.c */
/* budget_any: the key of the run has a budget.  budget_wanted: and nothing of the budget is
 * reserved for the run yet. */
bool           budget_any(const struct run *r);
bool           budget_wanted(const struct run *r);
enum step_next budget_start(struct run *r, struct err *e) MUST_USE;
/* budget_sets: the answer is a kept one, and the call sets a ceiling.  budget_set: sets it. */
bool           budget_sets(const struct run *r);
enum step_next budget_set(struct run *r, struct err *e) MUST_USE;
/* budget_answers: how many answers the request makes the model write; false: its word cannot be read. */
bool budget_answers(const struct prompt *p, int64_t *ret) MUST_USE;
/* weight_message: the most tokens that a message may have.  Unless exact, only long messages with the words of media are looked
 * into; the bytes of all others count.  A message of the request was scanned with it.
 * weight_native: those that a request in the words of Gemini's or Anthropic's API may have: a translation leaves parts out.
 * Spaces and brackets are none.  0: it is of another API. */
int64_t weight_message(const struct run *r, struct str m, bool exact);
int64_t weight_native(const struct prompt_native *native);
/* budget_more_of: a further reservation, for another attempt with so many bytes more in its prompt.
 * budget_more_given: it was granted. */
void budget_more_of(const struct run *r, int64_t bytes, struct budget_reserve *ret);
void budget_more_given(struct run *r);
/* budget_grow: the answer of a run with bill.jobs has this many bytes more; media in tokens. */
void budget_grow(struct run *r, int64_t bytes);

/* bill.c */
/* bill_bound: the price of the dearest of all that may be asked, with a prompt of at most these tokens, and the
 * smallest limit. */
struct registry_bound bill_bound(const struct run *r, int64_t prompt);
/* bill_take_tags: copies the call's tags; false: no memory.  bill_tags: its own; empty: calls have none. */
bool       bill_take_tags(struct run *r, const struct call_request *rq) MUST_USE;
struct str bill_tags(const struct run *r);
struct str bill_tags_counted(const struct run *r); /* under which its usage counts */
void       bill_look(struct run *r);               /* the prompt's parts are known */
/* bill_booked: the run has a reservation of an earlier step, which has to be booked.  bill_book: books
 * it. */
bool           bill_booked(const struct run *r);
enum step_next bill_book(struct run *r, struct err *e) MUST_USE;
/* bill_used: the sum of the usage of all calls so far of a run with a computer; u: another one, or
 * NULL. */
struct usage bill_used(struct run *r, const struct usage *u);
/* bill_keep_last: the usage of an attempt that has failed, and so the run's, if none after it has used anything. */
void bill_keep_last(struct run *r, const struct usage *u);
/* bill_cut: the usage of the answer so far, which is cut off. */
struct usage bill_cut(const struct run *r);
/* bill_news: what attempts that were given up have used, for the store. */
void bill_news(const struct run *r, struct run_news *n);
void bill_over(struct run *r); /* settles what the turn's end has not; the day's sums */
/* bill_return: gives a reservation back that came after the run's end. */
void bill_return(struct run *r);
void bill_finish(struct run *r);

/* cache.c */
/* cache_begin: whether the run has a part in the cache.  cache_looks: it has, and the prompt is to be compared
 * with earlier ones: cache_name makes its digest, and cache_look looks for a kept answer, or waits for the one
 * of an equal call. */
bool           cache_looks(const struct run *r);
enum step_next cache_begin(struct run *r, struct err *e) MUST_USE;
enum step_next cache_name(struct run *r, struct err *e) MUST_USE;
enum step_next cache_look(struct run *r, struct err *e) MUST_USE;
/* cache_is_hit: a kept answer is given. */
bool cache_is_hit(const struct run *r);
/* cache_awaits: an equal call went on, and cache_await waits for its end.  cache_forgives: whether it matters only after
 * that, whether there is budget for an answer of the run's own; e: why there is none. */
bool           cache_awaits(const struct run *r);
bool           cache_forgives(struct run *r, const struct err *e);
enum step_next cache_await(struct run *r, struct err *e) MUST_USE;
run_end_fn     cache_stop;
/* cache_unwant: nobody waits for the answer of an equal call any more. */
void cache_unwant(struct run *r);
/* cache_view: what others see of it. */
void        cache_view(const struct run *r, struct run_view *ret);
run_part_fn cache_over;

/* content.c */
/* Prompt and answer into the log, if the configuration says so. */
void content_asked(const struct run *r);
void content_answered(const struct run *r);

/* image.c */
/* image_look: looks for images that messages name by their path:
 * r->images then; image_read: reads those. */
enum step_next                 image_look(struct run *r, struct err *e) MUST_USE;
enum step_next                 image_read(struct run *r, struct err *e) MUST_USE;
const struct transcript_image *image_list(const struct run *r, size_t *ret_count);
void                           image_drop(struct run *r);

/* attach.c */
/* attach_look: whether messages name uploaded files: r->attach then; it fails where memory is
 * short. */
enum errc attach_look(struct run *r, struct err *e) MUST_USE;
/* attach_find: what the store knows of them.  attach_read: their contents, into the messages. */
enum step_next attach_find(struct run *r, struct err *e) MUST_USE;
enum step_next attach_read(struct run *r, struct err *e) MUST_USE;
/* attach_unwant: nobody waits for the files any more: their reading ends early, and the next step finds
 * why.  Nothing if none are read. */
void attach_unwant(struct run *r);
/* vet_unwant: nobody waits for the hooks' verdict on the request any more. */
void vet_unwant(struct run *r);
/* attach_made: the messages with their files; they live until attach_drop. */
const struct transcript_made *attach_made(const struct run *r, size_t *ret_count);
void                          attach_drop(struct run *r);
/* attach_replace: the i-th of them is another one, in the request's arena. */
void attach_replace(struct run *r, size_t i, struct str text);
/* attach_open: the content of the n-th uploaded file of a message of the prompt, as context_uploads counts; on
 * a worker.  *ret_fd is the caller's; -1: the file was deleted.  name is borrowed.  Errors: STORAGE. */
enum errc attach_open(const struct run *r, size_t message, size_t n, int *ret_fd,
		      struct str *ret_name, struct err *e) MUST_USE;
/* attach_release: what was made of them is gone from memory, or as good as. */
void attach_release(struct run *r);

/* refer.c */
/* refer_find: reads the stored messages that messages name.  refer_drop: forgets the job, which is
 * not on its way. */
enum step_next refer_find(struct run *r, struct err *e) MUST_USE;
void           refer_drop(struct run *r);

/* save.c */
/* save_load: the branch that is gone on with.  save_begin: the client's messages, for good.  save_is_late: they are
 * to be stored with the answer, and the request stays until then. */
enum step_next save_load(struct run *r, struct err *e) MUST_USE;
enum step_next save_begin(struct run *r, struct err *e) MUST_USE;
bool           save_is_late(const struct run *r);
run_end_fn     save_ends; /* the end, for good, of a run that is stored */

/* run_answer.c */
/* run_answer_commit: the provider has begun to answer: no other attempt follows, and the name stands
 * for this run. */
void run_answer_commit(struct run *r);
/* run_answer_waits: the name is bound in memory, but a kill would still free it: nobody is told
 * anything before the store knows. */
bool run_answer_waits(const struct run *r);
/* run_answer_release: who waits for the claim is let to the run, as soon as that is safe. */
void run_answer_release(struct run *r);
/* run_answer_recorded: what is printed has to be kept, as no log has it. */
static inline bool run_answer_recorded(const struct run *r)
{
	return r->slot && !run_stored(r) && r->given.stream;
}
/* run_answer_begin: the name, for the store.  run_answer_end: the answer for those who ask later. */
run_begin_fn run_answer_begin;
run_save_fn  run_answer_end;
/* run_answer_stops: an end that has cost is kept.  run_answer_save: keeps the answer, for
 * a run that is not stored. */
run_end_fn run_answer_stops, run_answer_save;
/* ledger.c */
/* run_outcome: how the ended run counts; ledger_over: gives it its row in the ledger of calls. */
enum call_outcome run_outcome(const struct run *r);
void              ledger_over(struct run *r);

/* run_answer_over: the claim ends, with the run. */
void run_answer_over(struct run *r);

/* journal.c */
/* journal_wanted: whether the store gets events of the run before its end. */
bool journal_wanted(const struct run *r);
/* journal_open: makes the run's tape, which keeps what those who read it later need.  False: no
 * memory. */
bool journal_open(struct run *r) MUST_USE;
bool journal_strict(const struct run *r);
/* journal_begun: the log has, or will not have, that the provider answers. */
bool journal_begun(const struct run *r);
/* journal_asked: bits of enum event_asked. */
uint32_t journal_asked(const struct run *r);
/* journal_again: the run goes on after the event `last` of its log; begun: a provider had begun to answer. */
void journal_again(struct run *r, uint64_t last, uint64_t reserved, bool begun);
/* journal_hold: numbers an event and puts the event on the tape, uncommitted.  False: the tape has
 * no room for the event, and no later event may be put there. */
bool journal_hold(struct run *r, const struct event *ev) MUST_USE;
/* journal_committed: events that were held are open to all readers from now on. */
void journal_committed(struct run *r);
/* journal_urge: the events so far are to be durable at once. */
void journal_urge(struct run *r);
/* journal_end: tells the readers of an unstored run its end. */
void       journal_end(struct run *r);
run_end_fn journal_ends; /* numbers the end */
void       journal_drop(struct run *r);
void       journal_stop(struct run_engine *g);

/* lost.c */
/* lost_add: the store did not take the run's end: watchers of the run look again when the store
 * takes writes. */
void lost_add(struct run *r);
void lost_stop(struct run_engine *g);

/* feed.c */
/* feed_wake: wakes the client for all events that may be seen by now. */
void feed_wake(struct run *r);
/* feed_open: sends the status of a stream that has a reader, once; waits where run_answer_waits. */
void feed_open(struct run *r);
/* feed_forgo: the status that waits will not be sent, as the run has failed. */
void feed_forgo(struct run *r);
/* feed_release: sends the events that run_answer_waits held back. */
void feed_release(struct run *r);
/* feed_skip: withholds for good the events that the client has not seen yet, as the store did not
 * take them. */
void feed_skip(struct run *r);
/* feed_rests: no event follows, and the encoder has seen every event and put long blocks off, so a
 * worker may have the encoder.  feed_join_rest: the worker is done, and the client gets the blocks;
 * false: no memory. */
bool feed_rests(struct run *r);
bool feed_join_rest(struct run *r) MUST_USE;
/* feed_close: prints the last block, once.  feed_finish: that, once the run has ended: the client gets
 * it. */
void       feed_close(struct run *r);
void       feed_finish(struct run *r);
run_end_fn feed_ends; /* feed_finish, as a row */
