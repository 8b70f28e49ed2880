/* routes/messages/internal: what the readers of Anthropic's request share. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "msg/prompt.h"

/* --- message_parts: the blocks of Anthropic's content as parts of OpenAI's.  Pure.
 *
 * Strings stay JSON-escaped, as they may stand between two quotes.  Paths of errors have dots:
 * messages.1.content.0.source. */

/* The state of reading one request. */
struct message_reading {
	const struct json_doc *doc; /* borrowed: the request */
	struct buf             out; /* the JSON that is made of it */
	struct warnings        warnings;
	uint32_t             *origins; /* in the arena, of message_turns_read: as struct prompt's */
	struct arena         *arena;
	unsigned              takes;   /* enum provider_takes: what all targets of the model take */
	uint32_t              message; /* the place of the message that is being made */
	struct prompt_upload *uploads; /* in the arena */
	size_t                upload_count;
};

enum message_block {
	BLOCK_TEXT,
	BLOCK_IMAGE,
	BLOCK_DOCUMENT,
	BLOCK_SEARCH_RESULT,
	BLOCK_TOOL_USE,
	BLOCK_TOOL_RESULT,
	BLOCK_THINKING, /* also redacted */
	BLOCK_FOREIGN,  /* block of a tool that Anthropic runs; left out with a warning */
	BLOCK_UNKNOWN,
};

/* Where parts go: into one string, or into an array of parts. */
struct message_sink {
	bool        array;
	const char *gap;   /* between two texts of one string, escaped */
	size_t      count; /* parts so far */
};

/* message_parts_kind: BLOCK_UNKNOWN: also for what is no object. */
enum message_block message_parts_kind(const struct json_doc *d, json_at block);
/* message_parts_is_text: whether the block is nothing but text. */
bool message_parts_is_text(const struct json_doc *d, json_at block);
/* message_parts_put: appends a text, an image, a document or a search result; in a sink that is no
 * array only what message_parts_is_text.  path: the block's, for errors.  Errors: INVALID_VALUE,
 * INVALID_TYPE, MISSING_PARAMETER, OVERLOADED. */
enum errc message_parts_put(struct message_reading *x, struct message_sink *s, json_at block,
			    const char *path, struct err *e) MUST_USE;
/* message_parts_is_marked: whether a block says that a provider's cache is to keep the request up to it, and all
 * targets can be told.  message_parts_marked: whether one of a list does; then their sink must be an array.
 * message_parts_mark: appends `,"cache_control":…` of a marked block. */
bool message_parts_is_marked(const struct message_reading *x, json_at block);
bool message_parts_marked(const struct message_reading *x, json_at blocks);
bool message_parts_mark(struct message_reading *x, json_at block) MUST_USE;
/* message_parts_text: appends an escaped text as a part. */
bool message_parts_text(struct message_reading *x, struct message_sink *s,
			struct str escaped) MUST_USE;

/* --- message_schema: the schema of a tool, as OpenAI's functions take it.  Pure.
 *
 * Anthropic's API takes an object's schema without properties, and null for a keyword that is not there.
 * OpenAI refuses both ("object schema missing properties", "None is not of type 'array'").  Source:
 * "Function calling" in OpenAI's documentation, and the texts of its errors. */

/* message_schema_put: appends the schema, an object; with its own bytes if there is nothing to mend.
 * False: out is full. */
bool message_schema_put(const struct json_doc *d, json_at schema, struct buf *out) MUST_USE;

/* --- message_native: what the routes check of a request that passes through to a
 * provider of the same API. */

/* message_native_check: whether the values of the headers may go to a provider.  Errors:
 * INVALID_VALUE. */
enum errc message_native_check(const struct prompt_native *n, struct err *e) MUST_USE;
/* message_native_uploads: whether the request names a file that only this gateway has. */
bool message_native_uploads(const struct json_doc *d);

/* --- message_turns: Anthropic's system prompt and messages as OpenAI's messages.
 *
 * The results of tools become messages of their own, before the rest of the user's message;
 * images and documents in a result follow in the user's message, because OpenAI's results are text.
 * Thinking that is signed is left out: it is for Anthropic's models only. */

/* message_turns_read: *ret: JSON objects, in the arena or in the request.  Errors, with paths such as
 * messages.1.content.0.source: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER,
 * UNSUPPORTED_PARAMETER, OVERLOADED. */
enum errc message_turns_read(struct message_reading *x, struct arena *arena, json_at system,
			     json_at messages, const struct str **ret, size_t *ret_count,
			     struct err *e) MUST_USE;
