/* shape/answer: gathers one answer: the pieces of a stream, or a whole message, into the assistant's
 * message that is stored, and beside it the provider's own completion, from which a plain call may be
 * answered. Of the message only the first choice is kept. Pure; not shared between threads.
 *
 * An answer of a provider that speaks LMC may say more than one message of OpenAI's can (for
 * example, output of the provider's computer). Its LMC messages are kept in the member "lmc" of
 * the message. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "shape/encoder.h"

struct answer_tool;
struct gather;

/* A part of a buffer that still moves. */
struct span {
	size_t at, n;
};

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

	struct buf  raw;         /* a completion as the provider sent it */
	struct span raw_id;      /* where in it the values of its "id" and "created" are; */
	struct span raw_created; /* n 0: not known */
};

void answer_init(struct answer *a);
void answer_finish(struct answer *a);
/* answer_add: adds a piece. False: the answer is over LIMIT_ANSWER, or memory is short. */
bool answer_add(struct answer *a, const struct event *ev) MUST_USE;
/* answer_raw: keeps the event's raw. A long one that is given is not copied. False: it is over
 * LIMIT_UPSTREAM_BODY, or memory is short. */
bool answer_raw(struct answer *a, const struct event *ev) MUST_USE;
/* answer_whole: what an encoder is told of a plain call's answer; borrowed until the answer changes. */
struct encoder_whole answer_whole(const struct answer *a);
/* answer_close: ends the answer and fills lmc. False: memory is short. */
bool answer_close(struct answer *a) MUST_USE;
/* answer_any: whether there is something to continue from: text, a refusal or a tool call. */
bool answer_any(const struct answer *a);
/* answer_print: appends the message object, {"role":"assistant","content":…}, with "lmc" if
 * there are LMC messages. */
bool answer_print(const struct answer *a, struct buf *out) MUST_USE;
