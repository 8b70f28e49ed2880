/* run/assemble: makes the answer of a run that a crash cut off from the run's logged events. */
#pragma once

#include "base/buf.h"
#include "store/events.h"

/* assemble_answer: appends the assistant's message, a JSON object, to out; the app passes this function to
 * the store (struct store_options).  pieces: in order, of one run.  False: the events make no
 * message, or memory is short; out is unchanged.  Threads: any. */
bool assemble_answer(const struct events_piece *pieces, size_t count, struct buf *out) MUST_USE;
