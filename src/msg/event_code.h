/* msg/event_code: events as bytes, for the event log of a run.
 *
 * A record holds everything that an encoder needs to print the event again, and nothing that
 * follows from it: spans that lie in raw are kept as places in raw. The format is Parley's own,
 * and the first byte is its version; numbers are written with seven bits a byte, lowest first.
 * Each record ends with a CRC-32, so that damage by the disk is noticed. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"

/* event_encode: appends the record of ev (any kind but ERROR and END) with number seq. */
bool event_encode(const struct event *ev, uint64_t seq, struct buf *out) MUST_USE;
/* event_decode: reads and removes the first record of *bytes; spans of *ret point into it.
 * False: no record is left, or the bytes are damaged (then *bytes is unchanged, and not empty). */
bool event_decode(struct str *bytes, struct event *ret, uint64_t *ret_seq) MUST_USE;
/* event_decode_again: likewise, of bytes that event_decode has read before, or that this process has encoded: their
 * checksum is not computed again. */
bool event_decode_again(struct str *bytes, struct event *ret, uint64_t *ret_seq) MUST_USE;
