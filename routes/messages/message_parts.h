/* routes/messages/message_parts: the blocks of Anthropic's content as parts of OpenAI's.  Pure.
 *
 * Strings stay JSON-escaped, as they may stand between two quotes.  Paths of errors have dots:
 * messages.1.content.0.source. */
#pragma once

#include "json/scan.h"
#include "lmc/warnings.h"
#include "msg/prompt.h"

/* What the reader of one request works on. */
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
	BLOCK_FOREIGN,  /* of tools that Anthropic runs; left out with a warning */
	BLOCK_UNKNOWN,
};

/* Where parts go: into one string, or into an array of parts. */
struct message_sink {
	bool        array;
	const char *gap;   /* between two texts of one string, escaped */
	size_t      count; /* of the parts so far */
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
/* message_parts_text: appends an escaped text as a part. */
bool message_parts_text(struct message_reading *x, struct message_sink *s,
			struct str escaped) MUST_USE;
