/* run/reader: what each reader of a run's events has: a place on the run's tape, an encoder, and
 * what the encoder has printed but nobody has taken yet.  The run's first client reads by one
 * (feed.c), and so does everybody who comes later (follow.c).  Laid open, to be embedded; on its
 * owner's loop alone. */
#pragma once

#include "base/buf.h"
#include "shape/encoder.h"

struct reader {
	uint64_t        place;   /* on the tape (desk/tape.h): behind what was printed */
	struct encoder *encoder; /* owned; NULL: not made yet */
	struct buf      out;
	struct buf      rest;  /* printed by a worker; goes behind out */
	size_t          at;    /* taken of out */
	bool            keeps; /* out stays to the end: all of it is read there, or once more */
};

/* reader_init: of at most max bytes that wait. */
void reader_init(struct reader *x, size_t max, bool keeps);
void reader_finish(struct reader *x);
/* reader_ready: borrowed until reader_taken.  reader_waiting: how many bytes these are. */
struct str           reader_ready(const struct reader *x);
static inline size_t reader_waiting(const struct reader *x)
{
	return x->out.len - x->at;
}
/* reader_taken: the first n of them were. */
void reader_taken(struct reader *x, size_t n);
/* reader_print_rest: on a worker, which has the encoder to itself meanwhile: prints the blocks that the
 * encoder has put off.  reader_join_rest: on the loop, when the worker is done: appends them to out.
 * False: no memory. */
bool reader_print_rest(struct reader *x) MUST_USE;
bool reader_join_rest(struct reader *x) MUST_USE;
/* reader_leave: nobody takes anything any more. */
void reader_leave(struct reader *x);
