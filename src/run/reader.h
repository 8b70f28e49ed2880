/* run/reader: the state of one reader of a run's events: a place on the run's tape, an encoder, and
 * an output buffer of printed bytes that the client has not taken yet.  The run's first client has
 * one (feed.c), and so has each later reader (follow.c).  Laid open so that it can be embedded.
 * Threads: the owner's loop, except for reader_print_rest. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "msg/family.h"
#include "shape/encoder.h"

struct reader {
	uint64_t        place;   /* on the tape (desk/tape.h): after the last printed event */
	struct encoder *encoder; /* owned; NULL: not made yet */
	struct buf      out;     /* printed blocks */
	struct buf      rest;    /* blocks that a worker has printed; appended to out later */
	size_t          at;      /* bytes of out that the client has taken */
	bool cut;   /* there was no memory for the last block: the body must end as a broken one */
	bool keeps; /* out keeps its bytes to the end, for a plain answer or an idempotency key */
};

/* reader_init: makes a reader without an encoder; max: the most bytes of out, and of rest.
 * reader_finish: frees the encoder and all bytes. */
void reader_init(struct reader *x, size_t max, bool keeps);
/* reader_max: the most bytes of a stream that wait for a reader of this family. */
static inline size_t reader_max(const struct family *f)
{
	return f->repeats ? LIMIT_FEED_WHOLE : LIMIT_FEED_MAX;
}
void reader_finish(struct reader *x);
/* reader_ready: the bytes that wait for the client, borrowed until reader_taken or the encoder's
 * next call.  reader_waiting: the number of these bytes. */
struct str           reader_ready(const struct reader *x);
static inline size_t reader_waiting(const struct reader *x)
{
	return x->out.len - x->at;
}
/* reader_taken: the client has taken the first n of these bytes. */
void reader_taken(struct reader *x, size_t n);
/* reader_print_rest: on a worker, while nobody else uses the encoder: prints the blocks that the
 * encoder has put off into rest.  reader_join_rest: on the loop, when the worker is done: appends
 * rest to out.  False: no memory. */
bool reader_print_rest(struct reader *x) MUST_USE;
bool reader_join_rest(struct reader *x) MUST_USE;
/* reader_leave: the client has left: frees its bytes, unless the reader keeps them. */
void reader_leave(struct reader *x);
