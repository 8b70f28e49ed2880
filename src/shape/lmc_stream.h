/* shape/lmc_stream: the encoder of LMC's shape.
 *
 * A stream is LMC chunks, each a block of its own: start, content, end, and after an assistant's
 * code a confirmation; then {"role":"server","type":"status","content":"complete"}, or, when it
 * failed, the end of the open segment, an error chunk and the status.  A block's id is the event's
 * number; an event's further blocks have .1, .2, … behind it.
 *
 * The status chunk says more only where there is more to say: finish_reason when it is neither stop
 * nor tool_calls, warnings when something was not handed on. */
#pragma once

#include "shape/encoder.h"

struct encoder *lmc_stream_create(const struct encoder_about *about) MUST_USE; /* NULL: no memory */
