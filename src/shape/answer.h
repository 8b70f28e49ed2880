/* shape/answer: gathers the pieces of one streamed answer into the assistant's message that is
 * stored. Only the first choice is kept. Pure; not shared between threads.
 *
 * An answer of a provider that speaks LMC may say more than one message of OpenAI's can (for
 * example, output of the provider's computer). Its LMC messages are kept in the member "lmc" of
 * the message. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"

struct answer_tool;
struct gather;

/* Laid open so that it can be embedded. */
struct answer {
	struct buf          message; /* a whole message object (plain calls); else empty */
	struct buf          text;    /* these three JSON-escaped, as events carry them */
	struct buf          reasoning;
	struct buf          refusal;
	struct buf          images; /* JSON parts with commas between them */
	struct gather      *gather; /* owned; of LMC chunks; NULL: none came */
	struct str          lmc;    /* its messages, once answer_close was called */
	struct answer_tool *tools;  /* owned */
	size_t              tool_count;
	size_t              bytes; /* of all of them, held against LIMIT_ANSWER */
};

void answer_init(struct answer *a);
void answer_finish(struct answer *a);
/* answer_add: adds a piece. False: the answer is over LIMIT_ANSWER, or memory is short. */
bool answer_add(struct answer *a, const struct event *ev) MUST_USE;
/* answer_close: ends the answer and fills lmc. False: memory is short. */
bool answer_close(struct answer *a) MUST_USE;
/* answer_any: whether there is something to continue from: text, a refusal or a tool call. */
bool answer_any(const struct answer *a);
/* answer_print: appends the message object, {"role":"assistant","content":…}, with "lmc" if
 * there are LMC messages. */
bool answer_print(const struct answer *a, struct buf *out) MUST_USE;
