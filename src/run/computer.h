/* A run's extension by a computer: the assistant's code is executed by the runner,
 * and the model is asked again with what the code has printed.  Not for other folders.
 *
 *   a provider's call --interpret--> chunks of LMC, and a list of code
 *        ^                                      |  settle: what is next?
 *        |                                      v
 *        +-- no code is left -- settle <---- execute: RECORDING, EXECUTING
 *
 * docs/internals/computer.md has the runner's part, and the reasons.
 *
 * To all other parts of the gateway such a run looks like one whose provider speaks LMC: what the
 * model says and what the computer prints are events EVENT_LMC, the model's text and calls stand
 * beside them with from_lmc.  The client is shown EVENT_FINISH once, at the run's end.
 *
 * Nothing is executed twice: an execution has an id, EVENT_EXECUTE is durable in the run's log before
 * the runner gets the order, and no code path makes an order out of a log.  EVENT_EXECUTE without
 * EVENT_EXECUTED says that nobody knows what came of it (run/assemble). */
#pragma once

#include "base/id.h"
#include "computer/computer_console.h"
#include "computer/languages.h"
#include "lmc/segment.h"
#include "lmc/speech.h"
#include "run/internal.h"

struct gather;
struct link;
struct link_ear;
struct link_file;

/* A piece of code of the assistant. */
struct run_code {
	struct buf language; /* in the model's words */
	struct buf text;
	bool       foreign; /* a call of a function that is not the computer's */
};

enum { EXECUTION_OUTCOME = 16 };
/* The outcome of what was ordered, and has no end that anybody knows. */
#define EXECUTION_UNKNOWN "unknown"

/* An execution, as the run's object tells it. */
struct run_execution {
	char    id[ID_MAX];
	char    language[LANGUAGES_NAME];
	char    outcome[EXECUTION_OUTCOME];
	int64_t ms;
	int64_t bytes; /* size of the output */
};

struct run_computer {
	struct run *run;

	/* The provider's call that goes on. */
	int64_t token_us, token_ms; /* time of its first content; monotonic and wall; 0: none yet */
	bool    booked;             /* the metrics have it */
	struct speech    *speech;   /* owned */
	struct buf        head;     /* start of the open segment's chunks */
	struct buf        chunk;    /* the chunk that is being made */
	struct buf        decoded;
	struct buf        language; /* the open segment's, if it is code */
	enum segment_kind kind;
	bool              in_piece;
	bool              again; /* a call has ended before: speech has to begin another turn */
	uint32_t    blocks; /* tool calls of earlier calls, and one more than the highest now */
	uint32_t    block_base;
	char        finish_reason[64], native_reason[64]; /* held until it is known what follows */
	struct task cut_task; /* ends the call at the first code, where code is fenced text */
	bool        cut;
	bool        ending; /* all of the call's events were given */
	bool        torn;   /* its code has no end of its own, and is not executed */

	/* Code that waits, in order. */
	struct run_code *codes; /* owned */
	size_t           code_count, code_next;
	bool             chose;    /* codes[code_next] is to be executed, in chosen's language */
	bool             approved; /* approved, refused: for the first code */
	bool             refused;
	bool         ran; /* code of the newest answer has a result that the model has not seen */
	int64_t      steps;
	uint64_t     unavailable; /* digest of the code that was refused last */
	char         chosen[LANGUAGES_NAME];
	struct task  next_task;
	struct timer total; /* for a run in which something is executed */

	struct usage    used;        /* by earlier calls */
	int64_t         booked_nano; /* booked part of their cost; no part of the bill any more */
	struct warnings later;       /* from later calls: the client was told them with the first */

	/* The runner. */
	struct link     *link;   /* owned; NULL: no connection */
	struct gather   *gather; /* owned; files for the sandbox; NULL: they are to be brought */
	struct timer     look;   /* for its answer to the first question */
	struct languages languages;
	bool             equipped; /* the languages are known, and the model is told of them */
	bool             earlier;  /* something was executed in this conversation before */
	bool             recording;
	uint64_t         recorded; /* number of the event that is to be durable */
	bool             executing;
	bool             slow; /* the reader; nothing of the runner is read */
	int64_t          begun_us;
	struct console   console;
	struct buf       out; /* chunks in lines */
	struct buf       picture;
	size_t           image_bytes;     /* size of all images so far */
	struct run_execution *executions; /* owned */
	size_t                execution_count;
	struct buf            list; /* executions as JSON */
};

/* computer.c */
/* computer_create: for r->rq->computing; NULL: no memory.  computer_stop: ends what goes on. */
struct run_computer *computer_create(struct run *r) MUST_USE;
void                 computer_destroy(struct run_computer *c);
run_end_fn           computer_stop;
run_part_fn          computer_free;
/* computer_code: appends code that waits; false: no memory. */
bool computer_code(struct run_computer *c, struct str language, struct str text,
		   bool foreign) MUST_USE;
void computer_forget_codes(struct run_computer *c);
void computer_forget_last(struct run_computer *c);
/* computer_give: an event that the run has made of the provider's, or of the runner's, goes on its way.
 * computer_say: a chunk of LMC. */
void computer_give(struct run *r, const struct event *ev);
void computer_say(struct run *r, struct str chunk);
/* computer_allows: the request lets code in this language run; ret: the runner's name of it.
 * computer_put_languages: all of these, each between `quote`s; false: no memory. */
bool computer_allows(const struct run_computer *c, struct str language, char ret[LANGUAGES_NAME]);
bool computer_put_languages(const struct run_computer *c, const char *quote,
			    struct buf *out) MUST_USE;

/* equip.c */
enum step_next equip_start(struct run *r, struct err *e) MUST_USE;

/* waiting.c */
/* waiting_find: the code of the branch that has no result yet becomes the first that waits. */
enum errc waiting_find(struct run *r, struct err *e) MUST_USE;

/* settle.c */
/* run_warnings: where the prompt's making tells what was left out. */
static inline struct warnings *run_warnings(struct run *r)
{
	return r->computer && r->attempt.before > 0 ? &r->computer->later : &r->warnings;
}

/* settle_waits: code, or its result, waits.  settle_start: decides what becomes of it.  settle_chose: the
 * next code is to be executed. */
bool           settle_waits(const struct run *r);
bool           settle_chose(const struct run *r);
enum step_next settle_start(struct run *r, struct err *e) MUST_USE;
/* settle_goes_on: the provider's call has ended well: true: further steps follow.  False: the run
 * ends; its EVENT_FINISH was given. */
bool settle_goes_on(struct run *r);
/* settle_later: the steps go on in a later turn of the loop. */
void settle_later(struct run *r);

/* gather.c */
/* gather_wanted: the files of the messages are to be in the sandbox, and this run has not brought them.
 * gather_put: the frames that bring them, after what out has.  gather_sent: their descriptors, until
 * gather_close.  gather_drop: the next execution brings them anew. */
bool           gather_wanted(const struct run *r);
enum step_next gather_start(struct run *r, struct err *e) MUST_USE;
bool           gather_put(struct run_computer *c, struct buf *out, size_t *ret_count) MUST_USE;
const struct link_file *gather_sent(const struct run_computer *c);
void                    gather_close(struct run_computer *c);
void                    gather_drop(struct run_computer *c);

/* execute.c */
enum step_next execute_record(struct run *r, struct err *e) MUST_USE;
enum step_next execute_start(struct run *r, struct err *e) MUST_USE;
/* execute_recorded: the log has more events; true: the run waited for them, and may be gone. */
bool execute_recorded(struct run *r);
void execute_pause(struct run *r, bool pause);
/* execute_cut: ends an execution that goes on: it is not known how it would have ended. */
void execute_cut(struct run *r, const struct err *e);
/* execute_over: the execution has ended, and the run goes on.  execute_fail: the computer could not do it,
 * and the run ends. */
void execute_over(struct run_computer *c, struct str outcome);
void execute_fail(struct run_computer *c, enum errc code, const char *text, const char *outcome);

/* hear.c */
extern const struct link_ear hear_ear;

/* output.c */
/* output_say: text that the code has printed.  output_text: a whole console segment, which no program has
 * printed.  output_show: html for the user. */
void output_say(struct run_computer *c, struct str text);
void output_text(struct run *r, struct str text);
void output_show(struct run *r, struct str html);
/* output_give: the chunks in c->out become events; ok: there was memory for them. */
void output_give(struct run_computer *c, bool ok);

/* executions.c */
/* executions_add: false: no memory.  executions_newest: the one that goes on. */
bool                  executions_add(struct run_computer *c) MUST_USE;
struct run_execution *executions_newest(struct run_computer *c);
/* executions_copy: those so far, a JSON array, or empty; *ret is owned. */
struct str  executions_copy(struct run *r, char **ret);
run_save_fn executions_save;

/* forget.c */
/* forget_session: the session of a run that is not stored ends with it. */
void forget_session(struct run *r);
