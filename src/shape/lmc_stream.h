/* shape/lmc_stream: the encoder of LMC's shape.
 *
 * A stream consists of LMC chunks, each in a block of its own: start, content, end, and after an
 * assistant's code a confirmation; at the end
 * {"role":"server","type":"status","content":"complete"}.  The end of a failed stream is the end of
 * the open segment, an error chunk and the status.  The id of an event's first block is the number
 * of the event; further blocks of the event have the number and .1, .2, …
 *
 * The status chunk has a finish_reason only if it is neither stop nor tool_calls, and warnings only
 * if there are some. */
#pragma once

#include "shape/encoder.h"

struct encoder *lmc_stream_create(const struct encoder_about *about) MUST_USE; /* NULL: no memory */
