/* msg/event_code: events as bytes, for the log of a run.
 *
 * A record holds all that an encoder needs to print the event again, and nothing that can be told
 * from it: spans that lie in raw are kept as places in it.  The form is ours and versioned by its
 * first byte; numbers are written in seven bits a byte, lowest first.  A CRC-32 ends each record, so
 * that what a disk has changed is not taken for what was said. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"

/* event_encode: appends the record of ev (any kind but ERROR and END) with number seq. */
bool event_encode(const struct event *ev, uint64_t seq, struct buf *out) MUST_USE;
/* event_decode: takes the first record off *bytes; spans of *ret point into it.  False: there is none
 * left, or the bytes are damaged (then *bytes is left as it was, and is not empty). */
bool event_decode(struct str *bytes, struct event *ret, uint64_t *ret_seq) MUST_USE;
