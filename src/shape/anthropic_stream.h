/* shape/anthropic_stream: the encoder of Anthropic's shape: the named events of a stream, or a whole
 * message.  Source: Anthropic's API reference, "Streaming Messages".
 *
 *   message_start, ping --> (content_block_start --> content_block_delta* --> content_block_stop)*
 *                       --> message_delta (stop reason, usage) --> message_stop
 *
 * Blocks never overlap, because some clients know only the newest one.  Providers may take turns
 * between calls: then the pieces of the later calls are held until the blocks before them end.  A
 * stream that fails ends with the event error, and never with message_stop. */
#pragma once

#include "shape/encoder.h"

/* NULL: no memory. */
struct encoder *anthropic_stream_create(const struct encoder_about *about) MUST_USE;
