/* lmc/speech: turns one turn of an assistant, text and calls in OpenAI's terms, into segments
 * (rules K2, K3, K5, O5, T).  The segments are, in this order: the text before the calls, split by
 * its fences; the calls in ascending order of their indexes; the text after the calls.
 *
 * The first text and the call with index 0 are given to the sink while they arrive.  Other calls,
 * and the text after the calls, are held until the end, because a provider may continue any of them
 * until then. */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"
#include "lmc/warnings.h"

#include <stdint.h>

struct speech_options {
	bool                       fences; /* fenced code becomes a segment; false: text is one */
	const struct segment_sink *sink;   /* borrowed */
	void                      *arg;
	struct warnings           *warnings; /* borrowed; NULL: nobody reads them */
	/* The most bytes that may be held back: half of them are for calls and the text after them,
	 * half for the parser of the open segment. */
	size_t max;
};

struct speech; /* opaque */

/* speech_create: NULL: no memory. */
struct speech *speech_create(const struct speech_options *o) MUST_USE;
void           speech_destroy(struct speech *t);
/* speech_again: prepares t, which was closed without an error, for another turn, and keeps some of
 * its memory; o->max must not change. */
void speech_again(struct speech *t, const struct speech_options *o);
/* speech_at: sets the index of later warnings. */
void speech_at(struct speech *t, size_t index);

/* speech_text, speech_name, speech_args: the next piece of the text, of a call's name, of a call's
 * arguments.  Pieces are decoded text (lmc/text.h), and may be cut between the halves of a
 * surrogate pair: the sink gets no text that ends inside a character whose rest follows.  A call
 * exists from the first speech_name or speech_args for its index on, even with an empty text.
 * Pieces of a name after the first non-empty piece of the arguments are ignored.
 * False: no memory, a limit (LIMIT_TOOLS calls among them), or the sink has stopped.  After that,
 * and after speech_close, all functions return false, and the sink gets nothing more. */
bool speech_text(struct speech *t, struct str text) MUST_USE;
bool speech_name(struct speech *t, uint32_t index, struct str name) MUST_USE;
bool speech_args(struct speech *t, uint32_t index, struct str args) MUST_USE;
/* speech_close: ends the turn, complete or cut off: gives all held text to the sink, and closes
 * every segment.  False: as above. */
bool speech_close(struct speech *t) MUST_USE;
/* speech_held: the bytes of held calls and text that speech_close will give to the sink. */
size_t speech_held(const struct speech *t);
/* speech_cut: after speech_close: whether code has no end of its own: an open fence, or arguments of
 * a call that break off. */
bool speech_cut(const struct speech *t);
/* speech_overfull: whether a function failed because the turn has more than LIMIT_TOOLS calls. */
bool speech_overfull(const struct speech *t);

/* --- args: reads the arguments of one call of `execute` while they arrive (rules T3 to T7).
 *
 * The member `code` of an object becomes a SEGMENT_CODE.  The sink gets the decoded code as soon as
 * its language is known, and never half an escape.  Arguments that are no object become a
 * SEGMENT_TOOL_CALL named "execute", unchanged.  The segment depends only on the text, not on how
 * the text was cut into pieces. */

/* Flaws of the arguments that cause a warning (rules T5 to T7); several bits may be set. */
enum args_flaw {
	ARGS_ENDED_EARLY = 1, /* the object is cut off, or is no JSON */
	ARGS_NO_CODE = 2,     /* the object has no member `code` with a string */
	ARGS_TRAILING = 4,    /* text follows the object */
	ARGS_NO_OBJECT = 8,   /* the arguments are no object, and became a tool call */
};

struct args; /* opaque */

/* args_create: sink: borrowed; max: the most bytes that may be held back; NULL: no memory. */
struct args *args_create(const struct segment_sink *sink, void *arg, size_t max) MUST_USE;
void         args_destroy(struct args *a);
/* args_feed: reads the next piece.  False: the sink has stopped, more than max bytes would be held
 * back, or memory is short. */
bool args_feed(struct args *a, struct str text) MUST_USE;
/* args_end: the arguments are complete: gives the rest to the sink and closes the segment; each
 * call makes exactly one segment.  *ret_flaws: bits of enum args_flaw.  False: as args_feed. */
bool args_end(struct args *a, unsigned *ret_flaws) MUST_USE;

/* --- fence: splits an assistant's text into prose and fenced code (rules F1 to F9).
 *
 * The segments depend only on the text, not on how the text was cut into pieces.  Only bytes whose
 * meaning is open are held back: white space and backticks at the end, and a line that may still
 * become a fence.  All other bytes are given to the sink at once, in few calls.  Held bytes are
 * given in one call, which must be short: so white space beyond LIMIT_LMC_OPEN is text like any
 * other, and a line with more than that after its backticks is no fence. */

/* The states of the parser; fence.c draws them. */
enum fence_state {
	FENCE_PROSE,
	FENCE_RUN,     /* in a run of backticks that may open code */
	FENCE_INFO,    /* after a run at the start of a line: any info text is allowed */
	FENCE_NO_WORD, /* after a run elsewhere, before the first word of the info text */
	FENCE_WORD,    /* after a run elsewhere, in the only word of the info text */
	FENCE_PAST,    /* after a run elsewhere, after the only word of the info text */
	FENCE_START,   /* code: in the spaces at the start of a line */
	FENCE_TICKS,   /* code: in backticks that may close the code */
	FENCE_BLANK,   /* code: after such backticks, which close if the line has nothing else */
	FENCE_CODE,    /* code: in a line that does not close the code */
	FENCE_RETURN,  /* code: after a CR in such a line */
	FENCE_AFTER,   /* after a closing fence: CR and LF are dropped */
	FENCE_BROKEN,  /* the sink has stopped, or too many bytes were held */
	FENCE__COUNT
};

/* Laid open so that it can be embedded; use the functions. */
struct fence {
	const struct segment_sink *sink; /* borrowed */
	void                      *arg;
	struct buf                 held; /* bytes of earlier pieces whose meaning is open */
	enum fence_state           state;
	size_t ticks;    /* backticks of the run, or of the fence that has opened the code */
	size_t closing;  /* backticks of the run that may close the code */
	size_t indent;   /* spaces at the start of the line; 4: more than 3, or other text */
	size_t info;     /* offset of the info text in the held bytes */
	size_t waits;    /* bytes so far of the white space, info text or end of a closing fence */
	bool   open;     /* a segment is open */
	bool   run_seen; /* the line of prose had a run of three or more backticks */
};

/* fence_init: max: the most bytes that may be held back. */
void fence_init(struct fence *f, const struct segment_sink *sink, void *arg, size_t max);
void fence_finish(struct fence *f);
/* fence_feed: reads the next piece.  False: the sink has stopped, more than max bytes would be held
 * back, or memory is short; from then on all calls fail and the sink gets nothing more. */
bool fence_feed(struct fence *f, struct str text) MUST_USE;
/* fence_unclosed: whether code is open that no fence has ended, if the text ends here. */
bool fence_unclosed(const struct fence *f);
/* fence_end: the text is complete: gives all held bytes to the sink and closes the open segment; f
 * is then ready for another text.  False: as fence_feed; the segment may have stayed open. */
bool fence_end(struct fence *f) MUST_USE;
