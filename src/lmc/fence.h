/* lmc/fence: splits an assistant's text into prose and fenced code (rules F1 to F9).
 *
 * The segments depend only on the text, not on how the text was cut into pieces.  Only bytes whose
 * meaning is open are held back: white space and backticks at the end, and a line that may still
 * become a fence.  All other bytes are given to the sink at once, in few calls.  Held bytes are
 * given in one call, which must be short: so white space beyond LIMIT_LMC_OPEN is text like any
 * other, and a line with more than that after its backticks is no fence. */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

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
