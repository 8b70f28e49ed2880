/* shape/chunk: prints events in OpenAI's shape: chunks of a stream, or a whole chat.completion.
 *
 * Where a provider speaks that shape itself, its own JSON goes through with only what must differ
 * spliced in or out; else the chunk is made from the event.  Pure; not shared between threads.
 * Wire rules: the stream dialects of OpenAI (data blocks only) and ours (id in every block). */
#pragma once

#include "base/buf.h"
#include "shape/reasoning.h"
#include "lmc/warnings.h"
#include "msg/event.h"

struct encoder_whole; /* shape/encoder.h */

/* One stream's or answer's printer.  Spans are borrowed from the run for its whole life. */
struct chunk_printer {
	bool       native;       /* blocks with id, a named last block, our three members */
	bool       want_usage;   /* the client asked for the usage chunk (native: always) */
	bool       own;          /* `completion` and created_s stand for the provider's, too */
	struct str conversation; /* ids as text; empty: stored nowhere */
	struct str run;
	struct str message;
	struct str completion; /* "chatcmpl-…", where the provider gives no id */
	struct str model;      /* as asked, where the provider gives none */
	int64_t    created_s;
	enum reasoning_name reasoning; /* the name that it has in answers */
	const struct warnings *warnings; /* what was not handed on; NULL or empty: all was */
	/* state */
	bool       begun;      /* the first chunk went out */
	uint64_t   has_role;   /* bit i: choice i has had its role */
	struct buf id;         /* of the provider, escaped; empty until known */
	struct buf name;       /* its name for the model */
	struct json_doc doc;   /* scratch, these two: where reasoning gets another name */
	struct buf scratch;
};

void chunk_init(struct chunk_printer *p);
void chunk_finish(struct chunk_printer *p);

/* chunk_event: appends ev's block, if it makes one; seq is its number.  False: out is full. */
bool chunk_event(struct chunk_printer *p, const struct event *ev, uint64_t seq,
		  struct buf *out) MUST_USE;
/* The last block: a good end, or a failed one (without [DONE]). */
bool chunk_done(struct chunk_printer *p, uint64_t seq, struct buf *out) MUST_USE;
bool chunk_error(struct chunk_printer *p, const struct err *e, struct str request_id,
		  uint64_t seq, struct buf *out) MUST_USE;

/* chunk_whole: the answer of a plain call: the provider's own completion with our members, or one
 * made from the message, the finish reason and usage. */
bool chunk_whole(struct chunk_printer *p, const struct encoder_whole *w, struct buf *out) MUST_USE;
/* chunk_usage: {"prompt_tokens":…,"completion_tokens":…,"total_tokens":…,…} */
bool chunk_usage(const struct usage *usage, struct buf *out) MUST_USE;
