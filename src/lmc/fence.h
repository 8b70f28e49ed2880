/* lmc/fence: splits an assistant's text into prose and fenced code (rules F1 to F9).
 *
 * What comes out depends only on the text, not on how it was cut into pieces.  Only what the rules
 * leave open is held back: white space and backticks at the end, a line that may still become a
 * fence; all else is given at once, in few calls.  More white space than LIMIT_LMC_OPEN is text like any
 * other, and a line with more behind its backticks is no fence: what is held is given in one call, which
 * has to be short. */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

/* Drawn in fence.c. */
enum fence_state {
	FENCE_PROSE,
	FENCE_RUN,     /* in a run of backticks that may open */
	FENCE_INFO,    /* behind one at the start of a line: any info text will do */
	FENCE_NO_WORD, /* behind one elsewhere: no word of the info text yet, */
	FENCE_WORD,    /* in its only word, */
	FENCE_PAST,    /* and behind it */
	FENCE_START,   /* code: in the spaces at a line's start */
	FENCE_TICKS,   /* code: in backticks that may close */
	FENCE_BLANK,   /* code: behind backticks that close unless something comes in this line */
	FENCE_CODE,    /* code: in a line that closes nothing */
	FENCE_RETURN,  /* the same, behind a CR */
	FENCE_AFTER,   /* behind a closing fence: CR and LF are dropped */
	FENCE_BROKEN,  /* the sink has stopped it, or too much was held */
	FENCE__COUNT
};

/* Laid open so that it can be embedded; use the functions. */
struct fence {
	const struct segment_sink *sink; /* borrowed */
	void                      *arg;
	struct buf                 held; /* what came earlier and may still become something else */
	enum fence_state           state;
	size_t ticks;   /* backticks of the run, then of the opening fence that it became */
	size_t closing; /* backticks that may close it */
	size_t indent;  /* spaces at the start of this line; four: or more, or anything else */
	size_t info;    /* bytes held and open in front of the info text */
	size_t waits; /* bytes of the white space, of the info text, or behind a closing fence so far */
	bool open;     /* a segment is open */
	bool run_seen; /* this line of prose had its run of three or more */
};

/* fence_init: max bounds what may be held back. */
void fence_init(struct fence *f, const struct segment_sink *sink, void *arg, size_t max);
void fence_finish(struct fence *f);
/* fence_feed: the next piece.  False: the sink stopped it, or more than max bytes had to be held
 * back, or memory is short; nothing more is given then, whatever comes. */
bool fence_feed(struct fence *f, struct str text) MUST_USE;
/* fence_end: the text is complete: everything held is given, the open segment closed.  f is then
 * ready for another text.  False: as above; the segment may have stayed open. */
bool fence_end(struct fence *f) MUST_USE;
