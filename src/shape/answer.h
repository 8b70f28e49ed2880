/* shape/answer: gathers one answer. The pieces of a stream, or a whole message, become the
 * assistant's message that is stored; of several choices only the first is kept. Beside the
 * message, a plain call may keep the provider's own completion, with which its client is answered.
 * Pure; not shared between threads.
 *
 * An answer of a provider that speaks LMC may say more than one message of OpenAI's can (for
 * example, output of the provider's computer). Its LMC messages are kept in the member "lmc" of
 * the message. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "shape/encoder.h"

struct answer_tool;
struct details;
struct gather;

/* A part of a buffer whose bytes may still move: an offset and a length. */
struct span {
	uint32_t at, n;
};

/* Laid open so that it can be embedded. */
struct answer {
	struct buf          message; /* a whole message object (plain calls); else empty */
	struct buf          text;    /* text to refusal: JSON-escaped, as in events */
	struct buf          reasoning;
	struct buf          refusal;
	struct buf          images;  /* JSON parts with commas between them */
	struct details     *details; /* owned; of reasoning_details; NULL: none came */
	struct gather      *gather;  /* owned; of LMC chunks; NULL: none came */
	struct str          lmc;   /* gather's messages, after answer_close; borrowed from gather */
	struct answer_tool *tools; /* owned */
	size_t              bytes; /* size of all members above; at most LIMIT_ANSWER */

	/* The provider's own answer; listed: of pieces, the items of OpenAI's Responses API with commas
	 * between them (shape/carry). */
	struct buf    raw;
	enum raw_form form; /* raw's */
	bool          listed : 1;
	bool          finished : 1; /* the provider has ended it */
	bool          resumed : 1;  /* it went on at another one */
	uint16_t      tool_count;
	struct span   raw_id;      /* the values of "id" and "created" in raw; */
	struct span   raw_created; /* n is 0: not known */
};

void answer_init(struct answer *a);
void answer_finish(struct answer *a);
/* answer_add: adds a piece. False: the answer is over LIMIT_ANSWER, or memory is short. */
bool answer_add(struct answer *a, const struct event *ev) MUST_USE;
/* answer_raw: keeps the provider's own completion, ev->raw; takes the bytes of a long one from
 * ev->give instead of copying them. False: the completion is over LIMIT_UPSTREAM_BODY, or memory is
 * short. */
bool answer_raw(struct answer *a, const struct event *ev) MUST_USE;
/* answer_whole: the answer of a plain call, without finish_reason and usage; borrowed until the
 * answer changes. */
struct encoder_whole answer_whole(const struct answer *a);
/* answer_close: ends the answer and fills lmc. False: memory is short. */
bool answer_close(struct answer *a) MUST_USE;
/* answer_reopen: pieces follow after answer_close. */
void answer_reopen(struct answer *a);
/* answer_any: whether the answer has something to continue from: text, a refusal, an image, a tool
 * call, a whole message or LMC chunks. */
bool answer_any(const struct answer *a);
/* answer_print: appends the message object, {"role":"assistant","content":…}, with "lmc" if
 * there are LMC messages. False: out is full. */
bool answer_print(const struct answer *a, struct buf *out) MUST_USE;

/* --- replay: makes the events of a stored answer, for a stream of a run that was not
 * streamed. */

/* replay_answer: calls fn for each event of a stored assistant's message: START, its LMC messages
 * if a provider spoke LMC, its reasoning, text, images, refusal and calls, FINISH, and USAGE if the
 * usage is known.  fn returns false to stop.  finish_reason: escaped.
 * False: fn has stopped, or message is no object. */
bool replay_answer(struct str message, struct str finish_reason, const struct usage *usage,
		   bool (*fn)(void *arg, const struct event *ev), void *arg) MUST_USE;
