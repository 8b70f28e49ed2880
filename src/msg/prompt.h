/* msg/prompt: a request to a provider in the terms of OpenAI's chat request, in pieces.
 *
 * Routes of all families make prompts; a dialect encodes a prompt into the provider's own body.
 * Pieces stay raw JSON, so that what a client sent is forwarded byte for byte. Plain data; all
 * spans are borrowed for the provider's start only. */
#pragma once

#include "base/str.h"
#include "base/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct json_doc;
struct transcript_made;
struct warnings;

/* --- embed: a request for vectors of texts. Plain data; borrowed like the prompt that it is
 * part of. */

struct embed {
	/* Raw JSON: a string, or an array of strings, of integers, or of arrays of integers. */
	struct str input;
	size_t     count; /* vectors that the client asks for */
	/* input consists of integers: the client has already turned the texts into tokens. */
	bool tokens;
	/* Vectors are returned as base64 of float32, little endian (OpenAI's encoding_format); else
	 * as numbers. */
	bool base64;
};

/* --- prompt --- */

#define PROMPT_SYSTEM UINT32_MAX

/* An uploaded file that a request of Anthropic's Messages API names. */
struct prompt_upload {
	uint32_t source;  /* the object that names it, in the request's json_doc */
	uint32_t message; /* message and part: the part of the prompt's messages that it becomes */
	uint32_t part;
	uint32_t item; /* item and at: the client's message, and the block in it */
	uint32_t at;
	bool     within; /* the block has further ones, and one of these names the file */
	bool     image;  /* the file should be an image */
};

/* An item of a request of OpenAI's Responses API, as response_input reads it. */
struct prompt_item {
	uint32_t item; /* in the request's json_doc */
	/* The request's own message that it became or is a part of; or PROMPT_NO_MESSAGE. */
	uint32_t message;
	bool     stored; /* the message is a stored one, named by this item or one beside it: the
			   * stored message is sent in the place of these items */
	bool     upload; /* it names an uploaded file: the message is sent instead of it */
};

#define PROMPT_NO_MESSAGE UINT32_MAX

/* A request in its client's own words, for the targets that speak the client's API.  They are sent these
 * instead of the prompt. */
struct prompt_native {
	unsigned               takes; /* the API: PROVIDER_MESSAGES, _RESPONSES or _GEMINI */
	const struct json_doc *doc;   /* the whole request */
	/* Responses: the items of the input, in the arena; NULL: the input is a text, or absent. */
	const struct prompt_item *items;
	size_t                    item_count;
	bool                      kept; /* the answer is stored: reasoning must be readable later */
	/* The rest is of Anthropic's Messages API. */
	int64_t max_tokens; /* the most that the model writes; 0: not known */
	bool    count;      /* the tokens of the request are counted, no more */
	/* In the request's order; they are in struct prompt's made. */
	const struct prompt_upload *uploads;
	size_t                      upload_count;
	/* Values of headers: anthropic-version, anthropic-beta; empty: absent. */
	struct str version;
	struct str beta;
};

struct prompt {
	struct str        model;    /* the upstream's name for it, a plain string */
	const struct str *messages; /* each a raw JSON message object; system message first */
	size_t            message_count;
	/* For each message, the place in the client's request of the one of which it was made, for
	 * the paths of errors; PROMPT_SYSTEM: its system prompt.  NULL: the places are the same. */
	const uint32_t *origins;
	/* All other members of the request, each exactly one, raw as `"key":value`, in the client's order, but
	 * without model, messages, stream, stream_options, max_tokens, max_completion_tokens,
	 * store, metadata and the members that are Parley's own. */
	const struct str *members;
	size_t            member_count;
	/* The value of max_tokens or max_completion_tokens, raw JSON, empty if absent; and the name
	 * that the client used, NULL: a request of LLM Chat, and the provider's max_tokens_field
	 * decides. */
	struct str  max_tokens;
	const char *max_tokens_key;
	int64_t     max_output; /* the most that the model writes; 0: not known */
	bool        stream;
	struct str  stream_options; /* raw object as the client sent it, or empty */
	bool        want_usage; /* the provider is asked for usage, even if the client did not */
	/* Raw `"store":…` and `"metadata":…`, for providers with the option forward_store. */
	struct str forward[2];
	/* Borrowed; a dialect adds what it could not pass on to the provider; NULL: nobody reads
	 * warnings. */
	struct warnings *warnings;
	/* A request for embeddings: messages are empty, stream is false, and members are all
	 * members of the request except for the model.  NULL: a chat. */
	const struct embed *embed;
	/* The number of prompts in a request for completions of a prompt, OpenAI's older API: messages
	 * are empty, and members has `prompt`.  0: no such request. */
	size_t text;
	/* The provider's body, if the prompt was encoded before; start takes its bytes.  NULL:
	 * start encodes the prompt. */
	struct buf *body;
	/* NULL: every target is sent the prompt. */
	const struct prompt_native *native; /* prompt_is_native says for whom */
	/* For each message, the items of OpenAI's Responses API that it was made of, with commas between
	 * them, or empty (shape/carry).  NULL: no message has any. */
	const struct str *items;
	size_t            old; /* the messages before the request's own */
	/* The text of the first message, if it is the gateway's own instruction; else empty. */
	struct str instruction;
	/* The messages with uploaded files (shape/transcript.h); their indexes are those of the
	 * request's messages. */
	const struct transcript_made *made;
	size_t                        made_count;
	/* The target refuses temperature, top_p and top_k: members is without them, and native is to
	 * be sent without them. */
	bool unsampled;
	/* The target's entry says that the model takes reasoning_effort. */
	bool reasons;
	/* The messages are those of OpenAI's chat completions as their client sent them: where the
	 * provider's API has the same form, they stay as they are. */
	bool as_sent;
	/* Parts of earlier answers that a provider signed or encrypted are to be left out: this one
	 * refuses what another one signed. */
	bool bare;
	/* The attempt's span, for providers with the option propagate_trace; NULL: no trace. */
	const struct trace *trace;
};

/* prompt_is_native: whether a target that takes these (enum provider_takes) is sent the client's own
 * words. */
static inline bool prompt_is_native(const struct prompt *p, unsigned takes)
{
	return p->native && (p->native->takes & takes) != 0;
}

/* --- origin: where in the client's request the messages and tools of a prompt come from, for the
 * paths of errors.  A family whose requests are not those of a chat fills the list; its function
 * `place` (msg/family.h) reads it.  Plain data. */

enum origin_of {
	ORIGIN_MESSAGE, /* a message of the request */
	ORIGIN_PART,    /* the n-th part of the message's content, where it has moved */
	ORIGIN_CALL,    /* the n-th call of the message */
	/* The n-th tool, where it has moved; key: it is element `at` of the tools in an element of the
	 * list of this name. */
	ORIGIN_TOOL,
};

struct origin {
	enum origin_of of;
	uint32_t       message;
	uint32_t       n;
	uint32_t       item; /* its index in the client's list */
	uint32_t       at;   /* a part: its index in the item */
	const char    *key;  /* static; the item's member that has the content; "": the item
				   * names a stored message; NULL: the whole input is a text */
};

struct origins {
	const struct origin *list;
	size_t               count;
	/* The members below are the run's: how many messages come before the request's own in the
	 * paths of errors, and whether the first of them is its instruction. */
	uint32_t before;
	bool     instructed;
	bool     follows; /* the others are those of an earlier response; else of a conversation */
};
