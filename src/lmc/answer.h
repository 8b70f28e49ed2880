/* lmc/answer: gathers the pieces of one streamed answer into the assistant's message, to be stored.
 * Only the first choice is kept.  Pure; not shared between threads. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"

struct answer_tool;

/* Laid open so that it can be embedded. */
struct answer {
	struct buf          message; /* a whole message object (plain calls); else empty */
	struct buf          text;    /* these three JSON-escaped, as events carry them */
	struct buf          reasoning;
	struct buf          refusal;
	struct answer_tool *tools; /* owned */
	size_t              tool_count;
	size_t              bytes; /* of all of them, held against LIMIT_ANSWER */
};

void answer_init(struct answer *a);
void answer_finish(struct answer *a);
/* answer_add: false when the answer is over LIMIT_ANSWER or memory is short. */
bool answer_add(struct answer *a, const struct event *ev) MUST_USE;
/* answer_any: there is something to continue from: text, a refusal or a tool call. */
bool answer_any(const struct answer *a);
/* answer_print: the message object: {"role":"assistant","content":…}. */
bool answer_print(const struct answer *a, struct buf *out) MUST_USE;
