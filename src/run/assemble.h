/* run/assemble: the answer that a run's logged events make, for a run that a crash cut off. */
#pragma once

#include "base/buf.h"
#include "store/events.h"

/* assemble: as struct store_options has it: the message object, appended to out; false: the events
 * make none, or memory is short (out unchanged).  Any thread. */
bool assemble(const struct events_piece *pieces, size_t count, struct buf *out) MUST_USE;
