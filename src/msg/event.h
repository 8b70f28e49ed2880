/* msg/event: one step of an answer. The answers of all providers become events, and all shapes
 * for clients are printed from events. Plain data. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

enum event_kind {
	EVENT_START,     /* id, text: the model's name as the provider gives it */
	EVENT_TEXT,      /* text: a piece of the answer */
	EVENT_REASONING, /* text: a piece of reasoning */
	EVENT_REFUSAL,   /* text: a piece of a refusal */
	EVENT_TOOL_START, /* block: the call's index; id, name; text: what the provider wants back with
	                   * the call when it is told of it again: a JSON object (shape/extra), Gemini's
	                   * thoughtSignature, or empty */
	EVENT_TOOL_ARGS, /* block; text: a piece of the arguments */
	EVENT_BLOCK_END, /* block */
	EVENT_MEDIA,     /* text: a part of content that the model made, JSON (lmc/picture) */
	EVENT_MESSAGE, /* a whole answer (call not streamed): text is the assistant's message object */
	EVENT_LMC,     /* text: one LMC chunk, a JSON object (providers that speak LMC) */
	EVENT_ASKED, /* of the log alone, in front: what a shape depends on besides events; text:
	                   * entries of warnings, choice: their number; block: 1: fences become code */
	EVENT_OTHER, /* a chunk that means nothing to us but may to the client: only raw counts; a list
	                   * of embeddings too */
	EVENT_USAGE,  /* usage */
	EVENT_FINISH, /* text: finish_reason in OpenAI's words; name: in the provider's own */
	EVENT_ERROR,  /* err; usage: what was told of it so far; last event of a call that failed */
	EVENT_END,    /* last event of a call that ended well (its finish was seen) */
	EVENT__COUNT
};

/* A long event is handed over twice, in two steps of its loop: its copies take milliseconds each. */
enum event_pass {
	PASS_ONLY,
	PASS_KEEP,  /* first: number it, keep and log it */
	PASS_PRINT, /* then: print it for who reads along */
};

struct usage {
	bool    known;     /* a provider sent it */
	bool    estimated; /* else: counted by us */
	int64_t in;
	int64_t out;
	int64_t cached_read;
	int64_t cached_write;
	int64_t reasoning;
};

struct buf;

/* An event. All spans are borrowed for the callback that receives the event.
 *
 * text, id and name are JSON-escaped: bytes that may stand between two quotes (EVENT_MESSAGE,
 * EVENT_MEDIA and EVENT_LMC: a JSON value). So pieces join to the escaped whole even if a
 * provider cut a surrogate pair, and nothing is unescaped and escaped again on the way through. */
struct event {
	enum event_kind   kind;
	uint32_t          choice; /* index among n choices */
	uint32_t          block;  /* tool call index */
	struct str        text;
	struct str        id;
	struct str        name;
	struct usage      usage;
	const struct err *err;

	/* The provider's own JSON object (chunk or whole completion) where it speaks OpenAI's dialect,
	 * else empty.  One chunk may make several events: the first carries raw, the others have
	 * `cont` set, and an encoder that forwards raw prints nothing for them. */
	struct str raw;
	bool       cont;
	/* It has a number of its own although it is `cont`: a long text was cut into events, which are
	 * handed over, and logged, one by one.  Not logged itself. */
	bool            numbered;
	enum event_pass pass;
	bool hollow; /* of a segment without content: an attempt has said nothing yet; not logged */
	/* Begins with raw, or with text where there is no raw, which is long: who keeps that may take
	 * these bytes instead of copying them, and leaves an empty buffer.  They must live as long as the
	 * call's other events.  NULL: a copy. */
	struct buf *give;
	/* Spans inside raw that an encoder may have to leave out: the member "usage" of a chunk (the
	 * whole `"usage":…` with one neighbouring comma), so that usage asked for by us does not reach
	 * a client that did not ask.  Empty: there is none. */
	struct str raw_usage;
	/* The member "role" of a delta that has had its role before, cut likewise; never printed. */
	struct str raw_role;
	/* The values of raw's "id", quotes included, and "created": a stored answer has ours in their
	 * places. */
	struct str raw_id;
	struct str raw_created;
	bool       raw_only_usage; /* raw is a usage chunk: its choices are empty */

	/* A provider that speaks LMC says everything twice: as EVENT_LMC, for clients of that shape,
	 * and, with this set, in the other kinds for all others.  Its EVENT_LMC chunks obey the
	 * grammar whatever the provider sent: exactly one of start, content and end in each (a
	 * confirmation has content alone), segments follow each other and all of them end; chunks of
	 * role server are not among them. */
	bool from_lmc;
};

/* If no provider has counted the tokens, they are estimated as a quarter of the bytes; an image
 * has a fixed number.
 *
 * event_weight: the bytes that an event adds to an answer. */
int64_t      event_weight(const struct event *ev);
struct usage usage_guess(int64_t bytes_in, int64_t bytes_out);
/* usage_cut: the usage of an answer that broke off. What the provider reported before the break
 * does not include the rest: the estimate counts for the output if it is higher, and for
 * everything if nothing was reported. */
struct usage usage_cut(const struct usage *told, const struct usage *guess);
