/* The stages of a run: each event of an answer passes them in the order of stage.def.
 *
 *   provider --> strip --> interpret --> mask --> bill --> guard --> remember --> resume --> commit --> keep --> journal --> feed
 *
 * A stage may change an event, drop it, hold it, or pass on several in its place: it gets each one by
 * `event`, and passes on what it likes with run_pass.  A new stage is a file in run/stage and a row of
 * stage.def; the core (run/core) names none.  A run that does not want a stage does not pay for it:
 * the stages that it wants are bits, set once by run_start.
 *
 * A plain call.  run_start asks each stage whether the run wants it; without a computer, the
 * bits of strip and interpret are not set.  The steps (core/step.c) lead to the provider.  Its first event, START,
 * enters at mask, which replaces secrets in texts and passes on all else.  commit holds START on the tape, without its raw
 * bytes: an attempt that fails now may be followed by another, and then nobody has seen anything of
 * the first.  The answer's one MESSAGE is content, so commit ends the attempts (the request's bytes
 * go, an idempotency key stands for this run from now on), passes the held START on, then MESSAGE,
 * and leaves the set.  bill weighs it.  keep has the provider's bytes and the message.  journal numbers
 * the event; no one reads it later, so the tape keeps nothing.  feed prints nothing, as a plain
 * call is printed at its end, but the run is STREAMING now.  USAGE and FINISH follow; keep has both.
 * END passes no stage: the core lets each stage flush, asks each whether there is more, and the run
 * ends.
 *
 * A stored stream with a computer.  interpret's start asks the runner which languages there are, and
 * tells the model of the function.  The model's words enter at interpret, which passes on chunks of
 * LMC and, next to them, the events for readers of other shapes; FINISH it keeps for itself.  The first
 * chunk with content commits the attempt.  bill weighs it, keep adds it to the answer, journal puts it on
 * the tape, from where it reaches the log within 25 ms; feed prints it at once, unless the store does
 * not know yet that the key is bound, that the number is taken, or (`strict`) the event itself: then
 * feed reads it from the tape later.  At END, interpret flushes the end of a segment.  It says that
 * there is more where code waits, and the steps settle, record and execute follow.  Output of the code
 * enters as if interpret had passed it on, so it is kept, logged and shown like the rest; it
 * passes commit, as the run has begun to answer.  Then the model is asked again.  When no code is left,
 * interpret gives the FINISH that it has kept.
 *
 * What becomes of a run, and which function makes it so:
 *
 *   state LOADING .. EXECUTING   step_loop, by the rows of run_steps
 *   CALLING -> STREAMING         attempt_content: feed has the first content
 *   any -> ENDING                save_ends, run_answer_save: the store gets the end
 *   any -> ENDED                 run_conclude: the end is durable, or need not be
 *   wanted stages                run_stages_choose, at run_start; run_stages_leave, for commit
 *   an attempt begins            attempt_begin; it fails: attempt_again; it ended well: attempt_good
 *   an attempt is committed      attempt_commit, by commit
 *   held events are dropped      journal_cut, by run_stages_cut
 *   the answer goes on elsewhere attempt_go_on, by resume
 *   the run has begun to answer  run_answer_commit
 *   the status is due, is sent   feed_open, feed_release
 *   the call is paused           call_pause, for feed
 *   the last block is printed    feed_close
 *   an abort is due              run_abort_later, until abort_now
 *   a job goes, is back          run_hold, run_release
 *   the request is freed         run_drop_request
 *   the run is freed             run_free_if_over
 *
 * docs/internals/stages.md has what each stage does.
 *
 * Threads: the run's loop, but for prepared. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attempt_end;
struct event;
struct run;
struct run_end;
struct turn_begin;

/* How a step's start went. */
enum step_next {
	STEP_MORE,   /* the step is over: the next one begins */
	STEP_PARKED, /* its job is on its way; the job's callback calls step_over */
	STEP_AGAIN,  /* parked, and then the step is taken again */
	STEP_FAILED, /* the run ends with e */
	STEP_DONE,   /* the last one is over; the run may be gone */
};

/* The next move when no stage holds anything. */
enum drain_then {
	DRAIN_NOT,
	DRAIN_ENDED,    /* the provider's call has ended well */
	DRAIN_COMPLETE, /* the answer is complete */
	DRAIN_STEP,     /* the next step */
	DRAIN_AT_ONCE,  /* nothing: the caller goes on */
};

/* Where a member is NULL, the stage has no part in that. */
struct stage {
	const char *name;
	/* Asked once, at run_start; NULL: every run. */
	bool (*wanted)(const struct run *r);
	/* The way in, before the prompt is weighed and the budget is reserved, and once more before
	 * each further call of the run. */
	enum step_next (*start)(struct run *r, struct err *e);
	/* The prompt is made; on a worker, if it is long. */
	void (*prepared)(struct run *r);
	/* The provider was asked for the first time. */
	void (*begun)(struct run *r);
	/* The way out: takes an event of the answer, and passes on by run_pass, any number of times.
	 * ev is borrowed for the call. */
	void (*event)(struct run *r, const struct event *ev);
	/* Before each attempt: the stage may change the prompt for it. */
	enum errc (*asks)(struct run *r, struct err *e);
	/* The attempt has failed after it had begun to answer; true: the stage sees to it that another one
	 * follows. */
	bool (*goes_on)(struct run *r, const struct err *e);
	/* The provider's call has ended well, and the stage has had all its events. */
	void (*flush)(struct run *r);
	/* The attempt is void, or the last one is over: what is held of it is dropped.  Returns
	 * whether the stage held anything. */
	bool (*cut)(struct run *r);
	/* An attempt is over: what it has used, into x. */
	void (*over)(struct run *r, struct attempt_end *x);
	/* Events that the stage holds are to go on, as far as they may: true: they will, later, and then the stage calls
	 * run_stages_drained, unless the run ends before. */
	bool (*drain)(struct run *r);
	/* After flush: true: the answer is not over, and the stage sees to it that steps follow. */
	bool (*more)(struct run *r);
	/* The store is to know how many attempts there were, and what they used: at once, or with the
	 * next events. */
	void (*news)(struct run *r, bool at_once);
	/* The log has more events of the run; true: the stage waited for them, and the run may be
	 * gone. */
	bool (*logged)(struct run *r);
	/* The client is slow, or not slow any more, while no provider's call goes on. */
	void (*pause)(struct run *r, bool pause);
	/* The answer has ended, before it is printed and stored. */
	void (*end)(struct run *r, const struct err *e);
	/* The store is to have the client's messages, and the end of the answer: what the stage has to
	 * tell with it.  save may be called once more for the same end. */
	void (*begin)(const struct run *r, struct turn_begin *t);
	void (*save)(struct run *r, struct run_end *x);
	/* The store has the end, or could not take it. */
	void (*saved)(struct run *r, const struct run_end *x);
	/* The run is freed: what the stage's own memory (run_stage_own) owns goes. */
	void (*drop)(void *own);
	/* It changes text: where it is wanted, events come without the provider's own bytes (strip). */
	bool touches_text;
};

#define STAGE(place, stem) STAGE_##place,
enum {
#include "run/stage.def"
	STAGE__COUNT
};
#undef STAGE

#define STAGE(place, stem) extern const struct stage stem##_stage;
#include "run/stage.def"
#undef STAGE

extern const struct stage *const run_stages[STAGE__COUNT];

/* Members that only some stages have. */
enum stage_part {
	STAGE_PART_WANTED,
	STAGE_PART_START,
	STAGE_PART_PREPARED,
	STAGE_PART_BEGUN,
	STAGE_PART_ASKS,
	STAGE_PART_GOES_ON,
	STAGE_PART_FLUSH,
	STAGE_PART_CUT,
	STAGE_PART_OVER,
	STAGE_PART_DRAIN,
	STAGE_PART_MORE,
	STAGE_PART_NEWS,
	STAGE_PART_LOGGED,
	STAGE_PART_PAUSE,
	STAGE_PART_END,
	STAGE_PART_BEGIN,
	STAGE_PART_SAVE,
	STAGE_PART_SAVED,
	STAGE_PART_TOUCHES,
	STAGE_PART__COUNT
};

/* run_pass: an event goes to the next stage that the run wants after the one at the place `at`, which
 * passes it on; nothing may be passed on while the run is aborting.  (internal.h has it.) */
static inline void run_pass(struct run *r, unsigned at, const struct event *ev);

/* run_stages_table: which stages have which members, for run_stages_choose and what follows it. */
void run_stages_table(uint16_t ret[STAGE_PART__COUNT]);
/* run_stages_choose: which stages the run wants. */
void run_stages_choose(struct run *r);
/* run_stages_leave: the stage at this place has no part in the run any more. */
void run_stages_leave(struct run *r, unsigned at);
/* run_stage_own: the stage's own memory in the run: the same at each call, zeroed at the first one.  NULL:
 * memory is short.  run_stage_has: the same, but NULL before the first call of run_stage_own.
 * run_stages_drop: frees that of all. */
void *run_stage_own(struct run *r, unsigned at, size_t size) MUST_USE;
void *run_stage_has(const struct run *r, unsigned at);
void  run_stages_drop(struct run *r);
/* run_enter: an event of the provider, for the first stage. */
void run_enter(struct run *r, const struct event *ev);
/* run_is_content: the answer begins, or goes on, with this event. */
bool run_is_content(const struct event *ev);
/* run_overflow: the answer is over its limit, or memory was short (errno): the run is aborted. */
void run_overflow(struct run *r);
/* The other members, of the wanted stages in their order.  run_stages_again: all of them are to start
 * once more.  run_stages_more: true: further steps follow. */
enum step_next run_stages_start(struct run *r, struct err *e) MUST_USE;
void           run_stages_again(struct run *r);
void           run_stages_prepared(struct run *r);
void           run_stages_begun(struct run *r);
enum errc      run_stages_asks(struct run *r, struct err *e) MUST_USE;
bool           run_stages_go_on(struct run *r, const struct err *e) MUST_USE;
void           run_stages_flush(struct run *r);
bool           run_stages_cut(struct run *r);
void           run_stages_over(struct run *r, struct attempt_end *x);
void           run_stages_news(struct run *r, bool at_once);
/* run_stages_drain: what stages hold goes on first, and call_drained follows: at once, or later.
 * run_stages_drained: a stage that held something has passed it on; the run may be gone. */
void run_stages_drain(struct run *r, enum drain_then then);
void run_stages_drained(struct run *r);
bool run_stages_more(struct run *r) MUST_USE;
bool run_stages_logged(struct run *r) MUST_USE;
void run_stages_pause(struct run *r, bool pause);
void run_stages_end(struct run *r, const struct err *e);
void run_stages_begin(const struct run *r, struct turn_begin *t);
void run_stages_save(struct run *r, struct run_end *x);
void run_stages_saved(struct run *r, const struct run_end *x);
