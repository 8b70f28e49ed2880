/* shape/encoders: the encoders of the families, and what errors are called in Anthropic's. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "msg/event.h"
#include "msg/family.h"
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

/* anthropic_error_put: appends {"type":"error","error":{"type":…,"message":…,"param":…,"code":…},
 * "request_id":…}.  Paths have dots only: messages.1.content.0.  False: out is full. */
bool anthropic_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;

/* --- gemini_stream: the encoder of Gemini's shape: GenerateContentResponse, whole and as the pieces of a stream.
 * A call goes out in one piece, when its arguments are complete; so it comes after the text that was said
 * meanwhile.  The last piece has the finishReason and the usage.
 *
 * gemini_error_put: {"error":{"code":…,"message":…,"status":…,"details":[…]}}.  False: out is full. */

/* NULL: no memory. */
struct encoder *gemini_stream_create(const struct encoder_about *about) MUST_USE;
bool gemini_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;

/* The id under which a signature has what comes with its call (shape/carry): clients may leave out the call's own. */
#define GEMINI_CARRIED "call"

/* Settings of a run (call_request) whose client wants the model's thoughts. */
#define GEMINI_THOUGHTS "{\"thoughts\":true}"

/* --- ollama_stream: the encoder of Ollama's shape: one line for each piece of an answer, or one for all of it.  A call
 * goes out in one piece, when its arguments are complete.  The last line has the usage and the durations.  A stream
 * that fails ends with {"error":…}, and never with "done":true.
 *
 * ollama_error_put: {"error":"text"}.  False: out is full. */

/* NULL: no memory.  ollama_stream_create_text: answers to a prompt, which have no messages. */
struct encoder *ollama_stream_create(const struct encoder_about *about) MUST_USE;
struct encoder *ollama_stream_create_text(const struct encoder_about *about) MUST_USE;
bool ollama_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;

/* Settings of a run (call_request) whose client wants no thoughts. */
#define OLLAMA_UNTHINKING "{\"thinking\":false}"

/* --- vectors: an answer of OpenAI's embeddings as that of another API: Gemini's EmbedContentResponse or
 * BatchEmbedContentsResponse, Ollama's EmbeddingResponse or EmbedResponse. */

/* NULL: no memory. */
struct encoder *vectors_create_gemini(const struct encoder_about *about) MUST_USE;
struct encoder *vectors_create_gemini_list(const struct encoder_about *about) MUST_USE;
struct encoder *vectors_create_ollama(const struct encoder_about *about) MUST_USE;
struct encoder *vectors_create_ollama_list(const struct encoder_about *about) MUST_USE;

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
/* chunk_resumed: appends ,"resumed":{"provider":…,"at":…}: where the answer went on, escaped, and after how many
 * characters.  False: out is full. */
bool chunk_resumed(struct str provider, uint32_t at, struct buf *out) MUST_USE;

/* --- block: prints the blocks of a stream in a framing, with their numbers, and leaves out the
 * blocks that the reader has received already. */

struct json_doc;
struct json_limits;

/* Embedded in an encoder. */
struct blocks {
	const struct framing *framing;
	struct cursor         seen;  /* blocks up to this one, inclusive, are left out */
	struct cursor         next;  /* the number of the next block */
	size_t                start; /* offset of the open block in out */
	bool                  begun; /* a block was printed */
};

/* Server-sent events (WHATWG HTML, section 9.2).  framing_events: as LLM Chat has them, with numbers, `id: <n>`
 * for the first block of event n and `id: <n>.<k>` for its further blocks, and with the names of the blocks that
 * have one.  framing_named: with names only.  framing_plain: with neither, as OpenAI's clients expect. */
extern const struct framing framing_events, framing_named, framing_plain;
/* block_framing: the framing that an encoder was told (struct encoder_about), or else its usual one. */
static inline const struct framing *block_framing(const struct framing *told,
						  const struct framing *usual)
{
	return told ? told : usual;
}

/* block_event: the next blocks belong to the event seq; may be called again for the same event. */
static inline void block_event(struct blocks *b, uint64_t seq)
{
	if (seq != b->next.seq)
		b->next = (struct cursor){ .seq = seq };
}

/* block_open: appends what stands before a block's JSON; name: of the block's event, or empty.
 * block_close: ends the block; a block that the reader has received is removed from out. False: out
 * is full, and ends with half a block. */
bool block_open(struct blocks *b, struct str name, struct buf *out) MUST_USE;
bool block_close(struct blocks *b, struct buf *out) MUST_USE;
/* For many blocks without numbers that begin alike.  block_head: appends what stands before their JSON to
 * head, which gets the first part of the JSON, too; a block must have been printed.  block_open_head: as
 * block_open, with that part. */
MUST_USE static inline bool block_head(const struct blocks *b, struct str name, struct buf *head)
{
	return b->framing->open(b, name, head);
}
MUST_USE static inline bool block_open_head(struct blocks *b, const struct buf *head,
					    struct buf *out)
{
	b->start = out->len;
	return buf_str(out, buf_view(head));
}
/* block_end: appends the framing's end, after a normal end or a failure.  False: as block_open. */
bool block_end(struct blocks *b, bool failed, struct buf *out) MUST_USE;

/* block_done, block_error: append the last blocks of OpenAI's streams, of a normal end or of a
 * failure, for the event seq, and the framing's end.  False: out is full, and unchanged. */
bool block_done(struct blocks *b, uint64_t seq, struct buf *out) MUST_USE;
bool block_error(struct blocks *b, const struct err *e, struct str request_id, uint64_t seq,
		 struct buf *out) MUST_USE;
/* block_type_of: the type of a provider's event, which is also its name; empty if there is none, or memory is
 * short.  doc: scratch, which may hold the event afterwards. */
struct str block_type_of(struct json_doc *doc, struct str raw, const struct json_limits *limits);
/* block_raw: appends a provider's own JSON without line breaks between its tokens, because a data
 * line ends at the first one.  (Inside strings they are always escaped.)  block_one_line: does the
 * same to what stands in out from start on. */
bool block_raw(struct str json, struct buf *out) MUST_USE;
void block_one_line(struct buf *out, size_t start);

/* --- rebyte: the objects of Rebyte's API, generation 1, that more than one of its answers has:
 * the value of a run, the run, and the error.  Pure. */

/* The value of a run: the assistant's message, gathered from events.  Laid open so that it can be
 * embedded. */
struct rebyte_value {
	struct buf text;  /* text, calls: escaped, or JSON */
	struct buf calls; /* the entries of tool_calls, the last one open */
	bool       open;
};

void rebyte_value_init(struct rebyte_value *v);
void rebyte_value_finish(struct rebyte_value *v);
/* rebyte_value_event: adds what an event says.  False: no memory. */
bool rebyte_value_event(struct rebyte_value *v, const struct event *ev) MUST_USE;
/* rebyte_value_read: gathers a stored message.  False: no memory, or it is no object. */
bool rebyte_value_read(struct rebyte_value *v, struct str message) MUST_USE;
/* rebyte_value_print: appends [[{"value":{…},"error":null}]].  False: out is full. */
bool rebyte_value_print(const struct rebyte_value *v, struct buf *out) MUST_USE;

/* rebyte_run: appends the run as it stands, with its results.  False: out is full, or memory is
 * short. */
bool rebyte_run(const struct run_object *o, struct buf *out) MUST_USE;
/* rebyte_run_row: the same for a list, without the results. */
bool rebyte_run_row(const struct run_object *o, struct buf *out) MUST_USE;
/* rebyte_object: the same as the answer to a request that does not wait: {"run_id":…,"run":{…}}. */
bool rebyte_object(const struct run_object *o, struct buf *out) MUST_USE;

/* rebyte_error_put: appends the error object; rebyte_error_body: the same as a body. */
bool rebyte_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
bool rebyte_error_body(const struct err *e, struct str request_id, struct buf *out);

/* Settings of a run (call_request) that answers with its text alone. */
#define REBYTE_CONTENT_ONLY "{\"content_only\":true}"
