/* shape/piece: what encoders hold whose clients read each piece of a stream alone: halves of characters, and calls, which
 * go out whole and in the order of their starts.  Pure; not shared between threads. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "msg/event.h"

struct encoder;

/* --- half: the first half of a character that a provider has cut in two. */

enum { HALF = 6 };
#define HALF_ALONE "\xef\xbf\xbd" /* U+FFFD */

struct half {
	char   text[HALF];
	size_t n;
};

/* half_keeps: whether the text, escaped, is a first half and nothing else; then it waits, and nothing is printed. */
bool half_keeps(struct half *h, struct str text);
/* half_join: appends the text after the half that waits, without one at its end, which waits then. */
bool half_join(struct half *h, struct str text, struct buf *out) MUST_USE;

/* --- held_calls. */

struct held_call {
	uint32_t   block;
	bool       ended;
	struct buf id; /* all escaped */
	struct buf name;
	struct buf extra; /* the part that its provider must get back (shape/carry) */
	struct buf args;
};

struct held_calls {
	struct held_call *calls; /* owned; in the order of their starts */
	size_t            count;
	size_t            beside; /* bytes that the owner prints with the next call */
	bool (*put)(struct encoder *n, const struct held_call *c, struct buf *out);
};

void held_calls_finish(struct held_calls *h);
/* held_calls_take: the start of a call, or its arguments.  False: too many calls, or memory is short. */
bool held_calls_take(struct held_calls *h, const struct event *ev) MUST_USE;
/* held_calls_end: a call is complete, and goes out; one that is too long for a loop (LIMIT_LOOP_JSON), and all after it,
 * wait for held_calls_finished.  held_calls_finished: all are complete; long ones are put off (encoder.rests). */
bool held_calls_end(struct held_calls *h, struct encoder *n, uint32_t block,
		    struct buf *out) MUST_USE;
bool held_calls_finished(struct held_calls *h, struct encoder *n, struct buf *out) MUST_USE;
/* held_calls_over, held_calls_rest: as the operations of an encoder.  held_calls_last: at the end of a stream, prints
 * those that are complete, long or not; of a stream that has not failed, all. */
void held_calls_over(struct held_calls *h, struct encoder *n, bool failed);
bool held_calls_rest(struct held_calls *h, struct encoder *n, struct buf *out) MUST_USE;
bool held_calls_last(struct held_calls *h, struct encoder *n, bool failed,
		     struct buf *out) MUST_USE;

/* held_args_put: the arguments, a string that should be an object.  Arguments that are none, because the answer was cut
 * or the model erred, still reach the client, as a member of an object.  d, text: scratch. */
bool held_args_put(struct str escaped, struct json_doc *d, struct buf *text,
		   struct buf *out) MUST_USE;
