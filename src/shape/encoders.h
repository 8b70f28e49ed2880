/* shape/encoders: the encoders of the families, and what errors are called in Anthropic's. */
#pragma once

#include "base/err.h"
#include "shape/encoder.h"

struct buf;

/* --- text_chunk: the encoder of OpenAI's older completions, whose answer is a text without a
 * message: text_completion objects, whole and as chunks.  Source: OpenAI's API reference,
 * "Completions". */

/* NULL: no memory.  text_chunk_create_raw: the answer of a provider that completes prompts itself, in
 * its own bytes. */
struct encoder *text_chunk_create(const struct encoder_about *about) MUST_USE;
struct encoder *text_chunk_create_raw(const struct encoder_about *about) MUST_USE;

/* --- rebyte_stream: the encoder of Rebyte's runs. */

/* rebyte_stream_create: NULL: no memory. */
struct encoder *rebyte_stream_create(const struct encoder_about *about) MUST_USE;

/* --- anthropic_stream: the encoder of Anthropic's shape: the named events of a stream, or a whole
 * message.  Source: Anthropic's API reference, "Streaming Messages".
 *
 *   message_start, ping --> (content_block_start --> content_block_delta* --> content_block_stop)*
 *                       --> message_delta (stop reason, usage) --> message_stop
 *
 * Blocks never overlap, because some clients know only the newest one.  Providers may take turns
 * between calls: then the pieces of the later calls are held until the blocks before them end.  A
 * stream that fails ends with the event error, and never with message_stop. */

/* NULL: no memory. */
struct encoder *anthropic_stream_create(const struct encoder_about *about) MUST_USE;

/* --- anthropic_error: errors in the shape of Anthropic's Messages API.  Source: its API
 * reference, "Errors". */

/* anthropic_error_http: the status of e.  An overloaded gateway or provider is a 529, by which
 * clients of this API tell that waiting helps. */
int anthropic_error_http(const struct err *e);
/* anthropic_error_put: appends {"type":"error","error":{"type":…,"message":…,"param":…,"code":…},
 * "request_id":…}.  Paths have dots only: messages.1.content.0.  False: out is full. */
bool anthropic_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
/* anthropic_error_body: the same with a line break, as a body. */
bool anthropic_error_body(const struct err *e, struct str request_id, struct buf *out) MUST_USE;

/* --- lmc_stream: the encoder of LMC's shape.
 *
 * A stream consists of LMC chunks, each in a block of its own: start, content, end, and after an
 * assistant's code a confirmation; at the end
 * {"role":"server","type":"status","content":"complete"}.  The end of a failed stream is the end of
 * the open segment, an error chunk and the status.  The id of an event's first block is the number
 * of the event; further blocks of the event have the number and .1, .2, …
 *
 * The status chunk has a finish_reason only if it is neither stop nor tool_calls, and warnings only
 * if there are some. */

struct encoder *lmc_stream_create(const struct encoder_about *about) MUST_USE; /* NULL: no memory */

/* --- chunk: the encoders of OpenAI's shape. They print the chunks of a stream, or a whole
 * chat.completion. chunk_create prints what OpenAI's clients know (blocks with data only).
 * chunk_create_ours adds what LLM Chat has besides: an id in each block, names of the last blocks,
 * and Parley's own members in the first chunk or in the whole answer.
 *
 * The JSON of a provider that speaks OpenAI's API goes through unchanged, except for members that
 * must be added, replaced or removed; the events of other providers are printed as new chunks. */

/* NULL: no memory. */
struct encoder *chunk_create(const struct encoder_about *about) MUST_USE;
struct encoder *chunk_create_ours(const struct encoder_about *about) MUST_USE;

/* chunk_usage: appends {"prompt_tokens":…,"completion_tokens":…,"total_tokens":…,…}. False: out is
 * full. */
bool chunk_usage(const struct usage *usage, struct buf *out) MUST_USE;
