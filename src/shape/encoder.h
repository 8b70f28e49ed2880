/* shape/encoder: the interface of encoders. An encoder prints the events of an answer in one
 * shape. The const struct of a family lists its shapes (msg/family.h).
 *
 * An encoder lives as long as its run, or as the reader of a run, and belongs to their thread. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "shape/reasoning.h"
#include "lmc/warnings.h"
#include "msg/event.h"
#include "msg/family.h"

/* The facts of its run that an encoder prints. Spans are borrowed from the run for its whole
 * life. */
struct encoder_about {
	/* A stream's, as its family has it; NULL: server-sent events in the API's own form. */
	const struct framing *framing;
	bool                  want_usage; /* the client asked for the usage chunk */
	bool                  fences;     /* fenced code in the answer becomes LMC code */
	bool                  logprobs;   /* the client asked for log probabilities */
	enum reasoning_name   reasoning;  /* OpenAI's shape: the member for reasoning */
	struct id             run;
	/* None: the answer is not stored.  A stored answer has Parley's id and time, an answer that
	 * is not stored has those of the provider. */
	struct id  conversation;
	struct str model;     /* the requested one; printed if the provider gives none */
	struct str settings;  /* the members of the answer that show the request (call_request) */
	int64_t    created_s; /* wall clock */
	int64_t    guess_in;  /* estimated tokens of the prompt; 0: not estimated */
	struct cursor
		seen; /* the reader's last block: blocks up to this one are not printed again */
	/* Borrowed.  Before the first event, the list has what the provider was not sent; the
	 * encoder adds what it could not print. */
	struct warnings *warnings;
};

/* The answer of a plain call. */
struct encoder_whole {
	struct str    raw;         /* the provider's own answer, or empty */
	enum raw_form form;        /* raw's */
	struct str    raw_id;      /* the values of "id" and "created" in raw; */
	struct str    raw_created; /* empty: not known */
	struct str    message; /* the assistant's message, a JSON object; may be empty beside raw */
	struct str    text;    /* in its place, of the completion of a prompt: escaped */
	struct str lmc; /* LMC messages with commas between them, of a provider that speaks LMC */
	struct str finish_reason; /* escaped */
	const struct usage *usage;
};

struct encoder;

struct encoder_ops {
	/* event: appends the blocks that ev makes, if any; seq is the number of ev, from which
	 * the encoder numbers the blocks. done, error: append the last blocks, of a normal end
	 * or of a failure. whole: appends the answer of a plain call. False: no memory, or out
	 * is full; a block is never left half printed. */
	bool (*event)(struct encoder *n, const struct event *ev, uint64_t seq, struct buf *out);
	bool (*done)(struct encoder *n, uint64_t seq, struct buf *out);
	bool (*error)(struct encoder *n, const struct err *e, struct str request_id, uint64_t seq,
		      struct buf *out);
	bool (*whole)(struct encoder *n, const struct encoder_whole *w, struct buf *out);
	/* rest: appends the blocks that event or over has put off (encoder.rests), with the numbers
	 * of their event; NULL: this encoder puts nothing off. On any thread, while nobody else uses
	 * the encoder. If rest is not called, done and error print these blocks. */
	bool (*rest)(struct encoder *n, struct buf *out);
	/* over: no event follows, and done, or error if failed, will be called: text that is held
	 * until then and is long is put off now. NULL: this encoder holds no text without a
	 * finish_reason. If over is not called, done and error print the same blocks. */
	void (*over)(struct encoder *n, bool failed);
	void (*destroy)(struct encoder *n);
};

struct encoder { /* the first member of each implementation */
	const struct encoder_ops *ops;
	/* event has put blocks off, because they are longer than LIMIT_LOOP_JSON together and would
	 * hold the loop: a worker should print them with rest. */
	bool rests;
	/* whole prints an answer of embeddings; the others leave it in the words of OpenAI's API. */
	bool vectors;
	/* Bits 1 << enum raw_form: the forms of a provider's own answer that whole prints, without a
	 * message beside it. */
	unsigned raws;
	/* Unix time of the answer's end, which the owner sets before done and whole; 0: not
	 * known. */
	int64_t ended_s;
};

static inline void encoder_over(struct encoder *n, bool failed)
{
	if (n->ops->over)
		n->ops->over(n, failed);
}

/* encoder_destroy: NULL is fine. */
static inline void encoder_destroy(struct encoder *n)
{
	if (n)
		n->ops->destroy(n);
}
